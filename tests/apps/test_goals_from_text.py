"""Loops, collisions and balance as text."""

import numpy as np
import pytest

import supple
from supple import Avoid, Balance, Box, Capsule, Connect, Plane, SuppleError, Weld
from supple.apps.goals_from_text import Constraints, obstacle, pair, same_pose


def test_obstacles_are_read():
    assert obstacle("plane:0,0,0.1:z") == Plane((0, 0, 0.1), (0, 0, 1))
    assert obstacle("plane:1,2,3") == Plane((1, 2, 3), (0, 0, 1))
    assert obstacle("plane:0,0,0:-y") == Plane((0, 0, 0), (0, -1, 0))
    assert obstacle("plane:0,0,0:1e-1,0,1e-1") == Plane((0, 0, 0), (1, 0, 1))
    assert obstacle("box:1,2,3:0.1,0.2,0.3") == Box((1, 2, 3), (0.1, 0.2, 0.3))
    assert obstacle("box:1,2,3:1,1,1:0,1,0,0").rotation == (0, 1, 0, 0)
    assert obstacle("capsule:0,0,0:0,0,1:0.1") == Capsule((0, 0, 0), (0, 0, 1), 0.1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("wall:0,0,0", "kind of obstacle"),
        ("plane", "plane:X,Y,Z:NORMAL"),
        ("plane:0,0:z", "point of a Plane"),
        ("plane:0,0,0:up", "normal of obstacle"),
        ("box:0,0,0:1,1,a", "numbers with commas"),
        ("box:0,0,0:1,1,0", "numbers above 0"),
        ("box:0,0,0:nan,1,1", "finite"),
        ("capsule:0,0,0:0,0,1:1,2", "one number as the radius"),
        ("capsule:0,0,0:0,0,1", "capsule:FROM:TO:RADIUS"),
    ],
)
def test_bad_obstacles_are_refused(text, said):
    with pytest.raises(SuppleError, match=said):
        obstacle(text)


def test_pairs_may_have_names_with_commas():
    known = ("a", "b", "a,b", "mixamorig:LeftHand")
    assert pair("connect", "a,b", known) == ("a", "b")
    assert pair("connect", "a,b,b", known) == ("a,b", "b")
    assert pair("connect", "b,mixamorig:LeftHand", known) == ("b", "mixamorig:LeftHand")
    with pytest.raises(SuppleError, match="did you mean"):
        pair("connect", "a,mixamorig:LeftHnd", known)
    with pytest.raises(SuppleError, match="two names, A,B, got 'a'"):
        pair("connect", "a", known)


def test_constraints_become_goals():
    hero = supple.humanoid()
    asked = Constraints(
        0.01, ("plane:0,0,0:y",), ("foot.L,foot.R",), 0.02, ("hand.L,hand.R",), ("head,chest",)
    )
    weighed = asked.weighed(hero)
    assert weighed.skeleton.masses and asked.weighed(weighed) is weighed
    connect, weld, avoid, balance = asked.goals(weighed)
    assert connect == Connect("hand.L", "hand.R") and weld == Weld("head", "chest")
    assert isinstance(avoid, Avoid) and avoid.margin == 0.01 and len(avoid.obstacles) == 1
    assert balance == Balance(["foot.L", "foot.R"], margin=0.02, up="y")
    assert asked.names(hero.skeleton.names) == (
        "hand.L", "hand.R", "head", "chest", "foot.L", "foot.R"
    )  # fmt: skip
    pose = same_pose(weighed.pose, hero.skeleton)
    assert pose.skeleton == hero.skeleton and np.array_equal(
        pose.coordinates, hero.pose.coordinates
    )


def test_the_skin_gives_the_capsules_of_a_character():
    hero = supple.humanoid()
    (avoid,) = Constraints(0.0).goals(hero)
    assert dict(avoid.capsules) == dict(hero.capsules)
    (avoid,) = Constraints(0.0).goals(supple.Character(supple.chain([1, 1])))
    assert avoid.capsules is None


def test_nothing_asked_is_no_goal():
    assert not Constraints().any and Constraints().goals(supple.humanoid()) == []
    assert Constraints(0.0).any and not Constraints(0.0).frees
    assert Constraints(connect=("a,b",)).frees
