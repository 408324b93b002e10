"""The trace of a solve.

The pose after every iteration, and the steps inside as (joint, change) events.

Both arrays have no rows when nobody asked for a trace; recording is then one comparison.
"""

from supple.kernels.cache import kernel
from supple.kernels.layout import (
    B_KIND,
    BALL,
    CONE,
    EVENT,
    FREE,
    M_JOINT,
    M_KIND,
    M_NQ,
    M_Q,
    M_STRETCH_Q,
    PLACED,
    POLE,
    POSITION,
    TURNED,
    V_CHANGE,
    V_ITERATION,
    V_JOINT,
    V_KIND,
)
from supple.kernels.quaternion import conj, log, mul, take4


@kernel
def record(trace, n, q, blocks, errors):
    """Write the pose q and its largest errors (length, radians) as trace row n.

    Returns n + 1 if there was room.
    """
    if n >= trace.shape[0]:
        return n
    size = q.shape[0]
    trace[n, :size] = q
    worst, worst_turn = 0.0, 0.0
    for g in range(blocks.shape[0]):
        if blocks[g, B_KIND] == POSITION:
            worst = max(worst, errors[g])
        elif blocks[g, B_KIND] != POLE:
            worst_turn = max(worst_turn, errors[g])
    trace[n, size] = worst
    trace[n, size + 1] = worst_turn
    return n + 1


@kernel
def record_turn(events, n, iteration, moving, k, before, after):
    """Write how moving joint k went from coordinates `before` to `after` (whole poses).

    Returns the next event.

    The change is the difference of its coordinates, for quaternions the rotation vector in its rest
    frame (after a free joint's translation); the change of a stretch comes last.
    """
    if n >= events.shape[0]:
        return n
    kind = moving[k, M_KIND]
    at = moving[k, M_Q]
    for i in range(V_CHANGE, EVENT):
        events[n, i] = 0.0
    events[n, V_ITERATION] = iteration
    events[n, V_KIND] = TURNED
    events[n, V_JOINT] = moving[k, M_JOINT]
    if kind == BALL or kind == CONE or kind == FREE:
        shift = 3 if kind == FREE else 0
        for i in range(shift):
            events[n, V_CHANGE + i] = after[at + i] - before[at + i]
        turn = log(mul(take4(after, at + shift), conj(take4(before, at + shift))))
        for i in range(3):
            events[n, V_CHANGE + shift + i] = turn[i]
    else:
        for i in range(min(moving[k, M_NQ], 3)):
            events[n, V_CHANGE + i] = after[at + i] - before[at + i]
    stretch = moving[k, M_STRETCH_Q]
    if stretch >= 0:
        events[n, EVENT - 1] = after[stretch] - before[stretch]
    return n + 1


@kernel
def record_place(events, n, iteration, moving, k, point):
    """Write that moving joint k was put at a world point; returns the next event."""
    if n >= events.shape[0]:
        return n
    for i in range(V_CHANGE, EVENT):
        events[n, i] = 0.0
    events[n, V_ITERATION] = iteration
    events[n, V_KIND] = PLACED
    events[n, V_JOINT] = moving[k, M_JOINT] if k >= 0 else -1
    for i in range(3):
        events[n, V_CHANGE + i] = point[i]
    return n + 1
