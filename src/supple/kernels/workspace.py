"""Memory of a kernel: views of arrays, and the workspace that holds the buffers of a solve.

*Views* are made without reference counts. A slice or a reshape in compiled code changes a reference count
twice and checks its arguments: about ten nanoseconds each, and a solve makes thirty of them. For the
views made here the array must outlive the view, and bounds are not checked.

The *workspace* is one array of floats; its first float counts how many are taken. A solver takes its buffers
at the top of its kernel, before it looks at a problem, so the same lines also measure how much it needs: a call with
no problems and an array of one float leaves that number there
(`supple.solve.execute`). Buffers that do not fit are empty, so that using one fails a bounds check.
"""

from typing import Any

from supple.kernels.decorators import generated, inlined, kernel, leaf

# Views of arrays ----------------------------------------------------------------------------------


@generated
def part(array: Any, first: int, count: int) -> Any:
    """The entries of (N,) from `first` on, shape (count,)."""
    return array[first : first + count]


@generated
def grid(array: Any, first: int, rows: int, columns: int) -> Any:
    """The entries of (N,) from `first` on, row by row, shape (rows, columns)."""
    return array[first : first + rows * columns].reshape(rows, columns)


@generated
def row_at(array: Any, b: int) -> Any:
    """Row b of (B, ...), or its only row, shape (...)."""
    return array[b if array.shape[0] > 1 else 0]


@kernel
def copy(source, target):
    """Copy a row; the target may be longer."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@kernel
def copy_rows(source, target):
    """Copy an array of two axes."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@kernel
def zero_rows(array):
    """Fill an array of two axes with zeros."""
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            array[i, j] = 0.0


# The workspace ------------------------------------------------------------------------------------

TAKEN = 0


@leaf
def clear(work):
    """Free all buffers."""
    work[TAKEN] = 1.0


@leaf
def take(work, count):
    """The index of the next `count` floats, and `count`, or 0 if they do not fit."""
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
