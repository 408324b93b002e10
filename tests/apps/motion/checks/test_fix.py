"""`supple.fix`: what it repairs, and what it says it cannot."""

import numpy as np
import pytest

import supple
from supple import SuppleError
from supple.model.skeleton import Pose

UP = np.array([0.0, 1.0, 0.0])


@pytest.fixture(scope="module")
def wave():
    motion = supple.humanoid().motion("wave")
    joints = {name: supple.Ball() for name in motion.skeleton.joint_names[1:]}
    return motion.on(motion.skeleton.with_joints(joints))


def moved(motion, way):
    places = np.array(motion.poses._full_translations())
    places[:, motion.skeleton.parents < 0] += np.asarray(way)[:, None]
    return motion.with_(poses=Pose(motion.skeleton, motion.poses.coordinates, places))


def bump(count, start, stop, fade=8):
    t = np.arange(count)
    share = np.clip(np.minimum((t - start + fade) / fade, (stop - 1 + fade - t) / fade), 0, 1)
    return share * share * (3 - 2 * share)


@pytest.mark.parametrize("kind", ["skate", "penetration", "floating", "bones", "limits"])
def test_faults_of_feet_bones_and_limits_are_repaired(wave, kind):
    t = np.arange(75)
    share = bump(75, 25, 45)[:, None]
    options = {}
    if kind == "skate":
        bad = moved(wave, np.clip((t - 20) / 30, 0, 1)[:, None] * [0, 0, 0.5])
    elif kind == "bones":
        places = np.array(wave.poses._full_translations())
        places[:, wave.skeleton.index("forearm.L")] *= 1 + 0.1 * share
        bad = wave.with_(poses=Pose(wave.skeleton, wave.poses.coordinates, places))
    elif kind == "limits":
        options["limits"] = supple.learn_limits(wave.skeleton, wave[:20], margin=0.01)
        bad = wave
    else:
        bad = moved(wave, (-0.08 if kind == "penetration" else 0.1) * share * UP)
    report = supple.check(bad, kinds=[kind], **options)
    assert report.of(kind)
    done = supple.fix(report)
    assert done.report.ok, done
    assert [(one.kind, one.after) for one in done.repairs] == [(kind, 0)]
    assert done.before is report
    assert "repaired" in str(done.repairs[0])


def test_a_motion_without_faults_stays_as_it_is(wave):
    done = supple.fix(supple.check(wave))
    assert done.motion == wave and done.repairs == ()


def test_what_cannot_be_repaired_is_said():
    walk = supple.humanoid().motion("walk")
    rows = np.array(walk.poses.coordinates)
    rows[10:20] = walk.mirrored(axis="x").poses.coordinates[10:20]
    bad = walk.with_(poses=Pose(walk.skeleton, rows, walk.poses.translations))
    done = supple.fix(supple.check(bad, kinds=["swap"]))
    (repair,) = done.repairs
    assert repair.after > 0 and "swap the names" in str(repair)
    with pytest.raises(SuppleError, match="expected what supple.check gives"):
        supple.fix(bad)
