"""The verifier: right answers pass, wrong ones do not, whatever form they come in."""

import numpy as np
import pytest
from contest.mechanisms import chain
from contest.model import Model, Part, forward
from contest.problems import PROBLEMS, problem
from contest.verify import angle, verify


def known(name, count=8):
    """A problem whose answers are known: targets are where random poses put the tips."""
    one = problem(name, targets=count)
    rng = np.random.default_rng(0)
    limits = np.clip(one.model.limits, -2.0, 2.0)
    q = rng.uniform(limits[:, 0], limits[:, 1], (count, one.model.width))
    frames = forward(one.model, q)
    for g, goal in enumerate(one.goals):
        one.targets[:, g] = frames[:, one.model.names.index(goal.tip)]
    return one, q


@pytest.mark.parametrize("name", ["plane-5-limits", "panda-pose", "ur5-pose", "panda-track"])
def test_answers_that_are_right_are_solved(name):
    one, q = known(name)
    assert verify(one, list(q)).solved.all()


@pytest.mark.parametrize("name", ["plane-5-limits", "panda-pose", "ur5-pose"])
def test_one_joint_off_is_caught(name):
    one, q = known(name)
    q[3, 2] += 2e-2
    assert verify(one, list(q)).solved.tolist() == [True] * 3 + [False] + [True] * 4


def test_the_tolerance_is_where_it_is_said_to_be():
    one, q = known("panda-pose")
    one.targets[0, 0, :3, 3] += (1.1e-5, 0.0, 0.0)
    one.targets[1, 0, :3, 3] += (0.9e-5, 0.0, 0.0)
    for k, turn in ((2, 1.1e-5), (3, 0.9e-5)):
        tilt = np.array([[1, -turn, 0], [turn, 1, 0], [0, 0, 1]])
        one.targets[k, 0, :3, :3] = one.targets[k, 0, :3, :3] @ tilt
    assert verify(one, list(q)).reached[:4].tolist() == [False, True, False, True]


def test_a_joint_beyond_its_limit_is_reached_but_not_solved():
    one, q = known("panda-pose")
    q[0, 0] = one.model.limits[0, 1] + 1e-3
    q[1, 0] = one.model.limits[0, 1]
    one.targets[:, 0] = forward(one.model, q)[:, -1]
    verdict = verify(one, list(q))
    assert verdict.reached.all()
    assert verdict.solved.tolist() == [False] + [True] * 7


def test_a_whole_turn_more_is_the_same_answer():
    one, q = known("ur5-pose")
    q[0, 0] += 2 * np.pi
    assert verify(one, list(q)).solved.all()


@pytest.mark.parametrize(
    "answer", [None, [], [0.0] * 6, [np.nan] * 7, [np.inf] * 7, [[0.0, 0.0, 0.0]]]
)
def test_what_is_no_answer_is_not_solved(answer):
    one = problem("panda-pose", targets=1)
    verdict = verify(one, [answer])
    assert not verdict.reached.any()
    assert not verdict.solved.any()


def test_a_quaternion_must_be_of_length_one():
    one = problem("chain-5", targets=1)
    straight = np.tile([1.0, 0.0, 0.0, 0.0], 5)
    one.targets[0, 0, :3, 3] = (5.0, 0.0, 0.0)
    assert verify(one, [straight]).solved.all()
    assert not verify(one, [2 * straight]).solved.any()


def bent(one, hinged_angles):
    """The points of a chain's joints and tip."""
    return forward(one.model.hinged(), np.array([hinged_angles]))[0, :, :3, 3]


def test_points_and_hinge_angles_are_answers_to_a_chain():
    one = problem("chain-5", targets=1)
    angles = np.linspace(-0.4, 0.6, 10)
    place = bent(one, angles)
    one.targets[0, 0, :3, 3] = place[-1]
    assert verify(one, [angles]).solved.all()
    assert verify(one, [place]).solved.all()


@pytest.mark.parametrize("wrong", ["a longer bone", "another root", "not there"])
def test_points_must_be_those_of_the_chain(wrong):
    one = problem("chain-5", targets=1)
    place = bent(one, np.linspace(-0.4, 0.6, 10))
    one.targets[0, 0, :3, 3] = place[-1]
    if wrong == "a longer bone":
        place[2] += 1e-2
    elif wrong == "another root":
        place += 1e-3
    else:
        one.targets[0, 0, :3, 3] += 6e-3
    assert not verify(one, [place]).solved.any()


def test_points_in_the_plane_keep_to_it_and_to_the_limits():
    one = problem("plane-5-limits", targets=3)
    good = bent(one, [1.0, -1.0, 0.5, 0.2, 0.0])
    far = bent(one, [1.0, -1.0, 1.1, 0.2, 0.0])
    tilted = good @ np.array(
        [[1, 0, 0], [0, np.cos(0.1), np.sin(0.1)], [0, -np.sin(0.1), np.cos(0.1)]]
    )
    for k, place in enumerate((good, far, tilted)):
        one.targets[k, 0, :3, 3] = place[-1]
    verdict = verify(one, [good, far, tilted])
    assert verdict.reached.all()
    assert verdict.solved.tolist() == [True, False, False]


def test_the_elbow_must_be_on_the_side_of_the_pole():
    one = problem("two-bone", targets=2)
    one.poles[:] = (0.5, 2.0, 0.0)
    one.targets[:, 0, :3, 3] = bent(one, [0.7, 0.0, -1.2, 0.0])[-1]
    up = bent(one, [0.7, 0.0, -1.2, 0.0])
    line = np.append(up[-1, :2], 0.0) / np.linalg.norm(up[-1])
    down = 2 * np.outer(up @ line, line) - up  # mirrored at the line from root to tip
    down[:, 2] = 0.0
    assert verify(one, [up, down]).solved.tolist() == [True, False]


def test_the_largest_step_of_a_path_is_measured():
    one = problem("panda-track", targets=3)
    q = np.tile(one.start, (3, 1))
    q[1, 0] += 0.01
    q[2, 0] += 0.01 + 2 * np.pi
    assert verify(one, list(q)).step == pytest.approx(0.01)
    assert verify(problem("panda-pose", targets=1), [one.start]).step is None


def test_every_goal_of_a_body_counts():
    one, _ = known("full-body", count=1)
    frames = forward(one.model, one.start[None])[0]
    for g, goal in enumerate(one.goals):
        one.targets[0, g] = frames[one.model.names.index(goal.tip)]
    assert verify(one, [one.start]).solved.all()
    for g, goal in enumerate(one.goals):
        before = one.targets[0, g].copy()
        if goal.position:
            one.targets[0, g, 0, 3] += 2e-3
        else:
            one.targets[0, g, :3, :3] = one.targets[0, g, :3, :3] @ np.diag([-1.0, -1.0, 1.0])
        assert not verify(one, [one.start]).solved.any()
        one.targets[0, g] = before


def test_angles_are_exact_where_they_are_tiny_and_where_they_are_large():
    turns = np.array([0.0, 1e-9, 1.0, np.pi - 1e-9, np.pi])
    model = Model((Part("a", "", (0.0, 0.0, 0.0), (0.1, 0.2, 0.3), "z"),), ())
    frames = forward(model, turns[:, None])[:, 0, :3, :3]
    still = np.broadcast_to(forward(model, np.zeros((1, 1)))[:, 0, :3, :3], frames.shape)
    np.testing.assert_allclose(angle(still, frames), turns, rtol=0, atol=1e-12)


def test_forward_kinematics_agrees_with_supple_s():
    """Two programs that share no code: the tables, the skeletons and both kinematics are right."""
    from contest.adapters.ours import skeleton

    from supple.model.skeleton import Pose

    for name in PROBLEMS:
        one = problem(name, targets=1)
        pose = Pose(skeleton(one.model), one.start)
        np.testing.assert_allclose(
            forward(one.model, one.start[None])[0], pose.frames, rtol=0, atol=1e-12
        )


def test_hinges_in_place_of_balls_put_the_points_where_the_balls_do():
    one = problem("chain-5", targets=1)
    data = one.to_json()
    place = forward(one.model.hinged(), np.array([data["hinged_start"]]))[0, :, :3, 3]
    np.testing.assert_allclose(place, data["start_points"], atol=1e-12)


def test_a_chain_s_tip_is_where_plane_trigonometry_says():
    model = chain([2.0, 1.0], "z")
    tip = forward(model, np.array([[0.3, 0.4]]))[0, -1, :3, 3]
    expected = 2 * np.array([np.cos(0.3), np.sin(0.3), 0]) + [np.cos(0.7), np.sin(0.7), 0]
    np.testing.assert_allclose(tip, expected, atol=1e-15)
