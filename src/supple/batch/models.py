"""Files that many clips share: targets, limits, ground. A worker reads each once."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from supple.errors import SuppleError, printable
from supple.files import read_json
from supple.formats import load
from supple.formats.obj.read import read_obj
from supple.formats.xacro.arguments import reader_options
from supple.model.character import Character
from supple.model.mesh import Mesh
from supple.model.skeleton import Skeleton
from supple.motion import BodyMap
from supple.motion.checks import Baseline
from supple.motion.ground import GroundLike
from supple.toml import placed

KEPT = 8  # files of each kind


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence the "supple" logger: thousands of clips say the same."""
    log = logging.getLogger("supple")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


@lru_cache(maxsize=KEPT)
def character(path: str, folder: str | None = None, arguments: tuple[str, ...] = ()) -> Character:
    """The character of a file.

    Args:
        path: The file.
        folder: The folder of the files that it refers to, as `load` has it.
        arguments: Of a .xacro file, NAME:=VALUE each.
    """
    with quiet():
        return load(Path(path), folder=folder, **reader_options(path, arguments))


@lru_cache(maxsize=KEPT)
def skeleton(path: str) -> Skeleton:
    """The skeleton of a file: of a character, or as `Skeleton.to_json` writes it."""
    if Path(path).suffix.lower() != ".json":
        return character(path).skeleton
    data = read_json(path)
    with placed(path):
        return Skeleton.from_json(data)


@lru_cache(maxsize=KEPT)
def body_map(path: str) -> BodyMap:
    """The body map of a TOML file."""
    return BodyMap.load(path)


@lru_cache(maxsize=KEPT)
def target_map(
    onto: str,
    path: str | None,
    up: str | None,
    folder: str | None = None,
    arguments: tuple[str, ...] = (),
) -> BodyMap:
    """The parts of a target's body: of a file, or recognized; `folder` and `arguments` as `character` has them.

    Raises:
        SuppleError: The target has not all the parts; with its file.
    """
    one = character(onto, folder, arguments)
    with placed(onto):
        if path is not None:
            found = body_map(path)
        else:
            bones = dict(one.extras.get("gltf", {}).get("humanoid", {}))
            found = BodyMap.recognize(one.skeleton, up=up or one.up or "y", bones=bones)
        found.checked(one.skeleton)
    return found


def baseline(path: str) -> Baseline:
    """The stored report of a JSON file, as it is now."""
    try:
        state = Path(path).stat()
    except OSError as error:
        raise SuppleError(f"{path}: cannot read the report: {error.strerror}") from None
    return _baseline(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=KEPT)
def _baseline(path: str, changed: int, size: int) -> Baseline:
    del changed, size  # a file that was written again is read again
    return Baseline(path)


def ground(given: Any) -> GroundLike | None:
    """The ground of a plan's key: a height or a plane as they are, or the mesh of a file."""
    return mesh(given) if isinstance(given, str) else given


@lru_cache(maxsize=KEPT)
def mesh(path: str) -> Mesh:
    """All triangles of a file as one mesh in world: .obj, or a character at rest such as .glb.

    Raises:
        SuppleError: The file cannot be read, or has no triangles.
    """
    file = Path(path)
    if file.suffix.lower() == ".obj":
        points, polygons = read_obj(file)
        # Fans: polygons of ground are convex.
        triangles = [(one[0], b, c) for one in polygons
                     for b, c in zip(one[1:-1], one[2:], strict=True)]  # fmt: skip
        faces = np.array(triangles, dtype=np.int64).reshape(-1, 3)
    else:
        one = character(path)
        parts = [_in_world(one, part) for part in one.meshes]
        first = np.cumsum([0, *map(len, parts)])
        points = np.concatenate([np.zeros((0, 3)), *parts])
        faces = np.concatenate([np.zeros((0, 3), dtype=np.int64),
                                *(part.faces + k for part, k in zip(one.meshes, first, strict=False))])  # fmt: skip
    if not len(faces):
        raise SuppleError(f"{path}: expected a mesh with triangles, got none")
    with placed(path):
        return Mesh(printable(file.stem), points, faces)


def _in_world(character: Character, part: Mesh) -> np.ndarray:
    """The vertices of a mesh in world, at rest, shape (V, 3)."""
    if part.joint is None:
        return part.positions
    frame = character.skeleton.rest.frames[character.skeleton.index(part.joint)]
    return part.positions @ frame[:3, :3].T + frame[:3, 3]
