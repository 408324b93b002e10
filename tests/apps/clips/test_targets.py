"""Targets as text: joints, files, joints of other files, points."""

import numpy as np
import pytest

import supple
from supple.apps.clips.targets import Target
from supple.errors import SuppleError


@pytest.fixture
def motion(wave):
    return wave[:4]


def test_a_joint_comes_before_a_file_of_its_name(motion, tmp_path):
    (tmp_path / "hand.L").write_text("0 0 0\n" * 4)
    target = Target("hand.L").found(tmp_path)
    assert np.array_equal(target.position(motion, "to"), motion.poses.position("hand.L"))


def test_points_of_a_file_are_one_for_each_frame(motion, tmp_path):
    (tmp_path / "a:b.csv").write_text("# x y z\n1,2,3\n4 5 6\n\n7, 8, 9\n1 1 1\n")
    found = Target("a:b.csv").found(tmp_path)
    assert found.joint is None and found.hash
    assert found.position(motion, "to").tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 1, 1]]
    with pytest.raises(SuppleError, match="a point for each of 3 frames, got 4"):
        found.position(motion[:3], "to")


def test_a_joint_of_another_file_is_followed(motion, tmp_path):
    supple.save(motion, tmp_path / "prop.bvh")
    found = Target("prop.bvh:hand.R").found(tmp_path)
    assert np.allclose(found.position(motion, "to"), motion.poses.position("hand.R"), atol=1e-5)
    with pytest.raises(SuppleError, match="joint of .*prop.bvh.*did you mean 'hand.R'"):
        Target("prop.bvh:hnd.R").found(tmp_path).position(motion, "to")


@pytest.mark.parametrize(
    ("text", "said"),
    [("1,2", "--to: expected three numbers"), ("hnd.R", "--to: expected X,Y,Z, a joint.*did you")],
)
def test_what_is_no_target_is_said(motion, text, said):
    with pytest.raises(SuppleError, match=said):
        Target(text).position(motion, "--to")
    with pytest.raises(SuppleError, match=said):
        Target(text).check(motion.skeleton.names, "--to")
