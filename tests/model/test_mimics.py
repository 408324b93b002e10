"""Joints that copy others: whose limits decide."""

import logging

import numpy as np
import pytest

import supple
from supple import Hinge, Node, Skeleton, Slider, Status, Tip
from supple.kernels import layout
from supple.model.mimics import unfit_limits, warn, with_fit_limits


def gripper(copy, *, source=(0, 0.548), mimic=("finger", -1.0, 0.0)):
    """A finger and another that copies it."""
    return [
        Node("finger", None, (0, 0, 0), Hinge("z", limits=source)),
        Node("other", None, (0, 0.1, 0), Hinge("z", limits=copy, mimic=mimic)),
    ]


def built(nodes):
    return Skeleton(nodes, [Tip("tip", "finger", (1, 0, 0))])


def packed_range(skeleton, name="finger"):
    row = skeleton.packed_floats[skeleton.index(name)]
    return row[layout.LIMITS : layout.LIMITS + 2].tolist()


def test_a_copy_with_the_limits_of_its_source_and_another_sign_does_not_lock_it():
    skeleton = built(gripper((0, 0.548), mimic=("finger", -1.0, 0.0)))
    s = supple.solve(skeleton, {"tip": skeleton.pose({"finger": 0.4}).position("tip")})
    assert s.status is Status.REACHED
    assert s.pose.coordinates == pytest.approx([0.4, -0.4], abs=1e-3)
    assert packed_range(skeleton) == [0, 0.548]
    # What is not applied is no limit to any check.
    assert skeleton.joints[1].limits is None
    assert skeleton.pose({"finger": 0.5}).violations().max() == 0
    assert supple.Skeleton.from_json(skeleton.to_json()) == skeleton


def test_what_is_not_applied_is_told_once(caplog):
    warn.cache_clear()
    nodes = gripper((0, 0.3), source=(0, 0.3217), mimic=("finger", -1.0, 0.0))
    with caplog.at_level(logging.WARNING, "supple"):
        for _ in range(3):
            built(nodes)
    said = [record.getMessage() for record in caplog.records]
    assert said == [
        "joint 'other': its limits [0, 0.3] would leave [0, 0] of the range [0, 0.3217] of 'finger', "
        "which it copies: not applied, the limits of 'finger' decide"
    ]


@pytest.mark.parametrize(
    ("copy", "mimic"),
    [
        ((3, 4), ("finger", 2.0, 0.0)),  # no value for both
        ((1, 2), ("finger", 0.0, 3.0)),  # it stands outside its limits, wherever its source is
        ((0.548, 2), ("finger", 1.0, 0.0)),
        ((0.548 - 1e-12, 2), ("finger", 1.0, 0.0)),
    ],
)
def test_limits_that_leave_no_range_are_not_applied(copy, mimic):
    skeleton = built(gripper(copy, mimic=mimic))
    assert packed_range(skeleton) == [0, 0.548] and skeleton.joints[1].limits is None


def test_limits_that_leave_a_range_narrow_it():
    assert packed_range(built(gripper((-0.3, 0)))) == [0, 0.3]
    assert packed_range(built(gripper((-0.3, 1), source=None))) == [-1, 0.3]
    assert packed_range(built(gripper((0, 1), source=(0.2, 0.2), mimic="finger"))) == [0.2, 0.2]


def test_limits_of_one_value_lock_on_purpose():
    assert packed_range(built(gripper((-0.2, -0.2)))) == [0.2, 0.2]


def test_a_copy_that_contradicts_another_is_the_one_that_is_not_applied():
    nodes = gripper((-0.3, 0))
    nodes.append(Node("third", None, (0, 0, 0), Slider("x", limits=(0.4, 1), mimic="finger")))
    skeleton = built(nodes)
    assert packed_range(skeleton) == [0, 0.3]
    assert skeleton.joints[1].limits == (-0.3, 0) and skeleton.joints[2].limits is None


def test_narrowing_limits_are_left_out_on_request():
    fit, why = with_fit_limits(gripper((-0.3, 0)), narrowing=True)
    assert fit[1].joint.limits is None and fit[0].joint.limits == (0, 0.548)
    assert list(why) == ["other"] and "would leave [0, 0.3]" in why["other"]
    for copy in ((-0.548, 0), (-1, 1), None, (-0.548 + 1e-12, 0)):
        nodes = gripper(copy)
        assert with_fit_limits(nodes, narrowing=True) == (nodes, {})


def test_copies_of_copies_are_judged_by_the_joint_at_the_end():
    joints = [
        Hinge("z", limits=(0, 1)),
        Hinge("z", mimic=("a", -1.0, 0.0)),
        Hinge("z", limits=(0, 2), mimic=("b", 2.0, 0.0)),
    ]
    assert list(unfit_limits("abc", joints)) == [2]
    assert unfit_limits("abc", [*joints[:2], Hinge("z", limits=(-2, 0), mimic=("b", 2, 0))]) == {}


def test_solutions_keep_the_limits_that_are_applied():
    skeleton = built(gripper((-0.3, 0)))
    target = skeleton.pose({"finger": 0.5}).position("tip")
    s = supple.solve(skeleton, {"tip": target})
    assert s.status is Status.LIMITED
    assert np.allclose(s.pose.coordinates, [0.3, -0.3])
    assert s.pose.violations().max() == 0
