"""Read xacro files through xacrodoc.

Xacro evaluates Python expressions and opens the files that it includes, so it runs in a process of its own
that may open nothing outside the file's folder, or the one given to `load`, and start nothing.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from supple.errors import SuppleError
from supple.formats.isolated import run
from supple.formats.source import Source
from supple.formats.urdf.read import read as read_urdf
from supple.formats.xml import parsed
from supple.model.character import Character

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
    if importlib.util.find_spec("xacrodoc") is None:
        raise _missing()
    root = parsed(source, what="a xacro file", needs=_missing)
    given = {} if arguments is None else arguments
    if not isinstance(given, Mapping):
        raise SuppleError(f"arguments: expected a mapping by name, got {given!r}")
    own = source.path.resolve()
    home = (source.home or own.parent).resolve()
    job = {
        "file": str(own),
        "name": escape(root.get("name") or source.name, {'"': "&quot;"}),
        "folders": list(dict.fromkeys((str(home), str(own.parent)))),
        "arguments": {str(key): str(value) for key, value in given.items()},
    }
    found = json.loads(run(source, WORKER, job, who="xacro"))
    if "error" in found:
        text = " ".join(str(found["error"]).split())
        source.error(None, f"xacro cannot expand it: {text}")
    expanded = source.path.with_name(f"{source.path.name} (expanded)")
    inner = Source(expanded, found["urdf"].encode(), source.home, source.notes)
    inner.size += source.size
    return read_urdf(inner, meshes=meshes)


def _missing() -> SuppleError:
    return SuppleError("reading xacro needs xacrodoc: pip install 'supple[robot]'")
