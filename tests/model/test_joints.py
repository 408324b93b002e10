"""Joints: what they are made of, what they refuse, and that they come back from JSON."""

import copy
import json
import math
import pickle
import re
from dataclasses import FrozenInstanceError

import pytest

from supple.errors import SuppleError
from supple.model.joints import Axes, Ball, Cone, Fixed, Free, Hinge, Joint, Mimic, Planar, Slider
from supple.model.skeleton import Pose, chain

EXAMPLES = [
    Fixed(),
    Ball(),
    Ball(damping=0.2, stiffness=0.5, stretch=(0.5, 2)),
    Hinge(),
    Hinge("-y", limits=(None, 4.0)),
    Hinge((1, 1, 0), limits=(-1, 2), mimic=("other", 2, 0.5)),
    Slider("z", limits=(0, 3), stretch=(0.5, None)),
    Axes(),
    Axes("zxz", {"z2": (0, 1)}, frozen="x"),
    Axes("yx", [(-1, 1), None]),
    Cone(1.0),
    Cone(2, (-0.5, 0.25), axis=(0, 3, 4)),
    Cone((0.2, 0.9, 0.5, 1.2), 0.4, axis="x", up="-z"),
    Free(),
    Planar("x", {"angle": (-1, 1)}),
    Planar((1, 2, 3), [(0, 1), (0, 2), None]),
]


@pytest.mark.parametrize("joint", EXAMPLES, ids=repr)
def test_joint_survives_json_pickle_and_copy(joint):
    assert Joint.from_json(json.loads(json.dumps(joint.to_json(), allow_nan=False))) == joint
    assert pickle.loads(pickle.dumps(joint)) == joint == copy.deepcopy(joint)
    assert hash(pickle.loads(pickle.dumps(joint))) == hash(joint)
    with pytest.raises(FrozenInstanceError):
        joint.damping = 1.0


@pytest.mark.parametrize("joint", EXAMPLES, ids=repr)
def test_repr_is_the_call_that_makes_it(joint):
    assert eval(repr(joint), globals() | {"inf": math.inf}) == joint


@pytest.mark.parametrize("joint", EXAMPLES, ids=repr)
def test_counts_agree_with_labels(joint):
    assert joint.coordinate_count == len(joint.rest_coordinates) == len(joint.coordinate_labels)
    assert joint.freedom_count == len(joint.freedom_labels)
    assert all(lo <= hi for lo, hi in joint.limit_rows)


@pytest.mark.parametrize(
    ("joint", "coordinates", "freedoms"),
    [
        (Fixed(), 0, 0),
        (Hinge(), 1, 1),
        (Slider(), 1, 1),
        (Ball(), 4, 3),
        (Cone(1), 4, 3),
        (Axes(), 3, 3),
        (Axes("xy", frozen="y"), 2, 1),
        (Free(), 7, 6),
        (Planar(), 3, 3),
        (Fixed(stretch=(1, 2)), 1, 1),
        (Ball(stretch=(1, 2)), 5, 4),
        (Hinge(mimic="a"), 1, 0),
    ],
)
def test_each_kind_has_its_coordinates_and_freedoms(joint, coordinates, freedoms):
    assert (joint.coordinate_count, joint.freedom_count) == (coordinates, freedoms)


def test_axes_are_letters_signs_or_vectors():
    assert Hinge("z") == Hinge((0, 0, 5)) == Hinge()
    assert Hinge("-x").axis == (-1, 0, 0)
    assert Hinge("-x") != Hinge("x")
    with pytest.raises(SuppleError, match="Hinge axis"):
        Hinge("q")
    with pytest.raises(SuppleError, match="Hinge axis.*not zero"):
        Hinge((0, 0, 0))
    with pytest.raises(SuppleError, match="shape"):
        Hinge([(1, 0, 0), (0, 1, 0)])


def test_limits_may_be_open_and_lie_beyond_pi():
    assert Hinge(limits=(3, 9)).limits == (3, 9)
    assert Hinge(limits=(None, 1)).limits == (-math.inf, 1)
    assert Hinge(limits=(None, None)) == Hinge(limits=(-math.inf, math.inf)) == Hinge()
    assert Hinge(limits=(1, 1)).limits == (1, 1)


@pytest.mark.parametrize(
    "bad", [2.0, (1,), (1, 2, 3), "ab", (0, "x"), (math.nan, 1), (math.inf,) * 2]
)
def test_limits_must_be_a_pair(bad):
    with pytest.raises(SuppleError, match=r"limits: expected a pair \(lo, hi\)"):
        Hinge(limits=bad)


def test_limits_the_wrong_way_round_say_which_way_is_right():
    with pytest.raises(SuppleError, match=r"wrong way round.*2 above upper -1.*\(-1, 2\)"):
        Hinge(limits=(2, -1))
    with pytest.raises(SuppleError, match="limits of y: the wrong way round"):
        Axes("xyz", {"y": (1, 0)})


def test_axes_limits_by_letter_or_in_order():
    assert Axes("xyz", {"y": (0, 1)}) == Axes("xyz", [None, (0, 1), None])
    assert Axes("zxz", {"z2": (0, 1)}).limit_rows[2] == (0, 1)
    with pytest.raises(SuppleError, match="'w'.*'x', 'y', 'z'"):
        Axes("xyz", {"w": (0, 1)})
    for bad in ((0, 1), [(0, 1)], 3.0, (0, 1, 2)):
        with pytest.raises(SuppleError, match="pair or None for each of x, y, z"):
            Axes("xyz", bad)
    with pytest.raises(SuppleError, match="neighbours alike"):
        Axes("xxy")


def test_frozen_axes():
    assert Axes("xyz", frozen="zy") == Axes("xyz", frozen=["y", "z"])
    assert Axes("xyz", frozen="zy").freedom_labels == ("x",)
    assert Axes("zxz", frozen="z2").freedom_labels == ("z", "x")
    assert Axes("zxz", frozen="zz2").freedom_labels == ("x",)
    with pytest.raises(SuppleError, match="frozen axis 'y'"):
        Axes("xz", frozen="y")


def test_park_bone_maps_onto_axes():
    bone = Axes.from_bone([-1, 1, -2, 2, -3, 3], "XZ", damping=0.1)
    assert bone == Axes("xyz", [(-1, 1), (-2, 2), (-3, 3)], frozen="y", damping=0.1)
    assert Axes.from_bone([0] * 6, "").freedom_count == 0
    with pytest.raises(SuppleError, match="six numbers"):
        Axes.from_bone([1, 2, 3])
    with pytest.raises(SuppleError, match="bone rotation 'w'"):
        Axes.from_bone([0] * 6, "w")


def test_cone_limits():
    assert Cone(1.0).limit_rows == ((0, 1.0), (-math.pi, math.pi))
    assert Cone(1.0, (-9, 9)) == Cone(1.0) == Cone(1.0, None)
    assert Cone(1.0, 0.5) == Cone(1.0, (-0.5, 0.5))
    assert Cone(math.pi).limit_rows[0][1] == math.pi
    assert Cone(math.pi, (0, 1)).limit_rows[0][1] == pytest.approx(math.pi - 0.002)
    for bad in (-0.1, 3.2, math.nan, None, "wide"):
        with pytest.raises(SuppleError, match=r"Cone swing: expected an angle in \[0, pi\]"):
            Cone(bad)


@pytest.mark.parametrize("normal", ["x", "y", "z", "-z", (1, 2, 3), (-1, 0.2, 0)])
def test_planar_directions_are_square_to_the_normal(normal):
    joint = Planar(normal)
    n, u = joint.normal, joint.u_axis
    assert sum(a * b for a, b in zip(n, u, strict=True)) == pytest.approx(0, abs=1e-15)
    assert math.hypot(*u) == pytest.approx(1, abs=1e-15)
    if normal == "z":
        assert u == (1, 0, 0)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"damping": 0}, "damping: expected a number above 0"),
        ({"damping": -1}, "damping: expected a number above 0"),
        ({"damping": "a"}, "damping: expected a number above 0"),
        ({"stiffness": 1}, r"stiffness: expected a number in \[0, 1\)"),
        ({"stiffness": -0.1}, r"stiffness: expected a number in \[0, 1\)"),
        ({"stretch": (0, 1)}, "stretch: expected .* above 0"),
        ({"stretch": (None, 1)}, "stretch: expected .* above 0"),
        ({"stretch": (2, 1)}, "stretch: the wrong way round"),
        ({"stretch": 2}, "stretch: expected a pair"),
        ({"mimic": "other"}, "only a Hinge or a Slider"),
    ],
)
def test_common_keywords_are_checked(keywords, message):
    with pytest.raises(SuppleError, match=message):
        Ball(**keywords)


def test_mimic_may_be_a_name_a_tuple_or_itself():
    expected = Hinge(mimic=Mimic("a", 2, 1))
    assert Hinge(mimic=("a", 2, 1)) == expected
    assert Hinge(mimic={"joint": "a", "multiplier": 2, "offset": 1}) == expected
    assert Hinge(mimic="a").mimic == Mimic("a", 1, 0)
    for bad in (("a", 1, 2, 3), 5, {"name": "a"}, "", ("a", math.nan)):
        with pytest.raises(SuppleError, match="mimic"):
            Hinge(mimic=bad)


def test_bare_joint_and_bad_json_are_refused():
    with pytest.raises(SuppleError, match="Ball, Hinge"):
        Joint()
    with pytest.raises(SuppleError, match="did you mean 'Hinge'"):
        Joint.from_json({"kind": "Hinges"})
    with pytest.raises(SuppleError, match="did you mean 'limits'"):
        Joint.from_json({"kind": "Hinge", "limit": [0, 1]})
    with pytest.raises(SuppleError, match="expected a value for swing"):
        Joint.from_json({"kind": "Cone"})
    with pytest.raises(SuppleError, match="kind"):
        Joint.from_json({})


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Hinge(limits=(-91, 90.5)), "Hinge limits: got (-91, 90.5)"),
        (lambda: Hinge(limits=(None, 45.25)), "Hinge limits: got (None, 45.25)"),
        (lambda: Axes("xy", limits=[None, (-60.5, 60)]), "Axes limits of y: got (-60.5, 60)"),
        (lambda: Cone(0.5, twist=(-40.5, 40)), "Cone twist: got (-40.5, 40)"),
        (lambda: Planar(limits={"angle": (0, 35.5)}), "Planar limits of angle: got (0, 35.5)"),
        (lambda: Axes.from_bone([0, 1, -20.5, 20, 0, 1]), "Axes limits of y: got (-20.5, 20)"),
    ],
)
def test_limits_that_look_like_degrees_are_doubted(make, what, caplog):
    joint = make()
    make()  # once is enough
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert caplog.messages[0].startswith(
        f"{what}, which is beyond two turns and looks like degrees"
    )
    assert "radians" in caplog.messages[0]
    assert type(joint).from_json(joint.to_json()) == joint


def test_limits_of_some_turns_and_of_lengths_are_not_doubted(caplog):
    Hinge(limits=(-4 * math.pi, 4 * math.pi))
    Hinge(limits=(None, None))
    Slider(limits=(-500, 500))
    Planar(limits={"u": (-100, 100), "v": (-100, 100), "angle": (-1, 1)})
    assert not caplog.records


def test_a_swing_in_degrees_is_told_in_radians():
    with pytest.raises(SuppleError, match=r"in \[0, pi\], got 60; 60 degrees are 1.047"):
        Cone(60)


def test_cones_with_four_half_angles():
    cone = Cone([0, 1, 2, math.pi], 0.5, axis="x", up=(0, 3, 4))
    assert cone.swing == (0.0, 1.0, 2.0, math.pi) and cone.up == (0.0, 0.6, 0.8)
    assert repr(Cone((0.1, 0.2, 0.3, 0.4), up="-z")) == "Cone(swing=(0.1, 0.2, 0.3, 0.4), up='-z')"
    down, up, left, right = cone.half_angles
    assert (up, left) == (1.0, 2.0) and 0 < down <= 1e-9
    assert right == cone.limit_rows[0][1] == pytest.approx(math.pi - 0.002)
    assert Cone((1, 1, 1, 1)) == Cone(1) and Cone((1, 1, 1, 1)).half_angles is None
    assert Joint.from_json(cone.to_json()) == cone
    assert cone.kind != Cone(1).kind
    for bad, said in (
        ((1, 2), "four of them (down, up, left, right), got 2"),
        ((1, 2, 3, 60), "Cone swing right: expected an angle in [0, pi], got 60; 60 degrees"),
        ((1, 2, 3, None), "Cone swing right: expected an angle"),
        ("1234", "Cone swing: expected an angle"),
    ):
        with pytest.raises(SuppleError, match=re.escape(said)):
            Cone(bad)
    with pytest.raises(
        SuppleError, match="joint 'j0': expected an up of its Cone that is not along"
    ):
        chain([1], joint=Cone((1, 2, 1, 1), up="x"))


def test_an_axis_has_no_components_that_vanish_when_squared():
    joint = Cone(0.0, twist=(0.0, 0.0), axis=(0.0, -1e-323, -1.0))
    assert joint.axis == (0.0, 0.0, -1.0)
    arm = chain([1.0], joint=joint)
    turned = Pose(arm, (6.1e-17, 0.0, 0.0, 1.0))
    assert all(map(math.isfinite, turned.clamped().coordinates))
