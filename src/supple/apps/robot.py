"""Joint vectors in a robot's own order, and qpos in MuJoCo's.

A joint vector has a number for each joint with one coordinate: an angle [rad] or a slide (the model's unit).
Mimic joints (such as the second finger of a gripper in URDF) follow their sources, and are left out by default.
Joints with several freedoms are only in the pose.

`qpos` has all joints, mimic joints included: a number for a hinge or slide, wxyz for a ball, xyz and
wxyz for a free joint, depth first through the tree, as in MuJoCo.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from supple.apps.character.character import Character
from supple.errors import SuppleError, array, flag, instance, listed, one_of
from supple.model.mismatch import another
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import normalize

__all__ = [
    "from_joint_vector",
    "from_qpos",
    "joint_names",
    "joint_vector",
    "max_speed",
    "qpos",
    "qpos_joints",
]

# How far a number given for a mimic joint may be from what the joint that it copies gives [rad, model units].
COPY_TOLERANCE = 1e-3


def joint_names(
    robot: Character | Skeleton, *, to: str | None = None, copies: bool = False
) -> tuple[str, ...]:
    """The joints of a joint vector, in the order of the robot's file.

    Those with one coordinate, an angle [rad] or a slide (the model's unit).

    Args:
        robot: The robot.
        to: A link, tip or joint: only the joints on the path from the root to it are included, such as
            those of an arm without its gripper.
        copies: Whether to include mimic joints.

    Raises:
        SuppleError: The link, tip or joint is unknown.
    """
    skeleton = _skeleton(robot)
    joints = skeleton.freedom_table.joints
    fits = joints.is_hinge | joints.is_slider
    if not flag("copies", copies):
        fits &= joints.source < 0
    if to is not None:
        way = set(skeleton.path(None, one_of("link, tip or joint", to, skeleton.names)))
        fits &= np.array([name in way for name in skeleton.joint_names])
    order = tuple(skeleton.joint_names[j] for j in skeleton.file_order.tolist())
    if isinstance(robot, Character) and "urdf" in robot.extras:
        order = tuple(dict.fromkeys((*robot.extras["urdf"]["joints"], *order)))
    return tuple(name for name in order if fits[skeleton.index(name)])


def max_speed(robot: Character) -> dict[str, float]:
    """The speed limits in the robot's URDF [rad/s, slides: m/s], by joint.

    For `max_speed` of `supple.track` and `supple.prepare`. MJCF has no speed limits, and neither format has limits
    of acceleration: take these from the maker of the robot. Empty if there are none.

    Raises:
        SuppleError: It is a skeleton, which does not store them.
    """
    if not isinstance(robot, Character):
        raise SuppleError(
            f"max_speed: expected the Character that supple.load gives, got a {type(robot).__name__}"
        )
    return dict(robot.extras.get("urdf", {}).get("max_speed", {}))


def joint_vector(
    robot: Character | Skeleton, pose: Pose, *, names: Sequence[str] | None = None
) -> np.ndarray:
    """The joint vector of a pose, shape (..., J).

    Args:
        robot: The robot.
        pose: A pose, or a batch of poses, of it.
        names: The joints in order, which may include mimic joints; those of `joint_names` by default.

    Raises:
        SuppleError: The pose is of another skeleton, or a name is not that of a joint with one coordinate.
    """
    skeleton = _skeleton(robot)
    if instance("pose", pose, Pose).skeleton != skeleton:
        raise another("joint_vector", skeleton, pose.skeleton)
    return pose.coordinates[..., _columns(robot, _checked(robot, names))]


def from_joint_vector(
    robot: Character | Skeleton, vector: ArrayLike, *, names: Sequence[str] | None = None
) -> Pose:
    """The pose of a joint vector, shape (..., J).

    Mimic joints follow their sources; joints with several coordinates, or without a name here, stay at rest.

    Args:
        robot: The robot.
        vector: A number for each joint, an angle [rad] or a slide (the model's unit).
        names: The joints in order, such as `joint_names(robot, to=...)` or the names in a message. By
            default those of `joint_names`, or, if the length matches, `joint_names(robot, copies=True)`.
            The value of a mimic joint must agree with its source to 1e-3.

    Raises:
        SuppleError: There are too many numbers or too few, a name is not that of a joint with one
            coordinate, or the value of a mimic joint disagrees with its source.
    """
    skeleton = _skeleton(robot)
    chosen = _checked(robot, names)
    every = joint_names(robot, copies=True) if names is None else chosen
    try:
        count = np.shape(vector)[-1:]
    except ValueError:  # ragged: `array` raises the error
        count = ()
    if count == (len(every),):
        chosen = every
    elif count and count != (len(chosen),):
        raise SuppleError(_wrong_count(robot, count[0], chosen, every, named=names is not None))
    values = array("joint vector", vector, (..., len(chosen)))
    rest = skeleton.rest.coordinates
    coordinates = np.array(np.broadcast_to(rest, (*values.shape[:-1], len(rest))))
    places = _columns(robot, chosen)
    coordinates[..., places] = values
    pose = Pose(skeleton, coordinates)
    off = (
        np.abs(pose.coordinates[..., places] - values).reshape(-1, len(chosen)).max(0, initial=0.0)
    )
    if np.any(off > COPY_TOLERANCE):
        k = int(np.argmax(off))
        mimic = skeleton.joints[skeleton.index(chosen[k])].mimic
        raise SuppleError(
            f"joint vector: expected for {chosen[k]!r}, which copies {getattr(mimic, 'joint', '')!r}, "
            f"{getattr(mimic, 'multiplier', 1.0):g} times its number plus "
            f"{getattr(mimic, 'offset', 0.0):g}, got one that is {off[k]:.3g} off"
        )
    return pose


def qpos(robot: Character | Skeleton, pose: Pose) -> np.ndarray:
    """MuJoCo's qpos of a pose, shape (..., nq).

    For a model that was read from MJCF these are the values of `mjData.qpos` in the same pose.

    Args:
        robot: The robot.
        pose: A pose, or a batch of poses, of it.

    Raises:
        SuppleError: The pose is of another skeleton.
    """
    skeleton = _skeleton(robot)
    if instance("pose", pose, Pose).skeleton != skeleton:
        raise another("qpos", skeleton, pose.skeleton)
    return pose.coordinates[..., _depth_first(skeleton)]


def from_qpos(robot: Character | Skeleton, qpos: ArrayLike, *, project: bool = False) -> Pose:
    """The pose of MuJoCo's qpos, shape (..., nq); the inverse of `qpos`.

    Quaternions are normalized, as in MuJoCo. Couplings of joints are soft in MuJoCo, so a state of a
    running simulation violates them slightly: it is not changed. A solve that moves such joints starts
    from the values that the couplings give.

    Args:
        robot: The robot.
        qpos: A number for a hinge [rad] or slide (the model's unit), wxyz for a ball, xyz and wxyz for
            a free joint, depth first through the tree.
        project: True to set coupled joints to the values that the couplings give.

    Raises:
        SuppleError: There are too many numbers or too few, or a quaternion is zero.
    """
    project = flag("project", project)
    skeleton = _skeleton(robot)
    places = _depth_first(skeleton)
    values = array("qpos", qpos, (..., len(places)))
    coordinates = np.tile(skeleton.rest.coordinates, (*values.shape[:-1], 1))
    coordinates[..., places] = values
    turning = skeleton.freedom_table.quaternions.coordinate
    if len(turning):
        turns = coordinates[..., turning]
        if not np.all(np.linalg.norm(turns, axis=-1) > 1e-9):
            raise SuppleError("qpos: expected quaternions of length one, got a zero")
        coordinates[..., turning] = normalize(turns)
    return Pose(skeleton, coordinates) if project else Pose._wrap(skeleton, coordinates)


def qpos_joints(skeleton: Skeleton) -> list[int]:
    """The indices of all joints in the order of qpos: depth first through the tree."""
    skeleton = instance("skeleton", skeleton, Skeleton)
    below: list[list[int]] = [[] for _ in range(len(skeleton) + 1)]
    parents = skeleton.parents.tolist()
    for j in reversed(skeleton.file_order.tolist()):
        below[parents[j]].append(j)
    found: list[int] = []
    stack = list(below[-1])
    while stack:
        j = stack.pop()
        found.append(j)
        stack += below[j]
    return found


def _depth_first(skeleton: Skeleton) -> np.ndarray:
    """Indices of the values of qpos among the coordinates of a pose."""
    table = skeleton.freedom_table
    every = np.arange(table.coordinate_count)
    parts = [every[table.coordinates_of(j, stretch=False)] for j in qpos_joints(skeleton)]
    return np.concatenate([every[:0], *parts])


def _skeleton(robot: Character | Skeleton) -> Skeleton:
    return robot.skeleton if isinstance(robot, Character) else instance("robot", robot, Skeleton)


def _columns(robot: Character | Skeleton, names: Sequence[str]) -> np.ndarray:
    """Indices of the joints' values among the coordinates of a pose."""
    skeleton = _skeleton(robot)
    return skeleton.freedom_table.joints.coordinate[[skeleton.index(name) for name in names]]


def _checked(robot: Character | Skeleton, names: Sequence[str] | None) -> tuple[str, ...]:
    """The names of a joint vector, checked."""
    if names is None:
        return joint_names(robot)
    names = listed("names", names, "a list of joint names")
    able = joint_names(robot, copies=True)
    chosen = tuple(one_of("joint of one number", name, able) for name in names)
    if len(set(chosen)) < len(chosen):
        twice = next(name for name in chosen if chosen.count(name) > 1)
        raise SuppleError(f"names: expected every joint once, got {twice!r} twice")
    return chosen


def _wrong_count(
    robot: Character | Skeleton,
    count: int,
    chosen: tuple[str, ...],
    every: tuple[str, ...],
    *,
    named: bool,
) -> str:
    """The error for a joint vector with too many or too few numbers."""
    text = f"joint vector: expected {len(chosen)} numbers ({', '.join(chosen)})"
    if named:
        return f"{text}, as there are names, got {count}"
    if len(every) > len(chosen):
        copies = ", ".join(name for name in every if name not in chosen)
        text += f", or {len(every)} with those that copy others ({copies})"
    ways = [
        name
        for name in _skeleton(robot).names
        if len(joint_names(robot, to=name, copies=True)) == count
    ]
    hint = (
        f"; for some of them give names=, such as joint_names(robot, to={ways[-1]!r})"
        if ways
        else ""
    )
    return f"{text}, got {count}{hint}"
