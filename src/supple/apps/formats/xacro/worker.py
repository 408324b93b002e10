"""Expand a xacro file, in a separate process (`isolated_start`), which may open only files of certain folders.

The first barrier is that nothing of the file is run as Python: see `library`. The second is that this process can do
little: an audit hook refuses whatever is not needed, the operating system what `confined` forbids.
"""

import errno
import importlib
import json
import os
import sys
import warnings
from typing import Any

from supple.apps.formats.confined import confine
from supple.apps.formats.folders import Folders
from supple.apps.formats.xacro.library import install
from supple.apps.formats.xacro.work import Work

CPU_SECONDS = 20  # limit of computing time [s], should counting steps (`work`) miss something
RECURSION_LIMIT = 3000  # levels of Python calls; each level of a recursive macro takes five or more
LOOKS = ("open", "os.listdir", "os.scandir")  # audit events that are let through inside the folders
HARMLESS = ("compile", "builtins.id", "glob.glob", "glob.glob/2")
"""Events that are let through: syntax trees are events of `compile`, but nothing is run (`exec`)."""
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main(job: dict[str, Any]) -> bytes:
    """The expanded URDF or an error, as JSON.

    Args:
        job: "file", the path; "folders", where files may be read; "arguments" by name; "memory",
            a limit [B].
    """
    try:
        answer = {"urdf": _expanded(job)}
    except ImportError as error:
        answer = {"missing": f"{error}"}
    except BaseException as error:  # xacro raises many kinds, and exits
        answer = {"error": _told(error)[:2000]}
    plain = {key: text.encode("utf-8", "backslashreplace").decode() for key, text in answer.items()}
    return json.dumps(plain).encode()


def _told(error: BaseException) -> str:
    """The message of an error. Errors of xacro wrap others, and repeat their messages."""
    words, where = [], ""
    inner: Any = error
    while isinstance(getattr(inner, "exc", None), BaseException):
        own = str(inner.args[0] or "") if inner.args else ""
        if own and not own.startswith("<class "):
            words.append(f"{own}:")
        where = getattr(inner, "suffix", None) or where  # the innermost expression
        inner = inner.exc
    if isinstance(inner, MemoryError):
        return "it takes too much memory"
    if isinstance(inner, RecursionError):
        return "it is too deep: expected macros and properties that do not call themselves"
    return " ".join((*words, str(inner) or type(inner).__name__, where.strip())).strip()


def _expanded(job: dict[str, Any]) -> str:
    xacro: Any = importlib.import_module("xacro")
    arguments: Any = importlib.import_module("xacro.substitution_args")
    own, folders = job["file"], Folders(job["folders"])
    install(xacro, arguments, folders=folders, own=own, work=Work())
    os.chdir(os.path.dirname(own))
    os.environ.clear()
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(RECURSION_LIMIT)
    confine(memory=job["memory"], seconds=CPU_SECONDS, files=True)
    _lock(folders)
    xacro.init_stacks(own)
    document = xacro.parse(None, own)
    xacro.process_doc(document, mappings=dict(job["arguments"]), verbosity=0)
    return document.toprettyxml(indent="  ")


def _lock(folders: Folders) -> None:
    """Refuse, from now on, whatever is not needed: to run Python, to import, to open files elsewhere."""

    def watch(event: str, given: tuple[Any, ...]) -> None:
        if event in HARMLESS:
            return
        if event not in LOOKS:
            raise PermissionError(errno.EACCES, "not allowed", event)
        path, flags = given[0], given[2] if event == "open" else 0
        if not isinstance(path, str) or flags & WRITES or not folders.hold(path):
            raise PermissionError(errno.EACCES, "expected a file in its own folder", str(path))

    sys.addaudithook(watch)
    try:
        eval("0")
    except PermissionError:
        return
    raise ImportError("this Python does not call audit hooks: expected CPython 3.11 or later")
