"""Runs of flags."""

import numpy as np
import pytest

from supple.runs import true_runs


@pytest.mark.parametrize(
    ("flags", "runs"),
    [
        ("", []),
        ("000", []),
        ("111", [(0, 3)]),
        ("0110", [(1, 3)]),
        ("1010011", [(0, 1), (2, 3), (5, 7)]),
    ],
)
def test_runs_are_where_flags_are_set(flags, runs):
    found = true_runs(np.array([flag == "1" for flag in flags], bool))
    assert [(run.start, run.stop) for run in found] == runs
