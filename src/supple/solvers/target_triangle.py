"""Target Triangle: from base to tip, each link turned at most once.

The idea (Song & Hu 2011, "A fast inverse kinematics algorithm for joint animation"): a link of
length a, the rest of the chain laid straight (b) and the line to the target (c) are the sides of a
triangle. Turn the link, in the plane of itself and the target, until it makes the triangle's angle
phi_b with the line to the target (eq. 3); then the rest of the chain can reach.

The right choice for a chain that must be solved in one pass, with most of its links left straight:
a free chain of any lengths reaches every target in reach, from any start. It fails, with limits,
where a triangle of two straight parts is a bad guess, as in chains limited at every joint: of the
random chains with cones of 20 to 90 degrees at each of 4 to 20 joints it reaches a fifth. From bent
starts and for targets nearby it turns joints more than CCD does, and while a target is dragged across
a limit the pose may flip.

The paper leaves some things open and contradicts itself in others. Decisions:
- The *end-effector vector* is the link's own vector. With the vector to the tip, as it could also
  be read, bent chains reach next to nothing.
- The three printed `if`s overlap and leave half of the ball without a branch. Here one rule replaces
  them: of the distances from the next joint to the target that the link can give, |a - c| to a + c,
  take the one nearest to b (`target_angle`). That is theta for a target too far or a link too long
  (c > a + b, a > b + c), and theta - pi, "from the opposite side", for a target too near (b > a + c);
  the printed "rotate -theta" does neither. By induction over the links every target in reach is
  reached.
- The *10-degree rule* has opposite signs in text and pseudo-code. Eq. 6 predicts the bend of the
  *next* joint; a smaller phi lowers that bend and keeps the rest in reach, so phi is made smaller.
- The rule is applied only where a limit holds a link and the target is missed, and planned ahead: the
  link takes the smallest number of steps for which the rest, held by its limits, still reaches.
  Steps continue past zero, to the other side of the target, once round. If no number reaches, the
  link takes the best one, and the search goes on with the next link.
- omega, the bend limit of a joint, is its cone's swing from rest, which is the bend relative to the
  link before where the rest pose is straight. The twist is not changed.
- A link that its limit holds goes to the point on the cone's rim where its angle to the target is
  nearest to phi. Then only distances matter, and which targets are reached does not depend on the
  start.
- A joint's damping and stiffness reduce its rotation, and later links make up for it if they can.
- Hinges turn in one plane, so they must all be parallel and perpendicular to their links. A target off
  that plane is projected onto it.
- Where the link and its target are in one line (theta 0 or pi) the axis of eq. 2 vanishes: the link
  turns about a fixed axis instead. At the target itself (c = 0) no rotation is better than another,
  and the link stays.
- The paper claims fewer operations than CCD. That holds for a free chain; with limits, every number of
  steps tried is one more pass, and it may not hold: `supple compare` says where.
- One *iteration* is one pass over the chain: the first, which is the only one of a free chain, and
  one for each number of steps tried. Every pass begins at the start pose, so that in the answer no
  joint has turned more than once.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from supple import rotations
from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import SOLVE, cold, entry, kernel, leaf
from supple.kernels.joint import (
    FULL_TURN,
    clamped_quadrants,
    damp,
    own_turn,
    project_joint,
    swing_twist_angles,
    tilt_and_twist,
    tilted,
    undamped,
)
from supple.kernels.problem import (
    begin,
    evaluate,
    forward,
    place,
    take_frames,
    take_linear,
    unpack,
    within,
)
from supple.kernels.quadrants import inside, quadrants_of, rim, swing_of, tilt_of
from supple.kernels.report import Ended, clear_trace, finish, record, record_turns, trace_into
from supple.kernels.wahba import best_angle
from supple.kernels.workspace import clear, copy, matrix, part, row_at, vector, zero_rows
from supple.problem.lowering import Problem
from supple.solvers.base import Claim, Solver, Takes


class Tuning(NamedTuple):
    """The tuned numbers of Target Triangle. Where no source is given, none is recorded.

    Attributes:
        step: By how much one step makes phi smaller [rad] (the paper's 10-degree rule).
        most_steps: Steps of one link; one more would be a whole turn.
        better_cost: Another number of steps is better if its cost is below this [of the best cost]; rounding.
        same_direction: Directions that differ by less are the same [rad].
        rim_samples: Samples of the boundary of a swing by quadrants.
        rim_halvings: Halvings of an interval between two of these samples.
        straight_sine: Two directions with a smaller sine between them are in one line; rounding.
    """

    step: float = math.radians(10.0)
    most_steps: int = 35
    better_cost: float = 1.0 - 1e-9
    same_direction: float = 1e-6
    rim_samples: int = 32
    rim_halvings: int = 45
    straight_sine: float = 1e-12


TUNING = Tuning()


class Options(NamedTuple):
    """The options of `TargetTriangle`, in their order."""

    max_iterations: float


class Buffers(NamedTuple):
    """The workspace of one solve."""

    q: Any  # (Q,) the pose
    before: Any  # (Q,) the start, inside its limits
    best: Any  # (Q,) the best pose so far
    shown: Any  # (Q,) the pose that the rotations recorded in the trace lead to
    rest: Any  # (M,) the length of the straight chain after each link
    steps: Any  # (M,) by how many steps phi of each link is made smaller
    normals: Any  # (M, 3) the axis that each link turns about, in the world
    frames: Any
    linear: Any  # used by `finish`


class Link(NamedTuple):
    """A link whose joint is placed, and its target, in the frame just before the joint."""

    a: float  # its length
    c: float  # the distance of its target
    e: Any  # unit vector along it
    v: Any  # unit vector to its target
    phi: float  # the angle between the two in the triangle


@kernel
def read_options(problem):
    """The options in a packed problem."""
    return Options(problem.options[0])


@kernel
def take_buffers(problem, work):
    """Take the workspace of one solve."""
    nq, nm = problem.coordinates, problem.moving.shape[0]
    return Buffers(
        vector(work, nq),
        vector(work, nq),
        vector(work, nq),
        vector(work, nq),
        vector(work, nm),
        vector(work, nm),
        matrix(work, nm, 3),
        take_frames(problem, work),
        take_linear(problem, work),
    )


@kernel
def target_angle(a, b, c):
    """The angle at the joint between its link and its target, in the triangle of a, b and c.

    Where there is no such triangle, the angle for which the distance from the next joint to the target is nearest to b.
    """
    opening = math.sqrt(max(0.0, (b - (a - c)) * (b + (a - c))))
    closing = math.sqrt(max(0.0, (a + c - b) * (a + c + b)))
    return 2.0 * math.atan2(opening, closing)


@kernel
def on_rim(u, limit, v, phi, wanted):
    """The direction on the rim of the cone (u, limit) whose angle to v is nearest to phi.

    Of the two mirrored solutions, the one on the side of `wanted`.
    """
    normal = quat.cross(u, v)
    sine = quat.norm(normal)
    if sine < TUNING.straight_sine:
        side = quat.axpy(wanted, -quat.dot(u, wanted), u)
        if quat.norm(side) < TUNING.straight_sine:
            side = quat.perpendicular(u)
        return quat.axpy(quat.scale(u, math.cos(limit)), math.sin(limit), quat.unit(side))
    normal = quat.scale(normal, 1.0 / sine)
    ahead = quat.cross(normal, u)
    along = (math.cos(phi) - quat.dot(u, v) * math.cos(limit)) / (sine * math.sin(limit) + 1e-300)
    along = min(max(along, -1.0), 1.0)
    across = math.sqrt(1.0 - along * along)
    if quat.dot(normal, wanted) < 0.0:
        across = -across
    side = quat.axpy(quat.scale(ahead, along), across, normal)
    return quat.axpy(quat.scale(u, math.cos(limit)), math.sin(limit), side)


@cold
def tilt_on_rim(quadrants, u, v, phi, a, b):
    """The tilt on the boundary of a swing by quadrants that brings the angle from v to u nearest to phi.

    Of two equal ones, the one nearer to the tilt a, b.
    """
    step = FULL_TURN / TUNING.rim_samples
    best, least, near = 0.0, math.inf, math.inf
    before = rim_error(quadrants, u, v, phi, 0.0)
    for i in range(TUNING.rim_samples):
        low, high = i * step, (i + 1) * step
        after = rim_error(quadrants, u, v, phi, high)
        x = low if abs(before) < abs(after) else high
        if before * after < 0.0:
            for _ in range(TUNING.rim_halvings):
                x = 0.5 * (low + high)
                if rim_error(quadrants, u, v, phi, x) * before > 0.0:
                    low = x
                else:
                    high = x
        before = after
        error = abs(rim_error(quadrants, u, v, phi, x))
        first, second = rim(quadrants, x)
        away = math.hypot(first - a, second - b)
        if error < least - TUNING.same_direction or (
            error <= least + TUNING.same_direction and away < near
        ):
            best, least, near = x, error, away
    if least > TUNING.same_direction:
        # No such angle on the boundary: take the greatest or the least there is.
        for _ in range(TUNING.rim_halvings):
            step *= 0.7
            for i in range(2):
                x = best + (step if i == 0 else -step)
                error = abs(rim_error(quadrants, u, v, phi, x))
                if error < least:
                    best, least = x, error
    return rim(quadrants, best)


@kernel
def rim_error(quadrants, u, v, phi, x):
    """The cosine of the angle from v to u, tilted to the boundary at x, minus that of phi."""
    a, b = rim(quadrants, x)
    swung = quat.rotate(quat.exp(swing_of(quadrants, a, b)), u)
    return quat.dot(swung, v) - math.cos(phi)


@cold
def turn_quadrants(problem, triangle, link, k, wanted):
    """Swing joint k, limited by quadrants, so that its link points to `wanted`; returns if it turned, and was held."""
    at, q = problem.moving[k, layout.M_Q], triangle.q
    quadrants = quadrants_of(problem.moving_f, k)
    u = quat.unit(bone(triangle.frames, k))
    a, b = tilt_of(quadrants, quat.log(quat.between(u, wanted)))
    held = not inside(quadrants, a, b, 1e-12)
    if held:
        a, b = tilt_on_rim(quadrants, u, link.v, link.phi, a, b)
    _, _, twist = tilt_and_twist(quat.take4(q, at), quadrants)
    quat.put4(q, at, clamped_quadrants(tilted(quadrants, a, b, twist), quadrants))
    return True, held


@leaf
def bone(frames, k):
    """The link of joint k in its frame: the vector to the next joint, or to the tip."""
    joints = frames.joints
    if k + 1 < joints.shape[0]:
        return quat.load3(joints, k + 1, layout.S_P0)
    return quat.load3(frames.effectors, 0, layout.E_P0)


@kernel
def measure(problem, triangle):
    """Fill the length of the chain after each link, and clear all steps and normals."""
    left = 0.0
    for k in range(problem.moving.shape[0] - 1, -1, -1):
        triangle.rest[k] = left
        left += quat.norm(bone(triangle.frames, k))
        triangle.steps[k] = 0.0
    zero_rows(triangle.normals)


@leaf
def link_triangle(problem, triangle, k):
    """The triangle of link k, whose joint is placed."""
    frames = triangle.frames
    way = quat.unrotate(
        quat.load4(frames.joints, k, layout.S_WPRE),
        quat.sub(
            quat.load3(frames.effectors, 0, layout.E_TARGET),
            quat.load3(frames.joints, k, layout.S_POS),
        ),
    )
    link = quat.rotate(own_turn(problem, triangle.q, k), bone(frames, k))
    if problem.moving[k, layout.M_KIND] == layout.HINGE:
        axis = quat.load3(problem.moving_f, k, layout.AXIS)
        way = quat.axpy(way, -quat.dot(way, axis), axis)
        link = quat.axpy(link, -quat.dot(link, axis), axis)
    a, c = quat.norm(link), quat.norm(way)
    phi = target_angle(a, triangle.rest[k], c) - TUNING.step * triangle.steps[k]
    return Link(a, c, quat.unit(link), quat.unit(way), phi)


@leaf
def turn_hinge(problem, link, k, q):
    """Turn the hinge k of a link into its triangle; returns if it turned, and was held."""
    moving_f = problem.moving_f
    at, axis = problem.moving[k, layout.M_Q], quat.load3(moving_f, k, layout.AXIS)
    normal = quat.cross(link.e, link.v)
    theta = math.atan2(quat.dot(normal, axis), quat.dot(link.e, link.v))
    beta = theta - link.phi
    if quat.norm(normal) < TUNING.straight_sine:
        beta = abs(theta) - link.phi
    elif theta < 0.0:
        beta = theta + link.phi
    if beta == 0.0:
        return False, False
    wanted = q[at] + beta
    low, high = moving_f[k, layout.LIMITS], moving_f[k, layout.LIMITS + 1]
    q[at] = best_angle(math.cos(wanted), math.sin(wanted), low, high, q[at], 1.0)
    return True, math.cos(wanted - q[at]) < 1.0 - 1e-12


@leaf
def turn_axis(problem, triangle, link, k):
    """The axis, perpendicular to link k, to turn it about; also written to `normals`, in the world."""
    pre = quat.load4(triangle.frames.joints, k, layout.S_WPRE)
    normal = quat.cross(link.e, link.v)
    if quat.norm(normal) < TUNING.straight_sine:
        # In one line with its target a link may turn about any perpendicular axis: use that of the
        # link before it, so that a flat chain stays flat.
        normal = (0.0, 0.0, 0.0)
        if k > 0:
            normal = quat.unrotate(pre, quat.load3(triangle.normals, k - 1, 0))
        normal = quat.axpy(normal, -quat.dot(normal, link.e), link.e)
        if quat.norm(normal) < TUNING.same_direction:
            side = quat.perpendicular(quat.unit(bone(triangle.frames, k)))
            normal = quat.rotate(own_turn(problem, triangle.q, k), side)
    normal = quat.unit(normal)
    quat.store3(triangle.normals, k, 0, quat.rotate(pre, normal))
    return normal


@leaf
def turn_ball(problem, triangle, link, k):
    """Turn the ball or cone k of a link into its triangle; returns if it turned, and was held."""
    moving, moving_f = problem.moving, problem.moving_f
    kind, at, q = moving[k, layout.M_KIND], moving[k, layout.M_Q], triangle.q
    normal = turn_axis(problem, triangle, link, k)
    sine = quat.norm(quat.cross(link.e, link.v))
    beta = math.atan2(sine, quat.dot(link.e, link.v)) - link.phi
    if beta == 0.0:
        return False, False
    own = quat.take4(q, at)
    turn = quat.about(normal, beta)
    if kind == layout.BALL:
        quat.put4(q, at, quat.normalized(quat.mul(turn, own)))
        return True, False
    u, wanted = quat.unit(bone(triangle.frames, k)), quat.rotate(turn, link.e)
    if kind & layout.QUADRANTS != 0:
        return turn_quadrants(problem, triangle, link, k, wanted)
    axis, limit = (
        quat.load3(moving_f, k, layout.AXIS),
        moving_f[k, layout.LIMITS + 1],
    )
    swing = math.atan2(quat.norm(quat.cross(u, wanted)), quat.dot(u, wanted))
    held = swing > limit + 1e-12
    if held:
        wanted = on_rim(u, limit, link.v, link.phi, wanted)
    _, twist = swing_twist_angles(own, axis)
    swung = quat.mul(quat.between(u, wanted), quat.about(axis, twist))
    quat.put4(q, at, quat.normalized(swung))
    project_joint(kind, moving_f, k, q, at)
    return True, held


@leaf
def turn_link(problem, triangle, k):
    """Turn link k, whose joint is placed, into its target triangle; returns if a limit held it."""
    place(problem, triangle.frames, triangle.q, k)
    link = link_triangle(problem, triangle, k)
    if link.a == 0.0 or link.c == 0.0:
        return False
    if problem.moving[k, layout.M_KIND] == layout.HINGE:
        turned, held = turn_hinge(problem, link, k, triangle.q)
    else:
        turned, held = turn_ball(problem, triangle, link, k)
    if turned:
        damp(problem, k, triangle.before, math.inf, triangle.q)
        place(problem, triangle.frames, triangle.q, k)
    return held


@kernel
def sweep(problem, triangle, first):
    """Turn the links from `first` on, each once, from their coordinates in `before`.

    Returns the last joint that a limit held, -1 if none.
    """
    moving = problem.moving
    last = -1
    for k in range(first, moving.shape[0]):
        at = moving[k, layout.M_Q]
        for i in range(moving[k, layout.M_NQ]):
            triangle.q[at + i] = triangle.before[at + i]
        if turn_link(problem, triangle, k):
            last = k
    return last


@kernel
def search(problem, options, triangle, trace, low):
    """Pass over the chain from q, the start, with the cost `low`; then with steps for links before held ones.

    The best pose found ends in `best`.
    """
    frames, q = triangle.frames, triangle.q
    copy(q, triangle.before)
    copy(q, triangle.best)
    stop, used = layout.STOP_STALLED, 0
    if within(problem, frames):
        stop = layout.STOP_REACHED
    link, tried, chosen, limited = 0, 0, 0, 0
    while stop == layout.STOP_STALLED and link <= limited:
        if used >= options.max_iterations:
            stop = layout.STOP_BUDGET
            break
        used += 1
        triangle.steps[link] = tried
        held = sweep(problem, triangle, link)
        cost = evaluate(problem, frames, q)
        record(trace, problem, q, frames.errors)
        record_turns(trace, problem, used, triangle.shown, q)
        if within(problem, frames):
            stop = layout.STOP_REACHED
        if cost < TUNING.better_cost * low or stop == layout.STOP_REACHED:
            low = cost
            copy(q, triangle.best)
            chosen = tried
        if used == 1 or chosen == tried:
            # Steps of links before a held one may free it. Steps of the last link can only do harm.
            limited = min(held, problem.moving.shape[0] - 2)
        tried += 1
        if tried > TUNING.most_steps:
            # No number of steps of this link reaches: keep the best, and go on to the next.
            triangle.steps[link] = chosen
            copy(triangle.best, q)
            forward(problem, frames, q)
            link += 1
            tried, chosen = 1, 0
    if stop == layout.STOP_STALLED and not undamped(problem, math.inf):
        stop = layout.STOP_BUDGET  # damped or stiff links can still move
    return Ended(stop, used, 0)


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
    triangle = take_buffers(problem, work)
    trace = trace_into(trace_poses, trace_events, work)
    frames, q = triangle.frames, triangle.q
    for b in range(first, last):
        start = part(row_at(starts, b), 0, problem.coordinates)
        clear_trace(trace)
        cost = begin(problem, frames, row_at(offsets, b), start, row_at(targets, b), q)
        record(trace, problem, q, frames.errors)
        copy(q, triangle.shown)
        measure(problem, triangle)
        ended = search(problem, options, triangle, trace, cost)
        finish(problem, frames, triangle.linear, trace, start, triangle.best, ended, row_at(out, b))


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
    claims: ClassVar[tuple[Claim, ...]] = (Claim("Song & Hu 2011", "operations", than="CCD"),)
    kernel = staticmethod(solve_range)

    max_iterations: int = 100

    def refusal(self, problem: Problem) -> str | None:
        """Why the joints of a chain do not suit, judged in the rest pose; None if they do."""
        names, rest = problem.skeleton.joint_names, problem.skeleton.rest
        ints, floats = problem.skeleton.packed_ints, problem.skeleton.packed_floats
        joints, block = problem.moving.tolist(), problem.blocks[0]
        tip = rotations.rotate(rest.rotations[block.joint], block.point)
        places = np.vstack([rest.positions[joints], rest.positions[block.joint] + tip])
        axes = rotations.rotate(
            rest.rotations[joints], floats[joints, layout.AXIS : layout.AXIS + 3]
        )
        kinds, alike = ints[joints, layout.KIND], TUNING.same_direction
        for joint, kind, axis, link in zip(
            joints, kinds, axes, np.diff(places, axis=0), strict=True
        ):
            name, size = names[joint], float(np.linalg.norm(link))
            if kind & layout.SWING_TWIST and np.linalg.norm(np.cross(axis, link)) > alike * size:
                return f"a cone whose axis is not along its link ({name!r})"
            if kind != layout.HINGE and layout.HINGE in kinds:
                return f"hinges together with other joints ({name!r})"
            across = np.linalg.norm(np.cross(axes[0], axis))
            if kind == layout.HINGE and (across > alike or abs(axis @ link) > alike * size):
                return f"hinges that do not turn in one plane ({name!r})"
        return None

    def events_per_iteration(self, problem: Problem) -> int:
        """Every joint turns once."""
        return len(problem.moving)
