"""Files that many clips share: targets, limits, ground. A worker reads each once, and again after a change."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Character
from supple.apps.formats import load
from supple.apps.formats.obj.read import read_obj
from supple.apps.formats.xacro.arguments import reader_options
from supple.apps.motion import BodyMap
from supple.apps.motion.checks import Baseline
from supple.apps.motion.ground import GroundLike
from supple.errors import SuppleError, printable
from supple.files import read_json
from supple.model.mesh import Mesh
from supple.model.skeleton import Skeleton
from supple.texts import vector
from supple.toml import placed

CACHED_FILES = 8  # of each kind; not tuned

Floats = NDArray[np.float64]
P = ParamSpec("P")
T = TypeVar("T")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Silence the "supple" logger, which would repeat itself for thousands of clips."""
    log = logging.getLogger("supple")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def _read_once(read: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
    """Cache the contents of the last few files while the files do not change."""

    @lru_cache(maxsize=CACHED_FILES)
    def kept(state: tuple[int, int] | None, path: str, *given: Any, **named: Any) -> T:
        del state
        return read(path, *given, **named)

    @wraps(read)
    def once(path: str, *given: P.args, **named: P.kwargs) -> T:
        try:
            found = os.stat(path)
        except OSError:
            return read(path, *given, **named)  # raises an error with the reason
        return kept((found.st_mtime_ns, found.st_size), path, *given, **named)

    return once


@_read_once
def character(path: str, folder: str | None = None, arguments: tuple[str, ...] = ()) -> Character:
    """The character of a file.

    Args:
        path: The file.
        folder: The folder of the files that it refers to, as for `load`.
        arguments: Of a .xacro file, NAME:=VALUE each.
    """
    with quiet():
        return load(Path(path), folder=folder, **reader_options(path, arguments))


@_read_once
def skeleton(path: str) -> Skeleton:
    """The skeleton of a file: of a character, or as `Skeleton.to_json` writes it."""
    if Path(path).suffix.lower() != ".json":
        return character(path).skeleton
    data = read_json(path)
    with placed(path):
        return Skeleton.from_json(data)


@_read_once
def body_map(path: str) -> BodyMap:
    """The body map of a TOML file."""
    return BodyMap.load(path)


def target_map(
    onto: str,
    path: str | None,
    up: str | None,
    folder: str | None = None,
    arguments: tuple[str, ...] = (),
) -> BodyMap:
    """The parts of a target's body: from a file, or recognized; `folder` and `arguments` as for `character`.

    Raises:
        SuppleError: The target lacks parts; with its file.
    """
    with placed(onto):
        if path is None:
            return _recognized(onto, up, folder, arguments)
        found = body_map(path)
        found.checked(character(onto, folder, arguments).skeleton)
        return found


@_read_once
def _recognized(
    onto: str, up: str | None, folder: str | None, arguments: tuple[str, ...]
) -> BodyMap:
    one = character(onto, folder, arguments)
    bones = dict(one.extras.get("gltf", {}).get("humanoid", {}))
    found = BodyMap.recognize(one.skeleton, up=up or one.up or "y", bones=bones)
    found.checked(one.skeleton)
    return found


@_read_once
def baseline(path: str) -> Baseline:
    """The stored report of a JSON file."""
    return Baseline(path)


@_read_once
def points(path: str) -> Floats:
    """The points of a text file, shape (N, 3), one on each line: X,Y,Z or X Y Z; comments begin with #."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SuppleError(f"{path}: cannot read the points: {error}") from error
    rows = [vector(f"{path}:{number}", line, "X,Y,Z")
            for number, line in enumerate(lines, 1)
            if line.strip() and not line.lstrip().startswith("#")]  # fmt: skip
    found = np.array(rows).reshape(-1, 3)
    found.flags.writeable = False
    return found


def ground(given: Any) -> GroundLike | None:
    """The ground of a plan's key: a height or a plane as they are, or the mesh of a file."""
    return mesh(given) if isinstance(given, str) else given


@_read_once
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
