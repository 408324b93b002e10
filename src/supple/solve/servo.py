"""Servoing: the pose of the next tick, inside limits of speed and acceleration.

A tick starts from a pose q that moves with the velocity v, and takes dt seconds. Its own velocity v' is
the change of the pose divided by dt. For every scalar of a joint (an angle, a slide) it must lie in a
window:

    |v'| <= speed,   |v' - v| <= acceleration dt,   q + v' dt + D(v') inside the joint's limits,

where D(v') = v'^2 / (2 acceleration) is the braking distance after the tick if every later tick brakes at full
acceleration. The length of later ticks does not matter: a tick brakes before it moves, so the distances of the
ticks form a lower sum of that integral. A joint that keeps the third rule can therefore keep it in the next
tick by braking, and the window is never empty: `fastest` solves the rule for v'. If the given velocity is
already too high, the joint brakes at full acceleration, and stops at its limit even if that takes more. A
quaternion (Ball, Cone, Free) has an angular velocity; the limits of speed and acceleration hold for the length
of that vector. See `Servo` for its other limits.

Choosing the pose in the window nearest to the target would be greedy: it arrives too fast and overshoots, and
gets stuck next to a stretched arm. Therefore:

1. *The pose to head for* is the ordinary answer from q, without limits of speed: the one in the basin of q,
   or else, with restarts, one elsewhere. If it is inside the window it is taken, provided that the target has
   been followed so far or its velocity is not known; else the target would be met too fast and overshot.
2. *The window*: else, if the target has been followed so far and another pose inside the window meets the
   goals (a redundant arm), that pose is taken.
3. *Heading there*: else each joint moves as fast as it can while still being able to stop there, relative to a
   target that moves on with the velocity w: v' = w + fastest(gap), clipped to the window.

Loops, Avoid and Balance hold in every tick. If the chosen step would break them, or would be too fast to stop
before it does, it is mixed with braking (see `Servo._kept`). The joints of a loop move together on the curved
set of poses that close it. Following that curvature takes a part of their acceleration, more at higher speed
(see `Servo._stays_closed`).

The third step moves whenever the first has found a nearer pose, so that nothing freezes; its gap closes in
finite time, without overshoot, when w is known (`before`) and does not change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from supple.errors import SuppleError, brief, one_of, positive
from supple.kernels import layout as at
from supple.model.coordinates import project
from supple.model.skeleton import Skeleton
from supple.problem.lowering import Problem
from supple.rotations import conjugate, from_rotation_vector, multiply, to_rotation_vector
from supple.solve.closed_loops import ClosedLoops, LoopsAt, least_effort, widest
from supple.solve.evaluate import Evaluator
from supple.solve.execute import Batch, Executor
from supple.solvers import Solver, choose

UNLIMITED_RATE = 1e30  # stands for a speed or acceleration without a limit
PRACTICALLY_INFINITE = 1e9  # larger gaps and accelerations count as unlimited
OUTWARD = np.array([[1.0], [-1.0]])


@dataclass(frozen=True)
class ServoRules:
    """The tuned numbers of a tick. No measurement is recorded for those without a source.

    Attributes:
        usable: The part of a speed or acceleration limit that is used; the rest is for rounding.
        heading_tolerance: How near the pose to head for comes to the target, so that a slow target is followed in
            every tick [chain lengths, rad].
        restarts: Restarts in a tick, at most; every tick may restart again.
        mixes: How many mixes of a step with braking are tried: bisection down to a part of 1/256.
        checked_in_tick: When collisions, balance and loops are checked during a tick [ticks].
        checked_while_braking: Where they are checked while the joints brake after it [parts of the braking distance].
        halvings: Bisection steps that shorten a rotation which a limit makes too long: to a billionth of it.
        arrived: Joints this near to where they head have arrived [rad, model units], and velocities that differ by
            less than this part of them are the same. Rounding.
        braking: The part of their acceleration that joints of loops use to brake together.
        bending: The part that they use to follow the curvature of the poses which close the loops.
        taking_back: The part that they use to remove the velocity across these poses that a tick leaves. The speed that
            keeps loops closed is greatest for twice as much braking as taking back: the worst tick of braking leaves
            (2/27) T v.H.v, with T the time to stop.
        drift: The part of a loop's tolerance that a step may plan to use; braking may use all of it.
        good_mix: With loops, a mix that is this part of one that is too fast is good enough: each try takes long.
        closing_steps: Newton steps that close a loop, at most.
        closed: A loop needs no more Newton steps below this part of its tolerance.
        probe_step: How far joints move to measure the curvature of the openings of loops
            [rad, characteristic lengths].
        shortest_time: Joints that stop sooner are at rest [s]. Rounding.
        uneven_effort: Loops are closed with at most this many times the least acceleration of any joint.
    """

    usable: float = 1.0 - 1e-9
    heading_tolerance: float = 1e-9
    restarts: int = 10
    mixes: int = 9
    checked_in_tick: tuple[float, ...] = (0.5, 1.0)
    checked_while_braking: tuple[float, ...] = (0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0)
    halvings: int = 30
    arrived: float = 1e-9
    braking: float = 0.6
    bending: float = 0.1
    taking_back: float = 0.3
    drift: float = 0.5
    good_mix: float = 0.85
    closing_steps: int = 8
    closed: float = 1e-4
    probe_step: float = 1e-2
    shortest_time: float = 1e-12
    uneven_effort: float = 1e3


RULES = ServoRules()
IN_TICK = np.array(RULES.checked_in_tick)
WHILE_BRAKING = np.array(RULES.checked_while_braking)
WORST_TICK = 2.0 / 27.0  # the greatest x (1 - x)^2 / 2, x = dt / T: see `_stays_closed`


def greatest(skeleton: Skeleton, what: str, value: Any) -> np.ndarray:
    """The greatest speed or acceleration of every freedom, shape (D,); `UNLIMITED_RATE` where there is none.

    Args:
        skeleton: The skeleton.
        what: Name of the argument for errors, such as "max_speed".
        value: A number for all joints, or {joint: number}; for a joint that slides and turns also a pair
            of them. None for no limit.

    Raises:
        SuppleError: The value is something else, or names an unknown joint.
    """
    table = skeleton.freedom_table
    slides, turns = np.full((2, len(table.joints)), UNLIMITED_RATE)
    if value is None:
        return np.full(len(table), UNLIMITED_RATE)
    given = (
        dict(value) if isinstance(value, Mapping) else dict.fromkeys(skeleton.joint_names, value)
    )
    for name, one in given.items():
        j = skeleton.joint_names.index(one_of(f"joint of {what}", name, skeleton.joint_names))
        named = f"{what} of {name!r}" if isinstance(value, Mapping) else what
        slides[j], turns[j] = _pair(named, one)
    return np.minimum(table.tightest(slides, turns), UNLIMITED_RATE)


def _pair(what: str, value: Any) -> tuple[float, float]:
    """The greatest for slides and for turns."""
    if isinstance(value, Real):
        both = positive(what, value)
        return both, both
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        return positive(what, value[0]), positive(what, value[1])
    raise SuppleError(
        f"{what}: expected a positive number, or for joints that slide and turn a pair of them, got {brief(value)}"
    )


def fastest(gap: np.ndarray, acceleration: np.ndarray, dt: float) -> np.ndarray:
    """The greatest velocity of this tick from which a joint can stop within a gap, whatever dt later ticks have.

    The root v of v dt + v^2 / (2 acceleration) = gap. A negative gap gives the velocity that closes it in
    one tick.
    """
    half = 0.5 * dt
    return gap / (half + np.sqrt(half * half + 0.5 * np.maximum(gap, 0.0) / acceleration))


class Window(NamedTuple):
    """The velocities that a tick may have, for the scalars of the moving joints, shape (K,) each."""

    low: np.ndarray
    high: np.ndarray


class Ticked(NamedTuple):
    """The result of a tick.

    Attributes:
        row: The report, as kernels write it, shape (width,).
        velocity: The velocity of every freedom, shape (D,).
    """

    row: np.ndarray
    velocity: np.ndarray


class _Scalars(NamedTuple):
    """The scalars of the joints that may move, without copies and stretches, shape (K,) each."""

    at: np.ndarray  # index among the coordinates
    freedom: np.ndarray  # index among the freedoms
    move: np.ndarray  # index of the moving joint
    limit: np.ndarray  # where its lower limit is in the packed floats; the upper one follows
    low: np.ndarray
    high: np.ndarray


class _Quaternions(NamedTuple):
    """The quaternions of the joints that may move."""

    at: np.ndarray  # (L, 4) indices among the coordinates
    freedom: np.ndarray  # (L, 3) indices among the freedoms
    move: np.ndarray  # (L,)


class _Copies(NamedTuple):
    """The joints that copy others, shape (C,) each."""

    at: np.ndarray  # index among the coordinates
    source: np.ndarray  # index of the coordinate that it copies
    multiplier: np.ndarray
    offset: np.ndarray


class _Tick(NamedTuple):
    """The state at the start of a tick."""

    q: np.ndarray  # (Q,)
    velocity: np.ndarray  # (D,) before
    dt: float
    window: Window
    loops: LoopsAt | None
    is_open: bool  # whether a loop is open at the start
    closing: np.ndarray  # (L, 3) what the tick leaves of the openings of the start


class Servo:
    """A prepared problem that is solved tick by tick.

    Quaternions are limited by the length of their angular velocity, a rotation vector in the joint's
    rest frame: q' = exp(v' dt) q. Limits of swing and twist, and of speed, always hold; in a tick in which a joint
    runs into a limit of swing or twist, its acceleration may exceed its limit. Stretches are not limited.

    Safe to use from several threads at once.
    """

    def __init__(
        self,
        problem: Problem,
        solver: Solver | str,
        restarts: bool,
        speed: np.ndarray,
        acceleration: np.ndarray,
    ) -> None:
        """Prepare the ticks of a problem.

        Args:
            problem: The lowered problem.
            solver: The solver that finds the pose to head for, as for `choose`.
            restarts: Whether the solver may restart from other poses.
            speed: The speed limit of each freedom, shape (D,) [rad/s, model units/s].
            acceleration: The acceleration limit of each freedom, shape (D,) [rad/s^2, model units/s^2].
        """
        self.problem = problem
        self._scalars, self._quaternions = _moving_parts(problem)
        self._copies = _copies(problem)
        # Finds the nearest pose in the basin of the start, and no other.
        self._closest = choose("auto", problem, restarts=False)[-1:]
        self._speed = speed * RULES.usable
        self._acceleration = acceleration * RULES.usable
        self._scalar_speed = self._speed[self._scalars.freedom]
        self._scalar_acceleration = self._acceleration[self._scalars.freedom]
        self._heading = Executor(problem, choose(solver, problem, restarts=False))
        self._heading.tighten(RULES.heading_tolerance)
        self._elsewhere = None
        if restarts:
            others = tuple(map(_fewer_restarts, choose(solver, problem)))
            self._elsewhere = Executor(problem, others)
            self._elsewhere.tighten(RULES.heading_tolerance)
        self._evaluator = Evaluator(problem)
        self._loops: ClosedLoops | None = None
        if any(block.hard for block in problem.blocks):
            self._loops = ClosedLoops(problem)
            self._effort = self._efforts(self._loops)
            # True if no acceleration is limited.
            self._at_once = bool(self._effort.max(initial=0.0) > PRACTICALLY_INFINITE)
        self._boxes: list[Executor] = []  # executors that no thread is using
        counted = [n for n, block in enumerate(problem.blocks) if block.counts]
        hard = [n for n, block in enumerate(problem.blocks) if block.hard]
        self._hard = problem.coordinates + at.REPORT + np.array(hard, np.int64)
        self._closed_within = np.array([problem.blocks[n].tolerance for n in hard])
        self._counted = problem.coordinates + at.REPORT + np.array(counted)
        self._near = np.array([problem.blocks[n].tolerance for n in counted])

    def tick(
        self,
        batch: Batch,
        velocity: np.ndarray,
        dt: float,
        before: np.ndarray | None = None,
    ) -> Ticked:
        """Solve one tick.

        Args:
            batch: The problem, as kernels take it, with one row: offsets, start and targets.
            velocity: The velocity of every freedom before, shape (D,).
            dt: Duration of the tick [s].
            before: The targets of the tick before, shape (1, T); None if they are not known: then the targets are
                assumed to be at rest.
        """
        q = batch[1][0, : self.problem.coordinates]
        here, v = q[self._scalars.at], velocity[self._scalars.freedom]
        window = self._window(here, v, dt)
        headed = self._run(self._heading, batch)
        if self._elsewhere is not None and self._missed(headed):
            other = self._run(self._elsewhere, batch)
            headed = other if self._met(other) else headed
        inside = self._inside(q, headed, window, velocity, dt)
        if inside and before is None:
            return self._judged(batch, headed, velocity, dt)
        followed = self._followed(batch, before)
        if inside and followed:
            return self._judged(batch, headed, velocity, dt)
        if followed and len(self._quaternions.at) == 0:
            met = self._inside_box(batch, *self._box(here, window, dt))
            if self._met(met):
                return self._judged(batch, met, velocity, dt)
        following = self._velocity_of_target(batch, headed, dt, before)
        gone, late = self._head(q, headed, window, velocity, following, dt)
        return self._judged(batch, gone, velocity, dt, late)

    def _followed(self, batch: Batch, before: np.ndarray | None) -> bool:
        """True if the start meets the targets of the tick before."""
        if before is None:
            return False
        start = np.zeros(self.problem.report_width)
        start[: self.problem.coordinates] = batch[1][0, : self.problem.coordinates]
        return self._met(self._evaluator((batch[0], batch[1], before), start))

    def _met(self, row: np.ndarray) -> bool:
        """True if an answer meets the goals and breaks no constraint."""
        count = self.problem.coordinates
        sound = row[count + at.O_DEPTH] <= 0.0 and row[count + at.O_TOPPLE] <= 0.0
        return bool(sound and (row[self._counted] <= self._near).all())

    def _missed(self, row: np.ndarray) -> bool:
        """True if an answer misses goals that another answer might meet."""
        out = row[self.problem.coordinates + at.O_STATUS] in (at.TOO_FAR, at.TOO_NEAR)
        return not out and not self._met(row)

    def _run(self, executor: Executor, batch: Batch) -> np.ndarray:
        out = np.empty((1, executor.width))
        executor.run(batch, out, 0, 1)
        return out[0]

    # The window ---------------------------------------------------------------------------------

    def _window(self, here: np.ndarray, v: np.ndarray, dt: float) -> Window:
        """The velocities that every scalar may have; not empty, whatever its velocity is."""
        scalars = self._scalars
        speed, a = self._scalar_speed, self._scalar_acceleration
        slower, faster = v - a * dt, v + a * dt
        low = np.minimum(np.maximum(-speed, slower), faster)
        high = np.maximum(np.minimum(speed, faster), slower)
        gaps = np.array((scalars.high - here, here - scalars.low))
        up, down = fastest(np.minimum(gaps, PRACTICALLY_INFINITE), a, dt) * OUTWARD
        top = np.minimum(np.maximum(up, low), high)
        return Window(np.minimum(np.minimum(np.maximum(down, low), high), top), top)

    def _box(self, here: np.ndarray, window: Window, dt: float) -> tuple[np.ndarray, np.ndarray]:
        """The lowest and highest coordinates that a window reaches, inside the limits if the joint is."""
        scalars = self._scalars
        low, high = here + window.low * dt, here + window.high * dt
        least, most = np.minimum(scalars.low, here), np.maximum(scalars.high, here)
        return np.clip(low, least, most), np.clip(high, least, most)

    def _inside(
        self, q: np.ndarray, row: np.ndarray, window: Window, velocity: np.ndarray, dt: float
    ) -> bool:
        """True if a pose is within reach of this tick."""
        scalars = self._scalars
        v = (row[scalars.at] - q[scalars.at]) / dt
        if not ((window.low <= v) & (v <= window.high)).all():
            return False
        for columns, freedom in zip(self._quaternions.at, self._quaternions.freedom, strict=True):
            old, rate = velocity[freedom], _rotation_between(q[columns], row[columns]) / dt
            a, speed = self._acceleration[freedom[0]] * dt, self._speed[freedom[0]]
            if np.linalg.norm(rate) > speed or np.linalg.norm(rate - old) > a:
                return False
        return True

    # Solving inside the window ------------------------------------------------------------------

    def _inside_box(self, batch: Batch, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """The answer nearest to the goals with the scalars between these coordinates."""
        try:
            executor = self._boxes.pop()
        except IndexError:
            executor = Executor(self.problem, self._closest)
            executor.tighten(RULES.heading_tolerance)
        for _, floats in executor.packed_each:
            floats[self._scalars.limit] = low
            floats[self._scalars.limit + 1] = high
        row = self._run(executor, batch)
        self._boxes.append(executor)
        return row

    # Heading for a pose -------------------------------------------------------------------------

    def _velocity_of_target(
        self, batch: Batch, headed: np.ndarray, dt: float, before: np.ndarray | None
    ) -> np.ndarray | None:
        """The velocity of the pose to head for, in coordinates a second, shape (Q,); None if it is at rest."""
        if before is None or np.array_equal(before, batch[2]):
            return None
        count = self.problem.coordinates
        row = self._run(self._heading, (batch[0], headed[None, :count].copy(), before))
        return (headed[:count] - row[:count]) / dt

    def _head(
        self,
        q: np.ndarray,
        headed: np.ndarray,
        window: Window,
        velocity: np.ndarray,
        following: np.ndarray | None,
        dt: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """A step towards a pose, as a row of output, and which scalars do not arrive, shape (K,)."""
        scalars = self._scalars
        row = headed.copy()
        here, there = q[scalars.at], headed[scalars.at]
        a = self._scalar_acceleration
        w = np.zeros(len(here))
        if following is not None:
            speed = self._scalar_speed
            w = np.clip(following[scalars.at], -speed, speed)
        gap = there - w * dt - here
        wanted = w + np.sign(gap) * fastest(np.abs(gap), a, dt)
        if self._loops is not None:
            row = self._head_together(q, headed, window, velocity, w, dt)
            return row, np.abs(row[scalars.at] - there) > RULES.arrived
        row[scalars.at], _ = self._box(
            here, Window(np.clip(wanted, window.low, window.high), window.high), dt
        )
        for columns, freedom in zip(self._quaternions.at, self._quaternions.freedom, strict=True):
            a, speed = self._acceleration[freedom[0]], self._speed[freedom[0]]
            rotation = _rotation_between(q[columns], headed[columns])
            size = float(np.linalg.norm(rotation))
            wanted = np.zeros(3)
            if size > 0.0:
                pace = min(float(fastest(np.array(size), a, dt)), speed)
                wanted = rotation * (pace / size)
            change = _shortened(wanted - velocity[freedom], float(a * dt))
            step = from_rotation_vector((velocity[freedom] + change) * dt)
            row[columns] = multiply(step, q[columns])
        self._complete(row, q, velocity, dt)
        return row, np.abs(row[scalars.at] - there) > RULES.arrived

    def _head_together(
        self,
        q: np.ndarray,
        headed: np.ndarray,
        window: Window,
        velocity: np.ndarray,
        following: np.ndarray,
        dt: float,
    ) -> np.ndarray:
        """A step in which all joints cover the same part of their distance to a pose, as those of a loop must."""
        wanted = self.velocity(q, headed[: len(q)], dt)
        scalars, quaternions = self._scalars.freedom, self._quaternions.freedom
        wanted[scalars] -= following
        part = _most_of(wanted[scalars], self._scalar_speed, self._scalar_acceleration, dt)
        sizes = np.linalg.norm(wanted[quaternions], axis=1)
        speed, a = self._speed[quaternions[:, 0]], self._acceleration[quaternions[:, 0]]
        wanted *= min(part, _most_of(sizes, speed, a, dt))
        wanted[scalars] += following
        brake = self._braking(velocity, dt)
        part = self._part_inside(brake, wanted, window, velocity, dt)
        return self._moved(headed, q, brake + part * (wanted - brake), dt)

    def _part_inside(
        self,
        brake: np.ndarray,
        wanted: np.ndarray,
        window: Window,
        velocity: np.ndarray,
        dt: float,
    ) -> float:
        """The largest fraction, the same for all joints, at which a tick can mix a velocity with braking."""
        scalars = self._scalars.freedom
        low, change = brake[scalars], (wanted - brake)[scalars]
        room = np.where(change > 0.0, window.high - low, window.low - low)
        moves = np.abs(change) > 0.0
        part = float((room[moves] / change[moves]).min(initial=1.0))
        for freedom in self._quaternions.freedom:
            old, first, other = velocity[freedom], brake[freedom], wanted[freedom]
            a, speed = float(self._acceleration[freedom[0]] * dt), float(self._speed[freedom[0]])
            part = min(part, _part_within(first - old, other - old, a))
            part = min(part, _part_within(first, other, speed))
        return min(max(part, 0.0), 1.0)

    def _complete(self, row: np.ndarray, q: np.ndarray, velocity: np.ndarray, dt: float) -> None:
        """Project quaternions to their limits, and update mimic joints from their sources, in place."""
        if len(self._quaternions.at):
            self._limit_quaternions(row, q, velocity, dt)
        copies = self._copies
        row[copies.at] = copies.multiplier * row[copies.source] + copies.offset

    def _limit_quaternions(
        self, row: np.ndarray, q: np.ndarray, velocity: np.ndarray, dt: float
    ) -> None:
        """Project quaternions to their limits of swing and twist, no farther from q than they may turn, in place.

        Projection moves a quaternion along the edge of its limit, perhaps farther than the step did: then the step
        is shortened. A joint that starts outside its limits comes back by the shortest rotation, as fast as it may.
        """
        inside, quaternions = self._projected(row), self._quaternions
        speed, a = (
            self._speed[quaternions.freedom[:, 0]],
            self._acceleration[quaternions.freedom[:, 0]],
        )
        # A joint that is too fast brakes: it may exceed its speed limit by what it cannot brake off in the tick.
        pace = np.linalg.norm(velocity[quaternions.freedom], axis=1)
        longest = np.maximum(speed, pace - a * dt) * dt
        near = (
            np.linalg.norm(_rotation_between(q[quaternions.at], inside[quaternions.at]), axis=1)
            <= longest
        )
        row[quaternions.at[near]] = inside[quaternions.at[near]]
        if near.all():
            return
        back = self._projected(q)
        for columns, most in zip(quaternions.at[~near], longest[~near].tolist(), strict=True):
            old = q[columns]
            rotation = _rotation_between(old, row[columns])
            if float(np.linalg.norm(_rotation_between(old, back[columns]))) > RULES.arrived:
                rotation = _shortened(_rotation_between(old, inside[columns]), most)
                row[columns] = multiply(from_rotation_vector(rotation), old)
                continue
            kept, low, high = old, 0.0, 1.0
            for _ in range(RULES.halvings):
                part = 0.5 * (low + high)
                tried = row.copy()
                tried[columns] = multiply(from_rotation_vector(part * rotation), old)
                one = self._projected(tried)[columns]
                if float(np.linalg.norm(_rotation_between(old, one))) <= most:
                    kept, low = one, part
                else:
                    high = part
            row[columns] = kept

    def _projected(self, row: np.ndarray) -> np.ndarray:
        """The coordinates of a row, inside the limits, shape (Q,)."""
        return project(self.problem.skeleton, row[: self.problem.coordinates])

    # Constraints of every tick -------------------------------------------------------------------

    def _kept(
        self, batch: Batch, found: np.ndarray, velocity: np.ndarray, dt: float
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """A step that can be stopped before loops, Avoid or Balance break, and the report on what is in its way.

        All joints can brake together, each by the same part of its velocity. They then stay on a straight path, or,
        with loops, on the curve next to it that keeps the loops closed, whatever dt later ticks have. That path must
        be free. If it is not, the step is mixed with braking: the mix keeps the limits of speed and acceleration
        because both do, and the path of braking was checked in the tick before. If even braking is not free (a
        velocity that no tick gave), the step is shortened until its pose is free. The start always counts as free,
        since no pose needs to be better than the start.
        """
        q = batch[1][0, : self.problem.coordinates]
        tick = self._tick_of(batch, q, velocity, dt)
        most = self._faults(self._evaluator(batch, self._moved(found, q, velocity, 0.0)))
        wanted = self.velocity(q, found[: len(q)], dt)
        if tick.loops is not None:
            found, wanted = self._closed_wanted(tick, found, wanted)
        in_the_way = self._first_fault(batch, tick, found, wanted, dt, most)
        if in_the_way is None and self._stays_closed(tick, found, wanted, RULES.drift):
            return found, None
        brake = self._braking(velocity, dt)
        low, high, kept = 0.0, 1.0, None
        for n in range(RULES.mixes):
            part = 0.0 if n == 0 else 0.5 * (low + high)
            v = brake + part * (wanted - brake)
            v[self._scalars.freedom] = np.clip(
                v[self._scalars.freedom], tick.window.low, tick.window.high
            )
            row, v = self._closed_inside(tick, self._moved(found, q, v, dt), v)
            clear = self._stays_closed(tick, row, v, RULES.drift if n else 1.0)
            if clear and self._first_fault(batch, tick, row, v, dt, most) is None:
                kept, low = row, part
            elif n == 0:
                break
            else:
                high = part
            if tick.loops is not None and low >= RULES.good_mix * high:
                break
        for n in range(RULES.mixes):
            if kept is not None:
                break
            row = self._closed(tick, self._moved(found, q, brake, dt * 0.5**n))
            if np.all(self._faults(self._evaluator(batch, row)) <= most) and self._in_speed(
                q, row, dt
            ):
                kept = row
        return (self._moved(found, q, brake, 0.0) if kept is None else kept), in_the_way

    def _braking(self, velocity: np.ndarray, dt: float) -> np.ndarray:
        """The velocity of a tick in which all joints brake, each by the same part of its velocity, shape (D,)."""
        return velocity * max(0.0, 1.0 - dt / max(self._stopping_time(velocity), dt))

    def _first_fault(
        self,
        batch: Batch,
        tick: _Tick,
        row: np.ndarray,
        v: np.ndarray,
        dt: float,
        most: np.ndarray,
    ) -> np.ndarray | None:
        """The report on the first pose of a tick, or of braking after it, whose faults exceed `most`; None if none."""
        half = 0.5 * self._stopping_time(v)
        on_the_way = (*(dt * IN_TICK), *(dt + half * WHILE_BRAKING))
        for seconds in (dt,) if self.problem.bodies is None else on_the_way:
            tried = (
                row if seconds == dt else self._closed(tick, self._moved(row, tick.q, v, seconds))
            )
            judged = self._evaluator(batch, tried)
            if np.any(self._faults(judged) > most):
                return judged
        return None

    def _faults(self, judged: np.ndarray) -> np.ndarray:
        """The depth of a pose inside a margin, its imbalance, and how far a loop is open, shape (3,).

        The opening of a loop counts in tolerances, beyond one tolerance.
        """
        count = self.problem.coordinates
        opening = (judged[self._hard] / self._closed_within).max(initial=0.0) - 1.0
        return np.maximum((judged[count + at.O_DEPTH], judged[count + at.O_TOPPLE], opening), 0.0)

    def _stopping_time(self, v: np.ndarray) -> float:
        """The time in which all joints can stop together [s]; quaternions count with the length of their velocity."""
        rates = np.abs(v[self._scalars.freedom]) / self._scalar_acceleration
        quaternions = self._quaternions.freedom
        turning = np.linalg.norm(v[quaternions], axis=1) / self._acceleration[quaternions[:, 0]]
        part = 1.0 if self._loops is None else RULES.braking
        return float(max(rates.max(initial=0.0), turning.max(initial=0.0))) / part

    def _moved(self, found: np.ndarray, q: np.ndarray, v: np.ndarray, seconds: float) -> np.ndarray:
        """A row of output with the pose q moved on, inside the limits if it is."""
        scalars, row = self._scalars, found.copy()
        row[: len(q)] = q
        pace = v[scalars.freedom]
        row[scalars.at], _ = self._box(q[scalars.at], Window(pace, pace), seconds)
        if len(self._quaternions.at):
            turned = from_rotation_vector(v[self._quaternions.freedom] * seconds)
            row[self._quaternions.at] = multiply(turned, q[self._quaternions.at])
        if seconds > 0.0:
            self._complete(row, q, v, seconds)
        return row

    # Loops --------------------------------------------------------------------------------------

    def _efforts(self, loops: ClosedLoops) -> np.ndarray:
        """The effort of each freedom of the loops' Jacobian in closing them, shape (F,): its acceleration limit."""
        where, unit = loops.freedoms
        a = np.where(where >= 0, self._acceleration[where], 0.0)
        least = a[a > 0.0].min(initial=UNLIMITED_RATE)
        return np.minimum(a, RULES.uneven_effort * least) / unit

    def _tick_of(self, batch: Batch, q: np.ndarray, velocity: np.ndarray, dt: float) -> _Tick:
        """The state at the start of a tick."""
        scalars = self._scalars
        here = q[scalars.at]
        window = self._window(here, velocity[scalars.freedom], dt)
        if self._loops is None:
            return _Tick(q, velocity, dt, window, None, False, np.zeros((0, 3)))
        low, high = np.minimum(scalars.low, here), np.maximum(scalars.high, here)
        loops = self._loops.at(batch, (scalars.limit, low, high))
        openings = loops.openings(q)
        # An open loop closes at a speed from which its joints can stop where it is closed.
        taken = least_effort(loops.jacobian(), self._effort, openings.ravel())
        time = max(self._time_to_give(taken), RULES.shortest_time) / RULES.taking_back
        closing = float(fastest(np.array(1.0), np.array(1.0 / time), dt)) * dt
        is_open = widest(openings) > 1.0
        return _Tick(q, velocity, dt, window, loops, is_open, openings * (1.0 - min(closing, 1.0)))

    def _time_to_give(self, change: np.ndarray) -> float:
        """The time in which freedoms can change their velocities by `change`, shape (F,) [s]."""
        if self._at_once:
            return 0.0
        moves = self._effort > 0.0
        return float(np.linalg.norm(change[moves] / self._effort[moves], ord=np.inf))

    def _closed(self, tick: _Tick, row: np.ndarray) -> np.ndarray:
        """The row with its pose changed by Newton steps to close the loops, or come as near as the steps do."""
        if tick.loops is None:
            return row
        row, count = row.copy(), len(tick.q)
        for _ in range(RULES.closing_steps):
            openings = tick.loops.openings(row[:count])
            if widest(openings) <= RULES.closed:
                break
            delta = least_effort(tick.loops.jacobian(), self._effort, openings.ravel())
            row[:count] = tick.loops.stepped(row[:count], delta)
        return row

    def _closed_inside(
        self, tick: _Tick, row: np.ndarray, v: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """As `_closed`, with a pose inside the window of the tick; and its velocity."""
        if tick.loops is None or self._loops is None:
            return row, v
        count = len(tick.q)
        where, effort = self._loops.freedoms.skeleton, self._effort.copy()
        for _ in range(RULES.closing_steps):
            openings = tick.loops.openings(row[:count]) - tick.closing
            if widest(openings) <= RULES.closed:
                break
            delta = least_effort(tick.loops.jacobian(), effort, openings.ravel())
            wanted = self.velocity(tick.q, tick.loops.stepped(row[:count], delta), tick.dt)
            v = self._cut(tick, wanted)
            row = self._moved(row, tick.q, v, tick.dt)
            held = np.abs(v - wanted) > RULES.arrived * np.abs(wanted)
            effort[(where >= 0) & held[where]] = 0.0  # joints at an edge of the window stay there
        return row, self.velocity(tick.q, row[:count], tick.dt)

    def _cut(self, tick: _Tick, v: np.ndarray) -> np.ndarray:
        """A velocity clipped to the window of a tick, shape (D,)."""
        scalars, cut = self._scalars.freedom, v.copy()
        cut[scalars] = np.clip(v[scalars], tick.window.low, tick.window.high)
        for freedom in self._quaternions.freedom:
            old, a = tick.velocity[freedom], float(self._acceleration[freedom[0]] * tick.dt)
            cut[freedom] = old + _shortened(v[freedom] - old, a)
        return cut

    def _closed_wanted(
        self, tick: _Tick, found: np.ndarray, wanted: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """A step towards the pose of `found`, inside the window and with the loops closed; and its velocity."""
        count = len(tick.q)
        if not tick.is_open and tick.loops is not None:
            if widest(tick.loops.openings(found[:count])) <= RULES.closed:
                return found, wanted
            wanted = self.velocity(tick.q, self._closed(tick, found)[:count], tick.dt)
            brake = self._braking(tick.velocity, tick.dt)
            part = self._part_inside(brake, wanted, tick.window, tick.velocity, tick.dt)
            wanted = brake + part * (wanted - brake)
            found = self._moved(found, tick.q, wanted, tick.dt)
        return self._closed_inside(tick, found, wanted)

    def _stays_closed(self, tick: _Tick, row: np.ndarray, v: np.ndarray, share: float) -> bool:
        """True if joints can brake from a step with the loops closed, whatever dt later ticks have.

        The openings r of the loops have the second derivative r'' = J a + v.H.v. A part of the acceleration cancels
        v.H.v. A tick moves along a chord of the poses that close the loops, so it ends with a velocity J v across
        them. Another part of the acceleration takes that back; what it opens meanwhile, |J v| times half the time
        that this takes, must be less than the tolerance. Braking from v to (1 - x) v in a tick of x T, T the time to
        stop, adds another x (1 - x)^2 T v.H.v / 2, at most WORST_TICK T v.H.v.

        Args:
            tick: The tick.
            row: The pose at its end.
            v: Its velocity, shape (D,).
            share: The part of the tolerance that may be used.
        """
        loops, count, scalars = tick.loops, len(tick.q), self._scalars
        if loops is None or tick.is_open:
            return True
        time = self._stopping_time(v)
        if widest(loops.openings(row[:count])) > 1.0:
            return False
        if time <= RULES.shortest_time:
            return True
        stopped = row[scalars.at] + 0.5 * time * v[scalars.freedom]
        here = tick.q[scalars.at]
        low, high = np.minimum(scalars.low, here), np.maximum(scalars.high, here)
        if np.any(stopped < low - RULES.arrived) or np.any(stopped > high + RULES.arrived):
            return False
        for x in (0.0, 0.5):
            one = (
                row
                if x == 0.0
                else self._closed(
                    tick, self._moved(row, row[:count], v, time * x * (1.0 - 0.5 * x))
                )
            )
            drift = self._drift(loops, one, (1.0 - x) * v, (1.0 - x) * time, chord=x == 0.0)
            if drift > share:
                return False
        last = self._closed(tick, self._moved(row, row[:count], v, 0.5 * time))
        return widest(loops.openings(last[:count])) <= 1.0

    def _drift(
        self, loops: LoopsAt, row: np.ndarray, v: np.ndarray, time: float, *, chord: bool
    ) -> float:
        """A bound on the openings of loops while joints brake from a pose and velocity [tolerances].

        Infinite if they cannot follow. With `chord`, v is the velocity of a tick; else v is assumed to be tangent to
        the poses that close the loops.
        """
        q = row[: self.problem.coordinates]
        h = min(0.125 * time, RULES.probe_step / max(float(np.abs(v).max()), RULES.shortest_time))
        here = loops.openings(q)
        jacobian = loops.jacobian()
        one = loops.openings(self._moved(row, q, v, h)[: len(q)])
        two = loops.openings(self._moved(row, q, v, 2.0 * h)[: len(q)])
        bend = (two - 2.0 * one + here) / (h * h)
        rate = (4.0 * one - two - 3.0 * here) / (2.0 * h) if chord else np.zeros_like(here)
        taken = [least_effort(jacobian, self._effort, x.ravel()) for x in (rate, bend)]
        times = [self._time_to_give(x) for x in taken]
        if times[1] > RULES.bending:
            return np.inf
        left = [
            x - (jacobian @ given).reshape(-1, 3)
            for x, given in zip((rate, bend), taken, strict=True)
        ]  # what no joint can take back
        worst = WORST_TICK * time
        seconds = (times[0] + worst * times[1]) / RULES.taking_back
        sizes = [np.linalg.norm(x, axis=1) for x in (here, rate, bend, *left)]
        opened = sizes[0] + 0.5 * seconds * (sizes[1] + worst * sizes[2])
        return float((opened + time * (sizes[3] + 0.5 * time * sizes[4])).max())

    def _in_speed(self, q: np.ndarray, row: np.ndarray, dt: float) -> bool:
        """True if a step with its loops closed is no faster than joints may be."""
        if self._loops is None:
            return True
        v = self.velocity(q, row[: len(q)], dt)
        quaternions = self._quaternions.freedom
        sizes = np.linalg.norm(v[quaternions], axis=1)
        slow = np.abs(v[self._scalars.freedom]) <= self._scalar_speed
        return bool(slow.all() and (sizes <= self._speed[quaternions[:, 0]]).all())

    # The report ---------------------------------------------------------------------------------

    def _judged(
        self,
        batch: Batch,
        found: np.ndarray,
        velocity: np.ndarray,
        dt: float,
        late: np.ndarray | None = None,
    ) -> Ticked:
        """The report on a pose, or on one before it that breaks nothing, and its velocity.

        Args:
            batch: The problem.
            found: A row of output; its coordinates, and how the solver stopped.
            velocity: The velocity of every freedom before, shape (D,).
            dt: Duration of the tick [s].
            late: Which scalars did not arrive where they head for; None if all did.
        """
        count = self.problem.coordinates
        in_the_way = None
        if self.problem.bodies is not None or self._loops is not None:
            wanted = found
            found, in_the_way = self._kept(batch, found, velocity, dt)
            if in_the_way is None and late is None and found is not wanted:
                late = np.abs((found - wanted)[self._scalars.at]) > RULES.arrived
        row = self._evaluator(batch, found, blame=True)
        moved = self.velocity(batch[1][0, :count], row[:count], dt)
        status = row[count + at.O_STATUS]
        if in_the_way is not None and status in (at.LIMITED, at.STALLED, at.BUDGET):
            row[count + at.O_STATUS] = at.STALLED
            row[count + at.O_STOP] = at.STOP_HELD
            row[count + at.O_PAIR] = in_the_way[count + at.O_PAIR]
        elif late is not None and status in (at.LIMITED, at.STALLED, at.BUDGET):
            flags = row[count + at.REPORT + self.problem.reported :]
            flags[:] = 0.0
            flags[self._scalars.move[late]] = 1.0
            flags[self._quaternions.move] = 1.0
            row[count + at.O_STATUS] = at.LIMITED
            row[count + at.O_STOP] = at.STOP_HURRIED
            row[count + at.O_PAIR] = -1.0
        return Ticked(row, moved)

    def velocity(self, before: np.ndarray, after: np.ndarray, dt: float) -> np.ndarray:
        """The velocity of every freedom from one pose to another, shape (D,)."""
        return self.problem.skeleton.freedom_table.difference(before, after) / dt


def _fewer_restarts(solver: Solver) -> Solver:
    """The same solver with at most `RULES.restarts` restarts."""
    count = getattr(solver, "restarts", None)
    return solver if count is None else replace(solver, restarts=min(count, RULES.restarts))  # type: ignore[call-arg]


def _shortened(vector: np.ndarray, most: float) -> np.ndarray:
    """A vector, shortened to the length `most` if it is longer."""
    size = float(np.linalg.norm(vector))
    return vector if size <= most else vector * (most / size)


def _most_of(v: np.ndarray, speed: np.ndarray, acceleration: np.ndarray, dt: float) -> float:
    """The greatest part, at most 1, of velocities that arrive in a tick at which joints can still stop there."""
    sizes = np.abs(v)
    moves = sizes > 0.0
    most = np.minimum(fastest(sizes * dt, acceleration, dt), speed)[moves]
    return float((most / sizes[moves]).min(initial=1.0))


def _part_within(first: np.ndarray, other: np.ndarray, most: float) -> float:
    """The greatest t in [0, 1] for which first + t (other - first) is no longer than `most`; 0 if the first is."""
    change = other - first
    a, b, c = float(change @ change), float(first @ change), float(first @ first) - most * most
    if a == 0.0 or a + 2.0 * b + c <= 0.0:
        return 1.0
    return max((-b + float(np.sqrt(max(b * b - a * c, 0.0)))) / a, 0.0) if c <= 0.0 else 0.0


def _rotation_between(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """The rotation vector of the shortest rotation from one quaternion to another, shape (..., 3)."""
    return to_rotation_vector(multiply(after, conjugate(before)))


def _copies(problem: Problem) -> _Copies:
    """The moving mimic joints."""
    table = problem.skeleton.freedom_table
    rows = table.copies.on(problem.moving)
    return _Copies(rows.coordinate, table.joints.coordinate[rows.source], rows.factor, rows.offset)


def _moving_parts(problem: Problem) -> tuple[_Scalars, _Quaternions]:
    """The scalars and quaternions that a tick limits."""
    table, moving = problem.skeleton.freedom_table, problem.moving
    rows, quaternions = table.scalars.on(moving), table.quaternions.on(moving)
    return (
        _Scalars(
            rows.coordinate,
            rows.freedom,
            np.searchsorted(moving, rows.joint),
            problem.limit_indices(rows.joint, rows.part),
            rows.low,
            rows.high,
        ),
        _Quaternions(
            quaternions.coordinate, quaternions.freedom, np.searchsorted(moving, quaternions.joint)
        ),
    )
