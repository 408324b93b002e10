"""The page of a check."""

import hashlib
import os
import subprocess
import sys

PROGRAM = """
import hashlib
import numpy as np
import supple

wave = supple.humanoid().motions["wave"]
places = np.array(wave.poses._full_translations())
places[20:30, wave.skeleton.parents < 0] -= (0.0, 0.12, 0.0)  # feet and toes go into the ground
sunk = wave.with_(poses=supple.Pose(wave.skeleton, wave.poses.coordinates, places))
report = supple.check(sunk)
page = supple.check_page(report)
assert any(len(fault.joints) > 2 for fault in report.faults), report.faults
print(hashlib.sha256(page.encode()).hexdigest())
"""


def test_the_same_report_gives_the_same_bytes_in_every_process():
    pages = set()
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        pages.add(ran.stdout)
    assert len(pages) == 1 and len(pages.pop().strip()) == hashlib.sha256().digest_size * 2
