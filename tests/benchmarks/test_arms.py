"""A small form of benchmarks/arms.py: every pose of every kind of arm is found."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

import arms  # noqa: E402


@pytest.mark.parametrize("name", arms.ARMS)
def test_every_random_pose_is_solved(name):
    fine, _, iterations, _ = arms.run(name, 300)
    assert fine == 300
    assert iterations < 60
