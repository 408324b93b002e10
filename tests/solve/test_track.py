"""Tracks: every frame from the answer before, no jumps, and where the path is lost."""

import numpy as np
import pytest

import supple
from supple import OPEN, Hinge, Pose, Reach


def circle(count=200, centre=(1.5, 1.0), radius=0.6):
    angle = np.linspace(0.0, 2.0 * np.pi, count)
    x, y = centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle)
    return np.stack([x, y, 0.0 * x], axis=1)


@pytest.fixture
def arm():
    return supple.chain([1.0, 1.0, 0.7], joint=Hinge("z", limits=(-2.5, 2.5)))


def test_each_frame_is_the_solve_from_the_last(arm):
    path = circle(40)
    track = supple.track(arm, {"tip": path})
    assert track.reached and len(track) == 40 and track.left == []
    ik = supple.prepare(arm, [Reach("tip")], restarts=False)
    pose = supple.solve(arm, {"tip": path[0]}).pose
    for frame in range(1, 40):
        pose = ik(path[frame], start=pose).pose
        assert np.array_equal(track[frame].pose.coordinates, pose.coordinates)


def test_no_joint_jumps(arm):
    """The least step that follows the path is near: no joint turns much more than the tip needs."""
    path = circle(400)
    track = supple.track(arm, {"tip": path})
    moved = np.linalg.norm(np.diff(path, axis=0), axis=1).max()
    assert track.largest_step < 3.0 * moved
    assert track.steps.shape == (399, 3)
    assert f"{track.largest_step:.3g} rad" in track.reason


def test_it_says_where_the_path_left_the_reachable_set(arm):
    path = circle(100)
    path[30:40] += (5.0, 0.0, 0.0)
    path[70] += (0.0, 9.0, 0.0)
    track = supple.track(arm, {"tip": path})
    assert track.left == [(30, 40), (70, 71)]
    assert not track.reached
    assert track.reason.startswith("frames 30 to 39, 70 of 100 are not reached; in frame 30 ")
    assert "reaches no farther" in track.reason
    assert np.all(track.solution.reached[41:70])


def test_a_goal_without_frames_stands_still_and_progress_is_told():
    figure = supple.Skeleton(
        [("hip", None, (0, 0, 0)), ("l", "hip", (0, 1, 0)), ("r", "hip", (1, 0, 0))],
        [("l tip", "l", (0, 1, 0)), ("r tip", "r", (1, 0, 0))],
    )
    path = np.linspace((0.0, 2.0, 0.0), (0.5, 1.5, 0.0), 130)
    seen = []
    goals = [Reach("l tip", path), Reach("r tip", (2.0, 0.0, 0.0))]
    track = supple.track(figure, goals, progress=lambda done, total: seen.append((done, total)))
    assert track.reached
    assert seen[-1] == (130, 130) and len(seen) == 3
    assert np.allclose(track.poses.position("r tip"), (2, 0, 0), atol=1e-3)


def test_it_starts_where_it_is_told(arm):
    start = Pose(arm, (0.5, -1.0, -0.5))
    track = supple.track(arm, {"tip": start.position("tip")[None] + np.zeros((5, 3))}, start=start)
    assert np.array_equal(track[4].pose.coordinates, start.coordinates)
    assert track.largest_step == 0.0


@pytest.mark.parametrize(
    ("goals", "message"),
    [
        ({"tip": (1.0, 1.0, 0.0)}, "one axis of frames"),
        ([Reach("tip", OPEN)], "expected a target for every goal"),
        ({"tip": np.zeros((2, 3, 3))}, "one axis of frames"),
    ],
)
def test_bad_input(arm, goals, message):
    with pytest.raises(supple.SuppleError, match=message):
        supple.track(arm, goals)


def test_a_notebook_shows_the_way():
    path = np.linspace((2.5, 0, 0), (1.5, 1.5, 0), 5)
    shown = supple.track(supple.chain([1, 1, 1]), {"tip": path})._repr_html_()
    assert "<svg" in shown and "all 5 frames reached" in shown


@pytest.mark.parametrize("count", [2, 3, 6])
@pytest.mark.parametrize("joint", [supple.Ball(), supple.Hinge("z", limits=(-2.0, 2.0))])
def test_a_path_is_one_call_after_another(count, joint):
    """In and out of reach, over more frames than are done at once."""
    skeleton = supple.chain([1.0] * count, joint=joint)
    angles = np.linspace(0.0, 7.0, 150)
    radii = count * (0.7 + 0.4 * np.sin(3.0 * angles))
    path = np.stack([radii * np.cos(angles), radii * np.sin(angles), 0.0 * angles], axis=-1)
    start = skeleton.pose({"j0": 0.1 if isinstance(joint, supple.Hinge) else (0.0, 0.0, 0.1)})
    first = supple.prepare(skeleton, [Reach("tip")])
    later = first.with_solver("auto", restarts=False)
    track = first.track(path, start=start)
    assert 0 < np.count_nonzero(track.solution.reached) < len(path)
    pose = start
    for f, target in enumerate(path):
        answer = (later if f else first)(target, start=pose)
        assert answer == track.solution[f].seen_from(pose)
        pose = answer.pose
