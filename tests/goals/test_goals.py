"""Goals: what they hold, how they compare, and what they refuse."""

import copy
import pickle

import numpy as np
import pytest

import supple
from supple import OPEN, Hold, LookAt, Pole, Reach, Rest, SuppleError
from supple.goals import as_goals, from_key

TURN = (0.5, 0.5, 0.5, 0.5)
FRAME = np.array([[0.0, 0, 1, 1], [1, 0, 0, 2], [0, 1, 0, 3], [0, 0, 0, 1]])


# What is asked for


def test_a_reach_without_a_target_is_an_open_position():
    goal = Reach("tip")
    assert goal.position_target is OPEN
    assert goal.orientation_target is None
    assert goal.slots == ("target",)


def test_a_reach_with_an_orientation_alone_does_not_ask_for_a_position():
    goal = Reach("tip", orientation=OPEN)
    assert goal.position_target is None
    assert goal.orientation_target is OPEN
    assert goal.slots == ("orientation",)


def test_a_reach_for_both_takes_the_position_first():
    goal = Reach("tip", OPEN, orientation=OPEN)
    assert goal.slots == ("target", "orientation")


def test_a_pose_is_a_position_and_an_orientation():
    goal = Reach("tip", pose=FRAME)
    np.testing.assert_array_equal(goal.position_target, (1, 2, 3))
    np.testing.assert_allclose(goal.orientation_target, TURN, atol=1e-15)
    assert goal.slots == ("pose",)
    assert Reach("tip", pose=OPEN).position_target is OPEN
    assert Reach("tip", pose=OPEN).orientation_target is OPEN


def test_targets_may_have_batch_axes():
    assert Reach("tip", np.zeros((4, 5, 3))).target.shape == (4, 5, 3)
    assert Reach("tip", pose=np.broadcast_to(FRAME, (2, 4, 4))).position_target.shape == (2, 3)


def test_an_orientation_is_made_unit_and_an_exact_one_keeps_its_bits():
    rounded = Reach("tip", orientation=(0.7071, 0.7071, 0, 0)).orientation
    assert np.linalg.norm(rounded) == pytest.approx(1, abs=1e-15)
    again = Reach("tip", orientation=rounded).orientation
    assert again.tobytes() == rounded.tobytes()


def test_look_at_frees_one_joint_by_default_and_up_to_a_root_if_given():
    assert LookAt("head", (1, 2, 3)).depth == 1
    assert LookAt("head", (1, 2, 3), root="neck").depth == 0
    assert LookAt("head", (1, 2, 3), depth=0).depth == 0


def test_a_look_axis_is_a_letter_or_a_vector():
    np.testing.assert_array_equal(LookAt("head", (1, 2, 3), axis="-z").axis, (0, 0, -1))
    np.testing.assert_allclose(LookAt("head", (1, 2, 3), axis=(0, 3, 4)).axis, (0, 0.6, 0.8))


def test_numbers_of_numpy_are_numbers():
    goal = Reach("tip", depth=np.int64(2), weight=np.float32(0.5))
    assert (goal.depth, goal.weight) == (2, 0.5)
    assert type(goal.depth) is int
    assert type(goal.weight) is float


# Frozen descriptions


def test_a_goal_does_not_follow_the_array_it_was_given():
    target = np.array([1.0, 2, 3])
    goal = Reach("tip", target)
    target[0] = 9
    np.testing.assert_array_equal(goal.target, (1, 2, 3))
    with pytest.raises(ValueError, match="read-only"):
        goal.target[0] = 9
    with pytest.raises(AttributeError):
        goal.target = (0, 0, 0)  # type: ignore[misc]


GOALS = [
    Reach("tip", (1, 2, 3)),
    Reach("tip"),
    Reach("tip", orientation=TURN, depth=2),
    Reach("tip", pose=FRAME, weight=2),
    Reach("tip", (1, 2, 3), point=(0, 0, 1)),
    LookAt("tip", (1, 2, 3)),
    LookAt("tip", (1, 2, 3), axis="y"),
    Pole("j1", (1, 2, 3)),
    Hold("tip"),
    Hold("tip", orientation=False),
    Rest(),
    Rest(supple.chain([1, 1]).rest),
]


def test_goals_compare_and_hash_by_content():
    assert len(set(GOALS)) == len(GOALS)
    for goal in GOALS:
        twin = pickle.loads(pickle.dumps(goal))
        assert twin == goal
        assert hash(twin) == hash(goal)
        assert copy.deepcopy(goal) == goal
    assert Reach("tip", (0.0, 0, 0)) == Reach("tip", (-0.0, 0, 0))
    assert hash(Reach("tip", (0.0, 0, 0))) == hash(Reach("tip", (-0.0, 0, 0)))
    assert Reach("tip") != "tip"


def test_a_goal_shows_itself_as_it_would_be_written():
    assert repr(Reach("tip")) == "Reach('tip', target=OPEN)"
    assert repr(Reach("tip", (1, 2, 3), depth=2)) == "Reach('tip', target=[1.0, 2.0, 3.0], depth=2)"
    assert repr(Reach("tip", np.zeros((100, 3)))) == "Reach('tip', target=<shape (100, 3)>)"
    assert repr(Hold("tip", orientation=False)) == "Hold('tip', orientation=False)"
    assert repr(Rest()) == "Rest()"


def test_after_the_target_comes_nothing_by_position():
    for make in (Reach, LookAt):
        with pytest.raises(TypeError, match="positional"):
            make("tip", (1, 2, 3), TURN)


def test_open_survives_pickling():
    assert pickle.loads(pickle.dumps(OPEN)) is OPEN
    assert copy.deepcopy(OPEN) is OPEN
    assert repr(OPEN) == "OPEN"


def test_an_opened_goal_keeps_everything_but_its_targets():
    goal = Reach("tip", (1, 2, 3), orientation=TURN, depth=3, weight=2)
    assert goal.opened() == Reach("tip", OPEN, orientation=OPEN, depth=3, weight=2)
    assert goal.targets[0] is goal.target
    assert Hold("tip").opened() == Hold("tip")
    assert Rest().targets == ()


@pytest.mark.parametrize("goal", [
    Reach("tip", (1, 2, 3)),
    Reach("tip", (1, 2, 3), orientation=TURN, depth=3, weight=2),
    Reach("tip", pose=np.eye(4), point=(0.1, 0, -0.2), root="j1"),
    LookAt("tip", (1, 2, 3), axis=(1, 2, 3)),
    Pole("j1", (1, 2, 3), weight=3),
    Hold("tip", orientation=False),
    Rest(supple.chain([1]).rest),
])  # fmt: skip
def test_a_key_holds_everything_but_the_targets(goal):
    assert from_key(goal.key) == goal.opened()
    assert from_key(goal.key).key == goal.key
    assert hash(goal.key) == hash(goal.opened().key)


def test_keys_differ_where_problems_do():
    goals = [
        Reach("tip", (1, 2, 3)),
        Reach("tip", orientation=TURN),
        Reach("tip", (1, 2, 3), orientation=TURN),
        Reach("tip", (1, 2, 3), point=(1, 0, 0)),
        Reach("tip", (1, 2, 3), depth=1),
        Pole("tip", (1, 2, 3)),
        LookAt("tip", (1, 2, 3)),
        LookAt("tip", (1, 2, 3), axis="y"),
    ]
    assert len({goal.key for goal in goals}) == len(goals)
    assert Reach("tip", (3, 2, 1)).key == goals[0].key


# Lists of goals


def test_goals_come_as_a_list_one_or_a_mapping():
    goal = Reach("tip", (1, 2, 3))
    assert as_goals(goal) == (goal,)
    assert as_goals([goal]) == (goal,)
    assert as_goals(g for g in [goal]) == (goal,)
    assert as_goals({"tip": (1, 2, 3)}) == (goal,)


@pytest.mark.parametrize("goals", ["tip", b"tip", 3, None, ["tip"], [("tip", (1, 2, 3))], [Reach]])
def test_anything_else_is_no_list_of_goals(goals):
    with pytest.raises(
        SuppleError,
        match=r"goals: expected Reach, LookAt, Pole, Hold, Rest, Connect, Weld, Avoid, Balance, Span or Smooth",
    ):
        as_goals(goals)


# Bad input


BAD = {
    "shape of target": (lambda: Reach("tip", (1, 2)), r"target of 'tip'.*shape \(\.\.\., 3\).*\(2,\)"),
    "NaN target": (lambda: Reach("tip", (1, np.nan, 2)), r"target of 'tip'.*finite.*nan at \[1\]"),
    "text target": (lambda: Reach("tip", "there"), r"target of 'tip'.*'there'"),
    "ragged target": (lambda: Reach("tip", [[1, 2, 3], [1, 2]]), r"target of 'tip'.*ragged"),
    "look target": (lambda: LookAt("tip", (1, 2)), r"target of 'tip'.*shape"),
    "no look target": (lambda: LookAt("tip", None), r"target of 'tip'"),
    "pole target": (lambda: Pole("j1", (1, 2)), r"target of 'j1'.*shape"),
    "long quaternion": (lambda: Reach("tip", orientation=(1, 1, 0, 0)), r"unit quaternion.*1\.41421"),
    "no quaternion": (lambda: Reach("tip", orientation=(0, 0, 0, 0)), r"unit quaternion.*length 0"),
    "one of a batch": (
        lambda: Reach("tip", orientation=[(1, 0, 0, 0), (0, 2, 0, 0)]),
        r"orientation of 'tip'.*length 2",
    ),
    "Euler angles": (lambda: Reach("tip", orientation=(1, 0, 0)), r"orientation of 'tip' \(wxyz\)"),
    "scaled pose": (lambda: Reach("tip", pose=2 * np.eye(4)), r"pose of 'tip'.*no rotation"),
    "mirrored pose": (lambda: Reach("tip", pose=np.diag([1, 1, -1, 1])), r"pose of 'tip'.*no rotation"),
    "transposed pose": (
        lambda: Reach("tip", pose=[[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [5, 6, 7, 1]]),
        r"pose of 'tip'.*last row 0, 0, 0, 1",
    ),
    "3x3 pose": (lambda: Reach("tip", pose=np.eye(3)), r"pose of 'tip'.*shape \(\.\.\., 4, 4\)"),
    "pose and target": (lambda: Reach("tip", (1, 2, 3), pose=FRAME), r"pose, or target and orientation"),
    "pose and orientation": (lambda: Reach("tip", orientation=TURN, pose=OPEN), r"not both"),
    "point": (lambda: Reach("tip", (1, 2, 3), point=(1, 2)), r"point of 'tip'"),
    "negative depth": (lambda: Reach("tip", depth=-1), r"depth of 'tip': expected a whole number from 0.*-1"),
    "fractional depth": (lambda: Reach("tip", depth=1.5), r"depth of 'tip'.*1\.5"),
    "true depth": (lambda: LookAt("tip", (1, 2, 3), depth=True), r"depth of 'tip'.*True"),
    "root and depth": (lambda: Reach("tip", root="j0", depth=2), r"root or depth, not both"),
    "no weight": (lambda: Reach("tip", weight=0), r"weight of Reach 'tip': expected a positive number, got 0"),
    "negative weight": (lambda: Hold("tip", weight=-1), r"weight of Hold 'tip'.*-1"),
    "endless weight": (lambda: Pole("j1", (1, 2, 3), weight=np.inf), r"weight of Pole 'j1'.*inf"),
    "NaN weight": (lambda: Rest(weight=np.nan), r"weight of Rest: expected.*nan"),
    "text weight": (lambda: LookAt("tip", (1, 2, 3), weight="2"), r"weight of LookAt 'tip'.*'2'"),
    "axis letter": (lambda: LookAt("tip", (1, 2, 3), axis="w"), r"axis of 'tip'.*'w'"),
    "no axis": (lambda: LookAt("tip", (1, 2, 3), axis=(0, 0, 0)), r"axis of 'tip'"),
    "several axes": (lambda: LookAt("tip", (1, 2, 3), axis=np.eye(3)), r"axis of 'tip'.*shape"),
    "held nothing": (lambda: Hold("tip", position=False, orientation=False), r"both off"),
    "held somewhere": (lambda: Hold("tip", position=(1, 2, 3)), r"Hold 'tip': position: expected True"),
    "rest of text": (lambda: Rest("rest"), r"Rest: expected a supple.Pose, got str"),
    "rest of many": (
        lambda: Rest(supple.Pose.stack([supple.chain([1]).rest] * 2)),
        r"Rest: expected a single pose.*\(2,\)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_says_what_is_wrong(name):
    make, message = BAD[name]
    with pytest.raises(SuppleError, match=message):
        make()
