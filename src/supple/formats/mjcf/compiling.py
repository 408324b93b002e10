"""Have MuJoCo compile a model in a process of its own, so that no model can crash this one."""

from __future__ import annotations

import importlib.util
import io
import json
import pickle
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from supple.errors import SuppleError
from supple.formats.mjcf.document import NOT_FOUND, Document, needs
from supple.formats.source import MEMORY_FACTOR, MEMORY_LEAST, Source

WORKER = Path(__file__).with_name("worker.py")
SECONDS = 300  # limit of waiting time [s]


class Compiled:
    """A compiled model: MuJoCo's arrays by name as attributes, names of objects by kind.

    Attributes:
        names: By kind ("body", "joint", "geom", "site", "equality", "key", "tendon"), in MuJoCo's order.
        lost: Which geoms have a mesh that was not read, shape (G,).
        unknown: Which bodies have a mass that is not known, shape (B,).
        massless: Whether bodies that move have no mass.
    """

    names: dict[str, list[str]]
    lost: np.ndarray
    unknown: np.ndarray
    massless: bool

    def __init__(self, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.massless = bool(meta.pop("massless"))
        self.names = meta
        self.__dict__ |= arrays

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


def compiled(source: Source, model: Document) -> Compiled:
    """Compile a model.

    Raises:
        SuppleError: MuJoCo is not installed, refuses the model, or does not survive it.
    """
    if importlib.util.find_spec("mujoco") is None:
        raise needs()
    job = {
        "path": [path or "." for path in sys.path],
        "xml": model.xml,
        "models": model.models,
        "meshes": model.meshes,
        "marker": NOT_FOUND,
        "memory": max(MEMORY_LEAST, MEMORY_FACTOR * source.size),
    }
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:  # MuJoCo finds no file there
        try:
            done = subprocess.run(
                [sys.executable, "-I", str(WORKER)],
                input=pickle.dumps(job),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            source.error(None, f"MuJoCo did not finish compiling it within {SECONDS} s")
        except OSError as error:
            raise SuppleError(
                f"{source.path}: cannot start {sys.executable or 'Python'} to run MuJoCo: {error}"
            ) from error
    if done.returncode != 0 or not done.stdout:
        source.error(
            None,
            "MuJoCo crashed when it compiled the model, or ran out of memory or time "
            f"(exit code {done.returncode})",
        )
    with np.load(io.BytesIO(done.stdout)) as archive:
        arrays = {name: archive[name] for name in archive.files}
    meta = json.loads(arrays.pop("meta").tobytes())
    if "missing" in meta:
        raise needs()
    if "memory" in meta:
        source.error(None, f"expected a model that takes at most {job['memory'] >> 20} MB")
    if "error" in meta:
        _refuse(source, model, meta["error"])
    return Compiled(meta, arrays)


def _refuse(source: Source, model: Document, message: str) -> None:
    """Raise MuJoCo's error, with the file and line that it is about."""
    said = re.search(r"line (\d+)", message)
    place = model.place(int(said[1])) if said else None
    text = re.sub(r"^(XML )?Error:\s*", "", message.strip())
    text = re.sub(r"(, | at )?(id -?\d+, )?line \d+", "", text)
    text = "; ".join(one.strip() for one in text.replace(NOT_FOUND, "").splitlines() if one.strip())
    where = f"{place[0]}:{place[1]}" if place else str(source.path)
    raise SuppleError(f"{where}: MuJoCo refuses the model: {text}")
