"""Skeletons: order, names, what they refuse, and what stays the same when they are rebuilt."""

import copy
import json
import math
import pickle

import numpy as np
import pytest
from tests.counting import lines_run

from supple import rotations as rot
from supple.errors import SuppleError
from supple.kernels import layout
from supple.model.joints import Axes, Ball, Cone, Fixed, Free, Hinge, Planar, Slider
from supple.model.skeleton import Node, Pose, Skeleton, Tip, chain
from supple.solve.solve import solve


@pytest.fixture
def figure():
    """A branching figure with every kind of joint."""
    turned = rot.from_euler("xyz", (0.3, -0.2, 0.5))
    return Skeleton(
        [
            Node("hips", None, (0, 10, 0), Free()),
            Node("spine", "hips", (0, 2, 0), Axes("zxz", {"x": (-1, 1)}, frozen="z2"), turned),
            Node("arm", "spine", (1, 2, 0), Ball(stretch=(0.5, 2)), turned),
            Node("elbow", "arm", (3, 0, 0), Hinge("y", limits=(0, 2.5), damping=0.3)),
            Node("wrist", "elbow", (2, 0, 0), Cone(0.5, (-1, 1)), turned),
            Node("lid", "hips", (0, 0, 1), Hinge("x", mimic=("elbow", -0.5, 0.1))),
            Node("rail", "hips", (0, 0, -1), Slider((1, 1, 0), limits=(0, 2), stiffness=0.5)),
            Node("car", "rail", (0, 1, 0), Planar("y", {"u": (-1, 1)})),
            Node("horn", "car", (0, 1, 1), Fixed(), turned),
        ],
        [Tip("hand", "wrist", (1, 0.2, 0), turned), Tip("eye", "arm", (0, 1, 0))],
    )


def some_pose(skeleton, seed=0):
    rng = np.random.default_rng(seed)
    return Pose.from_angles(skeleton, rng.uniform(0.3, 0.9, len(skeleton.freedoms)))


def test_chain_is_straight_along_x():
    snake = chain([9, 9, 9, 9, 4])
    assert snake.joint_names == ("j0", "j1", "j2", "j3", "j4")
    assert snake.tip_names == ("tip",)
    np.testing.assert_array_equal(snake.rest.positions[:, 0], [0, 9, 18, 27, 36, 40])
    assert not snake.rest.positions[:, 1:].any()
    assert all(joint == Ball() for joint in snake.joints)


def test_chain_takes_joints_and_names():
    arm = chain([1, 0, 2], joint=[Hinge(), Cone(1.0), Slider()], names=["a", "b", "c"])
    assert arm.names == ("a", "b", "c", "tip")
    assert arm.joints[0] == Hinge()
    assert arm.freedoms == ("a", "b.x", "b.y", "b.z", "c")


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([], "at least one length"),
        ([1, -2], "0 or more, got -2 for link 1"),
        ([1, math.nan], "got nan"),
        (3.0, "shape"),
        (["a"], "numbers"),
    ],
)
def test_chain_refuses_bad_lengths(lengths, message):
    with pytest.raises(SuppleError, match=f"chain lengths.*{message}"):
        chain(lengths)


@pytest.mark.parametrize("joint", ["hinge", Hinge, 3])
def test_chain_wants_a_joint_not_its_name_or_class(joint):
    with pytest.raises(
        SuppleError, match=r"chain joint: expected a joint such as Ball\(\) or Hinge"
    ):
        chain([1, 2], joint=joint)


def test_chain_wants_a_joint_and_a_name_for_each_link():
    with pytest.raises(SuppleError, match="joints: expected 3.*got 2"):
        chain([1, 1, 1], joint=[Ball(), Ball()])
    with pytest.raises(SuppleError, match="names: expected 1.*got 2"):
        chain([1], names=["a", "b"])


def test_parents_come_first_and_the_given_order_is_kept():
    skeleton = Skeleton([("c", "b"), ("z",), ("b", "a"), ("a",), ("d", "z")])
    assert skeleton.joint_names == ("a", "b", "c", "z", "d")
    assert [skeleton.joint_names[j] for j in skeleton.file_order] == ["c", "z", "b", "a", "d"]
    assert skeleton.parents.tolist() == [-1, 0, 1, -1, 3]
    assert [node.name for node in skeleton.nodes] == ["c", "z", "b", "a", "d"]
    assert Skeleton(skeleton.nodes, skeleton.tips) == skeleton
    sorted_one = Skeleton([("a",), ("b", "a"), ("c", "b")])
    assert sorted_one.file_order.tolist() == [0, 1, 2]


def test_freedoms_are_named(figure):
    assert figure.freedoms == (
        *(f"hips.{x}" for x in ("tx", "ty", "tz", "x", "y", "z")),
        *("spine.z", "spine.x"),
        *("arm.x", "arm.y", "arm.z", "arm.stretch"),
        "elbow",
        *("wrist.x", "wrist.y", "wrist.z"),
        "rail",
        *("car.u", "car.v", "car.angle"),
    )


def test_finding_the_way(figure):
    assert figure.index("hips") == 0
    assert figure.names[figure.index("hand")] == "hand"
    assert figure.children("arm") == ("elbow", "eye")
    assert figure.children("hand") == ()
    assert figure.parent("hand") == "wrist"
    assert figure.parent("hips") is None
    assert figure.path("arm", "hand") == ("arm", "elbow", "wrist", "hand")
    assert figure.path(None, "eye") == ("hips", "spine", "arm", "eye")
    assert figure.path("arm", "arm") == ("arm",)
    assert figure.length("elbow") == 3
    assert figure.length("hand", root="arm") == pytest.approx(5 + math.hypot(1, 0.2))
    assert "hand" in figure
    assert "foot" not in figure
    with pytest.raises(SuppleError, match="root above 'hand'.*got 'rail'"):
        figure.path("rail", "hand")
    with pytest.raises(SuppleError, match="did you mean 'wrist'"):
        figure.index("wirst")
    with pytest.raises(SuppleError):
        figure.index(3)


@pytest.mark.parametrize(
    ("nodes", "tips", "message"),
    [
        ([], [], "at least one joint"),
        ([("a", "c"), ("b", "a"), ("c", "b")], [], "cycle of parents: a -> c -> b -> a"),
        ([("a", "a")], [], "cycle of parents: a -> a"),
        ([("r",), ("x", "y"), ("y", "x")], [], "cycle of parents: x -> y -> x"),
        ([("a",), ("a",)], [], "'a'.*already"),
        ([("a",)], [("a", "a")], "tip 'a'.*there is a joint of that name"),
        ([("a",)], [("t", "a"), ("t", "a")], "tip 't'.*there is a tip of that name"),
        ([("",)], [], "joint 0.*not blank"),
        ([("a",), (" ",)], [], "joint 1.*not blank"),
        ([(None,)], [], "not blank, got None"),
        ([("shoulder",), ("b", "sholder")], [], "did you mean 'shoulder'"),
        ([("a",), ("b", 0)], [], "joint 'b'.*parent among the joints"),
        ([("shoulder",)], [("t", "sholder")], "joint of tip 't'.*did you mean 'shoulder'"),
        ([("a", None, (0, math.nan, 0))], [], "offset of joint 'a'.*nan"),
        ([("a",), ("b", "a", (0, 0))], [], "offset of joint 'b'.*shape"),
        ([("a",)], [("t", "a", (math.inf, 0, 0))], "offset of tip 't'.*inf"),
        ([("a", None, (0, 0, 0), Ball(), (1, 1, 0, 0))], [], "'a'.*unit quat.*length 1.41421"),
        ([("a", None, (0, 0, 0), Ball(), (0, 0, 0, 0))], [], "'a'.*unit quaternion.*length 0"),
        ([("a", None, (0, 0, 0), Ball(), (math.nan, 0, 0, 0))], [], "rotation of joint 'a'.*nan"),
        ([("a", None, (0, 0, 0), "ball")], [], "joint 'a'.*such as Ball"),
        (["abc"], [], "Node"),
        ([("a",)], ["tip"], "Tip"),
        ([("a", None, (0, 0, 0), Cone(1))], [], "'a'.*no child and no tip; give axis="),
        (
            [("a", None, (0, 0, 0), Cone(1)), ("b", "a", (1, 0, 0))],
            [("t", "a", (0, 1, 0))],
            "'a'.*2 children and tips; give axis=",
        ),
        ([("a", None, (0, 0, 0), Cone(1)), ("b", "a")], [], "'a'.*same place; give axis="),
        ([("elbow", None, (0, 0, 0), Hinge()), ("a", "elbow", (0, 0, 0), Hinge(mimic="elbo"))], [],
         "'a'.*did you mean 'elbow'"),
        ([("b",), ("a", "b", (0, 0, 0), Hinge(mimic="b"))], [], "'a'.*'b', which is a Ball"),
        ([("a", None, (0, 0, 0), Hinge(mimic="a"))], [], "loop of mimics, got a -> a"),
        (
            [("a", None, (0, 0, 0), Hinge(mimic="b")), ("b", "a", (0, 0, 0), Slider(mimic="a"))],
            [],
            "loop of mimics, got a -> b -> a",
        ),
    ],
)  # fmt: skip
def test_bad_skeletons_are_refused(nodes, tips, message):
    with pytest.raises(SuppleError, match=message):
        Skeleton(nodes, tips)


def test_nearly_unit_rotations_are_normalised():
    skeleton = Skeleton([("a", None, (0, 0, 0), Ball(), (1 + 5e-7, 0, 0, 0))])
    np.testing.assert_array_equal(skeleton.rotations, [(1, 0, 0, 0)])


def test_cone_points_at_its_only_child():
    skeleton = Skeleton(
        [("a", None, (0, 0, 0), Cone(1)), ("b", "a", (0, 3, 4), Cone(1))], [("t", "b", (-2, 0, 0))]
    )
    axes = skeleton.packed_floats[:, layout.AXIS : layout.AXIS + 3]
    np.testing.assert_allclose(axes, [(0, 0.6, 0.8), (-1, 0, 0)], atol=1e-16)


def test_packed_rows_hold_what_the_joints_say(figure):
    ints, floats = figure.packed_ints, figure.packed_floats
    for array in (ints, floats, *figure.packed_tips):
        assert array.flags.c_contiguous
        assert array.flags.writeable
    assert ints[:, layout.KIND].tolist() == [joint.kind for joint in figure.joints]
    counts = [joint.coordinate_count for joint in figure.joints]
    assert ints[:, layout.NQ].tolist() == counts
    assert ints[:, layout.Q].tolist() == np.concatenate([[0], np.cumsum(counts)[:-1]]).tolist()
    spine, arm, elbow, lid, rail, car = map(
        figure.index, ("spine", "arm", "elbow", "lid", "rail", "car")
    )
    assert ints[spine, layout.ORDER] == 2 + 4 * 0 + 16 * 2
    assert ints[spine, layout.FROZEN] == 0b100
    assert ints[arm, layout.STRETCH_Q] == ints[arm, layout.Q] + 4
    assert figure.freedoms[ints[arm, layout.STRETCH_DOF]] == "arm.stretch"
    assert figure.freedoms[ints[elbow, layout.DOF]] == "elbow"
    assert ints[lid, layout.DOF] == -1
    assert ints[lid, layout.MIMIC] == elbow
    assert floats[elbow, layout.DAMPING] == 0.3
    assert floats[rail, layout.WEIGHT] == 0.5
    assert floats[rail, layout.DAMPING] == math.inf
    assert floats[arm, layout.STRETCH_LO] == 0.5
    limits = floats[:, layout.LIMITS : layout.LIMITS + 6]
    assert limits[spine].tolist() == [-math.inf, math.inf, -1, 1, -math.inf, math.inf]
    assert limits[car].tolist() == [-1, 1, *[-math.inf, math.inf] * 2]


def test_mimics_of_mimics_point_at_the_joint_at_the_end_and_hand_on_their_limits():
    skeleton = Skeleton(
        [
            Node("c", None, joint=Hinge(mimic=("b", -2, 1), limits=(-5, 3))),
            Node("b", "c", joint=Hinge(mimic=("a", 3, 0.5))),
            Node("a", "b", joint=Hinge(limits=(-10, 10))),
        ]
    )
    c, b, a = map(skeleton.index, "cba")
    ints, floats = skeleton.packed_ints, skeleton.packed_floats
    assert ints[[c, b, a], layout.MIMIC].tolist() == [a, a, -1]
    assert floats[c, layout.MIMIC_MUL] == -6  # -2 (3 a + 0.5) + 1
    assert floats[c, layout.MIMIC_ADD] == 0
    low, high = floats[a, layout.LIMITS : layout.LIMITS + 2]
    assert low == pytest.approx(3 / -6)
    assert high == pytest.approx(-5 / -6)
    pose = skeleton.pose({"a": 0.25})
    assert pose.coordinates[[c, b, a]].tolist() == [-1.5, 1.25, 0.25]


def test_rest_of_a_mimic_with_an_offset(figure):
    at = figure.packed_ints[figure.index("lid"), layout.Q]
    assert figure.rest.coordinates[at] == 0.1


def test_arrays_and_attributes_cannot_be_written(figure):
    for array in (figure.parents, figure.offsets, figure.rotations, figure.file_order):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        figure.joints = ()
    with pytest.raises(AttributeError):
        figure.something = 1


def test_equality_hash_copy_pickle_json(figure):
    again = Skeleton(figure.nodes, figure.tips)
    assert again is not figure
    for other in (
        again,
        pickle.loads(pickle.dumps(figure)),
        copy.copy(figure),
        copy.deepcopy(figure),
        Skeleton.from_json(json.loads(json.dumps(figure.to_json(), allow_nan=False))),
    ):
        assert other == figure
        assert hash(other) == hash(figure)
        assert other.fingerprint == figure.fingerprint
        np.testing.assert_array_equal(other.packed_floats, figure.packed_floats)
    assert figure.with_joints({"elbow": Hinge("y", limits=(0, 2.4))}) != figure
    assert figure != "figure"
    moved = [n._replace(offset=(0, 10.5, 0)) if n.name == "hips" else n for n in figure.nodes]
    assert Skeleton(moved, figure.tips).fingerprint != figure.fingerprint


def test_signed_zeros_are_equal():
    assert Skeleton([("a", None, (0.0, -0.0, 0.0))]) == Skeleton([("a",)])


def test_json_of_another_format_or_version_is_refused(figure):
    data = figure.to_json()
    for bad, message in (
        ({}, "format 'supple-skeleton'"),
        ([], "format 'supple-skeleton'"),
        ({**data, "version": 99}, "expected version 1, got 99"),
        ({**data, "joints": [{"name": "a"}]}, "expected name, parent"),
        ({**data, "joints": []}, "at least one joint"),
    ):
        with pytest.raises(SuppleError, match=message):
            Skeleton.from_json(bad)


def test_with_joints_replaces_only_those(figure):
    other = figure.with_joints({"arm": Ball(), "horn": Hinge("x")})
    assert other.joints[other.index("arm")] == Ball()
    assert other.joints[other.index("elbow")] == figure.joints[figure.index("elbow")]
    np.testing.assert_array_equal(other.offsets, figure.offsets)
    with pytest.raises(SuppleError, match="did you mean 'elbow'"):
        figure.with_joints({"elbwo": Ball()})
    with pytest.raises(SuppleError, match="unknown joint 'hand'"):
        figure.with_joints({"hand": Ball()})


def test_with_rest_keeps_the_world_frames(figure):
    pose = some_pose(figure)
    based = figure.with_rest(pose)
    np.testing.assert_allclose(based.rest.frames, pose.frames, atol=1e-13)
    assert based.names == figure.names
    assert not based.rest.angles[based.freedoms.index("elbow")]
    # The same change of a hinge from there on does the same.
    bent = {"elbow": pose.coordinates[figure.packed_ints[3, layout.Q]] + 0.4}
    np.testing.assert_allclose(
        based.pose({"elbow": 0.4}).positions, pose.with_(bent).positions, atol=1e-13
    )


def test_with_rest_takes_translations_and_scales(figure):
    offsets = figure.offsets + 0.25
    shifted = Pose(figure, some_pose(figure).coordinates, offsets)
    np.testing.assert_allclose(figure.with_rest(shifted).rest.frames, shifted.frames, atol=1e-13)
    scales = np.random.default_rng(1).uniform(0.5, 2, offsets.shape)
    scaled = Pose(figure, shifted.coordinates, offsets, scales)
    based = figure.with_rest(scaled)
    np.testing.assert_allclose(based.rest.positions, scaled.positions, atol=1e-12)
    assert np.max(rot.angle_between(based.rest.rotations, scaled.rotations)) < 1e-12


def test_with_joints_wants_names(figure):
    with pytest.raises(SuppleError, match=r"with_joints: expected \{name: joint\}, got \[Ball"):
        figure.with_joints([Ball()])


def test_with_rest_wants_one_pose_of_this_skeleton(figure):
    answer = solve(chain([1]), {"tip": (0, 1, 0)})
    with pytest.raises(
        SuppleError, match=r"expected a supple.Pose, got a Solution; give its .pose"
    ):
        figure.with_rest(answer)
    with pytest.raises(SuppleError, match="of this skeleton"):
        figure.with_rest(chain([1]).rest)
    with pytest.raises(SuppleError, match="single pose"):
        figure.with_rest(Pose.stack([figure.rest] * 2))


def test_repr_tree_and_html_show_the_joints(figure):
    assert repr(figure).startswith(
        "Skeleton(9 joints: hips, spine, arm, elbow, ..., horn; tips: hand"
    )
    tree = figure.tree()
    assert tree.splitlines()[0].startswith("hips")
    assert any("└─ wrist" in line and "Cone(swing=0.5" in line for line in tree.splitlines())
    assert len(tree.splitlines()) == len(figure.names)
    assert figure.tree(limit=3).endswith("... and 8 more")
    html = chain([1, 1], names=["<a>", "b&c"])._repr_html_()
    assert "<svg" in html
    assert "&lt;a&gt;" in html
    assert "<a>" not in html


def test_ten_thousand_joints_are_built_in_linear_time_and_without_recursion():
    half = lines_run(lambda: chain(np.ones(1_000)))
    whole = lines_run(lambda: chain(np.ones(2_000)))
    assert whole < 2.1 * half
    deep = chain(np.ones(10_000))
    assert len(deep.path("j0", "tip")) == 10_001
    assert deep.rest.position("tip")[0] == 10_000
    assert deep.length("tip", root="j0") == 10_000
    assert "more" in deep.tree()
    reverse = Skeleton([(f"n{k}", f"n{k + 1}") for k in range(9_999)] + [("n9999",)])
    assert reverse.joint_names[0] == "n9999"
    assert pickle.loads(pickle.dumps(deep)) == deep
    with pytest.raises(SuppleError, match="cycle"):
        Skeleton([(f"n{k}", f"n{(k + 1) % 10_000}") for k in range(10_000)])


def test_what_is_no_skeleton_is_said():
    with pytest.raises(SuppleError, match="expected a list such as"):
        Skeleton(None)


def test_everything_packed_is_in_c_order():
    joints = [Hinge("z"), Ball(), Hinge("x")]
    for skeleton in (chain([1, 1, 1], joint=joints), chain([1, 1], joint=Hinge("z"))):
        for name, value in skeleton.packed._asdict().items():
            assert not isinstance(value, np.ndarray) or value.flags.c_contiguous, name


def test_a_long_name_is_shortened_in_the_text_of_a_skeleton():
    text = repr(Skeleton([("a" * 80_000, None, (0, 0, 0)), ("b", "a" * 80_000, (1, 0, 0))]))
    assert len(text) < 200 and text.startswith("Skeleton(2 joints: aaa")
