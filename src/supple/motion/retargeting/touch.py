"""Hands that touch the own body: on the hips, on the chest, on the head, on a thigh, on the other arm.

A source has no flesh, only joints. A wrist counts as touching while it is nearer to the line between two joints
than the flesh about them reaches, hardly moves along that part, and the elbow is bent: arms that hang or swing
beside the body do not touch it. What is kept is where along the line the wrist is, and its offset from it,
scaled to the target's part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.motion.retargeting.body import Body, unit
from supple.motion.retargeting.body_map import SIDES
from supple.motion.retargeting.footsteps import smoothed
from supple.motion.retargeting.performance import Performance

Floats = NDArray[np.float64]
End = tuple[str, ...]  # points whose mean it is

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
        slow: Speed of the wrist along the part [leg lengths a second].
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
        ends: The two ends of the part; twice the head for a head, and twice the shoulders where a target has none.
        along: Where between the ends the wrist is, from 0 to 1, (F,).
        offset: From there to the wrist, world with z up, in the target's unit, (F, 3).
        gate: How much it counts, from 0 to 1, (F,).
    """

    side: str
    ends: tuple[End, End]
    along: Floats
    offset: Floats
    gate: Floats


def find_touches(source: Performance, body: Body, close: Floats) -> list[Touch]:
    """Where the wrists of a source touch its own body.

    Args:
        source: What is performed.
        body: The target's body.
        close: How much the wrists keep their relation to each other, from 0 to 1, (F,). As far as they do, only
            the middle of the trunk and the head count: parts to the left and right would pull them apart.
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
        # Of several parts the nearer counts more; together no more than one alone would.
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
    """Parts that a wrist can touch: their ends, how near that is, and the size that offsets scale with."""
    other = _other(side)
    for flank in SIDES:
        yield ((f"{flank}_hip",), (f"{flank}_shoulder",)), TOUCH.trunk, "leg"
        yield ((f"{flank}_hip",), (f"{flank}_knee",)), TOUCH.trunk, "leg"
    yield (HIPS, SHOULDERS), TOUCH.trunk, "leg"
    yield (("head",), ("head",)), TOUCH.head, "trunk"
    yield ((f"{other}_shoulder",), (f"{other}_elbow",)), TOUCH.arm, "arm"
    yield ((f"{other}_elbow",), (f"{other}_wrist",)), TOUCH.arm, "arm"


def _speed(offset: Floats, along: Floats, fps: float) -> Floats:
    """How fast a wrist moves beside a part, (F,)."""
    if len(along) < 2:
        return np.zeros(len(along))
    beside = np.gradient(offset, axis=0)
    return fps * np.hypot(np.linalg.norm(beside, axis=1), np.gradient(along))


def _lasting(gate: Floats, fps: float) -> Floats:
    """A gate without what is shorter than a touch, smooth."""
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
