"""ssik: closed forms of arms of 6 and 7 hinges, generated for the arm beforehand; one answer."""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from drive import Skip, main


def make(problem: dict[str, Any], variant: str) -> dict[str, Any]:
    """It writes a module for the arm, as it advises for use in a loop; that is not timed."""
    if problem["kind"] not in ("pose", "path"):
        raise Skip("poses of arms only")
    with tempfile.TemporaryDirectory() as folder:
        described, written = Path(folder, "arm.urdf"), Path(folder, "arm.py")
        described.write_text(problem["urdf"], encoding="utf-8")
        build = [str(Path(sys.executable).with_name("ssik")), "build", str(described), "--base"]
        build += ["ground", "--ee", problem["goals"][0]["tip"], "--out", str(written)]
        subprocess.run([*build, "--no-validate"], check=True, stdout=subprocess.DEVNULL)
        spec = importlib.util.spec_from_file_location("arm", written)
        if spec is None or spec.loader is None:
            raise Skip("it wrote nothing")
        arm = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(arm)

    def solve(frame: np.ndarray, start: np.ndarray) -> Any:
        found = arm.solve(frame, max_solutions=1, q_seed=start)
        return found[0].q if found else None

    return {
        "solve": solve,
        "target": lambda k: problem["targets"][k, 0],
        "answer": lambda raw: raw,
    }


main(make)
