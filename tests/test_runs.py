"""Runs of flags."""

import numpy as np
import pytest

from supple.runs import true_runs, widened


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


@pytest.mark.parametrize(
    ("flags", "count", "wide"),
    [
        ("", 2, ""),
        ("000", 2, "000"),
        ("0001000", 1, "0011100"),
        ("1000001", 2, "1110111"),
        ("010", 9, "111"),
        ("0100", 0, "0100"),
    ],
)
def test_flags_are_widened_to_both_sides(flags, count, wide):
    given = np.array([flag == "1" for flag in flags], bool)
    found = widened(given, count)
    assert "".join("01"[int(flag)] for flag in found) == wide
    assert "".join("01"[int(flag)] for flag in given) == flags
