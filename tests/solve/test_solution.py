"""Solutions: single and batched, indexed, blended, compared, pickled, and as JSON."""

import copy
import json
import pickle
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import supple
from supple import (
    Ball,
    Hinge,
    Hold,
    LookAt,
    Pole,
    Pose,
    Reach,
    Solution,
    Status,
    SuppleError,
    prepare,
    solve,
)

GOALS = [Reach("tip"), LookAt("j1", (3, 3, 3), weight=0.01)]


@pytest.fixture(scope="module")
def snake():
    return supple.chain([1, 1, 1], joint=[Ball(), Ball(), Hinge("z", limits=(-1, 1))])


@pytest.fixture(scope="module")
def single(snake):
    return solve(snake, {"tip": (0.5, 1.2, 0.4)}, start=snake.pose({"j2": 0.5}))


@pytest.fixture(scope="module")
def grid(snake):
    """A batch of 3 x 4, some out of reach, from starts with offsets of their own."""
    targets = np.random.default_rng(0).uniform(-2.5, 2.5, (3, 4, 3))
    offsets = snake.offsets * np.linspace(1, 1.3, 4)[:, None, None]
    starts = Pose(snake, np.broadcast_to(snake.rest.coordinates, (4, 9)), offsets)
    return prepare(snake, [Reach("tip")]).solve(targets, start=starts)


# What it tells


def test_a_single_solution_tells_plain_numbers(single):
    assert type(single.reached) is bool
    assert type(single.error) is float
    assert type(single.orientation_error) is float
    assert type(single.iterations) is int
    assert type(single.restarts) is int
    assert type(single.status) is Status
    assert single.errors.shape == (1,)
    assert single.batch_shape == ()
    assert single.limited == ()
    assert single.trace is None
    assert single.alternatives == ()
    assert single.blend == 1.0


def test_a_batch_tells_arrays(grid):
    assert grid.batch_shape == (3, 4)
    assert len(grid) == 3
    for name in ("reached", "error", "orientation_error", "iterations", "restarts", "status"):
        assert getattr(grid, name).shape == (3, 4), name
    assert grid.reached.dtype == bool
    assert grid.iterations.dtype == grid.status.dtype == grid.restarts.dtype == np.int64
    assert grid.errors.shape == (3, 4, 1)
    assert grid.angles.shape == (3, 4, 7)
    assert grid.positions.shape == (3, 4, 4, 3)
    assert grid.position("tip").shape == (3, 4, 3)
    assert grid.out_of_reach is None
    np.testing.assert_array_equal(grid.errors[..., 0], grid.error)
    np.testing.assert_array_equal(grid.reached, grid.error <= grid.asked.demands[0].tolerance)


def test_what_is_read_cannot_change_it(snake):
    s = solve(snake, {"tip": (0.5, 1.2, 0.4)})
    batch = prepare(snake, [Reach("tip")]).solve([(0.5, 1.2, 0.4)])
    kept = copy.deepcopy(s)
    s.errors[0] = 9
    batch.errors[0] = 9
    batch.error[0] = 9
    assert s == kept
    assert batch[0] == kept


def test_a_batch_says_how_many_ended_how(grid):
    reached = int(grid.reached.sum())
    assert 0 < reached < 12
    assert grid.reason.startswith(f"{reached} of 12 reached, ")
    assert f"{int((grid.status == Status.TOO_FAR).sum())} too far" in grid.reason
    assert repr(grid) == f"Solution(3x4: {grid.reason})"


def test_a_single_one_says_why(single):
    assert repr(single) == f"Solution(REACHED: {single.reason}; {single.iterations} iterations)"


def test_a_notebook_shows_the_chain(single, grid):
    ElementTree.fromstring(single._repr_html_())
    assert "REACHED" in single._repr_html_()
    assert "3x4" in grid._repr_html_()


def test_errors_come_goal_by_goal(snake):
    goals = [
        Pole("j1", (0, 0, 9)),
        LookAt("j1", (3, 3, 3), weight=0.01),
        Hold("j1"),
        Reach("tip", (0.5, 1.2, 0.4), orientation=(1, 0, 0, 0)),
    ]
    s = solve(snake, goals)
    assert [(d.goal, d.kind, d.effector) for d in s.asked.demands] == [
        (0, "pole", "j1"),
        (1, "direction", "j1"),
        (2, "position", "j1"),
        (2, "orientation", "j1"),
        (3, "position", "tip"),
        (3, "orientation", "tip"),
    ]
    assert s.errors[4] == pytest.approx(np.linalg.norm(s.position("tip") - (0.5, 1.2, 0.4)))
    assert s.errors[2] == pytest.approx(np.linalg.norm(s.position("j1") - s.start.position("j1")))
    assert s.error == s.errors[[2, 4]].max()
    assert s.orientation_error == s.errors[[1, 3, 5]].max()


# Indexing


def test_indexing_is_that_of_the_batch_axes(grid):
    one = grid[1, 2]
    assert one.batch_shape == ()
    assert one.status is Status(int(grid.status[1, 2]))
    assert one.pose == grid.pose[1, 2]
    assert one.start == grid.start[1, 2]
    assert grid[-1].batch_shape == (4,)
    assert grid[1][2] == one
    assert grid[1:].batch_shape == (2, 4)
    assert grid[:, 2].batch_shape == (3,)
    assert grid[:, 2][1] == one
    assert grid[..., 2][1] == one
    assert grid[...] == grid
    assert grid[1, ..., 2] == one
    assert grid[::-1][1, 2] == one
    assert grid[np.array([1, 1])][0, 2] == one
    assert grid[1, [2, 3]].batch_shape == (2,)
    mask = grid.reached
    assert grid[mask].batch_shape == (int(mask.sum()),)
    assert grid[mask].reached.all()
    assert grid[None].batch_shape == (1, 3, 4)


def test_an_index_outside_or_too_many_is_an_error(grid, single):
    for key in (3, (0, 4), (0, 0, 0), (..., 0, 0, 0), (slice(None),) * 3):
        with pytest.raises(IndexError):
            grid[key]
    with pytest.raises(TypeError, match="single solution cannot be indexed"):
        single[0]
    with pytest.raises(TypeError, match="single solution has no length"):
        len(single)
    with pytest.raises(TypeError):
        list(single)


def test_a_batch_is_a_sequence_of_solutions(grid):
    rows = list(grid)
    assert len(rows) == 3
    assert [one for row in rows for one in row] == [grid[i, j] for i in range(3) for j in range(4)]


def test_what_was_sliced_stays_whole(grid):
    part = grid[1:, ::2]
    assert part.pose.translations.shape == (2, 2, 3, 3)
    np.testing.assert_array_equal(part.positions, grid.positions[1:, ::2])
    assert part.reason.startswith(f"{int(part.reached.sum())} of 4 reached")
    assert part.limited == tuple(
        name
        for name in ("j0", "j1", "j2")
        if any(name in one.limited for row in part for one in row)
    )


# Blending


def test_a_blend_belongs_to_the_solution(snake, single, grid):
    half = single.blended(0.5)
    assert half != single
    assert half.blend == 0.5
    assert half.pose == single.start.interpolate(single.pose, 0.5)
    assert half.blended(1.0) == single
    assert half.blended(0.0).pose == single.start
    for twin in (
        pickle.loads(pickle.dumps(half)),
        copy.deepcopy(half),
        Solution.from_json(half.to_json()),
    ):
        assert twin == half
        assert twin.pose == half.pose
    mixed = grid.blended(0.25)
    assert mixed[1, 2].pose == mixed.pose[1, 2]
    assert mixed[1, 2].pose == grid[1, 2].blended(0.25).pose
    assert mixed.error.tolist() == grid.error.tolist()


@pytest.mark.parametrize("amount", [-0.1, 1.1, np.nan, "half", None])
def test_a_blend_is_a_fraction(single, amount):
    with pytest.raises(SuppleError, match="blend: expected a number from 0 to 1"):
        single.blended(amount)


# Comparing and keeping


def test_solutions_compare_by_content(snake, single):
    start = snake.pose({"j2": 0.5})
    assert solve(snake, {"tip": (0.5, 1.2, 0.4)}, start=start) == single
    assert solve(snake, {"tip": (0.5, 1.2, 0.5)}, start=start) != single
    assert solve(snake, {"tip": (0.5, 1.2, 0.4)}) != single
    assert solve(snake, {"tip": (0.5, 1.2, 0.4)}, start=start, tolerance=0.1) != single
    assert single != "solution"
    with pytest.raises(TypeError, match="unhashable"):
        hash(single)


def test_solutions_copy_and_pickle(single, grid, snake):
    several = solve(snake, {"tip": (0.5, 1.2, 0.4)}, solutions=3, trace=True)
    for s in (single, grid, several):
        for twin in (copy.copy(s), copy.deepcopy(s), pickle.loads(pickle.dumps(s))):
            assert twin == s
            assert twin.pose == s.pose
            assert twin.reason == s.reason
            assert twin.alternatives == s.alternatives
    twin = pickle.loads(pickle.dumps(several))
    np.testing.assert_array_equal(twin.trace.coordinates, several.trace.coordinates)


def test_json_brings_everything_back_to_the_bit(single, grid, snake):
    several = solve(snake, {"tip": (0.5, 1.2, 0.4)}, solutions=3)
    for s in (single, grid, grid[1], grid[0, 0], several):
        data = json.loads(json.dumps(s.to_json(), allow_nan=False))
        twin = Solution.from_json(data)
        assert twin == s
        assert twin.pose == s.pose
        assert twin.reason == s.reason
        assert np.array_equal(twin.reached, s.reached)
        assert twin.alternatives == s.alternatives
        assert twin.limited == s.limited
    assert len(several.alternatives) == 2


def test_json_can_be_read_without_supple(single, grid):
    data = single.to_json()
    assert data["format"] == "supple-solution"
    assert data["reached"] is True
    assert data["reason"] == single.reason
    assert grid.to_json()["reached"] == grid.reached.tolist()


def spoil(data, **changes):
    return {**data, **changes}


BAD = {
    "no object": (lambda d: [1, 2], "expected an object with format 'supple-solution'"),
    "another format": (lambda d: spoil(d, format="supple-pose"), "format 'supple-solution'"),
    "another version": (lambda d: spoil(d, version=99), "expected version 1, got 99"),
    "no report": (lambda d: {k: v for k, v in d.items() if k != "report"}, "expected 'report'"),
    "short report": (lambda d: spoil(d, report=d["report"][:-1]), r"report: expected"),
    "text report": (lambda d: spoil(d, report="all well"), r"report: expected"),
    "unknown status": (
        lambda d: spoil(d, report=[*d["report"][:10], 77.0, *d["report"][11:]]),
        r"report: expected a status",
    ),
    "asked nothing": (lambda d: spoil(d, asked=None), r"asked: expected an object with demands"),
    "strange demand": (
        lambda d: spoil(d, asked={**d["asked"], "demands": [{"goal": 1}]}),
        r"asked: ",
    ),
    "blend": (lambda d: spoil(d, blend=2), r"blend: expected a number from 0 to 1"),
    "another start": (
        lambda d: spoil(d, start=supple.chain([1]).rest.to_json()),
        r"expected a pose of",
    ),
    "bent skeleton": (lambda d: spoil(d, skeleton={"format": "x"}), r"supple-skeleton"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_json_says_what_is_wrong(single, name):
    change, message = BAD[name]
    with pytest.raises(SuppleError, match=message):
        Solution.from_json(change(single.to_json()))


def test_a_solution_is_true_if_its_goals_are_met():
    arm = supple.chain([1, 1])
    assert supple.solve(arm, {"tip": (1, 1, 0)})
    assert not supple.solve(arm, {"tip": (5, 0, 0)})
    assert supple.solve(arm, {"tip": [(1, 1, 0), (0, 1, 1)]})
    assert not supple.solve(arm, {"tip": [(1, 1, 0), (5, 0, 0)]})
