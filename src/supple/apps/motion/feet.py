"""Find feet among the joints, by name or by position."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.errors import SuppleError, listed, mapping, one_of
from supple.model.skeleton import Pose, Skeleton

Floats = NDArray[np.float64]

UPS = ("x", "y", "z", "-x", "-y", "-z")

_ANKLE = re.compile(r"ankle|foot|(?<![a-z])pes(?![a-z])", re.IGNORECASE)
_TOE = re.compile(r"toe|ball", re.IGNORECASE)
_THIGH = re.compile(r"thigh|femur|up(per)?[ _.]?leg", re.IGNORECASE)
MOST_LISTED_JOINTS = 24  # in a message


@dataclass(frozen=True)
class _LegRules:
    """How legs are recognized by their size. Not tuned.

    Attributes:
        shortest_bone: A bone at the top of a leg that is shorter belongs to the hip [share of the leg's longest bone].
        least_height: A lower limb is no leg [share of the figure's height].
        foot_height: Joints of a leg below this are the foot [share of the leg's height].
        length_difference: How much the lengths of two legs may differ [share of the longer].
        end_difference: How much higher the other leg may end, in the median over all frames [share of the leg's
            height].
    """

    shortest_bone: float = 0.35
    least_height: float = 0.25
    foot_height: float = 0.2
    length_difference: float = 0.2
    end_difference: float = 0.4


LEG_RULES = _LegRules()


@dataclass(frozen=True)
class Foot:
    """A foot and its leg.

    Attributes:
        ankle: The joint that the foot turns about; its heel.
        toe: A joint or tip below the ankle, or None if there is none.
        leg: The topmost joint of the leg.
        length: Of the leg at rest, from its topmost joint to the ankle.
    """

    ankle: str
    toe: str | None
    leg: str
    length: float


def find_feet(
    skeleton: Skeleton,
    names: Sequence[str] | None = None,
    *,
    legs: Mapping[str, str] | None = None,
    poses: Pose | None = None,
    up: Floats | None = None,
) -> tuple[Foot, ...]:
    """The feet of a skeleton: the topmost joints called ankle or foot, or those that are named.

    Args:
        skeleton: The skeleton.
        names: The ankles; found by name if not given.
        legs: The topmost joint of the leg of each ankle, if it is not found: {ankle: joint}.
        poses: A batch of poses, shape (F,), to find feet with other names: the two similar limbs
            that end lowest. Without it, feet are found by name only.
        up: Unit vector (3,), with `poses`.

    Raises:
        SuppleError: There are none, or one has no leg.
    """
    joints = skeleton.joint_names
    if names is None:
        alike = {name for name in joints if _ANKLE.search(name)}
        names = [name for name in joints if name in alike and not _above(skeleton, name) & alike]
        names = [name for name in names if len(skeleton.path(None, name)) >= 3]
        if not names and poses is not None and up is not None:
            names = _by_place(skeleton, poses, up)
        if not names:
            raise SuppleError(_no_feet(joints, alike))
    names = listed("feet", names, "a list of ankles")
    legs = {} if legs is None else mapping("legs", legs, "{ankle: joint}")
    for name in legs:
        one_of("foot of legs", name, names)
    paths = [skeleton.path(None, one_of("foot", name, joints)) for name in names]
    return tuple(_foot(skeleton, path, paths, legs) for path in paths)


def _by_place(skeleton: Skeleton, poses: Pose, up: Floats) -> list[str]:
    """The ankles of the two limbs, left and right of one joint, that end lowest; [] if there are none.

    Heights are medians over the poses. The legs part at the nearest joint that is well above the
    lowest one and has another limb that ends about as low and is about as long. An ankle is the first
    joint of a leg in the lowest part of the leg's height.
    """
    count = len(skeleton.joint_names)
    heights = np.median(poses.positions[:, :count] @ up, axis=0)
    tall = float(np.ptp(heights))
    names = skeleton.joint_names
    paths = {name: skeleton.path(None, name) for name in names}

    def height(name: str) -> float:
        return float(heights[skeleton.index(name)])

    def lowest(top: str) -> str:
        return min((name for name in names if top in paths[name]), key=height)

    # The lowest end of a limb; a root at the ground, which some exporters add, is not an end.
    above = {skeleton.parent(name) for name in names}
    path = paths[min((name for name in names if name not in above), key=height)]
    for k in range(len(path) - 2, -1, -1):
        pelvis, top = path[k], path[k + 1]
        drop = height(pelvis) - height(path[-1])
        if drop < LEG_RULES.least_height * tall or drop <= 0:
            continue
        one = path[k + 1 :]
        for other in skeleton.children(pelvis):
            if other == top or other not in paths:  # a tip
                continue
            two = skeleton.path(other, lowest(other))
            lengths = [skeleton.length(limb[-1], root=pelvis) for limb in (one, two)]
            even = abs(lengths[0] - lengths[1]) < LEG_RULES.length_difference * max(lengths)
            if even and height(two[-1]) - height(one[-1]) < LEG_RULES.end_difference * drop:
                ends = [next(name for name in limb
                             if height(name) - height(limb[-1]) < LEG_RULES.foot_height * drop)
                        for limb in (one, two)]  # fmt: skip
                return sorted(ends, key=skeleton.index)
    return []


def _no_feet(joints: Sequence[str], alike: set[str]) -> str:
    """The error message if no ankle is found."""
    if alike:
        called = ", ".join(repr(name) for name in joints if name in alike)
        got = f"{called} without a leg above"
    else:
        got = "none"
    listed = ", ".join(map(repr, joints[:MOST_LISTED_JOINTS]))
    more = f", ... ({len(joints)} in all)" if len(joints) > MOST_LISTED_JOINTS else ""
    return (
        f"feet: expected joints called ankle or foot, below a leg, got {got}; "
        f"say which they are, of the joints {listed}{more}"
    )


def _above(skeleton: Skeleton, name: str) -> set[str]:
    return set(skeleton.path(None, name)[:-1])


def _foot(
    skeleton: Skeleton,
    path: tuple[str, ...],
    paths: Sequence[tuple[str, ...]],
    legs: Mapping[str, str],
) -> Foot:
    """The foot at the end of a path from a root, one of several such paths."""
    ankle = path[-1]
    if ankle in legs:
        top = one_of(f"leg of {ankle!r}", legs[ankle], path[:-1])
        leg = path[path.index(top) :]
    else:
        # Up to where another leg branches off; a single leg, up to where anything does.
        shared = [sum(a == b for a, b in zip(path, other, strict=False))
                  for other in paths if other is not path]  # fmt: skip
        alone = [k + 1 for k, name in enumerate(path[:-1]) if len(skeleton.children(name)) > 1]
        leg = path[max(shared or alone, default=0) :]
        bones = _bones(skeleton, leg)
        named = next((k for k, name in enumerate(leg[:-1]) if _THIGH.search(name)), 0)
        leg, bones = leg[named:], bones[named:]
        while len(leg) > 3 and bones[0] < LEG_RULES.shortest_bone * max(bones):
            leg, bones = leg[1:], bones[1:]
    if len(leg) < 2:
        raise SuppleError(f"foot {ankle!r}: expected a leg above it, got none; give legs=")
    length = sum(_bones(skeleton, leg))
    if not length > 0:
        raise SuppleError(f"foot {ankle!r}: expected a leg of some length, got none")
    return Foot(ankle, _toe(skeleton, ankle), leg[0], length)


def _bones(skeleton: Skeleton, path: Sequence[str]) -> list[float]:
    offsets = skeleton.offsets
    return [float(np.linalg.norm(offsets[skeleton.index(name)])) for name in path[1:]]


def _toe(skeleton: Skeleton, ankle: str) -> str | None:
    """The joint or tip below the ankle that is called toe or ball, or else the first one; None if there is none."""
    below = [*skeleton.children(ankle), *(tip.name for tip in skeleton.tips if tip.joint == ankle)]
    below = [name for name in below if _apart(skeleton, ankle, name)]
    called = [name for name in below if _TOE.search(name)]
    return next(iter(called or below), None)


def _apart(skeleton: Skeleton, a: str, b: str) -> bool:
    rest = skeleton.rest
    return float(np.linalg.norm(rest.position(a) - rest.position(b))) > 0


def up_vector(up: str) -> Floats:
    """The unit vector (3,) of an up axis such as "y" or "-z"."""
    one_of("up axis", up, UPS)
    return np.eye(3)["xyz".index(up[-1])] * (-1.0 if up[0] == "-" else 1.0)
