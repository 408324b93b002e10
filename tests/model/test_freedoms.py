"""The table of freedoms, against what joints say of themselves and against poses."""

import math

import numpy as np
import pytest

import supple
from supple import Axes, Ball, Cone, Free, Hinge, Mimic, Node, Planar, Pose, Skeleton, Slider, Tip
from supple.model.freedoms import Kind


def every_kind():
    """All kinds of joints: a free root, copies, a frozen axis, stretches, cones, a fixed joint."""
    return Skeleton(
        [
            Node("free", None, (0.1, 0.2, 0.3), Free()),
            Node("hinge", "free", (0.5, 0.0, 0.0), Hinge("z", (-1.0, 2.0), stretch=(0.5, 2.0))),
            Node("axes", "hinge", (0.4, 0.0, 0.2), Axes("zxy", {"y": (-0.5, 0.25)}, frozen="x")),
            Node("copy", "axes", (0.3, 0.3, 0.0), Hinge("y", (-3.0, 1.5), mimic=Mimic("hinge", -2.0, 0.1))),
            Node("again", "copy", (0.3, 0.0, 0.0), Slider("x", mimic=Mimic("copy", 0.5, 1.0))),
            Node("fixed", "again", (0.1, 0.0, 0.0), supple.Fixed()),
            Node("ball", "fixed", (0.2, 0.0, 0.4), Ball(stretch=(0.5, 2.0))),
            Node("slide", "ball", (0.3, 0.0, 0.0), Slider((1, 1, 0), (None, 2.0))),
            Node("planar", "slide", (0.0, 0.2, 0.0), Planar("x")),
            Node("cone", "planar", (0.0, 0.0, 0.3), Cone(1.0, axis="x", twist=(-0.25, 0.5))),
        ],
        [Tip("tip", "cone", (0.3, 0.1, 0.0))],
    )  # fmt: skip


def name_of(skeleton, row):
    """The name that `Skeleton.freedoms` gives a row that is a freedom of its own."""
    joint = skeleton.joints[row.joint[0]]
    kind = Kind(row.kind[0])
    if kind == Kind.STRETCH:
        label = "stretch"
    elif kind == Kind.ROTATION:
        label = "xyz"[row.part[0]]
    else:
        label = joint.scalars[row.part[0]].label
    name = skeleton.joint_names[row.joint[0]]
    return f"{name}.{label}" if label else name


def test_freedoms_are_those_of_the_skeleton_in_their_order():
    skeleton = every_kind()
    table = skeleton.freedom_table
    free = table.free
    names = [name_of(skeleton, free.take(slice(d, d + 1))) for d in range(len(free))]
    assert tuple(names) == skeleton.freedoms
    assert len(table) == len(free) == len(skeleton.freedoms)
    assert free.freedom.tolist() == list(range(len(free)))
    assert skeleton.freedom_table is table


def test_rows_say_what_joints_say():
    skeleton = every_kind()
    table = skeleton.freedom_table
    for j, joint in enumerate(skeleton.joints):
        rows = table.rows_of(j)
        scalars = rows.take(rows.is_scalar)
        assert scalars.is_slide.tolist() == [one.slides for one in joint.scalars]
        assert scalars.frozen.tolist() == [one.frozen for one in joint.scalars]
        assert np.allclose(
            scalars.axis, np.array([one.axis for one in joint.scalars]).reshape(-1, 3)
        )
        assert int((rows.kind == Kind.ROTATION).sum()) == 3 * joint.has_quaternion
        assert int((rows.kind == Kind.STRETCH).sum()) == (joint.stretch is not None)
        own = table.coordinates_of(j)
        assert own.stop - own.start == joint.coordinate_count
        assert table.joints.slides[j] == joint.slide_count
        assert table.joints.scalars[j] == len(joint.scalars)
        assert table.joints.freedoms[j] == joint.freedom_count
        bare = table.coordinates_of(j, stretch=False)
        assert bare.stop - bare.start == joint.coordinate_count - (joint.stretch is not None)


def test_copies_lead_to_the_end_of_their_line_and_narrow_its_limits():
    skeleton = every_kind()
    table = skeleton.freedom_table
    hinge = skeleton.freedoms.index("hinge")
    copy, again = (table.rows_of(skeleton.index(name)) for name in ("copy", "again"))
    for row, factor, offset in ((copy, -2.0, 0.1), (again, -1.0, 1.05)):
        assert row.freedom.tolist() == [hinge]
        assert row.source.tolist() == [skeleton.index("hinge")]
        assert row.factor[0] == pytest.approx(factor)
        assert row.offset[0] == pytest.approx(offset)
    # -3 <= -2 x + 0.1 <= 1.5
    assert table.free.low[hinge] == pytest.approx(-0.7)
    assert table.free.high[hinge] == pytest.approx(1.55)
    frozen = table.rows.take(table.rows.frozen)
    assert frozen.freedom.tolist() == [-1]
    assert skeleton.joint_names[frozen.joint[0]] == "axes"


def test_limits_of_scalars_and_cones():
    skeleton = every_kind()
    table = skeleton.freedom_table
    slide = skeleton.freedoms.index("slide")
    assert (table.free.low[slide], table.free.high[slide]) == (-math.inf, 2.0)
    stretch = skeleton.freedoms.index("ball.stretch")
    assert (table.free.low[stretch], table.free.high[stretch]) == (0.5, 2.0)
    cone = table.cones.of(skeleton.index("cone"))
    assert cone.swing.tolist() == [1.0]
    assert (cone.twist_low[0], cone.twist_high[0]) == (-0.25, 0.5)
    assert cone.axis.tolist() == [[1.0, 0.0, 0.0]]
    assert len(table.cones) == 1
    assert len(table.cones.of(skeleton.index("ball"))) == 0


def random_poses(skeleton, count=4):
    """Poses that nothing is special in."""
    generator = np.random.default_rng(3)
    angles = 0.6 + 0.2 * generator.normal(size=(count, len(skeleton.freedoms)))
    return Pose.from_angles(skeleton, angles)


def test_difference_is_the_inverse_of_a_step():
    skeleton = every_kind()
    table = skeleton.freedom_table
    q = random_poses(skeleton).coordinates
    step = 0.3 * np.random.default_rng(1).normal(size=(4, len(table)))
    moved = table.stepped(q, step)
    assert np.allclose(table.difference(q, moved), step)
    assert np.allclose(Pose(skeleton, moved).coordinates, moved)  # mimic joints are in their place
    assert np.allclose(table.stepped(q[0], step)[1:], table.stepped(np.array([q[0]] * 4), step)[1:])


def test_moves_is_where_the_jacobian_is_not_zero():
    skeleton = every_kind()
    table = skeleton.freedom_table
    pose = random_poses(skeleton)[0]
    for j, name in enumerate(skeleton.joint_names):
        found = np.abs(pose.jacobian(name)).max(axis=0) > 1e-9
        assert np.array_equal(found, table.moves[j]), name


def test_the_tightest_rate_counts_copies_by_their_factor():
    skeleton = every_kind()
    table = skeleton.freedom_table
    slide, turn = np.full(len(table.joints), 3.0), np.full(len(table.joints), 4.0)
    turn[skeleton.index("axes")] = 1.0
    found = dict(zip(skeleton.freedoms, table.tightest(slide, turn).tolist(), strict=True))
    assert found["hinge"] == 2.0  # its copy turns twice as fast
    assert found["slide"] == 3.0
    assert found["planar.u"] == 3.0
    assert found["planar.angle"] == found["ball.x"] == 4.0
    assert found["axes.z"] == found["axes.y"] == 1.0
    assert found["ball.stretch"] == math.inf


def test_nothing_can_be_written():
    table = every_kind().freedom_table
    with pytest.raises(ValueError, match="read-only"):
        table.free.low[0] = 0.0
    with pytest.raises(ValueError, match="read-only"):
        table.joints.coordinate[0] = 1


def test_rows_on_some_joints_keep_their_order():
    skeleton = every_kind()
    table = skeleton.freedom_table
    some = [skeleton.index(name) for name in ("planar", "hinge", "fixed")]
    found = table.free.on(some)
    names = [skeleton.freedoms[d] for d in found.freedom]
    assert names == ["hinge", "hinge.stretch", "planar.u", "planar.v", "planar.angle"]
    assert len(table.quaternions.on(some)) == 0
    assert len(table.quaternions.on(np.arange(len(skeleton.joints)))) == 3
