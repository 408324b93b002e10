"""Feet and ground: skate, penetration and floating."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.motion import Motion
from supple.apps.motion.checks.clip import GRAVITY_IN_LEGS, MERGE_TIME, Clip
from supple.apps.motion.checks.joints import trunk
from supple.apps.motion.checks.measure import RECURRENCE_TIME, Measure, nothing, recurring
from supple.apps.motion.contacts import find_contacts, upright_leg
from supple.apps.motion.feet import Foot, find_feet, up_vector
from supple.apps.motion.planting import PLANTING, slide
from supple.errors import SuppleError
from supple.runs import true_runs

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

NO_FEET = "no feet were found"
SHORTEST_PENETRATION = 0.08  # [s]; not tuned
SHORTEST_FLOATING = 0.1  # [s]; not tuned
# The lowest height of heels and tips of toes is this percentile of their heights; not tuned.
FLOOR_PERCENTILE = 2


@dataclass(frozen=True)
class _SkateRules:
    """When a foot slides. Not tuned.

    Attributes:
        window: The speed of a foot is measured over this time [s].
        fastest: A low foot that is faster swings, and does not slide [leg lengths a second].
        shortest: Shorter slides are no skate [s].
        usual_percentile: What is usual in the clip is this percentile of the speeds of feet in contact.
    """

    window: float = 0.1
    fastest: float = 1.2
    shortest: float = 0.12
    usual_percentile: int = 30


@dataclass(frozen=True)
class _FlightRules:
    """When a body in the air jumps, and does not float.

    In jumps of captured clips hips fall at 0.5 to 2.1 times gravity, and in short hops at up to 4.6, since drawing in
    the legs moves them too.

    Attributes:
        slowest_fall: A body with a smaller downward acceleration is held up [share of gravity].
        fastest_fall: One with a greater acceleration is moved by something, unless it pushed itself off [share of
            gravity].
        push_time: How long before it leaves the ground a body pushes itself off [s]; not tuned.
        push_share: How fast its hips then rise above its feet at least [share of the take-off speed of a jump that
            long]; not tuned.
    """

    slowest_fall: float = 0.4
    fastest_fall: float = 2.0
    push_time: float = 0.15
    push_share: float = 0.3


SKATE = _SkateRules()
FLIGHT = _FlightRules()


def skate(clip: Clip, budget: float, times: float) -> Measure:
    """How fast feet slide while in contact [leg lengths a second].

    A foot may pivot about its toe or its heel, so the slower of the two counts.
    """
    if not clip.feet:
        return nothing("skate", NO_FEET)
    speeds, stances = zip(*(_slide(clip, foot) for foot in clip.feet), strict=True)
    values = np.where(np.stack(stances, axis=1), np.stack(speeds, axis=1), 0.0)
    usual = values[np.stack(stances, axis=1)]
    own = float(np.percentile(usual, SKATE.usual_percentile)) if len(usual) else 0.0
    allowed = np.full(len(clip.feet), max(budget, times * own))
    names = tuple(foot.ankle for foot in clip.feet)
    return Measure(
        "skate",
        "leg/s",
        names,
        values,
        allowed,
        clip.frames(SKATE.shortest, 2),
        clip.frames(SKATE.window),
        least=budget,
    )


def mean_slides(motion: Motion, up: str) -> dict[str, float]:
    """Mean speed of each ankle while in contact [leg lengths a second]; without ankles that never are.

    Feet are found by name only.
    """
    try:
        feet = find_feet(motion.skeleton)
    except SuppleError:  # there are none
        return {}
    ankles = [foot.ankle for foot in feet]
    found = find_contacts(
        motion, feet, ankles, up=up_vector(up), speed=PLANTING.speed, height=PLANTING.height
    )
    never = np.zeros(len(motion), dtype=bool)
    slid = {}
    for foot in feet:
        stands = found.flags(foot.ankle)
        if (stands[1:] & stands[:-1]).any():
            slid[foot.ankle] = slide(motion, foot, stands, never) / foot.length
    return slid


def _slide(clip: Clip, foot: Foot) -> tuple[Floats, Flags]:
    """The speed of a foot along the ground [leg lengths a second], and when it is in contact, each (F,)."""
    half = clip.frames(0.5 * SKATE.window)
    stands = np.zeros(len(clip.motion), dtype=bool)
    low = upright_leg(clip.motion, foot, clip.up)
    stood = np.zeros(len(clip.motion), dtype=bool)
    slowest = np.full(len(clip.motion), np.inf)
    for name in (foot.ankle, foot.toe):
        if name is None:
            continue
        at = clip.positions[:, clip.column(name)]
        flat = at - (at @ clip.up)[:, None] * clip.up
        slowest = np.minimum(slowest, _windowed(flat, clip.motion.times, half) / clip.leg)
        stands |= clip.stands[name]
        low &= np.abs(clip.heights[:, clip.column(name)] - clip.levels[name]) < (
            0.5 * PLANTING.height * clip.leg
        )
        if clip.before is not None and len(clip.before.stands.get(name, ())) == len(stands):
            stood |= clip.before.stands[name]  # it should stand where it stood before
    # A fast sliding foot is not in contact, but as low as one that is.
    for run in true_runs((low | stood) & (slowest < SKATE.fastest)):
        if run.stop - run.start >= clip.frames(SKATE.window, 2):
            stands[run] = True
    # A foot that lands or lifts off is not still.
    inner = np.zeros_like(stands)
    for run in true_runs(stands):
        a = run.start + half if run.start > 0 else 0
        b = run.stop - half if run.stop < len(stands) else len(stands)
        inner[a : max(a, b)] = True
    return slowest, inner


def _windowed(points: Floats, times: Floats, half: int) -> Floats:
    """Mean speed of points (F, 3) over a window around each frame, shape (F,)."""
    frames = np.arange(len(points))
    before, after = np.maximum(frames - half, 0), np.minimum(frames + half, len(points) - 1)
    gaps = times[after] - times[before]
    ways = np.linalg.norm(points[after] - points[before], axis=1)
    return ways / np.where(gaps > 0, gaps, 1.0)


def above_ground(clip: Clip) -> Floats:
    """Height of each joint and tip above the ground [leg lengths], shape (F, N + T).

    Ankles and toes are measured from their height in a foot that stands flat.
    """
    floor = np.full(clip.heights.shape[1], clip.ground)
    if clip.given_ground is None:
        for name, level in clip.levels.items():
            floor[clip.column(name)] = level
        for foot in clip.feet:
            for name in _below(clip, foot):
                floor[clip.column(name)] = min(
                    clip.levels[foot.toe or foot.ankle],
                    float(np.percentile(clip.heights[:, clip.column(name)], FLOOR_PERCENTILE)),
                )
    above = (clip.heights - floor) / clip.leg
    # A root with a single child is not part of the body: it often lies on the ground.
    skeleton = clip.motion.skeleton
    for name in trunk(skeleton):
        below = skeleton.children(name)
        if len(below) == 1 and skeleton.parent(name) is None:
            above[:, clip.column(name)] = np.inf
    return above


def _below(clip: Clip, foot: Foot) -> list[str]:
    """The other joints and tips below an ankle: heels, tips of toes."""
    skeleton = clip.motion.skeleton
    return [name for name in skeleton.names
            if foot.ankle in skeleton.path(None, name)[:-1] and name != foot.toe]  # fmt: skip


def penetration(
    clip: Clip, budget: float, lower: float | None = None, again: float | None = None
) -> Measure:
    """Depth of joints and tips in the ground [leg lengths].

    Args:
        clip: The clip.
        budget: How much is allowed.
        lower: A joint that comes deeper stands on lower ground [leg lengths]; None: the ground is level.
        again: The allowed multiple of a depth that occurs again elsewhere in the clip; None: the budget alone.
    """
    if not clip.feet and clip.given_ground is None:
        return nothing("penetration", f"{NO_FEET}, and no ground was given")
    values = np.maximum(-above_ground(clip), 0.0)
    for k in np.flatnonzero(values.max(axis=0) > (np.inf if lower is None else lower)):
        for run in true_runs(values[:, k] > 0.0):
            if values[run, k].max() > lower:
                values[run, k] = 0.0
    names = clip.motion.skeleton.names
    most = recurring(values.max(axis=1), budget, clip.frames(RECURRENCE_TIME), again)
    allowed = np.full(len(names), most)
    return Measure(
        "penetration",
        "leg",
        names,
        values,
        allowed,
        clip.frames(SHORTEST_PENETRATION, 2),
        clip.frames(MERGE_TIME),
    )


def floating(clip: Clip, budget: float) -> Measure:
    """Height of the lowest point above the ground while the body does not fall [leg lengths]."""
    if not clip.feet:
        return nothing("floating", NO_FEET)
    above = above_ground(clip)
    lowest = above.min(axis=1)
    k = np.argmin(above, axis=1)
    # Only the hips are used, so that moving arms do not look like a fall.
    hips = [clip.column(foot.leg) for foot in clip.feet]
    middle = (clip.positions[:, hips] @ clip.up).mean(axis=1) / clip.leg
    values = np.zeros((len(lowest), 1))
    times = clip.motion.times
    for run in true_runs(lowest > budget):
        if not _flies(times, middle, middle - lowest, run):
            values[run, 0] = lowest[run]
    worst = int(np.argmax(values[:, 0]))
    names = (clip.motion.skeleton.names[k[worst]],)
    return Measure(
        "floating",
        "leg",
        names,
        values,
        np.array([budget]),
        clip.frames(SHORTEST_FLOATING, 2),
        clip.frames(MERGE_TIME),
    )


def _flies(times: Floats, heights: Floats, stretch: Floats, run: slice) -> bool:
    """True if a body in the air jumps: it falls over the whole time and over its middle half, and pushed itself off.

    A body that is lifted, held and put down accelerates downwards at the ends only.

    Args:
        times: Of all frames [s], shape (F,).
        heights: Of its hips [leg lengths], shape (F,).
        stretch: Height of its hips above its lowest point [leg lengths], shape (F,).
        run: The frames in the air.
    """
    quarter = (run.stop - run.start) // 4
    inner = slice(run.start + quarter, run.stop - quarter)
    pulls = [pull for rows in (run, inner)
             if (pull := _pull(times[rows], heights[rows])) is not None]  # fmt: skip
    if any(pull < FLIGHT.slowest_fall * GRAVITY_IN_LEGS for pull in pulls):
        return False
    return all(pull < FLIGHT.fastest_fall * GRAVITY_IN_LEGS for pull in pulls) or _pushed_off(
        times, stretch, run
    )


def _pull(times: Floats, heights: Floats) -> float | None:
    """The downward acceleration of a body [leg lengths/s^2]; None for fewer than four frames."""
    if len(times) < 4:
        return None
    t = times - times.mean()
    return -2.0 * float(np.polyfit(t, heights, 2)[0])


def _pushed_off(times: Floats, stretch: Floats, run: slice) -> bool:
    """True if the hips rise above the lowest point fast enough at take-off, or if the clip does not show it."""
    first = int(np.searchsorted(times, times[run.start] - FLIGHT.push_time))
    if run.start - first < 2 or times[run.start] - times[0] < FLIGHT.push_time:
        return True
    rising = np.gradient(stretch[first : run.start + 1], times[first : run.start + 1])
    needed = FLIGHT.push_share * 0.5 * GRAVITY_IN_LEGS * (times[run.stop - 1] - times[run.start])
    return bool(rising.max() >= needed)
