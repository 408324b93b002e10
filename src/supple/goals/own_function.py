"""The function of a custom goal, as the kernels call it: compiled by Numba, or a callback into Python.

Either has an address, which `supple.kernels.own_goals` calls. Compiled code needs no interpreter. If Numba is
not installed, or cannot compile the function, ctypes calls the Python function.
"""

from __future__ import annotations

import ctypes
import logging
import math
import threading
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from supple.kernels import decorators
from supple.kernels.own_goals import FRAME_FREEDOMS, FRAME_STEP, PROTOTYPE

# The least step, as a part of the coordinate that it changes: smaller ones are lost to rounding.
SMALLEST_RELATIVE_STEP = 1e-8

_log = logging.getLogger("supple")

Function = Callable[[np.ndarray, np.ndarray, np.ndarray], None]
"""Fills its last argument from frames (N, 4, 4) and values (V,)."""


def differences(
    residual: Function, frames: np.ndarray, values: np.ndarray, step: float, out: np.ndarray
) -> None:
    """Write the derivatives of a residual, shape (rows, N, 6), by forward differences; frames are restored.

    It is also compiled, with a compiled residual.

    Args:
        residual: Writes (rows,).
        frames: World transforms, shape (N, 4, 4), writable.
        values: The values of the goal, shape (V,).
        step: How far a frame is moved [model units]; it is rotated by FRAME_STEP [rad].
        out: Written: by the translation of each frame, then by its rotation about the world's axes.
    """
    rows = out.shape[0]
    here, there = np.empty(rows), np.empty(rows)
    for r in range(rows):
        here[r] = math.nan
    residual(frames, values, here)
    cosine = 1.0 - 0.5 * FRAME_STEP * FRAME_STEP
    # Element by element: Numba compiles this several times faster than the same with slices.
    for n in range(frames.shape[0]):
        for k in range(6):
            i, j = (k + 1) % 3, (k + 2) % 3
            x = frames[n, k % 3, 3]
            a0, a1, a2 = frames[n, i, 0], frames[n, i, 1], frames[n, i, 2]
            b0, b1, b2 = frames[n, j, 0], frames[n, j, 1], frames[n, j, 2]
            if k < 3:
                frames[n, k, 3] = x + max(step, SMALLEST_RELATIVE_STEP * abs(x))
                moved = frames[n, k, 3] - x
            else:
                moved = FRAME_STEP
                frames[n, i, 0], frames[n, j, 0] = (
                    cosine * a0 - FRAME_STEP * b0,
                    FRAME_STEP * a0 + cosine * b0,
                )
                frames[n, i, 1], frames[n, j, 1] = (
                    cosine * a1 - FRAME_STEP * b1,
                    FRAME_STEP * a1 + cosine * b1,
                )
                frames[n, i, 2], frames[n, j, 2] = (
                    cosine * a2 - FRAME_STEP * b2,
                    FRAME_STEP * a2 + cosine * b2,
                )
            for r in range(rows):
                there[r] = math.nan
            residual(frames, values, there)
            for r in range(rows):
                out[r, n, k] = (there[r] - here[r]) / moved
            frames[n, k % 3, 3] = x
            frames[n, i, 0], frames[n, i, 1], frames[n, i, 2] = a0, a1, a2
            frames[n, j, 0], frames[n, j, 1], frames[n, j, 2] = b0, b1, b2


class OwnFunction:
    """A residual, and its derivatives, at an address.

    Attributes:
        address: The address that kernels call, valid as long as this object exists.
        compiled: True if it is machine code, False if it calls back into Python.
    """

    def __init__(
        self, name: str, rows: int, residual: Function, jacobian: Function | None, *, compiled: bool
    ) -> None:
        """Compile a function, if that is wanted and possible, or wrap it as a callback.

        Args:
            name: Its name in messages.
            rows: Number of rows of the residual.
            residual: Writes (rows,).
            jacobian: Writes (rows, N, 6); None for differences.
            compiled: Whether to compile it if Numba is installed.
        """
        self._rows, self._residual, self._jacobian = rows, residual, jacobian
        self._pending = threading.local()
        made = None
        possible = decorators.MODE in (decorators.LIBRARY, decorators.JIT)
        if compiled and possible and find_spec("numba") is not None:
            made = _compile(name, rows, residual, jacobian)
        self.compiled = made is not None
        self._kept = PROTOTYPE(self._call_back) if made is None else made
        self.address: int = (
            ctypes.cast(self._kept, ctypes.c_void_p).value or 0 if made is None else made.address
        )

    def begin(self) -> None:
        """Clear the exception of this thread's callbacks."""
        self._pending.error = None

    @property
    def raised(self) -> BaseException | None:
        """The exception that a callback of this thread has raised since `begin`, if any."""
        return getattr(self._pending, "error", None)

    def _call_back(
        self, count: int, values: int, step: float, frames_at: int, values_at: int, out_at: int
    ) -> None:
        """The callback for ctypes. Arrays are copies: the function may keep them."""
        if self.raised is not None:
            return  # the solve has failed already
        try:
            frames = _copied(frames_at, count * 16).reshape(count, 4, 4)
            given = _copied(values_at, values)
            shape = (self._rows,) if step == 0.0 else (self._rows, count, FRAME_FREEDOMS)
            out = np.full(shape, np.nan)
            with np.errstate(all="ignore"):  # NaN and infinity are reported after the solve
                if step == 0.0:
                    self._residual(frames, given, out)
                elif self._jacobian is None:
                    differences(self._residual, frames.copy(), given, step, out)
                else:
                    self._jacobian(frames, given, out)
            (ctypes.c_double * out.size).from_address(out_at)[:] = out.ravel().tolist()
        except BaseException as error:  # ctypes would print and ignore it
            self._pending.error = error


def _copied(address: int, count: int) -> np.ndarray:
    """Floats from an address, copied and read-only."""
    return np.frombuffer(ctypes.string_at(address, 8 * count) if count else b"")


def _compile(name: str, rows: int, residual: Any, jacobian: Any) -> Any:
    """The compiled function, a `numba.core.ccallback.CFunc`; None, after a warning, if Numba cannot."""
    import numba
    from numba import types

    options = {"error_model": "numpy", "boundscheck": True}
    fill: Any = numba.njit(getattr(residual, "py_func", residual), **options)
    if jacobian is None:
        slope: Any = numba.njit(differences, error_model="numpy")

        def derive(frames, values, step, out):
            slope(fill, frames, values, step, out)
    else:
        given: Any = numba.njit(getattr(jacobian, "py_func", jacobian), **options)

        def derive(frames, values, step, out):
            given(frames, values, out)

    derive = numba.njit(derive, error_model="numpy")
    carray: Any = getattr(numba, "carray")  # noqa: B009, which numba does not declare
    tangent = FRAME_FREEDOMS

    def call(count, values, step, frames_at, values_at, out_at):
        frames = carray(frames_at, (count, 4, 4))
        given = carray(values_at, (values,))
        out = carray(out_at, (rows,))
        try:
            if step == 0.0:
                fill(frames, given, out)
            else:
                derive(frames, given, step, carray(out_at, (rows, count, tangent)))
        except Exception:
            out[0] = np.nan

    numbers = types.CPointer(types.float64)
    signature = types.void(types.int64, types.int64, types.float64, numbers, numbers, numbers)
    decorators.say_once(f"own goal {name}", f"compiling the goal {name} (first use, about 2 s)")
    try:
        with warnings.catch_warnings(action="ignore"):  # such as advice on contiguous arrays
            return numba.cfunc(signature, error_model="numpy")(call)
    except Exception as error:  # Numba raises many types for code that it does not support
        _log.warning(
            "goal %s: Numba cannot compile it, so it runs as Python, which is slower: %s",
            name,
            _gist(error),
        )
        return None


def _gist(error: Exception) -> str:
    """The line of a Numba error message that names the problem."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith(("Failed in", "During:", "- "))]
    return said[0] if said else type(error).__name__
