"""What grew: the tree of shapes, the skeleton and its pose, meshes, and how the IK rules ended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.goals import Goal
from supple.grammar.articulation.figure import Figure
from supple.grammar.articulation.ik import Touch
from supple.grammar.evaluate.attributes import AttributeInfo, attributes_of
from supple.grammar.evaluate.derivation import Derivation
from supple.grammar.output import meshes as meshing
from supple.grammar.output.shapes import Shapes
from supple.kernels import layout
from supple.mesh import Mesh, Skin
from supple.pose import Pose
from supple.skeleton import Skeleton

if TYPE_CHECKING:
    from supple.character import Character
    from supple.motion import Motion

Floats = NDArray[np.float64]
FPS = 6.0  # iteration steps are few: six a second can be watched


class Growth:
    """What rules grew.

    Attributes:
        skeleton: One skeleton for all joints; its root stands still and is named after the first
            rule.
        pose: The pose in which the IK rules are met, as nearly as they can be.
        touches: How each IK rule ended, in the order of derivation.
        reports: What `report` collected, by name.
        printed: What `print` said.
        store: The shapes as arrays.
        figure: The joints as the rules asked for them.
    """

    def __init__(
        self,
        derivation: Derivation,
        figure: Figure,
        skeleton: Skeleton,
        pose: Pose,
        touches: list[Touch],
        way: list[Pose],
    ) -> None:
        self.skeleton = skeleton
        self.pose = pose
        self.touches = tuple(touches)
        self.reports: dict[str, list[Any]] = derivation.reports
        self.printed: tuple[str, ...] = tuple(derivation.printed)
        self.store = derivation.store
        self.figure = figure
        self.source = derivation.module.path
        self._assets = derivation.assets
        self._way = way
        self._module = derivation.module
        self._family_: tuple[Any, Any] | None = None

    # The tree of shapes -----------------------------------------------------------------------------

    @property
    def shapes(self) -> Shapes:
        """All shapes in the order of derivation; the first is the root of the tree."""
        return Shapes(self, range(len(self.store)))

    @property
    def leaves(self) -> Shapes:
        """The shapes that the derivation ended with."""
        return Shapes(self, np.flatnonzero(self.store.leaf_array))

    @property
    def _family(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each shape where its children begin, and the children."""
        if self._family_ is None:
            parents = self.store.integers("parents")
            order = np.argsort(parents, kind="stable")
            first = np.searchsorted(parents[order], np.arange(len(parents) + 1))
            self._family_ = first, order
        return self._family_

    @property
    def attributes(self) -> tuple[AttributeInfo, ...]:
        """The attributes of the rules, with their values and what their annotations say."""
        return attributes_of(self._module)

    @property
    def starts(self) -> tuple[str, ...]:
        """The rules that a derivation can start with, those without parameters."""
        return tuple(name for name, count in self._module.rules if count == 0)

    # The figure -------------------------------------------------------------------------------------

    @property
    def reached(self) -> bool:
        """Whether every IK rule's effector touches its target."""
        return all(touch.reached for touch in self.touches)

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals of the IK rules, as `supple.solve` takes them."""
        return tuple(touch.goal for touch in self.touches)

    @property
    def steps(self) -> Pose | None:
        """The poses on the way, a batch, if an IK rule said `steps = true`."""
        return Pose.stack(self._way) if self._way else None

    @property
    def motion(self) -> Motion | None:
        """The iteration steps as a motion, six a second; None without steps."""
        from supple.motion import Motion

        steps = self.steps
        return None if steps is None else Motion("steps", steps, fps=FPS)

    @property
    def _rest(self) -> Floats:
        """T_world_joint of the rules' joints before IK, shape (J, 4, 4)."""
        frames = np.tile(np.eye(4), (len(self.figure.joints), 1, 1))
        for k, record in enumerate(self.figure.joints):
            frames[k, :3, :3], frames[k, :3, 3] = np.reshape(record.R, (3, 3)), record.p
        return frames

    def _rest_inverse(self, joint: int) -> Floats:
        """From world before IK to a joint's frame, shape (4, 4); -1: the world itself."""
        T = np.eye(4)
        if joint >= 0:
            record = self.figure.joints[joint]
            T[:3, :3] = np.reshape(record.R, (3, 3)).T
            T[:3, 3] = -T[:3, :3] @ record.p
        return T

    def _places(self, pose: Pose) -> Floats:
        """T_world_joint of the rules' joints in a pose, shape (J, 4, 4)."""
        names = [record.name for record in self.figure.joints]
        return pose.frames[[self.skeleton.index(name) for name in names]]

    @property
    def _moves(self) -> Floats:
        """What IK does to what hangs on each of the rules' joints, world to world, (J, 4, 4)."""
        if not self.figure.joints:
            return np.zeros((0, 4, 4))
        return self._moved(self.pose)

    def _moved(self, pose: Pose) -> Floats:
        rest, stretches = self._rest, self._stretches(pose)
        return self._places(pose) @ stretches @ np.linalg.inv(rest)

    def _stretches(self, pose: Pose) -> Floats:
        """How each joint's own shapes are stretched, in its frame, shape (J, 4, 4).

        Along the axis of the frame that what the joint carries lies along, else evenly.
        """
        out = np.tile(np.eye(4), (len(self.figure.joints), 1, 1))
        for k in range(len(out)):
            out[k, [0, 1, 2], [0, 1, 2]] = self._stretch(k, pose)
        return out

    def _stretch(self, joint: int, pose: Pose) -> Floats:
        """The factors along the axes of a joint's frame by which its shapes are stretched, (3,)."""
        skeleton = self.skeleton
        name = self.figure.joints[joint].name
        at = skeleton.packed_ints[skeleton.index(name), layout.STRETCH_Q]
        factors = np.ones(3)
        if at >= 0:
            axis = self.figure.stretched_along(joint)
            factors[slice(None) if axis is None else axis] = pose.coordinates[at]
        return factors

    # Meshes -----------------------------------------------------------------------------------------

    def meshes(self, pose: Pose | None = None) -> tuple[Mesh, ...]:
        """One mesh for each look, in world, everything written out.

        Args:
            pose: How the figure stands; as IK left it by default.
        """
        moves = (
            self._moved(self.pose if pose is None else pose) if self.figure.joints else self._rest
        )
        return tuple(
            meshing.mesh(look, vertices, meshing.material(look, self._assets.image_path))
            for look, vertices, _ in meshing.by_look(self.store, _placing(moves))
        )

    def character(self) -> Character:
        """The figure as a character: its skeleton, and one rigidly skinned mesh for each look.

        It stands as IK left it and can be posed further; the iteration steps are its motion.
        Shapes that IK stretched keep their length.
        """
        from supple.character import Character

        skeleton = self.skeleton
        rest = self._rest
        stretched = rest @ self._stretches(self.pose) @ np.linalg.inv(rest) if len(rest) else rest
        found = []
        for look, vertices, joints in meshing.by_look(self.store, _placing(stretched)):
            skin = self._skin(joints, rest)
            made_of = meshing.material(look, self._assets.image_path)
            found.append(meshing.mesh(look, vertices, made_of, skin=skin))
        motion = self.motion
        return Character(
            skeleton,
            tuple(found),
            {} if motion is None else {"steps": motion},
            self.pose,
            unit="m",
            up="y",
            source=self.source,
        )

    def _skin(self, joints: NDArray[np.int64], rest: Floats) -> Skin:
        """Every vertex on the one joint that its shape hangs on."""
        used, which = np.unique(joints, return_inverse=True)
        names = [self.figure.root if k < 0 else self.figure.joints[k].name for k in used]
        binds = np.stack([np.eye(4) if k < 0 else np.linalg.inv(rest[k]) for k in used])
        count = len(joints)
        return Skin(tuple(names), binds, np.arange(count + 1), which.reshape(-1), np.ones(count))

    # Files ------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, instanced: bool | None = None) -> None:
        """Write it: .glb, .gltf, .obj, .html, .png or .svg, by the extension.

        Args:
            path: Where to.
            instanced: For .glb, whether repeated geometry is written once and placed many times,
                which loaders other than supple show but do not pose; by default for more than 3,000
                leaves. Otherwise the file holds a rigidly skinned figure.

        Raises:
            SuppleError: The extension is another, or the file cannot be written.
        """
        from supple.grammar.output.writing import write_growth

        write_growth(self, Path(path), instanced=instanced)

    def picture(self, **options: Any) -> Any:
        """A picture as a Matplotlib figure; see `supple.grammar.output.picture.picture`."""
        from supple.grammar.output.picture import picture

        return picture(self, **options)

    # Showing ----------------------------------------------------------------------------------------

    def tree(self, *, depth: int = 4, most: int = 60) -> str:
        """The tree of shapes as text.

        Args:
            depth: How many levels.
            most: How many lines at most.
        """
        lines = list(self._lines(depth, most))
        return "\n".join(lines)

    def _lines(self, depth: int, most: int) -> Iterator[str]:
        waiting, count = [(self.shapes[0], 0)], 0
        while waiting:
            shape, level = waiting.pop()
            if count == most:
                yield "..."
                return
            count += 1
            size = " x ".join(f"{length:.4g}" for length in shape.size)
            yield f"{'  ' * level}{shape.name}  {size}{f'  [{shape.joint}]' if shape.joint else ''}"
            if level < depth:
                waiting += [(child, level + 1) for child in reversed(shape.children)]

    def __repr__(self) -> str:
        parts = [f"{len(self.store):,} shapes", f"{len(self.leaves):,} leaves"]
        if self.figure.joints:
            count = len(self.figure.joints)
            parts.append(f"{count:,} joint{'s' * (count != 1)}")
        if self.touches:
            met = sum(touch.reached for touch in self.touches)
            parts.append(f"{met} of {len(self.touches)} IK rules reached")
        return f"Growth({self.shapes[0].name}: {', '.join(parts)})"


def _placing(moves: Floats) -> meshing.Placing:
    """What moves the vertices of leaves by what is done to their joints, shape (J, 4, 4)."""

    def place(group: meshing.Alike, vertices: meshing.Vertices) -> tuple[Floats, Floats]:
        if group.joint < 0:
            return vertices.positions, vertices.normals
        T = moves[group.joint]
        return vertices.positions @ T[:3, :3].T + T[:3, 3], _turned(vertices.normals, T)

    return place


def _turned(normals: Floats, T: Floats) -> Floats:
    """Normals under a linear map that may stretch."""
    out = normals @ np.linalg.inv(T[:3, :3])
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-300)
