"""Memory of a kernel: parts of arrays, and the workspace that the buffers of a solve are taken from.

*Parts* are made without counting references. A slice or a reshape in compiled code counts a reference
up and down and checks what it is given: some ten nanoseconds each, and a solve makes thirty of them. The
parts made here are bare: the array must outlive them, and that they lie inside it is not checked.

    part(array, first, count)          the numbers of (N,) from `first` on, shape (count,)
    grid(array, first, rows, columns)  the same, row by row, shape (rows, columns)
    row_at(array, b)                   row b of (B, ...), or its only row, shape (...)

The *workspace* is one array of floats whose first counts how many are taken. A solver takes its buffers
at the top of its kernel, before it looks at a problem; so the same lines that hand them out also measure
them: a call with no problems and an array of one float leaves there how many floats a call needs
(`supple.solve.execute`). Buffers that do not fit come out empty, so that using one fails a bounds check.
"""

from typing import Any

from numba import types
from numba.extending import intrinsic

from supple.kernels.cache import compiling, inlined, kernel, leaf

# Parts of arrays ----------------------------------------------------------------------------------


def _plain_part(array: Any, first: int, count: int) -> Any:
    return array[first : first + count]


def _plain_grid(array: Any, first: int, rows: int, columns: int) -> Any:
    return array[first : first + rows * columns].reshape(rows, columns)


def _plain_row(array: Any, b: int) -> Any:
    return array[b if array.shape[0] > 1 else 0]


def _numbers(context: Any, builder: Any, array: Any, value: Any) -> Any:
    """What an array in generated code is made of."""
    from numba.np.arrayobj import make_array

    return make_array(array)(context, builder, value)


def _bare(context: Any, builder: Any, array: Any, data: Any, shape: Any) -> Any:
    """An array of the given type that begins at `data` and belongs to nobody."""
    from numba.np.arrayobj import make_array, populate_array

    size = context.get_abi_sizeof(context.get_data_type(array.dtype))
    strides = [context.get_constant(types.intp, size)]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    made = make_array(array)(context, builder)
    populate_array(made, data, shape, strides, strides[-1], meminfo=None)
    return made._getvalue()


def _part(typing: Any, array: Any, first: Any, count: Any) -> Any:
    result = types.Array(array.dtype, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = _numbers(context, builder, signature.args[0], arguments[0]).data
        return _bare(
            context, builder, result, builder.gep(data, [arguments[1]]), list(arguments[2:])
        )

    return result(array, types.intp, types.intp), generate


def _grid(typing: Any, array: Any, first: Any, rows: Any, columns: Any) -> Any:
    result = types.Array(array.dtype, 2, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = _numbers(context, builder, signature.args[0], arguments[0]).data
        return _bare(
            context, builder, result, builder.gep(data, [arguments[1]]), list(arguments[2:])
        )

    return result(array, types.intp, types.intp, types.intp), generate


def _row(typing: Any, array: Any, b: Any) -> Any:
    result = types.Array(array.dtype, array.ndim - 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = _numbers(context, builder, signature.args[0], arguments[0])
        shape = [builder.extract_value(whole.shape, i) for i in range(array.ndim)]
        zero, one = (context.get_constant(types.intp, i) for i in range(2))
        at = builder.select(builder.icmp_signed(">", shape[0], one), arguments[1], zero)
        for extent in shape[1:]:
            at = builder.mul(at, extent)
        return _bare(context, builder, result, builder.gep(whole.data, [at]), shape[1:])

    return result(array, types.intp), generate


part: Any = intrinsic(_part) if compiling() else _plain_part
grid: Any = intrinsic(_grid) if compiling() else _plain_grid
row_at: Any = intrinsic(_row) if compiling() else _plain_row


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


# The workspace ------------------------------------------------------------------------------------

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
