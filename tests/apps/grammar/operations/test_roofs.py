"""roofHip, roofGable, roofShed and roofPyramid, against areas and volumes computed by hand."""

import math

import numpy as np
import pytest

import supple

TOLD = (
    'report("area", geometry.area) report("volume", geometry.volume) report("n", geometry.nFaces)'
)


@pytest.fixture
def roof():
    """Area, volume, faces and size of a roof on a rectangle 8 by 4."""

    def build(operation, size=(8, 0, 4)):
        grown = supple.grow(f"Lot --> {operation} {TOLD} Roof", size=size)
        told = {key: values[0] for key, values in grown.reports.items()}
        return told["area"], told["volume"], told["n"], grown.leaves[0].size

    return build


ROOT2 = math.sqrt(2)


def test_a_hip_roof(roof):
    # Half of the 4 m rises 2 m at 45 degrees; the ridge is 8 - 4 = 4 m long. Sloped planes have
    # sqrt(2) times the area below. A wedge: width * height * (2 length + ridge) / 6.
    area, volume, faces, size = roof("roofHip(45)")
    assert (area, volume) == pytest.approx((32 + 32 * ROOT2, 4 * 2 * (16 + 4) / 6)) and faces == 5
    assert np.allclose(size, (8, 2, 4))
    assert roof("roofHip(byHeight, 3)")[1] == pytest.approx(40)
    # With 1 m on the roof's plane it reaches 1 / sqrt(2) further out and as much further down.
    assert np.allclose(roof("roofHip(45, 1)")[3], (8 + ROOT2, 2 + 1 / ROOT2, 4 + ROOT2))


def test_a_gable_roof(roof):
    # A prism; the gables have 4 m by 2 m each, halved.
    area, volume, faces, size = roof("roofGable(45)")
    assert (area, volume) == pytest.approx((32 + 32 * ROOT2 + 8, 32)) and faces == 5
    assert np.allclose(size, (8, 2, 4))
    assert np.allclose(roof("roofGable(45, 0, 1)")[3], (10, 2, 4)), "beyond the gables"
    assert np.allclose(roof("roofGable(45, 1)")[3], (8, 2 + 1 / ROOT2, 4 + ROOT2)), "at the eaves"
    # Along the other side the ridge spans 8 m and rises 4.
    assert roof("roofGable(45, 0, 0, false, 1)")[1] == pytest.approx(8 * 4 / 2 * 4)
    assert roof("roofGable(45)", size=(4, 0, 4))[1] == pytest.approx(4 * 2 / 2 * 4), "of a square"


def test_a_shed_and_a_pyramid(roof):
    area, volume, faces, size = roof("roofShed(45, 1)")  # edge 1 is one of 4 m
    assert volume == pytest.approx(8 * 8 / 2 * 4) and faces == 5 and np.allclose(size, (8, 8, 4))
    assert area == pytest.approx(32 + 32 * ROOT2 + 2 * 32 + 32)
    assert np.allclose(roof("roofShed(45)")[3], (8, 4, 4)), "edge 0 is the front"
    # The first edge is 2 m from the middle: it rises 2 m.
    assert roof("roofPyramid(45)")[1:3] == pytest.approx((32 * 2 / 3, 5))
    assert roof("roofPyramid(byHeight, 6)")[1] == pytest.approx(32 * 6 / 3)


def test_roofs_on_an_l(roof):
    # Wings of 2 m, 8 m and 6 m long: a ridge of 1 m height runs around the corner.
    rules = "shapeL(2, 2){{ shape : {} " + TOLD + " Roof | remainder : NIL }}"
    area, volume, faces, size = roof(rules.format("roofGable(45)"), size=(8, 0, 6))
    assert volume == pytest.approx(1 * (7 + 5)), "a prism along the middle of the wings"
    assert area == pytest.approx(24 + 24 * ROOT2 + 2) and faces == 1 + 4 + 2
    # Of each end a hip takes away a pyramid on 2 by 1, 1 high.
    assert roof(rules.format("roofHip(45)"), size=(8, 0, 6))[1] == pytest.approx(12 - 2 / 3)
    assert np.allclose(size, (8, 1, 6))


def test_the_scope_of_a_roof_and_the_selectors_of_its_faces(leaves):
    found = leaves(
        "Lot --> extrude(3) comp(f){ top : roofGable(45) Roof | all : NIL }\n"
        "Roof --> comp(f){ bottom : NIL | vertical : Gable | all : Plane }",
        size=(8, 0, 4),
    )
    assert found == {"Gable": [(4, 2, 0)] * 2, "Plane": [(8, round(2 * ROOT2, 9), 0)] * 2}
    grown = supple.grow(
        "Lot --> extrude(3) comp(f){ top : roofHip(45) R | all : NIL }", size=(8, 0, 4)
    )
    assert np.allclose(grown.leaves[0].point(0, 0, 0)[1], 3)
    assert np.allclose(grown.leaves[0].point(0, 1, 0)[1], 5)


def test_edges_of_a_roof_by_kind():
    rules = """Lot --> {} comp(e){{ eave : report("eave", scope.sx) E | ridge : report("ridge", scope.sx) R
        | hip : report("hip", scope.sx) H | valley : report("valley", scope.sx) V | all : NIL }}"""
    hip = supple.grow(rules.format("roofHip(45)"), size=(8, 0, 4)).reports
    assert sorted(hip["eave"]) == [4, 4, 8, 8] and hip["ridge"] == pytest.approx([4])
    assert hip["hip"] == pytest.approx([math.sqrt(12)] * 4) and "valley" not in hip
    gable = supple.grow(rules.format("roofGable(45)"), size=(8, 0, 4)).reports
    assert gable == {"eave": [8, 8], "ridge": pytest.approx([8])}
    ell = "shapeL(2, 2){{ shape : roofHip(45) Roof | remainder : NIL }}\nRoof --> "
    bent = supple.grow(rules.format(ell.format()), size=(8, 0, 6)).reports
    assert bent["valley"] == pytest.approx([math.sqrt(3)])


def test_split_roofs_have_storeys(leaves):
    """A mansard: a steep roof cut off, and a flat one on the lid."""
    found = leaves(
        "Lot --> roofHip(60) split(y){ 1 : comp(f){ bottom : NIL | horizontal : Top | all : Side } }\n"
        "Top --> roofHip(20) Upper",
        size=(8, 0, 4),
    )
    inset = 2 / math.tan(math.radians(60))
    (upper,) = found["Upper"]
    assert upper == pytest.approx(
        (8 - inset, (4 - inset) / 2 * math.tan(math.radians(20)), 4 - inset)
    )
    assert len(found["Side"]) == 4


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("extrude(2) roofHip(30)", "expected a flat shape"),
        ("roofHip(0)", "expected an angle or a height above 0"),
        ("roofHip(90)", "expected an angle up to 89.9"),
        ('roofHip("a")', "expected an angle"),
        ("roofHip(30, 1, true)", "even ridges"),
        ("roofHip(30, -1)", "overhang of at least 0"),
        ("shapeL(1, 1){ shape : roofShed(20, 3) A | remainder : NIL }", "lies behind edge 3"),
        ("primitiveDisk(300, 5) roofHip(30)", "at most 240 corners"),
        ("roofRidge(30)", "the operation 'roofRidge' is not supported"),
    ],
)
def test_shapes_that_cannot_have_a_roof_are_refused(refused, operation, message):
    said = refused(f"Lot --> {operation} A", size=(8, 0, 4))
    assert message in said and said.startswith("<rules>:1:"), said


def test_a_hip_roof_with_an_overhang_on_a_square_of_any_size(roof):
    # The planes reach 1 m on the slope beyond the square on every side.
    for side in (10.0, 0.1 + 0.2, 7.3, 12.1, 33.3):
        _, _, faces, size = roof("roofHip(30, 1)", size=(side, 0, side))
        out = 2 * math.cos(math.radians(30))
        assert faces == 5
        assert np.allclose(size[[0, 2]], side + out)


def test_a_pyramid_rises_from_the_middle_of_the_first_edge() -> None:
    """The apex of CityEngine's engine (PRT 3.3) on an irregular hexagon."""
    hexagon = (
        [(4, 0, 10), (9, 0, 9), (10, 0, 4), (6, 0, 0), (1, 0, 1), (0, 0, 6)],
        [tuple(range(6))],
    )
    rules = 'Lot --> i("plan") roofPyramid(30) A'
    (mesh,) = supple.grow(rules, size=(0, 0, 0), assets={"plan": hexagon}).meshes()
    top = mesh.positions[np.argmax(mesh.positions[:, 1])]
    assert top == pytest.approx((5, 2.7386, 5), abs=1e-4)
