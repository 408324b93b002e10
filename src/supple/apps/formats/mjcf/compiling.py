"""Compile a model with MuJoCo in a separate process, so that no model can crash this one.

Compiled models are cached (`kept_answers`): starting the process takes longer than everything else.
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from supple.apps.formats import kept_answers
from supple.apps.formats.isolated import run
from supple.apps.formats.mjcf.document import NOT_FOUND, SOFT, Document, needs
from supple.apps.formats.plain_arrays import unpacked
from supple.apps.formats.source import Source, raise_limit
from supple.errors import SuppleError

WORKER = Path(__file__).with_name("worker.py")


class Compiled:
    """A compiled model: MuJoCo's arrays by name as attributes, names of objects by kind.

    Attributes:
        names: By kind ("body", "joint", "geom", "site", "equality", "key", "tendon"), in MuJoCo's order.
        lost: True for geoms whose mesh was not read, shape (G,).
        unknown: True for bodies whose mass is unknown, shape (B,).
        massless: True if moving bodies have no mass.
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
        SuppleError: MuJoCo is not installed, refuses the model, or crashes.
    """
    if importlib.util.find_spec("mujoco") is None:
        raise needs()
    job = {
        "xml": model.xml,
        "models": {name: text.decode() for name, text in model.models.items()},
        "marker": NOT_FOUND,
        "soft": SOFT,
    }
    name = kept_answers.name_of(_parts(job, model))
    answer = kept_answers.kept(name)
    found = None if answer is None else _opened(answer)
    if found is not None:
        return Compiled(*found)
    answer = run(source, WORKER, job, who="MuJoCo", files=model.meshes)
    found = _opened(answer)
    if found is None:
        source.error(None, "MuJoCo crashed: expected arrays from its process")
    meta, arrays = found
    if "missing" in meta:
        raise needs()
    if "memory" in meta:
        source.error(
            None,
            f"compiling the model takes more than the {source.memory_limit >> 20} MB that supple allows "
            f"MuJoCo for it; {raise_limit(source.memory_limit)}",
        )
    if "error" in meta:
        _refuse(source, model, meta["error"])
    kept_answers.keep(name, answer)
    return Compiled(meta, arrays)


def _parts(job: dict[str, Any], model: Document) -> Iterator[bytes]:
    """All that the compiled model depends on, but for the limit of memory."""
    yield WORKER.read_bytes()
    yield _version(_changed()).encode()
    yield json.dumps(job).encode()
    for name, data in model.meshes.items():
        yield name.encode()
        yield data


def _changed() -> int:
    """When MuJoCo was installed [ns]: it may be replaced while this process runs."""
    found = importlib.util.find_spec("mujoco")
    return os.stat(found.origin).st_mtime_ns if found and found.origin else 0


@functools.lru_cache(maxsize=1)
def _version(changed: int) -> str:
    """The version of MuJoCo that was installed at a time."""
    return f"{importlib.metadata.version('mujoco')} {changed}"


def _opened(answer: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    """Names and arrays of an answer; None if it is damaged."""
    try:
        return unpacked(answer)
    except (ValueError, RecursionError):
        return None


def _refuse(source: Source, model: Document, message: str) -> None:
    """Raise MuJoCo's error, with the file and line that it is about."""
    said = re.search(r"line (\d+)", message)
    place = model.place(int(said[1])) if said else None
    text = re.sub(r"^(XML )?Error:\s*", "", message.strip())
    text = re.sub(r"(, | at )?(id -?\d+, )?line \d+", "", text)
    text = "; ".join(one.strip() for one in text.replace(NOT_FOUND, "").splitlines() if one.strip())
    where = f"{place[0]}:{place[1]}" if place else str(source.path)
    raise SuppleError(f"{where}: MuJoCo refuses the model: {text}")
