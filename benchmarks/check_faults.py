"""Seed faults into clips and count what `supple.check` finds: python benchmarks/check_faults.py FOLDER.

Clips are cut out of the files of FOLDER, and mirrored, until there are enough. Into each goes one fault of every
kind, which must be found where it is; what is found in the clips as they were is a false alarm. A clip's own
skate and pops are what they are in captured motion, so that budgets stand beside what is usual in each clip.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measuring import parser

import supple
from supple.apps.character.character import DAMAGE
from supple.apps.motion.checks import PROFILES
from supple.apps.motion.checks.clip import Clip
from supple.apps.motion.checks.joints import trunk
from supple.kernels.layout import Q
from supple.model.matching import put_rotations
from supple.model.mirror import mirrored_poses, partner
from supple.model.skeleton import Pose
from supple.rotations import (
    conjugate,
    from_axis_angle,
    multiply,
    normalize,
    rotate,
)

FAULT_SEED = 7
BEYOND = (
    "swap",
    "frozen",
    *DAMAGE,
)  # what a repair cannot do: it would have to know what is not in the motion
CLIP_SECONDS = (2.0, 3.0, 4.5)  # of clips [s]


class Case:
    """A clip and what faults are seeded into."""

    def __init__(self, name: str, motion: supple.Motion, up: str) -> None:
        self.name, self.motion, self.up = name, motion, up
        self.clip = Clip(motion, up=up, ground=None, capsules=None, loop=False)


def cases(folder: Path, count: int) -> list[Case]:
    """Clips of real files: with feet, two seconds or more, and without their leading rest pose."""
    whole: list[tuple[str, supple.Motion, str]] = []
    for path in sorted(folder.rglob("*.bvh")):
        try:
            character = supple.load(path)
        except supple.SuppleError:
            continue
        motion = next(iter(character.motions.values()), None)
        if motion is None or motion.duration < CLIP_SECONDS[0] or character.up is None:
            continue
        if not Clip(motion, up=character.up, ground=None, capsules=None, loop=False).feet:
            continue
        whole.append((path.stem, motion[2:], character.up))
    found: list[Case] = []
    rng = np.random.default_rng(FAULT_SEED)
    while len(found) < count:
        for name, motion, up in whole:
            if len(found) == count:
                break
            length = float(rng.choice([x for x in CLIP_SECONDS if x <= motion.duration]))
            frames = int(length * motion.fps)
            first = int(rng.integers(0, len(motion) - frames + 1))
            piece = motion[first : first + frames]
            if rng.random() < 0.3 and up != "x":
                piece = piece.mirrored(axis="x")
            found.append(Case(f"{name}[{first}:{first + frames}]", piece, up))
    return found


# Seeds: each gives a motion, the frames of the fault, and options of check ------------------------

Seeded = tuple[supple.Motion | supple.Character, slice, dict[str, Any]]


def bump(count: int, start: int, stop: int, fade: int) -> np.ndarray:
    """1 from start to stop, smoothly 0 outside, shape (count,)."""
    t = np.arange(count)
    up = np.clip((t - start + fade) / fade, 0, 1)
    down = np.clip((stop - 1 + fade - t) / fade, 0, 1)
    share = np.minimum(up, down)
    return share * share * (3 - 2 * share)


def turned(motion: supple.Motion, joint: str, turns: np.ndarray) -> supple.Motion:
    """The motion with a joint turned in its own frame by quaternions (F, 4)."""
    skeleton = motion.skeleton
    j = skeleton.index(joint)
    local = multiply(conjugate(skeleton.rotations[j]), motion.poses.local_rotations[:, j])
    q = np.array(motion.poses.coordinates)
    put_rotations(skeleton.joints[j], multiply(local, turns), q, int(skeleton.packed_ints[j, Q]))
    return motion.with_(poses=Pose(skeleton, q, motion.poses.translations, motion.poses.scales))


def raised(motion: supple.Motion, way: np.ndarray) -> supple.Motion:
    """The motion with its roots moved by (F, 3)."""
    skeleton = motion.skeleton
    places = np.array(motion.poses._full_translations())
    places[:, skeleton.parents < 0] += way[:, None]
    return motion.with_(poses=Pose(skeleton, motion.poses.coordinates, places, motion.poses.scales))


def span(case: Case, rng: np.random.Generator, seconds: float) -> tuple[int, int]:
    count = len(case.motion)
    long = max(3, round(seconds * case.motion.fps))
    start = int(rng.integers(count // 8, max(count // 8 + 1, count - long - count // 8)))
    return start, min(start + long, count - 2)


def limb(case: Case, rng: np.random.Generator) -> str:
    """A joint of an arm or leg, with a bone below it."""
    names = [name for foot in case.clip.feet
             for name in case.motion.skeleton.path(foot.leg, foot.ankle)[:-1]]  # fmt: skip
    arms = [name for name in case.motion.skeleton.joint_names
            if any(word in name.lower() for word in ("arm", "elbow", "shoulder"))
            and case.motion.skeleton.children(name)]  # fmt: skip
    return str(rng.choice([*names, *arms]))


def skate(case: Case, rng: np.random.Generator) -> Seeded | None:
    """A standing foot that slides by a fifth of a leg or more: the whole body drifts over it."""
    clip = case.clip
    runs = [(a, b) for foot in clip.feet for a, b in _stances(clip, foot)
            if b - a >= 0.35 * clip.fps and still(clip, foot, a, b)]  # fmt: skip
    if not runs:
        return None
    start, stop = runs[int(rng.integers(len(runs)))]
    start, stop = start + 1, min(stop - 1, start + 1 + round(0.6 * clip.fps))
    far = 0.5 * (stop - start) / clip.fps  # leg lengths, at half a leg a second
    share = np.clip((np.arange(len(case.motion)) - start) / (stop - start), 0, 1)
    direction = np.cross(clip.up, [0.3, 0.8, -0.5])
    way = far * clip.leg * share[:, None] * direction / np.linalg.norm(direction)
    return raised(case.motion, way), slice(start, stop), {}


def still(clip: Clip, foot: Any, start: int, stop: int) -> bool:
    """Whether a foot stands still in the clip as it was: one that slides anyway cannot be made to."""
    from supple.apps.motion.checks.ground import _slide

    return float(_slide(clip, foot)[0][start + 2 : stop - 2].max()) < 0.3


def _stances(clip: Clip, foot: Any) -> list[tuple[int, int]]:
    flags = clip.stands[foot.ankle].copy()
    edges = np.flatnonzero(np.diff(np.r_[False, flags, False].astype(int)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def penetration(case: Case, rng: np.random.Generator) -> Seeded | None:
    """The body goes down by 8% of a leg for a while in which a foot stands."""
    clip = case.clip
    span_ = _standing(case, rng, 0.5)
    if span_ is None:
        return None
    start, stop = span_
    way = -0.08 * clip.leg * bump(len(case.motion), start, stop, clip.frames(0.3))
    return raised(case.motion, way[:, None] * clip.up), slice(start, stop), {}


def floating(case: Case, rng: np.random.Generator) -> Seeded | None:
    """The body goes up by 10% of a leg for half a second in which a foot stands."""
    clip = case.clip
    span_ = _standing(case, rng, 0.5)
    if span_ is None:
        return None
    start, stop = span_
    way = 0.1 * clip.leg * bump(len(case.motion), start, stop, clip.frames(0.3))
    return raised(case.motion, way[:, None] * clip.up), slice(start, stop), {}


def hover(case: Case, rng: np.random.Generator) -> Seeded | None:
    """The body goes up at once by 10% to 30% of a leg for a third of a second, over a foot that stands."""
    clip = case.clip
    span_ = _standing(case, rng, 0.33)
    if span_ is None:
        return None
    start, stop = span_
    fade, high = clip.frames(rng.uniform(0.02, 0.1)), rng.uniform(0.1, 0.3)
    way = high * clip.leg * bump(len(case.motion), start, stop, fade)
    return raised(case.motion, way[:, None] * clip.up), slice(start, stop), {}


def _standing(case: Case, rng: np.random.Generator, seconds: float) -> tuple[int, int] | None:
    stands = np.any([case.clip.stands[foot.ankle] | case.clip.stands.get(foot.toe, False)
                     for foot in case.clip.feet], axis=0)  # fmt: skip
    from supple.apps.motion.checks.ground import above_ground

    # On level ground: neither on a step nor in a chair.
    stands &= np.abs(above_ground(case.clip).min(axis=1)) < 0.03
    long = max(4, round(seconds * case.motion.fps))
    share = np.convolve(stands, np.ones(long) / long, mode="valid")
    starts = np.flatnonzero(share > 0.9)
    starts = starts[(starts > 2) & (starts + long < len(stands) - 2)]
    if not len(starts):
        return None
    start = int(rng.choice(starts))
    return start, start + long


def speed(case: Case, rng: np.random.Generator) -> Seeded:
    """A joint jumps by 35 degrees for 1 to 4 frames."""
    joint = limb(case, rng)
    start, _ = span(case, rng, 0.3)
    long = int(rng.integers(1, 5))
    angle = np.zeros(len(case.motion))
    angle[start : start + long] = np.radians(35)
    axis = _axis(rng)
    return (
        turned(case.motion, joint, from_axis_angle(axis, angle)),
        slice(start, start + long + 1),
        {},
    )


def acceleration(case: Case, rng: np.random.Generator) -> Seeded:
    """A joint goes off at once and comes back at once: a triangle without a jump."""
    joint = limb(case, rng)
    half = max(3, round(0.1 * case.motion.fps))
    start, _ = span(case, rng, 2 * half / case.motion.fps)
    # The change of speed is 10 rad/s, or what the clip does anyway several times over.
    rate = max(10.0, 8.0 * usual_change(case, joint))
    t = np.arange(len(case.motion)) - start
    angle = rate / case.motion.fps * np.clip(np.minimum(t, 2 * half - t), 0, None)
    angle = np.minimum(angle, 2.5)
    return (
        turned(case.motion, joint, from_axis_angle(_axis(rng), angle)),
        slice(start, start + 2 * half + 1),
        {},
    )


def usual_change(case: Case, joint: str) -> float:
    from supple.apps.motion.checks.pops import steps

    names, vectors = steps(case.motion, case.clip.leg)
    sizes = np.linalg.norm(np.diff(vectors, axis=0), axis=-1) * case.motion.fps
    return float(np.percentile(sizes[:, names.index(joint)], 90))


def _axis(rng: np.random.Generator) -> np.ndarray:
    axis = rng.normal(size=3)
    return axis / np.linalg.norm(axis)


def limits(case: Case, rng: np.random.Generator) -> Seeded:
    """A joint goes 12 degrees beyond the limits learnt from the clip."""
    limited = supple.learn_limits(case.motion.skeleton, case.motion, margin=0.01)
    motion = case.motion.on(limited)
    start, stop = span(case, rng, 0.4)
    for _ in range(50):
        joint, axis = limb(case, rng), _axis(rng)
        share = bump(len(motion), start, stop, max(2, round(0.15 * motion.fps)))
        for angle in np.radians([12, 30, 60, 110]):
            bent = turned(case.motion, joint, from_axis_angle(axis, angle * share)).on(limited)
            if bent.poses.violations()[start:stop].max() > np.radians(10):
                return bent, slice(start, stop), {"limits": limited}
    raise AssertionError("no joint goes outside")


def bones(case: Case, rng: np.random.Generator) -> Seeded:
    """A bone gets longer by 8% for a while."""
    joint = case.motion.skeleton.children(limb(case, rng))[0]
    skeleton = case.motion.skeleton
    while (
        joint not in skeleton.joint_names
        or np.linalg.norm(skeleton.offsets[skeleton.index(joint)]) < 0.02 * case.clip.leg
    ):
        joint = skeleton.children(limb(case, rng))[0]
    start, stop = span(case, rng, 0.4)
    places = np.array(case.motion.poses._full_translations())
    share = bump(len(places), start, stop, max(2, round(0.1 * case.motion.fps)))
    places[:, skeleton.index(joint)] *= 1.0 + 0.08 * share[:, None]
    poses = Pose(skeleton, case.motion.poses.coordinates, places, case.motion.poses.scales)
    return case.motion.with_(poses=poses), slice(start, stop), {}


def collision(case: Case, rng: np.random.Generator) -> Seeded | None:
    """A hand is led into the middle of the trunk, or a foot into the other leg."""
    skeleton = case.motion.skeleton
    start, stop = span(case, rng, 0.4)
    hands = [name for name in skeleton.joint_names
             if any(word in name.lower() for word in ("hand", "wrist"))
             and len(skeleton.path(None, name)) > 4]  # fmt: skip
    if hands:
        hand = min(hands, key=lambda name: len(skeleton.path(None, name)))
        path = skeleton.path(None, hand)
        at = case.motion.poses
        root = path[-4] if len(path) > 6 else path[-3]
        hips = np.mean([at.position(foot.leg) for foot in case.clip.feet], axis=0)
        chest = at.position(skeleton.parent(root) or path[0])
        middle = hips + 0.5 * (chest - hips)
        goal = supple.Reach(hand, middle, root=root)
    else:
        a, b = case.clip.feet[:2]
        knee = skeleton.path(b.leg, b.ankle)[1]
        goal = supple.Reach(a.ankle, case.motion.poses.position(knee), root=a.leg)
    window = supple.Window(start / case.motion.fps, (stop - 1) / case.motion.fps, 0.3)
    done = supple.correct(case.motion, [goal], window=window, speed=None)
    return done.motion, slice(start, stop), {}


def looped(motion: supple.Motion) -> supple.Motion:
    """A loop: the first frames lead over from what comes after the last, in place."""
    fade = min(len(motion) // 3, round(0.4 * motion.fps))
    body = motion[: len(motion) - fade]
    after = motion.poses[len(motion) - fade :]
    share = (np.arange(fade) + 1) / (fade + 1)
    share = share * share * (3 - 2 * share)
    head = after.interpolate(motion.poses[:fade], share)
    q = np.array(body.poses.coordinates)
    q[:fade] = head.coordinates
    places = np.array(body.poses._full_translations())
    places[:fade] = head._full_translations()
    return body.with_(poses=Pose(motion.skeleton, q, places, body.poses.scales), loop=True)


def seam(case: Case, rng: np.random.Generator) -> Seeded:
    """A loop whose joint does not come back: it drifts by 25 degrees to the end."""
    loop = looped(case.motion)
    count = len(loop)
    share = np.linspace(0, 1, count) ** 2
    own = supple.check(loop, up=case.up, kinds=["seam"]).measures["seam"]
    for _ in range(50):  # a joint that comes back in the loop as it is
        joint = limb(case, rng)
        if own.values[-1, own.names.index(joint)] < 0.5 * own.budget[0]:
            break
    bent = turned(loop, joint, from_axis_angle(_axis(rng), np.radians(25) * share))
    return bent, slice(count - 1, count), {}


def swap(case: Case, rng: np.random.Generator) -> Seeded | None:
    """Limbs of left and right exchanged for a while: mirrored in the body, or with the figure turned about."""
    motion, skeleton = case.motion, case.motion.skeleton
    start, stop = span(case, rng, 0.4)
    names = skeleton.joint_names
    if not symmetric(case):
        return None
    mirror = mirrored_poses(motion.poses, axis="x", pairs=None)
    if rng.random() < 0.5:
        # The limbs' own turns of the other side; trunk and place stay.
        chosen = [k for k, name in enumerate(names) if partner(name, names) != name]
    else:
        # All of it but what carries the figure, which stays where it is and faces as it does: labels are exchanged.
        carries = trunk(skeleton)
        chosen = [k for k, name in enumerate(names) if name not in carries]
    rows = np.array(motion.poses.coordinates)
    local = mirror.local_rotations
    for k in chosen:
        turns = multiply(conjugate(skeleton.rotations[k]), local[start:stop, k])
        part = rows[start:stop]
        put_rotations(skeleton.joints[k], turns, part, int(skeleton.packed_ints[k, Q]))
        rows[start:stop] = part
    swapped = motion.with_(
        poses=Pose(skeleton, rows, motion.poses.translations, motion.poses.scales)
    )
    # Where both sides do the same, nothing changes, and there is nothing to find.
    moved = np.linalg.norm(swapped.poses.positions - motion.poses.positions, axis=-1)
    if moved[start].max() < 0.35 * case.clip.leg and moved[stop - 1].max() < 0.35 * case.clip.leg:
        return None
    return swapped, slice(start, stop + 1), {}


def symmetric(case: Case) -> bool:
    """Whether the rest pose is its own mirror image along x: else mirrored turns are not those of the other side."""
    skeleton = case.motion.skeleton
    names = skeleton.joint_names
    at = {name: skeleton.rest.position(name) for name in names}
    middle = np.mean([at[foot.leg] for foot in case.clip.feet[:2]], axis=0)[0]
    flip = [np.abs((2 * middle - at[name][0], *at[name][1:]) - at[partner(name, names)]).max()
            for name in names if partner(name, names) != name]  # fmt: skip
    return bool(flip) and max(flip) < 0.1 * case.clip.leg


def frozen(case: Case, rng: np.random.Generator) -> Seeded | None:
    """The motion stops dead where it moves, and stays so to its end, for 0.3 s or more."""
    motion, count = case.motion, len(case.motion)
    steps = np.linalg.norm(np.diff(case.clip.positions, axis=0), axis=-1) / case.clip.leg
    moves = np.convolve(steps.max(axis=1) * motion.fps, np.ones(4) / 4, mode="same") > 0.3
    frames = np.flatnonzero(moves[count // 4 : count - round(0.3 * motion.fps)]) + count // 4
    if not len(frames):
        return None
    last = int(rng.choice(frames))
    rows = np.minimum(np.arange(count), last)
    return motion.with_(poses=motion.poses[rows]), slice(last + 1, count), {}


def truncated(case: Case, rng: np.random.Generator) -> Seeded:
    """A file that ends somewhere in its frames, mostly within a line."""
    head, frames = written(case)
    keep = int(rng.integers(len(frames) // 4, len(frames)))
    count = frames[:keep].count("\n")
    text = head + frames[:keep].rstrip("-.e")  # a lone sign is no number: an error of the reader
    return read(text, case), slice(count, len(case.motion)), {"kinds": ["bones"]}


def not_a_number(case: Case, rng: np.random.Generator) -> Seeded:
    """A file with a value that is no number."""
    head, frames = written(case)
    lines = [line.split() for line in frames.strip().splitlines()]
    k = int(rng.integers(1, len(lines)))
    lines[k][int(rng.integers(len(lines[k])))] = str(rng.choice(["nan", "-nan", "inf", "1.#QNAN"]))
    text = "\n".join(map(" ".join, lines)) + "\n"
    return read(head + text, case), slice(k, k + 1), {"kinds": ["bones"]}


def written(case: Case) -> tuple[str, str]:
    """A clip as a BVH file: up to its frames, and the lines of these."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.bvh"
        supple.save(case.motion, path)
        text = path.read_text()
    at = text.index("\n", text.index("Frame Time")) + 1
    return text[:at], text[at:]


def read(text: str, case: Case) -> supple.Character:
    """The character of a BVH file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clip.bvh"
        path.write_text(text)
        return supple.load(path, up=case.up)


SEEDS: dict[str, Callable[[Case, np.random.Generator], Seeded | None]] = {
    "skate": skate,
    "penetration": penetration,
    "floating": floating,
    "speed": speed,
    "acceleration": acceleration,
    "limits": limits,
    "bones": bones,
    "collision": collision,
    "seam": seam,
    "swap": swap,
    "hover": hover,
    "frozen": frozen,
    "truncated": truncated,
    "not_a_number": not_a_number,
}
KIND_OF = {"hover": "floating"}  # where a seed is not called as the kind of its fault


def moved(motion: supple.Motion, up: np.ndarray) -> supple.Motion:
    """The same motion elsewhere, turned about, and with noise of 1e-5 rad: nothing that a check should mind."""
    turn = from_axis_angle(up, 0.6)
    skeleton = motion.skeleton
    rng = np.random.default_rng(FAULT_SEED)
    q = np.array(motion.poses.coordinates)
    places = np.array(motion.poses._full_translations())
    local = motion.poses.local_rotations
    for j, joint in enumerate(skeleton.joints):
        at = local[:, j]
        if skeleton.parents[j] < 0:
            at = multiply(turn, at)
            places[:, j] = rotate(turn, places[:, j]) + 3.0 * np.cross(up, [0.3, 0.8, -0.5])
        noise = normalize(
            np.concatenate([np.ones((len(q), 1)), 1e-5 * rng.normal(size=(len(q), 3))], axis=1)
        )
        own = multiply(conjugate(skeleton.rotations[j]), multiply(at, noise))
        put_rotations(joint, own, q, int(skeleton.packed_ints[j, Q]))
    return motion.with_(poses=Pose(skeleton, q, places, motion.poses.scales))


def overlaps(faults: Any, frames: slice) -> list[Any]:
    """Faults in some frames."""
    return [one for one in faults if one.start < frames.stop and one.stop > frames.start]


def main() -> None:
    words = parser(__doc__)
    words.add_argument("folder", type=Path)
    words.add_argument("--clips", type=int, default=200)
    words.add_argument("--kinds", nargs="*", default=list(SEEDS))
    words.add_argument("--fix", action="store_true", help="repair what was seeded, too")
    words.add_argument("--profile", choices=list(PROFILES), default="authored")
    words.add_argument("--verbose", "-v", action="store_true")
    words.add_argument("--json", type=Path)
    given = words.parse_args()
    logging.disable(logging.CRITICAL)
    clips = cases(given.folder, given.clips)
    columns = ("seeded", "found", "against", "alarms", "alarms against", "clearable", "cleared")
    counts = {name: Counter() for name in columns}
    begun, frames = time.perf_counter(), 0
    for k, case in enumerate(clips):
        frames += len(case.motion)
        for kind in given.kinds:
            as_it_was(case, kind, counts, given)
            rng = np.random.default_rng([FAULT_SEED, k, list(SEEDS).index(kind)])
            made = SEEDS[kind](case, rng)
            if made is not None:
                with_fault(case, kind, made, counts, given)
    took = time.perf_counter() - begun
    print(f"{len(clips)} clips, {frames} frames, {took:.0f} s")
    print(f"{'kind':14}" + "".join(f"{name:>16}" for name in columns))
    for kind in given.kinds:
        print(f"{kind:14}" + "".join(f"{counts[name][kind]:16}" for name in columns))
    total = len(clips) * len(given.kinds)
    for name in ("alarms", "alarms against"):
        some = sum(counts[name].values())
        print(f"{name}: {some} of {total}, {some / total:.2%}")
    for name, of in (("found", "seeded"), ("against", "seeded"), ("cleared", "clearable")):
        some, all_ = sum(counts[name].values()), sum(counts[of].values())
        print(f"{name}: {some} of {all_}" + (f", {some / all_:.2%}" if all_ else ""))
    if given.json:
        given.json.write_text(json.dumps(counts))
    if any(counts["against"][kind] < counts["seeded"][kind] for kind in given.kinds):
        sys.exit(1)


def base(case: Case, kind: str) -> tuple[supple.Motion, dict[str, Any]]:
    """The clip as it was, and the options to check a kind with."""
    kind = KIND_OF.get(kind, kind)
    options: dict[str, Any] = {"up": case.up, "kinds": ["bones" if kind in DAMAGE else kind]}
    motion = case.motion
    if kind == "limits":
        options["limits"] = supple.learn_limits(motion.skeleton, motion, margin=0.01)
    return looped(motion) if kind == "seam" else motion, options


def as_it_was(case: Case, kind: str, counts: dict[str, Counter], given: Any) -> None:
    """Count false alarms: in the clip as it was, and in the same clip elsewhere against it."""
    motion, options = base(case, kind)
    options["profile"] = given.profile
    clean = supple.check(motion, **options)
    counts["alarms"][kind] += not clean.ok
    again = supple.check(moved(motion, case.clip.up), against=motion, **options)
    counts["alarms against"][kind] += not again.ok
    if given.verbose:
        for word, one in (("alarm", clean), ("alarm against", again)):
            if not one.ok:
                print(word, case.name, one.faults[0])


def with_fault(case: Case, kind: str, made: Seeded, counts: dict[str, Counter], given: Any) -> None:
    """Count whether a seeded fault is found, and repaired."""
    bad, where, more = made
    original, options = base(case, kind)
    seed, kind = kind, KIND_OF.get(kind, kind)
    options |= more | {"profile": given.profile}
    counts["seeded"][seed] += 1
    alone = supple.check(bad, **options)
    beside = supple.check(bad, against=original, **options)
    for name, report in (("found", alone), ("against", beside)):
        hit = overlaps(report.of(kind), where)
        counts[name][seed] += bool(hit)
        if given.verbose and not hit:
            one = report.measures.get(kind)
            print("missed", name, seed, case.name, where, one and (one.worst, one.reason))
    if given.fix and kind not in BEYOND and overlaps(beside.of(kind), where):
        counts["clearable"][seed] += 1
        # Repaired as a user would: with all kinds checked, none of which may get worse.
        whole = supple.check(bad, against=original, **{**options, "kinds": None})
        left = overlaps(supple.fix(whole).report.of(kind), where)
        counts["cleared"][seed] += not left
        if given.verbose and left:
            print("left", case.name, where, left[0])


if __name__ == "__main__":
    main()
