"""Kernels: Python functions that run as machine code.

A kernel runs in one of three ways, chosen when supple is imported (`MODE`):

    library  compiled when supple was built, see `supple.kernels.library`; no compiler is loaded
    jit      compiled by Numba at the first call and cached, see `supple.kernels.jit`
    python   as written, to debug

The library is used if it was built from these sources. Otherwise, and with
``SUPPLE_JIT=1`` or Numba's ``NUMBA_BOUNDSCHECK=1``, kernels are compiled just in time.
``SUPPLE_DISABLE_JIT=1`` (or Numba's ``NUMBA_DISABLE_JIT=1``) leaves them plain Python.

A kernel that Python calls is an entry, and declares its signature:

    @entry("i1 f2 f -> b")  # an int64 array with one axis, a float64 array with two, a float; a bool

Arrays at an entry are C-ordered. Letters: i int64, f float64, u uint8, b bool.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple, TypeVar

from supple.errors import SuppleError
from supple.kernels import library

Function = TypeVar("Function", bound=Callable[..., Any])

LIBRARY, JIT, PYTHON, NONE = "library", "jit", "python", "none"
INSTALL = "pip install 'supple[jit]'"

SOLVE = "i1 f1 f3 f2 f2 f2 f1 f2 f2 i i"
"""The signature of `solve_range` of every solver: ints, floats, offsets, starts, targets, out, work, trace
of poses, trace of events, first, last."""

_log = logging.getLogger("supple")


class Kernel(NamedTuple):
    """A kernel's Python function, and how it is compiled."""

    function: Callable[..., Any]
    how: str  # "kernel", "leaf", "cold", "inlined" or "generated"
    now: Any  # the object that replaces the function in its module


KERNELS: list[Kernel] = []
ENTRIES: dict[str, str] = {}
"""The signature of every entry of the modules imported so far, by name ("solvers.ccd.solve_range")."""


def _asked(variable: str) -> bool:
    return os.environ.get(variable, "0") not in ("", "0")


def _choose() -> str:
    if _asked("SUPPLE_DISABLE_JIT") or _asked("NUMBA_DISABLE_JIT"):
        return PYTHON
    if _asked("SUPPLE_JIT") or _asked("NUMBA_BOUNDSCHECK"):
        return JIT
    if library.functions() is not None:
        return LIBRARY
    return JIT if find_spec("numba") is not None else NONE


MODE = _choose()


def kernel(function: Function) -> Function:
    """Mark a kernel: a function of scalars, arrays and records of them, at module level.

    It may call kernels of its own file and of the ``kernels`` and ``solvers`` folders. Compiled, it
    runs without the interpreter lock, divides as NumPy does (by zero gives inf or nan), keeps IEEE
    arithmetic, and allocates nothing: arrays have no reference counts, so that views and records
    cost nothing.

    A kernel of your own, outside supple, is compiled just in time.

    Raises:
        SuppleError: It is outside supple, and Numba is not installed.
    """
    return _made(function, "kernel")


def leaf(function: Function) -> Function:
    """A small kernel that is called for every joint or freedom: the compiler is told to inline it.

    A call that is not inlined passes records field by field, which costs more than the work of a small
    function.
    """
    return _made(function, "leaf")


def cold(function: Function) -> Function:
    """A kernel of a path that few problems take: not inlined into a leaf that calls it.

    Inlined, it would make its callers larger and slower to compile for all problems.
    """
    return _made(function, "cold")


def inlined(function: Function) -> Function:
    """Copy `function` to its call sites in kernels, which is how a kernel returns a view of an array."""
    return _made(function, "inlined")


def generated(plain: Function) -> Function:
    """Replace a function, when compiled, by the one of that name in `supple.kernels.intrinsics`."""
    return _made(plain, "generated")


def entry(signature: str) -> Callable[[Function], Function]:
    """Mark a kernel that Python calls.

    Args:
        signature: Its arguments and results, as in the module docstring.
    """

    def mark(function: Any) -> Any:
        name = name_of(function)
        ENTRIES[name] = signature
        made = _made(function, "kernel")
        found = (library.functions() or {}).get(name) if MODE == LIBRARY else None
        if found is None:
            return made
        KERNELS[-1] = Kernel(function, "kernel", found)
        return found

    return mark


def name_of(function: Callable[..., Any]) -> str:
    """The name of an entry: its module inside supple, then its function."""
    return f"{function.__module__.removeprefix('supple.')}.{function.__name__}"


def _made(function: Any, how: str) -> Any:
    outside = not function.__module__.startswith("supple.")
    if MODE == PYTHON:
        return function
    if MODE == JIT:
        from supple.kernels import jit

        return jit.compiled(function, how)
    if outside:
        return _own(function, how)
    now = function if MODE == LIBRARY else _missing(function)
    KERNELS.append(Kernel(function, how, now))
    return now


def _own(function: Any, how: str) -> Any:
    """A kernel outside supple, compiled just in time while supple's kernels come from the library."""
    if find_spec("numba") is None:
        raise SuppleError(
            f"kernel {function.__name__!r}: a kernel of your own is compiled by Numba, which is not "
            f"installed: {INSTALL}"
        )
    from supple.kernels import jit

    return jit.compiled_beside_library(function, how, KERNELS)


def _missing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that replaces a kernel that cannot run, and raises."""

    def fail(*arguments: Any) -> Any:
        del arguments
        raise SuppleError(
            f"supple cannot run {function.__name__!r}: {library.trouble()}. {INSTALL} compiles it on "
            "first use; or install a wheel for this platform, or install from source, which builds "
            "the library"
        )

    return fail


def compiling() -> bool:
    """True if kernels are compiled just in time."""
    return MODE == JIT


def announce(name: str, function: Callable[..., Any], *, seconds: float = 10) -> None:
    """Log a notice when an entry is compiled, if it has to be.

    Call it before the entry is called, any number of times: only the first call has an effect.
    The notice goes to the ``supple`` logger (INFO) and to the terminal, if there is one.

    Args:
        name: The text after "compiling the", such as "LM solver".
        function: The entry.
        seconds: About how long it takes [s].
    """
    if MODE != JIT or function in _announced:
        return
    _announced.add(function)
    if library.is_stale() and not _asked("SUPPLE_JIT"):
        say_once("stale", f"{library.trouble()}; compiling just in time (`make` builds it anew)")
    from supple.kernels import jit

    jit.announce(name, function, seconds)


_announced: set[Callable[..., Any]] = set()
_said: set[str] = set()


def say_once(topic: str, notice: str) -> None:
    """Log a notice (INFO), and print it to the terminal if nobody listens to the log."""
    if topic in _said:
        return
    _said.add(topic)
    _log.info(notice)
    heard = _log.isEnabledFor(logging.INFO) and _log.hasHandlers()
    if not heard and sys.stderr is not None and sys.stderr.isatty():
        print(f"supple: {notice}", file=sys.stderr, flush=True)
