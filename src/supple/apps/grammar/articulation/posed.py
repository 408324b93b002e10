"""The shapes of a derivation after IK: frames, stretch and displacement of each joint."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.apps.grammar.articulation.figure import Figure
from supple.apps.grammar.evaluate.store import Store
from supple.apps.grammar.geometry.polygons import Floats
from supple.model.skeleton import Pose, Skeleton


@dataclass(frozen=True, eq=False)
class PosedShapes:
    """Derived shapes on a posed skeleton.

    Attributes:
        store: The shapes.
        figure: The joints of the rules.
        skeleton: The skeleton built from them.
        pose: The pose after IK.
    """

    store: Store
    figure: Figure
    skeleton: Skeleton
    pose: Pose

    def joint_name(self, joint: int) -> str:
        """Name of a joint in the skeleton; that of the root for -1."""
        return self.figure.root if joint < 0 else self.figure.joints[joint].name

    def rest_frames(self) -> Floats:
        """T_world_joint of the rules' joints before IK, shape (J, 4, 4)."""
        frames = np.tile(np.eye(4), (len(self.figure.joints), 1, 1))
        for k, record in enumerate(self.figure.joints):
            frames[k, :3, :3], frames[k, :3, 3] = np.reshape(record.R, (3, 3)), record.p
        return frames

    def rest_inverse(self, joint: int) -> Floats:
        """T_joint_world before IK, shape (4, 4); the identity for -1."""
        T = np.eye(4)
        if joint >= 0:
            record = self.figure.joints[joint]
            T[:3, :3] = np.reshape(record.R, (3, 3)).T
            T[:3, 3] = -T[:3, :3] @ record.p
        return T

    def displacements(self, pose: Pose | None = None) -> Floats:
        """The map of each joint's shapes from world before IK to world in a pose, shape (J, 4, 4).

        Args:
            pose: A pose of the skeleton; the one after IK by default.
        """
        pose = self.pose if pose is None else pose
        if not self.figure.joints:
            return np.zeros((0, 4, 4))
        rest, stretches = self.rest_frames(), self.stretches(pose)
        indices = [self.skeleton.index(record.name) for record in self.figure.joints]
        return pose.frames[indices] @ stretches @ np.linalg.inv(rest)

    def stretches(self, pose: Pose | None = None) -> Floats:
        """The stretch of each joint's shapes in the joint's frame, shape (J, 4, 4)."""
        out = np.tile(np.eye(4), (len(self.figure.joints), 1, 1))
        for k in range(len(out)):
            out[k, [0, 1, 2], [0, 1, 2]] = self.stretch(k, pose)
        return out

    def stretch(self, joint: int, pose: Pose | None = None) -> Floats:
        """Factors along the axes of a joint's frame by which its shapes are stretched, shape (3,)."""
        pose = self.pose if pose is None else pose
        name = self.figure.joints[joint].name
        at = self.skeleton.freedom_table.joints.stretch[self.skeleton.index(name)]
        factors = np.ones(3)
        if at >= 0:
            axis = self.figure.stretched_along(joint)
            factors[slice(None) if axis is None else axis] = pose.coordinates[at]
        return factors
