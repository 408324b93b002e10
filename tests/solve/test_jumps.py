"""Neighbouring frames on the same branch."""

import numpy as np
import pytest

import supple
from supple.solve.jumps import RULES, without_jumps


def arm():
    """Two hinges in a plane: every place is reached with the elbow to either side."""
    nodes = [
        supple.Node("a", None, (0, 0, 0), supple.Hinge("z")),
        supple.Node("b", "a", (1, 0, 0), supple.Hinge("z")),
    ]
    return supple.Skeleton(nodes, [supple.Tip("tip", "b", (1, 0, 0))])


def path(frames):
    """A way before the arm, shape (F, 2)."""
    t = np.linspace(0.0, 1.0, frames)
    return np.stack([1.3 + 0.2 * np.cos(2 * t), 0.6 * np.sin(2 * t)], axis=-1)


def answer(place, side):
    """Both angles for a place, with the elbow to a side (1 or -1)."""
    x, y = place
    bend = side * np.arccos((x * x + y * y - 2.0) / 2.0)
    return np.array([np.arctan2(y, x) - np.arctan2(np.sin(bend), 1.0 + np.cos(bend)), bend])


def solver(places, prices):
    """Stays on the side that a start is on; each frame and side has a price."""

    def solve(frame, start):
        side = 1 if start[1] > 0 else -1
        return answer(places[frame], side), prices[frame][side]

    return solve


def solved(sides, prices):
    """Poses without jumps, of frames that were solved with the elbow to these sides."""
    places = path(len(sides))
    poses = np.array([answer(place, side) for place, side in zip(places, sides, strict=True)])
    costs = np.array([price[side] for price, side in zip(prices, sides, strict=True)])
    return without_jumps(arm(), np.arange(2), poses, costs, solver(places, prices)), poses


EVEN = {1: 0.1, -1: 0.1}


def test_a_clip_without_jumps_is_left_as_it_is():
    found, poses = solved([1] * 8, [EVEN] * 8)
    assert found is poses


@pytest.mark.parametrize("flipped", [[3], [3, 4, 5], [0], [9], [2, 6, 7]])
def test_frames_that_flip_join_the_others(flipped):
    sides = [-1 if f in flipped else 1 for f in range(10)]
    found, _ = solved(sides, [EVEN] * 10)
    assert np.all(found[:, 1] > 0)
    assert np.abs(np.diff(found, axis=0)).max() < RULES.jump


def test_the_cheaper_branch_wins():
    # The first half is on one side and the second on the other; one of them costs more everywhere.
    sides = [1] * 5 + [-1] * 5
    found, _ = solved(sides, [{1: 0.5, -1: 0.1}] * 10)
    assert np.all(found[:, 1] < 0)


def test_a_jump_that_is_worth_it_stays():
    sides = [1] * 5 + [-1] * 5
    prices = [{1: 0.1, -1: 50.0}] * 5 + [{1: 50.0, -1: 0.1}] * 5
    found, poses = solved(sides, prices)
    assert np.array_equal(found, poses)


def test_joints_that_do_not_move_keep_their_coordinates():
    places = path(4)
    poses = np.array(
        [answer(place, side) for place, side in zip(places, (1, 1, -1, -1), strict=True)]
    )
    asked = []

    def solve(frame, start):
        asked.append((frame, start.copy()))
        return start, 0.0

    without_jumps(arm(), np.array([1]), poses, np.zeros(4), solve)
    assert all(start[0] == poses[frame, 0] for frame, start in asked)
