"""Compile kernels with Numba and cache the machine code in the user's cache folder.

Numba's own cache misses edits in the functions a kernel calls, and raises if it finds no folder
to write to. Here an entry is named after a hash of the kernel's source file and of all kernel
sources that file imports, so that an edit recompiles what it can change and nothing else.
Without a safe folder the kernels are compiled for this process only.

    <user cache>/supple/kernels-<versions>/<module>.<function>.<sources, signature, CPU>.bin

``SUPPLE_CACHE_DIR`` is used in place of ``<user cache>/supple`` if it is set.
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
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import config

from supple.kernels import sources, user_cache

_log = logging.getLogger("supple")

_FOLDER_PATTERN = re.compile(r"kernels-[0-9a-f]{20}")
_FOLDERS_KEPT = 3
_ENTRIES_KEPT = 6  # of one kernel: for other signatures, CPUs and states of the sources
_DIGEST_BYTES = hashlib.sha256().digest_size


def compiled(function: Any, how: str) -> Any:
    """A kernel compiled on first call, and its machine code cached.

    Args:
        function: The kernel. One with a closure is compiled, but not cached.
        how: "kernel", "leaf", "cold", "inlined" or "generated".
    """
    if how == "generated":
        from supple.kernels import intrinsics

        return intrinsics.INTRINSICS[function.__name__]
    if how == "inlined":
        return _njit(inline="always", **OPTIONS)(function)
    # A kernel without this option is inlined if the first kernel that calls it is.
    options = {"forceinline": how == "leaf"} if how in ("leaf", "cold") else {}
    made = _njit(nogil=True, **OPTIONS, **options)(function)
    _widen(made)
    if function.__closure__ is None and CACHED:
        _attach(made, function)
    return made


OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": False, "_nrt": False}
CACHED = True  # the build switches it off: it needs the output of Numba, not of the cache
_njit: Any = numba.njit


def compiled_beside_library(function: Any, how: str, kernels: list[Any]) -> Any:
    """A kernel outside supple, while supple's own run from the library.

    Numba must know what it calls: every kernel of supple is replaced by its compiled form in
    the modules of kernels and solvers, and in the module of `function`. In supple's modules entries stay
    those of the library: only Python calls them, no kernel does.
    """
    new = kernels[len(_replaced) :]
    for one in new:
        made = compiled(one.function, one.how)
        _compiled_forms[id(one.function)] = made
        if one.now is not one.function:
            _compiled_entries[id(one.now)] = made
        _replaced.append(one)
    if new:
        for name, module in list(sys.modules.items()):
            if name.startswith(("supple.kernels.", "supple.solvers.")):
                _replace(vars(module), _compiled_forms)
    _replace(function.__globals__, _compiled_forms | _compiled_entries)
    return compiled(function, how)


_compiled_forms: dict[int, Any] = {}
_compiled_entries: dict[int, Any] = {}
_replaced: list[Any] = []  # kept alive: their ids are the keys above


def _replace(names: dict[str, Any], forms: dict[int, Any]) -> None:
    for name, value in list(names.items()):
        if callable(value) and id(value) in forms:
            names[name] = forms[id(value)]


def _widen(compiled: Any) -> None:
    """Compile a kernel once for all constant arguments, not once for each of them."""
    resolve = getattr(compiled, "get_call_template", None)
    if resolve is None:
        return

    def widened(args: Any, kws: Any) -> Any:
        unliteral = numba.types.unliteral
        return resolve(tuple(map(unliteral, args)), {k: unliteral(v) for k, v in kws.items()})

    compiled.get_call_template = widened


def announce(name: str, dispatcher: Any, seconds: float) -> None:
    """See `supple.kernels.decorators.announce`."""
    notice = f"compiling the {name} (first use, about {seconds:.0f} s"
    cache = getattr(dispatcher, "_cache", None)
    if isinstance(cache, _KernelCache):
        cache.notice = notice
    elif getattr(dispatcher, "signatures", None) == []:
        _say(notice + ")")


def cache_folder() -> Path | None:
    """The folder this process keeps its kernels in; None, after one warning, if there is none."""
    if _sources() != _SOURCES_AT_IMPORT:
        # The loaded kernels are not those in the files: cached under the hash of the files they would be
        # loaded by later processes instead of the edited kernels.
        _log_once(logging.INFO, "edited", "kernels were edited since they were imported: not kept")
        return None
    return _open_folder()


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

    Numba has an index and numbered data files; with one file, processes that compile at
    the same time cannot mix up each other's entries. No failure here may fail the caller. Private parts of Numba are
    imported where they are used, so that their absence is such a failure.
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

                # Machine code needs only this part of what Numba sets up before it compiles; the rest,
                # which includes SciPy's linear algebra, takes longer than everything else here.
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
            user_cache.make_private(folder)  # another process may have tidied it away
            _write_checked(folder / self._entry(sig, data.codegen), payload)
            self._prune(folder)
        except Exception as error:
            _warn_uncached(error)

    def _prune(self, folder: Path) -> None:
        """Remove the entries of older sources, except the most recent."""
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
    """A hash of a source file and of the kernel sources it imports."""
    path = Path(filename).resolve()
    return sources.digest(sorted({path, *sources.imported(path)}))


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
    # Machine code with a flipped bit would crash instead of raising.
    if hashlib.sha256(payload).digest() != content[:_DIGEST_BYTES]:
        raise OSError(f"{path} is damaged")
    return payload


# The folder ---------------------------------------------------------------------------------------


def _sources() -> tuple[tuple[str, int, int], ...]:
    """Path, time of change [ns] and size [bytes] of every source that can change a kernel."""
    found = []
    for path in sources.all_sources():
        info = path.stat()
        found.append((str(path.relative_to(sources.PACKAGE)), info.st_mtime_ns, info.st_size))
    return tuple(found)


_SOURCES_AT_IMPORT = _sources()


@functools.cache
def _open_folder() -> Path | None:
    if not _SOURCES_AT_IMPORT:
        _warn_uncached(f"there are no sources in {sources.PACKAGE}")
        return None
    try:
        home = user_cache.home()
        user_cache.make_private(home)
        folder = home / f"kernels-{_key()}"
        is_new = not folder.exists()
        user_cache.make_private(folder)
        with contextlib.suppress(OSError):  # read-only, or another process prunes it: still usable
            os.utime(folder)
            if is_new:
                _prune(home)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        _warn_uncached(error)
        return None
    return folder


def _key() -> str:
    """Hash of all that can change the machine code of all kernels, except the CPU."""
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
    """Remove the folders of other versions, except the most recently used."""
    folders = [path for path in home.iterdir() if _FOLDER_PATTERN.fullmatch(path.name)]
    folders.sort(key=lambda path: path.lstat().st_mtime, reverse=True)
    for folder in folders[_FOLDERS_KEPT:]:
        shutil.rmtree(folder, ignore_errors=True)
