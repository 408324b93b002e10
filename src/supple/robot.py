"""Joint vectors in a robot's own order, as its controller and other programs count them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from supple.character import Character
from supple.errors import array
from supple.kernels import layout
from supple.mismatch import another
from supple.pose import Pose
from supple.skeleton import Skeleton


def joint_names(robot: Character | Skeleton) -> tuple[str, ...]:
    """The joints that a joint vector counts, in the order of the robot's file.

    Those with one number, a turn [rad] or a slide (the model's unit), that copy no other joint.
    """
    skeleton = robot.skeleton if isinstance(robot, Character) else robot
    single = (layout.HINGE, layout.SLIDER)
    ints = skeleton.packed_ints
    fits = (ints[:, layout.MIMIC] < 0) & np.isin(ints[:, layout.KIND], single)
    if isinstance(robot, Character) and "urdf" in robot.extras:
        return tuple(name for name in robot.extras["urdf"]["joints"] if fits[skeleton.index(name)])
    return tuple(skeleton.joint_names[j] for j in skeleton.file_order.tolist() if fits[j])


def _places(robot: Character | Skeleton) -> tuple[Skeleton, np.ndarray]:
    skeleton = robot.skeleton if isinstance(robot, Character) else robot
    joints = [skeleton.index(name) for name in joint_names(robot)]
    return skeleton, skeleton.packed_ints[joints, layout.Q]


def joint_vector(robot: Character | Skeleton, pose: Pose) -> np.ndarray:
    """The joint vector of a pose, shape (..., J), in the order of `joint_names`."""
    skeleton, places = _places(robot)
    if pose.skeleton != skeleton:
        raise another("joint_vector", skeleton, pose.skeleton)
    return pose.coordinates[..., places]


def from_joint_vector(robot: Character | Skeleton, vector: ArrayLike) -> Pose:
    """The pose of a joint vector, shape (..., J) in the order of `joint_names`.

    Joints that copy others follow; what has more numbers than one stays at rest.
    """
    skeleton, places = _places(robot)
    values = array("joint vector", vector, (..., len(places)))
    rest = skeleton.rest.coordinates
    coordinates = np.array(np.broadcast_to(rest, (*values.shape[:-1], len(rest))))
    coordinates[..., places] = values
    return Pose(skeleton, coordinates)
