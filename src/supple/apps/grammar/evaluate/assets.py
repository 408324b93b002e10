"""Assets: built-in solids, meshes given by the caller, and files in the folders of the rules.

Methods take the folder of the rule file that names the asset; `language.folders` says where files are searched.
With stand-ins, a box takes the place of a model that cannot be read and a grey image that of an image.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from supple.apps.formats.obj.read import TooManyTrianglesError, read_obj
from supple.apps.grammar.evaluate.values import LONGEST_VALUE
from supple.apps.grammar.geometry.mesh import BOX, BUILT_IN, Geometry, fitted
from supple.apps.grammar.language.folders import Folders
from supple.errors import SuppleError, array, brief, nearest, text, whole
from supple.model.mesh import Mesh

LARGEST_FILE_BYTES = 256 << 20  # of an asset; not tuned
MODELS = (".obj", ".glb")
MOST_FACE_CORNERS = 1_000  # not tuned
MOST_FILES_FOUND = 10_000  # by one search; not tuned
GREY = Path(__file__).with_name("stand_in.png")


def too_many_triangles(what: str, limit: int) -> SuppleError:
    """The error about more triangles than the limit; `what` says what has them and how many they are."""
    return SuppleError(
        f"{what}; expected at most {limit:,}: give limits=Limits(triangles=...), "
        "on the command line --triangles"
    )


class Assets:
    """The assets that `i`, `texture` and file functions can use.

    Args:
        folders: The folders that files may be in.
        given: Meshes by name: (points (V, 3), faces), a `supple.Mesh` or a `supple.Character`.
        stand_in: Called with a note for each file that cannot be used and gets a stand-in; None to raise
            an error instead.
        most_triangles: Triangles of one asset; None for no limit.
    """

    def __init__(
        self,
        folders: Folders,
        given: Mapping[str, Any],
        stand_in: Callable[[str], None] | None = None,
        *,
        most_triangles: int | None = None,
    ) -> None:
        self.folders = folders
        self.stand_in = stand_in
        self.most_triangles = most_triangles
        self._known: dict[str, Geometry] = dict(BUILT_IN)  # by the names that rules may use
        self._files: dict[tuple[str, Path | None, bool], Geometry] = {}
        self._read_files: dict[Path, Geometry] = {}
        self._images: dict[str, Path] = {}
        self._searched: dict[tuple[str, Path | None], list[str]] = {}
        for name, value in given.items():
            text("name of an asset", name)
            self._known[name] = self._given(name, value)

    def get(self, name: str, folder: Path | None, *, z_up: bool = False) -> Geometry:
        """The geometry of an asset by name or path.

        Args:
            name: A built-in or given name, or the path of a .obj or .glb file.
            folder: The rule file's folder; None for rules given as text.
            z_up: True to rotate an asset whose z axis points up.

        Raises:
            SuppleError: There is no such asset, it lies outside the folder or cannot be read.
        """
        key = (name, folder, z_up)
        if key not in self._files:
            self._files[key] = _z_to_y(self.get(name, folder)) if z_up else self._find(name, folder)
        return self._files[key]

    def _find(self, name: str, folder: Path | None) -> Geometry:
        known = self._known.get(name) or BUILT_IN.get(_builtin(name))
        if known is not None:
            return known
        try:
            return self._file(name, folder)
        except TooManyTrianglesError as error:  # readable, so no stand-in
            assert self.most_triangles is not None
            raise too_many_triangles(f"asset {name!r}: {error}", self.most_triangles) from None
        except SuppleError as error:
            if self.stand_in is None:
                raise
            self.stand_in(f"{str(error).removeprefix('i: ')}; a box takes its place")
            return Geometry(name, BOX.points, BOX.faces)

    def _file(self, name: str, folder: Path | None) -> Geometry:
        if Path(name).suffix.lower() not in MODELS:
            hint = nearest(name, self._known)
            listed = ", ".join(self._known)
            raise SuppleError(
                f"i: unknown asset {name!r} (expected one of {listed}, or a .obj or .glb file){hint}"
            )
        path = self._inside(name, folder, "asset")
        if path not in self._read_files:
            self._read_files[path] = self._read(path, name)
        return self._read_files[path]

    def info(self, name: str, folder: Path | None, what: str) -> float:
        """A property of an asset: size "sx" "sy" "sz", origin "px" .., "nVertices" or "nFaces"."""
        found = self.get(name, folder)
        if what == "nVertices":
            return float(len(found.points))
        if what == "nFaces":
            return float(len(found.faces))
        values = found.size if what[0] == "s" else found.origin
        return float(values["xyz".index(what[1])])

    def image(self, name: str, folder: Path | None) -> Path:
        """The path of an image.

        Raises:
            SuppleError: There is no such image, or it lies outside the folder.
        """
        found = self._images.get(name)
        if found is None:
            try:
                found = GREY if name.startswith("builtin:") else self._inside(name, folder, "image")
            except SuppleError as error:
                if self.stand_in is None:
                    raise
                self.stand_in(f"{error}; a grey image takes its place")
                found = GREY
            self._images[name] = found
        return found

    def image_path(self, name: str) -> Path | None:
        """The path of an image that the rules have used; None for another name."""
        return self._images.get(name)

    def exists(self, name: str, folder: Path | None) -> bool:
        """True if there is a file or a given mesh of that name."""
        if name in self._known:
            return True
        try:
            return any(one.is_file() for one in self.folders.candidates(name, folder, "file"))
        except SuppleError:
            if self.stand_in is None:
                raise
            return False

    def search(self, pattern: str, folder: Path | None) -> list[str]:
        """The files that match a pattern such as "trees/*.obj", sorted by name.

        "*" matches within one folder, "**" any subfolders. The rule file's folder is searched, and
        the home folder if nothing matches there.

        Raises:
            SuppleError: The pattern leads outside the folder, or matches too many files.
        """
        key = (pattern, folder)
        if key not in self._searched:
            try:
                self._searched[key] = self._search(pattern, folder)
            except SuppleError as error:
                if self.stand_in is None:
                    raise
                self.stand_in(f"{error}; no file matches")
                self._searched[key] = []
        return self._searched[key]

    def _search(self, pattern: str, folder: Path | None) -> list[str]:
        found = self._search_as_written(pattern, folder)
        if not found and pattern.startswith("*") and not pattern.startswith("**"):
            # "*facades/*.jpg" is any path that ends so: "*" stands for folders too.
            found = self._search_as_written(f"**/{pattern[1:].lstrip('/')}", folder)
        return found

    def _search_as_written(self, pattern: str, folder: Path | None) -> list[str]:
        # The part before the first wildcard is a folder; the search begins in each folder it may mean.
        parts = pattern.split("/")
        first = next(
            (k for k, part in enumerate(parts) if "*" in part or "?" in part), len(parts) - 1
        )
        before, rest = "/".join(parts[:first]), "/".join(parts[first:])
        try:
            starts = self.folders.candidates(before or ".", folder, "files")
        except SuppleError as error:
            raise SuppleError(str(error).replace(repr(before), repr(pattern), 1)) from None
        for start in starts:
            found = [f"{before}/{one}" if before else one for one in self._matching(start, rest)]
            if found:
                return found
        return []

    def _matching(self, folder: Path, pattern: str) -> list[str]:
        found: list[str] = []
        try:
            for path in folder.glob(pattern):
                if path.is_file() and self.folders.allows(path.resolve()):
                    found.append(path.relative_to(folder).as_posix())
                if len(found) > MOST_FILES_FOUND:
                    raise SuppleError(f"more than {MOST_FILES_FOUND:,} files match {pattern!r}")
        except (ValueError, OSError) as error:
            raise SuppleError(
                f'expected a pattern such as "trees/*.obj", got {pattern!r} ({error})'
            ) from None
        return sorted(found)

    def text(self, name: str, folder: Path | None) -> str:
        """The content of a text file.

        Raises:
            SuppleError: There is no such file, it lies outside the folder, is too long or not UTF-8.
        """
        path = self._inside(name, folder, "file")
        try:
            if path.stat().st_size > 4 * LONGEST_VALUE:
                raise SuppleError(f"the file {name!r} is longer than {LONGEST_VALUE:,} characters")
            found = path.read_text(encoding="utf-8-sig")
        except UnicodeDecodeError as error:
            raise SuppleError(f"the file {name!r}: expected UTF-8 text ({error})") from None
        except OSError as error:
            raise SuppleError(f"the file {name!r} cannot be read: {error.strerror}") from None
        if len(found) > LONGEST_VALUE:
            raise SuppleError(f"the file {name!r} is longer than {LONGEST_VALUE:,} characters")
        return found

    def _inside(self, name: str, folder: Path | None, what: str) -> Path:
        path = self.folders.find(name, folder, what)
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise SuppleError(f"the {what} {name!r} is larger than {LARGEST_FILE_BYTES >> 20} MiB")
        return path

    def _read(self, path: Path, name: str) -> Geometry:
        if path.suffix.lower() == ".obj":
            points, faces = read_obj(path, most_triangles=self.most_triangles)
            return _fitted(name, points, faces)
        from supple.apps.formats import load

        return _from_meshes(name, load(path).meshes)

    @staticmethod
    def _given(name: str, value: Any) -> Geometry:
        if isinstance(value, Geometry):
            return value
        if isinstance(value, Mesh):
            return _from_meshes(name, [value])
        if hasattr(value, "meshes"):
            return _from_meshes(name, value.meshes)
        try:
            points, faces = value
            points = array(f"points of asset {name!r}", points, (None, 3))
            faces = [tuple(whole("a corner", k) for k in face) for face in faces]
        except SuppleError:
            raise
        except (TypeError, ValueError):
            raise SuppleError(
                f"asset {name!r}: expected a Mesh, a Character or (points, faces), got {brief(value)}"
            ) from None
        return _fitted(name, points, faces)


def _builtin(name: str) -> str:
    """The name of a built-in solid: "cube" of "builtin:cube:notex"."""
    return name.removeprefix("builtin:").removesuffix(":notex")


def _z_to_y(asset: Geometry) -> Geometry:
    """Rotate a geometry whose z axis points up so that its y axis does."""
    natural = asset.points * asset.size + asset.origin
    points = natural[:, [0, 2, 1]] * (1.0, 1.0, -1.0)
    made, _, _ = fitted(
        f"{asset.name} turned", points, asset.faces, smooth=asset.smooth, texcoords=asset.texcoords
    )
    return made


def _fitted(name: str, points: np.ndarray, faces: list[tuple[int, ...]], **more: Any) -> Geometry:
    if not faces or not len(points):
        raise SuppleError(f"asset {name!r}: expected at least one face, got none")
    if not np.all(np.isfinite(points)):
        raise SuppleError(f"asset {name!r}: expected finite coordinates")
    if min(len(face) for face in faces) < 3:
        raise SuppleError(f"asset {name!r}: expected faces of at least 3 corners")
    last = max(max(face) for face in faces)
    if last >= len(points) or min(min(face) for face in faces) < 0:
        raise SuppleError(f"asset {name!r}: a face refers to a missing point")
    if max(len(face) for face in faces) > MOST_FACE_CORNERS:
        raise SuppleError(
            f"asset {name!r}: expected faces of at most {MOST_FACE_CORNERS:,} corners"
        )
    made, low, size = fitted(name, points, faces, **more)
    if made.name == name:
        return made
    # `fitted` gave the shared rectangle: keep the name and the size of this asset.
    unit = made.points
    return Geometry(
        name, unit, made.faces, size=tuple(size.tolist()), origin=tuple(low.tolist()), **more
    )


def _from_meshes(name: str, meshes: Any) -> Geometry:
    points, faces, texcoords, count = [], [], [], 0
    for mesh in meshes:
        points.append(np.asarray(mesh.positions))
        faces += [tuple(face) for face in (np.asarray(mesh.faces) + count).tolist()]
        uv = mesh.texcoords
        texcoords.append(np.zeros((len(mesh.positions), 2)) if uv is None else np.asarray(uv))
        count += len(mesh.positions)
    if not points:
        raise SuppleError(f"asset {name!r}: expected meshes, got none")
    return _fitted(name, np.concatenate(points), faces, texcoords=np.concatenate(texcoords))
