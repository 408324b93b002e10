"""The free root: the joints that place a model in the world."""

import math

import pytest

import supple
from supple import Ball, Cone, Fixed, Free, Hinge, Node, Planar, Skeleton, Slider, Tip, rotations

HERE = (0.0, 0.0, 0.0)


def stacked(*joints):
    """Joints at one point, one below the other, and an arm of two hinges on the last."""
    nodes, parent = [], None
    for k, joint in enumerate(joints):
        nodes.append(Node(f"j{k}", parent, HERE, joint))
        parent = f"j{k}"
    nodes += [
        Node("shoulder", parent, (0, 0, 0.3), Hinge("y")),
        Node("elbow", "shoulder", (0, 0, 0.3), Hinge("y")),
    ]
    return Skeleton(nodes, [Tip("hand", "elbow", (0, 0, 0.3))])


def roots(skeleton):
    return [" ".join(skeleton.joint_names[j] for j in root.joints) for root in skeleton.free_roots]


@pytest.mark.parametrize(
    ("joints", "found"),
    [
        ([Free()], "j0"),
        ([Planar("z")], "j0"),
        ([Fixed(), Free()], "j1"),
        ([Free(stretch=(0.5, 2.0))], "j0"),
        ([Slider("x"), Slider("y")], "j0 j1"),
        ([Slider("x"), Slider("y"), Hinge("z")], "j0 j1 j2"),
        ([Slider("x"), Slider("z"), Hinge("y")], "j0 j1 j2"),
        ([Slider("x"), Slider("y"), Slider("z"), Ball()], "j0 j1 j2 j3"),
        ([Slider("x"), Slider("y"), Slider("z"), *map(Hinge, "xyz")], "j0 j1 j2 j3 j4 j5"),
        ([Planar("z"), Hinge("z")], "j0"),
        ([Free(), Ball()], "j0"),
        ([Slider("x"), Slider("y"), Hinge("z", limits=(-1, 1))], "j0 j1"),
    ],
)
def test_joints_that_slide_along_two_directions_without_limits(joints, found):
    assert roots(stacked(*joints)) == [found]


@pytest.mark.parametrize(
    "joints",
    [
        [Ball()],
        [Slider("x")],
        [Slider("x"), Hinge("z"), Slider("y")],
        [Slider("x", limits=(0, 1)), Slider("y", limits=(0, 1))],
        [Slider("x"), Slider("y", limits=(0, None))],
        [Planar("z", limits={"u": (-1, 1)})],
        [Slider("x"), Slider((1, 0.1, 0))],
        [Cone(1.0, axis="x"), Free()],
        [Hinge("z"), Free()],
    ],
)
def test_a_machine_that_slides_has_no_free_root(joints):
    assert roots(stacked(*joints)) == []


def test_sliders_apart_from_each_other_are_a_machine():
    gantry = Skeleton(
        [Node("x", None, HERE, Slider("x")), Node("y", "x", (0, 0, 1), Slider("y"))],
        [Tip("tool", "y")],
    )
    assert roots(gantry) == []


def test_directions_are_compared_in_one_frame():
    quarter = rotations.from_axis_angle("z", math.pi / 2)
    nodes = [Node("a", None, HERE, Slider("x")), Node("b", "a", HERE, Slider("x"), quarter)]
    assert roots(Skeleton(nodes)) == ["a b"]
    nodes = [Node("a", None, HERE, Slider("x")), Node("b", "a", HERE, Slider("y"), quarter)]
    assert roots(Skeleton(nodes)) == []


def test_every_tree_has_its_own():
    nodes = [
        Node("robot", None, HERE, Free()),
        Node("arm", "robot", (1, 0, 0), Hinge("z")),
        Node("table", None, HERE, Fixed()),
        Node("cube", "table", (0, 0, 1), Free()),
    ]
    skeleton = Skeleton(nodes)
    assert roots(skeleton) == ["robot", "cube"]
    assert [root.slides for root in skeleton.free_roots] == [(0, 1, 2), (8, 9, 10)]


def test_a_chain_of_balls_has_none():
    assert supple.chain([1, 1]).free_roots == ()
