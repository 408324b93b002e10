"""Baselines: faults of a stored report are known, and only what is new or worse counts."""

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import SuppleError
from supple.apps.motion.checks import Baseline, Fault
from supple.apps.motion.checks.baseline import _is_known
from supple.rotations import from_axis_angle, multiply


@pytest.fixture(scope="module")
def wave():
    motion = supple.humanoid().motion("wave")
    joints = {
        name: supple.Free() if motion.skeleton.parent(name) is None else supple.Ball()
        for name in motion.skeleton.joint_names
    }
    return motion.on(motion.skeleton.with_joints(joints))


def popped(motion, joint, angle, frame):
    """The motion with a joint that is off by an angle in one frame."""
    j = motion.skeleton.index(joint)
    turn = from_axis_angle("x", np.where(np.arange(len(motion)) == frame, angle, 0.0))
    own = multiply(motion.poses.local_rotations[:, j], turn)
    own = multiply(np.asarray(motion.skeleton.rotations[j]) * [1, -1, -1, -1], own)
    return motion.with_(poses=motion.poses.with_({joint: own}))


def checked(motion):
    return supple.check(motion, kinds=["speed"])


def stored(folder, reports, name="known.json"):
    """A report as --json prints it, of clips by file."""
    rows = [
        {"file": file, "ok": one.ok, "motions": [one.to_json()]} for file, one in reports.items()
    ]
    path = folder / name
    path.write_text(json.dumps({"files": rows, "failed": 0, "done before": 0}))
    return path


def test_known_faults_do_not_count_and_new_and_worse_ones_do(wave, tmp_path):
    old = popped(wave, "upperarm.L", 0.5, 30)
    baseline = Baseline(stored(tmp_path, {"clips/a.bvh": checked(old)}))
    same = baseline.applied(checked(old), Path("/elsewhere/clips/a.bvh"))
    assert same.ok and not same.faults and len(same.accepted) == 1
    assert same.reason == "no new faults; 1 known fault"
    more = baseline.applied(checked(popped(old, "thigh.R", 0.5, 50)), Path("a.bvh"))
    assert not more.ok and [fault.frame for fault in more.faults] in ([50], [51])
    assert more.reason == "1 speed; 1 known fault"
    worse = baseline.applied(checked(popped(wave, "upperarm.L", 1.0, 30)), Path("a.bvh"))
    assert len(worse.faults) == 1 and not worse.accepted
    elsewhere = baseline.applied(checked(popped(wave, "upperarm.L", 0.5, 50)), Path("a.bvh"))
    assert len(elsewhere.faults) == 1 and not elsewhere.accepted
    assert baseline.applied(checked(wave), Path("a.bvh")).reason == "no faults"


def test_a_report_made_beside_a_baseline_is_the_next_one(wave, tmp_path):
    old = checked(popped(wave, "upperarm.L", 0.5, 30))
    first = Baseline(stored(tmp_path, {"a.bvh": old}))
    both = popped(popped(wave, "upperarm.L", 0.5, 30), "thigh.R", 0.5, 50)
    second = Baseline(stored(tmp_path, {"a.bvh": first.applied(checked(both), Path("a.bvh"))}))
    assert second.applied(checked(both), Path("a.bvh")).ok


def test_a_fault_that_lasts_longer_is_worse():
    fault = Fault("skate", "foot", 10, 20, 15, 1.0, 0.4, "leg/s", ("foot",))
    assert _is_known(dataclasses.replace(fault, start=8, stop=20), [fault], 3)
    assert not _is_known(dataclasses.replace(fault, stop=40), [fault], 3)
    assert not _is_known(dataclasses.replace(fault, joint="hand", joints=("hand",)), [fault], 3)
    assert not _is_known(dataclasses.replace(fault, kind="speed"), [fault], 3)


def test_clips_of_one_name_are_told_apart_by_their_folders(wave, tmp_path):
    reports = {"x/a.bvh": checked(wave), "y/a.bvh": checked(popped(wave, "upperarm.L", 0.5, 30))}
    baseline = Baseline(stored(tmp_path, reports))
    report = reports["y/a.bvh"]
    assert baseline.applied(report, Path("here/y/a.bvh")).ok
    assert not baseline.applied(report, Path("here/x/a.bvh")).ok
    with pytest.raises(SuppleError, match=r"expected one clip of that name, got x/a.bvh, y/a.bvh"):
        baseline.applied(report, Path("z/a.bvh"))


def test_a_clip_that_is_not_the_one_of_the_report_has_no_known_faults(wave, tmp_path):
    report = checked(popped(wave, "upperarm.L", 0.5, 30))
    baseline = Baseline(stored(tmp_path, {"a.bvh": report}))
    other = baseline.applied(report, Path("b.bvh"))
    assert not other.ok and "b.bvh: not in known.json: all its faults count" in other.notes
    short = baseline.applied(checked(popped(wave, "upperarm.L", 0.5, 30)[:60]), Path("a.bvh"))
    assert not short.ok and any("60 frames, 75 in known.json" in note for note in short.notes)
    with pytest.raises(SuppleError, match="some of the clips, b.bvh, got one on a.bvh"):
        baseline.check_clips([Path("b.bvh")])
    baseline.check_clips([Path("b.bvh"), Path("a.bvh")])


def test_a_report_with_other_budgets_is_refused(wave, tmp_path):
    baseline = Baseline(stored(tmp_path, {"a.bvh": checked(wave)}))
    with pytest.raises(SuppleError, match=r"same budgets, speed = 0.3, got speed = 0.15"):
        baseline.applied(supple.check(wave, kinds=["speed"], budgets={"speed": 0.3}), Path("a.bvh"))
    with pytest.raises(SuppleError, match="same budgets, skate = 0.4, got skate = None"):
        baseline.applied(supple.check(wave), Path("a.bvh"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "cannot read the report"),
        ("[]", "expected what supple check --json prints"),
        ('{"files": []}', "expected what supple check --json prints"),
        ('{"files": [{"ok": true}]}', "with a file for each clip"),
        ('{"files": [{"file": "a"}]}', "with the motions of 'a'"),
        ('{"file": "a", "motions": [{"format": "x"}]}', "format 'supple-check', got 'x'"),
        (
            '{"file": "a", "motions": [{"format": "supple-check", "version": 9}]}',
            "expected version 1, got 9",
        ),
        (
            '{"file": "a", "motions": [{"format": "supple-check", "version": 1}]}',
            "without 'faults'",
        ),
    ],
)
def test_bad_reports_are_said(tmp_path, text, words):
    path = tmp_path / "known.json"
    path.write_text(text)
    with pytest.raises(SuppleError, match=words) as caught:
        Baseline(path)
    assert "known.json" in str(caught.value)
    with pytest.raises(SuppleError, match="cannot read"):
        Baseline(tmp_path / "none.json")
