"""Fast path of TwoBone: two unlimited ball joints, with a pole for the middle joint or without.

The closed form of `two_bone.close_limb` without branches, for many targets and one start: the compiler
vectorises it, four targets at a time on processors that can. The terms that depend on the bones and the
start alone, the `Stance`, are computed once for all targets. `two_bone` solves what is left: targets at
the root or behind it, and those that are not reached.

Targets and answers are stored in lanes: an array of LANE_COUNT floats for each coordinate, all in one
buffer, which tells the compiler that no array overlaps another.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel, leaf
from supple.kernels.spin import NEGLIGIBLE_LENGTH, angle_of, half_turn, opening, rotate_any, spin_to

LANE_COUNT = 32  # targets that are solved together; no source is recorded
(
    TARGET, POLE,  # relative to the root joint, in the frame just before it
    ROOT, MIDDLE,  # the answer: the rotations of the two joints
    MISS,  # the distance of the effector from its target
    POLE_SINE, POLE_COSINE,  # of the angle by which the middle joint misses the pole, times a size
    DONE,  # above zero if the closed form holds
) = (
    0, 3 * LANE_COUNT, 6 * LANE_COUNT, 10 * LANE_COUNT,
    14 * LANE_COUNT, 15 * LANE_COUNT, 16 * LANE_COUNT, 17 * LANE_COUNT,
)  # fmt: skip
LANES_FLOATS = 18 * LANE_COUNT


class Stance(NamedTuple):
    """The terms that depend on the bones and on the start. Frames are those of `two_bone.Limb`."""

    base: Any  # world position of the root joint
    pre: Any  # wxyz, the world rotation just before the root joint
    between: Any  # wxyz, from the root joint's frame to the one just before the middle joint
    upper: Any  # the bones at rest
    lower: Any
    a: float  # their lengths
    b: float
    share: float  # 1 / (2 a b)
    root: Any  # wxyz, the joints' rotations at the start
    middle: Any
    cosine: float  # of the bend at the start
    sine: float
    axis: Any  # about which the middle joint bends, in the frame just before it
    raised: Any  # the upper bone at the start
    ahead: Any  # at the start: the unit vectors that the lower bone is made of
    aside: Any


@leaf
def fits(problem, frames):
    """True if a folded limb is two balls and two bones, and its pole, if it has one, is for the middle joint."""
    moving = problem.moving
    effectors = frames.effectors
    if moving[0, layout.M_KIND] != layout.BALL or moving[1, layout.M_KIND] != layout.BALL:
        return False
    if (
        size_of(quat.load3(frames.joints, 1, layout.S_P0)) == 0.0
        or size_of(quat.load3(effectors, 0, layout.E_P0)) == 0.0
    ):
        return False
    if not problem.has_poles:
        return True
    point = quat.load3(effectors, 1, layout.E_P0)
    return problem.blocks[1, layout.B_MOVE] == 1 and point[0] == point[1] == point[2] == 0.0


@kernel
def size_of(a):
    """The length of a vector without a branch; its squares must neither vanish nor overflow."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@leaf
def stance_of(problem, frames, q):
    """The stance of a folded problem and a start q with unit quaternions."""
    moving = problem.moving
    joints = frames.joints
    upper = quat.load3(joints, 1, layout.S_P0)
    lower = quat.load3(frames.effectors, 0, layout.E_P0)
    between = quat.load4(joints, 1, layout.S_PRE)
    root = quat.take4(q, moving[0, layout.M_Q])
    middle = quat.take4(q, moving[1, layout.M_Q])
    a, b = size_of(upper), size_of(lower)
    ahead = quat.scale(quat.unrotate(between, upper), 1.0 / a)
    bone = quat.scale(quat.rotate(middle, lower), 1.0 / b)
    cosine = quat.dot(bone, ahead)
    side = quat.axpy(bone, -cosine, ahead)
    sine = size_of(side)
    side = quat.scale(side, 1.0 / sine) if sine > NEGLIGIBLE_LENGTH else quat.perpendicular(ahead)
    there = quat.mul(root, between)
    return Stance(
        quat.load3(joints, 0, layout.S_P0),
        quat.load4(joints, 0, layout.S_PRE),
        between,
        upper,
        lower,
        a,
        b,
        0.5 / (a * b),
        root,
        middle,
        cosine,
        sine,
        quat.cross(ahead, side),
        quat.rotate(root, upper),
        quat.rotate(there, ahead),
        quat.rotate(there, side),
    )


@leaf
def solve(problem, frames, start, targets, first, count, lanes):
    """Bend and point the limb, from a start with unit quaternions, at the targets of `count` problems.

    Problem first + i goes to lane i. One row of targets may serve all.
    """
    stance = stance_of(problem, frames, start)
    fill_lanes(problem, stance, targets, first, count, lanes)
    close_balls(stance, lanes, count, problem.has_poles)


@leaf
def fill_lanes(problem, stance, targets, first, count, lanes):
    """Write targets and poles into the lanes."""
    blocks = problem.blocks
    for i in range(count):
        t = first + i if targets.shape[0] > 1 else 0
        target = seen_from_root(stance, targets, t, blocks[0, layout.B_TARGET])
        pole = target
        if problem.has_poles:
            pole = seen_from_root(stance, targets, t, blocks[1, layout.B_TARGET])
        for k in range(3):
            lanes[TARGET + k * LANE_COUNT + i] = target[k]
            lanes[POLE + k * LANE_COUNT + i] = pole[k]


@leaf
def seen_from_root(stance, targets, t, at):
    """The point in columns at.. of row t of the targets, relative to the root joint, in the frame before it."""
    point = quat.sub((targets[t, at], targets[t, at + 1], targets[t, at + 2]), stance.base)
    pre = stance.pre
    return point if pre[1] == pre[2] == pre[3] == 0.0 else quat.unrotate(pre, point)


@kernel
def close_balls(stance, lanes, count, has_pole):
    """Fill the lanes from ROOT on: the same arithmetic for each, without a branch."""
    a, b, share = stance.a, stance.b, stance.share
    nearest, longest = abs(a - b), a + b
    for i in range(count):
        target = take_lane3(lanes, TARGET + i)
        distance = size_of(target)
        # The bend, as in `two_bone.ball_bend`.
        span = min(max(distance, nearest), longest)
        c = ((span - a) * (span + a) - b * b) * share
        s = share * math.sqrt(
            max(0.0, (longest - span) * (longest + span) * (span - a + b) * (span + a - b))
        )
        cosine, sine = (
            c * stance.cosine + s * stance.sine,
            s * stance.cosine - c * stance.sine,
        )
        bend = quat.normalized(quat.mul(half_turn(stance.axis, 1.0, cosine, sine), stance.middle))
        # The least rotation that points the bent limb at its target, then one about the line to it.
        arm = quat.axpy(quat.axpy(stance.raised, b * c, stance.ahead), b * s, stance.aside)
        inner, across = quat.dot(arm, target), quat.cross(arm, target)
        sizes = span * distance
        turn = (sizes + inner, across[0], across[1], across[2])
        pole = take_lane3(lanes, POLE + i)
        if has_pole:
            line = quat.scale(target, 1.0 / distance)
            turn = quat.mul(spin_to(line, rotate_any(turn, stance.raised), pole), turn)
        turn = quat.normalized(quat.mul(turn, stance.root))
        # The distance that is left.
        elbow = quat.rotate(turn, stance.upper)
        tip = quat.rotate(quat.mul(quat.mul(turn, stance.between), bend), stance.lower)
        tip = quat.add(elbow, tip)
        put_lane(lanes, ROOT + i, turn)
        put_lane(lanes, MIDDLE + i, bend)
        lanes[MISS + i] = size_of(quat.sub(target, tip))
        lanes[POLE_SINE + i], lanes[POLE_COSINE + i] = opening(tip, elbow, pole)
        lanes[DONE + i] = inner + 0.99 * sizes


@kernel
def take_lane3(lanes, at):
    """The vector in a lane."""
    return (lanes[at], lanes[at + LANE_COUNT], lanes[at + 2 * LANE_COUNT])


@kernel
def take_lane(lanes, at):
    """The quaternion in a lane."""
    return (
        lanes[at],
        lanes[at + LANE_COUNT],
        lanes[at + 2 * LANE_COUNT],
        lanes[at + 3 * LANE_COUNT],
    )


@kernel
def put_lane(lanes, at, turn):
    """Write a quaternion into a lane."""
    lanes[at] = turn[0]
    lanes[at + LANE_COUNT] = turn[1]
    lanes[at + 2 * LANE_COUNT] = turn[2]
    lanes[at + 3 * LANE_COUNT] = turn[3]


@leaf
def read_lane(problem, frames, lanes, i, q):
    """Write the answer of lane i into q and its errors into the frames; True if it is reached."""
    moving = problem.moving
    frames.errors[0] = lanes[MISS + i]
    if problem.has_poles:
        frames.errors[1] = angle_of(lanes[POLE_SINE + i], lanes[POLE_COSINE + i])
    quat.put4(q, moving[0, layout.M_Q], take_lane(lanes, ROOT + i))
    quat.put4(q, moving[1, layout.M_Q], take_lane(lanes, MIDDLE + i))
    near = problem.blocks_f[0, layout.B_TOLERANCE]
    return lanes[DONE + i] > 0.0 and frames.errors[0] <= near
