"""Desks: where single problems are solved, with everything at hand that stays the same."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from supple.kernels import handles
from supple.kernels import single as at
from supple.kernels.cache import announce, compiling
from supple.kernels.layout import O_STATUS
from supple.kernels.outcomes import NOT_TAKEN
from supple.solvers import Solver
from supple.targets import Targets


@dataclass(slots=True, eq=False)
class Desks:
    """The desks of one solver for one problem; who takes one puts it into `free` when done.

    Threads may share them: a desk serves one call at a time.

    Attributes:
        new: Makes another desk.
        solve_call: Solves for the targets of a call: (desk, start (Q,), tuple of targets, report
            (width,)), which fills the report and says how it ended, as in `kernels.outcomes`.
        solve_row: The same with a row of targets, shape (T,).
        solve_path: Solves for rows of targets, each from the answer before: (desk, rows (F, T),
            reports (F, width), first row, last row + 1, whether others try what is not met), the
            arrays contiguous; answers the first row that was not solved.
        free: Desks that nobody works at.
    """

    new: Callable[[], np.ndarray]
    solve_call: Callable[..., int]
    solve_row: Callable[..., int]
    solve_path: Callable[..., int]
    free: list[np.ndarray] = field(default_factory=list)

    def at_any(self, way: Callable[..., int], *given: Any) -> int:
        """Solve at any desk, in one of the ways, with what it is given after the desk."""
        try:
            desk = self.free.pop()
        except IndexError:
            desk = self.new()
        outcome = way(desk, *given)
        self.free.append(desk)
        return outcome


def lay_desks(
    solver: Solver,
    packed: tuple[np.ndarray, np.ndarray],
    offsets: np.ndarray,
    targets: Targets,
    coordinates: int,
    width: int,
) -> Desks:
    """Desks for a solver; where there can be none, they take nothing.

    Args:
        solver: The solver.
        packed: The problem's integers and floats.
        offsets: Its offsets, shape (1, A + 2 G, 3).
        targets: Its targets.
        coordinates: How many coordinates a pose has.
        width: How many numbers a report has.
    """
    ways = ready_calls()
    if ways is None or not hasattr(solver.kernel, "overloads") or targets.fixed.ndim != 1:
        return Desks(lambda: np.zeros(0), _take_nothing, _take_nothing, _go_nowhere)
    announce(f"{solver.name} solver", solver.kernel)
    ints, floats = packed
    table = np.zeros(at.D_ARGUMENTS + at.ARGUMENT * len(targets.places), np.int64)
    table[at.D_KERNEL] = _address(solver.kernel)
    table[at.D_INTS : at.D_INTS + 2] = ints.ctypes.data, ints.size
    table[at.D_FLOATS : at.D_FLOATS + 2] = floats.ctypes.data, floats.size
    table[at.D_OFFSETS : at.D_OFFSETS + 2] = offsets.ctypes.data, offsets.shape[1]
    table[at.D_COORDINATES], table[at.D_WIDTH] = coordinates, width
    table[at.D_STATUS] = coordinates + O_STATUS
    table[at.D_GIVEN] = len(targets.places)
    table[at.D_KINDS : at.D_ARGUMENTS] = handles.kinds()
    table[at.D_ARGUMENTS :] = [number for place in targets.places for number in place]
    kept = [ints, floats, offsets]
    new = functools.partial(_new_desk, table, targets.fixed, solver.space(ints), kept)
    return Desks(new, *ways)


@functools.cache
def ready_calls() -> tuple[Any, Any, Any] | None:
    """The ways to solve at a desk, by call, by row and along a path, compiled or loaded.

    None if kernels are not compiled, or cannot be called so here.
    """
    if not compiling() or not handles.understood():
        return None
    return (
        handles.entry(at.solve_call, at.SIGNATURE),
        handles.entry(at.solve_row, at.SIGNATURE),
        handles.entry(at.solve_path, at.PATH_SIGNATURE),
    )


def _new_desk(
    table: np.ndarray, fixed: np.ndarray, scratch: int, kept: list[np.ndarray]
) -> np.ndarray:
    """Another desk; what is on it is kept as long as it may be used."""
    desk, row, work = table.copy(), fixed.copy(), np.zeros(scratch)
    desk[at.D_TARGETS : at.D_TARGETS + 2] = row.ctypes.data, row.size
    desk[at.D_WORK : at.D_WORK + 2] = work.ctypes.data, work.size
    kept += (row, work)
    return desk


def _address(kernel: Any) -> int:
    """Where the machine code of a solver's kernel is, compiled or loaded if it has to be."""
    handles.entry(kernel, at.SOLVE_RANGE)
    compiled = kernel.overloads[at.SOLVE_RANGE]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


def _take_nothing(*_: Any) -> int:
    return NOT_TAKEN


def _go_nowhere(
    _desk: Any, _rows: Any, _reports: Any, first: int, _last: int, _others: bool
) -> int:
    return first
