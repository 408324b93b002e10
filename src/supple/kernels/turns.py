"""The turns of a whole iteration in the trace."""

from supple.kernels.cache import kernel
from supple.kernels.layout import M_NQ, M_Q
from supple.kernels.record import record_turn


@kernel
def record_turns(events, n, iteration, moving, shown, q):
    """Write the turns of all joints that differ from the pose shown last, and show q.

    Returns the next event.
    """
    if events.shape[0] > 0:
        for k in range(moving.shape[0]):
            at = moving[k, M_Q]
            for i in range(moving[k, M_NQ]):
                if q[at + i] != shown[at + i]:
                    n = record_turn(events, n, iteration, moving, k, shown, q)
                    break
        shown[:] = q
    return n
