"""Single problems: a solver's kernel called by its address, with all that never changes at hand.

Handing an array to compiled code costs about as much as a small solve. So everything of a prepared
problem that stays lies on a *desk*, a table of addresses and sizes, and a call hands over the desk,
the start, the targets and the row for the answer, all of them as handles.
"""

import math
from typing import Any

import numpy as np
from numba import carray, types  # pyright: ignore[reportPrivateImportUsage]
from numba.extending import intrinsic

from supple.kernels.cache import kernel
from supple.kernels.frames import read_frame
from supple.kernels.handles import (
    DATA,
    HANDLE,
    ITEMS,
    KIND_COUNT,
    LENGTH,
    address_of,
    extent,
    floats_at,
    ints_at,
    numbers_of,
    pointer,
    read_floats,
    word,
)
from supple.kernels.layout import BUDGET, REACHED
from supple.kernels.outcomes import MET, MISSED, NOT_TAKEN
from supple.kernels.views import grid, part

(
    D_KERNEL,  # the address of a solver's solve_range
    D_INTS, D_INT_COUNT, D_FLOATS, D_FLOAT_COUNT,  # the packed problem
    D_OFFSETS, D_OFFSET_COUNT,  # rows of three
    D_TARGETS, D_TARGET_COUNT,
    D_WORK, D_WORK_COUNT,
    D_COORDINATES, D_STATUS, D_WIDTH,  # of a row of output: how many, the status' place, its length
    D_GIVEN,  # how many targets a call gives
) = range(15)  # fmt: skip
D_KINDS = D_GIVEN + 1
D_ARGUMENTS = D_KINDS + KIND_COUNT
ARGUMENT = 3  # for each target of a call: how many numbers, where they go, where a turn goes

INTS = types.Array(types.int64, 1, "C")
FLOATS = types.Array(types.float64, 1, "C")
TABLE = types.Array(types.float64, 2, "C")
SOLVE_RANGE = (
    INTS, FLOATS, types.Array(types.float64, 3, "C"), TABLE, TABLE, TABLE, FLOATS, TABLE, TABLE,
    types.int64, types.int64,
)  # fmt: skip


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


call_range: Any = intrinsic(_call_range)


@kernel
def run(desk, start, targets, out):
    """Solve the problem of a desk from a start for a row of targets; MET or MISSED.

    NOT_TAKEN if a target is not finite, or if the solver leaves no status.
    """
    for i in range(targets.shape[0]):
        if not math.isfinite(targets[i]):
            return NOT_TAKEN
    out[:] = math.nan
    work = floats_at(desk[D_WORK], desk[D_WORK_COUNT])
    none = grid(work, 0, 0, 1)
    call_range(
        desk[D_KERNEL],
        ints_at(desk[D_INTS], desk[D_INT_COUNT]),
        floats_at(desk[D_FLOATS], desk[D_FLOAT_COUNT]),
        carray(pointer(desk[D_OFFSETS]), (1, desk[D_OFFSET_COUNT], 3), np.float64),
        grid(start, 0, 1, start.shape[0]),
        grid(targets, 0, 1, targets.shape[0]),
        grid(out, 0, 1, out.shape[0]),
        work, none, none, 0, 1,
    )  # fmt: skip
    status = out[desk[D_STATUS]]
    if status == REACHED:
        return MET
    return MISSED if REACHED < status <= BUDGET else NOT_TAKEN


@kernel
def put(desk, argument, target, row):
    """Put a target where it belongs; False if it is not plainly one."""
    at = D_ARGUMENTS + ARGUMENT * argument
    count, first = desk[at], desk[at + 1]
    kinds = part(desk, D_KINDS, KIND_COUNT)
    if count == 16:
        found = numbers_of(target, kinds, 2)
        if found == 0 or extent(target, 0) != 4 or extent(target, 1) != 4:
            return False
        return read_frame(grid(floats_at(found, 16), 0, 4, 4), row, first, desk[at + 2])
    if not read_floats(target, kinds, row, first, count):
        return False
    if count == 3:
        return True
    square = 0.0
    for i in range(count):
        square += row[first + i] * row[first + i]
    return abs(square - 1.0) < 1e-15  # unit to the last digits: nobody would change it


@kernel
def open_desk(handle):
    """The table of a desk."""
    return ints_at(word(address_of(handle) + DATA), D_ARGUMENTS)


@kernel
def begin(desk, start):
    """Where the coordinates of a start are; 0 if it is not plainly one."""
    found = numbers_of(start, part(desk, D_KINDS, KIND_COUNT), 1)
    return found if found != 0 and extent(start, 0) == desk[D_COORDINATES] else 0


@kernel
def solve_row(desk, start, targets, out):
    """Solve for a whole row of targets, shape (T,), from a start (Q,), into a report."""
    table = open_desk(desk)
    found, row = begin(table, address_of(start)), address_of(targets)
    given = numbers_of(row, part(table, D_KINDS, KIND_COUNT), 1)
    if found == 0 or given == 0 or extent(row, 0) != table[D_TARGET_COUNT]:
        return NOT_TAKEN
    return run(
        table,
        floats_at(found, table[D_COORDINATES]),
        floats_at(given, table[D_TARGET_COUNT]),
        floats_at(word(address_of(out) + DATA), table[D_WIDTH]),
    )


@kernel
def solve_call(desk, start, targets, out):
    """Solve for a tuple of targets, from a start (Q,), into a report.

    Positions and orientations wxyz as arrays (3,) and (4,) or tuples of floats, transforms as arrays
    (4, 4).
    """
    table = open_desk(desk)
    found, given = begin(table, address_of(start)), address_of(targets)
    if found == 0 or word(given + LENGTH) != table[D_GIVEN]:
        return NOT_TAKEN
    row = floats_at(table[D_TARGETS], table[D_TARGET_COUNT])
    for k in range(table[D_GIVEN]):
        if not put(table, k, word(given + ITEMS + 8 * k), row):
            return NOT_TAKEN
    return run(
        table,
        floats_at(found, table[D_COORDINATES]),
        row,
        floats_at(word(address_of(out) + DATA), table[D_WIDTH]),
    )


@kernel
def solve_path(desk, targets, out, first, last, others):
    """Solve for rows first..last-1 of targets (F, T) into reports (F, width), each from the last.

    The answer before the first row must be there. Returns the first row that was not solved: `last`,
    or, if there are others to try, the first that did not meet its goals.
    """
    table = open_desk(desk)
    count, width = table[D_TARGET_COUNT], table[D_WIDTH]
    rows, reports = word(address_of(targets) + DATA), word(address_of(out) + DATA)
    for f in range(first, last):
        outcome = run(
            table,
            floats_at(reports + 8 * width * (f - 1), table[D_COORDINATES]),
            floats_at(rows + 8 * count * f, count),
            floats_at(reports + 8 * width * f, width),
        )
        if outcome == NOT_TAKEN or (others and outcome == MISSED):
            return f
    return last


SIGNATURE = (HANDLE, HANDLE, HANDLE, HANDLE)
PATH_SIGNATURE = (HANDLE, HANDLE, HANDLE, types.int64, types.int64, types.boolean)
