"""What a user meets first: targets, starts, the same bits, blending, quiet."""

import logging

import numpy as np

import supple
from supple import (
    Ball,
    Hinge,
    Reach,
    Status,
    rotations,
    solve,
)

TURN = rotations.from_euler("xyz", (0.3, -0.4, 0.5))


def test_the_example_of_the_readme(arm):
    s = solve(arm, {"tip": (1.2, 0.7, 0)})
    assert s.reached
    assert s.status is Status.REACHED
    assert s.reason.startswith("tip is ")
    assert s.reason.endswith(" from its target")
    assert s.error <= 2e-4
    assert s.iterations > 0
    assert s.angles.shape == (2,)
    assert s.positions.shape == (3, 3)
    np.testing.assert_allclose(s.position("tip"), (1.2, 0.7, 0), atol=2e-4)
    np.testing.assert_allclose(s.pose.position("tip"), (1.2, 0.7, 0), atol=2e-4)


def test_the_start_is_the_rest_pose_unless_given(arm):
    default = solve(arm, {"tip": (1.2, 0.7, 0)})
    assert default.start == arm.rest
    assert solve(arm, {"tip": (1.2, 0.7, 0)}, start=arm.rest) == default
    other = solve(arm, {"tip": (1.2, 0.7, 0)}, start=arm.pose({"j0": 1.5, "j1": -1}))
    assert other.reached
    assert other.angles[1] < 0 < default.angles[1] or other != default


def test_calls_are_stateless_and_same_input_gives_same_bits(snake):
    goals = {"tip": (12, 18, 6)}
    first = solve(snake, goals)
    solve(snake, {"tip": (-3, 2, 9)})
    again = solve(supple.chain([9, 9, 9, 9, 4]), goals)
    assert again == first
    assert again.pose.coordinates.tobytes() == first.pose.coordinates.tobytes()


def test_a_start_that_meets_the_goals_comes_back_untouched(snake):
    start = snake.pose({"j0": TURN, "j2": (0.1, 0.2, 0.3)})
    s = solve(snake, {"tip": start.position("tip")}, start=start)
    assert s.reached
    assert s.iterations == 0
    assert s.pose == start


def test_a_straight_chain_bends_to_a_target_on_its_own_line(snake):
    for joint in (Ball(), Hinge("z")):
        line = supple.chain([9, 9, 9, 9, 4], joint=joint)
        s = solve(line, {"tip": (20, 0, 0)})
        assert s.reached, s.reason
        assert solve(line, {"tip": (20, 0, 0)}) == s


def test_the_nearby_answer_is_the_one_given(arm):
    near = arm.pose({"j0": 1.1, "j1": -1.2})
    target = near.position("tip") + (0.02, 0.01, 0)
    s = solve(arm, {"tip": target}, start=near)
    assert s.reached
    assert np.abs(s.angles - near.angles).max() < 0.1


def test_a_single_goal_need_not_be_in_a_list(arm):
    assert solve(arm, Reach("tip", (1.2, 0.7, 0))) == solve(arm, {"tip": (1.2, 0.7, 0)})


def test_blend_goes_part_of_the_way(snake):
    whole = solve(snake, {"tip": (12, 18, 6)})
    half = solve(snake, {"tip": (12, 18, 6)}, blend=0.5)
    assert half.pose == snake.rest.interpolate(whole.pose, 0.5)
    assert half.reached == whole.reached
    assert half.error == whole.error
    assert solve(snake, {"tip": (12, 18, 6)}, blend=0).pose == snake.rest
    assert solve(snake, {"tip": (12, 18, 6)}, blend=1.0) == whole


def test_nothing_is_printed_and_nothing_logged_for_a_compiled_solve(arm, capfd, caplog):
    solve(arm, {"tip": (1.2, 0.7, 0)})
    capfd.readouterr()
    caplog.clear()
    with caplog.at_level(logging.DEBUG, logger="supple"):
        solve(arm, {"tip": (1.1, 0.7, 0)})
    assert capfd.readouterr() == ("", "")
    assert not [r for r in caplog.records if r.name.startswith("supple")]
