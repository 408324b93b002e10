"""The free set: root and depth, locks, joints that copy others, and joints that cannot help."""

import numpy as np
import pytest

import supple
from supple import (
    Axes,
    Balance,
    Ball,
    Connect,
    Fixed,
    Free,
    Hinge,
    Hold,
    LookAt,
    Node,
    Planar,
    Pole,
    Reach,
    Rest,
    Skeleton,
    Slider,
    SuppleError,
    Tip,
    Weld,
)
from supple.problem.free_set import free_set, freed_roots, locked_joints

HERE = (0.0, 0.0, 0.0)


def freed(skeleton, goals, *, lock=(), free_root=False):
    goals = goals if isinstance(goals, list) else [goals]
    found = free_set(skeleton, goals, locked_joints(skeleton, lock), free_root=free_root)
    return " ".join(skeleton.joint_names[j] for j in found)


@pytest.fixture
def snake():
    return supple.chain([1, 1, 1, 1])


@pytest.fixture
def figure():
    """A spine with a head and two arms."""
    return Skeleton(
        [
            Node("hips"),
            Node("spine", "hips", (0, 1, 0)),
            Node("head", "spine", (0, 1, 0)),
            Node("arm.l", "spine", (1, 0, 0)),
            Node("hand.l", "arm.l", (1, 0, 0)),
            Node("arm.r", "spine", (-1, 0, 0)),
            Node("hand.r", "arm.r", (-1, 0, 0)),
        ],
        [Tip("finger.l", "hand.l", (0.5, 0, 0)), Tip("finger.r", "hand.r", (-0.5, 0, 0))],
    )


# Depth and root


@pytest.mark.parametrize(
    ("depth", "names"),
    [(1, "j3"), (2, "j2 j3"), (3, "j1 j2 j3"), (4, "j0 j1 j2 j3"), (9, "j0 j1 j2 j3"), (0, "j0 j1 j2 j3")],
)  # fmt: skip
def test_depth_counts_from_the_effector_and_0_goes_to_the_root(snake, depth, names):
    assert freed(snake, Reach("tip", depth=depth)) == names


def test_depth_counts_only_joints_that_can_move_the_effector(snake):
    # A joint's own turning does not move its origin, but turns it.
    assert freed(snake, Reach("j3", depth=1)) == "j2"
    assert freed(snake, Reach("j3", orientation=(1, 0, 0, 0), depth=1)) == "j3"
    assert freed(snake, Reach("j3", HERE, orientation=(1, 0, 0, 0), depth=1)) == "j3"
    assert freed(snake, Reach("j3", point=(0, 0, 1), depth=1)) == "j3"
    assert freed(snake, LookAt("j3", HERE)) == "j3"


def test_a_root_is_the_topmost_joint_that_may_move(snake):
    assert freed(snake, Reach("tip", root="j2")) == "j2 j3"
    assert freed(snake, Reach("tip", root="j3")) == "j3"
    assert freed(snake, LookAt("tip", HERE, root="j1")) == "j1 j2 j3"


def test_look_at_moves_one_joint_unless_told_otherwise(figure):
    assert freed(figure, LookAt("head", HERE)) == "head"
    assert freed(figure, LookAt("finger.l", HERE)) == "hand.l"
    assert freed(figure, LookAt("head", HERE, depth=0)) == "hips spine head"


def test_the_free_set_is_the_union_over_the_goals(figure):
    goals = [Reach("finger.l", depth=2), LookAt("head", HERE), Reach("finger.r", root="arm.r")]
    assert freed(figure, goals) == "head arm.l hand.l arm.r hand.r"
    assert freed(figure, goals[::-1]) == "head arm.l hand.l arm.r hand.r"


def test_hold_pole_and_rest_free_nothing(figure):
    goals = [Reach("finger.l", depth=1), Hold("finger.r"), Pole("arm.l", HERE), Rest()]
    assert freed(figure, goals) == "hand.l"


def test_a_hold_frees_the_way_down_from_what_another_goal_frees(figure):
    goals = [Reach("finger.l", root="spine"), Hold("finger.r")]
    assert freed(figure, goals) == freed(figure, goals[::-1]) == "spine arm.l hand.l arm.r hand.r"
    assert freed(figure, [Reach("finger.l", root="arm.l"), Hold("finger.r")]) == "arm.l hand.l"
    assert freed(figure, [goals[0], Hold("finger.r"), Hold("head")], lock=["arm.r"]) == (
        "spine head arm.l hand.l hand.r"
    )


def test_a_hold_of_a_position_frees_only_what_can_move_it(figure):
    reach = Reach("finger.l", root="spine")
    assert freed(figure, [reach, Hold("hand.r", orientation=False)]) == "spine arm.l hand.l arm.r"
    assert freed(figure, [reach, Hold("hand.r")]) == "spine arm.l hand.l arm.r hand.r"


def test_a_hold_below_the_copy_of_a_freed_joint_frees_its_own_way():
    rig = Skeleton(
        [
            Node("left", None, HERE, Hinge("z")),
            Node("right", None, (0, 1, 0), Hinge("z", mimic="left")),
            Node("wrist", "right", (1, 0, 0)),
        ],
        [Tip("one", "left", (1, 0, 0)), Tip("two", "wrist", (1, 0, 0))],
    )
    assert freed(rig, [Reach("one"), Hold("two")]) == "left right wrist"


def test_fixed_joints_and_frozen_axes_do_not_count():
    joints = [Ball(), Hinge("z"), Fixed(), Axes("xy", frozen="xy"), Ball()]
    rig = supple.chain([1] * 5, joint=joints)
    assert freed(rig, Reach("tip", depth=2)) == "j1 j4"
    assert freed(rig, Reach("tip")) == "j0 j1 j4"
    assert freed(rig, Reach("tip", root="j2")) == "j4"


# Joints that cannot help a position


def test_a_hinge_through_the_effector_does_not_count_for_its_position():
    twist = supple.chain([1, 1, 1], joint=[Ball(), Ball(), Hinge("x")])
    assert freed(twist, Reach("tip", depth=1)) == "j1"
    assert freed(twist, Reach("tip")) == "j0 j1"
    assert freed(twist, Reach("tip", point=(0, 0.1, 0), depth=1)) == "j2"
    assert freed(twist, Reach("tip", orientation=(1, 0, 0, 0), depth=1)) == "j2"
    # Above a joint that bends, a twist does move the effector.
    rig = supple.chain([1, 1], joint=[Hinge("x"), Hinge("z")])
    assert freed(rig, Reach("tip")) == "j0 j1"


def test_joints_at_the_same_place_do_not_move_it():
    wrist = supple.chain([1, 0, 0, 1], joint=[Ball(), Hinge("z"), Hinge("y"), Hinge("x")])
    assert freed(wrist, Reach("j3", depth=1)) == "j0"
    assert freed(wrist, Reach("j3", orientation=(1, 0, 0, 0), depth=2)) == "j2 j3"


def test_a_rigid_piece_in_between_carries_the_axis_on():
    rig = supple.chain([1, 1, 1], joint=[Ball(), Hinge("x"), Fixed()])
    assert freed(rig, Reach("tip", depth=1)) == "j0"
    rig = supple.chain([1, 1, 1], joint=[Ball(), Hinge("z"), Fixed()])
    assert freed(rig, Reach("tip", depth=1)) == "j1"


@pytest.mark.parametrize("joint", [Slider("x"), Free(), Planar("z")])
def test_what_slides_moves_even_its_own_origin(joint):
    rig = supple.chain([1, 1], joint=[Ball(), joint])
    assert freed(rig, Reach("j1", depth=1)) == "j1"


def test_a_stretch_moves_what_its_joint_carries_but_not_the_joint():
    rig = supple.chain([1, 1], joint=[Ball(), Fixed(stretch=(0.5, 2))])
    assert freed(rig, Reach("tip", depth=1)) == "j1"
    assert freed(rig, Reach("j1", depth=1)) == "j0"
    rig = supple.chain([1, 1], joint=[Ball(), Hinge("x", stretch=(0.5, 2))])
    assert freed(rig, Reach("tip", depth=1)) == "j1"


# Locks


def test_locked_joints_stay_and_do_not_count(snake):
    assert freed(snake, Reach("tip"), lock=["j1"]) == "j0 j2 j3"
    assert freed(snake, Reach("tip", depth=2), lock=["j2"]) == "j1 j3"
    assert freed(snake, Reach("tip", root="j2"), lock=("j2",)) == "j3"


@pytest.fixture
def gripper():
    """Two fingers, the second of which copies the first, and a third that copies the second."""
    return Skeleton(
        [
            Node("palm", None, HERE, Ball()),
            Node("first", "palm", (1, 1, 0), Hinge("z")),
            Node("second", "palm", (1, -1, 0), Hinge("z", mimic=("first", -1, 0))),
            Node("third", "palm", (1, 0, 1), Hinge("z", mimic=("second", 2, 0))),
        ],
        [Tip("one", "first", (1, 0, 0)), Tip("two", "second", (1, 0, 0)), Tip("three", "third", (1, 0, 0))],
    )  # fmt: skip


def test_joints_that_copy_one_another_are_freed_together(gripper):
    assert freed(gripper, Reach("one", depth=1)) == "first second third"
    assert freed(gripper, Reach("three", depth=1)) == "first second third"


@pytest.mark.parametrize("name", ["first", "second", "third"])
def test_and_locked_together(gripper, name):
    goals = [Reach("one"), Reach("three")]
    assert freed(gripper, goals, lock=[name]) == "palm"


# The free root


def body(root):
    """A pelvis with two legs and a spine that carries two arms; beside it a cube."""
    nodes = [Node("world", None, HERE, Fixed()), Node("pelvis", "world", (0, 1, 0), root)]
    nodes += [Node("spine", "pelvis", (0, 0.2, 0)), Node("cube", "world", (1, 0, 0), Free())]
    tips = [Tip("tail", "pelvis", (0, 0, -0.2)), Tip("corner", "cube", (0.1, 0.1, 0.1))]
    for side, x in (("l", 0.2), ("r", -0.2)):
        nodes += [
            Node(f"arm.{side}", "spine", (x, 0.3, 0)),
            Node(f"hip.{side}", "pelvis", (x, 0, 0)),
            Node(f"knee.{side}", f"hip.{side}", (0, -0.5, 0), Hinge("x")),
        ]
        tips.append(Tip(f"hand.{side}", f"arm.{side}", (x, 0, 0)))
        tips.append(Tip(f"foot.{side}", f"knee.{side}", (0, -0.5, 0)))
    return Skeleton(nodes, tips)


@pytest.fixture(params=[Free(), Planar("y")], ids=["free", "planar"])
def standing(request):
    return body(request.param)


LEGS = "hip.l knee.l hip.r knee.r"
TURN = (1, 0, 0, 0)


def moves_root(skeleton, *goals, **options):
    return "pelvis" in freed(skeleton, list(goals), **options).split()


def test_a_free_root_stays_for_a_limb(standing):
    assert freed(standing, Reach("hand.l")) == "spine arm.l"
    assert freed(standing, [Reach("hand.l"), Reach("hand.r")]) == "spine arm.l arm.r"
    assert freed(standing, Reach("foot.l")) == "hip.l knee.l"
    assert freed(standing, Reach("hand.l", orientation=TURN)) == "spine arm.l"
    assert freed(standing, LookAt("arm.l", HERE, depth=0)) == "spine arm.l"
    assert freed(standing, Reach("hand.l", depth=9)) == "spine arm.l"


def test_a_free_root_moves_where_it_is_asked_for(standing):
    assert freed(standing, Reach("hand.l"), free_root=True) == "pelvis spine arm.l"
    assert freed(standing, Reach("hand.l", depth=2), free_root=True) == "spine arm.l"
    assert freed(standing, Reach("hand.l", root="pelvis")) == "pelvis spine arm.l"
    assert freed(standing, Reach("hand.l", root="spine"), free_root=True) == "spine arm.l"
    assert not moves_root(standing, Reach("hand.l"), free_root=True, lock=["pelvis"])


def test_a_free_root_moves_where_nothing_else_moves_the_effector(standing):
    assert freed(standing, Reach("pelvis")) == "pelvis"
    assert freed(standing, Reach("tail")) == "pelvis"
    assert freed(standing, Reach("corner")) == "cube"
    assert freed(standing, [Reach("hand.l"), Reach("corner")]) == "spine cube arm.l"
    assert freed(standing, Reach("foot.l"), lock=["hip.l", "knee.l"]) == "pelvis"
    alone = supple.chain([1, 1], joint=[Free(), Fixed()])
    assert freed(alone, Reach("tip")) == "j0"


def test_a_limb_that_is_held_moves_the_root(standing):
    both = [Hold("foot.l"), Hold("foot.r")]
    whole = f"pelvis spine arm.l {LEGS}"
    assert set(freed(standing, [Reach("hand.l"), *both]).split()) == set(whole.split())
    assert moves_root(standing, Reach("hand.l"), Hold("foot.l"))
    assert moves_root(standing, Reach("hand.l"), Hold("foot.l", orientation=False))
    # A turn that is held keeps nothing in its place, and what is reached for is not held.
    assert not moves_root(standing, Reach("hand.l"), Hold("foot.l", position=False))
    assert not moves_root(standing, Reach("hand.l"), Hold("hand.l"))
    # Who holds the root itself, or what is fixed to it, wants it to stay.
    assert not moves_root(standing, Reach("hand.l"), Hold("pelvis"))
    assert not moves_root(standing, Reach("hand.l"), Hold("tail"))
    assert not moves_root(standing, Reach("hand.l", root="spine"), Hold("foot.l"))


def test_balance_holds_no_foot(standing):
    assert not moves_root(standing, Reach("hand.l"), Balance(["foot.l", "foot.r"]))


def test_a_loop_holds_a_limb_only_at_what_no_free_root_carries(standing):
    assert moves_root(standing, Reach("hand.l"), Weld("foot.l", "world"))
    assert moves_root(standing, Weld("world", "foot.l"))
    assert not moves_root(standing, Connect("hand.l", "hand.r"))
    # A cube is brought to the hand, not the body to the cube.
    assert freed(standing, Weld("hand.l", "cube")) == "spine cube arm.l"


def test_limbs_that_all_have_goals_move_the_root(standing):
    feet = [Reach("foot.l"), Reach("foot.r", HERE, orientation=TURN)]
    assert moves_root(standing, Reach("hand.l"), *feet)
    assert not moves_root(standing, *feet)
    assert not moves_root(standing, Reach("hand.l"), feet[0])
    assert not moves_root(standing, LookAt("arm.l", HERE, depth=0), *feet)
    lone = supple.chain([1, 1, 1], joint=[Free(), Ball(), Ball()])
    assert freed(lone, Reach("tip")) == "j1 j2"


def test_what_became_of_the_root_is_told(standing):
    def told(*goals, free_root=False):
        locked = locked_joints(standing, ())
        found = freed_roots(standing, goals, locked, free_root=free_root)
        return [[standing.joint_names[r.joints[0]] for r in part] for part in found]

    assert told(Reach("hand.l")) == [["pelvis"], []]
    assert told(Reach("hand.l"), free_root=True) == [[], ["pelvis"]]
    assert told(Reach("hand.l"), Hold("foot.l")) == [[], ["pelvis"]]
    assert told(Reach("hand.l", root="pelvis")) == [[], []]
    assert told(Reach("hand.l", root="spine")) == [[], []]
    assert told(Reach("pelvis")) == [[], []]


# Bad input


def test_an_unknown_name_is_an_error_with_the_nearest(figure):
    with pytest.raises(SuppleError, match=r"unknown effector 'finger_l'.*did you mean 'finger.l'"):
        freed(figure, Reach("finger_l"))
    with pytest.raises(SuppleError, match=r"unknown effector 3"):
        freed(figure, Reach(3))
    with pytest.raises(SuppleError, match=r"unknown root joint 'spin'.*did you mean 'spine'"):
        freed(figure, Reach("finger.l", root="spin"))
    with pytest.raises(SuppleError, match=r"unknown joint to lock 'heed'.*did you mean 'head'"):
        freed(figure, Reach("finger.l"), lock=["heed"])


def test_a_root_must_be_a_joint_above_the_effector(figure):
    message = (
        r"root 'arm.r' is not above 'finger.l'; above it are 'hand.l', 'arm.l', 'spine', 'hips'"
    )
    with pytest.raises(SuppleError, match=message):
        freed(figure, Reach("finger.l", root="arm.r"))
    with pytest.raises(SuppleError, match=r"unknown root joint 'finger.l'"):
        freed(figure, Reach("finger.l", root="finger.l"))


@pytest.mark.parametrize("lock", ["head", b"head", 3, None])
def test_a_lock_is_a_list_of_names(figure, lock):
    with pytest.raises(SuppleError, match=r"lock: expected a list of joint names"):
        locked_joints(figure, lock)


def test_a_tip_cannot_be_locked(figure):
    with pytest.raises(SuppleError, match=r"unknown joint to lock 'finger.l'"):
        locked_joints(figure, ["finger.l"])


def test_locks_come_in_any_iterable(figure):
    locked = locked_joints(figure, (name for name in ["head", "hips"]))
    assert np.flatnonzero(locked).tolist() == [0, 2]


def test_goals_that_nothing_can_move_are_an_error(figure):
    with pytest.raises(SuppleError, match=r"nothing can move 'hips'"):
        freed(figure, Reach("hips"))
    with pytest.raises(SuppleError, match=r"nothing can move 'finger.l'.*fixed or locked"):
        freed(figure, Reach("finger.l", root="hand.l"), lock=["hand.l"])
