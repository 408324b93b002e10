"""How far a chain can reach, and proofs that a target is out of reach.

`span` bounds the distance of an effector from the base of its chain by the lengths of its bones alone. The base
is the last point of the chain that no joint moves, and a bone is a distance that no joint changes: a joint that does
not move what follows (a hinge with a bone along its axis) joins two bones to one.

`proven_out` takes joint limits into account, too: every joint's origin stays within an interval of distances from
the origin of the topmost joint of its chain. The interval grows from joint to joint by the triangle
inequality, for single bones and, across a hinge with limits, for pairs of bones (|c + R(q) b|^2 =
C + D cos(q - p)); the tighter bound counts. A position outside its interval is out of reach. A position *and*
orientation of one effector also fix the last joint's frame and, if that joint is a hinge, restrict its parent's
origin to an arc; both are tested against their own intervals. For an arm of seven hinges this proves nine of ten
poses that are out of reach. The test is sufficient, not necessary: a target without proof may still be out of reach.
"""

import math
from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel, leaf
from supple.kernels.joint import slide_count
from supple.kernels.quaternion import FULL_TURN

ENDLESS_REACH = 1e300  # of a chain with slides along several axes
ON_AXIS = 1e-9  # an arm that leaves a hinge's axis by no more than this part of its length is on it; rounding
DISTANCE_ROUNDING = 1e-9  # distances that differ by less than this part are equal; rounding


@leaf
def _moves(problem, k, fixed, slack):
    """True if moving joint k can move a point that it carries at `fixed` plus stretched `slack`.

    Both are in its frame. A hinge does not move what is on its axis.
    """
    moving = problem.moving
    kind = moving[k, layout.M_KIND]
    if slide_count(kind) > 0:
        return True
    if moving[k, layout.M_STRETCH_DOF] >= 0 and quat.norm(slack) > 0.0:
        return True
    if kind == layout.FIXED:
        return False
    size = quat.norm(fixed)
    across = (
        quat.norm(quat.cross(quat.load3(problem.moving_f, k, layout.AXIS), fixed))
        if kind == layout.HINGE
        else size
    )
    return across > ON_AXIS * size


@leaf
def _farthest_slide(problem, k):
    """A bound on how far joint k slides from rest; ENDLESS_REACH along several axes."""
    count = slide_count(problem.moving[k, layout.M_KIND])
    if count != 1:
        return ENDLESS_REACH if count > 1 else 0.0
    low, high = problem.moving_f[k, layout.LIMITS], problem.moving_f[k, layout.LIMITS + 1]
    return max(abs(low), abs(high))


@kernel
def _held(problem, frames, k, fixed, slack):
    """World position of a point that joint k carries, and True if neither k nor any joint above moves it.

    The point is at `fixed` plus stretched `slack` in k's frame. If it moves, the position is meaningless.
    """
    joints = frames.joints
    while k >= 0:
        if _moves(problem, k, fixed, slack):
            return fixed, False
        fixed, slack = _in_parent(joints, k, fixed)
        k = problem.moving[k, layout.M_PARENT]
    return fixed, True


@leaf
def _in_parent(joints, k, point):
    """A point that joint k carries but does not move, in the frame of k's parent: fixed and stretched part."""
    turned = quat.rotate(quat.load4(joints, k, layout.S_PRE), point)
    return (
        quat.add(quat.load3(joints, k, layout.S_P0), turned),
        quat.load3(joints, k, layout.S_P1),
    )


class Base(NamedTuple):
    """The base of a block's chain: the last point on it that no joint moves."""

    carrier: int  # the moving joint that carries the point, -1 if none does
    point: Any  # in the carrier's frame, xyz
    world: Any  # in world, xyz; the same in every pose


@kernel
def chain_base(problem, frames, g):
    """The base of the chain of block g: its effector if nothing moves that, else the last joint that nothing moves.

    A hinge does not move points on its axis, and no rotation moves its origin: an arm on a turntable whose
    axis passes through the shoulder begins at the shoulder. Joints that this solve does not move count, too. The
    origin of the topmost joint never moves; a slider's is taken before it slides. World frames are not needed.
    """
    moving, active = problem.moving, problem.active
    joints, folded = frames.joints, frames.folded
    k, a = problem.blocks[g, layout.B_MOVE], problem.blocks[g, layout.B_JOINT]
    fixed, slack = (
        quat.load3(frames.effectors, g, layout.E_P0),
        quat.load3(frames.effectors, g, layout.E_P1),
    )
    world, stays = _held(problem, frames, k, fixed, slack)
    while not stays:
        move = active[a, layout.A_MOVE]
        if move >= 0:
            k = moving[move, layout.M_PARENT]
            fixed, slack = (
                quat.load3(joints, move, layout.S_P0),
                quat.load3(joints, move, layout.S_P1),
            )
        else:
            fixed, slack = quat.load3(folded, a, 4), quat.load3(folded, a, 7)
        world, stays = _held(problem, frames, k, fixed, slack)
        a = active[a, layout.A_PARENT]
    return Base(k, fixed, world)


@kernel
def span(problem, frames, g):
    """Bounds on the distance of block g from the base of its chain, least and greatest, and the base in world.

    Limits of rotations are ignored: outside these bounds a target is surely out of reach, inside it may be. A bone
    goes from a joint that moves the next point of the chain to that point; a joint that does not move what follows
    ends no bone. A block that nothing moves has no span.
    """
    moving, moving_f = problem.moving, problem.moving_f
    joints, effectors = frames.joints, frames.effectors
    base = chain_base(problem, frames, g)
    k = problem.blocks[g, layout.B_MOVE]
    fixed, slack = (
        quat.load3(effectors, g, layout.E_P0),
        quat.load3(effectors, g, layout.E_P1),
    )
    longest = 0.0
    widest = 0.0
    loose = False
    while k != base.carrier:
        if not _moves(problem, k, fixed, slack):
            fixed, slack = _in_parent(joints, k, fixed)
            k = moving[k, layout.M_PARENT]
            continue
        bone = quat.norm(fixed)
        if moving[k, layout.M_STRETCH_DOF] >= 0:
            bone += quat.norm(slack) * moving_f[k, layout.STRETCH_HI]
            loose = True
        longest += bone
        widest = max(widest, bone)
        if slide_count(moving[k, layout.M_KIND]) > 0:
            longest += _farthest_slide(problem, k)
            loose = True
        fixed, slack = (
            quat.load3(joints, k, layout.S_P0),
            quat.load3(joints, k, layout.S_P1),
        )
        k = moving[k, layout.M_PARENT]
    bone = quat.norm(quat.sub(fixed, base.point))
    if k >= 0 and moving[k, layout.M_STRETCH_DOF] >= 0:
        bone += quat.norm(slack) * moving_f[k, layout.STRETCH_HI]
        loose = True
    longest += bone
    widest = max(widest, bone)
    nearest = 0.0 if loose else max(0.0, 2.0 * widest - longest)
    return nearest, min(longest, ENDLESS_REACH), base.world


@leaf
def gap(frames, g, base):
    """The distance of the target of block g from a world point, such as the base of its chain."""
    return quat.norm(quat.sub(quat.load3(frames.effectors, g, layout.E_TARGET), base))


@kernel
def out_of_reach(problem, frames):
    """True if some position is surely out of reach."""
    blocks = problem.blocks
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_KIND] == layout.POSITION:
            nearest, longest, base = span(problem, frames, g)
            distance = gap(frames, g, base)
            if (
                max(distance - longest, nearest - distance)
                > problem.blocks_f[g, layout.B_TOLERANCE]
            ):
                return True
    return False


@kernel
def least_cost(problem, frames):
    """A lower bound on the cost of all poses, from positions outside the spans of their chains."""
    blocks, blocks_f = problem.blocks, problem.blocks_f
    least = 0.0
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_KIND] == layout.POSITION:
            nearest, longest, base = span(problem, frames, g)
            away = gap(frames, g, base)
            miss = max(away - longest, nearest - away, 0.0)
            miss = blocks_f[g, layout.B_WEIGHT] * miss / problem.length
            least += 0.5 * miss * miss
    return least


@kernel
def farthest(problem, frames):
    """The greatest distance of a target from the topmost moving joint of its chain."""
    blocks = problem.blocks
    effectors = frames.effectors
    most = 0.0
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_KIND] == layout.POSITION or blocks[g, layout.B_KIND] == layout.LOOKAT:
            k = blocks[g, layout.B_MOVE]
            base = quat.load3(effectors, g, layout.E_POS)
            while k >= 0:
                # The last one is that of a joint without a moving parent.
                base = quat.load3(frames.joints, k, layout.S_P0)
                k = problem.moving[k, layout.M_PARENT]
            most = max(most, quat.norm(quat.sub(quat.load3(effectors, g, layout.E_TARGET), base)))
    return most


@leaf
def arc(axis, fixed, turning, low, high):
    """Least and greatest length of fixed + R(axis, q) turning for q in [low, high]."""
    along = quat.dot(fixed, axis) * quat.dot(turning, axis)
    c = quat.dot(fixed, turning) - along
    s = quat.dot(fixed, quat.cross(axis, turning))
    middle = quat.dot(fixed, fixed) + quat.dot(turning, turning) + 2.0 * along
    swing = 2.0 * math.hypot(c, s)
    least, most = -1.0, 1.0
    if high - low < FULL_TURN:
        p = math.atan2(s, c)
        first, last = low - p, high - p
        a, b = math.cos(first), math.cos(last)
        if math.floor(last / FULL_TURN) < math.ceil(first / FULL_TURN):
            most = max(a, b)
        if math.floor((last - math.pi) / FULL_TURN) < math.ceil((first - math.pi) / FULL_TURN):
            least = min(a, b)
    return (
        math.sqrt(max(0.0, middle + swing * least)),
        math.sqrt(max(0.0, middle + swing * most)),
    )


@leaf
def _turn_limits(problem, k):
    """The range of a hinge; infinite for a mimic joint."""
    moving_f = problem.moving_f
    if problem.moving[k, layout.M_MIMIC] >= 0:
        return -math.inf, math.inf
    return moving_f[k, layout.LIMITS], moving_f[k, layout.LIMITS + 1]


@leaf
def _rigid(problem, k):
    """True if joint k only rotates what it carries: it neither slides nor stretches."""
    moving = problem.moving
    return slide_count(moving[k, layout.M_KIND]) == 0 and moving[k, layout.M_STRETCH_DOF] < 0


@leaf
def _carried(problem, frames, ranges, k, fixed, slack):
    """The interval of distances of a point that joint k carries, from the intervals of k and of its parent.

    The point is at `fixed` in k's frame, plus `slack` times k's stretch.
    """
    moving, moving_f = problem.moving, problem.moving_f
    joints = frames.joints
    bone = quat.norm(fixed)
    if _rigid(problem, k):
        near = max(0.0, ranges[k, 0] - bone, bone - ranges[k, 1])
        far = ranges[k, 1] + bone
    else:
        near = 0.0
        far = ranges[k, 1] + bone
        if moving[k, layout.M_STRETCH_DOF] >= 0:
            far += quat.norm(slack) * moving_f[k, layout.STRETCH_HI]
        far += _farthest_slide(problem, k)
    up = moving[k, layout.M_PARENT]
    if (
        moving[k, layout.M_KIND] == layout.HINGE
        and _rigid(problem, k)
        and up >= 0
        and _rigid(problem, up)
    ):
        before = quat.unrotate(
            quat.load4(joints, k, layout.S_PRE), quat.load3(joints, k, layout.S_P0)
        )
        low, high = _turn_limits(problem, k)
        least, most = arc(quat.load3(moving_f, k, layout.AXIS), before, fixed, low, high)
        near = max(near, ranges[up, 0] - most, least - ranges[up, 1])
        far = min(far, ranges[up, 1] + most)
    return near, min(far, ENDLESS_REACH)


@kernel
def fill_ranges(problem, frames, ranges):
    """Fill ranges, shape (M, 2): the interval of distances of every joint from the topmost joint of its chain."""
    moving = problem.moving
    joints = frames.joints
    for k in range(moving.shape[0]):
        up = moving[k, layout.M_PARENT]
        if up < 0:
            ranges[k, 0], ranges[k, 1] = 0.0, 0.0
        else:
            fixed, slack = (
                quat.load3(joints, k, layout.S_P0),
                quat.load3(joints, k, layout.S_P1),
            )
            ranges[k, 0], ranges[k, 1] = _carried(problem, frames, ranges, up, fixed, slack)


@leaf
def _apart(near, far, least, most, slack):
    """True if two intervals of distances are disjoint by more than the slack."""
    slack += DISTANCE_ROUNDING * (min(far, most) + slack)
    return least > far + slack or most < near - slack


@kernel
def proven_out(problem, frames, ranges):
    """True if some target is surely out of reach; ranges is workspace, shape (M, 2)."""
    moving, blocks, blocks_f = problem.moving, problem.blocks, problem.blocks_f
    joints, effectors = frames.joints, frames.effectors
    fill_ranges(problem, frames, ranges)
    for g in range(blocks.shape[0]):
        k = blocks[g, layout.B_MOVE]
        if blocks[g, layout.B_KIND] != layout.POSITION or k < 0:
            continue
        root = k
        while moving[root, layout.M_PARENT] >= 0:
            root = moving[root, layout.M_PARENT]
        target = quat.sub(
            quat.load3(effectors, g, layout.E_TARGET),
            quat.load3(joints, root, layout.S_P0),
        )
        slack = blocks_f[g, layout.B_TOLERANCE]
        arm = quat.load3(effectors, g, layout.E_P0)
        near, far = _carried(problem, frames, ranges, k, arm, quat.load3(effectors, g, layout.E_P1))
        away = quat.norm(target)
        if _apart(near, far, away, away, slack):
            return True
        if not _rigid(problem, k):
            continue
        for h in range(blocks.shape[0]):
            if (
                blocks[h, layout.B_KIND] != layout.ORIENTATION
                or blocks[h, layout.B_JOINT] != blocks[g, layout.B_JOINT]
            ):
                continue
            turn = quat.mul(
                quat.load4(effectors, h, layout.E_TARGET),
                quat.conj(quat.load4(effectors, h, layout.E_ROT)),
            )
            origin = quat.sub(target, quat.rotate(turn, arm))
            slack += blocks_f[h, layout.B_TOLERANCE] * quat.norm(arm)
            away = quat.norm(origin)
            if _apart(ranges[k, 0], ranges[k, 1], away, away, slack):
                return True
            up = moving[k, layout.M_PARENT]
            if moving[k, layout.M_KIND] == layout.HINGE and up >= 0 and _rigid(problem, up):
                before = quat.unrotate(
                    quat.load4(joints, k, layout.S_PRE),
                    quat.load3(joints, k, layout.S_P0),
                )
                slack += blocks_f[h, layout.B_TOLERANCE] * quat.norm(before)
                low, high = _turn_limits(problem, k)
                least, most = arc(
                    quat.load3(problem.moving_f, k, layout.AXIS),
                    quat.unrotate(turn, origin),
                    quat.scale(before, -1.0),
                    -high,
                    -low,
                )
                if _apart(ranges[up, 0], ranges[up, 1], least, most, slack):
                    return True
    return False
