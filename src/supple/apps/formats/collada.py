"""Read the geometry of Collada (.dae) files, as robots have them for their links.

All instances of geometries in the visual scene, with the transforms of their nodes, as one mesh in metres with
z up. Materials, skins, animations and cameras are not read. The XML is untrusted, see `supple.apps.formats.xml`.

trimesh reads Collada by pycollada, which rounds positions to float32; it ignores the unit and the up axis, and has no
limit on instances of nodes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.apps.formats.source import LARGEST_NUMBER, Source, shown
from supple.apps.formats.xml import parsed
from supple.errors import SuppleError

LARGEST_COLLADA_BYTES = 256 << 20  # size limit of a file [B]
DEEPEST_NODE = 64  # levels of nodes, with instances of nodes; not tuned
VERTEX_BYTES = 200  # memory of a vertex or triangle corner while reading [B]
UPS = {
    "X_UP": ((0, -1, 0), (0, 0, -1), (1, 0, 0)),
    "Y_UP": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    "Z_UP": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
}
"""Rotations to z up, by Collada's names of the axes."""

Part = tuple[np.ndarray, np.ndarray]


def read_collada(source: Source) -> Part:
    """Vertices [m], shape (V, 3), with z up, and faces, shape (F, 3).

    Raises:
        SuppleError: The file cannot be read, or has no triangles.
    """
    root = parsed(source, what="a Collada file", needs=_missing, most=LARGEST_COLLADA_BYTES)
    if _tag(root) != "COLLADA":
        source.error(root.sourceline, f"expected the element 'COLLADA', got {shown(_tag(root))}")
    return _Reader(source, root).read()


def _missing() -> SuppleError:
    return SuppleError("reading Collada needs lxml: pip install 'supple[robot]'")


def _tag(element: Any) -> str:
    """The name of an element without its namespace; "" for comments and instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _below(element: Any, *names: str) -> list[Any]:
    return [one for one in element if _tag(one) in names]


class _Reader:
    """Reads one file."""

    def __init__(self, source: Source, root: Any) -> None:
        self.source, self.root = source, root
        self.by_id = {one.get("id"): one for one in root.iter() if isinstance(one.tag, str)}
        self.by_id.pop(None, None)
        self.geometries: dict[str, list[Part]] = {}

    def read(self) -> Part:
        """All parts as one mesh."""
        unit, turn = self._asset()
        T = np.eye(4)
        T[:3, :3] = unit * turn
        parts: list[Part] = []
        scene = self._scene()
        if scene is not None:
            stack = [(one, T, 1) for one in reversed(_below(scene, "node"))]
            while stack:
                node, T_above, depth = stack.pop()
                if depth > DEEPEST_NODE:
                    self.source.error(
                        node.sourceline, f"expected nodes at most {DEEPEST_NODE} deep"
                    )
                self.source.charge(2000, "the nodes of the scene", line=node.sourceline)
                stack += self._node(node, T_above, depth, parts)
        else:
            for library in _below(self.root, "library_geometries"):
                for geometry in _below(library, "geometry"):
                    parts += [_moved(part, T) for part in self._geometry(geometry)]
        if not any(len(faces) for _, faces in parts):
            self.source.error(None, "expected a mesh with triangles, got none")
        counts = np.cumsum([0, *(len(vertices) for vertices, _ in parts)])
        faces = [faces + at for (_, faces), at in zip(parts, counts[:-1], strict=True)]
        return np.concatenate([vertices for vertices, _ in parts]), np.concatenate(faces)

    def _asset(self) -> tuple[float, np.ndarray]:
        """Metres per unit, and the rotation to z up."""
        unit, up = 1.0, "Y_UP"
        for asset in _below(self.root, "asset")[:1]:
            for one in _below(asset, "unit")[:1]:
                if one.get("meter") is not None:
                    unit = float(self._numbers(one, one.get("meter"), 1)[0])
                if not unit > 0:
                    self.source.error(
                        one.sourceline, f"unit: expected metres above 0, got {unit:g}"
                    )
            for one in _below(asset, "up_axis")[:1]:
                up = (one.text or "").strip().upper()
                if up not in UPS:
                    self.source.error(
                        one.sourceline,
                        f"up_axis: expected one of {', '.join(UPS)}, got {shown(up)}",
                    )
        return unit, np.array(UPS[up], float)

    def _scene(self) -> Any:
        """The visual scene that is shown, or the first; None if there is none."""
        for scene in _below(self.root, "scene")[:1]:
            for one in _below(scene, "instance_visual_scene")[:1]:
                return self._target(one, "visual_scene")
        for library in _below(self.root, "library_visual_scenes"):
            for one in _below(library, "visual_scene"):
                return one
        return None

    def _target(self, instance: Any, *kinds: str) -> Any:
        """The element that an instance refers to."""
        url = instance.get("url") or ""
        found = self.by_id.get(url.removeprefix("#")) if url.startswith("#") else None
        if found is None or _tag(found) not in kinds:
            self.source.error(
                instance.sourceline, f"{_tag(instance)}: there is no {kinds[0]} {shown(url)}"
            )
        return found

    def _node(
        self, node: Any, T_above: np.ndarray, depth: int, parts: list[Part]
    ) -> list[tuple[Any, np.ndarray, int]]:
        """Add the geometries of a node to `parts`; return the nodes below it, the last first."""
        T = T_above
        below = []
        for one in node:
            kind = _tag(one)
            if kind in TRANSFORMS:
                T = T @ self._transform(one, kind)
            elif kind == "node":
                below.append(one)
            elif kind == "instance_node":
                below.append(self._target(one, "node"))
            elif kind in ("instance_geometry", "instance_controller"):
                parts += [_moved(part, T) for part in self._instance(one)]
        return [(one, T, depth + 1) for one in reversed(below)]

    def _instance(self, instance: Any) -> list[Part]:
        if _tag(instance) == "instance_geometry":
            found = self._geometry(self._target(instance, "geometry"))
        else:  # a skin: what it is of, in its bind pose
            controller = self._target(instance, "controller")
            skins = _below(controller, "skin")
            geometry = self.by_id.get((skins[0].get("source") or "")[1:]) if skins else None
            if geometry is None or _tag(geometry) != "geometry":
                return []
            found = self._geometry(geometry)
        size = sum(len(vertices) + 3 * len(faces) for vertices, faces in found)
        self.source.charge(VERTEX_BYTES * size, "copies of geometries", line=instance.sourceline)
        return found

    def _transform(self, element: Any, kind: str) -> np.ndarray:
        values = self._numbers(element, element.text, TRANSFORMS[kind])
        T = np.eye(4)
        if kind == "matrix":
            T = values.reshape(4, 4)
        elif kind == "translate":
            T[:3, 3] = values
        elif kind == "scale":
            T[:3, :3] = np.diag(values)
        else:  # an axis and an angle in degrees
            size = float(np.linalg.norm(values[:3]))
            if size > 0:
                x, y, z = values[:3] / size
                angle = np.radians(values[3])
                K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                T[:3, :3] += np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
        return T

    def _numbers(self, element: Any, text: str | None, count: int | None = None) -> np.ndarray:
        words = (text or "").split()
        try:
            numbers = np.array(words, dtype=np.float64)
        except ValueError:
            numbers = np.full(1, np.nan)
        if not np.all(np.abs(numbers) <= LARGEST_NUMBER):
            self.source.error(element.sourceline, f"{_tag(element)}: expected finite numbers")
        if count is not None and len(numbers) != count:
            self.source.error(
                element.sourceline, f"{_tag(element)}: expected {count} numbers, got {len(numbers)}"
            )
        return numbers

    def _whole(self, element: Any, text: str | None) -> np.ndarray:
        numbers = self._numbers(element, text)
        if not np.all((numbers >= 0) & (numbers < 2**53) & (numbers == np.floor(numbers))):
            self.source.error(element.sourceline, f"{_tag(element)}: expected whole numbers from 0")
        return numbers.astype(np.int64)

    def _one(self, element: Any, text: str) -> int:
        numbers = self._whole(element, text)
        if len(numbers) != 1:
            self.source.error(element.sourceline, f"{_tag(element)}: expected one number")
        return int(numbers[0])

    def _geometry(self, geometry: Any) -> list[Part]:
        """The parts of a geometry, read once."""
        key = geometry.get("id") or str(id(geometry))
        if key not in self.geometries:
            parts = []
            for mesh in _below(geometry, "mesh"):
                for primitive in _below(mesh, *PRIMITIVES):
                    part = self._primitive(primitive)
                    if part is not None:
                        parts.append(part)
            self.geometries[key] = parts
        return self.geometries[key]

    def _primitive(self, element: Any) -> Part | None:
        """Vertices and triangles of one primitive element."""
        kind = _tag(element)
        inputs = _below(element, "input")
        width, at, positions = 1, 0, None
        for one in inputs:
            offset = self._one(one, one.get("offset") or "0")
            if offset > 64:
                self.source.error(
                    one.sourceline, f"input: expected an offset up to 64, got {offset}"
                )
            width = max(width, offset + 1)
            if one.get("semantic") == "VERTEX":
                at, positions = offset, self._positions(one)
        if positions is None:
            self.source.error(element.sourceline, f"{kind}: expected an input VERTEX, got none")
        rows = []
        for p in _below(element, "p"):
            indices = self._whole(p, p.text)
            if len(indices) % width:
                self.source.error(
                    p.sourceline, f"p: expected a multiple of {width} indices, got {len(indices)}"
                )
            rows.append(indices.reshape(-1, width)[:, at])
        for ph in _below(element, "ph"):  # polygons with holes, which are filled
            for p in _below(ph, "p"):
                indices = self._whole(p, p.text)
                rows.append(indices[: len(indices) // width * width].reshape(-1, width)[:, at])
        faces = self._faces(element, kind, rows)
        if not len(faces):
            return None
        if faces.max() >= len(positions):
            self.source.error(
                element.sourceline,
                f"{kind}: expected vertices 0 to {len(positions) - 1}, got {faces.max()}",
            )
        used, inverse = np.unique(faces, return_inverse=True)
        return positions[used], inverse.reshape(-1, 3)

    def _faces(self, element: Any, kind: str, rows: list[np.ndarray]) -> np.ndarray:
        if kind == "triangles":
            every = np.concatenate(rows) if rows else np.zeros(0, np.int64)
            return every[: len(every) // 3 * 3].reshape(-1, 3)
        if kind in ("tristrips", "trifans", "polygons"):
            cut = _strip if kind == "tristrips" else _fan
            return np.concatenate([np.zeros((0, 3), np.int64), *map(cut, rows)])
        counts = [self._whole(one, one.text) for one in _below(element, "vcount")[:1]]
        every = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        sizes = counts[0] if counts else np.zeros(0, np.int64)
        if sizes.sum() != len(every):
            self.source.error(
                element.sourceline, f"polylist: expected {sizes.sum()} corners, got {len(every)}"
            )
        first = np.cumsum(sizes) - sizes
        triangles = np.maximum(sizes - 2, 0)
        start = np.repeat(first, triangles)
        k = np.arange(triangles.sum()) - np.repeat(np.cumsum(triangles) - triangles, triangles)
        return np.stack([every[start], every[start + k + 1], every[start + k + 2]], axis=1)

    def _positions(self, element: Any) -> np.ndarray:
        """The positions, shape (V, 3), that an input VERTEX leads to."""
        vertices = self.by_id.get((element.get("source") or "")[1:])
        inputs = [] if vertices is None else _below(vertices, "input")
        for one in inputs:
            if one.get("semantic") != "POSITION":
                continue
            found = self.by_id.get((one.get("source") or "")[1:])
            if found is None or _tag(found) != "source":
                break
            arrays = _below(found, "float_array")
            values = self._numbers(arrays[0], arrays[0].text) if arrays else np.zeros(0)
            stride, offset = 3, 0
            for technique in _below(found, "technique_common")[:1]:
                for accessor in _below(technique, "accessor")[:1]:
                    stride = self._one(accessor, accessor.get("stride") or "3")
                    offset = self._one(accessor, accessor.get("offset") or "0")
            if not 3 <= stride <= 64 or offset > len(values):
                self.source.error(
                    found.sourceline, f"accessor: expected a stride of 3, got {stride}"
                )
            rows = (len(values) - offset) // stride
            return values[offset : offset + rows * stride].reshape(-1, stride)[:, :3]
        self.source.error(element.sourceline, "input VERTEX: expected positions, got none")


TRANSFORMS = {"matrix": 16, "translate": 3, "rotate": 4, "scale": 3}
PRIMITIVES = ("triangles", "polylist", "polygons", "tristrips", "trifans")


def _fan(corners: np.ndarray) -> np.ndarray:
    """A polygon or fan as triangles from its first corner."""
    first = np.repeat(corners[:1], max(len(corners) - 2, 0))
    return np.stack([first, corners[1:-1][: len(first)], corners[2:]], axis=1)


def _strip(corners: np.ndarray) -> np.ndarray:
    """A strip as triangles; every other one is reversed."""
    count = max(len(corners) - 2, 0)
    faces = np.stack([corners[:count], corners[1 : count + 1], corners[2 : count + 2]], axis=1)
    faces[1::2] = faces[1::2, ::-1]
    return faces


def _moved(part: Part, T: np.ndarray) -> Part:
    """A part in another frame; faces are reversed if the transform mirrors."""
    vertices, faces = part
    mirrored = np.linalg.det(T[:3, :3]) < 0
    return vertices @ T[:3, :3].T + T[:3, 3], faces[:, ::-1] if mirrored else faces
