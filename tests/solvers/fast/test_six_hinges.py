"""Closed forms for arms of six hinges, as `auto` uses them."""

import numpy as np
import pytest

import supple
from supple import OPEN, Hinge, Node, Pose, Reach, Tip, rotations

RNG = np.random.default_rng(11)


def arm(axes, places, *, reach=(0.05, 0.1, 0.2), limits=(-3.0, 3.0), tilt=None):
    """An arm of six hinges with parallel frames at zero angles; `tilt` turns all of it."""
    names = [f"j{k}" for k in range(6)]
    nodes = [
        Node(
            names[k],
            names[k - 1] if k else None,
            places[k],
            Hinge(axes[k], limits=limits),
            tuple(tilt) if k == 0 and tilt is not None else (1.0, 0.0, 0.0, 0.0),
        )
        for k in range(6)
    ]
    turn = rotations.from_rotation_vector((0.3, -0.2, 0.9))
    return supple.Skeleton(nodes, [Tip("tool", "j5", reach, tuple(turn))])


def wrist(first, places, last="xyx"):
    """Three joints and a wrist whose axes meet."""
    return ([*first, *last], [*places, (0.4, 0.0, 0.0), (0.1, 0.0, 0.0), (0, 0, 0)])


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
SKEW = tuple(np.array([0.2, 1.0, -0.1]) / np.linalg.norm([0.2, 1.0, -0.1]))
ARMS = {
    "three parallel axes": (
        [Z, Y, Y, Y, Z, Y],
        [(0, 0, 0.1), (0, 0.13, 0), (0.4, -0.1, 0), (0.4, 0, 0), (0, 0.1, 0), (0, 0, -0.1)],
    ),
    "three parallel axes, some upside down": (
        [Z, Y, (0, -1, 0), (0, -1, 0), (0, 0, -1), Y],
        [(0, 0, 0.1), (0.05, 0.13, 0), (0.4, -0.1, 0), (0.4, 0, 0.1), (0, 0.1, 0), (0, 0, -0.1)],
    ),
    "three parallel axes above a leaning first": (
        [SKEW, X, X, X, Z, X],
        [(0, 0, 0.1), (0.05, 0.13, 0), (0.1, 0.4, 0), (0, 0.4, 0), (0.1, 0, 0), (0, 0, -0.1)],
    ),
    "wrist": wrist([Z, Y, Y], [(0, 0, 0.3), (0.1, 0.05, 0), (0, 0, 0.5)]),
    "wrist, elbow upside down": wrist(
        [Z, Y, (0, -1, 0)], [(0, 0, 0.3), (0.1, 0.05, 0.1), (0.02, 0.1, 0.5)]
    ),
    "wrist, first axes meet": wrist([Z, X, Y], [(0, 0, 0.3), (0, 0, 0.1), (0.02, 0.1, 0.5)]),
    "wrist, leaning axes": wrist(
        [SKEW, X, Z], [(0, 0, 0.3), (0, 0, 0), (0.1, 0.4, 0.2)], last=[X, Y, SKEW]
    ),
}


def ik(skeleton, **options):
    tight = {"tolerance": 1e-9, "orientation_tolerance": 1e-9}
    return supple.prepare(skeleton, Reach("tool", pose=OPEN), **{**tight, **options})


@pytest.mark.parametrize("limits", [(-3.0, 3.0), (-6.2, 6.2)], ids=["one turn", "two turns"])
@pytest.mark.parametrize("name", ARMS)
def test_the_nearest_of_all_answers_is_found_at_once(name, limits):
    tilt = rotations.normalize(RNG.normal(size=4))
    skeleton = arm(*ARMS[name], limits=limits, tilt=tilt)
    made = Pose(skeleton, RNG.uniform(*limits, (150, 6)))
    start = Pose(skeleton, RNG.uniform(-1, 1, 6))
    answer = ik(skeleton).solve(made.frames[:, skeleton.index("tool")], start=start)
    assert np.all(answer.reached) and answer.restarts.max() == 0
    # Beside a singular pose half of the digits are lost, and an iteration or two brings them back.
    assert np.mean(answer.iterations == 1) > 0.97 and answer.iterations.max() <= 3
    assert np.median(answer.error) < 1e-12
    assert np.all(np.abs(answer.angles) <= limits[1])
    # The pose that made the target is one of the answers: none farther from the start is given.
    far = np.linalg.norm(answer.angles - start.angles, axis=1)
    assert np.all(far <= np.linalg.norm(made.angles - start.angles, axis=1) + 1e-9)
    assert np.mean(far < np.linalg.norm(made.angles - start.angles, axis=1) - 1e-3) > 0.3


@pytest.mark.parametrize("name", ARMS)
def test_singular_targets_are_met_and_leave_open_joints_alone(name):
    skeleton = arm(*ARMS[name])
    start = Pose(skeleton, RNG.uniform(-0.5, 0.5, 6))
    for bend in ((2, 0.0), (4, 0.0), (4, np.pi)):
        q = RNG.uniform(-1, 1, (40, 6))
        q[:, bend[0]] = min(bend[1], 3.0)
        frames = Pose(skeleton, q).frames[:, skeleton.index("tool")]
        answer = ik(skeleton, tolerance=1e-6, orientation_tolerance=1e-6).solve(frames, start=start)
        assert np.all(answer.reached)


def test_a_start_that_meets_the_target_stays_as_it_is():
    skeleton = arm(*ARMS["wrist"])
    start = Pose(skeleton, RNG.uniform(-1, 1, 6))
    answer = ik(skeleton)(start.frames[skeleton.index("tool")].copy(), start=start)
    assert answer.reached and answer.iterations == 0
    assert np.array_equal(answer.pose.coordinates, start.coordinates)


def test_out_of_reach_is_approached_and_said():
    skeleton = arm(*ARMS["three parallel axes"])
    frame = np.eye(4)
    frame[:3, 3] = 5.0, 0.0, 0.0
    answer = ik(skeleton, tolerance=1e-4, orientation_tolerance=1e-4)(frame)
    assert answer.status == supple.Status.TOO_FAR
    assert answer.error < 5.0


def test_limits_that_forbid_the_nearest_answers_leave_the_others():
    places = ARMS["wrist"]
    wide, narrow = arm(*places), arm(*places, limits=(-1.2, 1.2))
    # Few draws have a nearest answer that is forbidden: five of these.
    made = Pose(narrow, np.random.default_rng(4).uniform(-1.2, 1.2, (1000, 6)))
    frames = made.frames[:, narrow.index("tool")]
    free, held = ik(wide).solve(frames), ik(narrow).solve(frames)
    assert np.all(held.reached) and np.mean(held.iterations == 1) > 0.97
    assert np.any(np.abs(free.angles).max(axis=1) > 1.2)
    assert np.all(np.abs(held.angles) <= 1.2)


def test_a_trace_shows_the_one_step_and_changes_nothing():
    skeleton = arm(*ARMS["wrist"])
    frame = Pose(skeleton, RNG.uniform(-1, 1, 6)).frames[skeleton.index("tool")]
    prepared = ik(skeleton)
    plain, traced = prepared.solve(frame), prepared.solve(frame, trace=True)
    assert np.array_equal(plain.pose.coordinates, traced.pose.coordinates)
    assert len(traced.trace.errors) == 2 and traced.trace.errors[-1] < 1e-9


def test_levenberg_marquardt_by_name_iterates_and_following_a_path_never_jumps():
    skeleton = arm(*ARMS["wrist"])
    frame = Pose(skeleton, RNG.uniform(-1, 1, 6)).frames[skeleton.index("tool")]
    assert ik(skeleton, solver="LM")(frame).iterations > 1
    assert ik(skeleton).solvers == (supple.LM(max_iterations=4000, restarts=400, closed_form=True),)
    assert ik(skeleton, restarts=False).solvers == (supple.LM(max_iterations=4000, restarts=0),)
