"""What a line and the data about a clip say after a plan."""

import dataclasses

import numpy as np
import pytest

import supple
from supple.apps.clips.one_clip import run_plan
from supple.apps.clips.plan import Plan
from supple.apps.clips.report import done
from supple.apps.clips.steps import Plant
from supple.apps.motion.jumps import Jump
from supple.apps.motion.planting import Unplanted


@pytest.fixture
def work(clips):
    (found,) = run_plan(Plan(steps=(Plant(),), up="y"), clips / "c0.bvh")
    return found


def with_planted(work, **changes):
    (planted,) = work.made
    return dataclasses.replace(work, said=[dataclasses.replace(planted, **changes)])


def test_stances_that_are_left_alone_and_jumps_are_said(work):
    assert done([work], [], full=True).code == 0
    jump = Jump("shin.L", 5, 0.4, 0.01, "leg")
    kept = with_planted(work, unplanted=(Unplanted("foot.L", 3, 10, jump),))
    said = "foot.L is not planted in frames 3 to 9: shin.L would jump by 0.4 leg after frame 5"
    told = done([kept], [], full=True)
    assert said in told.text and told.code == 0
    assert told.data["unplanted"][0]["words"] == said
    assert told.data["unplanted"][0]["jump"]["joint"] == "shin.L"
    jumps = done([with_planted(work, jumps=(jump,))], [], full=True)
    assert "shin.L jumps by 0.4 leg after frame 5" in jumps.text
    assert jumps.code == 1 and not jumps.data["reached"] and jumps.data["state"] == "not reached"


def test_feet_that_miss_their_places_are_said_with_how_far(work):
    (planted,) = work.made
    status, error = planted.status.copy(), planted.error.copy()
    status[2:4], error[2:4] = supple.Status.TOO_FAR, (0.25, 0.5)
    told = done([with_planted(work, status=status, error=error)], [], full=True)
    assert told.data["missing"] == "feet miss their targets in 2 frames, by 0.5 at most"
    assert told.data["missing"] in told.text


def test_frames_are_told_only_if_asked_for(work):
    short, full = done([work], ["odd"], full=False), done([work], ["odd"], full=True)
    assert short.text == full.text and short.code == full.code
    assert "status" not in short.data and len(full.data["status"]) == 12
    assert full.data["notes"][-1] == "odd"
    assert {key: full.data[key] for key in short.data} == short.data


def test_several_motions_are_told_one_by_one(work):
    told = done([work, work], [], full=True)
    assert told.text.count("c0: feet slid") == 2
    assert [len(row["status"]) for row in told.data["motions"]] == [12, 12]
    assert told.data["reached"] and "status" not in told.data


def test_numbers_that_are_none_become_null(work):
    (planted,) = work.made
    error = np.full(12, np.nan)
    told = done([with_planted(work, error=error)], [], full=True)
    assert told.data["error"] == [None] * 12
