"""Start a worker: run as `python -I isolated_start.py worker.py`, with a job on the standard input.

The job is a line of JSON, and behind it the bytes of the files that the line names. The worker's `main` takes
the job and returns bytes, which go to the standard output. Importing `supple` would take longer than most
workers run, so its packages are registered empty: workers can import modules beside them.
"""

import json
import os
import runpy
import sys
from types import ModuleType


def main() -> None:
    """Read the job, run the worker, and write its answer."""
    job = json.loads(sys.stdin.buffer.readline())
    job["files"] = {name: sys.stdin.buffer.read(size) for name, size in job["files"].items()}
    out = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # libraries print warnings
        os.dup2(nothing, stream)
    sys.path[:] = job.pop("path")
    formats = os.path.dirname(os.path.abspath(__file__))
    below = [one for one in os.scandir(formats) if one.is_dir()]
    for name, folder in (
        ("supple", os.path.dirname(os.path.dirname(formats))),
        ("supple.apps", os.path.dirname(formats)),
        ("supple.apps.formats", formats),
        *((f"supple.apps.formats.{one.name}", one.path) for one in below),
    ):
        package = ModuleType(name)
        package.__path__ = [folder]
        sys.modules[name] = package
    out.write(runpy.run_path(sys.argv[1])["main"](job))
    out.flush()
    os._exit(0)  # skip the shutdown of the interpreter, which is slow


if __name__ == "__main__":
    main()
