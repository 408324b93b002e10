"""Expand a xacro file: run as a process of its own, which may open only files of certain folders.

Reads a pickled job from the standard input and writes JSON to the standard output.
"""

import errno
import json
import os
import pickle
import sys
from typing import Any

CPU_SECONDS = 60  # limit of computing time [s]
LOOKS = ("os.listdir", "os.scandir", "open")  # events that are allowed inside the folders
HARMLESS = (
    "compile",
    "exec",
    "import",
    "object.",
    "marshal.",
    "code.",
    "sys._getframe",
    "builtins.id",
)


def main() -> None:
    """Read a job, expand the file, and write the result."""
    job = pickle.load(sys.stdin.buffer)  # from our own parent process
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)  # xacro prints warnings
    os.dup2(nothing, 2)
    sys.path[:] = job["path"]
    try:
        answer = {"urdf": _expanded(job)}
    except MemoryError:
        answer = {"error": "it takes too much memory"}
    except BaseException as error:  # xacro raises many kinds, and exits
        answer = {"error": f"{error or type(error).__name__}"[:2000]}
    text = json.dumps(answer)
    out.write(text)
    out.flush()


def _expanded(job: dict[str, Any]) -> str:
    import importlib
    import xml.dom.expatbuilder
    import xml.dom.minidom  # noqa: F401  (before files are locked)
    import xml.parsers.expat  # noqa: F401

    xacrodoc = importlib.import_module("xacrodoc")
    substitution: Any = importlib.import_module("xacro.substitution_args")
    importlib.import_module("yaml")
    own, folders = job["file"], job["folders"]

    def find(package: str) -> str:
        """The folder of a package: one of its name above the file, or in such a folder."""
        above = os.path.dirname(own)
        while any(_within(above, folder) for folder in folders):
            for place in (above, os.path.join(above, package)):
                if os.path.basename(place) == package and os.path.isdir(place):
                    return place
            above = os.path.dirname(above)
        raise ValueError(
            f"package {package!r} was not found in the file's folder; folder= gives another"
        )

    substitution._eval_find = find
    os.chdir(os.path.dirname(own))
    os.environ.clear()
    _limit(job["memory"])
    _lock(folders)
    # An include, so that xacro knows the folder to which other includes are relative.
    document = xacrodoc.XacroDoc.from_includes(
        [own], name=job["name"], subargs=job["arguments"], resolve_packages=False
    )
    return document.dom.toprettyxml(indent=" ")


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _lock(folders: list[str]) -> None:
    """Refuse, from now on, to open files elsewhere, to write, and to start anything."""
    library = os.path.dirname(os.__file__)
    places = [*folders, library]

    def watch(event: str, given: tuple[Any, ...]) -> None:
        if event in LOOKS:
            path = given[0]
            if isinstance(path, int):
                return
            flags = given[2] if event == "open" and len(given) > 2 else 0
            where = os.path.realpath(os.fsdecode("." if path is None else path))
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if writes or not any(_within(where, place) for place in places):
                raise PermissionError(errno.EACCES, "expected a file in its own folder", where)
        elif not event.startswith(HARMLESS):
            raise PermissionError(errno.EACCES, "not allowed", event)

    sys.addaudithook(watch)


def _limit(memory: int) -> None:
    """Limit memory beyond what is taken already [B], and computing time."""
    try:
        import resource

        with open("/proc/self/statm") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + memory, taken + memory))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):  # not on this system
        pass


if __name__ == "__main__":
    main()
