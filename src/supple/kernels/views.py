"""Parts of arrays, for kernels, made without counting references.

A slice or a reshape in compiled code counts a reference up and down and checks what it is given:
some ten nanoseconds each, and a solve makes thirty of them. The parts made here are bare: the array
must outlive them, and that they lie inside it is not checked.
"""

from typing import Any

from supple.kernels.cache import kernel, view


@view
def part(array: Any, first: int, count: int) -> Any:
    """The numbers of (N,) from `first` on, shape (count,)."""
    return array[first : first + count]


@view
def grid(array: Any, first: int, rows: int, columns: int) -> Any:
    """The numbers of (N,) from `first` on, row by row, shape (rows, columns)."""
    return array[first : first + rows * columns].reshape(rows, columns)


@view
def row_at(array: Any, b: int) -> Any:
    """Row b of (B, ...), or its only row, shape (...)."""
    return array[b if array.shape[0] > 1 else 0]


@kernel
def copy(source, target):
    """Copy a row of numbers; the target may be longer."""
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
