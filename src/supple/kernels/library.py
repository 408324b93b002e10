"""The library of kernels that was compiled when supple was built.

The build (`tools/compile_ahead`) writes three files into the package's folder ``compiled``, the only folder that is
searched:

    manifest.json       sources and target of the library, its size and checksum
    libkernels.so       every entry, behind a table of names, signatures and addresses (.dylib, .dll)
    border.abi3.so      calls an entry with NumPy arrays, by CPython's stable ABI (.pyd)

An entry takes the address of an array of 64-bit slots: slot 0 is reserved for a function of the
caller, 0 for now; then come the arguments, a scalar in one slot and an array in 1 + axes slots
(address, then shape); then the results. If border.abi3.so cannot be loaded, as on a free-threaded
Python, ctypes does the same, a few microseconds slower.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from supple.kernels import sources

MANIFEST_FORMAT = 1
FOLDER = Path(__file__).resolve().parents[1] / "compiled"
MANIFEST = "manifest.json"

Functions = dict[str, Callable[..., Any]]


class _Row(ctypes.Structure):
    """One row of the library's table of entries."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("codes", ctypes.c_char_p),
        ("call", ctypes.c_void_p),
    )


class _Loaded(NamedTuple):
    functions: Functions | None
    trouble: str  # why there are no functions, to follow "supple cannot run LM: "
    is_stale: bool  # there is a library, but the sources have changed since


class _Unusable(Exception):  # noqa: N818
    """Why the library cannot be used."""


def functions() -> Functions | None:
    """Every entry of the library by its name; None if there is no library that can be used."""
    return _load().functions


def trouble() -> str:
    """Why the library cannot be used, in words."""
    return _load().trouble


def is_stale() -> bool:
    """True if there is a library that was built from other sources."""
    return _load().is_stale


@functools.cache
def _load() -> _Loaded:
    try:
        manifest = _manifest()
        built_from = sources.fingerprint()
        if built_from and manifest["sources"] != built_from:
            return _Loaded(None, "its kernels were edited since their library was built", True)
        return _Loaded(_functions(_open(manifest)), "", False)
    except _Unusable as reason:
        return _Loaded(None, str(reason), False)


def _manifest() -> dict[str, Any]:
    path = FOLDER / MANIFEST
    try:
        manifest = json.loads(path.read_bytes())
        if manifest["format"] != MANIFEST_FORMAT:
            raise _Unusable(
                f"its library has format {manifest['format']}, not {MANIFEST_FORMAT}: {FOLDER}"
            )
        for key in ("sources", "target", "library", "size", "sha256"):
            manifest[key]
    except FileNotFoundError:
        raise _Unusable("its library of compiled kernels is missing") from None
    except OSError as error:
        raise _Unusable(f"its library cannot be read: {error}") from None
    except (ValueError, KeyError, TypeError):
        raise _Unusable(f"its library is damaged: {path} is no manifest") from None
    return manifest


def _open(manifest: dict[str, Any]) -> ctypes.CDLL:
    path = FOLDER / Path(str(manifest["library"])).name
    try:
        content = path.read_bytes()
    except OSError as error:
        raise _Unusable(f"its library cannot be read: {error}") from None
    # Loading a truncated library would end the process instead of raising.
    if (
        len(content) != manifest["size"]
        or hashlib.sha256(content).hexdigest() != manifest["sha256"]
    ):
        raise _Unusable(f"its library is damaged: {path.name} is not what was built")
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        built = manifest["target"]
        raise _Unusable(f"its library, built for {built}, cannot be loaded: {error}") from None


def _functions(opened: ctypes.CDLL) -> Functions:
    count = ctypes.c_int64.in_dll(opened, "supple_entry_count").value
    rows = (_Row * count).in_dll(opened, "supple_entries")
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        try:
            border = importlib.import_module("supple.compiled.border")
            return dict(border.functions(ctypes.addressof(rows), count))
        except ImportError:
            pass
    return {row.name.decode(): _Function(row) for row in rows}


# Calls by ctypes ----------------------------------------------------------------------------------

_DTYPES = {"I": np.dtype(np.int64), "F": np.dtype(np.float64), "U": np.dtype(np.uint8)}


class _Function:
    """An entry, called by ctypes."""

    def __init__(self, row: _Row) -> None:
        self.__name__ = row.name.decode()
        self.__module__ = "supple." + self.__name__.rpartition(".")[0]
        takes, _, self._gives = row.codes.decode().partition(">")
        self._takes = takes
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(row.call)
        axes = sum(int(code) for code in takes if code.isdigit())
        self._count = sum(not code.isdigit() for code in takes)
        self._slots = 1 + self._count + axes + len(self._gives)

    def __call__(self, *arguments: Any) -> Any:
        if len(arguments) != self._count:
            raise TypeError(f"{self.__name__}: expected {self._count} arguments")
        table = np.zeros(self._slots, np.int64)
        at, codes = 1, iter(self._takes)
        for number, (code, value) in enumerate(zip(codes, arguments, strict=False)):
            if code in _DTYPES:
                axes = int(next(codes))
                if (
                    value.dtype != _DTYPES[code]
                    or value.ndim != axes
                    or not value.flags.c_contiguous
                ):
                    raise TypeError(
                        f"{self.__name__}: argument {number}: expected a C-ordered array of "
                        f"{_DTYPES[code]} with {axes} axes"
                    )
                table[at] = value.__array_interface__["data"][0]
                table[at + 1 : at + 1 + axes] = value.shape
                at += 1 + axes
            else:
                table[at : at + 1].view(np.float64 if code == "f" else np.int64)[0] = value
                at += 1
        self._call(table.__array_interface__["data"][0])
        results = []
        for code in self._gives:
            slot = table[at : at + 1]
            results.append(
                float(slot.view(np.float64)[0])
                if code == "f"
                else bool(slot[0])
                if code == "b"
                else int(slot[0])
            )
            at += 1
        return None if not results else results[0] if len(results) == 1 else tuple(results)
