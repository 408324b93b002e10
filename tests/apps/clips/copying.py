"""Copies clips and counts, in worker processes too: so it imports little."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from supple import files
from supple.apps.clips.done import Done


def pairs(clips, out):
    out.mkdir(exist_ok=True)
    return [(path, out / path.name) for path in sorted(clips.glob("*.bvh"))]


@dataclass(frozen=True)
class Copy:
    """Copies a clip and counts; ends its own process at clips of some name.

    Clips of the name of `held` wait as long as that file is there.
    """

    counts: Path
    kills: str = ""
    always: bool = False
    held: Path | None = None
    digest: str = "copy"

    def reads(self, file):
        return (file,)

    def __call__(self, file, out):
        mark = self.counts / f"{file.name}.{time.monotonic_ns()}"
        mark.write_text(str(os.getpid()))
        while self.held and file.name.startswith(self.held.name) and self.held.exists():
            time.sleep(0.01)
        tried = len(list(self.counts.glob(f"{file.name}.*")))
        if self.kills and self.kills in file.name and (self.always or tried == 1):
            os.kill(os.getpid(), signal.SIGKILL)
        files.write(out, file.read_bytes(), "clip")
        return Done(0, "copied", {})
