"""Units and up axes, and conversion of a character between them.

The rotation goes into the roots of the skeleton, the scale into all lengths: every joint, vertex and
frame keeps its position, expressed in the new axes and unit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import METRES, UPS, Character, Note
from supple.errors import SuppleError, one_of
from supple.model.joints import Joint, Mimic
from supple.model.mesh import Mesh, Morph
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import axis_vector, between, multiply, to_matrix

Floats = NDArray[np.float64]


def turn_between(up: str, other: str) -> Floats:
    """The rotation wxyz that takes one up axis to another: a quarter or half turn, or none."""
    a, b = axis_vector(up), axis_vector(other)
    return between(a, b) if np.any(a != b) else np.array((1.0, 0.0, 0.0, 0.0))


def converted(character: Character, *, up: str | None = None, unit: str | None = None) -> Character:
    """The same character with another axis up and another unit of length.

    Args:
        character: The character; its `up` and `unit` are the conventions it has now.
        up: The new up axis, such as "y" or "-z"; None to leave it.
        unit: The new unit, such as "m", "cm" or "inch"; None to leave it.

    Raises:
        SuppleError: The present axis or unit is unknown, or the new one does not exist.
    """
    turn, size = np.array((1.0, 0.0, 0.0, 0.0)), 1.0
    if up is not None:
        one_of("up axis", up, UPS)
        if character.up is None:
            raise SuppleError(f"up axis: expected to know the one to turn to {up!r} from; "
                              "give up= on loading")  # fmt: skip
        turn = turn_between(character.up, up)
    if unit is not None:
        one_of("unit", unit, list(METRES))
        if character.unit not in METRES:
            got = "none is known" if character.unit is None else repr(character.unit)
            raise SuppleError(f"unit: expected to know the one to turn into {unit!r}, got {got}; "
                              "give unit= on loading")  # fmt: skip
        size = METRES[character.unit] / METRES[unit]
    if size == 1.0 and turn[0] == 1.0:
        return character.with_(up=up or character.up, unit=unit or character.unit)
    change = _Change(character.skeleton, turn, size)
    return replace(
        character,
        skeleton=change.skeleton,
        meshes=tuple(change.mesh(mesh) for mesh in character.meshes),
        motions={
            key: motion.with_(poses=change.pose(motion.poses))
            for key, motion in character.motions.items()
        },
        pose=change.pose(character.pose),
        poses={key: change.pose(pose) for key, pose in character.poses.items()},
        up=up or character.up,
        unit=unit or character.unit,
    )


def prescribed(character: Character, format: str, path: str) -> tuple[Note, ...]:
    """Notes on a unit or up axis that differ from those that a format prescribes."""
    if format != "gltf" or (character.unit, character.up) == ("m", "y"):
        return ()
    unknown = [what for what in ("unit", "up") if getattr(character, what) is None]
    if unknown and character.meshes:
        text = "; ".join(
            f"{'unit' if what == 'unit' else 'up axis'}: not known, taken as "
            f"{'m' if what == 'unit' else 'y'}, as glTF prescribes"
            for what in unknown
        )
        return (Note(f"{text}; loading takes unit= and up=", None, path),)
    has = f"{character.unit or 'an unknown unit'} with {character.up or 'an unknown axis'} up"
    text = f"coordinates stay in {has}; a root node turns and scales them to m with y up"
    return (
        Note(f"{text}; up='y', unit='m' convert the coordinates themselves", None, path, "guess"),
    )


class _Change:
    """Rotates and scales the parts of a character."""

    def __init__(self, old: Skeleton, turn: Floats, size: float) -> None:
        self.turn, self.size = turn, size
        # Quarter and half turns have whole matrix entries: rounded, so that converting back is exact.
        self.matrix = np.rint(to_matrix(turn))
        self.sliding = {node.name for node in old.nodes if node.joint.slide_count}
        self.skeleton = Skeleton(
            [
                node._replace(
                    offset=self.place(node.offset, node.parent is None),
                    rotation=multiply(turn, node.rotation)
                    if node.parent is None
                    else node.rotation,
                    joint=self._joint(node.name, node.joint),
                )
                for node in old.nodes
            ],
            [tip._replace(offset=np.asarray(tip.offset) * size) for tip in old.tips],
            physics=old.physics and old.physics.scaled(size),
        )
        rows = old.freedom_table.rows
        self.lengths = rows.coordinate[rows.is_slide]

    def place(self, points: Any, world: bool) -> Floats:
        """Convert points (..., 3), given in the world or in a joint's frame."""
        points = np.asarray(points, dtype=np.float64) * self.size
        return points @ self.matrix.T if world else points

    def _joint(self, name: str, joint: Joint) -> Joint:
        """A joint with its lengths in the new unit."""

        def longer(pair: Any) -> Any:
            return pair and tuple(end * self.size for end in pair)

        if isinstance(joint.mimic, Mimic):
            joint = replace(joint, mimic=self._mimic(name, joint.mimic))
        if not joint.slide_count:
            return joint
        if joint.single:
            joint = replace(joint, damping=joint.damping and joint.damping * self.size)
        return joint.with_limits(
            [longer(one.limits) if one.slides else one.limits for one in joint.scalars]
        )

    def _mimic(self, name: str, mimic: Mimic) -> Mimic:
        """A mimic rule in the new unit: factors between lengths and angles depend on it."""
        own, source = (self.size if one in self.sliding else 1.0 for one in (name, mimic.joint))
        return replace(mimic, multiplier=mimic.multiplier * own / source, offset=mimic.offset * own)

    def pose(self, pose: Pose) -> Pose:
        """Convert a pose or a batch of poses."""
        q = np.array(pose.coordinates)
        q[..., self.lengths] *= self.size
        places = pose.translations
        if places is not None:
            roots = self.skeleton.parents < 0
            places = np.where(roots[:, None], self.place(places, True), self.place(places, False))
        return Pose(self.skeleton, q, places, pose.scales)

    def mesh(self, mesh: Mesh) -> Mesh:
        """Convert a mesh, given in the world or in the frame of its joint."""
        world = mesh.joint is None
        matrix = self.matrix if world else np.eye(3)

        def turned(vectors: Any) -> Any:
            return None if vectors is None else np.asarray(vectors) @ matrix.T

        def morph(one: Morph) -> Morph:
            places = None if one.positions is None else self.place(one.positions, world)
            return replace(
                one, positions=places, normals=turned(one.normals), tangents=turned(one.tangents)
            )

        skin = mesh.skin
        if skin is not None:
            binds = np.array(skin.T_joint_model)
            binds[:, :3, :3] = binds[:, :3, :3] @ self.matrix.T
            binds[:, :3, 3] *= self.size
            skin = replace(skin, T_joint_model=binds)
        return replace(
            mesh,
            positions=self.place(mesh.positions, world),
            normals=turned(mesh.normals),
            morphs=tuple(map(morph, mesh.morphs)),
            skin=skin,
            extras=_turned_extras(mesh.extras, matrix),
        )


def _turned_extras(extras: Any, matrix: Floats) -> Any:
    """The extras that a mesh kept of a glTF file, with its tangents rotated."""
    own = (extras or {}).get("gltf") or {}
    attributes = dict(own.get("attributes") or {})
    if "TANGENT" not in attributes:
        return extras
    tangents = np.array(attributes["TANGENT"], dtype=np.float64)
    tangents[:, :3] = tangents[:, :3] @ matrix.T
    return {**extras, "gltf": {**own, "attributes": {**attributes, "TANGENT": tangents}}}
