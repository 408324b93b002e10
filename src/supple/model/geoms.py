"""Geoms: the collision shapes on the bones of a model, as in MJCF and URDF.

A geom is fixed to a joint, and its pose is in that joint's frame. Sizes are half sizes, as in MJCF.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, array, brief, instance, one_of, text, whole
from supple.model.mesh import Described, kept, whole_array
from supple.rotations import rotate, unit_quaternions

Floats = NDArray[np.float64]

SIZES = {
    "sphere": ("radius",),
    "capsule": ("radius", "half length"),
    "cylinder": ("radius", "half length"),
    "box": ("half x", "half y", "half z"),
    "ellipsoid": ("half x", "half y", "half z"),
    "plane": ("half x", "half y"),
    "mesh": (),
}
"""The kinds of geoms, and what the numbers of their size are."""


@dataclass(frozen=True, eq=False)
class Geom(Described):
    """A solid shape on a bone.

    Capsules and cylinders lie along their own z; a plane has its normal along z and is solid below.
    Two geoms may touch if `contype` of either has a bit in common with `conaffinity` of the other.

    Attributes:
        kind: One of "sphere", "capsule", "cylinder", "box", "ellipsoid", "plane" and "mesh".
        joint: The joint that carries it.
        size: In the model's unit: (radius,) of a sphere, (radius, half length) of a capsule without
            its caps or of a cylinder, three half sizes of a box or ellipsoid, two of a plane, where
            0 is infinite; () for a mesh.
        position: Its origin in the joint's frame, xyz in the model's unit.
        rotation: Its rotation in the joint's frame, wxyz.
        name: Its name in the file; "" for none.
        contype: Bits of its contact type, as in MJCF.
        conaffinity: Bits of the contact types that it touches, as in MJCF.
        vertices: Of a mesh, in the geom's frame, shape (V, 3); None otherwise.
        faces: Of a mesh, indices of three vertices each, shape (F, 3); None otherwise. Contact uses
            the convex hull.
    """

    kind: str
    joint: str
    size: Any = ()
    position: Any = (0.0, 0.0, 0.0)
    rotation: Any = (1.0, 0.0, 0.0, 0.0)
    name: str = ""
    contype: int = 1
    conaffinity: int = 1
    vertices: Any = None
    faces: Any = None

    def __post_init__(self) -> None:
        who = (
            f"geom {self.name!r}"
            if text("name of a geom", self.name)
            else f"a geom of joint {brief(self.joint)}"
        )
        parts = SIZES[one_of(f"kind of {who}", self.kind, SIZES)]
        size = array(f"size of {who}", self.size, (len(parts),)) if parts else np.zeros(0)
        least = 0.0 if self.kind == "plane" else np.finfo(float).tiny
        for what, value in zip(parts, size.tolist(), strict=True):
            if value < (0.0 if what == "half length" else least):
                raise SuppleError(
                    f"{who}: expected a {self.kind} with a {what} above 0, got {value:g}"
                )
        self._set("size", tuple(size.tolist()))
        position = array(f"position of {who}", self.position, (3,)) + 0.0
        self._set("position", tuple(position.tolist()))
        rotation = array(f"rotation of {who}", self.rotation, (4,))
        self._set("rotation", tuple(unit_quaternions(f"rotation of {who}", rotation).tolist()))
        for bits in ("contype", "conaffinity"):
            self._set(bits, whole(f"{bits} of {who}", getattr(self, bits)))
        if self.kind != "mesh":
            if self.vertices is not None or self.faces is not None:
                raise SuppleError(f"{who}: expected vertices of a mesh only, got a {self.kind}")
            return
        vertices = array(f"vertices of {who}", self.vertices, (None, 3))
        if not len(vertices):
            raise SuppleError(f"{who}: expected a mesh with vertices, got none")
        self._set("vertices", kept(vertices))
        faces = np.zeros((0, 3), np.int64) if self.faces is None else self.faces
        faces = whole_array(f"faces of {who}", faces, (None, 3))
        if len(faces) and not (faces.min() >= 0 and faces.max() < len(vertices)):
            raise SuppleError(f"faces of {who}: expected vertices 0 to {len(vertices) - 1}")
        self._set("faces", kept(faces))

    @property
    def collides(self) -> bool:
        """True if it may touch anything."""
        return bool(self.contype or self.conaffinity)

    def touches(self, other: Geom) -> bool:
        """True if the contact bits let it touch another geom."""
        instance("geom", other, Geom)
        return bool(self.contype & other.conaffinity or other.contype & self.conaffinity)

    def to_joint(self, points: Any) -> Floats:
        """Points in the geom's frame, shape (..., 3), in the joint's frame."""
        return rotate(np.asarray(self.rotation), array("points", points, (..., 3))) + self.position

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        data: dict[str, Any] = {"kind": self.kind, "joint": self.joint, "name": self.name}
        data |= {key: list(getattr(self, key)) for key in ("size", "position", "rotation")}
        data |= {"contype": self.contype, "conaffinity": self.conaffinity}
        if self.kind == "mesh":
            data |= {"vertices": self.vertices.tolist(), "faces": self.faces.tolist()}
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Geom:
        """The geom that `to_json` described."""
        try:
            return cls(**data)
        except TypeError:
            raise SuppleError(f"geom from JSON: expected its fields, got {brief(data)}") from None
