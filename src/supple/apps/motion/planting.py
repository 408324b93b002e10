"""Foot planting: removes foot slide from a motion.

After Kovar, Schreiner & Gleicher 2002, *Footskate Cleanup for Motion Capture Editing*: while a foot
is in contact, its heel, its toe or both stay at a fixed position; before and after, the change fades. The
legs reach their feet by IK, and the hips are lowered where a leg would be too short.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.motion import Motion, concatenated
from supple.apps.motion.contacts import Contacts, find_contacts, foot_points
from supple.apps.motion.correct import UNTOUCHED, Correction, corrected
from supple.apps.motion.feet import Foot, find_feet, up_vector
from supple.apps.motion.ground import Ground, GroundLike
from supple.apps.motion.jumps import Jump, added_jumps
from supple.errors import SuppleError, number, positive, whole
from supple.goals import Reach
from supple.model.skeleton import Pose
from supple.rotations import (
    angle_between,
    between,
    conjugate,
    from_rotation_vector,
    multiply,
    rotate,
    to_rotation_vector,
)
from supple.runs import true_runs
from supple.solve.outcome import Status

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class PlantingRules:
    """When feet are planted, and how exactly. Values without a source are not tuned.

    A motion has a cut between two frames if a joint of a leg turns by more than `cut_turn`, or all joints move by more
    than `cut_distance` on average, and by `cut_times` their usual step. No correction is carried over
    a cut.

    Attributes:
        speed: Below this a foot may stand [leg lengths a second]; more than in `contacts`, since feet that are to be
            planted slide.
        height: Up to this above its lowest height a foot may stand [leg lengths].
        tolerance: How near feet come to their positions [leg lengths].
        orientation_tolerance: How near feet come to their orientations [rad].
        moved: A foot that later goals move farther from its position does not stand there [leg lengths].
        cut_turn: [rad]. A joint that flips turns by 1 rad or more.
        cut_distance: [leg lengths]. After the T-poses of 19 captured clips joints move by 0.25 or more, elsewhere by
            0.15 at most.
        cut_percentile: The step that is usual in the motion is this percentile of its steps.
        cut_times: Factor of the usual step.
        straight: A leg is stretched to this share of its length at most: the knee of a straight leg jerks.
    """

    speed: float = 0.4
    height: float = 0.06
    tolerance: float = 1e-7
    orientation_tolerance: float = 1e-7
    moved: float = 1e-4
    cut_turn: float = 0.5
    cut_distance: float = 0.2
    cut_percentile: int = 99
    cut_times: float = 2.0
    straight: float = 0.99


PLANTING = PlantingRules()

_End = tuple[Any, Floats, Floats]  # of a curve: time, value and rate of change


@dataclass(frozen=True)
class Slide:
    """How much a foot slid before and after planting.

    Attributes:
        foot: Its ankle.
        heel: Whether the heel is in contact in each frame, planted or not, shape (F,).
        toe: Whether the toe is, shape (F,).
        before: Mean speed of heel and toe while in contact [model units a second].
        after: The same in the corrected motion.
    """

    foot: str
    heel: Flags
    toe: Flags
    before: float
    after: float


@dataclass(frozen=True)
class Unplanted:
    """A stance that was not planted, because a joint would jump.

    Attributes:
        foot: Its ankle.
        start: The first frame of the stance.
        stop: The first frame after it.
        jump: The jump that planting would cause.
    """

    foot: str
    start: int
    stop: int
    jump: Jump

    def __str__(self) -> str:
        jump = self.jump
        return (
            f"{self.foot} is not planted in frames {self.start} to {self.stop - 1}: {jump.joint} would jump "
            f"by {jump.step:.3g} {jump.unit} after frame {jump.frame}"
        )


@dataclass(frozen=True, eq=False)
class Planted(Correction):
    """The result of `plant_feet`: a correction, and a report on the feet.

    Frames without targets are untouched.

    Attributes:
        slides: One for each foot.
        lowered: The greatest distance by which the hips were lowered [model units].
        feet: The feet and their legs.
        places: The target of each foot's ankle in each frame, world [model units], shape (F, 3).
        unplanted: The stances that were not planted, because a joint would jump.
        jumps: Jumps of leg joints in `motion` that were not there before; their frames are not reached.
    """

    slides: tuple[Slide, ...] = ()
    lowered: float = 0.0
    feet: tuple[Foot, ...] = ()
    places: tuple[Floats, ...] = ()
    unplanted: tuple[Unplanted, ...] = ()
    jumps: tuple[Jump, ...] = ()

    @property
    def reached(self) -> Flags:
        """Whether each frame's feet are at their targets, and no leg jumps from or to it, shape (F,)."""
        good = self.status <= Status.REACHED
        for jump in self.jumps:
            good[jump.frame : jump.frame + 2] = False
        return good

    @property
    def notes(self) -> tuple[str, ...]:
        """Unplanted stances and remaining jumps, in words."""
        return tuple(map(str, (*self.unplanted, *self.jumps)))

    @property
    def reason(self) -> str:
        """How the frames ended, and the notes, in words."""
        return "; ".join([super().reason, *self.notes])

    def after(self, motion: Motion) -> Planted:
        """The same report, measured on a motion with the same frames that was made from this one.

        Later goals may move planted feet: frames in which they do are not reached.
        """
        status, poses = self.status.copy(), motion.poses
        asked = status >= Status.REACHED
        error = np.zeros(len(motion))
        slides = []
        for foot, places, old in zip(self.feet, self.places, self.slides, strict=True):
            error = np.maximum(error, np.linalg.norm(poses.position(foot.ankle) - places, axis=1))
            moved = np.zeros(len(motion))
            for name in filter(None, (foot.ankle, foot.toe)):
                gap = poses.position(name) - self.motion.poses.position(name)
                moved = np.maximum(moved, np.linalg.norm(gap, axis=1))
            away = (moved > PLANTING.moved * foot.length) & (old.heel | old.toe)
            status[away & (status <= Status.REACHED)] = Status.STALLED
            slides.append(replace(old, after=slide(motion, foot, old.heel, old.toe)))
        error[~asked & (status < Status.REACHED)] = np.nan
        return replace(self, motion=motion, status=status, error=error, slides=tuple(slides))


def plant_feet(
    motion: Motion,
    *,
    feet: Sequence[str] | None = None,
    legs: Mapping[str, str] | None = None,
    up: str = "y",
    speed: float = PLANTING.speed,
    height: float = PLANTING.height,
    contacts: Contacts | None = None,
    ground: GroundLike | None = None,
    blend: float = 0.5,
    lower: bool = True,
    first: int = 0,
    threads: int | None = None,
) -> Planted:
    """Keep feet in place while they are in contact with the ground.

    Contacts are found as by `supple.contacts`, with a greater speed and height, since the feet still slide; the
    ground is level, or given. Heels and toes in contact keep their position, and the foot between them its
    direction; otherwise the foot rotates as before. Only the legs move, and the root if `lower` is set. In a
    loop, a contact continues from the end to the beginning.

    Args:
        motion: The motion to change.
        feet: The ankles; by default the topmost joints called ankle or foot, or else the ends of the
            two lowest limbs.
        legs: The topmost joint of each leg, {ankle: joint}, if it is not found.
        up: The axis that points up: "y", "z", "-x", ...
        speed: Below which a foot may be in contact [lengths of its leg a second].
        height: Above its lowest height up to which it may be in contact [lengths of its leg].
        contacts: The contacts of heels and toes, instead of those found by `speed` and `height`, such as those
            of `supple.contacts`, edited. A heel or toe that is not in them has no contacts.
        ground: The ground that the motion approximately stands on: a height along `up`; a plane [a, b, c, d] with
            a x + b y + c z = d; a function of points (N, 3) in world that gives the heights (N,) of the ground there;
            or a mesh in world, whose highest surface counts. Feet are placed at their usual height above it, and
            while heel and toe are in contact, soles, which are level at rest, lie along it.
        blend: How long the change fades before and after a contact [s]. In a step that takes less than twice
            that, one change blends into the next.
        lower: Whether the root is lowered where a leg is too short for its foot's target.
        first: The frame at which the motion begins. Frames before it, such as a T-pose before the motion, are
            left as they are.
        threads: The greatest number of threads.

    Returns:
        The motion and its report. A stance that makes a joint of a leg jump is not planted and listed in
        `unplanted`: one that adds more than 0.05 leg lengths (or 4 a second) or 0.2 rad (or 12 a second) to a
        step from one frame to the next.

    Raises:
        SuppleError: There are no feet, or contacts are of another motion.
    """
    if not isinstance(motion, Motion):
        raise SuppleError(f"plant_feet: expected a supple.Motion, got a {type(motion).__name__}")
    if whole("first", first):
        if first >= len(motion):
            raise SuppleError(f"first: expected one of the {len(motion)} frames, got {first}")
        if contacts is not None:
            contacts = _contacts_from(contacts, motion, first)
        planted = plant_feet(
            motion[first:], feet=feet, legs=legs, up=up, speed=speed, height=height,
            contacts=contacts, ground=ground, blend=blend, lower=lower, threads=threads,
        )  # fmt: skip
        return _after(planted, motion, first)
    axis = up_vector(up)
    blend = number("blend", blend, "0 or more seconds", lambda x: 0.0 <= x < np.inf)
    speed, height = positive("speed", speed), positive("height", height)
    found = find_feet(motion.skeleton, feet, legs=legs, poses=motion.poses, up=axis)
    points = foot_points(found)
    terrain = None
    if ground is not None:
        terrain = Ground(ground, axis, min(foot.length for foot in found))
    if contacts is None:
        contacts = find_contacts(
            motion, found, points, up=axis, speed=speed, height=height, ground=terrain
        )
    _check_contacts(contacts, motion, points)
    never = np.zeros(len(motion), dtype=bool)
    stands = {name: contacts.flags(name) if name in contacts.joints else never for name in points}
    work = _Work(motion, found, axis, blend, lower, threads, terrain)
    kept, left = dict(stands), list[Unplanted]()
    while True:
        planted, jumps = work.with_fewest_jumps(kept)
        dropped = _dropped(motion, found, kept, jumps, blend)
        if not dropped:
            break
        left += dropped
        for one in dropped:
            for name in foot_points([foot for foot in found if foot.ankle == one.foot]):
                kept[name] = kept[name].copy()
                kept[name][one.start : one.stop] = False
    slides = _slides(motion, planted.motion, found, stands)
    found_jumps = tuple(jump for _, jump in jumps)
    return replace(planted, slides=slides, unplanted=tuple(left), jumps=found_jumps)


def _slides(
    before: Motion, after: Motion, feet: Sequence[Foot], stands: Mapping[str, Flags]
) -> tuple[Slide, ...]:
    """The slide of each foot before and after."""
    found = []
    for foot in feet:
        heel = stands[foot.ankle]
        toe = stands[foot.toe] if foot.toe is not None else np.zeros_like(heel)
        ways = (slide(motion, foot, heel, toe) for motion in (before, after))
        found.append(Slide(foot.ankle, heel, toe, *ways))
    return tuple(found)


def _jumps(before: Motion, after: Motion, feet: Sequence[Foot]) -> list[tuple[Foot, Jump]]:
    """Jumps of leg joints, each with its foot, in the order of frames; without those at cuts of the whole figure."""
    found, cuts = [], _Cuts.of(before, feet).figure
    for foot in feet:
        names = [*before.skeleton.path(foot.leg, foot.ankle), *foot_points([foot])[1:]]
        found += [(foot, jump) for jump in added_jumps(before, after, names, foot.length)
                  if jump.frame not in cuts]  # fmt: skip
    return sorted(found, key=lambda one: one[1].frame)


def _dropped(
    motion: Motion,
    feet: Sequence[Foot],
    stands: Mapping[str, Flags],
    jumps: Sequence[tuple[Foot, Jump]],
    blend: float,
) -> list[Unplanted]:
    """The stances to leave unplanted: of each foot whose leg jumps, those nearest to its jumps.

    If no stance of the foot is near enough to affect the jump, other feet caused it by lowering the root: then theirs.
    """
    found: dict[tuple[str, int], Unplanted] = {}
    for foot, jump in jumps:
        near = _nearest(motion, foot, stands, jump.frame, blend)
        others = [_nearest(motion, other, stands, jump.frame, blend)
                  for other in feet if other is not foot]  # fmt: skip
        for _, name, run in filter(None, [near] if near else others):
            found.setdefault((name, run.start), Unplanted(name, run.start, run.stop, jump))
    return list(found.values())


def _nearest(
    motion: Motion, foot: Foot, stands: Mapping[str, Flags], frame: int, blend: float
) -> tuple[int, str, slice] | None:
    """The stance of a foot nearest to a frame: its distance [frames], ankle and frames; None if none fades there."""
    stance = np.any([stands[name] for name in foot_points([foot])], axis=0)
    count, wide = len(motion), round(blend * motion.fps) + 1
    near = []
    for run in true_runs(stance):
        gaps = [max(run.start + turn - frame, frame + 1 - (run.stop - 1 + turn), 0)
                for turn in ((-count, 0, count) if motion.loop else (0,))]  # fmt: skip
        near.append((min(gaps), foot.ankle, run))
    best = min(near, key=lambda one: one[0], default=None)
    return best if best is not None and best[0] <= wide else None


def _check_frames(contacts: Any, motion: Motion) -> None:
    if not isinstance(contacts, Contacts):
        raise SuppleError(f"contacts: expected supple.Contacts, got a {type(contacts).__name__}")
    if contacts.frames != len(motion):
        raise SuppleError(
            f"contacts: expected those of the motion's {len(motion)} frames, "
            f"got those of {contacts.frames}"
        )


def _contacts_from(contacts: Any, motion: Motion, first: int) -> Contacts:
    """The contacts of a motion from a frame on."""
    _check_frames(contacts, motion)
    return Contacts.from_flags({name: contacts.flags(name)[first:] for name in contacts.joints})


def _check_contacts(contacts: Any, motion: Motion, points: Sequence[str]) -> None:
    _check_frames(contacts, motion)
    if not set(points) & set(contacts.joints):
        raise SuppleError(
            f"contacts: expected some of the feet, {', '.join(map(repr, points))}, "
            f"got {', '.join(map(repr, contacts.joints)) or 'none'}"
        )


@dataclass(frozen=True)
class _Work:
    """The arguments of `plant_feet`, checked."""

    motion: Motion
    feet: Sequence[Foot]
    up: Floats
    blend: float
    lower: bool
    threads: int | None
    ground: Ground | None
    together: bool = False

    def with_fewest_jumps(
        self, stands: Mapping[str, Flags]
    ) -> tuple[Planted, list[tuple[Foot, Jump]]]:
        """The result of `planted` with the fewest jumps, and these jumps: legs solved one by one, or all together.

        Which of many poses of a leg is found depends on the frames that are solved with it, so that one of the two may
        avoid a jump.
        """
        tried = []
        for way in (self, replace(self, together=True)):
            planted = way.planted(stands)
            tried.append((planted, _jumps(self.motion, planted.motion, self.feet)))
            if not tried[-1][1]:
                break
        return min(tried, key=lambda one: len(one[1]))

    def planted(self, stands: Mapping[str, Flags]) -> Planted:
        """The motion with feet planted while flags (F,) of their heels and toes are set."""
        if not self.motion.loop or len(self.motion) < 2:
            return _planted(self, stands)
        # Repeat the loop three times: in the middle one, contacts continue from the end to the beginning.
        three = {name: np.tile(flags, 3) for name, flags in stands.items()}
        around = _planted(replace(self, motion=_around(self.motion)), three)
        return _middle(around, self.motion, self.up)


def _planted(work: _Work, stands: Mapping[str, Flags]) -> Planted:
    motion, found = work.motion, work.feet
    cuts = _Cuts.of(motion, found)
    stances = [_stance(motion, foot, stands, work.blend, work.ground, cuts.legs[foot.ankle])
               for foot in found]  # fmt: skip
    base, drop = motion, np.zeros(len(motion))
    if work.lower:
        base, drop = _lowered(motion, found, stances, work.up, work.blend, cuts.figure)
    length = min(foot.length for foot in found)
    steps: list[Correction] = []
    for legs in _apart_legs(motion, found, work.together):
        goals: list[Reach] = []
        changed = drop > 0
        for k in legs:
            foot, stance = found[k], stances[k]
            goals.append(Reach(foot.ankle, stance.places, orientation=stance.turns, root=foot.leg))
            changed = changed | stance.changed
        mine = sorted({cut for k in legs for cut in cuts.legs[found[k].ankle]})
        edges = [0, *(cut + 1 for cut in mine), len(motion)]
        for start, stop in zip(edges[:-1], edges[1:], strict=True):
            # Frames without targets keep their bits.
            asked = np.zeros(len(motion))
            asked[start:stop] = changed[start:stop]
            if len(steps) and not asked.any():
                continue
            one = corrected(
                steps[-1].motion if steps else base, goals,
                np.broadcast_to(asked, (len(goals), len(motion))),
                tolerance=PLANTING.tolerance * length, orientation_tolerance=PLANTING.orientation_tolerance,
                threads=work.threads,
                smooth=False,  # targets of feet are smooth and exact: on 16 captured clips smoothing adds jumps
            )  # fmt: skip
            steps.append(
                replace(one, seams=tuple(seam for seam in one.seams if seam.frame not in mine))
            )
    done = _together(steps)
    result = done.motion
    parts: dict[str, Any] = {
        name: getattr(done, name) for name in ("status", "error", "weight", "seams", "limited")
    }
    places = tuple(stance.places for stance in stances)
    return Planted(
        motion=result, **parts, lowered=float(drop.max()), feet=tuple(found), places=places,
    )  # fmt: skip


def _apart_legs(motion: Motion, feet: Sequence[Foot], together: bool) -> list[list[int]]:
    """Indices of feet that are solved together: each alone, or all if asked for or if legs share joints.

    Solved alone, a leg without targets stays untouched while the other is corrected.
    """
    paths = [set(motion.skeleton.path(foot.leg, foot.ankle)) for foot in feet]
    if together or sum(map(len, paths)) > len(set[str]().union(*paths)):
        return [list(range(len(feet)))]
    return [[k] for k in range(len(feet))]


def _together(steps: Sequence[Correction]) -> Correction:
    """Merge successive corrections of different joints of one motion."""
    if len(steps) == 1:
        return steps[0]
    return Correction(
        steps[-1].motion,
        np.max([one.status for one in steps], axis=0),
        np.fmax.reduce([one.error for one in steps]),
        np.max([one.weight for one in steps], axis=0),
        tuple(sorted((seam for one in steps for seam in one.seams), key=lambda seam: seam.frame)),
        tuple(dict.fromkeys(name for one in steps for name in one.limited)),
        {frame: why for one in steps for frame, why in one.reasons.items()},
    )


def _around(motion: Motion) -> Motion:
    """A loop repeated three times."""
    poses = motion.poses
    parts = [None if x is None else np.concatenate([x] * 3)
             for x in (poses.packed_coordinates, poses.translations, poses.scales)]  # fmt: skip
    start, period = motion.times - motion.times[0], motion.duration + 1.0 / motion.fps
    times = np.concatenate([start + k * period for k in range(3)])
    return Motion(motion.name, Pose(motion.skeleton, *parts), fps=motion.fps, times=times)


def _middle(around: Planted, motion: Motion, up: Floats) -> Planted:
    """The second of three repetitions, as a loop again."""
    count = len(motion)
    turn = slice(count, 2 * count)
    result = motion.with_(poses=around.motion.poses[turn])
    begun = float(around.motion.times[count] - around.motion.times[0])
    inside = [replace(seam, frame=seam.frame - count, time=seam.time - begun)
              for seam in around.seams if count <= seam.frame < 2 * count - 1]  # fmt: skip
    roots = motion.skeleton.parents < 0
    down = motion.poses.local_translations[:, roots] - result.poses.local_translations[:, roots]
    return replace(
        around, motion=result, status=around.status[turn], error=around.error[turn],
        weight=around.weight[turn], seams=tuple(inside),
        lowered=max(0.0, float((down @ up).max())),
        places=tuple(places[turn] for places in around.places),
    )  # fmt: skip


def _after(planted: Planted, motion: Motion, first: int) -> Planted:
    """The result for a whole motion, from that for its frames from `first` on; frames before are unchanged."""
    begun = float(motion.times[first] - motion.times[0])
    before = np.zeros(first, dtype=bool)
    poses = concatenated([motion.poses[:first], planted.motion.poses])
    return replace(
        planted,
        motion=motion.with_(poses=poses),
        status=np.concatenate([np.full(first, UNTOUCHED), planted.status]),
        error=np.concatenate([np.full(first, np.nan), planted.error]),
        weight=np.concatenate([np.zeros(first), planted.weight]),
        seams=tuple(
            replace(seam, frame=seam.frame + first, time=seam.time + begun)
            for seam in planted.seams
        ),
        slides=tuple(
            replace(
                one,
                heel=np.concatenate([before, one.heel]),
                toe=np.concatenate([before, one.toe]),
            )
            for one in planted.slides
        ),
        places=tuple(
            np.concatenate([motion.poses[:first].position(foot.ankle), places])
            for foot, places in zip(planted.feet, planted.places, strict=True)
        ),
        unplanted=tuple(
            replace(one, start=one.start + first, stop=one.stop + first, jump=one.jump.later(first))
            for one in planted.unplanted
        ),
        jumps=tuple(jump.later(first) for jump in planted.jumps),
    )


def slide(motion: Motion, foot: Foot, heel: Flags, toe: Flags) -> float:
    """Mean speed of heel and toe while in contact [model units a second]."""
    way, time = 0.0, 0.0
    gaps = np.diff(motion.times)
    for name, flags in ((foot.ankle, heel), (foot.toe, toe)):
        if name is not None:
            both = flags[1:] & flags[:-1]
            steps = np.linalg.norm(np.diff(motion.poses.position(name), axis=0), axis=1)
            way += float(steps[both].sum())
            time += float(gaps[both].sum())
    return way / time if time else 0.0


@dataclass(frozen=True)
class _Stance:
    """The target of a foot: ankle (F, 3) and its rotation (F, 4), and in which frames they change."""

    heel: Flags
    toe: Flags
    places: Floats
    turns: Floats
    changed: Flags


def _stance(
    motion: Motion,
    foot: Foot,
    stands: Mapping[str, Flags],
    blend: float,
    ground: Ground | None,
    cuts: Sequence[int],
) -> _Stance:
    poses = motion.poses
    ankle, turns = poses.position(foot.ankle), poses.rotation(foot.ankle)
    end = poses.position(foot.toe) if foot.toe is not None else ankle
    heel = stands[foot.ankle]
    toe = stands[foot.toe] if foot.toe is not None else np.zeros(len(motion), dtype=bool)
    flat, stance = heel & toe, heel | toe
    along = end - ankle
    turned = np.zeros_like(ankle)
    for run in true_runs(flat):
        if ground is not None:
            turned[run] = _along_ground(motion, foot, run, ground)
            continue
        mean = along[run].mean(axis=0)
        turned[run] = to_rotation_vector(
            between(along[run], np.broadcast_to(mean, along[run].shape))
        )
    own = angle_between(turns[:-1], turns[1:])
    turned = faded(turned, flat, motion.times, blend, {k: float(own[k]) for k in cuts})
    turn = from_rotation_vector(turned)
    along = rotate(turn, along)
    shift = np.zeros_like(ankle)
    clear = (
        (0.0, 0.0) if ground is None else (_clear(ground, ankle, heel), _clear(ground, end, toe))
    )
    for run in true_runs(stance):
        shift[run] = _path(along[run], heel[run]) - ankle[run]
        shift[run] -= shift[run].mean(axis=0)  # least change in the mean
        if ground is not None:
            shift[run] += _onto(ground, ankle[run] + shift[run], along[run], heel[run], clear)
    own = np.linalg.norm(np.diff(ankle, axis=0), axis=1)
    shift = faded(shift, stance, motion.times, blend, {k: float(own[k]) for k in cuts})
    changed = np.any((shift != 0) | (turned != 0), axis=1)
    return _Stance(heel, toe, ankle + shift, multiply(turn, turns), changed)


class _Cuts(NamedTuple):
    """The frames after which the source motion jumps.

    Attributes:
        figure: Jumps of the whole figure, as after a T-pose.
        legs: By ankle, jumps of its leg: with the whole figure, or where a joint flips.
    """

    figure: list[int]
    legs: Mapping[str, list[int]]

    @classmethod
    def of(cls, motion: Motion, feet: Sequence[Foot]) -> _Cuts:
        """Find the cuts of a motion."""
        skeleton = motion.skeleton
        joints = motion.poses.positions[:, : len(skeleton.joint_names)]
        ways = np.linalg.norm(np.diff(joints, axis=0), axis=-1).mean(axis=1)
        figure = _outliers(ways / feet[0].length, PLANTING.cut_distance)
        turns = motion.poses.local_rotations
        legs = {}
        for foot in feet:
            leg = turns[:, [skeleton.index(name) for name in skeleton.path(foot.leg, foot.ankle)]]
            steps = angle_between(leg[:-1], leg[1:]).max(axis=1)
            legs[foot.ankle] = sorted({*figure, *_outliers(steps, PLANTING.cut_turn)})
        return cls(figure, legs)


def _outliers(steps: Floats, most: float) -> list[int]:
    """Where steps (F - 1,) are larger than `most`, and several times as large as usual."""
    if not len(steps):
        return []
    usual = float(np.percentile(steps, PLANTING.cut_percentile))
    return np.flatnonzero(steps > max(most, PLANTING.cut_times * usual)).tolist()


def _along_ground(motion: Motion, foot: Foot, run: slice, ground: Ground) -> Floats:
    """Rotation vectors (n, 3) that lay a foot along the ground and keep it still in some frames.

    The rotation is that of the middle frame, tilted so that the foot's up direction at rest is the ground's normal.
    """
    poses = motion.poses
    turns = poses.rotation(foot.ankle)[run]
    sole = rotate(conjugate(motion.skeleton.rest.rotation(foot.ankle)), ground.up)
    middle = turns[len(turns) // 2]
    normal = ground.normal(poses.position(foot.ankle)[run].mean(axis=0))
    still = multiply(between(rotate(middle, sole), normal), middle)
    return to_rotation_vector(multiply(still, conjugate(turns)))


def _clear(ground: Ground, points: Floats, stands: Flags) -> float:
    """The median height of a point (F, 3) above the ground while it is in contact."""
    if not stands.any():
        return 0.0
    return float(np.median(points[stands] @ ground.up - ground.heights(points[stands])))


def _onto(
    ground: Ground, places: Floats, along: Floats, heel: Flags, clear: tuple[float, float]
) -> Floats:
    """The vertical translation (3,) that puts a foot in contact on the ground."""
    points = places[heel] if heel.any() else places + along
    above = points @ ground.up - ground.heights(points)
    return ((clear[0] if heel.any() else clear[1]) - float(above.mean())) * ground.up


def _path(along: Floats, heel: Flags) -> Floats:
    """The path (F, 3) of the ankle of a foot in contact, starting at the origin.

    The ankle stays while the heel is in contact, and otherwise pivots about the toe, which is at offset `along` (F, 3).
    """
    steps = np.where((heel[1:] & heel[:-1])[:, None], 0.0, -np.diff(along, axis=0))
    return np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])


def faded(
    values: Floats,
    flags: Flags,
    times: Floats,
    blend: float,
    cuts: Mapping[int, float] | None = None,
) -> Floats:
    """Values (F, 3) where flags are set, and smooth curves to 0 in between.

    The curves are cubic Hermite over at most `blend` [s]; if two flagged runs are nearer to each other
    than twice that, one curve connects them. If the motion itself jumps after a frame by more than a
    value, the value is kept up to that frame and is 0 beyond: no fading is needed there.

    Args:
        values: Values to fade, shape (F, 3).
        flags: Where they are given, shape (F,).
        times: Of the frames [s], shape (F,).
        blend: How long values fade [s].
        cuts: The frames after which the motion jumps, and by how much, in the unit of the values.
    """
    result = np.where(flags[:, None], values, 0.0)
    runs = true_runs(flags)
    if not runs or blend <= 0:
        return result
    zero = np.zeros(3)

    def cut(at: int, frames: range) -> int | None:
        """The first of some frames after which the motion jumps by more than the value at a frame."""
        size = float(np.linalg.norm(values[at]))
        return next((k for k in frames if k in (cuts or {}) and (cuts or {})[k] > size), None)

    def slope(at: int, other: int) -> Floats:
        return (values[at] - values[other]) / (times[at] - times[other]) if at != other else zero

    def fill(rows: slice, a: _End, b: _End) -> None:
        gap = b[0] - a[0]
        t = ((times[rows] - a[0]) / gap)[:, None]
        result[rows] = (
            (2 * t**3 - 3 * t**2 + 1) * a[1]
            + (t**3 - 2 * t**2 + t) * gap * a[2]
            + (3 * t**2 - 2 * t**3) * b[1]
            + (t**3 - t**2) * gap * b[2]
        )

    ends = [(run.stop - 1, slope(run.stop - 1, max(run.start, run.stop - 2))) for run in runs]
    begins = [(run.start, slope(run.start, min(run.stop - 1, run.start + 1))) for run in runs]
    for k in range(len(runs) + 1):
        last = ends[k - 1] if k > 0 else None
        first = begins[k] if k < len(runs) else None
        after = cut(last[0], range(last[0], first[0] if first else len(flags))) if last else None
        before = (
            cut(first[0], range(first[0] - 1, last[0] - 1 if last else -1, -1)) if first else None
        )
        parted = after is not None or before is not None
        if last and first and not parted and times[first[0]] - times[last[0]] <= 2 * blend:
            a, b = last[0], first[0]
            fill(slice(a + 1, b), (times[a], values[a], last[1]), (times[b], values[b], first[1]))
            continue
        if last:
            a, until = last[0], times[last[0]] + blend
            stop = int(np.searchsorted(times, until))
            if after is not None and after < stop:
                result[a + 1 : after + 1] = values[a]
            else:
                fill(slice(a + 1, stop), (times[a], values[a], last[1]), (until, zero, zero))
        if first:
            b, since = first[0], times[first[0]] - blend
            start = int(np.searchsorted(times, since, side="right"))
            if before is not None and before >= start:
                result[before + 1 : b] = values[b]
            else:
                fill(slice(start, b), (since, zero, zero), (times[b], values[b], first[1]))
    return result


def _lowered(
    motion: Motion,
    feet: Sequence[Foot],
    stances: Sequence[_Stance],
    up: Floats,
    blend: float,
    cuts: Sequence[int],
) -> tuple[Motion, Floats]:
    """The motion with its roots lowered where a leg would be too short, and how far (F,)."""
    need = np.zeros(len(motion))
    for foot, stance in zip(feet, stances, strict=True):
        hip = motion.poses.position(foot.leg)
        path = motion.skeleton.path(foot.leg, foot.ankle)
        bones = np.diff([motion.poses.position(name) for name in path], axis=0)
        reach = PLANTING.straight * np.linalg.norm(bones, axis=-1).sum(axis=0)
        way = stance.places - hip
        level = way @ up
        flat = np.linalg.norm(way - level[:, None] * up, axis=1)
        room = np.sqrt(np.maximum(reach**2 - flat**2, 0.0))
        need = np.maximum(need, np.where(stance.changed, -level - room, 0.0))
    if need.max(initial=0.0) <= 0:
        return motion, need
    drop = np.zeros(len(motion))
    edges = [0, *(cut + 1 for cut in cuts), len(motion)]
    for start, stop in zip(edges[:-1], edges[1:], strict=True):
        drop[start:stop] = _covered(need[start:stop], max(1, round(blend * motion.fps)))
    skeleton = motion.skeleton
    places = np.array(motion.poses._full_translations())
    places[:, skeleton.parents < 0] -= (drop[:, None] * up)[:, None]
    poses = Pose._wrap(skeleton, motion.poses.packed_coordinates, places, motion.poses._scales)
    return motion.with_(poses=poses), drop


def _covered(values: Floats, width: int) -> Floats:
    """A smooth upper bound (F,) of values: a moving average of their moving maximum."""
    padded = np.pad(values, 2 * width, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * width + 1)
    highest = windows.max(axis=1)
    # A mean of maxima over the same width is nowhere below the values; twice, it has no kinks.
    kernel = np.hanning(2 * width + 3)[1:-1]
    return np.convolve(highest, kernel / kernel.sum(), mode="valid")
