"""Infer the order of quaternions in a table without column names: wxyz, as in MuJoCo, or xyzw, as in many data sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.apps.formats.source import Source
from supple.rotations import axis_vector, conjugate, multiply, normalize, rotate

ORDERS = ("wxyz", "xyzw")


@dataclass(frozen=True)
class OrderRules:
    """What decides between the orders; none is tuned.

    Attributes:
        upright_cos: A root is upright if the cosine of its lean from rest is greater.
        upright_share: Least share of the frames in which the root is upright in the order that is taken.
        upright_lead: Share of the frames by which one order must be upright more often than the other.
        lean_lead: Angle by which the root must lean more in one order than in the other, root mean square [rad].
        lean_lead_contrary: The same if the order with less lean is the one that turns the robot around [rad].
        travel: Distance from the first frame to the last beyond which the robot walks [m].
    """

    upright_cos: float = np.cos(np.radians(45.0))
    upright_share: float = 0.5
    upright_lead: float = 0.1
    lean_lead: float = np.radians(5.0)
    lean_lead_contrary: float = np.radians(12.0)
    travel: float = 0.5


RULES = OrderRules()


def to_wxyz(table: np.ndarray, names: list[str], order: str) -> None:
    """Reorder the quaternions of a table to wxyz, in place.

    Args:
        table: Rows of qpos, shape (F, columns).
        names: Names of the columns; those of a quaternion end in .qw, .qx, .qy and .qz.
        order: The order of the table.
    """
    if order == "xyzw":
        for k, name in enumerate(names):
            if name.endswith(".qw"):
                table[:, k : k + 4] = np.roll(table[:, k : k + 4], 1, axis=1)


def infer_order(
    quaternions: np.ndarray, positions: np.ndarray, rest: np.ndarray, up: str, source: Source
) -> str:
    """The order in which the root of a robot stays upright, with a note on what decided.

    A robot that faces as at rest is upright in both orders: (0, 0, 0, 1) is the identity as xyzw, and a half
    turn about the vertical as wxyz. Then the order in which it leans less is taken, since a rotation about
    the vertical is a lean in the wrong order; or else the one that does not turn the robot around, unless it
    would walk backwards. If it does not walk, the note is a warning: as wxyz, it may face away from its rest.

    Args:
        quaternions: Quaternions of the root as the table has them, shape (F, 4).
        positions: Positions of the root [m], shape (F, 3).
        rest: Its quaternion at rest, wxyz.
        up: The axis that points up, such as "z".
        source: Where the note goes.

    Raises:
        SuppleError: The frames do not tell, for instance because the robot lies.
    """
    if not np.all(np.linalg.norm(quaternions, axis=1) > 1e-9):
        source.error(None, "expected quaternions of length one, got a zero")
    vertical = axis_vector(up)
    turns = {order: _from_rest(quaternions, rest, order) for order in ORDERS}
    cosines = {order: rotate(turns[order], vertical) @ vertical for order in ORDERS}
    share = {order: float((cosines[order] > RULES.upright_cos).mean()) for order in ORDERS}
    # Squared sines of half the lean. One of the two components of the lean is the same in both orders and
    # cancels in the difference; the other is a rotation about the vertical in one of the orders.
    lean = {order: float(0.5 - 0.5 * cosines[order].mean()) for order in ORDERS}
    turned = {
        order: float(np.median(2 * np.arccos(np.clip(np.abs(turns[order][:, 0]), 0, 1))))
        for order in ORDERS
    }
    more, less = sorted(ORDERS, key=lambda order: -share[order])
    why, sure = None, True
    if share[more] - share[less] > RULES.upright_lead and share[more] > RULES.upright_share:
        why = f"the robot is upright in {share[more]:.0%} of the frames, as {less} in {share[less]:.0%}"
    elif min(share.values()) > RULES.upright_share:
        steady, leaning = sorted(ORDERS, key=lambda order: lean[order])
        lead = 2 * np.arcsin(np.sqrt(max(lean[leaning] - lean[steady], 0.0)))
        facing = min(ORDERS, key=lambda order: turned[order])
        forward = _forward(turns[facing], positions, up)
        turned_around = abs(turned["wxyz"] - turned["xyzw"]) > np.pi / 2
        contrary = turned_around and facing != steady
        needed = RULES.lean_lead_contrary if contrary and forward >= 0 else RULES.lean_lead
        if lead > needed and (contrary or forward >= 0):
            more = steady
            why = f"as {leaning} the robot leans by {np.degrees(lead):.0f} degrees more"
        elif turned_around and forward >= 0 and not (contrary and lead > RULES.lean_lead):
            more, sure = facing, forward > 0
            why = "the robot then faces as at rest, in the other order away from it"
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
    """Rotations from rest, wxyz, of quaternions in an order."""
    turns = np.array(quaternions)
    to_wxyz(turns, [".qw", ".qx", ".qy", ".qz"], order)
    return multiply(normalize(turns), conjugate(rest))


def _forward(turns: np.ndarray, positions: np.ndarray, up: str) -> int:
    """1 if a robot walks in the direction that it faces, -1 if backwards, 0 if it stays or that is unknown.

    Where z is up, x is forward, by convention (ROS REP 103).
    """
    way = positions[-1] - positions[0]
    if up != "z" or not np.hypot(way[0], way[1]) > RULES.travel:
        return 0
    steps = np.diff(positions, axis=0)
    faced = rotate(turns[:-1], axis_vector("x"))
    return int(np.sign(np.sum(steps[:, :2] * faced[:, :2])))
