"""Workspace: the buffers of one solve, taken one after the other from one array of floats.

The first float of the array counts how many are taken. A solver takes its buffers at the top of its
kernel, before it looks at a problem; so the same lines that hand them out also measure them: a call
with no problems and an array of one float leaves there how many floats a call needs
(`supple.solve.execute`).

Buffers that do not fit come out empty, so that using one fails a bounds check.
"""

from supple.kernels.cache import inlined, leaf
from supple.kernels.views import grid, part

TAKEN = 0


@leaf
def clear(work):
    """Give all buffers back."""
    work[TAKEN] = 1.0


@leaf
def take(work, count):
    """The first of the next `count` floats, and `count`, or 0 if they do not fit."""
    first = int(work[TAKEN])
    work[TAKEN] += count
    return first, count if first + count <= work.shape[0] else 0


@inlined
def vector(work, count):
    """A buffer of shape (count,)."""
    first, count = take(work, count)
    return part(work, first, count)


@inlined
def matrix(work, rows, columns):
    """A buffer of shape (rows, columns)."""
    first, count = take(work, rows * columns)
    return grid(work, first, rows if count > 0 else 0, columns)
