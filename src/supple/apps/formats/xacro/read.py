"""Read xacro files: expand them with the xacro package, and read the URDF.

Expressions are evaluated by `expressions`, not by Python, and files are opened only in the file's own folder, the ROS
package that holds it, or the folder given to `load`. The package runs in a separate process (`worker`), which can
write and start nothing.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path

from supple.apps.character.character import Character
from supple.apps.formats.isolated import run
from supple.apps.formats.source import Source
from supple.apps.formats.urdf.read import read_expanded
from supple.apps.formats.xml import parsed
from supple.errors import SuppleError

WORKER = Path(__file__).with_name("worker.py")


def read(
    source: Source, *, arguments: Mapping[str, str] | None = None, meshes: bool = False
) -> Character:
    """Read a robot.

    Args:
        source: The file.
        arguments: Values of its `xacro:arg`, by name.
        meshes: True to read the visuals of the links as meshes.
    """
    text = expanded(source, arguments={} if arguments is None else arguments)
    path = source.path.with_name(f"{source.path.name} (expanded)")
    inner = Source(path, text.encode(), source.home, source.notes)
    inner.size += source.size
    return read_expanded(inner, meshes=meshes)


def expanded(source: Source, *, arguments: Mapping[str, str]) -> str:
    """The URDF that a xacro file expands to.

    Args:
        source: The file.
        arguments: Values of its `xacro:arg`, by name.

    Raises:
        SuppleError: It cannot be expanded, or requires something that is not allowed.
    """
    if importlib.util.find_spec("xacro") is None:
        raise _missing()
    parsed(source, what="a xacro file", needs=_missing)
    if not isinstance(arguments, Mapping):
        raise SuppleError(f"arguments: expected a mapping by name, got {arguments!r}")
    source.packaged = True
    own = source.path.resolve()
    home = source.allowed(own.parent)
    job = {
        "file": str(own),
        "folders": list(dict.fromkeys((str(home), str(own.parent)))),
        "arguments": {str(key): str(value) for key, value in arguments.items()},
    }
    answer = run(source, WORKER, job, who="xacro")
    try:
        found = json.loads(answer)
    except ValueError:
        source.error(None, "xacro crashed: expected JSON from its process")
    if "missing" in found:
        raise SuppleError(f"reading xacro: {found['missing']}")
    if "error" in found:
        text = " ".join(str(found["error"]).split())
        source.error(None, f"xacro cannot expand it: {text}")
    return str(found["urdf"])


def _missing() -> SuppleError:
    return SuppleError("reading xacro needs the xacro package: pip install 'supple[robot]'")
