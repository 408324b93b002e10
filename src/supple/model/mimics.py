"""Mimic joints: the source at the end of a chain of copies, and the limits that apply.

A copy follows its source. Its own limits narrow the range of the source, so that both stay inside their limits, as in
MuJoCo. Limits that would leave no range to a source that has one are mistakes, such as limits that were copied without
the sign of the multiplier: they are not applied. Readers of URDF (pinocchio, yourdfpy, joint_state_publisher) apply
only the limits of the source; the URDF reader here does the same, and drops limits of copies that narrow anything.
"""

from __future__ import annotations

import functools
import logging
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from supple.errors import SuppleError, brief, nearest
from supple.model.joint import Joint, Mimic, Pair
from supple.model.parts import Node

_log = logging.getLogger("supple")
RANGE_ROUNDING = 1e-9  # a range, or a cut of one, below this part of the range is rounding


class Followed(NamedTuple):
    """The source at the end of a chain of copies: value = multiplier * (value of the joint `source`) + offset."""

    source: int
    multiplier: float
    offset: float

    def range_left(self, own: Pair, copy: Pair) -> Pair | None:
        """The part of the source's range in which a copy keeps its limits; None if there is none.

        Args:
            own: The range of the source.
            copy: The limits of the copy.
        """
        if self.multiplier == 0.0:
            return own if copy[0] <= self.offset <= copy[1] else None
        ends = sorted((limit - self.offset) / self.multiplier + 0.0 for limit in copy)
        low, high = max(own[0], ends[0]), min(own[1], ends[1])
        return (low, high) if low <= high else None


def followed(names: Sequence[str], joints: Sequence[Joint]) -> dict[int, Followed]:
    """For every copy the joint at the end of its chain.

    Raises:
        SuppleError: A source is unknown, or cannot be copied, or copies run in a circle.
    """
    follows: dict[int, Mimic] = {
        j: x.mimic for j, x in enumerate(joints) if isinstance(x.mimic, Mimic)
    }
    index = {name: j for j, name in enumerate(names)} if follows else {}
    done: dict[int, Followed] = {}
    for first in follows:
        line: dict[int, None] = {}  # an ordered set
        j = first
        while j in follows and j not in done:
            if j in line:
                loop = list(line)[list(line).index(j) :]
                cycle = " -> ".join(names[i] for i in [*loop, j])
                raise SuppleError(f"joint {names[j]!r}: expected no loop of mimics, got {cycle}")
            line[j] = None
            j = _source(names, joints, index, j, follows[j])
        source, multiplier, offset = done.get(j, Followed(j, 1.0, 0.0))
        for j in reversed(line):
            mimic = follows[j]
            multiplier = mimic.multiplier * multiplier
            offset = mimic.multiplier * offset + mimic.offset
            done[j] = Followed(source, multiplier, offset)
    return done


def _source(
    names: Sequence[str],
    joints: Sequence[Joint],
    index: Mapping[str, int],
    j: int,
    mimic: Mimic,
) -> int:
    """The joint that joint j copies, checked."""
    if mimic.joint not in index:
        raise SuppleError(
            f"joint {names[j]!r}: expected a joint to mimic, got {brief(mimic.joint)}"
            f"{nearest(mimic.joint, names)}"
        )
    source = index[mimic.joint]
    if not joints[source].single:
        raise SuppleError(
            f"joint {names[j]!r}: expected to mimic a Hinge or a Slider, "
            f"got {brief(mimic.joint)}, which is a {type(joints[source]).__name__}"
        )
    return source


def with_fit_limits(
    nodes: Sequence[Node], *, narrowing: bool = False
) -> tuple[list[Node], dict[str, str]]:
    """Nodes without the limits of copies that do not apply; and by joint, the reason.

    Arguments and errors are those of `unfit_limits`.
    """
    names, joints = [node.name for node in nodes], [node.joint for node in nodes]
    unfit = unfit_limits(names, joints, narrowing=narrowing)
    if not unfit:
        return list(nodes), {}
    fit = [
        node._replace(joint=node.joint.with_limits([None])) if j in unfit else node
        for j, node in enumerate(nodes)
    ]
    return fit, {names[j]: why for j, why in unfit.items()}


@functools.lru_cache(maxsize=256)  # once, however many skeletons there are with the joint
def warn(why: str) -> None:
    """Warn through the "supple" logger that limits are not applied."""
    _log.warning("%s", why)


def unfit_limits(
    names: Sequence[str], joints: Sequence[Joint], *, narrowing: bool = False
) -> dict[int, str]:
    """The copies whose limits do not apply, and the reason in words.

    Args:
        names: Names of the joints.
        joints: The joints.
        narrowing: True to drop limits that narrow the range of their source, too, as for URDF.

    Raises:
        SuppleError: As in `followed`.
    """
    ranges: dict[int, Pair] = {}
    unfit: dict[int, str] = {}
    for j, one in sorted(followed(names, joints).items()):
        copy = joints[j].limit_rows[0]
        own = ranges.get(one.source, joints[one.source].limit_rows[0])
        left = one.range_left(own, copy)
        if left is None or (narrowing and _cuts(own, left)) or _locks(own, copy, left):
            limits, source = _shown(copy), names[one.source]
            kept = "no value" if left is None else _shown(left)
            unfit[j] = (
                f"joint {names[j]!r}: its limits {limits} would leave {kept} of the range {_shown(own)} of "
                f"{source!r}, which it copies: not applied, the limits of {source!r} decide"
            )
        else:
            ranges[one.source] = left
    return unfit


def _locks(own: Pair, copy: Pair, left: Pair) -> bool:
    """True if limits with a range leave none of a source's range; limits of one value lock on purpose."""
    widths = [high - low for low, high in (own, copy)]
    room = RANGE_ROUNDING * min(width for width in (*widths, 1.0) if width < math.inf)
    return min(widths) > 0.0 and left[1] - left[0] <= room


def _cuts(own: Pair, left: Pair) -> bool:
    """True if a range is narrower than another by more than rounding."""
    width = own[1] - own[0]
    room = RANGE_ROUNDING * (width if width < math.inf else 1.0)
    return any(a != b and not abs(a - b) <= room for a, b in zip(own, left, strict=True))


def _shown(limits: Pair) -> str:
    return f"[{limits[0]:g}, {limits[1]:g}]"
