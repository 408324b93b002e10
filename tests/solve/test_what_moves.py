"""Which joints move, and which come back untouched."""

import pickle

import numpy as np
import pytest

import supple
from supple import (
    Ball,
    Free,
    Hinge,
    Hold,
    Pose,
    Reach,
    Status,
    rotations,
    solve,
)

TURN = rotations.from_euler("xyz", (0.3, -0.4, 0.5))


@pytest.mark.parametrize(
    ("goal", "free"),
    [
        (Reach("tip", (30, 5, 2), depth=1), "j4"),
        (Reach("tip", (30, 5, 2), depth=2), "j3 j4"),
        (Reach("tip", (30, 5, 2), depth=3), "j2 j3 j4"),
        (Reach("tip", (30, 5, 2), root="j1"), "j1 j2 j3 j4"),
        (Reach("tip", (30, 5, 2)), "j0 j1 j2 j3 j4"),
    ],
)
def test_joints_outside_the_free_set_come_back_untouched(moved, snake, goal, free):
    rng = np.random.default_rng(3)
    start = Pose.from_angles(snake, rng.uniform(-0.3, 0.3, len(snake.freedoms)))
    s = solve(snake, goal, start=start)
    assert s.asked.moving == tuple(free.split())
    assert moved(start, s.pose) == free.split()
    assert s.error <= np.linalg.norm(start.position("tip") - goal.target)


def test_more_depth_comes_nearer(snake):
    found = [solve(snake, Reach("tip", (10, 20, 5), depth=d)) for d in (1, 2, 3, 4, 0)]
    errors = [0.0 if s.reached else s.error for s in found]
    assert errors == sorted(errors, reverse=True)
    assert errors[0] > errors[1] > errors[-1] == 0.0


def test_locked_joints_stay(moved, snake):
    start = snake.pose({"j1": TURN})
    s = solve(snake, {"tip": (12, 18, 6)}, start=start, lock=["j1", "j3"])
    assert s.reached
    assert moved(start, s.pose) == ["j0", "j2", "j4"]


def test_a_locked_joint_keeps_a_value_outside_its_limits():
    arm = supple.chain([1, 1, 1], joint=Hinge("z", limits=(-1, 1)))
    start = arm.pose({"j1": 1.4})
    s = solve(arm, {"tip": (1.5, 1.5, 0)}, start=start, lock=["j1"])
    assert s.pose.coordinates[1] == 1.4
    free = solve(arm, {"tip": (1.5, 1.5, 0)}, start=start)
    assert abs(free.pose.coordinates[1]) <= 1


def test_a_locked_copy_keeps_its_source_still(moved):
    arm = supple.chain([1, 1, 1], joint=[Hinge("z"), Hinge("z"), Hinge("z", mimic="j1")])
    start = arm.pose({"j1": 0.3})
    s = solve(arm, {"tip": (1, 2, 0)}, start=start, lock=["j2"])
    assert moved(start, s.pose) == ["j0"]


# The free root


@pytest.fixture(scope="module")
def walker():
    """A pelvis that floats, with one arm and two legs."""
    nodes = [
        ("pelvis", None, (0, 1.0, 0), Free()),
        ("shoulder", "pelvis", (0, 0.5, 0), Ball()),
        ("elbow", "shoulder", (0.3, 0, 0), Hinge("y", limits=(-2.5, 0))),
    ]
    tips = [("hand", "elbow", (0.3, 0, 0))]
    for side, x in (("L", 0.1), ("R", -0.1)):
        nodes += [
            (f"hip{side}", "pelvis", (x, 0, 0), Ball()),
            (f"knee{side}", f"hip{side}", (0, -0.5, 0), Hinge("x", limits=(-0.1, 2.5))),
            (f"ankle{side}", f"knee{side}", (0, -0.48, 0), Ball()),
        ]
        tips.append((f"foot{side}", f"ankle{side}", (0, 0, 0.1)))
    return supple.Skeleton(nodes, tips)


@pytest.fixture(scope="module")
def stance(walker):
    return walker.rest.with_({"kneeL": 0.3, "kneeR": 0.3})


NEAR_HAND, LOW_HAND = (0.3, 1.4, 0.3), (0.4, 0.6, 0.2)
HOLDS = [Hold("footL"), Hold("footR")]


def test_a_hand_does_not_lift_the_body(walker, stance, moved):
    s = solve(walker, {"hand": NEAR_HAND}, start=stance)
    assert s.reached and moved(stance, s.pose) == ["shoulder", "elbow"]
    assert np.array_equal(s.position("footL"), stance.position("footL"))
    assert "root" not in s.reason


def test_out_of_reach_for_a_root_that_stays_names_free_root(walker, stance):
    s = solve(walker, {"hand": LOW_HAND}, start=stance)
    assert s.status is Status.TOO_FAR
    assert "the root pelvis is kept still, and free_root=True lets it move" in s.reason
    assert supple.Solution.from_json(s.to_json()).reason == s.reason


def test_free_root_lets_it_move_and_the_reason_says_how_far(walker, stance):
    s = solve(walker, {"hand": LOW_HAND}, start=stance, free_root=True)
    far = np.linalg.norm(s.position("pelvis") - stance.position("pelvis"))
    assert s.reached and far > 0.1
    assert f"the root pelvis moved by {far:.3g}" in s.reason
    assert supple.Solution.from_json(s.to_json()).reason == s.reason
    ik = supple.prepare(walker, Reach("hand"), free_root=True)
    assert ik(LOW_HAND, start=stance) == s
    assert pickle.loads(pickle.dumps(ik))(LOW_HAND, start=stance) == s
    many = ik.solve(np.array([LOW_HAND, NEAR_HAND]), start=stance)
    assert many.reason.startswith("2 of 2 reached; the root pelvis moved by ")


def test_feet_that_are_held_let_the_body_crouch(walker, stance):
    s = solve(walker, [Reach("hand", LOW_HAND), *HOLDS], start=stance)
    assert s.reached and "the root pelvis moved by" in s.reason
    for foot in ("footL", "footR"):
        assert np.allclose(s.position(foot), stance.position(foot), atol=1e-3)


def test_feet_that_are_reached_for_let_the_body_crouch(walker, stance):
    feet = [Reach(name, pose=stance.frames[walker.index(name)]) for name in ("footL", "footR")]
    assert solve(walker, [Reach("hand", LOW_HAND), *feet], start=stance).reached


def test_a_goal_of_the_root_moves_it_without_a_word(walker, stance):
    for goal in (Reach("pelvis", (0.1, 1.1, 0)), Reach("hand", LOW_HAND, root="pelvis")):
        s = solve(walker, goal, start=stance)
        assert s.reached and "root" not in s.reason


def test_a_root_that_keeps_its_start_did_not_move(walker, stance):
    goals = [Reach("hand", (9, 9, 9)), *HOLDS]
    s = solve(walker, goals, start=stance, unreachable="keep")
    assert s.pose == stance and "moved" not in s.reason


def test_a_path_keeps_the_root_still_too(walker, stance):
    path = np.linspace(NEAR_HAND, LOW_HAND, 5)
    still = supple.track(walker, {"hand": path}, start=stance)
    assert not still.reached and "free_root=True" in still.reason
    assert np.ptp(still.poses.position("pelvis"), axis=0).max() == 0.0
    free = supple.track(walker, {"hand": path}, start=stance, free_root=True)
    assert free.reached and "the root pelvis moved by " in free.reason


def test_a_batch_says_that_the_root_stays(walker, stance):
    s = solve(walker, {"hand": [NEAR_HAND, LOW_HAND]}, start=stance)
    assert s.reason == (
        "1 of 2 reached, 1 too far; the root pelvis is kept still, and free_root=True lets it move"
    )
    assert "root" not in solve(walker, {"hand": [NEAR_HAND, NEAR_HAND]}, start=stance).reason


@pytest.mark.parametrize(
    "roots", [[{"name": "pelvis", "slides": [99]}], [{"name": "pelvis", "slides": ["x"]}], [{}], 3]
)
def test_roots_of_a_broken_file_are_refused(walker, stance, roots):
    data = solve(walker, {"hand": NEAR_HAND}, start=stance, free_root=True).to_json()
    data["asked"]["carried_roots"] = roots
    with pytest.raises(supple.SuppleError, match="asked: expected"):
        supple.Solution.from_json(data)


@pytest.mark.parametrize("value", [1, "yes", None])
def test_free_root_is_true_or_false(walker, value):
    with pytest.raises(supple.SuppleError, match="free_root: expected True or False"):
        solve(walker, {"hand": NEAR_HAND}, free_root=value)
