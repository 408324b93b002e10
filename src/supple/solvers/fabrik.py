"""FABRIK: forward and backward reaching, inside the joints' limits.

The idea (Aristidou & Lasenby 2011, "FABRIK: a fast, iterative solver for the inverse kinematics
problem", Graphical Models 73(5), algorithm 1): put the tip on the target and pull the chain after
it, joint by joint, to the root; put the root back and pull the chain after it to the tip; repeat. A
free chain that does not reach (their test, algorithm 1 line 3) is laid straight towards its target
in one iteration. Several effectors on a tree meet in sub-bases (their section 4.4).

What differs from the paper: both passes compute frames instead of points, so that each joint's
coordinates are chosen inside its limits and every iteration ends in a valid pose; and where joints
are limited, every joint fits the far end of its chain as well as the next joint. The published way
of applying limits (their section 4.3: move the point into the cone or the plane, ignore the frame)
is known to leave a mean error of 22% of the chain's length with hinges and 5% with cones after 50
iterations; this one leaves 0.02% and 0.0001%.

The right choice for free chains: about two iterations, each linear in the joints, and natural
poses. It is slower where the chain must be almost straight: at 99% of its reach a free chain of ten
takes 15 iterations, at 99.9% 40 (as published 130 and 1,100). With several goals on a tree of narrow
joints it comes near fast and then converges slowly; LM does not.

The passes:
- The *backward* pass goes from the effectors, put on their targets, to the roots: each joint takes
  the coordinates, inside its limits, that bring its parent nearest to its old position.
- The *forward* pass goes from the roots, put back, to the effectors: each joint takes the
  coordinates, inside its limits, that bring its body nearest to where the backward pass put it. Both
  are Wahba's problem for one joint (`supple.kernels.wahba`).
- Where joints are limited, fitting the next joint is not enough: a hinge cannot bring it to its
  position, and the twist of the rest of the chain is left open. So each joint also fits the far end.
  In the forward pass that is the targets, with the chain below bent as the backward pass left it; in
  the backward pass it is the root, with the chain above. Both count the same, as squared distances
  (measured over random chains: any weights from 0.3 to 10 do as well; without the far end, chains of
  hinges miss by 100 times as much).
- A body on which several branches pull (a sub-base) goes to the weighted centroid of the positions
  they ask for and takes the rotation that fits their points best. The sums over branches are kept in
  one row per joint, so both passes are linear in the joints however many goals there are.

Decisions:
- A chain of balls fits the next joint alone, as in the paper: a wrong twist does no harm there, and
  the far end would only cost iterations (3.0 instead of 2.4).
- Slow iterations all go in the same direction. So an iteration that leaves more than half of the cost
  is followed by a longer step: as far again, the next time twice that, as long as the cost falls. The
  trace shows the points of the paper's passes, and the pose after that step.
- A solve has *stalled* when five iterations did not lower the distance by a tenth. Then restarts
  (`restarts`) follow from low-discrepancy seeds, all inside `max_iterations`; only a clearly better
  pose replaces one that does not reach.
- FABRIK's fixed point is not the nearest pose when the target is out of reach under limits. So at
  the end the best pose *settles*: forward passes that fit the far end alone, each of which lowers the
  distance. For a target that is surely out of reach of a limited chain, the start is only settled: so
  the answer, twists included, does not jump while such a target moves.
- A pose in one line with the target does not bend: every joint is then first rotated a little, always
  in the same direction.
- Damping and stiffness apply to the forward pass only, because only that pass sets the pose.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.bend import bend, in_line
from supple.kernels.decorators import SOLVE, entry, kernel, leaf
from supple.kernels.joint import (
    damp,
    has_quaternion,
    number_count,
    own_turn,
    project_joint,
    undamped,
)
from supple.kernels.problem import (
    begin,
    evaluate,
    place,
    place_effectors,
    take_frames,
    take_linear,
    unpack,
    within,
)
from supple.kernels.reach import gap, out_of_reach, span
from supple.kernels.report import (
    Ended,
    clear_trace,
    finish,
    record,
    record_place,
    record_turns,
    trace_into,
)
from supple.kernels.restart import Seeds, Window, best_seed, clearly_better
from supple.kernels.wahba import (
    add9,
    axpy9,
    body_turned,
    fit_joint,
    fitted_turn,
    load9,
    outer,
    rotation_matrix,
    targets_unturned,
)
from supple.kernels.workspace import clear, copy, matrix, part, row_at, vector
from supple.problem.lowering import Problem
from supple.solvers.base import Solver, Takes

REACHING, STRAIGHT, SETTLING = range(3)  # modes of a descent

# The columns of `Buffers.table`. World points are relative to the root of the joint's tree.
WEIGHT = 0  # sum of the weights of the goals below
TARGETS = 1  # xyz, their weighted sum of targets
BASE = 4  # xyz, the root's world position
ARM = 7  # xyz, weighted sum, in its frame, of the points of its body: next joints and effectors
POINTS = 10  # how many of them there are
ROTATION = 11  # wxyz, world rotation in the backward pass
ORIGINS = 15  # xyz, weighted sum of the origins that its points ask for
NEAR = 18  # the correlation of the points of its body with their targets
FAR = 27  # the correlation of all effectors below with their targets
REACH = 36  # xyz, weighted sum of their points in its frame
TABLE_COLUMNS = 39


class Tuning(NamedTuple):
    """The tuned numbers of FABRIK. Where no source is given, none is recorded.

    Attributes:
        stall_iterations: Iterations over which progress is judged.
        stall_cost: A descent whose cost is above this after them has stalled [of the cost before]: 0.9 of the distance.
        settled_cost: The same while settling.
        slow_cost: An iteration that leaves more than this is followed by a longer step [of the cost before].
        seed_candidates: Seeds evaluated for each restart; the one nearest to the goals is used.
    """

    stall_iterations: int = 5
    stall_cost: float = 0.81
    settled_cost: float = 0.9998
    slow_cost: float = 0.5
    seed_candidates: int = 8


TUNING = Tuning()


class Options(NamedTuple):
    """The options of `FABRIK`, in their order."""

    max_iterations: float
    restarts: float
    damping: float  # [rad], infinity for none


class Buffers(NamedTuple):
    """The workspace of one solve."""

    q: Any  # (Q,) the pose
    before: Any  # (Q,) the pose before the iteration
    trial: Any  # (Q,)
    found: Any  # (Q,) the best pose of a descent
    best: Any  # (Q,) the best pose so far
    shown: Any  # (Q,) the pose that the rotations recorded in the trace lead to
    table: Any  # (M, TABLE_COLUMNS) the sums of the passes for each joint
    frames: Any
    linear: Any  # used by `finish`
    pulls: Any  # (M, 6) used by `in_line` and `bend`


class Rules(NamedTuple):
    """How a descent iterates, and when it has stalled."""

    mode: int  # REACHING: both passes; STRAIGHT: lay the chain straight; SETTLING: fit the far end alone
    far: bool  # whether joints fit the far end
    progress: float  # the fraction of the cost to get below in `stall_iterations`


class Descent(NamedTuple):
    """How a descent ended."""

    stop: int
    cost: float  # of the best pose it has seen
    used: int  # iterations so far


@kernel
def read_options(problem):
    """The options in a packed problem."""
    o = problem.options
    return Options(o[0], o[1], o[2])


@kernel
def take_buffers(problem, work):
    """Take the workspace of one solve."""
    nq, nm = problem.coordinates, problem.moving.shape[0]
    return Buffers(
        vector(work, nq),
        vector(work, nq),
        vector(work, nq),
        vector(work, nq),
        vector(work, nq),
        vector(work, nq),
        matrix(work, nm, TABLE_COLUMNS),
        take_frames(problem, work),
        take_linear(problem, work),
        matrix(work, nm, 6),
    )


@kernel
def add3(rows, i, c, s, v):
    """Add s * v to columns c.. of row i."""
    for n in range(3):
        rows[i, c + n] += s * v[n]


@leaf
def goal_weight(problem, g):
    """The weight of the squared distance of block g."""
    blocks_f = problem.blocks_f
    return blocks_f[g, layout.B_WEIGHT] * blocks_f[g, layout.B_WEIGHT]


@kernel
def gather(problem, frames, table):
    """Fill the columns that stay the same during a solve: from WEIGHT to POINTS."""
    moving, blocks = problem.moving, problem.blocks
    joints, effectors = frames.joints, frames.effectors
    for k in range(moving.shape[0]):
        parent = moving[k, layout.M_PARENT]
        for c in range(ROTATION):
            table[k, c] = 0.0
        for c in range(3):
            table[k, BASE + c] = (
                joints[k, layout.S_POS + c] if parent < 0 else table[parent, BASE + c]
            )
    for g in range(blocks.shape[0]):
        k = blocks[g, layout.B_MOVE]
        if k < 0:
            continue
        weight = goal_weight(problem, g)
        target = quat.load3(effectors, g, layout.E_TARGET)
        table[k, WEIGHT] += weight
        table[k, POINTS] += 1.0
        add3(table, k, TARGETS, weight, quat.sub(target, quat.load3(table, k, BASE)))
        add3(table, k, ARM, weight, quat.load3(effectors, g, layout.E_P0))
    for k in range(moving.shape[0] - 1, -1, -1):
        parent = moving[k, layout.M_PARENT]
        if parent >= 0:
            table[parent, WEIGHT] += table[k, WEIGHT]
            table[parent, POINTS] += 1.0
            add3(table, parent, TARGETS, 1.0, quat.load3(table, k, TARGETS))
            add3(table, parent, ARM, table[k, WEIGHT], quat.load3(joints, k, layout.S_P0))


@kernel
def pull(table, k, weight, rotation, origin, point, b):
    """Add a branch's pull on body k: its origin to `origin`, with this rotation, and its point b to `point`."""
    base = quat.load3(table, k, BASE)
    add3(table, k, ORIGINS, weight, quat.sub(origin, base))
    add9(table, k, NEAR, weight, outer(quat.sub(point, base), b))
    if table[k, POINTS] == 1.0:
        quat.store4(table, k, ROTATION, rotation)


@kernel
def backward_pass(problem, fabrik, trace, far, iteration):
    """Go from the targets to the roots: fills ROTATION and NEAR, and q with the coordinates that the joints took.

    The frames are those of the pose before the pass.
    """
    moving, blocks = problem.moving, problem.blocks
    frames, table = fabrik.frames, fabrik.table
    for k in range(moving.shape[0]):
        for c in range(ORIGINS, FAR):
            table[k, c] = 0.0
    for g in range(blocks.shape[0]):
        k = blocks[g, layout.B_MOVE]
        if k < 0:
            continue
        target = quat.load3(frames.effectors, g, layout.E_TARGET)
        b = quat.load3(frames.effectors, g, layout.E_P0)
        base, rotation = quat.load3(table, k, BASE), quat.load4(frames.joints, k, layout.S_W)
        f = outer(quat.sub(target, quat.load3(frames.joints, k, layout.S_POS)), b)
        if far:
            effector = quat.load3(frames.effectors, g, layout.E_POS)
            from_root = quat.unrotate(rotation, quat.sub(effector, base))
            f = axpy9(f, 1.0, outer(quat.sub(target, base), from_root))
        rotation = fitted_turn(f, rotation)
        origin = quat.sub(target, quat.rotate(rotation, b))
        pull(table, k, goal_weight(problem, g), rotation, origin, target, b)
        record_place(trace, problem, iteration, -1, target)
    for k in range(moving.shape[0] - 1, -1, -1):
        base, old = quat.load3(table, k, BASE), quat.load3(frames.joints, k, layout.S_POS)
        seen = quat.scale(quat.load3(table, k, ORIGINS), 1.0 / table[k, WEIGHT])
        origin = quat.add(base, seen)
        if table[k, POINTS] > 1.0:
            # A sub-base: at the centroid, with the rotation that fits all points.
            rotation = quat.load4(frames.joints, k, layout.S_W)
            f = axpy9(load9(table, k, NEAR), -1.0, outer(seen, quat.load3(table, k, ARM)))
            if far:
                to_root = quat.unrotate(rotation, quat.sub(base, old))
                f = axpy9(f, -table[k, WEIGHT], outer(seen, to_root))
            quat.store4(table, k, ROTATION, fitted_turn(f, rotation))
        rotation = quat.load4(table, k, ROTATION)
        record_place(trace, problem, iteration, k, origin)
        parent = moving[k, layout.M_PARENT]
        if parent < 0:
            continue
        # The inverse joint: where its parent should be, relative to this body.
        pre = quat.load4(frames.joints, k, layout.S_PRE)
        b = quat.load3(frames.joints, k, layout.S_P0)
        parent_was = quat.load3(frames.joints, parent, layout.S_POS)
        f = outer(quat.unrotate(pre, b), quat.unrotate(rotation, quat.sub(origin, parent_was)))
        if far:
            parent_rotation = quat.load4(frames.joints, parent, layout.S_W)
            from_root = quat.unrotate(pre, quat.unrotate(parent_rotation, quat.sub(old, base)))
            f = axpy9(f, 1.0, outer(from_root, quat.unrotate(rotation, seen)))
        fit_joint(problem, f, k, fabrik.q)
        own = own_turn(problem, fabrik.q, k)
        above = quat.normalized(quat.mul(rotation, quat.conj(quat.mul(pre, own))))
        parent_origin = quat.sub(origin, quat.rotate(above, b))
        pull(table, parent, table[k, WEIGHT], above, parent_origin, origin, b)


@kernel
def look_ahead(problem, fabrik, refit):
    """Fill FAR and REACH: all effectors below each joint, with the joints as in q.

    After a backward pass, `refit` fits the joints just below a sub-base to the rotations of that pass.
    """
    moving, blocks = problem.moving, problem.blocks
    frames, table = fabrik.frames, fabrik.table
    for k in range(moving.shape[0]):
        for c in range(FAR, TABLE_COLUMNS):
            table[k, c] = 0.0
    for g in range(blocks.shape[0]):
        k = blocks[g, layout.B_MOVE]
        if k < 0:
            continue
        weight = goal_weight(problem, g)
        target = quat.load3(frames.effectors, g, layout.E_TARGET)
        b = quat.load3(frames.effectors, g, layout.E_P0)
        add9(table, k, FAR, weight, outer(quat.sub(target, quat.load3(table, k, BASE)), b))
        add3(table, k, REACH, weight, b)
    for k in range(moving.shape[0] - 1, -1, -1):
        parent = moving[k, layout.M_PARENT]
        if parent < 0:
            continue
        pre = quat.load4(frames.joints, k, layout.S_PRE)
        b = quat.load3(frames.joints, k, layout.S_P0)
        if refit and table[parent, POINTS] > 1.0:
            before = quat.mul(quat.load4(table, parent, ROTATION), pre)
            wanted = quat.mul(quat.conj(before), quat.load4(table, k, ROTATION))
            fit_joint(problem, rotation_matrix(wanted), k, fabrik.q)
        turn = quat.mul(pre, own_turn(problem, fabrik.q, k))
        add9(table, parent, FAR, 1.0, body_turned(load9(table, k, FAR), turn))
        add9(table, parent, FAR, 1.0, outer(quat.load3(table, k, TARGETS), b))
        add3(table, parent, REACH, 1.0, quat.rotate(turn, quat.load3(table, k, REACH)))
        add3(table, parent, REACH, table[k, WEIGHT], b)


@kernel
def forward_pass(problem, options, fabrik, trace, rules, iteration):
    """Go from the roots to the effectors: sets q, inside its limits, and its frames.

    Stiffness and damping are relative to `before`.
    """
    blocks = problem.blocks
    frames, table = fabrik.frames, fabrik.table
    for k in range(problem.moving.shape[0]):
        place(problem, frames, fabrik.q, k)
        position = quat.load3(frames.joints, k, layout.S_POS)
        seen = quat.sub(position, quat.load3(table, k, BASE))
        f = outer((0.0, 0.0, 0.0), seen)
        if rules.mode != SETTLING:
            f = axpy9(load9(table, k, NEAR), -1.0, outer(seen, quat.load3(table, k, ARM)))
        if rules.far:
            f = axpy9(f, 1.0, load9(table, k, FAR))
            f = axpy9(f, -1.0, outer(seen, quat.load3(table, k, REACH)))
        pre = quat.load4(frames.joints, k, layout.S_WPRE)
        fit_joint(problem, targets_unturned(f, pre), k, fabrik.q)
        damp(problem, k, fabrik.before, options.damping, fabrik.q)
        rotation = quat.mul(pre, own_turn(problem, fabrik.q, k))
        quat.store4(frames.joints, k, layout.S_W, rotation)
        record_place(trace, problem, iteration, k, position)
    place_effectors(problem, frames, fabrik.q)
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_MOVE] >= 0:
            position = quat.load3(frames.effectors, g, layout.E_POS)
            record_place(trace, problem, iteration, -1, position)


@kernel
def aim_straight(table):
    """Fill NEAR so that every joint of a chain points at its target, in place of a backward pass."""
    for k in range(table.shape[0]):
        f = outer(quat.load3(table, k, TARGETS), quat.load3(table, k, ARM))
        for c in range(9):
            table[k, NEAR + c] = f[c] / table[k, WEIGHT]


@kernel
def iterate(problem, options, fabrik, trace, rules, iteration):
    """One iteration from q, evaluated, to q."""
    copy(fabrik.q, fabrik.before)
    if rules.mode == STRAIGHT:
        aim_straight(fabrik.table)
    elif rules.mode == REACHING:
        backward_pass(problem, fabrik, trace, rules.far, iteration)
    if rules.far:
        look_ahead(problem, fabrik, rules.mode == REACHING)
    forward_pass(problem, options, fabrik, trace, rules, iteration)


@kernel
def extrapolate(problem, before, gain, q):
    """Go on from q by `gain` times the change from `before` to it, inside the limits."""
    moving = problem.moving
    for k in range(moving.shape[0]):
        kind, at = moving[k, layout.M_KIND], moving[k, layout.M_Q]
        if has_quaternion(kind):
            here = quat.take4(q, at)
            way = quat.log(quat.mul(here, quat.conj(quat.take4(before, at))))
            quat.put4(q, at, quat.normalized(quat.mul(quat.exp(quat.scale(way, gain)), here)))
        else:
            for i in range(number_count(kind)):
                q[at + i] += gain * (q[at + i] - before[at + i])
        project_joint(kind, problem.moving_f, k, q, at)


@kernel
def lengthen(problem, fabrik, cost, gain):
    """Try a longer step from q, which has this cost; q is kept if that does not lower it.

    Returns the cost of q, which ends evaluated, and the gain to try next time.
    """
    copy(fabrik.q, fabrik.trial)
    extrapolate(problem, fabrik.before, gain, fabrik.q)
    new = evaluate(problem, fabrik.frames, fabrik.q)
    if new < cost:
        return new, 2.0 * gain
    copy(fabrik.trial, fabrik.q)
    evaluate(problem, fabrik.frames, fabrik.q)
    return cost, max(0.25 * gain, 0.5)


@kernel
def descend(problem, options, fabrik, trace, rules, used):
    """Iterate from q until reached, stalled or out of budget; `found` gets the best pose seen."""
    frames, q = fabrik.frames, fabrik.q
    lengthens = rules.mode != STRAIGHT and undamped(problem, options.damping)
    low, last, gain = math.inf, math.inf, 1.0
    mark, waited = math.inf, -1  # the cost that progress is measured from, and the iterations since
    while True:
        cost = evaluate(problem, frames, q)
        if lengthens and TUNING.slow_cost * last < cost < last:
            cost, gain = lengthen(problem, fabrik, cost, gain)
        last = cost
        if waited >= 0:
            record(trace, problem, q, frames.errors)
            record_turns(trace, problem, used, fabrik.shown, q)
        reached = within(problem, frames)
        if cost < low or reached:
            low = cost
            copy(q, fabrik.found)
        if reached:
            return Descent(layout.STOP_REACHED, low, used)
        waited += 1
        if waited == 0 or cost < rules.progress * mark:
            mark, waited = cost, 0
        if waited >= TUNING.stall_iterations or (rules.mode == STRAIGHT and used > 0):
            return Descent(layout.STOP_STALLED, low, used)
        if used >= options.max_iterations:
            return Descent(layout.STOP_BUDGET, low, used)
        used += 1
        iterate(problem, options, fabrik, trace, rules, used)


@kernel
def keep_better(fabrik, descent, low, elsewhere):
    """Put `found` into `best`, whose cost is `low`, if it is reached or better; returns the cost."""
    if descent.stop == layout.STOP_REACHED or clearly_better(descent.cost, low, elsewhere):
        copy(fabrik.found, fabrik.best)
        return descent.cost
    return low


@kernel
def only_balls(problem):
    """True if all joints are balls."""
    moving = problem.moving
    for k in range(moving.shape[0]):
        if moving[k, layout.M_KIND] != layout.BALL:
            return False
    return True


@kernel
def single_chain(problem):
    """True if the joints form one chain to one goal."""
    moving, blocks = problem.moving, problem.blocks
    last = moving.shape[0] - 1
    if blocks.shape[0] != 1 or blocks[0, layout.B_MOVE] != last:
        return False
    for k in range(moving.shape[0]):
        if moving[k, layout.M_PARENT] != k - 1:
            return False
    return True


@kernel
def must_be_straight(problem, frames):
    """True if a single free chain must be straight to come nearest to its target."""
    _, longest, base = span(problem, frames, 0)
    return gap(frames, 0, base) > longest - problem.blocks_f[0, layout.B_TOLERANCE]


@kernel
def first_rules(problem, options, frames, balls):
    """How to descend from the start."""
    if balls and single_chain(problem) and undamped(problem, options.damping):
        if must_be_straight(problem, frames):
            return Rules(STRAIGHT, False, TUNING.stall_cost)
    if out_of_reach(problem, frames):
        return Rules(SETTLING, True, TUNING.settled_cost)
    return Rules(REACHING, not balls, TUNING.stall_cost)


@kernel
def search(problem, options, fabrik, trace, start, low):
    """Descend from q, the start, with the cost `low`; after a stall restart; then settle.

    The best pose found ends in `best`.
    """
    frames, q = fabrik.frames, fabrik.q
    copy(q, fabrik.best)
    balls = only_balls(problem)
    rules = first_rules(problem, options, frames, balls)
    # From the start, bent a little if it is in one line with the target.
    if rules.mode != STRAIGHT and not within(problem, frames):
        if in_line(problem, frames, fabrik.pulls):
            bend(problem, frames, q, fabrik.pulls)
    descent = descend(problem, options, fabrik, trace, rules, 0)
    low = keep_better(fabrik, descent, low, False)
    stop, restarts = descent.stop, 0
    if rules.mode == REACHING:
        # After a stall, restart.
        while (
            descent.stop == layout.STOP_STALLED
            and restarts < options.restarts
            and descent.used < options.max_iterations
        ):
            seed, spread = 1 + TUNING.seed_candidates * restarts, min(1.0, 0.25 * (restarts + 1))
            restarts += 1
            seeds = Seeds(seed, TUNING.seed_candidates, spread)
            best_seed(problem, frames, seeds, start, Window(start, 0.0), fabrik.trial, q)
            descent = descend(problem, options, fabrik, trace, rules, descent.used)
            low = keep_better(fabrik, descent, low, True)
        # Nothing reaches: settle the best pose.
        if descent.stop == layout.STOP_STALLED:
            copy(fabrik.best, q)
            rules = Rules(SETTLING, True, TUNING.settled_cost)
            descent = descend(problem, options, fabrik, trace, rules, descent.used)
            keep_better(fabrik, descent, low, False)
    return Ended(stop, descent.used, restarts)


@entry(SOLVE)
def solve_range(
    ints, floats, offsets, starts, targets, out, work, trace_poses, trace_events, first, last
):
    """Solve problems first..last-1 of a batch.

    Single rows of offsets, starts and targets serve all.
    """
    clear(work)
    problem = unpack(ints, floats)
    options = read_options(problem)
    fabrik = take_buffers(problem, work)
    trace = trace_into(trace_poses, trace_events, work)
    frames, q = fabrik.frames, fabrik.q
    for b in range(first, last):
        start = part(row_at(starts, b), 0, problem.coordinates)
        clear_trace(trace)
        cost = begin(problem, frames, row_at(offsets, b), start, row_at(targets, b), q)
        record(trace, problem, q, frames.errors)
        copy(q, fabrik.shown)
        gather(problem, frames, fabrik.table)
        ended = search(problem, options, fabrik, trace, start, cost)
        finish(problem, frames, fabrik.linear, trace, start, fabrik.best, ended, row_at(out, b))


@dataclass(frozen=True, kw_only=True)
class FABRIK(Solver):
    """Forward and backward reaching; see the module's text.

    Args:
        max_iterations: Iterations in all, restarts included; one is a backward and a forward pass.
        restarts: How many restarts follow once the solve has stalled.
        damping: The greatest change of any joint in one iteration [rad]; None for no cap.
    """

    name: ClassVar[str] = "FABRIK"
    takes: ClassVar[Takes] = Takes(
        joints=frozenset(("Hinge", "Ball", "Cone", "Axes")),
        goals=frozenset(("position",)),
        several=True,
    )
    kernel = staticmethod(solve_range)

    max_iterations: int = 100
    restarts: int = 8
    damping: float | None = None

    def __post_init__(self) -> None:
        """Check the options."""
        super().__post_init__()
        self._whole("restarts")
        if self.damping is not None:
            self._positive("damping")

    def events_per_iteration(self, problem: Problem) -> int:
        """Every joint is placed twice and rotated once, every effector placed twice."""
        return 3 * len(problem.moving) + 2 * len(problem.blocks)
