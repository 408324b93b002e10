"""Compile kernels with Numba and keep the machine code in a folder of our own.

Numba's own cache misses edits in the functions a kernel calls, and raises where it finds no folder
to write to. Here an entry is named after a hash of the kernel's source file and of all kernel
sources that file imports, so that an edit starts afresh what it can change and nothing else; and
where there is no safe folder the kernels are compiled for this process only.

    <user cache>/supple/kernels-<versions>/<module>.<function>.<sources, signature, CPU>.bin

The environment may say otherwise: ``SUPPLE_CACHE_DIR`` is used in place of ``<user cache>/supple``,
and ``SUPPLE_DISABLE_JIT=1`` (or Numba's ``NUMBA_DISABLE_JIT=1``) leaves kernels plain Python.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.metadata
import logging
import os
import pickle
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import numba
import numpy as np
from numba.core import config

_log = logging.getLogger("supple")

_PACKAGE = Path(__file__).resolve().parents[1]
_SOURCE_FOLDERS = ("kernels", "solvers")
_FOLDER_PATTERN = re.compile(r"kernels-[0-9a-f]{20}")
_FOLDERS_KEPT = 3
_ENTRIES_KEPT = 6  # of one kernel: for other signatures, CPUs and states of the sources
_IMPORT = re.compile(
    r"^\s*(?:from|import) +supple\.(?P<module>[\w.]+)(?: +import +(?P<names>\([^)]*\)|[^\n]*))?",
    re.MULTILINE,
)
_DIGEST_BYTES = hashlib.sha256().digest_size

Function = TypeVar("Function", bound=Callable[..., Any])


def kernel(function: Function) -> Function:
    """Compile `function` on first call, and keep the machine code for later processes.

    A kernel is a module-level function of numbers, arrays and records of them. It may call kernels of
    its own file and of the ``kernels`` and ``solvers`` folders: edits there are noticed. It runs
    without the interpreter lock, divides as NumPy does (by zero gives inf or nan), keeps IEEE
    arithmetic, and allocates nothing: arrays in it are not counted, so that views and records are
    free. A function with a closure is compiled, but not kept.
    """
    return _compiled(function)


def leaf(function: Function) -> Function:
    """A small kernel that is called for every joint or freedom: the compiler is told to inline it.

    Records are passed to a function that is not inlined field by field, which costs more than the work
    of a small one.
    """
    return _compiled(function, forceinline=True)


def inlined(function: Function) -> Function:
    """Have `function` copied to where kernels call it: the way to return a view of an array."""
    return _njit(inline="always", **_OPTIONS)(function) if compiling() else function


_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": False, "_nrt": False}
_njit: Any = numba.njit


def _compiled(function: Function, **options: Any) -> Function:
    if not compiling():
        return function
    compiled = _njit(nogil=True, **_OPTIONS, **options)(function)
    _widen(compiled)
    if function.__closure__ is None:
        _attach(compiled, function)
    return compiled


def compiling() -> bool:
    """Whether kernels are compiled, or left plain Python as the environment may ask."""
    asked = os.environ.get("SUPPLE_DISABLE_JIT", "0") not in ("", "0")
    return not (asked or getattr(config, "DISABLE_JIT", False))


def _widen(compiled: Any) -> None:
    """Compile a kernel once for all constants it is called with, not once for each of them."""
    resolve = getattr(compiled, "get_call_template", None)
    if resolve is None:
        return

    def widened(args: Any, kws: Any) -> Any:
        unliteral = numba.types.unliteral
        return resolve(tuple(map(unliteral, args)), {k: unliteral(v) for k, v in kws.items()})

    compiled.get_call_template = widened


def announce(name: str, dispatcher: Callable[..., Any], *, seconds: float = 10) -> None:
    """Have the compilation of a top-level kernel said, once, if it turns out to be needed.

    Call it before the kernel is called, as often as you like: only the first call does anything.
    The notice goes to the ``supple`` logger (INFO) and to the terminal, if there is one.

    Args:
        name: What is compiled, to follow "compiling the", such as "LM solver".
        dispatcher: The kernel.
        seconds: About how long it takes [s].
    """
    if dispatcher in _announced:
        return
    _announced.add(dispatcher)
    notice = f"compiling the {name} (first use, about {seconds:.0f} s"
    cache = getattr(dispatcher, "_cache", None)
    if isinstance(cache, _KernelCache):
        cache.notice = notice
    elif getattr(dispatcher, "signatures", None) == []:
        _say(notice + ")")


def cache_folder() -> Path | None:
    """The folder this process keeps its kernels in; None, after one warning, if there is none."""
    if _sources() != _SOURCES_AT_IMPORT:
        # What is loaded is no longer what the files say: kept under their hash it would be served
        # to later processes in place of the edited kernels.
        _log_once(logging.INFO, "edited", "kernels were edited since they were imported: not kept")
        return None
    return _open_folder()


_announced: set[Callable[..., Any]] = set()
_logged: set[str] = set()


def _log_once(level: int, topic: str, message: str, *details: object) -> None:
    if topic not in _logged:
        _logged.add(topic)
        _log.log(level, message, *details)


def _warn_uncached(reason: object) -> None:
    _log_once(
        logging.WARNING,
        "uncached",
        "compiled kernels are not kept for later runs: %s; "
        "set SUPPLE_CACHE_DIR to a folder that only you can write to",
        reason,
    )


def _say(notice: str) -> None:
    _log.info(notice)
    heard = _log.isEnabledFor(logging.INFO) and _log.hasHandlers()
    if not heard and sys.stderr is not None and sys.stderr.isatty():
        print(f"supple: {notice}", file=sys.stderr, flush=True)


# The cache of one kernel, as Numba's dispatcher calls it ------------------------------------------


def _attach(compiled: Any, function: Callable[..., Any]) -> None:
    # `_cache` is Numba's own attribute: if a version has no such thing, run without.
    methods = ("load_overload", "save_overload", "flush")
    if all(hasattr(getattr(compiled, "_cache", None), method) for method in methods):
        with contextlib.suppress(OSError):  # no source file, as at a prompt: compiled, not kept
            compiled._cache = _KernelCache(function)
    else:
        message = "compiled kernels are not kept for later runs: Numba %s is not known"
        _log_once(logging.WARNING, "uncached", message, numba.__version__)


class _KernelCache:
    """Stands in for `numba.core.caching.FunctionCache`: one file per kernel, signature and CPU.

    One file, where Numba has an index and numbered data files, so that processes which compile at
    the same time cannot mix up each other's entries; and no failure here may fail the caller. What
    is not public in Numba is imported where it is used, so that its absence is such a failure.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = re.sub(r"[^\w.-]", "", f"{function.__module__}.{function.__qualname__}")
        self._file = function.__code__.co_filename
        self.notice: str | None = None

    @property
    def cache_path(self) -> str | None:
        folder = cache_folder()
        return None if folder is None else str(folder)

    def enable(self) -> None:
        """Nothing to do: part of Numba's interface."""

    def disable(self) -> None:
        """Nothing to do: part of Numba's interface."""

    def flush(self) -> None:
        folder = cache_folder()
        for path in folder.glob(f"{self.name}.*.bin") if folder else ():
            path.unlink(missing_ok=True)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kept `CompileResult`, or None: then Numba compiles."""
        folder = cache_folder()
        if folder is not None:
            try:
                from numba.core.compiler import CompileResult
                from numba.core.runtime.nrt import rtsys

                # Of what Numba sets up before it compiles, machine code needs this alone; the rest,
                # SciPy's linear algebra among it, takes longer than everything else here.
                rtsys.initialize(target_context)
                path = folder / self._entry(sig, target_context.codegen())
                payload = pickle.loads(_read_checked(path))
                return CompileResult._rebuild(target_context, *payload)
            except FileNotFoundError:
                pass
            except Exception as error:
                message = "kept kernel %s is compiled anew: %r"
                _log_once(logging.WARNING, "unreadable", message, self.name, error)
        if self.notice is not None:
            _say(self.notice + ("; kept for later runs)" if folder is not None else ")"))
            self.notice = None
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a fresh `CompileResult`."""
        folder = cache_folder()
        if folder is None:
            return
        try:
            from numba.core.serialize import dumps

            if data.library.has_dynamic_globals:
                raise ValueError(f"{self.name} holds a large global array")
            payload = dumps(data._reduce())
            _make_private(folder)  # another process may have tidied it away
            _write_checked(folder / self._entry(sig, data.codegen), payload)
            self._prune(folder)
        except Exception as error:
            _warn_uncached(error)

    def _prune(self, folder: Path) -> None:
        """Remove the entries of older sources, but for the most recent."""
        entries = [(path.stat().st_mtime, path) for path in folder.glob(f"{self.name}.*.bin")]
        for _, path in sorted(entries)[:-_ENTRIES_KEPT]:
            path.unlink(missing_ok=True)

    def _entry(self, sig: Any, codegen: Any) -> str:
        from numba.core.sigutils import normalize_signature

        args, return_type = normalize_signature(sig)
        identity = repr((args, return_type, codegen.magic_tuple(), _stamp(self._file)))
        return f"{self.name}.{hashlib.sha256(identity.encode()).hexdigest()[:20]}.bin"


@functools.cache
def _stamp(filename: str) -> str:
    """Stands for the contents of a source file and of the kernel sources it imports."""
    path = Path(filename).resolve()
    digest = hashlib.sha256()
    for source in sorted({path, *_imported(path)}):
        content = _read(source)
        digest.update(f"{source.name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _imported(path: Path) -> set[Path]:
    """The kernel sources that a source file imports, directly or through others."""
    found: set[Path] = set()
    front = [path]
    while front:
        new = _imports(front.pop()) - found
        found |= new
        front.extend(new)
    return found


@functools.cache
def _imports(path: Path) -> frozenset[Path]:
    """The kernel sources that a source file itself imports: ``from supple.kernels import tree``."""
    found = set()
    for match in _IMPORT.finditer(_read(path).decode()):
        module = match["module"].replace(".", "/")
        names = re.findall(r"\w+", match["names"] or "")
        found |= {f"{module}.py", *(f"{module}/{name}.py" for name in names)}
    return frozenset(_PACKAGE / name for name, _, _ in _SOURCES_AT_IMPORT if name in found)


@functools.cache
def _read(path: Path) -> bytes:
    return path.read_bytes()


def _write_checked(path: Path, payload: bytes) -> None:
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
        try:
            file.write(hashlib.sha256(payload).digest() + payload)
            file.close()
            os.replace(file.name, path)
        except BaseException:
            os.unlink(file.name)
            raise


def _read_checked(path: Path) -> bytes:
    content = path.read_bytes()
    payload = content[_DIGEST_BYTES:]
    # Machine code with a flipped bit would not raise, but crash.
    if hashlib.sha256(payload).digest() != content[:_DIGEST_BYTES]:
        raise OSError(f"{path} is damaged")
    return payload


# The folder ---------------------------------------------------------------------------------------


def _sources() -> tuple[tuple[str, int, int], ...]:
    """Path, time of change [ns] and size [bytes] of every source that can change a kernel."""
    found = []
    for folder in _SOURCE_FOLDERS:
        for path in sorted((_PACKAGE / folder).rglob("*.py")):
            info = path.stat()
            found.append((str(path.relative_to(_PACKAGE)), info.st_mtime_ns, info.st_size))
    return tuple(found)


_SOURCES_AT_IMPORT = _sources()


@functools.cache
def _open_folder() -> Path | None:
    if not _SOURCES_AT_IMPORT:
        _warn_uncached(f"there are no sources in {_PACKAGE}")
        return None
    try:
        home = _home()
        _make_private(home)
        folder = home / f"kernels-{_key()}"
        is_new = not folder.exists()
        _make_private(folder)
        with contextlib.suppress(OSError):  # read-only, or another process tidies too: it serves
            os.utime(folder)
            if is_new:
                _prune(home)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        _warn_uncached(error)
        return None
    return folder


def _home() -> Path:
    """The user's cache folder for supple, by the custom of the platform."""
    chosen = os.environ.get("SUPPLE_CACHE_DIR")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(base):  # to be ignored, says the XDG specification
            base = "~/.cache"
    return Path(base).expanduser() / "supple"


def _make_private(folder: Path) -> None:
    """Create `folder` for this user alone, or make sure that nobody else can write there.

    Raises:
        OSError: What is loaded from here is run, and others could have put it here.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode):
        raise OSError(f"{folder} is a link, not a folder")
    if os.name == "posix":
        if info.st_uid != os.geteuid():
            raise OSError(f"{folder} belongs to another user")
        if info.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise OSError(f"{folder} can be written to by other users (chmod go-w would mend it)")


def _key() -> str:
    """Hash of what can change the machine code of all kernels, but for the CPU."""
    try:
        version = importlib.metadata.version("supple")
    except importlib.metadata.PackageNotFoundError:
        version = "not installed"
    names = ("OPT", "BOUNDSCHECK", "DEBUGINFO_DEFAULT", "LOOP_VECTORIZE", "SLP_VECTORIZE")
    settings = [repr(getattr(config, name, None)) for name in names]
    versions = (version, numba.__version__, llvmlite.__version__, np.__version__, sys.version)
    digest = hashlib.sha256(repr((versions, settings)).encode())
    return digest.hexdigest()[:20]


def _prune(home: Path) -> None:
    """Remove the folders of other versions, but for the most recently used."""
    folders = [path for path in home.iterdir() if _FOLDER_PATTERN.fullmatch(path.name)]
    folders.sort(key=lambda path: path.lstat().st_mtime, reverse=True)
    for folder in folders[_FOLDERS_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
