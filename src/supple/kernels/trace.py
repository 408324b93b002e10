"""The trace of a solve: the pose after every iteration, and the steps inside as (joint, change) events.

Both buffers have no rows where nobody asked for a trace; recording is then one comparison.
"""

from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.cache import kernel, leaf
from supple.kernels.joint import has_quaternion, number_count
from supple.kernels.workspace import vector

POSES, EVENTS = range(2)


class Trace(NamedTuple):
    """Buffers for what a solve does."""

    poses: Any  # (P, Q + 2) a pose, its largest distance and its largest angle
    events: Any  # (E, EVENT)
    count: Any  # (2,) how many of each are written


@leaf
def trace_into(poses, events, work):
    """A trace in the given buffers."""
    return Trace(poses, events, vector(work, 2))


@leaf
def clear_trace(trace):
    """Begin anew, for the next problem."""
    trace.count[POSES] = 0.0
    trace.count[EVENTS] = 0.0


@leaf
def largest_errors(problem, errors):
    """The largest distance and the largest angle of the goals that count."""
    blocks = problem.blocks
    distance, angle = 0.0, 0.0
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_KIND] == layout.POSITION:
            distance = max(distance, errors[g])
        elif blocks[g, layout.B_KIND] != layout.POLE:
            angle = max(angle, errors[g])
    return distance, angle


@leaf
def record(trace, problem, q, errors):
    """Write the pose q and its largest errors (length, radians), if there is room."""
    n = int(trace.count[POSES])
    if trace.poses.shape[0] == 0 or n >= trace.poses.shape[0]:
        return
    for i in range(q.shape[0]):
        trace.poses[n, i] = q[i]
    distance, angle = largest_errors(problem, errors)
    trace.poses[n, q.shape[0]] = distance
    trace.poses[n, q.shape[0] + 1] = angle
    trace.count[POSES] += 1.0


@leaf
def _next_event(trace, kind, iteration, joint):
    """The row of a new event, cleared, -1 if there is no room."""
    n = int(trace.count[EVENTS])
    if trace.events.shape[0] == 0 or n >= trace.events.shape[0]:
        return -1
    trace.count[EVENTS] += 1.0
    for i in range(layout.V_CHANGE, layout.EVENT):
        trace.events[n, i] = 0.0
    trace.events[n, layout.V_ITERATION] = iteration
    trace.events[n, layout.V_KIND] = kind
    trace.events[n, layout.V_JOINT] = joint
    return n


@kernel
def record_turn(trace, problem, iteration, k, before, after):
    """Write how moving joint k went from coordinates `before` to `after` (whole poses).

    The change is the difference of its numbers, then of a quaternion the rotation vector in its rest
    frame; the change of a stretch comes last.
    """
    moving = problem.moving
    n = _next_event(trace, layout.TURNED, iteration, moving[k, layout.M_JOINT])
    if n < 0:
        return
    kind = moving[k, layout.M_KIND]
    at = moving[k, layout.M_Q]
    count = number_count(kind)
    for i in range(count):
        trace.events[n, layout.V_CHANGE + i] = after[at + i] - before[at + i]
    if has_quaternion(kind):
        old, new = quat.take4(before, at + count), quat.take4(after, at + count)
        turn = quat.log(quat.mul(new, quat.conj(old)))
        for i in range(3):
            trace.events[n, layout.V_CHANGE + count + i] = turn[i]
    stretch = moving[k, layout.M_STRETCH_Q]
    if stretch >= 0:
        trace.events[n, layout.EVENT - 1] = after[stretch] - before[stretch]


@kernel
def record_change(trace, problem, iteration, before, after):
    """Write how every joint went from one pose to another."""
    if trace.events.shape[0] > 0:
        for k in range(problem.moving.shape[0]):
            record_turn(trace, problem, iteration, k, before, after)


@kernel
def record_turns(trace, problem, iteration, shown, q):
    """Write the turns of the joints that differ from the pose shown last, and show q."""
    moving = problem.moving
    if trace.events.shape[0] == 0:
        return
    for k in range(moving.shape[0]):
        at = moving[k, layout.M_Q]
        for i in range(moving[k, layout.M_NQ]):
            if q[at + i] != shown[at + i]:
                record_turn(trace, problem, iteration, k, shown, q)
                break
    for i in range(q.shape[0]):
        shown[i] = q[i]


@kernel
def record_place(trace, problem, iteration, k, point):
    """Write that moving joint k, or an effector (-1), was put at a world point."""
    joint = problem.moving[k, layout.M_JOINT] if k >= 0 else -1
    n = _next_event(trace, layout.PLACED, iteration, joint)
    if n >= 0:
        for i in range(3):
            trace.events[n, layout.V_CHANGE + i] = point[i]
