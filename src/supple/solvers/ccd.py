"""Cyclic coordinate descent: one joint after the other does the best it can.

The idea (Wang & Chen 1991, "A combined optimization method for solving the inverse kinematics
problem of mechanical manipulators"; Welman 1993; Lander 1998, "Making Kine More Flexible";
Kuehtreiber, "IK for Shape Grammars"): with all others standing still, the best turn of a joint has a
closed form, so go through the chain from the tip to the root, again and again. Limits, damping and
stiffness are part of each closed form (`ccd_turns`, `ccd_cones`) and the effector is carried along
(`ccd_visit`): a sweep is linear in the joints, and no visit ever increases the cost.

The right choice for one chain with one effector that is to be watched while it reaches. It fails,
like every descent, where no single joint can help; it favours the joints it visits first (`damping`
evens that out); and it crawls where the chain is nearly straight. So, besides the plain sweeps:

* `accelerate`: after each sweep go on in the same direction, as far again, then twice as far, and so
  on while that brings the effector closer: the acceleration step of the cyclic coordinate method
  (Hooke & Jeeves 1961; Bazaraa, Sherali & Shetty, "Nonlinear Programming"), at the price of one more
  forward pass. On the chain 9-9-9-9-4 from straight, undamped, with 100 sweeps and a tolerance of
  1e-4 of its length, plain sweeps reach 83% of the targets in the ball, accelerated ones all.
* `restarts`: after a stall, from low-discrepancy seeds. A sweep that changes nothing is a stall, and
  so are three in a row at whose rate the budget would run out first. The last fifth of the budget
  belongs to the best pose found.
* Where no joint can help though the target is in reach (a straight chain, a target on its line), one
  small bend, always the same, leaves the dead point.

`CCD(accelerate=False, restarts=0)` is the plain algorithm.

What is read differently from the sources, and why:

* Lander's listing turns by a stale cross product where the angle is small (the turn belongs inside
  that test) and leaves out angles below 0.256 degrees (0.99999): at 1e-4 of the length it reaches 6%
  of the targets. Here the angle is atan2(|cross|, dot), which needs no dead zone. A vector of no
  length asks for no turn; opposite vectors ask for half a turn about a fixed axis square to them.
* Its loop counts joint visits (101 of them), tests the tip before the turn and always returns TRUE.
  Here an iteration is a sweep, the test comes after it, and the status says what happened. Its
  threshold is a squared distance, ours a distance.
* It turns first and clamps afterwards, each way against one limit only. A clamped turn is not the
  best one inside limits: that is the peak, whole turns away if need be, or the better of two ends.
* Kuehtreiber adds up vectors that are sums already and measures the distance of unit vectors, which
  is zero after the first turn: 0.2% are reached. Here the arm is the effector minus the joint.
* His counter for the depth stops after one shape at depth 0; here 0 means to the skeleton's root.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from supple.errors import one_of
from supple.kernels.cache import kernel
from supple.kernels.layout import (
    B_KIND,
    B_TOLERANCE,
    B_WEIGHT,
    DAMPING,
    F_LENGTH,
    F_TURN,
    H_BLOCKS,
    H_COORDS,
    H_DOFS,
    H_ROWS,
    POSITION,
    STOP_BUDGET,
    STOP_REACHED,
    STOP_STALLED,
)
from supple.kernels.record import record, record_turn
from supple.kernels.report import begin, evaluate, finish, finish_space, gap, span
from supple.kernels.residual import within
from supple.kernels.seeds import seed
from supple.kernels.tangent import project
from supple.kernels.tree import carve, tree_space, unpack
from supple.kernels.views import part, row_at
from supple.problem import Problem
from supple.solvers.base import JOINT_KINDS, Solver, Takes
from supple.solvers.ccd_visit import go_on, kick, sweep

MAX_ITERATIONS, CAP, UPWARD, RESTARTS, ACCELERATE = range(5)
ORDERS = ("root-to-tip", "tip-to-root")  # by the value of UPWARD
CANDIDATES = 16  # seeds looked at for each restart; the one nearest to the goals is used
CLEARLY = 0.81  # a pose from elsewhere must be below this fraction of an unreached one's cost
FLAT = 1e-6  # a sweep that lowers the cost by less than this fraction changes nothing
PATIENCE = 3  # that many such sweeps in a row are a stall
POLISH = 0.2  # the part of the budget that belongs to the best pose found
MOST_GAIN = 1000.0  # the farthest an accelerated sweep goes on, in sweeps


def space(ints):
    """Floats of workspace for one solve."""
    return (
        tree_space(ints) + 4 * ints[H_COORDS] + ints[H_ROWS] + ints[H_BLOCKS] + finish_space(ints)
    )


@kernel
def costs_at_stake(moving, moving_f, blocks, blocks_f, states, effectors, length, radian):
    """The cost at which all goals are met, and a cost that no pose can go below."""
    enough, least = 0.0, 0.0
    for g in range(blocks.shape[0]):
        weight, tolerance = blocks_f[g, B_WEIGHT], blocks_f[g, B_TOLERANCE]
        if blocks[g, B_KIND] == POSITION:
            nearest, longest = span(moving, moving_f, blocks, states, effectors, g)
            away = gap(moving, moving_f, blocks, states, effectors, g)
            miss = weight * max(away - longest, nearest - away, 0.0) / length
            least += 0.5 * miss * miss
            tolerance /= length
        else:
            tolerance *= radian
        enough += 0.5 * (weight * tolerance) * (weight * tolerance)
    return enough, least


@kernel
def is_damped(moving_f, options):
    """Whether anything caps the change of a joint: progress then says nothing about what is to come."""
    if options[CAP] < math.inf:
        return True
    for k in range(moving_f.shape[0]):
        if moving_f[k, DAMPING] < math.inf:
            return True
    return False


@kernel
def descend(
    floats, moving, moving_f, blocks, blocks_f, options, q, old, trial,
    states, effectors, rows, errors, cost, aim, used, until, trace, traced, events, event,
):  # fmt: skip
    """Sweep from q, evaluated, until reached, stalled or at iteration `until`.

    With an `aim` that is not negative, a rate at which the cost will not be there within the budget
    is a stall too. Returns why it stopped, whether nothing changed any more, the cost, the
    iterations used so far, and the trace rows and events written; q ends as the best pose seen.
    """
    length, radian = floats[F_LENGTH], floats[F_TURN]
    gain = 1.0
    slow, flat = 0, 0
    while True:
        if within(blocks, blocks_f, errors):
            return STOP_REACHED, False, cost, used, traced, event
        if used >= until:
            return STOP_BUDGET, False, cost, used, traced, event
        used += 1
        old[:] = q
        event = sweep(
            moving, moving_f, blocks, blocks_f, effectors, states, q, old, length, radian,
            options[CAP], options[UPWARD] != 0.0, events, event, used,
        )  # fmt: skip
        new = evaluate(
            moving, moving_f, blocks, blocks_f, q, states, effectors, length, radian, rows, errors
        )
        if options[ACCELERATE] != 0.0 and not within(blocks, blocks_f, errors):
            trial[:] = q
            go_on(moving, moving_f, old, q, gain, options[CAP], length, trial)
            farther = evaluate(
                moving, moving_f, blocks, blocks_f, trial, states, effectors, length, radian,
                rows, errors,
            )  # fmt: skip
            if farther < new:
                event = record_jump(events, event, used, moving, q, trial)
                q[:] = trial
                new = farther
                gain = min(2.0 * gain, MOST_GAIN)
            else:
                evaluate(
                    moving, moving_f, blocks, blocks_f, q, states, effectors, length, radian,
                    rows, errors,
                )  # fmt: skip
                gain = max(0.5 * gain, 0.25)
        if not new <= cost:
            # No visit does harm, but for rounding.
            event = record_jump(events, event, used, moving, q, old)
            q[:] = old
            new = evaluate(
                moving, moving_f, blocks, blocks_f, q, states, effectors, length, radian, rows,
                errors,
            )  # fmt: skip
        traced = record(trace, traced, q, blocks, errors)
        rate = new / cost
        flat = flat + 1 if 1.0 - rate < FLAT else 0
        slow = slow + 1 if new * rate ** (options[MAX_ITERATIONS] - used) > aim else 0
        cost = new
        if flat >= PATIENCE or rate == 1.0:
            return STOP_STALLED, True, cost, used, traced, event
        if slow >= PATIENCE and aim >= 0.0:
            return STOP_STALLED, False, cost, used, traced, event


@kernel
def record_jump(events, event, iteration, moving, before, after):
    """Write how every joint went from one pose to another, outside a sweep; returns the next event."""
    for k in range(moving.shape[0]):
        event = record_turn(events, event, iteration, moving, k, before, after)
    return event


@kernel
def best_seed(
    moving, moving_f, blocks, blocks_f, states, effectors, rows, errors,
    length, radian, freedoms, number, spread, start, trial, q,
):  # fmt: skip
    """Put into q the one of CANDIDATES seeds, from `number` on, that is nearest to the goals."""
    low = math.inf
    trial[:] = start
    for i in range(CANDIDATES):
        seed(moving, moving_f, number + i, spread, length, freedoms, start, start, trial)
        project(moving, moving_f, trial)
        cost = evaluate(
            moving, moving_f, blocks, blocks_f, trial, states, effectors, length, radian, rows,
            errors,
        )  # fmt: skip
        if cost < low:
            low = cost
            q[:] = trial


@kernel
def solve_range(ints, floats, offsets, starts, targets, out, work, trace, events, first, last):
    """Solve problems first..last-1 of a batch.

    Single rows of offsets, starts and targets serve all.
    """
    active, moving, blocks, _, active_f, moving_f, blocks_f, options, _, _ = unpack(ints, floats)
    states, effectors, folded, i = carve(ints, work)
    nq, nr = ints[H_COORDS], ints[H_ROWS]
    q, i = part(work, i, nq), i + nq
    old, i = part(work, i, nq), i + nq
    trial, i = part(work, i, nq), i + nq
    best, i = part(work, i, nq), i + nq
    rows, i = part(work, i, nr), i + nr
    errors, i = part(work, i, blocks.shape[0]), i + blocks.shape[0]
    tail = part(work, i, work.shape[0] - i)
    length, radian = floats[F_LENGTH], floats[F_TURN]
    budget = options[MAX_ITERATIONS]
    impatient = options[RESTARTS] > 0.0 and not is_damped(moving_f, options)
    for b in range(first, last):
        start = row_at(starts, b)
        cost = begin(
            floats, active, active_f, moving, moving_f, blocks, blocks_f,
            row_at(offsets, b), start,
            row_at(targets, b),
            q, states, effectors, folded, rows, errors,
        )  # fmt: skip
        traced, event = record(trace, 0, q, blocks, errors), 0
        enough, least = costs_at_stake(
            moving, moving_f, blocks, blocks_f, states, effectors, length, radian
        )
        aim = max(enough, least / CLEARLY) if impatient else -1.0
        best_cost, best_stuck = math.inf, False
        restarts, used, until = 0, 0, budget
        elsewhere = False
        while True:
            stop, stuck, cost, used, traced, event = descend(
                floats, moving, moving_f, blocks, blocks_f, options, q, old, trial,
                states, effectors, rows, errors, cost, aim, used, until, trace, traced, events, event,
            )  # fmt: skip
            if stop == STOP_REACHED or cost < best_cost * (CLEARLY if elsewhere else 1.0):
                best[:] = q
                best_cost, best_stuck = cost, stuck
            # Beyond the reach of the chain nothing can be clearly better than as near as it gets.
            if stop != STOP_STALLED or used >= budget or CLEARLY * best_cost <= least:
                break
            old[:] = q
            if stuck and not elsewhere:
                kick(moving, moving_f, blocks, effectors, states, q, options[CAP])
            elif restarts < options[RESTARTS]:
                best_seed(
                    moving, moving_f, blocks, blocks_f, states, effectors, rows, errors, length, radian,
                    ints[H_DOFS], 1 + restarts * CANDIDATES, min(1.0, 0.5 + 0.5 * restarts), start, trial, q,
                )  # fmt: skip
                restarts += 1
                until = budget - POLISH * budget
            else:
                break
            elsewhere = True
            event = record_jump(events, event, used + 1, moving, old, q)
            cost = evaluate(
                moving, moving_f, blocks, blocks_f, q, states, effectors, length, radian, rows,
                errors,
            )  # fmt: skip
        if stop != STOP_REACHED:
            stop = STOP_STALLED if best_stuck else STOP_BUDGET
            if used < budget and not best_stuck:
                event = record_jump(events, event, used + 1, moving, q, best)
                cost = evaluate(
                    moving, moving_f, blocks, blocks_f, best, states, effectors, length, radian,
                    rows, errors,
                )  # fmt: skip
                stop, _, _, used, traced, event = descend(
                    floats, moving, moving_f, blocks, blocks_f, options, best, old, trial,
                    states, effectors, rows, errors, cost, -1.0, used, budget, trace, traced, events, event,
                )  # fmt: skip
            elif restarts > 0:
                event = record_jump(events, event, used, moving, q, best)
        finish(
            ints, floats, moving, moving_f, blocks, blocks_f,
            start, best, states, effectors, rows, errors, tail, row_at(out, b),
            stop, used, restarts, traced, event,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class CCD(Solver):
    """Cyclic coordinate descent; see the module's text.

    Args:
        max_iterations: Sweeps over the chain in all, restarts included.
        damping: The greatest change of any joint in one sweep [rad], for slides in chain lengths;
            None for no cap.
        order: "tip-to-root" or "root-to-tip".
        restarts: How many other beginnings are tried after a stall.
        accelerate: Whether sweeps are followed by a step on in the same direction, if that helps.
    """

    name: ClassVar[str] = "CCD"
    takes: ClassVar[Takes] = Takes(
        joints=frozenset(JOINT_KINDS),
        goals=frozenset({"position", "orientation"}),
        stretch=True,
        remark="one effector",
    )
    kernel = staticmethod(solve_range)
    space = staticmethod(space)

    max_iterations: int = 100
    damping: float | None = None
    order: str = "tip-to-root"
    restarts: int = 8
    accelerate: bool = True

    def __post_init__(self) -> None:
        """Check the options."""
        Solver.__post_init__(self)
        one_of("CCD order", self.order, sorted(ORDERS))
        self._whole("restarts")
        self._flag("accelerate")
        if self.damping is not None:
            self._positive("damping")

    def options(self) -> tuple[float, ...]:
        """The options as the kernel reads them."""
        cap = math.inf if self.damping is None else float(self.damping)
        order = float(ORDERS.index(self.order))
        return (
            float(self.max_iterations),
            cap,
            order,
            float(self.restarts),
            float(self.accelerate),
        )

    def events_per_iteration(self, problem: Problem) -> int:
        """A jump to another beginning, the sweep, and the step on."""
        return 3 * len(problem.moving)
