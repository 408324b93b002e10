"""The problems: the same in every run, inside their mechanisms, whole after JSON."""

import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from contest.descriptions import mjcf, urdf
from contest.mechanisms import body, panda
from contest.model import forward
from contest.problems import PROBLEMS, Problem, problem

from supple.errors import SuppleError


@pytest.mark.parametrize("name", PROBLEMS)
def test_targets_are_the_same_every_time(name):
    a, b = problem(name, targets=5), problem(name, targets=5)
    assert a.targets.shape == (5, len(a.goals), 4, 4)
    np.testing.assert_array_equal(a.targets, b.targets)
    assert a.start.shape == (a.model.width,)


@pytest.mark.parametrize("name", PROBLEMS)
def test_json_brings_a_problem_back(name):
    one = problem(name, targets=3)
    back = Problem.from_json(json.loads(json.dumps(one.to_json())))
    assert back.model == one.model
    assert back.goals == one.goals
    np.testing.assert_array_equal(back.targets, one.targets)
    np.testing.assert_array_equal(back.start, one.start)
    assert (back.tolerance, back.turn_tolerance) == (one.tolerance, one.turn_tolerance)


def test_an_unknown_problem_is_named_with_the_nearest():
    with pytest.raises(SuppleError, match="chain-5"):
        problem("chain5")


def test_there_must_be_a_target():
    with pytest.raises(SuppleError, match="targets"):
        problem("chain-5", targets=0)


def test_the_body_has_65_joints_and_starts_inside_its_limits():
    assert len(body().parts) == 65
    one = problem("full-body", targets=1)
    lo, hi = one.model.limits.T
    assert np.all((one.start >= lo) & (one.start <= hi))


def test_the_body_is_the_same_on_both_sides():
    one = problem("full-body", targets=1)
    frames = forward(one.model, one.start[None])[0]
    for tip in ("palm", "sole"):
        left, right = (
            frames[one.model.names.index(f"{s} {tip}"), :3, 3] for s in ("left", "right")
        )
        np.testing.assert_allclose(left * (-1, 1, 1), right, atol=1e-12)


def test_two_bone_targets_are_in_reach_and_poles_are_off_the_line():
    one = problem("two-bone", targets=500)
    target = one.targets[:, 0, :3, 3]
    far = np.linalg.norm(target, axis=1)
    assert np.all((far > 0.2) & (far < 1.8))
    aside = np.linalg.norm(np.cross(target / far[:, None], one.poles), axis=1)
    assert np.all(aside > 1.0)


def test_urdf_has_a_hinge_for_each_number_and_a_link_for_each_tip():
    root = ET.fromstring(urdf(panda()))
    hinges = [joint for joint in root.iter("joint") if joint.get("type") == "revolute"]
    assert len(hinges) == 7
    assert [float(hinges[3].find("limit").get(side)) for side in ("lower", "upper")] == [
        -3.0718,
        -0.0698,
    ]
    assert "tip" in {link.get("name") for link in root.iter("link")}


def test_urdf_refuses_what_the_format_lacks():
    with pytest.raises(ValueError, match="free"):
        urdf(body())


def test_mjcf_has_bodies_in_the_order_of_the_model():
    model = body()
    root = ET.fromstring(mjcf(model))
    tips = {tip.name for tip in model.tips}
    bodies = [one.get("name") for one in root.iter("body") if one.get("name") not in tips]
    assert bodies == [part.name for part in model.parts]
    assert len(list(root.iter("joint"))) == int(model.angles.sum())
