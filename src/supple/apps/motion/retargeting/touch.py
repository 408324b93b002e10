"""Hands that touch the body: on the hips, on the chest, on the head, on a thigh, on the other arm.

A source has joints but no surface. A wrist touches a part while it is nearer to the line between the part's two joints
than the surface would be, hardly moves along the part, and the elbow is bent: arms that hang or swing beside the body
do not touch it. Kept are the wrist's position along the line, and its offset from the line, scaled to the target.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.apps.motion.retargeting.body import Body, unit
from supple.apps.motion.retargeting.body_map import SIDES
from supple.apps.motion.retargeting.footsteps import smoothed
from supple.apps.motion.retargeting.performance import Performance

Floats = NDArray[np.float64]
End = tuple[str, ...]  # the points whose mean is the end of a part

HIPS, SHOULDERS = (tuple(f"{side}_{name}" for side in SIDES) for name in ("hip", "shoulder"))


@dataclass(frozen=True)
class _TouchRules:
    """When a wrist touches a part of the body. Not tuned.

    Of two values, a touch counts wholly up to the first and not at all from the second on, or, where said, the other
    way round.

    Attributes:
        trunk: Distance from the axis of the trunk, a flank or a thigh [leg lengths of the source].
        head: Distance from the head [leg lengths of the source].
        arm: Distance from the axis of the other arm [leg lengths of the source].
        bent: Bend of the elbow [rad], the other way round: an arm that hangs does not touch.
        slow: Speed of the wrist relative to the part [leg lengths a second].
        shortest: Shorter touches are left out [s].
        above: Height of a wrist in front of the trunk [share of the trunk], the other way round.
        free: Position along the other forearm [share of it]; nearer to the other hand, the hands' own relation counts.
    """

    trunk: tuple[float, float] = (0.13, 0.18)
    head: tuple[float, float] = (0.2, 0.28)
    arm: tuple[float, float] = (0.08, 0.13)
    bent: tuple[float, float] = (0.8, 1.1)
    slow: tuple[float, float] = (0.35, 0.7)
    shortest: float = 0.25
    above: tuple[float, float] = (0.15, 0.35)
    free: tuple[float, float] = (0.6, 0.75)


TOUCH = _TouchRules()


@dataclass(frozen=True)
class Touch:
    """A wrist beside a part of the body.

    Attributes:
        side: Of the wrist.
        ends: The two ends of the part; twice the head for a head, or twice the shoulders if the target has no head.
        along: Position of the wrist between the ends, from 0 to 1, (F,).
        offset: From there to the wrist, world with z up, in the target's unit, (F, 3).
        gate: Weight of the touch, from 0 to 1, (F,).
    """

    side: str
    ends: tuple[End, End]
    along: Floats
    offset: Floats
    gate: Floats


def find_touches(source: Performance, body: Body, close: Floats) -> list[Touch]:
    """Find where the wrists of a source touch its body.

    Args:
        source: The source motion.
        body: The target's body.
        close: How much the wrists keep their relative position, from 0 to 1, (F,). To that extent only the middle of
            the trunk and the head count: parts to the left and right would pull the wrists apart.
    """
    found, leg = [], source.body.sizes["leg"]
    for side in source.body.map.arms:
        if side not in body.map.arms:
            continue
        shoulder, elbow, wrist = (source.at[f"{side}_{n}"] for n in ("shoulder", "elbow", "wrist"))
        bend = np.arccos(np.clip((unit(elbow - shoulder) * unit(wrist - elbow)).sum(1), -1, 1))
        bent = 1.0 - _falling(bend, *TOUCH.bent)
        mine = []
        for ends, (near, far), size in _parts(side):
            if not all(name in source.at for end in ends for name in end):
                continue
            a, b = (np.mean([source.at[name] for name in end], axis=0) for end in ends)
            line = b - a
            square = (line * line).sum(1)
            along = ((wrist - a) * line).sum(1) / np.maximum(square, 1e-12)
            above = along
            along = np.clip(along, 0.0, 1.0)
            offset = wrist - a - along[:, None] * line
            gate = bent * _falling(np.linalg.norm(offset, axis=1) / leg, near, far)
            gate *= _falling(_speed(offset, along * np.sqrt(square), source.fps) / leg, *TOUCH.slow)
            if ends[0] == HIPS:
                gate *= 1.0 - _falling(above, *TOUCH.above)
            elif ends[0] != ("head",):
                gate *= 1.0 - close**2
            if ends[1] == (f"{_other(side)}_wrist",):
                gate = gate * _falling(along, *TOUCH.free)
            gate = _lasting(gate, source.fps)
            if ends[0] == ("head",) and "head" not in body.points:
                ends = (SHOULDERS, SHOULDERS)
                offset = wrist - np.mean([source.at[name] for name in SHOULDERS], axis=0)
            if gate.any():
                ratio = body.sizes[size] / source.body.sizes[size]
                mine.append(Touch(side, ends, along, ratio * offset, gate))
        total = np.sum([touch.gate for touch in mine], axis=0) if mine else 0.0
        # Nearer parts get more weight; the sum does not exceed that of a single part.
        found += [
            Touch(
                one.side,
                one.ends,
                one.along,
                one.offset,
                one.gate**2 / np.maximum(total, 1e-12),
            )
            for one in mine
        ]
    return found


def _other(side: str) -> str:
    return "right" if side == "left" else "left"


def _parts(
    side: str,
) -> Iterator[tuple[tuple[End, End], tuple[float, float], str]]:
    """Parts that a wrist can touch: their ends, the distances of a touch, and the size that scales offsets."""
    other = _other(side)
    for flank in SIDES:
        yield ((f"{flank}_hip",), (f"{flank}_shoulder",)), TOUCH.trunk, "leg"
        yield ((f"{flank}_hip",), (f"{flank}_knee",)), TOUCH.trunk, "leg"
    yield (HIPS, SHOULDERS), TOUCH.trunk, "leg"
    yield (("head",), ("head",)), TOUCH.head, "trunk"
    yield ((f"{other}_shoulder",), (f"{other}_elbow",)), TOUCH.arm, "arm"
    yield ((f"{other}_elbow",), (f"{other}_wrist",)), TOUCH.arm, "arm"


def _speed(offset: Floats, along: Floats, fps: float) -> Floats:
    """Speed of a wrist relative to a part, (F,)."""
    if len(along) < 2:
        return np.zeros(len(along))
    beside = np.gradient(offset, axis=0)
    return fps * np.hypot(np.linalg.norm(beside, axis=1), np.gradient(along))


def _lasting(gate: Floats, fps: float) -> Floats:
    """The gate without touches that are too short, smoothed."""
    if not gate.any():
        return gate
    half = max(1, round(0.5 * TOUCH.shortest * fps))
    for pick in (np.min, np.max):
        padded = np.pad(gate, half, mode="edge")
        gate = pick([padded[k : k + len(gate)] for k in range(2 * half + 1)], axis=0)
    return smoothed(gate[:, None], half)[:, 0]


def _falling(values: Floats, near: float, far: float) -> Floats:
    """1 up to `near`, 0 from `far` on, smooth between them."""
    u = np.clip((far - values) / (far - near), 0.0, 1.0)
    return u * u * (3.0 - 2.0 * u)
