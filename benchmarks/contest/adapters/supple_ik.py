"""supple itself, in a process of its own like all the others."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))  # the folder that `contest` is in

from contest.adapters.drive import main  # noqa: E402
from contest.adapters.ours import make  # noqa: E402

main(make)
