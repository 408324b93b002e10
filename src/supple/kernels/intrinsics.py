"""Numba intrinsics for what Python cannot express: views without reference counts, and calls of an address."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _numbers(context: Any, builder: Any, array: Any, value: Any) -> Any:
    """The fields of an array in generated code."""
    from numba.np.arrayobj import make_array

    return make_array(array)(context, builder, value)


def _bare(context: Any, builder: Any, array: Any, data: Any, shape: Any) -> Any:
    """An array of the given type that begins at `data`, without a reference count."""
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


def _call(
    typing: Any,
    address: Any,
    frames: Any,
    values: Any,
    step: Any,
    numbers: Any,
    given: Any,
    out: Any,
) -> Any:
    word, number = ir.IntType(64), ir.DoubleType()
    place = number.as_pointer()
    function = ir.FunctionType(ir.VoidType(), [word, word, number, place, place, place])

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        arrays = zip(signature.args[4:], arguments[4:], strict=True)
        data = [_numbers(context, builder, array, value).data for array, value in arrays]
        found = builder.inttoptr(arguments[0], function.as_pointer())
        builder.call(found, [*arguments[1:4], *data])
        return context.get_dummy_value()

    plain = (types.int64, types.int64, types.int64, types.float64)
    return types.void(*plain, numbers, given, out), generate


INTRINSICS: dict[str, Any] = {
    "part": intrinsic(_part),
    "grid": intrinsic(_grid),
    "row_at": intrinsic(_row),
    "call_function": intrinsic(_call),
}
"""By the name of the Python function that runs instead where nothing is compiled."""
