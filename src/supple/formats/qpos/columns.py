"""What the columns of qpos are called."""

from __future__ import annotations

from supple.kernels import layout
from supple.model.skeleton import Skeleton
from supple.robot import qpos_joints

TURN = ("qw", "qx", "qy", "qz")
FREE = ("x", "y", "z", *TURN)


def columns(skeleton: Skeleton) -> list[str]:
    """The name of each number of qpos: that of its joint; of a joint of several, with .x, .qw and so on."""
    out: list[str] = []
    for j in qpos_joints(skeleton):
        name, kind = skeleton.joint_names[j], int(skeleton.packed_ints[j, layout.KIND])
        count = int(skeleton.packed_ints[j, layout.NQ]) - (
            skeleton.packed_ints[j, layout.STRETCH_Q] >= 0
        )
        numbers = count - (4 if kind & layout.QUATERNION else 0)
        if count == 1:
            out.append(name)
            continue
        labels = (
            ("x", "y", "z")
            if numbers == 3 and kind & layout.QUATERNION
            else [str(k) for k in range(numbers)]
        )
        out += [
            f"{name}.{label}" for label in (*labels, *(TURN if kind & layout.QUATERNION else ()))
        ]
    return out


def root_columns(names: list[str]) -> int:
    """How many of the first columns are those of a free root: 7 or 0."""
    return 7 if len(names) >= 7 and names[0].endswith(".x") and names[6].endswith(".qz") else 0
