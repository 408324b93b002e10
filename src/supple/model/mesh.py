"""Meshes, with materials, textures, skins and morph targets.

Positions are in the model's own unit; texture coordinates are as in glTF, u to the right and v
down from the image's top left corner. Arrays are float64 and int64, checked once and read-only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import (
    SuppleError,
    array,
    brief,
    instance,
    listed,
    number,
    one_of,
    text,
    unmasked,
    whole,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALPHA_MODES = ("OPAQUE", "MASK", "BLEND")
WEIGHT_SUM_TOLERANCE = 1e-4  # weights whose sum differs from one by more are reported


class Described:
    """The base of frozen parts: they compare by content, arrays included."""

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(
            same(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)  # type: ignore[arg-type]
            if field.compare
        )


@dataclass(frozen=True)
class Texture:
    """An image, with the unchanged bytes of its file.

    Attributes:
        name: A file name or label.
        data: The bytes of the file; empty if only the name is known.
        mime: "image/png", "image/jpeg", ...; "" if not known.
    """

    name: str
    data: bytes = b""
    mime: str = ""


@dataclass(frozen=True, eq=False)
class Material(Described):
    """The material of a surface: metallic and roughness as in glTF.

    Attributes:
        name: Its name in the file.
        color: Linear red, green, blue and alpha, each 0 to 1; multiplies the texture.
        texture: The colour image.
        normal_map: The normal image, in tangent space.
        metallic: 0 (not) to 1.
        roughness: 0 (mirror) to 1.
        double_sided: Whether back faces are drawn.
        alpha_mode: "OPAQUE", "MASK" or "BLEND".
        alpha_cutoff: For "MASK", the alpha below which nothing is drawn.
        emissive: Linear emitted light.
        extras: Other data of a format, kept for writing.
    """

    name: str
    color: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    texture: Texture | None = None
    normal_map: Texture | None = None
    metallic: float = 0.0
    roughness: float = 1.0
    double_sided: bool = False
    alpha_mode: str = "OPAQUE"
    alpha_cutoff: float = 0.5
    emissive: tuple[float, ...] = (0.0, 0.0, 0.0)
    extras: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        who = f"material {self.name!r}"
        one_of(f"alpha mode of {who}", self.alpha_mode, ALPHA_MODES)
        for what, size in (("color", 4), ("emissive", 3)):
            self._set(what, tuple(array(f"{what} of {who}", getattr(self, what), (size,)).tolist()))
        for what in ("metallic", "roughness", "alpha_cutoff"):
            value = number(f"{what} of {who}", getattr(self, what), "a number", np.isfinite)
            self._set(what, value)


@dataclass(frozen=True, eq=False)
class Morph(Described):
    """A morph target: displacements that are added to a mesh, times a weight.

    Attributes:
        name: Its name.
        positions: Added to the positions, shape (V, 3); None for nothing.
        normals: Added to the normals, shape (V, 3); None for nothing.
        weight: Its weight at rest.
        tangents: Added to tangents, shape (V, 3); kept for writing.
    """

    name: str
    positions: Any = None
    normals: Any = None
    weight: float = 0.0
    tangents: Any = None

    def __post_init__(self) -> None:
        for what in ("positions", "normals", "tangents"):
            value = getattr(self, what)
            if value is not None:
                self._set(what, kept(array(f"{what} of morph {self.name!r}", value, (None, 3))))


@dataclass(frozen=True, eq=False)
class Skin(Described):
    """The joints that move each vertex, with their weights: any number of influences for each vertex.

    The influences of vertex v are at first[v] up to first[v + 1] of `joint` and `weight`. Weights
    are normalized to a sum of one; vertices with a sum of zero follow their first joint. Bind matrices
    belong to the skin, and do not depend on the skeleton's rest.

    Attributes:
        joints: Names of the skeleton's joints, in the skin's own order.
        T_joint_model: For each joint the inverse bind matrix, from model coordinates at bind to the
            joint's, shape (J, 4, 4).
        first: Index of the first influence of each vertex, shape (V + 1,).
        joint: The joint of each influence, an index into `joints`, shape (W,).
        weight: Its weight, above 0, shape (W,).
        name: The skin's name, if the file has one.
        corrected: Number of vertices whose weights did not sum to one within 1e-4.
    """

    joints: tuple[str, ...]
    T_joint_model: Any
    first: Any
    joint: Any
    weight: Any
    name: str = ""
    corrected: int = 0

    def __post_init__(self) -> None:
        joints = tuple(listed("skin", self.joints, "names of joints"))
        if not all(issubclass(kind, str) for kind in set(map(type, joints))):
            raise SuppleError(f"skin: expected names of joints, got {brief(self.joints)}")
        if not joints:
            raise SuppleError("skin: expected at least one joint, got none")
        if len(set(joints)) != len(joints):
            raise SuppleError("skin: expected joints that differ, got one twice")
        self._set("joints", joints)
        binds = array("bind matrices of skin", self.T_joint_model, (len(joints), 4, 4))
        self._set("T_joint_model", kept(binds))
        first = whole_array("first influences of skin", self.first, (None,))
        joint = whole_array("joints of influences", self.joint, (None,))
        weight = array("weights of skin", self.weight, (len(joint),))
        rising = len(first) > 0 and first[0] == 0 and first[-1] == len(joint)
        if not rising or np.any(np.diff(first) < 0):
            raise SuppleError(
                f"skin: expected first influences that rise from 0 to {len(joint)}, got others"
            )
        if len(joint) and not (joint.min() >= 0 and joint.max() < len(joints)):
            bad = joint[(joint < 0) | (joint >= len(joints))][0]
            raise SuppleError(f"skin: expected joints 0 to {len(joints) - 1}, got {bad}")
        first, joint, weight, corrected = _normalised(first, joint, weight)
        self._set("first", kept(first))
        self._set("joint", kept(joint))
        self._set("weight", kept(weight))
        self._set("corrected", whole("corrected", self.corrected) + corrected)

    @classmethod
    def from_table(
        cls,
        joints: Sequence[str],
        T_joint_model: ArrayLike,
        indices: ArrayLike,
        weights: ArrayLike,
        *,
        name: str = "",
    ) -> Skin:
        """A skin with the same number of influences for each vertex; weights of 0 are dropped.

        Args:
            joints: Names of the joints.
            T_joint_model: Inverse bind matrices, shape (J, 4, 4).
            indices: Indices into `joints`, shape (V, K).
            weights: Shape (V, K).
            name: The skin's name.
        """
        table = whole_array("skin joints", indices, (None, None))
        amounts = array("skin weights", weights, (*table.shape,))
        used = amounts > 0
        # Vertices without weights follow their first joint.
        used[:, :1] |= ~used.any(axis=1, keepdims=True)
        first = np.concatenate([[0], np.cumsum(used.sum(axis=1))]).astype(np.int64)
        names: Any = joints  # the class converts it to a tuple, and checks it
        return cls(names, T_joint_model, first, table[used], amounts[used], name)

    @property
    def vertex_count(self) -> int:
        """The number of vertices."""
        return len(self.first) - 1

    @property
    def most(self) -> int:
        """The greatest number of influences of a vertex."""
        return int(np.diff(self.first).max(initial=0))

    def table(self, k: int | None = None) -> tuple[Ints, Floats]:
        """The influences as arrays (V, K), heaviest first, padded with joint 0 of weight 0.

        Args:
            k: Number of columns; the lightest influences beyond are dropped and the others normalized to
                a sum of one. By default the greatest number of any vertex.
        """
        count = self.vertex_count
        size = np.diff(self.first)
        vertex = np.repeat(np.arange(count), size)
        order = np.lexsort((-self.weight, vertex))
        column = np.arange(len(order)) - np.repeat(self.first[:-1], size)
        width = self.most if k is None else whole("k", k, least=1)
        kept_ = column < width
        joint, weight = np.zeros((count, width), np.int64), np.zeros((count, width))
        joint[vertex[kept_], column[kept_]] = self.joint[order][kept_]
        weight[vertex[kept_], column[kept_]] = self.weight[order][kept_]
        if width < self.most:
            weight /= weight.sum(axis=1, keepdims=True)
        return joint, weight


@dataclass(frozen=True, eq=False)
class Mesh(Described):
    """Triangles of one material, static, on a joint, or skinned.

    Attributes:
        name: Its name.
        positions: Vertices, shape (V, 3): in model space at bind if there is a skin, in the joint's
            frame if there is a joint, else in model space.
        faces: Indices of three vertices each, counterclockwise seen from outside, shape (F, 3).
        normals: Unit normals, shape (V, 3), or None.
        texcoords: u right, v down, shape (V, 2), or None.
        colors: Linear red, green, blue, alpha, shape (V, 4), or None.
        material: Its material.
        skin: The joints that move it, with weights.
        joint: The joint it is rigidly attached to, if it has no skin.
        morphs: Morph targets.
        extras: Other data of a format, kept for writing.
    """

    name: str
    positions: Any
    faces: Any
    normals: Any = None
    texcoords: Any = None
    colors: Any = None
    material: Material | None = None
    skin: Skin | None = None
    joint: str | None = None
    morphs: tuple[Morph, ...] = ()
    extras: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        who = f"mesh {text('name of a mesh', self.name)!r}"
        positions = array(f"positions of {who}", self.positions, (None, 3))
        count = len(positions)
        self._set("positions", kept(positions))
        faces = whole_array(f"faces of {who}", self.faces, (None, 3))
        if len(faces) and not (faces.min() >= 0 and faces.max() < count):
            raise SuppleError(
                f"faces of {who}: expected vertices 0 to {count - 1}, "
                f"got {faces.min()} to {faces.max()}"
            )
        self._set("faces", kept(faces))
        for what, width in (("normals", 3), ("texcoords", 2), ("colors", 4)):
            value = getattr(self, what)
            if value is not None:
                self._set(what, kept(array(f"{what} of {who}", value, (count, width))))
        if (
            self.skin is not None
            and instance(f"skin of {who}", self.skin, Skin).vertex_count != count
        ):
            raise SuppleError(
                f"skin of {who}: expected {count} vertices, got {self.skin.vertex_count}"
            )
        if self.skin is not None and self.joint is not None:
            raise SuppleError(f"{who}: give a skin or a joint, not both")
        self._set("morphs", tuple(listed(f"morphs of {who}", self.morphs, "a list of morphs")))
        for morph in self.morphs:
            instance(f"morphs of {who}", morph, Morph)
            for value in (morph.positions, morph.normals):
                if value is not None and len(value) != count:
                    raise SuppleError(
                        f"morph {morph.name!r} of {who}: expected {count} vertices, "
                        f"got {len(value)}"
                    )

    def __repr__(self) -> str:
        parts = [f"{len(self.positions)} vertices", f"{len(self.faces)} triangles"]
        if self.skin is not None:
            parts.append(f"skin of {len(self.skin.joints)} joints")
        if self.joint is not None:
            parts.append(f"on {self.joint!r}")
        if self.morphs:
            parts.append(f"{len(self.morphs)} morphs")
        return f"Mesh({self.name!r}: {', '.join(parts)})"


def same(a: Any, b: Any) -> bool:
    """True if two values are equal, arrays by content, also inside tuples and mappings."""
    if a is b:
        return True
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return a is not None and b is not None and np.array_equal(a, b)
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    return bool(a == b)


def kept(values: NDArray[Any]) -> NDArray[Any]:
    """A read-only copy, or the array itself if it is one already."""
    if not values.flags.writeable and values.flags.owndata:
        return values
    values = np.array(values)
    values.flags.writeable = False
    return values


def whole_array(what: str, value: ArrayLike, shape: tuple[int | None, ...]) -> Ints:
    """`value` as an int64 array of a shape, None for any length."""
    unmasked(what, value)
    try:
        numbers = np.asarray(value)
    except ValueError:  # ragged
        numbers = np.asarray(value, dtype=object)
    fits = numbers.ndim == len(shape) and all(
        want is None or want == have for want, have in zip(shape, numbers.shape, strict=True)
    )
    if numbers.size == 0 and numbers.ndim < len(shape) and shape[0] is None:
        return np.zeros(tuple(0 if n is None else n for n in shape), np.int64)
    if not fits or (numbers.dtype.kind not in "iu" and numbers.size):
        shown = tuple("any" if n is None else n for n in shape)
        raise SuppleError(
            f"{what}: expected whole numbers of shape {shown}, "
            f"got {numbers.dtype} of shape {numbers.shape}"
        )
    return np.ascontiguousarray(numbers, dtype=np.int64)


def _normalised(first: Ints, joint: Ints, weight: Floats) -> tuple[Ints, Ints, Floats, int]:
    """Influences normalized to a sum of one, each joint once per vertex; and how many sums were not one."""
    count = len(first) - 1
    size = np.diff(first)
    vertex = np.repeat(np.arange(count), size)
    weight = np.maximum(weight, 0.0)
    total = np.bincount(vertex, weight, minlength=count)
    off = int(np.count_nonzero(np.abs(total - 1.0) > WEIGHT_SUM_TOLERANCE))
    lost = np.flatnonzero(total <= 0)
    if len(lost):  # they follow their first joint, or joint 0 if they have none
        some = lost[size[lost] > 0]
        weight[first[some]] = 1.0
        bare = lost[size[lost] == 0]
        joint = np.insert(joint, first[bare], 0)
        weight = np.insert(weight, first[bare], 1.0)
        vertex = np.insert(vertex, first[bare], bare)
        total[lost] = 1.0
    used = weight > 0
    joint, weight, vertex = joint[used], weight[used], vertex[used]
    # Sums that are one up to rounding keep the bits of their weights.
    factor = np.where(np.abs(total - 1.0) <= 1e-12, 1.0, total)
    weight = weight / factor[vertex]
    key = vertex * (joint.max(initial=0) + 1) + joint
    distinct, inverse = np.unique(key, return_inverse=True)
    if len(distinct) < len(key):
        seen = np.full(len(distinct), len(key))
        np.minimum.at(seen, inverse, np.arange(len(key)))
        sums = np.bincount(inverse, weights=weight)
        order = np.argsort(seen)
        joint, vertex, weight = joint[seen[order]], vertex[seen[order]], sums[order].astype(float)
    ends = np.cumsum(np.bincount(vertex, minlength=count))
    return np.concatenate([[0], ends]).astype(np.int64), joint, weight, off
