"""Desks: where single problems are solved, with everything at hand that stays the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.kernels import single as at
from supple.kernels.cache import announce, compiling
from supple.solvers import Solver
from supple.targets import Targets


class Desks:
    """The desks of one solver for one problem; who takes one puts it into `free` when done.

    Threads may share them: a desk serves one call at a time.

    Attributes:
        direct: Solves at a desk for the targets of a call as they are given: (desk, start, *targets,
            report). None if such calls are too unlike for that: then `solve_row` it is.
        free: The addresses of desks that nobody works at.
    """

    __slots__ = ("_arrays", "_fixed", "_kept", "_scratch", "_table", "_by_row", "direct", "free")

    def __init__(
        self,
        solver: Solver,
        ints: np.ndarray,
        floats: np.ndarray,
        offsets: np.ndarray,
        targets: Targets,
        status: int,
    ) -> None:
        """Lay out what all desks have in common.

        Args:
            solver: The solver, its kernel compiled.
            ints: The packed problem.
            floats: The packed problem.
            offsets: Its offsets, shape (1, A + 2 G, 3).
            targets: Its targets.
            status: Where a report has its status.
        """
        announce(f"{solver.name} solver", solver.kernel)
        self._arrays = (ints, floats, offsets)
        self._fixed = targets.fixed
        self._scratch = solver.space(ints)
        table = np.zeros(at.DESK, np.int64)
        table[at.D_KERNEL] = _address(solver.kernel)
        for place, array in zip((at.D_INTS, at.D_FLOATS), (ints, floats), strict=True):
            table[place : place + 2] = array.ctypes.data, array.size
        table[at.D_OFFSETS : at.D_OFFSETS + 2] = offsets.ctypes.data, offsets.shape[1]
        table[at.D_STATUS] = status
        places = targets.places
        for k, place in enumerate(places[:2]):
            first = at.D_ARGUMENTS + at.ARGUMENT * k
            table[first : first + at.ARGUMENT] = place
        self._table = table
        sizes = tuple(size for size, _, _ in places)
        ways = {1: at.solve_one, 2: at.solve_two}
        direct = at.solve_frame if sizes == (16,) else ways.get(len(sizes))
        self.direct = None if direct is None or 16 in sizes[1:] + sizes[:-1] else _ready(direct)
        self._by_row = _ready(at.solve_row)
        self.free: list[int] = []
        self._kept: list[np.ndarray] = []

    def take(self) -> int:
        """The address of a desk that nobody works at."""
        try:
            return self.free.pop()
        except IndexError:
            return self._new()

    def solve_row(self, start: np.ndarray, row: np.ndarray, report: np.ndarray) -> int:
        """Solve for a whole row of targets, shape (T,), from a start (Q,), into a report (width,).

        Returns:
            Of `kernels.outcomes`.
        """
        desk = self.take()
        outcome = self._by_row(desk, start, row, report)
        self.free.append(desk)
        return outcome

    def _new(self) -> int:
        desk, row, work = self._table.copy(), self._fixed.copy(), np.empty(self._scratch)
        desk[at.D_TARGETS : at.D_TARGETS + 2] = row.ctypes.data, row.size
        desk[at.D_WORK : at.D_WORK + 2] = work.ctypes.data, work.size
        self._kept += (desk, row, work)  # alive as long as their addresses are in use
        return desk.ctypes.data


def lay_desks(
    solver: Solver,
    packed: tuple[np.ndarray, np.ndarray],
    offsets: np.ndarray,
    targets: Targets,
    status: int,
) -> Desks | None:
    """Desks for a solver; None if its kernel is not compiled, or the fixed targets are many."""
    if not compiling() or not hasattr(solver.kernel, "overloads") or targets.fixed.ndim != 1:
        return None
    return Desks(solver, *packed, offsets, targets, status)


def ready_calls() -> None:
    """Compile, or load, every way to call a solver for a single problem."""
    if compiling():
        for kernel in at.SIGNATURES:
            _ready(kernel)


def _address(kernel: Any) -> int:
    """Where the machine code of a solver's kernel is, compiled or loaded if it has to be."""
    kernel.compile(at.SOLVE_RANGE)
    compiled = kernel.overloads[at.SOLVE_RANGE]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)


def _ready(kernel: Any) -> Callable[..., int]:
    """A kernel, compiled or loaded for the one kind of arguments it takes, and for no other."""
    if not kernel.overloads:
        kernel.compile(at.SIGNATURES[kernel])
        kernel.disable_compile()
    return kernel
