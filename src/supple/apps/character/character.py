"""Characters: a skeleton with its meshes and motions, as a file holds them."""

from __future__ import annotations

import html
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.apps.character.motion import Motion
from supple.errors import SuppleError, instance, listed, mapping, one_of, positive, text
from supple.model.joints import Joint, Mimic
from supple.model.mesh import Described, Mesh
from supple.model.skeleton import Pose, Skeleton

if TYPE_CHECKING:
    from supple.model.capsules import Capsule

UPS = ("x", "y", "z", "-x", "-y", "-z")
LEVELS = ("guess", "warning")
DAMAGE = ("truncated", "not_a_number")
"""Kinds of damage of a motion in a file that can still be read."""
METRES = {"mm": 1e-3, "cm": 1e-2, "dm": 0.1, "m": 1.0, "km": 1e3}
METRES |= {"inch": 0.0254, "in": 0.0254, "ft": 0.3048, "foot": 0.3048, "yd": 0.9144}
"""Metres per unit."""

_log = logging.getLogger("supple")


@dataclass(frozen=True)
class Note:
    """A guess or a correction of a reader.

    Attributes:
        text: What was found, and what was assumed.
        line: The line of the file, counted from 1, if known.
        path: The file.
        level: "guess" for what the file does not say, "warning" for unusual or inconsistent content.
        damage: What is broken in a motion, one of `DAMAGE`; None for a note on anything else.
        frames: The first damaged frame and the first after the damage; for a motion that is cut off, the missing
            frames. None if they are not known.
    """

    text: str
    line: int | None = None
    path: str | None = None
    level: str = "warning"
    damage: str | None = None
    frames: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        text("text of a note", self.text)
        one_of("level of note", self.level, LEVELS)
        if self.damage is not None:
            one_of("damage", self.damage, DAMAGE)

    def __str__(self) -> str:
        where = self.path or ""
        if self.line is not None:
            where += f":{self.line}"
        return f"{where}: {self.text}" if where else self.text


@dataclass(frozen=True, eq=False)
class Character(Described):
    """A skeleton with its meshes and motions; `supple.load` returns it.

    Coordinates are those of the file; `unit` and `up` are metadata.

    Attributes:
        skeleton: Its joints and tips.
        meshes: Its meshes.
        motions: By name, in order: Mapping[str, Motion].
        pose: Its current pose; the skeleton's rest by default. A saved file shows this pose, with
            unchanged skin bindings.
        poses: Single poses by name, such as the keyframes of a robot: Mapping[str, Pose].
        unit: The unit of length, such as "m", "cm", "inch"; None if not known.
        up: The axis that points up, such as "y" or "-z"; None if not known.
        source: The file it was read from.
        notes: Guesses and corrections of the reader.
        extras: Other data, by format, kept for writing.
    """

    skeleton: Skeleton
    meshes: tuple[Mesh, ...] = ()
    motions: Mapping[str, Motion] = field(default_factory=dict)
    pose: Pose = None  # type: ignore[assignment]  # the rest pose, filled in below
    poses: Mapping[str, Pose] = field(default_factory=dict, kw_only=True)
    unit: str | None = field(default=None, kw_only=True)
    up: str | None = field(default=None, kw_only=True)
    source: str | None = field(default=None, kw_only=True, compare=False)
    notes: tuple[Note, ...] = field(default=(), kw_only=True, compare=False)
    extras: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        skeleton = self.skeleton
        instance("character", skeleton, Skeleton)
        self._set("meshes", tuple(listed("meshes", self.meshes, "a list of meshes")))
        for mesh in self.meshes:
            _check_mesh(instance("meshes", mesh, Mesh), skeleton)
        for name, motion in mapping("motions", self.motions, "{name: motion}").items():
            text("name of a motion", name)
            if instance(f"motion {name!r}", motion, Motion).skeleton != skeleton:
                raise SuppleError(
                    f"motion {name!r}: expected poses of {skeleton}, got those of "
                    f"{motion.skeleton}; motion.on(skeleton) matches joints by name"
                )
        self._set("motions", MappingProxyType(dict(self.motions)))
        if self.pose is None:
            self._set("pose", skeleton.rest)
        if instance("pose", self.pose, Pose).skeleton != skeleton or self.pose.batch_shape:
            raise SuppleError(f"character: expected a single pose of {skeleton}, got {self.pose}")
        for name, pose in mapping("poses", self.poses, "{name: pose}").items():
            text("name of a pose", name)
            if instance(f"pose {name!r}", pose, Pose).skeleton != skeleton or pose.batch_shape:
                raise SuppleError(f"pose {name!r}: expected a single one of {skeleton}, got {pose}")
        self._set("poses", MappingProxyType(dict(self.poses)))
        if self.up is not None:
            one_of("up axis", self.up, UPS)
        self._set("notes", tuple(listed("notes", self.notes, "a list of notes")))
        extras = mapping("extras", self.extras, "what a format keeps, by its name")
        self._set("extras", MappingProxyType(dict(extras)))

    def posed(self, pose: Pose) -> Character:
        """The same character in a pose; skin bindings do not change.

        A saved file shows the pose: formats of one motion then hold only the pose, glTF also keeps the motions.
        """
        return replace(self, pose=pose)

    def with_(self, **changes: Any) -> Character:
        """The same character with other fields, such as motions= or unit=.

        With another skeleton the pose is its rest, unless one is given.
        """
        if "skeleton" in changes:
            changes = {"pose": None, "poses": {}, **changes}
        return replace(self, **changes)

    def renamed(self, names: Mapping[str, str]) -> Character:
        """The same character with other names for joints and tips: {old: new}."""
        for old in mapping("renamed", names, "{old: new}"):
            one_of("joint or tip", old, self.skeleton.names)
        new = {name: names.get(name, name) for name in self.skeleton.names}
        nodes = [
            node._replace(
                name=new[node.name],
                parent=node.parent and new[node.parent],
                joint=_copying(node.joint, new),
            )
            for node in self.skeleton.nodes
        ]
        tips = [
            tip._replace(name=new[tip.name], joint=new[tip.joint]) for tip in self.skeleton.tips
        ]
        physics = self.skeleton.physics
        physics = physics and physics.renamed(lambda name: new[name])
        skeleton = Skeleton(nodes, tips, physics=physics)

        def moved(pose: Pose) -> Pose:
            return Pose(skeleton, pose.coordinates, pose.translations, pose.scales)

        meshes = []
        for mesh in self.meshes:
            skin = mesh.skin
            if skin is not None:
                skin = replace(skin, joints=tuple(new[name] for name in skin.joints))
            meshes.append(replace(mesh, skin=skin, joint=mesh.joint and new[mesh.joint]))
        motions = {
            key: motion.with_(poses=moved(motion.poses)) for key, motion in self.motions.items()
        }
        return replace(
            self,
            skeleton=skeleton,
            meshes=tuple(meshes),
            motions=motions,
            pose=moved(self.pose),
            poses={key: moved(pose) for key, pose in self.poses.items()},
            extras={},
        )

    @property
    def capsules(self) -> Mapping[str, tuple[Capsule, ...]]:
        """The capsules of each bone for collisions, by joint, in the joint's frame.

        Those of the skeleton if they were given or it has geoms that may touch something; else the
        smallest around the vertices that each joint moves; else one along each bone.
        """
        from supple.model.capsules import from_meshes

        own = self.skeleton
        given = own.physics is not None and own.physics.capsules is not None
        if given or any(geom.collides and geom.kind != "plane" for geom in own.geoms):
            return own.capsules
        return from_meshes(self.meshes) or own.capsules

    def with_physics(self, **changes: Any) -> Character:
        """The same character with other capsules=, masses=, geoms=, loops= or excludes=.

        They belong to its skeleton; all poses, motions and meshes move to the new skeleton.
        """
        skeleton = self.skeleton.with_physics(**changes)

        def moved(pose: Pose) -> Pose:
            return Pose(skeleton, pose.coordinates, pose.translations, pose.scales)

        motions = {
            key: motion.with_(poses=moved(motion.poses)) for key, motion in self.motions.items()
        }
        return replace(self, skeleton=skeleton, pose=moved(self.pose), motions=motions,
                       poses={key: moved(pose) for key, pose in self.poses.items()})  # fmt: skip

    def with_masses(self, *, density: float = 1000.0) -> Character:
        """The same character with a mass for every bone, from the volume of its `capsules`.

        The skeleton then has these capsules, so that `pose.center_of_mass` and collisions agree.

        Args:
            density: In kg/m^3. An unknown unit is assumed to be metres, which affects the masses
                but not their centre.
        """
        from supple.model.capsules import masses_of

        metres = METRES.get(self.unit or "m", 1.0)
        capsules = self.capsules
        masses = masses_of(capsules, metres=metres, density=positive("density", density))
        return self.with_physics(capsules=capsules, masses=masses)

    @property
    def is_posed(self) -> bool:
        """True if its pose is not the skeleton's rest.

        Scales of the pose are ignored: reading glTF leaves uneven scales there.
        """
        pose = self.pose
        return Pose(self.skeleton, pose.coordinates, pose.translations) != self.skeleton.rest

    def mesh(self, name: str) -> Mesh:
        """The mesh with a name."""
        for mesh in self.meshes:
            if mesh.name == text("mesh", name):
                return mesh
        one_of("mesh", name, [mesh.name for mesh in self.meshes])
        raise AssertionError  # one_of has raised

    def motion(self, name: str) -> Motion:
        """The motion with a name."""
        return self.motions[one_of("motion", name, list(self.motions))]

    @property
    def extent(self) -> float:
        """The diagonal of the box around joints, tips and vertices at rest."""
        rest = self.skeleton.rest
        points = [rest.positions]
        for mesh in self.meshes:
            if mesh.joint is None:
                points.append(mesh.positions)
            else:
                frame = rest.frames[self.skeleton.index(mesh.joint)]
                points.append(mesh.positions @ frame[:3, :3].T + frame[:3, 3])
        low = np.min([p.min(axis=0) for p in points if len(p)], axis=0)
        high = np.max([p.max(axis=0) for p in points if len(p)], axis=0)
        return float(np.linalg.norm(high - low))

    def __reduce__(self) -> Any:
        return _rebuild, (self._parts(),)

    def _parts(self) -> dict[str, Any]:
        parts = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain = {name: dict(parts[name]) for name in ("motions", "poses", "extras")}
        return {**parts, **plain}

    def __repr__(self) -> str:
        def some(what: str, names: list[str]) -> str:
            shown = names if len(names) <= 4 else [*names[:3], "..."]
            few = f" ({', '.join(shown)})" if names else ""
            return f"{len(names)} {what}{'es' if what == 'mesh' else 's'}{few}"

        if len(self.meshes) == 1:
            meshes = f"1 mesh ({self.meshes[0].name})"
        else:
            meshes = some("mesh", [mesh.name for mesh in self.meshes])
        motions = some("motion", list(self.motions))
        if len(self.motions) == 1:
            motions = motions.replace("motions", "motion")
        return f"Character({len(self.skeleton)} joints; {meshes}; {motions})"

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{html.escape(str(note))}</li>" for note in self.notes)
        return (
            f"<figure>{self.pose._repr_svg_()}<figcaption>{html.escape(repr(self))}"
            f"{f'<ul>{notes}</ul>' if notes else ''}</figcaption></figure>"
        )


def report(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Log the notes through the "supple" logger, warnings as warnings and guesses as information; return them."""
    notes = tuple(notes)
    for note in notes:
        _log.log(logging.WARNING if note.level == "warning" else logging.INFO, "%s", note)
    return notes


def _copying(joint: Joint, names: Mapping[str, str]) -> Joint:
    """A joint with its mimic source renamed."""
    if not isinstance(joint.mimic, Mimic):
        return joint
    return replace(joint, mimic=replace(joint.mimic, joint=names[joint.mimic.joint]))


def _rebuild(parts: dict[str, Any]) -> Character:
    return Character(**parts)


def _check_mesh(mesh: Mesh, skeleton: Skeleton) -> None:
    if not isinstance(mesh, Mesh):
        raise SuppleError(f"character: expected meshes, got a {type(mesh).__name__}")
    names = skeleton.joint_names
    if mesh.joint is not None and mesh.joint not in skeleton:
        one_of(f"joint of mesh {mesh.name!r}", mesh.joint, names)
    if mesh.skin is not None:
        known = set(names)
        for name in mesh.skin.joints:
            if name not in known:
                one_of(f"joint of the skin of mesh {mesh.name!r}", name, names)
