"""Repair the faults that `check` finds: by IK for feet and ground, otherwise by curves over a few frames.

A repair is kept if it reduces the faults of its kind, and those of all kinds together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.motion import Motion
from supple.apps.motion.checks.check import Checked, checked
from supple.apps.motion.checks.clip import Clip
from supple.apps.motion.checks.ground import above_ground
from supple.apps.motion.checks.measure import KINDS, MEANINGS, Fault
from supple.apps.motion.checks.pops import PLACE
from supple.apps.motion.contacts import Contacts, find_contacts, foot_points
from supple.apps.motion.correct import correct
from supple.apps.motion.planting import PLANTING, _covered, plant_feet
from supple.errors import SuppleError
from supple.goals import Reach
from supple.model.matching import put_rotations
from supple.model.skeleton import Pose
from supple.rotations import conjugate, from_rotation_vector, multiply, slerp, to_rotation_vector
from supple.runs import true_runs

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _RepairRules:
    """How far repairs reach. Not tuned.

    Attributes:
        margins: A repair is tried with these margins before and after a fault, in order [s].
        longest_collision: Longer collisions are not passed through, and are not repaired [s].
        clearance: Feet and hands are lifted this far above the ground [leg lengths].
        blend: Over this time a repair of a loop's seam fades [s].
        smoothing: Half-width of the windows that average shaking joints and a lowered root, and least margin around
            collisions and slides [s].
        fade: Over this time the average of shaking joints fades [s].
        lift: Half-width of the window over which a lift out of the ground is spread [s].
    """

    margins: tuple[float, ...] = (0.0, 0.05, 0.1, 0.2, 0.35)
    longest_collision: float = 1.5
    clearance: float = 0.012
    blend: float = 0.5
    smoothing: float = 0.05
    fade: float = 0.2
    lift: float = 0.08


REPAIR = _RepairRules()

CANNOT = {
    "frozen": "the file does not contain the missing motion",
    "swap": "the motion does not show which side is which; swap the names",
    "floating": "the body is not above ground on which it could stand",
}


@dataclass(frozen=True)
class Repair:
    """The result for one kind of fault.

    Attributes:
        kind: Of the faults.
        before: The number of faults before.
        after: The number of faults left.
        reason: Why some are left; "" if none are.
    """

    kind: str
    before: int
    after: int
    reason: str = ""

    def __str__(self) -> str:
        words = f"{self.kind}: {max(self.before - self.after, 0)} of {self.before} repaired"
        if self.after > self.before:  # other repairs have made some
            words += f", {self.after} now"
        return f"{words}; {self.reason}" if self.after else words


@dataclass(frozen=True, eq=False)
class Repaired:
    """The result of `fix`.

    Attributes:
        motion: The repaired motion; unchanged if nothing could be repaired.
        before: The report on the motion as it was.
        report: The report on `motion`.
        repairs: One for each kind of fault in `before`.
    """

    motion: Motion
    before: Checked
    report: Checked
    repairs: tuple[Repair, ...]

    def __repr__(self) -> str:
        return f"Repaired({self.motion.name!r}: {'; '.join(map(str, self.repairs)) or 'no faults'})"


def fix(report: Checked) -> Repaired:
    """Repair the faults that `check` found, by IK and by curves over a few frames; report those that are left.

    Feet are planted, lifted out of the ground or lowered to it; joints are clamped to their limits; frames that
    pop are replaced by curves; bones are reset to their usual length; the ends of a loop are blended.

    Args:
        report: The result of `check`.

    Returns:
        The repaired motion, and a new report on it.
    """
    if not isinstance(report, Checked):
        raise SuppleError(f"fix: expected what supple.check gives, got a {type(report).__name__}")
    now = report
    for kind, repair in _REPAIRS:
        if now.of(kind):
            now = _tried(now, kind, repair)
    repairs = []
    for kind in dict.fromkeys(fault.kind for fault in report.faults):
        left = now.of(kind)
        reason = "" if not left else CANNOT.get(kind, _why(kind))
        repairs.append(Repair(kind, len(report.of(kind)), len(left), reason))
    return Repaired(now.motion, report, now, tuple(repairs))


def _why(kind: str) -> str:
    return f"{MEANINGS[kind]}, and no repair was found that does not do more harm"


def _again(report: Checked, motion: Motion) -> Checked:
    """The same checks of another motion."""
    old = report.clip
    clip = Clip(
        motion,
        up=_axis(old.up),
        ground=old.given_ground,
        capsules=old.capsules,
        loop=old.loop,
        # The ground is where it was found before.
        before=old.before,
        levels=old.levels if old.feet else None,
        notes=old.notes,
    )
    return checked(clip, report.budgets)


def _axis(up: Floats) -> str:
    k = int(np.argmax(np.abs(up)))
    return ("-" if up[k] < 0 else "") + "xyz"[k]


def _tried(
    report: Checked, kind: str, repair: Callable[[Checked, tuple[Fault, ...], float], Motion | None]
) -> Checked:
    """The report after the repairs of one kind that helped; unchanged if none did."""
    now = report
    for margin in REPAIR.margins:
        faults = now.of(kind)
        if not faults:
            break
        try:
            motion = repair(now, faults, margin)
        except SuppleError:
            motion = None
        if motion is None:
            continue
        after = _again(now, motion)
        if not _better(now, after, kind):
            after = _smoothed(after, now)
        if _better(now, after, kind):
            now = after
    return now


def _smoothed(report: Checked, before: Checked) -> Checked:
    """The report after smoothing pops that a repair made."""
    for kind, repair in (("speed", _pops), ("acceleration", _pops), ("jerk", _shakes)):
        for margin in REPAIR.margins[1:3]:
            new = [one for one in report.of(kind) if one not in before.faults]
            if new:
                report = _again(report, repair(report, tuple(new), margin))
    return report


def _better(before: Checked, after: Checked, kind: str) -> bool:
    def badness(report: Checked, one: str) -> float:
        return sum(fault.value / fault.budget for fault in report.of(one))

    # New faults of other kinds may be repaired next, but must not outweigh the repair.
    whole = sum(badness(after, one) for one in KINDS) < sum(badness(before, one) for one in KINDS)
    return badness(after, kind) < badness(before, kind) and whole


# Curves over some frames --------------------------------------------------------------------------


def _with_turns(motion: Motion, joints: Sequence[int], turns: Floats, rows: slice) -> Motion:
    """The motion with other local rotations (n, K, 4) of some joints in some frames."""
    skeleton = motion.skeleton
    first = skeleton.freedom_table.joints.coordinate
    q = np.array(motion.poses.coordinates)
    for k, j in enumerate(joints):
        part = q[rows]
        own = multiply(conjugate(skeleton.rotations[j]), turns[:, k])
        put_rotations(skeleton.joints[j], own, part, int(first[j]))
        q[rows] = part
    poses = Pose(skeleton, q, motion.poses.translations, motion.poses.scales)
    return motion.with_(poses=poses)


def _with_places(motion: Motion, places: Floats) -> Motion:
    """The motion with other local translations (F, N, 3)."""
    poses = motion.poses
    return motion.with_(poses=Pose(motion.skeleton, poses.coordinates, places, poses.scales))


def _bridged(motion: Motion, joints: Sequence[int], roots: Sequence[int], a: int, b: int) -> Motion:
    """The motion with the frames between a and b replaced by curves that continue it smoothly at both ends."""
    count = len(motion)
    a, b = max(a, 0), min(b, count - 1)
    if b - a < 2:
        return motion
    if a == 0 or b == count - 1:
        return _held(motion, joints, roots, a, b)
    t = (np.arange(a + 1, b) - a) / (b - a)
    h01 = (3 - 2 * t) * t * t
    h10, h11 = t * (1 - t) ** 2, t * t * (t - 1)
    gap = b - a
    if len(joints):
        q = motion.poses.local_rotations[:, joints]
        first, last = q[a], q[b]
        into = to_rotation_vector(multiply(conjugate(q[max(a - 1, 0)]), first))
        out = to_rotation_vector(multiply(conjugate(last), q[min(b + 1, count - 1)]))
        whole = to_rotation_vector(multiply(conjugate(first), last))
        # In the frame of the first rotation; accurate enough over a few frames.
        curve = (h01[:, None, None] * whole + gap * (h10[:, None, None] * into
                 + h11[:, None, None] * out))  # fmt: skip
        turns = multiply(first, from_rotation_vector(curve))
        motion = _with_turns(motion, joints, turns, slice(a + 1, b))
    if len(roots):
        places = np.array(motion.poses._full_translations())
        for j in roots:
            p = places[:, j]
            v0, v1 = p[a] - p[max(a - 1, 0)], p[min(b + 1, count - 1)] - p[b]
            p[a + 1 : b] = (p[a] + h01[:, None] * (p[b] - p[a])
                            + gap * (h10[:, None] * v0 + h11[:, None] * v1))  # fmt: skip
        motion = _with_places(motion, places)
    return motion


def _held(motion: Motion, joints: Sequence[int], roots: Sequence[int], a: int, b: int) -> Motion:
    """At an end of the motion: repeat the first or last good frame."""
    good, rows = (b, slice(0, b)) if a == 0 else (a, slice(a + 1, len(motion)))
    size = len(range(len(motion))[rows])
    if len(joints):
        turns = np.repeat(motion.poses.local_rotations[good : good + 1][:, joints], size, axis=0)
        motion = _with_turns(motion, joints, turns, rows)
    if len(roots):
        places = np.array(motion.poses._full_translations())
        places[rows, roots] = places[good, roots]
        motion = _with_places(motion, places)
    return motion


def _pops(report: Checked, faults: tuple[Fault, ...], margin: float) -> Motion:
    """Replace the frames around a pop by a curve, for the joints that pop."""
    motion, clip = report.motion, report.clip
    more = clip.frames(margin, 0) if margin else 0
    skeleton = motion.skeleton
    for fault in faults:
        joints = [skeleton.index(name) for name in fault.joints if not name.endswith(PLACE)]
        roots = [
            skeleton.index(name.removesuffix(PLACE))
            for name in fault.joints
            if name.endswith(PLACE)
        ]
        motion = _bridged(motion, joints, roots, fault.start - 2 - more, fault.stop + 1 + more)
    return motion


def _shakes(report: Checked, faults: tuple[Fault, ...], margin: float) -> Motion:
    """Average local rotations over some frames where joints shake."""
    motion, clip = report.motion, report.clip
    half = clip.frames(REPAIR.smoothing + margin, 1)
    kernel = np.hanning(2 * half + 3)[1:-1]
    kernel /= kernel.sum()
    skeleton = motion.skeleton
    for fault in faults:
        joints = [skeleton.index(name) for name in fault.joints if not name.endswith(PLACE)]
        if not joints:
            continue
        q = np.array(motion.poses.local_rotations[:, joints])
        flips = np.sign(np.einsum("fki,fki->fk", q[1:], q[:-1]))
        q[1:] *= np.cumprod(np.where(flips == 0, 1.0, flips), axis=0)[..., None]
        padded = np.pad(q, ((half, half), (0, 0), (0, 0)), mode="edge")
        smooth = sum(weight * padded[k : k + len(q)] for k, weight in enumerate(kernel))
        smooth = np.asarray(smooth) / np.linalg.norm(smooth, axis=-1, keepdims=True)
        share = _fading(len(q), fault.start, fault.stop, clip.frames(REPAIR.fade))
        mixed = slerp(q, smooth, np.broadcast_to(share[:, None], q.shape[:2]))
        motion = _with_turns(motion, joints, mixed, slice(None))
    return motion


def _fading(count: int, start: int, stop: int, fade: int) -> Floats:
    """Weights (count,): 1 from start to stop, 0 at `fade` frames away, smooth in between."""
    t = np.arange(count)
    share = np.clip(np.minimum((t - start + fade) / fade, (stop - 1 + fade - t) / fade), 0.0, 1.0)
    return share * share * (3.0 - 2.0 * share)


def _limits(report: Checked, faults: tuple[Fault, ...], margin: float) -> Motion | None:
    """Clamp joints to their limits."""
    del faults
    return report.motion.with_(poses=report.motion.poses.clamped()) if margin == 0.0 else None


def _bones(report: Checked, faults: tuple[Fault, ...], margin: float) -> Motion | None:
    """Reset bones to their usual length, with their direction in each frame."""
    if margin > 0 or report.motion.poses.translations is None:
        return None
    places = np.array(report.motion.poses._full_translations())
    skeleton = report.motion.skeleton
    for j in {skeleton.index(name) for fault in faults for name in fault.joints}:
        lengths = np.linalg.norm(places[:, j], axis=1)
        usual = float(np.median(lengths))
        places[:, j] *= (usual / np.where(lengths > 0, lengths, 1.0))[:, None]
    return _with_places(report.motion, places)


def _collisions(report: Checked, faults: tuple[Fault, ...], margin: float) -> Motion | None:
    """Replace the frames in which a limb briefly enters the body by a curve."""
    motion, clip = report.motion, report.clip
    skeleton = motion.skeleton
    more = clip.frames(margin + REPAIR.smoothing)
    changed = False
    for fault in faults:
        if fault.stop - fault.start > clip.frames(REPAIR.longest_collision):
            continue
        joints: set[int] = set()
        for pair in fault.joints:
            names = [name for name in pair.split(" in ") if name in skeleton.joint_names]
            outer = max(names, key=lambda name: len(skeleton.path(None, name)), default=None)
            if outer is not None:
                joints |= {skeleton.index(name) for name in skeleton.path(None, outer)[-3:]
                           if skeleton.parent(name) is not None}  # fmt: skip
        if joints:
            motion = _bridged(motion, sorted(joints), [], fault.start - more, fault.stop + more)
            changed = True
    return motion if changed else None


def _seam(report: Checked, faults: tuple[Fault, ...], margin: float) -> Motion | None:
    """Spread the difference between the end and the beginning over the last and the first frames."""
    motion, clip = report.motion, report.clip
    count = len(motion)
    size = min(clip.frames(REPAIR.blend + margin), count // 2 - 1)
    if size < 2:
        return None
    skeleton = motion.skeleton
    names = {name for fault in faults for name in fault.joints}
    joints = [skeleton.index(name) for name in names if not name.endswith(PLACE)]
    ends = (np.arange(count) - (count - 1) + size) / size
    begins = (size - np.arange(count)) / size
    late, early = (np.clip(x, 0, 1) ** 2 * (3 - 2 * np.clip(x, 0, 1)) for x in (ends, begins))
    if joints:
        q = motion.poses.local_rotations[:, joints]
        # Half a step before the first frame and half a step after the last should be the same.
        last = _half(q[-2], q[-1])
        first = _half(q[1], q[0])
        gap = to_rotation_vector(multiply(conjugate(last), first))
        share = 0.5 * (late - early)
        turns = multiply(q, from_rotation_vector(share[:, None, None] * gap))
        motion = _with_turns(motion, joints, turns, slice(None))
    roots = [skeleton.index(name.removesuffix(PLACE)) for name in names if name.endswith(PLACE)]
    if roots:
        places = np.array(motion.poses._full_translations())
        for j in roots:
            p = places[:, j]
            gap = (1.5 * p[0] - 0.5 * p[1]) - (1.5 * p[-1] - 0.5 * p[-2])
            flat = gap - (gap @ clip.up) * clip.up
            if np.linalg.norm(flat) > 0.5 * clip.leg:
                gap = (gap @ clip.up) * clip.up
            p += 0.5 * (late - early)[:, None] * gap
        motion = _with_places(motion, places)
    return motion


def _half(a: Floats, b: Floats) -> Floats:
    """Extrapolate rotations by half the step from a to b: quaternions (K, 4)."""
    step = to_rotation_vector(multiply(conjugate(a), b))
    return multiply(b, from_rotation_vector(0.5 * step))


# Feet and ground ----------------------------------------------------------------------------------


def _lowered(report: Checked, faults: tuple[Fault, ...], margin: float) -> Motion | None:
    """Lower the roots of a floating body by the height of its lowest point above the ground."""
    if margin > 0:
        return None
    motion, clip = report.motion, report.clip
    lowest = np.maximum(above_ground(clip).min(axis=1), 0.0) * clip.leg
    drop = np.zeros(len(motion))
    for run in true_runs(lowest > 0):
        if any(fault.start < run.stop and fault.stop > run.start for fault in faults):
            drop[run] = lowest[run]
    half = clip.frames(REPAIR.smoothing)
    kernel = np.hanning(2 * half + 3)[1:-1]
    drop = np.convolve(np.pad(drop, half, mode="edge"), kernel / kernel.sum(), mode="valid")
    places = np.array(motion.poses._full_translations())
    places[:, motion.skeleton.parents < 0] -= (drop[:, None] * clip.up)[:, None]
    return _with_places(motion, places)


def _lifted(report: Checked, faults: tuple[Fault, ...], margin: float) -> Motion | None:
    """Lift feet and hands out of the ground by IK, each by its depth."""
    motion, clip = report.motion, report.clip
    skeleton = motion.skeleton
    inside = np.maximum(REPAIR.clearance - above_ground(clip), 0.0) * clip.leg
    names = {name for fault in faults for name in fault.joints}
    limbs: dict[str, tuple[str | None, list[str]]] = {}
    for name in names:
        path = skeleton.path(None, name)
        foot = next((foot for foot in clip.feet if foot.ankle in path), None)
        if foot is not None:
            limbs.setdefault(foot.ankle, (foot.leg, []))[1].append(name)
        elif len(path) > 3:
            limbs.setdefault(path[-1], (path[-4] if len(path) > 4 else path[1], []))[1].append(name)
    width = clip.frames(REPAIR.lift + 0.5 * margin)
    frames = np.zeros(len(motion), dtype=bool)
    for fault in faults:
        frames[max(0, fault.start - 2 * width) : fault.stop + 2 * width] = True
    if margin > 0.05:  # limbs alone could not: the whole body goes up
        deep = np.maximum(-above_ground(clip), 0.0).max(axis=1) * clip.leg
        rise = _covered(np.where(frames, deep, 0.0), width)
        places = np.array(motion.poses._full_translations())
        places[:, skeleton.parents < 0] += (rise[:, None] * clip.up)[:, None]
        return _with_places(motion, places)
    goals: list[Any] = []
    for end, (root, points) in limbs.items():
        need = inside[:, [clip.column(name) for name in points]].max(axis=1)
        rise = _covered(np.where(frames, need, 0.0), width)
        at = motion.poses.position(end) + rise[:, None] * clip.up
        turn = motion.poses.rotation(end) if end in skeleton.joint_names else None
        goals.append(Reach(end, at, orientation=turn, root=root))
    if not goals:
        return None
    return correct(motion, goals, speed=None).motion


def _planted(report: Checked, faults: tuple[Fault, ...], margin: float) -> Motion | None:
    """Plant sliding feet."""
    motion, clip = report.motion, report.clip
    points = foot_points(clip.feet)
    flags = {name: np.zeros(len(motion), dtype=bool) for name in points}
    found = find_contacts(motion, clip.feet, points, up=clip.up, speed=PLANTING.speed, height=PLANTING.height,
                          ground=clip.terrain)  # fmt: skip
    more = clip.frames(REPAIR.smoothing + margin)
    for fault in faults:
        rows = slice(max(0, fault.start - more), fault.stop + more)
        for foot in clip.feet:
            if foot.ankle in fault.joints:
                for name in filter(None, (foot.ankle, foot.toe)):
                    flags[name][rows] = True
                    for a, b in found[name]:
                        if a < rows.stop and b > rows.start:
                            flags[name][a:b] = True
    contacts = Contacts.from_flags(flags)
    return plant_feet(motion, up=_axis(clip.up), contacts=contacts, feet=[foot.ankle for foot in clip.feet],
                      legs={foot.ankle: foot.leg for foot in clip.feet},
                      ground=clip.given_ground).motion  # fmt: skip


_REPAIRS: tuple[tuple[str, Callable[[Checked, tuple[Fault, ...], float], Motion | None]], ...] = (
    ("bones", _bones),
    ("limits", _limits),
    ("speed", _pops),
    ("acceleration", _pops),
    ("jerk", _shakes),
    ("collision", _collisions),
    ("seam", _seam),
    ("floating", _lowered),
    ("penetration", _lifted),
    ("skate", _planted),
)
