"""Single problems: a solver's kernel called by its address, with all that never changes at hand.

Handing an array to compiled code costs about as much as a small solve. So everything of a prepared
problem that stays lies on a *desk*, a table of addresses and sizes, and a call hands over one number
for it, the start, the targets and the row for the answer.
"""

import math
from typing import Any

import numpy as np
from numba import carray, types  # pyright: ignore[reportPrivateImportUsage]
from numba.extending import intrinsic

from supple.kernels.cache import kernel
from supple.kernels.frames import read_frame
from supple.kernels.layout import REACHED
from supple.kernels.outcomes import MET, MISSED, NOT_TAKEN
from supple.kernels.views import grid

(
    D_KERNEL,  # the address of a solver's solve_range
    D_INTS, D_INT_COUNT, D_FLOATS, D_FLOAT_COUNT,  # the packed problem
    D_OFFSETS, D_OFFSET_COUNT,  # rows of three
    D_TARGETS, D_TARGET_COUNT,
    D_WORK, D_WORK_COUNT,
    D_STATUS,  # the status' place in a row of output
    D_ARGUMENTS,  # for each of two targets of a call: how many numbers, where they go, where a turn goes
) = range(13)  # fmt: skip
ARGUMENT = 3
DESK = D_ARGUMENTS + 2 * ARGUMENT

INTS = types.Array(types.int64, 1, "C")
FLOATS = types.Array(types.float64, 1, "C")
TABLE = types.Array(types.float64, 2, "C")
SOLVE_RANGE = (
    INTS, FLOATS, types.Array(types.float64, 3, "C"), TABLE, TABLE, TABLE, FLOATS, TABLE, TABLE,
    types.int64, types.int64,
)  # fmt: skip


def _pointer(typing: Any, address: Any) -> Any:
    """An address as a pointer."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.int64), generate


def _call_range(
    typing: Any, address: Any, ints: Any, floats: Any, offsets: Any, starts: Any, targets: Any,
    out: Any, work: Any, trace: Any, events: Any, first: Any, last: Any,
) -> Any:  # fmt: skip
    """Call the solve_range at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        convention = context.call_conv
        function = convention.get_function_type(types.none, SOLVE_RANGE)
        function = builder.inttoptr(arguments[0], function.as_pointer())
        convention.call_function(builder, function, types.none, SOLVE_RANGE, arguments[1:])
        return context.get_dummy_value()

    return types.none(types.int64, *SOLVE_RANGE), generate


pointer: Any = intrinsic(_pointer)
call_range: Any = intrinsic(_call_range)


@kernel
def run(desk, start, targets, out):
    """Solve the problem of a desk for a row of targets; MET or MISSED."""
    for i in range(targets.shape[0]):
        if not math.isfinite(targets[i]):
            return NOT_TAKEN
    work = carray(pointer(desk[D_WORK]), (desk[D_WORK_COUNT],), np.float64)
    none = grid(work, 0, 0, 1)
    call_range(
        desk[D_KERNEL],
        carray(pointer(desk[D_INTS]), (desk[D_INT_COUNT],), np.int64),
        carray(pointer(desk[D_FLOATS]), (desk[D_FLOAT_COUNT],), np.float64),
        carray(pointer(desk[D_OFFSETS]), (1, desk[D_OFFSET_COUNT], 3), np.float64),
        grid(start, 0, 1, start.shape[0]),
        grid(targets, 0, 1, targets.shape[0]),
        grid(out, 0, 1, out.shape[0]),
        work, none, none, 0, 1,
    )  # fmt: skip
    return MET if out[desk[D_STATUS]] == REACHED else MISSED


@kernel
def open_desk(address):
    """The desk at an address, and its row of targets."""
    desk = carray(pointer(address), (DESK,), np.int64)
    return desk, carray(pointer(desk[D_TARGETS]), (desk[D_TARGET_COUNT],), np.float64)


@kernel
def put(desk, argument, target, targets):
    """Put a position or orientation where it belongs; False if it is not plainly one."""
    at = D_ARGUMENTS + ARGUMENT * argument
    count = desk[at]
    if target.shape[0] != count:
        return False
    square = 0.0
    for i in range(count):
        square += target[i] * target[i]
        targets[desk[at + 1] + i] = target[i]
    return (
        count != 4 or abs(square - 1.0) < 1e-15
    )  # unit to the last digits: nobody would change it


@kernel
def solve_row(address, start, targets, out):
    """Solve for a whole row of targets, shape (T,)."""
    desk, _ = open_desk(address)
    if targets.shape[0] != desk[D_TARGET_COUNT]:
        return NOT_TAKEN
    return run(desk, start, targets, out)


@kernel
def solve_one(address, start, target, out):
    """Solve for the one open target, a position (3,) or an orientation wxyz (4,)."""
    desk, targets = open_desk(address)
    if not put(desk, 0, target, targets):
        return NOT_TAKEN
    return run(desk, start, targets, out)


@kernel
def solve_two(address, start, target, other, out):
    """Solve for two open targets, positions or orientations."""
    desk, targets = open_desk(address)
    if not (put(desk, 0, target, targets) and put(desk, 1, other, targets)):
        return NOT_TAKEN
    return run(desk, start, targets, out)


@kernel
def solve_frame(address, start, frame, out):
    """Solve for the one open target, a transform (4, 4)."""
    desk, targets = open_desk(address)
    if frame.shape[0] != 4 or frame.shape[1] != 4:
        return NOT_TAKEN
    if not read_frame(frame, targets, desk[D_ARGUMENTS + 1], desk[D_ARGUMENTS + 2]):
        return NOT_TAKEN
    return run(desk, start, targets, out)


SIGNATURES: dict[Any, Any] = {
    solve_row: (types.int64, FLOATS, FLOATS, FLOATS),
    solve_one: (types.int64, FLOATS, FLOATS, FLOATS),
    solve_two: (types.int64, FLOATS, FLOATS, FLOATS, FLOATS),
    solve_frame: (types.int64, FLOATS, TABLE, FLOATS),
}
