"""Target Triangle: from base to tip, each link turned at most once.

The idea (Song & Hu 2011, "A fast inverse kinematics algorithm for joint animation"): a link of
length a, all that follows it laid straight (b) and the way to the target (c) are the sides of a
triangle. Turn the link, in the plane of itself and the target, until it makes the triangle's angle
phi_b with the way to the target (eq. 3); then the rest needs no more than to follow.

The right choice for a chain that must be solved in one pass, with most of its links left straight:
a free chain of any lengths reaches every target in reach, from any start. It fails, with limits,
where the triangle of two straight parts is no good guess, as in chains limited at every joint: of
the random chains with cones of 20 to 90 degrees at each of 4 to 20 joints it reaches a fifth. From
bent starts and for targets nearby it turns more than CCD does, and while a target is dragged over a
limit it may flip.

The paper leaves some things open and contradicts itself in others. Decisions:
- The *end-effector vector* is the link's own vector. With the vector to the tip, as it could also
  be read, bent chains reach next to nothing.
- The three printed `if`s overlap and leave half of the ball without a branch. All become one: of
  the next distances that the link can give, |a - c| to a + c, the one nearest to b
  (`target_angle`). That is theta for a target too far or a link too long (c > a + b, a > b + c),
  and theta - pi, "from the opposite side", for a target too near (b > a + c); the printed "rotate
  -theta" does neither. By induction over the links every target in reach is reached.
- The *10-degree rule* has opposite signs in text and pseudo-code. Eq. 6 foretells the bend of the
  *next* joint; a smaller phi lowers that bend and keeps the rest in reach, so phi is made smaller.
- It is applied only where a limit holds a link and the target is missed, and planned ahead: the
  link takes the smallest number of steps for which the rest, held by its limits, still reaches.
  Steps go on past zero, to the other side of the target, once round. If no number will do, the link
  takes the best, and the next one is asked.
- omega, the bend limit of a joint, is its cone's swing away from rest, which is the bend against
  the link before where the rest pose is straight. The twist stays untouched.
- A link that its limit holds goes to the place on the cone's rim where its angle to the target
  comes nearest to phi. Then only distances count, and what is reached does not depend on the start.
- A joint's damping and stiffness hold back its turn, and later links make up for it if they can.
- Hinges turn in one plane, so they must all be parallel and square to their links, and a target off
  the plane is looked at from there.
- Where the link and its target are in one line (theta 0 or pi) the axis of eq. 2 vanishes: the link
  turns about a fixed axis of its own. At the target itself (c = 0) no turn is better than another,
  and the link stays.
- One *iteration* is one pass over the chain: the first, which is the only one of a free chain, and
  one for each number of steps tried. Every pass begins at the start pose, so that in the answer no
  joint has turned more than once.
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from supple import rotations
from supple.kernels.cache import kernel
from supple.kernels.fitting import best_angle, temper, untempered
from supple.kernels.layout import (
    AXIS,
    BALL,
    CONE,
    E_P0,
    E_TARGET,
    F_LENGTH,
    F_TURN,
    H_COORDS,
    H_MOVING,
    HINGE,
    KIND,
    LIMITS,
    M_KIND,
    M_NQ,
    M_ORDER,
    M_Q,
    S_P0,
    S_POS,
    S_WPRE,
    STOP_BUDGET,
    STOP_REACHED,
    STOP_STALLED,
)
from supple.kernels.limits import project_joint, swing_twist_angles
from supple.kernels.quaternion import (
    about,
    axpy,
    between,
    cross,
    dot,
    load3,
    load4,
    mul,
    norm,
    normalized,
    perpendicular,
    put4,
    rotate,
    store3,
    sub,
    unit,
    unrotate,
)
from supple.kernels.record import record
from supple.kernels.report import begin, evaluate, finish, finish_space
from supple.kernels.residual import within
from supple.kernels.tree import carve, forward, joint_turn, place, tree_space, unpack
from supple.kernels.triangle import STRAIGHT, on_rim, target_angle
from supple.kernels.turns import record_turns
from supple.kernels.views import grid, part, row_at
from supple.problem import Problem
from supple.solvers.base import Solver, Takes

MAX_ITERATIONS = 0
STEP = math.radians(10.0)  # by which phi is made smaller
STEPS = 35  # at most so many times: one more would be a whole turn
BETTER = 1.0 - 1e-9  # of equally good numbers of steps, rounding apart, the first counts
ALIKE = 1e-6  # directions that differ less are the same [rad]


def space(ints):
    """Floats of workspace for one solve."""
    local = 4 * ints[H_COORDS] + 4 + 5 * ints[H_MOVING]
    return tree_space(ints) + local + finish_space(ints)


@kernel
def bone(states, effectors, k):
    """The link of joint k in its frame: the way to the next joint, or to the tip."""
    if k + 1 < states.shape[0]:
        return load3(states, k + 1, S_P0)
    return load3(effectors, 0, E_P0)


@kernel
def turn_link(moving, moving_f, states, effectors, rest, steps, normals, before, k, q):
    """Turn link k, whose joint stands, into its target triangle.

    Returns whether a limit held it.
    """
    place(moving, moving_f, q, states, k)
    kind, at = moving[k, M_KIND], moving[k, M_Q]
    pre, b = load4(states, k, S_WPRE), bone(states, effectors, k)
    way = unrotate(pre, sub(load3(effectors, 0, E_TARGET), load3(states, k, S_POS)))
    own = joint_turn(kind, moving[k, M_ORDER], moving_f, k, q, at)
    link = rotate(own, b)
    axis = load3(moving_f, k, AXIS)
    if kind == HINGE:
        way = axpy(way, -dot(way, axis), axis)
        link = axpy(link, -dot(link, axis), axis)
    a, c = norm(link), norm(way)
    if a == 0.0 or c == 0.0:
        return False
    e, v = unit(link), unit(way)
    phi = target_angle(a, rest[k], c) - STEP * steps[k]
    normal = cross(e, v)
    sine = norm(normal)
    held = False
    if kind == HINGE:
        theta = math.atan2(dot(normal, axis), dot(e, v))
        beta = theta - phi
        if sine < STRAIGHT:
            beta = abs(theta) - phi
        elif theta < 0.0:
            beta = theta + phi
        if beta == 0.0:
            return False
        wanted = q[at] + beta
        low, high = moving_f[k, LIMITS], moving_f[k, LIMITS + 1]
        q[at] = best_angle(math.cos(wanted), math.sin(wanted), low, high, q[at], 1.0)
        held = math.cos(wanted - q[at]) < 1.0 - 1e-12
    else:
        if sine < STRAIGHT:
            # In one line with its target a link may turn about any axis square to it: about that
            # of the link before it, so that a chain that is flat stays flat.
            normal = unrotate(pre, load3(normals, k - 1, 0)) if k > 0 else (0.0, 0.0, 0.0)
            normal = axpy(normal, -dot(normal, e), e)
            if norm(normal) < ALIKE:
                normal = rotate(own, perpendicular(unit(b)))
        normal = unit(normal)
        store3(normals, k, 0, rotate(pre, normal))
        beta = math.atan2(sine, dot(e, v)) - phi
        if beta == 0.0:
            return False
        turn = about(normal, beta)
        if kind == BALL:
            put4(q, at, normalized(mul(turn, own)))
        else:
            u, wanted = unit(b), rotate(turn, e)
            limit = moving_f[k, LIMITS + 1]
            swing = math.atan2(norm(cross(u, wanted)), dot(u, wanted))
            held = swing > limit + 1e-12
            if held:
                wanted = on_rim(u, limit, v, phi, wanted)
            _, twist = swing_twist_angles(own, axis)
            put4(q, at, normalized(mul(between(u, wanted), about(axis, twist))))
            project_joint(kind, moving[k, M_ORDER], moving_f, k, q, at)
    temper(moving, moving_f, k, before, math.inf, q)
    place(moving, moving_f, q, states, k)
    return held


@kernel
def sweep(moving, moving_f, states, effectors, rest, steps, normals, before, first, q):
    """Turn the links from `first` on, each once, from where they are in `before`.

    Returns the last joint that a limit held, -1 if none.
    """
    last = -1
    for k in range(first, moving.shape[0]):
        at = moving[k, M_Q]
        for i in range(moving[k, M_NQ]):
            q[at + i] = before[at + i]
        if turn_link(moving, moving_f, states, effectors, rest, steps, normals, before, k, q):
            last = k
    return last


@kernel
def solve_range(ints, floats, offsets, starts, targets, out, work, trace, events, first, last):
    """Solve problems first..last-1 of a batch.

    Single rows of offsets, starts and targets serve all.
    """
    active, moving, blocks, _, active_f, moving_f, blocks_f, options, _, _ = unpack(ints, floats)
    states, effectors, folded, i = carve(ints, work)
    nq, nm = ints[H_COORDS], ints[H_MOVING]
    q, i = part(work, i, nq), i + nq
    best, i = part(work, i, nq), i + nq
    before, i = part(work, i, nq), i + nq
    shown, i = part(work, i, nq), i + nq
    rows, i = part(work, i, 3), i + 3
    errors, i = part(work, i, 1), i + 1
    rest, i = part(work, i, nm), i + nm
    steps, i = part(work, i, nm), i + nm
    normals, i = grid(work, i, nm, 3), i + 3 * nm
    tail = part(work, i, work.shape[0] - i)
    length, turn = floats[F_LENGTH], floats[F_TURN]
    for b in range(first, last):
        start = row_at(starts, b)
        low = begin(
            floats, active, active_f, moving, moving_f, blocks, blocks_f,
            row_at(offsets, b), start,
            row_at(targets, b),
            q, states, effectors, folded, rows, errors,
        )  # fmt: skip
        traced = record(trace, 0, q, blocks, errors)
        best[:] = q
        before[:] = q
        shown[:] = q
        left = 0.0
        for k in range(nm - 1, -1, -1):
            rest[k] = left
            left += norm(bone(states, effectors, k))
            steps[k] = 0.0
        normals[:] = 0.0
        stop, used, n = STOP_STALLED, 0, 0
        if within(blocks, blocks_f, errors):
            stop = STOP_REACHED
        link, tried, chosen, limited = 0, 0, 0, 0
        while stop == STOP_STALLED and link <= limited:
            if used >= options[MAX_ITERATIONS]:
                stop = STOP_BUDGET
                break
            used += 1
            steps[link] = tried
            held = sweep(moving, moving_f, states, effectors, rest, steps, normals, before, link, q)
            cost = evaluate(
                moving, moving_f, blocks, blocks_f, q, states, effectors, length, turn, rows, errors
            )
            traced = record(trace, traced, q, blocks, errors)
            n = record_turns(events, n, used, moving, shown, q)
            if within(blocks, blocks_f, errors):
                stop = STOP_REACHED
            if cost < BETTER * low or stop == STOP_REACHED:
                low = cost
                best[:] = q
                chosen = tried
            if used == 1 or chosen == tried:
                # Steps before a held link may free it. The last link's own can only do harm.
                limited = min(held, nm - 2)
            tried += 1
            if tried > STEPS:
                # No turn of this link will do: keep the best, and ask the next.
                steps[link] = chosen
                q[:] = best
                forward(moving, moving_f, q, states)
                link += 1
                tried, chosen = 1, 0
        if stop == STOP_STALLED and not untempered(moving_f, math.inf):
            stop = STOP_BUDGET  # damped or stiff links are on their way
        finish(
            ints, floats, moving, moving_f, blocks, blocks_f,
            start, best, states, effectors, rows, errors, tail, row_at(out, b),
            stop, used, 0, traced, n,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TargetTriangle(Solver):
    """Target Triangle; see the module's text.

    Args:
        max_iterations: Passes over the chain in all.
    """

    name: ClassVar[str] = "TargetTriangle"
    takes: ClassVar[Takes] = Takes(
        joints=frozenset(("Hinge", "Ball", "Cone")),
        goals=frozenset(("position",)),
        remark="hinges parallel in one plane, cones along their links",
    )
    kernel = staticmethod(solve_range)
    space = staticmethod(space)

    max_iterations: int = 100

    def refusal(self, problem: Problem) -> str | None:
        """Why the joints of a chain do not suit; None if they do. Looked at in the rest pose."""
        names, rest = problem.skeleton.joint_names, problem.skeleton.rest
        ints, floats = problem.skeleton.packed_ints, problem.skeleton.packed_floats
        joints, block = problem.moving.tolist(), problem.blocks[0]
        tip = rotations.rotate(rest.rotations[block.joint], block.point)
        places = np.vstack([rest.positions[joints], rest.positions[block.joint] + tip])
        axes = rotations.rotate(rest.rotations[joints], floats[joints, AXIS : AXIS + 3])
        kinds = ints[joints, KIND]
        for joint, kind, axis, link in zip(
            joints, kinds, axes, np.diff(places, axis=0), strict=True
        ):
            name, size = names[joint], float(np.linalg.norm(link))
            if kind == CONE and np.linalg.norm(np.cross(axis, link)) > ALIKE * size:
                return f"a cone whose axis is not along its link ({name!r})"
            if kind != HINGE and HINGE in kinds:
                return f"hinges together with other joints ({name!r})"
            across = np.linalg.norm(np.cross(axes[0], axis))
            if kind == HINGE and (across > ALIKE or abs(axis @ link) > ALIKE * size):
                return f"hinges that do not turn in one plane ({name!r})"
        return None

    def events_per_iteration(self, problem: Problem) -> int:
        """Every joint turned once."""
        return len(problem.moving)
