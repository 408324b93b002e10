"""Which order the quaternions of a table without names have: wxyz, as MuJoCo, or xyzw, as many data sets."""

from __future__ import annotations

import numpy as np

from supple.formats.source import Source
from supple.rotations import axis_vector, conjugate, multiply, normalize, rotate

ORDERS = ("wxyz", "xyzw")
UPRIGHT_COS = np.cos(np.radians(45.0))  # a root that leans less from its rest is upright
UPRIGHT_LEAD = 0.1  # share of the frames by which one order must be upright more often
LEAN_LEAD = np.radians(5.0)  # lean that one order must have beside that of both, root mean square
LEAN_LEAD_CONTRARY = np.radians(12.0)  # the same where the robot faces away in the other order
TRAVEL = 0.5  # way from the first frame to the last beyond which a robot is said to walk [m]
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


def infer_order(
    quaternions: np.ndarray, positions: np.ndarray, rest: np.ndarray, up: str, source: Source
) -> str:
    """The order in which the root of a robot stays upright, with a note on what decided.

    A robot that faces as at rest is upright in both orders: (0, 0, 0, 1) is no turn as xyzw, and half a turn
    about the vertical as wxyz. Then the order counts in which it leans less, since a turn about the vertical
    is a lean in the wrong order; or else the one that does not turn the robot around, unless it would walk
    backwards. If it stays where it is, that is a warning: it may face away from its rest, as wxyz.

    Args:
        quaternions: Of the root as the table has them, shape (F, 4).
        positions: Of the root, shape (F, 3).
        rest: Its quaternion at rest, wxyz.
        up: The axis that points up, such as "z".
        source: Where the note goes.

    Raises:
        SuppleError: The frames do not show it, as where the robot lies.
    """
    if not np.all(np.linalg.norm(quaternions, axis=1) > 1e-9):
        source.error(None, "expected quaternions of length one, got a zero")
    vertical = axis_vector(up)
    turns = {order: _from_rest(quaternions, rest, order) for order in ORDERS}
    cosines = {order: rotate(turns[order], vertical) @ vertical for order in ORDERS}
    share = {order: float((cosines[order] > UPRIGHT_COS).mean()) for order in ORDERS}
    # Squared sines of half the lean: of the two leans, one is about the same axis in both orders, so that
    # it cancels in their difference, and the other is a turn about the vertical in one of the orders.
    lean = {order: float(0.5 - 0.5 * cosines[order].mean()) for order in ORDERS}
    turned = {
        order: float(np.median(2 * np.arccos(np.clip(np.abs(turns[order][:, 0]), 0, 1))))
        for order in ORDERS
    }
    more, less = sorted(ORDERS, key=lambda order: -share[order])
    why, sure = None, True
    if share[more] - share[less] > UPRIGHT_LEAD and share[more] > UPRIGHT_SHARE:
        why = f"the robot is upright in {share[more]:.0%} of the frames, as {less} in {share[less]:.0%}"
    elif min(share.values()) > UPRIGHT_SHARE:
        steady, leaning = sorted(ORDERS, key=lambda order: lean[order])
        lead = 2 * np.arcsin(np.sqrt(max(lean[leaning] - lean[steady], 0.0)))
        facing = min(ORDERS, key=lambda order: turned[order])
        forward = _forward(turns[facing], positions, up)
        turned_around = abs(turned["wxyz"] - turned["xyzw"]) > np.pi / 2
        contrary = turned_around and facing != steady
        needed = LEAN_LEAD_CONTRARY if contrary and forward >= 0 else LEAN_LEAD
        if lead > needed and (contrary or forward >= 0):
            more = steady
            why = f"as {leaning} the robot leans by {np.degrees(lead):.0f} degrees more"
        elif turned_around and forward >= 0 and not (contrary and lead > LEAN_LEAD):
            more, sure = facing, forward > 0
            why = "the robot faces as at rest, and else the other way"
    if why is None:
        source.error(
            None,
            "cannot tell the order of the root's quaternion: the robot is upright in "
            f"{share['wxyz']:.0%} of the frames as wxyz, in {share['xyzw']:.0%} as xyzw; "
            "give layout='wxyz' or layout='xyzw'",
        )
    say = source.guess if sure else source.warn
    say(f"the columns have no names: quaternions read as {more}, since {why}; layout= decides")
    return more


def _from_rest(quaternions: np.ndarray, rest: np.ndarray, order: str) -> np.ndarray:
    """Turns from rest, wxyz, if the quaternions have an order."""
    turns = np.array(quaternions)
    to_wxyz(turns, [".qw", ".qx", ".qy", ".qz"], order)
    return multiply(normalize(turns), conjugate(rest))


def _forward(turns: np.ndarray, positions: np.ndarray, up: str) -> int:
    """1 if a robot goes some way where it faces, -1 if against that, 0 if it stays or that is not known.

    Where z is up, x is forward, by custom (ROS REP 103).
    """
    way = positions[-1] - positions[0]
    if up != "z" or not np.hypot(way[0], way[1]) > TRAVEL:
        return 0
    steps = np.diff(positions, axis=0)
    faced = rotate(turns[:-1], axis_vector("x"))
    return int(np.sign(np.sum(steps[:, :2] * faced[:, :2])))
