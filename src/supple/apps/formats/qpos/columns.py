"""Names of the columns of qpos."""

from __future__ import annotations

from supple.apps.robot import qpos_joints
from supple.model.skeleton import Skeleton

TURN = ("qw", "qx", "qy", "qz")
FREE = ("x", "y", "z", *TURN)


def columns(skeleton: Skeleton) -> list[str]:
    """The name of each column of qpos: that of its joint, with .x, .qw and so on if the joint has several."""
    out: list[str] = []
    joints = skeleton.freedom_table.joints
    for j in qpos_joints(skeleton):
        name, numbers = skeleton.joint_names[j], int(joints.scalars[j])
        turn = TURN if joints.quaternion[j] >= 0 else ()
        if numbers == 1 and not turn:
            out.append(name)
            continue
        is_free = numbers == 3 and turn
        labels = ("x", "y", "z") if is_free else [str(k) for k in range(numbers)]
        out += [f"{name}.{label}" for label in (*labels, *turn)]
    return out


def root_columns(names: list[str]) -> int:
    """Number of columns of a free root, which come first: 7 or 0."""
    return 7 if len(names) >= 7 and names[0].endswith(".x") and names[6].endswith(".qz") else 0
