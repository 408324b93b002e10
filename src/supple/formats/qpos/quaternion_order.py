"""Which order the quaternions of a table without names have: wxyz, as MuJoCo, or xyzw, as many data sets."""

from __future__ import annotations

import numpy as np

from supple.formats.source import Source
from supple.rotations import axis_vector, conjugate, multiply, normalize, rotate

ORDERS = ("wxyz", "xyzw")
UPRIGHT_COS = np.cos(np.radians(45.0))  # a root that leans less from its rest is upright
UPRIGHT_LEAD = 0.1  # share of the frames by which one order must be upright more often
UPRIGHT_SHARE = 0.5  # least share of the frames that are upright in the order that is taken


def to_wxyz(table: np.ndarray, names: list[str], order: str) -> None:
    """Bring the quaternions of a table to wxyz, in place.

    Args:
        table: Numbers of qpos, shape (F, columns).
        names: Of the columns; those of a quaternion end in .qw, .qx, .qy and .qz.
        order: That the table has.
    """
    if order == "xyzw":
        for k, name in enumerate(names):
            if name.endswith(".qw"):
                table[:, k : k + 4] = np.roll(table[:, k : k + 4], 1, axis=1)


def infer_order(quaternions: np.ndarray, rest: np.ndarray, up: str, source: Source) -> str:
    """The order in which the root of a robot stays upright, with a note on what decided.

    A robot that faces as at rest is upright in both orders: (0, 0, 0, 1) is no turn as xyzw, and half a turn
    about the vertical as wxyz. Then the order that does not turn the robot around is taken.

    Args:
        quaternions: Of the root as the table has them, shape (F, 4).
        rest: Its quaternion at rest, wxyz.
        up: The axis that points up, such as "z".
        source: Where the note goes.

    Raises:
        SuppleError: The frames do not show it, as where the robot lies.
    """
    share: dict[str, float] = {}
    turned: dict[str, float] = {}
    vertical = axis_vector(up)
    if not np.all(np.linalg.norm(quaternions, axis=1) > 1e-9):
        source.error(None, "expected quaternions of length one, got a zero")
    for order in ORDERS:
        turns = np.array(quaternions)
        to_wxyz(turns, [".qw", ".qx", ".qy", ".qz"], order)
        from_rest = multiply(normalize(turns), conjugate(rest))
        share[order] = float((rotate(from_rest, vertical) @ vertical > UPRIGHT_COS).mean())
        turned[order] = float(np.median(2 * np.arccos(np.clip(np.abs(from_rest[:, 0]), 0, 1))))
    more, less = sorted(ORDERS, key=lambda order: -share[order])
    if share[more] - share[less] > UPRIGHT_LEAD and share[more] > UPRIGHT_SHARE:
        why = f"the robot is upright in {share[more]:.0%} of the frames, as {less} in {share[less]:.0%}"
    elif min(share.values()) > UPRIGHT_SHARE and abs(turned["wxyz"] - turned["xyzw"]) > np.pi / 2:
        more, less = sorted(ORDERS, key=lambda order: turned[order])
        why = f"the robot faces as at rest, as {less} the other way"
    else:
        source.error(
            None,
            "cannot tell the order of the root's quaternion: the robot is upright in "
            f"{share['wxyz']:.0%} of the frames as wxyz, in {share['xyzw']:.0%} as xyzw; "
            "give layout='wxyz' or layout='xyzw'",
        )
    source.guess(
        f"the columns have no names: quaternions read as {more}, since {why}; layout= decides"
    )
    return more
