"""Poses: batches, values by name, interpolation, measures, and coming back from JSON and pickle."""

import copy
import json
import math
import pickle
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import supple
from supple import rotations as rot
from supple.errors import SuppleError
from supple.model.joints import Axes, Ball, Cone, Fixed, Free, Hinge, Planar, Slider
from supple.model.skeleton import Node, Pose, Skeleton, Tip, chain
from supple.model.sketch import limit_curves


@pytest.fixture
def rig():
    return Skeleton(
        [
            Node("root", None, (0, 0, 0), Free()),
            Node("hip.l", "root", (0, 1, 0), Ball(stretch=(0.5, 2))),
            Node("knee", "hip.l", (0, -2, 0), Hinge("x", limits=(0, 2.5))),
            Node("copy", "knee", (0, -1, 0), Hinge("x", mimic=("knee", -1, 0.2))),
            Node("ankle", "copy", (0, -2, 0), Axes("xz", [(-1, 1), None])),
            Node("neck", "root", (0, 2, 0), Cone(0.5, (-1, 1), axis="y")),
            Node("rail", "root", (1, 0, 0), Slider("x", limits=(0, 3))),
            Node("puck", "rail", (0, 0, 1), Planar("y", [(-1, 1), (-1, 1), None])),
            Node("stone", "root", (0, 0, 2), Fixed()),
        ],
        [Tip("toe", "ankle", (0, -1, 1))],
    )


def random_poses(skeleton, *shape, seed=0):
    rng = np.random.default_rng(seed)
    return Pose.from_angles(skeleton, rng.uniform(0.1, 0.9, (*shape, len(skeleton.freedoms))))


# Values by name


def test_values_by_name_go_where_they_belong(rig):
    turn = rot.from_euler("xyz", (0.1, 0.2, 0.3))
    pose = rig.pose(
        {
            "root": (1, 2, 3, *turn),
            "hip.l": turn,
            "hip.l.stretch": 1.5,
            "knee": 0.7,
            "ankle": {"z": 0.4},
            "neck": (0, 0.3, 0),
            "rail": 2,
            "puck.v": 0.25,
        }
    )
    angles = dict(zip(rig.freedoms, pose.angles, strict=True))
    np.testing.assert_array_equal(pose.position("root"), (1, 2, 3))
    np.testing.assert_allclose(pose.rotation("root"), turn, atol=1e-16)
    assert angles["hip.l.stretch"] == 1.5
    assert angles["knee"] == 0.7
    assert (angles["ankle.x"], angles["ankle.z"]) == (0, 0.4)
    assert angles["neck.y"] == pytest.approx(0.3)
    assert (angles["rail"], angles["puck.u"], angles["puck.v"]) == (2, 0, 0.25)
    knee, follower = pose.coordinates[12], pose.coordinates[13]
    assert (knee, follower) == (0.7, -0.7 + 0.2)


def test_values_broadcast_as_batches(rig):
    poses = rig.pose({"knee": np.linspace(0, 1, 5), "rail": 1.0})
    assert poses.batch_shape == (5,)
    np.testing.assert_array_equal(poses.angles[:, rig.freedoms.index("rail")], 1.0)
    more = poses.with_({"ankle": np.zeros((3, 1, 2))})
    assert more.batch_shape == (3, 5)
    assert rig.pose() == rig.rest


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"kne": 1}, "unknown joint 'kne'.*did you mean 'knee'"),
        ({"toe": 1}, "unknown joint 'toe'"),
        ({"knee": (1, 2, "a")}, "pose of 'knee'"),
        ({"knee": math.nan}, "pose of 'knee'.*nan"),
        ({"hip.l": (1, 1, 0, 0)}, "pose of 'hip.l'.*unit quaternion"),
        ({"hip.l": 0.5}, r"pose of 'hip.l'.*\(\.\.\., 4\)"),
        ({"ankle": (1, 2, 3)}, r"pose of 'ankle'.*\(\.\.\., 2\)"),
        ({"ankle.y": 1}, "coordinate of 'ankle' 'y'.*'x', 'z'"),
        ({"copy": 1}, "it copies 'knee'"),
        ({"stone": 1}, "does not move"),
        ({"knee": np.zeros(2), "rail": np.zeros(3)}, "batch axes"),
    ],
)
def test_bad_values_are_refused(rig, values, message):
    with pytest.raises(SuppleError, match=message):
        rig.pose(values)


def test_constructor_checks_what_it_is_given(rig):
    rest = rig.rest.coordinates
    for args, message in (
        ([rest[:-1]], "coordinates.*shape"),
        ([rest * math.nan], "coordinates.*nan"),
        ([rest * 2], "coordinates of 'root'.*unit quaternion.*length 2"),
        ([rest, np.zeros((2, 3))], "translations.*shape"),
        ([np.tile(rest, (2, 1)), np.zeros((3, 9, 3))], "batch axes"),
        ([rest, None, np.full((9, 3), math.inf)], "scales"),
    ):
        with pytest.raises(SuppleError, match=message):
            Pose(rig, *args)
    assert Pose(rig) == rig.rest


def test_constructor_copies_and_nothing_can_be_written(rig):
    coordinates = rig.rest.coordinates.copy()
    offsets = rig.offsets.copy()
    pose = Pose(rig, coordinates, offsets)
    coordinates[0] = 5
    offsets[0] = 7
    assert pose.coordinates[0] == 0
    assert not pose.translations[0].any()
    for array in (pose.coordinates, pose.translations, pose.positions, pose.rotations):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        pose.coordinates = coordinates


def test_mimic_coordinates_are_made_consistent(rig):
    coordinates = rig.rest.coordinates.copy()
    coordinates[12], coordinates[13] = 1.0, 99.0
    assert Pose(rig, coordinates).coordinates[13] == -0.8


# Batches


def test_batches_index_iterate_and_stack(rig):
    poses = random_poses(rig, 4, 3)
    assert len(poses) == 4
    assert poses[1].batch_shape == (3,)
    assert poses[1][2] == poses[1, 2] == poses[-3, -1]
    assert poses[1:3].batch_shape == (2, 3)
    assert poses[..., 1].batch_shape == (4,)
    assert poses[..., 1][2] == poses[2, 1]
    assert poses[np.array([True, False, True, False])].batch_shape == (2, 3)
    assert Pose.stack(list(poses)) == poses
    assert [p.batch_shape for p in poses[0]] == [()] * 3
    for bad in (4, (0, 0, 0)):
        with pytest.raises(IndexError):
            poses[bad]
    for use in (len, iter, lambda p: p[0]):
        with pytest.raises(TypeError):
            use(poses[0, 0])


def test_batched_translations_and_scales_are_indexed_too(rig):
    own = np.random.default_rng(1).normal(size=(4, 9, 3))
    poses = Pose(rig, rig.rest.coordinates, own, np.full((9, 3), 2.0))
    assert poses.batch_shape == (4,)
    np.testing.assert_array_equal(poses[2].translations, own[2])
    np.testing.assert_array_equal(poses[..., 2].translations, own[2])
    np.testing.assert_array_equal(poses[2].scales, np.full((9, 3), 2.0))


def test_stack_fills_in_missing_translations(rig):
    own = rig.offsets + 1
    both = Pose.stack([rig.rest, Pose(rig, None, own)])
    np.testing.assert_array_equal(both.translations, [rig.offsets, own])
    assert both.scales is None
    for bad, message in (
        ([], "at least one"),
        ([rig.rest, chain([1]).rest], "one skeleton"),
        ([rig.rest, both], "batch shape"),
        ([rig.rest, 3], "expected a supple.Pose"),
    ):
        with pytest.raises(SuppleError, match=message):
            Pose.stack(bad)


# Angles


def test_angles_of_balls_are_their_rotation_vectors():
    arm = chain([1] * 4)
    rng = np.random.default_rng(0)
    q = rng.normal(size=(50, 4, 4))
    q[:4] = (1, 0, 0, 0), (-1, 0, 0, 0), (1, 1e-200, 0, 0), (0, 0, 0, 1)
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    poses = Pose(arm, q.reshape(50, 16))
    expected = rot.to_rotation_vector(q).reshape(50, 12)
    np.testing.assert_allclose(poses.angles, expected, rtol=2e-15, atol=0)
    np.testing.assert_array_equal([pose.angles for pose in poses], poses.angles)
    np.testing.assert_array_equal(poses[:0].angles, np.empty((0, 12)))


def test_angles_come_back(rig):
    poses = random_poses(rig, 6)
    again = Pose.from_angles(rig, poses.angles)
    np.testing.assert_allclose(again.coordinates, poses.coordinates, atol=1e-15)
    assert poses.angles.shape == (6, len(rig.freedoms))
    with pytest.raises(SuppleError, match="angles.*shape"):
        Pose.from_angles(rig, [1, 2])


def test_frozen_axes_have_no_angle_but_keep_their_value():
    arm = chain([1], joint=Axes("xyz", frozen="y"))
    pose = arm.pose({"j0": (0.1, 0.2, 0.3)})
    assert pose.angles.tolist() == [0.1, 0.3]
    assert Pose.from_angles(arm, pose.angles).coordinates.tolist() == [0.1, 0, 0.3]


# Interpolation


def test_interpolation_has_exact_ends_and_slerps(rig):
    a, b = random_poses(rig, seed=1), random_poses(rig, seed=2)
    ways = a.interpolate(b, np.linspace(0, 1, 5))
    assert ways.batch_shape == (5,)
    assert ways[0] == a
    assert ways[-1] == b
    hip = slice(7, 11)
    np.testing.assert_allclose(
        ways[1].coordinates[hip],
        rot.slerp(a.coordinates[hip], b.coordinates[hip], 0.25),
        atol=1e-15,
    )
    assert ways[2].coordinates[12] == pytest.approx((a.coordinates[12] + b.coordinates[12]) / 2)
    np.testing.assert_allclose(np.linalg.norm(ways.coordinates[:, hip], axis=1), 1, atol=1e-15)
    turns = a.turns(ways)
    np.testing.assert_allclose(turns[:, 1], np.linspace(0, 1, 5) * turns[-1, 1], atol=1e-14)


def test_interpolation_of_numbers_counts_whole_turns():
    arm = chain([1], joint=Hinge())
    middle = arm.pose({"j0": -5.0}).interpolate(arm.pose({"j0": 5.0}), 0.75)
    assert middle.coordinates.tolist() == [2.5]


def test_interpolation_mixes_translations_and_scales(rig):
    a = rig.rest
    b = Pose(rig, a.coordinates, rig.offsets + 2, np.full((9, 3), 3.0))
    middle = a.interpolate(b, 0.5)
    np.testing.assert_allclose(middle.translations, rig.offsets + 1)
    np.testing.assert_allclose(middle.scales, 2.0)
    many = Pose.stack([a, a]).interpolate(b, np.zeros((3, 1)))
    assert many.batch_shape == (3, 2)
    assert many.translations.shape == (3, 2, 9, 3)
    with pytest.raises(SuppleError, match="one skeleton"):
        a.interpolate(chain([1]).rest, 0.5)


# Measures


def test_turns_between_poses(rig):
    a = rig.pose({"knee": 1.0, "hip.l": rot.from_axis_angle("y", 0.2), "rail": 1, "puck.angle": 5})
    b = rig.pose({"knee": -5.0, "hip.l": -rot.from_axis_angle("y", -0.1), "rail": 3})
    turns = dict(zip(rig.joint_names, a.turns(b), strict=True))
    assert turns["knee"] == 6.0
    assert turns["copy"] == pytest.approx(6.0)
    assert turns["hip.l"] == pytest.approx(0.3)
    assert turns["puck"] == 5.0
    assert turns["rail"] == turns["stone"] == turns["root"] == 0
    assert Pose.stack([a, b]).turns(a).shape == (2, 9)


def test_turns_of_axes_is_the_angle_of_the_whole_turn():
    arm = chain([1], joint=Axes("xyx"))
    assert arm.pose({"j0": (0.4, 0, -0.4)}).turns(arm.rest)[0] == pytest.approx(0, abs=1e-15)


def test_violations_and_clamping_by_joint(rig):
    pose = rig.pose({"knee": 3.0, "ankle": (-2, 9), "rail": -1, "neck": (1.0, 0, 0)})
    over = dict(zip(rig.joint_names, pose.violations(), strict=True))
    assert over["knee"] == pytest.approx(0.5)
    assert over["ankle"] == pytest.approx(1.0)
    assert over["rail"] == pytest.approx(1.0)
    assert over["neck"] == pytest.approx(0.5)
    assert over["hip.l"] == 0
    held = pose.clamped()
    assert held.violations().max() < 1e-12
    assert held.coordinates[13] == -held.coordinates[12] + 0.2


# Keeping


def test_equality_hash_copy_pickle_json(rig):
    own = np.random.default_rng(0).normal(size=(9, 3))
    for pose in (
        rig.rest,
        random_poses(rig),
        random_poses(rig, 2, 3),
        Pose(rig, random_poses(rig, 2).coordinates, own, own),
    ):
        text = json.dumps(pose.to_json(), allow_nan=False)
        for other in (
            pickle.loads(pickle.dumps(pose)),
            copy.copy(pose),
            copy.deepcopy(pose),
            Pose.from_json(json.loads(text)),
            Pose.from_json(json.loads(text), rig),
            Pose.from_json(pose.to_json(skeleton=False), rig),
        ):
            assert other == pose
            assert hash(other) == hash(pose)
            np.testing.assert_array_equal(other.positions, pose.positions)
    assert rig.rest != rig.pose({"knee": 1e-16})
    assert rig.rest != Pose(rig, None, own)
    assert Pose(rig, None, own) != Pose(rig, None, None, own)
    assert rig.rest != chain([1]).rest
    assert rig.rest != 3


def test_equal_poses_hash_alike_whatever_the_sign_of_zero():
    arm = chain([1], joint=Hinge())
    for other in (Pose(arm, [-0.0]), Pose.from_angles(arm, [-0.0])):
        assert other == arm.rest
        assert hash(other) == hash(arm.rest)


def test_bad_json_is_refused(rig):
    data = rig.rest.to_json(skeleton=False)
    other = chain([1])
    for args, message in (
        ([data], "skeleton="),
        ([data, other], "another's"),
        ([rig.rest.to_json(), other], "got one of a skeleton of 9 joints that has no joint 'j0'"),
        ([{**data, "version": 2}, rig], "version 1"),
        ([{**data, "format": "x"}, rig], "supple-pose"),
        ([{**data, "coordinates": None}, rig], "expected coordinates"),
        ([{**data, "coordinates": [1]}, rig], "shape"),
    ):
        with pytest.raises(SuppleError, match=message):
            Pose.from_json(*args)


# Showing


def test_repr_says_where_the_tips_are(rig):
    assert repr(chain([1, 1]).rest) == "Pose(2 joints; tip at (2, 0, 0))"
    assert repr(random_poses(rig, 4, 3)) == "Pose(batch 4x3, 9 joints)"


def circles(svg):
    root = ElementTree.fromstring(svg)
    return [e for e in root.iter() if e.tag.endswith("circle")]


def test_picture_shows_every_joint_and_tip_inside_its_frame(rig):
    svg = random_poses(rig)._repr_svg_()
    dots = circles(svg)
    assert len(dots) == len(rig.names)
    assert sum(dot.get("fill") == "#87cefa" for dot in dots) == len(rig.joints)
    for dot in dots:
        assert 0 <= float(dot.get("cx")) <= 360
        assert 0 <= float(dot.get("cy")) <= 240
    assert "nan" not in svg


@pytest.mark.parametrize(
    "pose",
    [
        chain([1]).rest,
        chain([0.0]).rest,
        chain([1e-9, 1e-9]).rest,
        chain([1e9, 1]).rest,
        chain(np.ones(300)).rest,
        Pose(chain([1]), np.zeros((0, 4))),
        chain([1, 1], names=["<&>", '"']).rest,
    ],
)
def test_pictures_of_awkward_poses_are_well_formed(pose):
    svg = pose._repr_svg_()
    assert "nan" not in svg
    ElementTree.fromstring(svg)


def test_picture_of_a_batch_shows_at_most_a_dozen(rig):
    assert len(circles(random_poses(rig, 100)._repr_svg_())) == 12 * len(rig.names)


def test_limit_curves_show_the_limits():
    arm = chain([3, 3], joint=[Hinge("z", limits=(-0.5, 1.0)), Ball()])
    (curve,) = limit_curves(arm.pose({"j0": 0.7}))
    angles = np.arctan2(curve.points[1:-1, 1], curve.points[1:-1, 0])
    assert curve.joint == 0
    assert (angles.min(), angles.max()) == pytest.approx((-0.5, 1.0))
    np.testing.assert_allclose(np.linalg.norm(curve.points[1:-1], axis=1), 1.0)

    arm = chain([3, 3], joint=Hinge("z", limits=(-0.2, 0.9)))
    _, curve = limit_curves(arm.pose({"j0": 0.6, "j1": 0.5}))
    spokes = curve.points[1:-1] - curve.points[0]
    angles = np.arctan2(spokes[:, 1], spokes[:, 0])
    assert (angles.min(), angles.max()) == pytest.approx((0.4, 1.5))

    cone = chain([3], joint=Cone(0.4))
    rim = limit_curves(cone.pose({"j0": (0, 0, 0.3)}))[0].points
    np.testing.assert_allclose(rim[:, 0], math.cos(0.4), atol=1e-12)
    assert limit_curves(chain([1, 1]).rest) == []


# On another skeleton ------------------------------------------------------------------------------


def test_a_pose_on_another_skeleton_takes_joints_by_name():
    arm = chain([1, 1, 1], joint=[Ball(), Hinge("z", limits=(-1, 1)), Hinge("z")])
    other = Skeleton(
        [
            Node("base", None, (0, 0, 0), Hinge("y")),
            Node("j1", "base", (0, 0, 5), Hinge("z", limits=(-1, 1))),
            Node("j0", "j1", (2, 0, 0), Hinge("x")),
            Node("j2", "j0", (1, 0, 0), Ball()),
        ]
    )
    turn = rot.from_axis_angle("x", 0.4)
    pose = arm.pose({"j0": turn, "j1": 5.0, "j2": -0.3})
    found = pose.on(other)
    assert found.skeleton == other
    assert found.translations is None
    q = dict(zip(other.joint_names, np.split(found.coordinates, [1, 2, 3]), strict=True))
    assert q["base"].tolist() == [0.0]  # which the pose does not have
    assert q["j1"].tolist() == [5.0]  # the same joint: its number, whole turns and all
    assert q["j0"] == pytest.approx([0.4])  # the part about its axis
    np.testing.assert_allclose(q["j2"], rot.from_axis_angle("z", -0.3), atol=1e-15)
    assert pose.on(arm) == pose


def test_poses_of_a_batch_go_to_another_skeleton_each_by_itself():
    balls, hinges = chain([1, 1]), chain([1, 1], joint=Hinge("z"))
    angles = np.random.default_rng(0).uniform(-3, 3, (4, 5, 2))
    turned = {f"j{k}": rot.from_axis_angle("z", angles[..., k]) for k in range(2)}
    poses = balls.rest.with_(turned).on(hinges)
    assert poses.batch_shape == (4, 5)
    np.testing.assert_allclose(poses.coordinates, angles, atol=1e-12)  # none goes on from the last
    moved = Pose(balls, None, np.broadcast_to(balls.offsets * 2, (3, 2, 3)))
    assert moved.on(hinges).translations is not None
    np.testing.assert_allclose(moved.on(hinges).positions[..., 1, :], [[2, 0, 0]] * 3)


def test_a_slide_of_another_joint_becomes_an_offset():
    rail = chain([1, 1], joint=[Slider("x"), Hinge("z")])
    fixed = rail.with_joints({"j0": Fixed()})
    pose = rail.pose({"j0": 0.7, "j1": 0.2})
    np.testing.assert_allclose(pose.on(fixed).positions, pose.positions, atol=1e-15)


def test_nothing_in_common_is_an_error():
    with pytest.raises(SuppleError, match=r"on: expected joints that .* has too, got 'j0'"):
        chain([1]).rest.on(chain([1], names=["a"]))


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (chain([1, 1, 1]), "of 3 joints that has the joint 'j2' besides"),
        (chain([1]), "of 1 joint that has no joint 'j1'"),
        (chain([1, 2]), r"whose tip 'tip' has the offset \(2, 0, 0\), not \(1, 0, 0\)"),
        (chain([1, 1], joint=[Ball(), Hinge()]), r"whose joint 'j1' is Hinge\(\), not Ball\(\)"),
        (chain([2, 1], joint=Hinge()), r"'j0' is Hinge\(\), not Ball\(\) \(and 1 more differ\)"),
        (
            Skeleton([Node("j0"), Node("j1")], [Tip("tip", "j1", (1, 0, 0))]),
            "whose joint 'j1' has the parent None, not 'j0'",
        ),
        (
            Skeleton([Node("j1"), Node("j0")], [Tip("tip", "j1", (1, 0, 0))]),
            "in which the same joints and tips come in another order",
        ),
    ],
)
def test_a_pose_of_another_skeleton_is_told_by_what_differs(other, difference):
    arm = chain([1, 1])
    hint = r"; pose\.on\(skeleton\) takes a pose over"
    with pytest.raises(
        SuppleError, match=f"interpolate: expected poses of one .*{difference}{hint}"
    ):
        arm.rest.interpolate(other.rest, 0.5)
    with pytest.raises(SuppleError, match=f"start: expected a pose of .*{difference}{hint}"):
        supple.solve(arm, {"tip": (1, 1, 0)}, start=other.rest)
    assert supple.solve(arm, {"tip": (1, 1, 0)}, start=other.rest.on(arm)).reached


def test_a_pose_is_true():
    pose = supple.chain([1, 1]).rest
    assert pose
    assert Pose(pose.skeleton, np.zeros((0, 8)))
