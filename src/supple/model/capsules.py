"""Capsules and spheres that represent bones in collisions, and the smallest ones around other shapes.

A bone's capsules come from its geoms if the model has any that touch something, else, for a character,
from the vertices of its skin, else from the bones themselves: from each joint to its children and tips.
In a model with geoms, rigid bodies without any geom have capsules along their bones, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import SuppleError, array, instance, listed, mapping, number, positive, text
from supple.model.geoms import Geom
from supple.model.joints import Fixed
from supple.model.masses import Mass
from supple.model.mesh import Mesh
from supple.model.structure import Structure

Floats = NDArray[np.float64]

BONE_THICKNESS = 0.1  # radius of a bone's default capsule [parts of the bone's length]
WATER_DENSITY = 1000.0  # about that of bodies [kg/m^3]


@dataclass(frozen=True)
class CapsuleSearch:
    """The search for the smallest capsule around a shape. No measurement is recorded for any of these numbers.

    Attributes:
        directions: Directions in which the outermost points of the shape are taken.
        most_steps: Steps of the Nelder-Mead search, at most.
        first_step: The size of its first simplex [half sizes of the shape].
        tolerance: The search ends where the volumes at the corners of its simplex differ by less than this part.
    """

    directions: int = 256
    most_steps: int = 250
    first_step: float = 0.1
    tolerance: float = 1e-5


SEARCH = CapsuleSearch()


@dataclass(frozen=True)
class Capsule:
    """All points within `radius` of a segment; a sphere if both ends are the same.

    Attributes:
        a: One end of the segment in the joint's frame, xyz in the model's unit.
        b: The other end.
        radius: In the model's unit, above 0.
    """

    a: Any
    b: Any
    radius: float

    def __post_init__(self) -> None:
        for what in ("a", "b"):
            point = array(f"end {what} of a capsule", getattr(self, what), (3,)) + 0.0
            object.__setattr__(self, what, tuple(point.tolist()))
        radius = number(
            "radius of a capsule", self.radius, "a number above 0", lambda x: 0 < x < np.inf
        )
        object.__setattr__(self, "radius", radius)

    @property
    def length(self) -> float:
        """The length of the segment, without the caps."""
        return math.dist(self.a, self.b)

    @property
    def volume(self) -> float:
        """The volume, in the model's unit cubed."""
        return _volume(self.radius, self.length)

    def distances(self, points: ArrayLike) -> Floats:
        """Distances of points (..., 3) in the joint's frame from the surface; negative inside."""
        return (
            _to_segment(array("points", points, (..., 3)), np.array(self.a), np.array(self.b))
            - self.radius
        )

    def scaled(self, factor: float) -> Capsule:
        """The capsule with all lengths multiplied."""
        factor = positive("factor", factor)
        a, b = (tuple(factor * x for x in end) for end in (self.a, self.b))
        return Capsule(a, b, factor * self.radius)

    def to_json(self) -> dict[str, Any]:
        """A plain dictionary."""
        return {"a": list(self.a), "b": list(self.b), "radius": self.radius}


def _volume(radius: float, length: float) -> float:
    return math.pi * radius**2 * (length + 4.0 / 3.0 * radius)


def _to_segment(points: Floats, a: Floats, b: Floats) -> Floats:
    """Distances of points (..., 3) to a segment."""
    along = b - a
    square = float(along @ along)
    t = (
        np.clip((points - a) @ along / square, 0.0, 1.0)
        if square > 0
        else np.zeros(points.shape[:-1])
    )
    return np.linalg.norm(points - a - t[..., None] * along, axis=-1)


# Around other shapes ------------------------------------------------------------------------------


def enclosing(points: ArrayLike) -> Capsule:
    """The capsule of least volume around points that a local search from 16 axes finds.

    Args:
        points: Shape (V, 3), at least one.
    """
    points = array("points", points, (None, 3))
    if not len(points):
        raise SuppleError("capsule: expected at least one point, got none")
    center = (points.min(0) + points.max(0)) / 2
    extent = float(np.linalg.norm(points - center, axis=1).max())
    if extent == 0:
        return Capsule(center, center, 1e-9)
    local = _outermost((points - center) / extent)

    def volume(ends: Floats) -> float:
        a, b = ends[:3], ends[3:]
        return _volume(float(_to_segment(local, a, b).max()), float(np.linalg.norm(b - a)))

    starts = sorted((_along(local, axis) for axis in _axes(local)), key=volume)[:2]
    best = starts[0]
    for start in starts:
        best = min(best, _nelder_mead(volume, start), key=volume)
    a, b = best[:3] * extent + center, best[3:] * extent + center
    radius = float(_to_segment(points, a, b).max())
    return Capsule(a, b, max(radius, 1e-9 * extent) * (1 + 1e-12))


def _nelder_mead(cost: Callable[[Floats], float], start: Floats) -> Floats:
    """A local minimum of a function, by the Nelder-Mead simplex method from the start."""
    corners = [start, *(start + step for step in SEARCH.first_step * np.eye(len(start)))]
    values = [cost(x) for x in corners]
    for _ in range(SEARCH.most_steps):
        order = np.argsort(values, kind="stable")
        corners, values = [corners[k] for k in order], [values[k] for k in order]
        if values[-1] - values[0] <= SEARCH.tolerance * values[0]:
            break
        middle = np.mean(corners[:-1], axis=0)
        away = middle - corners[-1]
        tried = middle + away
        value = cost(tried)
        if value < values[0]:
            farther = middle + 2.0 * away
            at_farther = cost(farther)
            if at_farther < value:
                tried, value = farther, at_farther
        elif value >= values[-2]:
            tried = middle + (0.5 if value < values[-1] else -0.5) * away
            value = cost(tried)
            if value >= values[-1]:
                corners = [corners[0] + 0.5 * (x - corners[0]) for x in corners]
                values = [values[0], *(cost(x) for x in corners[1:])]
                continue
        corners[-1], values[-1] = tried, value
    return corners[int(np.argmin(values))]


def _outermost(points: Floats) -> Floats:
    """The farthest points in `SEARCH.directions` directions; all points if they are few."""
    if len(points) <= SEARCH.directions:
        return points
    return points[np.unique(np.argmax(directions(SEARCH.directions) @ points.T, axis=1))]


def directions(count: int) -> Floats:
    """Directions spread evenly over a sphere, the upper half first, shape (count, 3)."""
    k = np.arange(count) + 0.5
    z, turn = 1 - 2 * k / count, np.pi * (1 + 5**0.5) * k
    r = np.sqrt(1 - z**2)
    return np.stack([r * np.cos(turn), r * np.sin(turn), z], axis=1)


def _axes(points: Floats) -> Floats:
    """Directions to start from: the principal axes, and 13 spread over a half sphere, shape (16, 3)."""
    principal = np.linalg.svd(points - points.mean(0), full_matrices=True)[2]
    return np.vstack([principal, directions(26)[:13]])


def _along(points: Floats, axis: Floats) -> Floats:
    """The ends, shape (6,), of a capsule around points with its segment along an axis."""
    t = points @ axis
    flat = points - t[:, None] * axis
    middle = (flat.min(0) + flat.max(0)) / 2
    middle -= (middle @ axis) * axis
    off = np.linalg.norm(flat - middle, axis=1)
    radius = off.max()
    cap = np.sqrt(np.maximum(radius**2 - off**2, 0.0))
    low, high = float((t + cap).min()), float((t - cap).max())
    if low > high:
        low = high = (low + high) / 2
    return np.concatenate([middle + low * axis, middle + high * axis])


def around(geom: Geom) -> Capsule | None:
    """The smallest capsule around a geom, in its joint's frame; None for a plane.

    Spheres and capsules are returned as they are. For a cylinder it is the smallest along its axis,
    for an ellipsoid the smallest along its longest axis, for a box or mesh that of `enclosing`.
    """
    size = geom.size
    if geom.kind == "plane":
        return None
    if geom.kind == "mesh":
        return enclosing(geom.to_joint(geom.vertices))
    if geom.kind == "box":
        corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return enclosing(geom.to_joint(corners * size))
    axis = np.array((0.0, 0.0, 1.0))
    if geom.kind == "sphere":
        radius, half = size[0], 0.0
    elif geom.kind == "capsule":
        radius, half = size
    elif geom.kind == "cylinder":
        radius, half = _around_cylinder(*size)
    else:  # an ellipsoid inside the spheroid of its two longer half axes
        order = np.argsort(size)
        axis = np.eye(3)[order[2]]
        radius = size[order[1]]
        half = size[order[2]] - radius
    a, b = geom.to_joint(np.stack([-half * axis, half * axis]))
    return Capsule(a, b, radius)


def _around_cylinder(r: float, h: float) -> tuple[float, float]:
    """Radius and half length of the smallest capsule around a cylinder along its axis.

    The rim lies on a cap: half = h - sqrt(R^2 - r^2), for a radius R from r (flat ends outside the
    caps) to sqrt(r^2 + h^2) (a sphere).
    """
    R = np.linspace(r, math.hypot(r, h), 513)
    half = np.maximum(h - np.sqrt(np.maximum(R**2 - r**2, 0.0)), 0.0)
    k = int(np.argmin(math.pi * R**2 * (2 * half + 4.0 / 3.0 * R)))
    return float(R[k]) * (1 + 1e-12), float(half[k])


# Of whole models ----------------------------------------------------------------------------------


def from_geoms(geoms: Iterable[Geom]) -> dict[str, tuple[Capsule, ...]]:
    """By joint, a capsule around each geom that may touch something."""
    found: dict[str, tuple[Capsule, ...]] = {}
    for geom in geoms:
        capsule = around(geom) if geom.collides else None
        if capsule is not None:
            found[geom.joint] = (*found.get(geom.joint, ()), capsule)
    return found


def by_joint(
    what: str, given: object, expected: str = "a mapping by joint"
) -> dict[str, tuple[Capsule, ...]]:
    """`given` as capsules by joint: {joint: a capsule, or several}.

    Args:
        what: Name of the value for errors, such as "capsules".
        given: Any value.
        expected: What the error says is expected.

    Raises:
        SuppleError: The value is something else.
    """
    found = {}
    for name, some in mapping(what, given, expected).items():
        own = f"capsules of {text(f'joint of {what}', name)!r}"
        one = isinstance(some, Capsule)
        several = [some] if one else listed(own, some, "a Capsule, or a list of them")
        found[name] = tuple(instance(own, capsule, Capsule) for capsule in several)
    return found


def of_skeleton(
    skeleton: Structure,
    geoms: Sequence[Geom],
    masses: Mapping[str, Mass | None],
    contactless: Sequence[str] = (),
) -> dict[str, tuple[Capsule, ...]]:
    """By joint, capsules around its geoms; along the bones of rigid bodies without any geom.

    A body is a joint that moves and all that is fixed to it. A body whose geoms all touch nothing is not
    meant to collide, and gets no capsule. In a model with masses, joints without a mass get none either: they
    are intermediate joints of one body, or the base of the robot. In a model without masses the base is the
    root and what is fixed to it.

    Args:
        skeleton: The skeleton.
        geoms: The geoms of its bodies.
        masses: Masses by joint.
        contactless: Joints whose bodies are not meant to collide.
    """
    found = from_geoms(geoms)
    if not found:
        return from_bones(skeleton)
    body: list[int] = []  # of each joint, the joint that carries its rigid body; -1 for the world
    for j, parent in enumerate(skeleton.parents.tolist()):
        above = body[parent] if parent >= 0 else -1
        body.append(above if isinstance(skeleton.joints[j], Fixed) else j)
    shaped = {*contactless, *(geom.joint for geom in geoms if geom.kind != "plane")}
    known = {body[skeleton.index(name)] for name in shaped}
    bodies = {body[skeleton.index(name)] for name in masses} if masses else {*body} - {-1}
    bare = {
        name: some
        for name, some in from_bones(skeleton).items()
        if body[skeleton.index(name)] in bodies - known
    }
    return {**found, **bare}


def from_bones(
    skeleton: Structure, *, thickness: float = BONE_THICKNESS
) -> dict[str, tuple[Capsule, ...]]:
    """By joint, a capsule to each of its children and tips that is not at the same position.

    Args:
        skeleton: The skeleton.
        thickness: The radius as a part of the bone's length.
    """
    found: dict[str, tuple[Capsule, ...]] = {}
    joints, offsets, _ = skeleton.packed_tips
    parents: list[int] = [*skeleton.parents.tolist(), *joints.tolist()]
    for parent, offset in zip(parents, [*skeleton.offsets, *offsets], strict=True):
        length = float(np.linalg.norm(offset))
        if parent >= 0 and length > 0:
            name = skeleton.joint_names[parent]
            one = Capsule((0.0, 0.0, 0.0), offset, thickness * length)
            if one not in found.get(name, ()):
                found[name] = (*found.get(name, ()), one)
    return found


def from_meshes(meshes: Sequence[Mesh]) -> dict[str, tuple[Capsule, ...]]:
    """By joint, the smallest capsule around the vertices that it influences most, in the bind pose.

    Args:
        meshes: Skinned, or rigidly attached to joints; others are ignored.
    """
    points: dict[str, list[Floats]] = {}
    for mesh in meshes:
        if mesh.joint is not None:
            points.setdefault(mesh.joint, []).append(np.asarray(mesh.positions))
        elif mesh.skin is not None and mesh.skin.most:
            skin = mesh.skin
            heaviest = skin.table(1)[0][:, 0]
            for k in np.unique(heaviest):
                T = skin.T_joint_model[k]
                at = mesh.positions[heaviest == k] @ T[:3, :3].T + T[:3, 3]
                points.setdefault(skin.joints[k], []).append(at)
    return {
        name: (enclosing(np.concatenate(some)),)
        for name, some in points.items()
        if sum(map(len, some)) > 2
    }


def masses_of(
    capsules: Mapping[str, Sequence[Capsule]],
    *,
    metres: float = 1.0,
    density: float = WATER_DENSITY,
) -> dict[str, Mass | None]:
    """By joint, mass and centre of solid capsules; overlapping volumes count twice.

    Args:
        capsules: Capsules by joint.
        metres: The length of the model's unit [m].
        density: In kg/m^3.
    """
    masses: dict[str, Mass | None] = {}
    for name, some in capsules.items():
        volumes = np.array([one.volume for one in some])
        if len(some):
            middles = np.array([np.add(one.a, one.b) / 2 for one in some])
            center = volumes @ middles / volumes.sum()
            masses[name] = Mass(float(density * metres**3 * volumes.sum()), tuple(center))
    return masses
