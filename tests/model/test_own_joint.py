"""A joint kind is one class: everything else reads its description."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import supple
from supple import Hinge, Joint, Node, Pose, Reach, Skeleton, SuppleError, Tip, rotations
from supple.apps.viewer.describe import _joint
from supple.kernels import layout
from supple.model.joint import KINDS, Scalar, pairs, unit_axis
from supple.model.sketch import limit_curves

AXIS = np.array([2.0, -1.0, 2.0]) / 3.0


@pytest.fixture
def cylindrical():
    """A kind that slides along an axis and turns about it, known for the time of a test."""

    @dataclass(frozen=True, repr=False)
    class Cylindrical(Joint):
        """Slides along an axis and turns about it. Coordinates: length, angle."""

        single: ClassVar[bool] = False

        axis: object = "z"
        limits: object = None

        def __post_init__(self):
            Joint.__post_init__(self)
            self._set("axis", unit_axis("Cylindrical axis", self.axis))
            self._set("limits", pairs("Cylindrical limits", ("slide", "angle"), self.limits))

        @property
        def scalars(self):
            along, about = self.limits or (None, None)
            return (
                Scalar("slide", True, self.axis, along),
                Scalar("angle", False, self.axis, about),
            )

    yield Cylindrical
    del KINDS["Cylindrical"]


def crane(kind, limits=None):
    """A joint of the kind with two hinges on it."""
    nodes = [
        Node("base", None, (1, 2, 3), kind(AXIS, limits), rotations.from_euler("xy", (0.3, 0.4))),
        Node("elbow", "base", (1, 0, 0), Hinge("y", (-2.5, 2.5))),
        Node("wrist", "elbow", (1, 0, 0), Hinge("x", (-1, 1))),
    ]
    return Skeleton(nodes, [Tip("tip", "wrist", (0.5, 0.2, 0))])


def test_its_frames_follow_its_axes(cylindrical):
    rig = crane(cylindrical)
    pose = rig.pose({"base.slide": 0.7, "base.angle": 4.0})
    rest = rotations.from_euler("xy", (0.3, 0.4))
    np.testing.assert_allclose(
        pose.position("base"), (1, 2, 3) + rotations.rotate(rest, 0.7 * AXIS), atol=1e-14
    )
    turn = rotations.multiply(rest, rotations.from_axis_angle(AXIS, 4.0))
    assert rotations.angle_between(pose.rotation("base"), turn) < 1e-14
    assert pose.turns(rig.rest)[0] == 4.0
    np.testing.assert_array_equal(Pose.from_angles(rig, pose.angles).coordinates, pose.coordinates)


@pytest.mark.parametrize("solver", ["auto", "lm", "ccd", "jacobian", "optimize"])
def test_solvers_move_it_inside_its_limits(cylindrical, solver):
    limits = {"slide": (-0.5, 1.0), "angle": (-1.0, 2.0)}
    rig = crane(cylindrical, limits)
    there = Pose(rig, np.array([0.3, 0.5, -0.6, 0.2])).position("tip")
    answer = supple.solve(rig, [Reach("tip", there)], solver=solver)
    assert answer.reached, answer.reason
    assert answer.pose.violations().max() == 0.0
    np.testing.assert_allclose(answer.position("tip"), there, atol=1e-3)


def test_everything_else_reads_its_description(cylindrical, tmp_path):
    rig = crane(cylindrical, [(0, 2), (-1, 1)])
    again = Skeleton.from_json(rig.to_json())
    assert again == rig and again.joints[0].limits == ((0, 2), (-1, 1))
    outside = rig.pose({"base.slide": 3.0, "base.angle": -math.pi})
    np.testing.assert_allclose(outside.violations()[0], math.pi - 1)
    assert outside.clamped().coordinates[:2].tolist() == [2.0, -1.0]
    assert {curve.joint for curve in limit_curves(rig.rest)} == {0, 1, 2}
    shown = _joint(rig, 0, True)
    assert (shown.labels, shown.slides, shown.swings) == (["slide", "angle"], 1, False)
    path = tmp_path / "crane.glb"
    supple.save(supple.Character(rig, pose=outside.clamped()), path)
    read = supple.load(path)
    np.testing.assert_allclose(read.pose.coordinates, outside.clamped().coordinates, atol=1e-6)


@pytest.mark.parametrize(("shape", "kind"), [
    ((False, True), 0),
    ((True, True, True, True), 0),
    ((False,), layout.QUATERNION),
    ((True,), layout.QUATERNION + layout.SWING_TWIST),
])  # fmt: skip
def test_scalars_that_kernels_cannot_take_are_an_error(cylindrical, shape, kind):
    class Odd(cylindrical):
        traits = kind
        scalars = tuple(Scalar(f"n{k}", slides, (1.0, 0.0, 0.0)) for k, slides in enumerate(shape))

    try:
        with pytest.raises(SuppleError, match=r"Odd joint: expected up to three scalars, slides"):
            crane(Odd)
    finally:
        del KINDS["Odd"]


def test_a_kind_with_the_former_names_works_with_a_warning():
    with pytest.warns(DeprecationWarning, match="Number is now called Scalar"):
        from supple.model.joint import Number
    try:
        with pytest.warns(DeprecationWarning, match="Old: numbers is now called scalars"):

            @dataclass(frozen=True, repr=False)
            class Old(Joint):
                @property
                def numbers(self):
                    return (Number("", False, (0.0, 0.0, 1.0)),)

        assert Old().scalars == Hinge("z").scalars
        with pytest.warns(DeprecationWarning, match=r"Joint\.numbers is now called scalars"):
            assert Hinge("z").numbers == Hinge("z").scalars
    finally:
        del KINDS["Old"]
