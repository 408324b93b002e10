"""offset, setback, shapeL, shapeU and shapeO."""

import pytest

import supple


def areas(rules, **options):
    """{name: sorted areas of the leaves}."""
    grown = supple.grow(rules, **options)
    found: dict[str, list[float]] = {}
    store = grown.store
    for leaf in grown.leaves:
        geometry = store.geometry_list[store.geometries[leaf.index]]
        found.setdefault(leaf.name, []).append(round(geometry.area(tuple(leaf.size)), 6))
    return {name: sorted(values) for name, values in found.items()}


LOT = {"size": (8, 0, 4)}


def test_offset_inwards_and_outwards():
    assert areas("Lot --> offset(-1, inside) A", **LOT) == {"A": [6 * 2]}
    assert areas("Lot --> offset(-1, border) A", **LOT) == {"A": [32 - 12]}
    parts = areas("Lot --> offset(-1) comp(f){ inside : I | border : B }", **LOT)
    assert parts == {"I": [12], "B": [3, 3, 7, 7]}, "trapezoids: (4 + 2) / 2, (8 + 6) / 2"
    assert areas("Lot --> offset(1, inside) A", **LOT) == {"A": [10 * 6]}
    assert areas("Lot --> offset(1, border) A", **LOT) == {"A": [60 - 32]}
    # As in CityEngine's engine (PRT 3.3): the enlarged polygon, and strips that face the other way.
    assert areas("Lot --> offset(1) A", **LOT) == {"A": [60 + 28]}
    parts = "Lot --> offset(1) comp(f){{ inside : {} | border : {} }}"
    assert areas(parts.format("A", "NIL"), **LOT) == {"A": [60]}
    down = supple.grow(parts.format("NIL", "extrude(2) A"), **LOT).meshes()[0].positions
    assert (down[:, 1].min(), down[:, 1].max()) == (-2, 0)
    assert areas("Lot --> offset(-2, inside) A", **LOT) == {"A": [0]}, "nothing is left"


def test_a_frame_of_a_window(leaves):
    found = leaves(
        "Lot --> extrude(3) comp(f){ front : Window | all : NIL }\n"
        "Window --> offset(-0.1) comp(f){ inside : Glass | border : extrude(0.05) Frame }",
        **LOT,
    )
    assert found["Glass"] == [pytest.approx((7.8, 2.8, 0))]
    assert len(found["Frame"]) == 4 and all(
        size[1] == pytest.approx(0.05) for size in found["Frame"]
    )


def test_setback():
    assert areas("Lot --> setback(1){ front : F | remainder : R }", **LOT) == {"F": [8], "R": [24]}
    all_round = areas("Lot --> setback(1){ all : F | remainder : R }", **LOT)
    assert all_round == {"F": [3, 3, 7, 7], "R": [12]}
    assert areas("Lot --> setback(1){ all = F | remainder : R }", **LOT) == {"F": [20], "R": [12]}
    each = areas("Lot --> setback([0, 1, 2, 0]){ all : F | remainder : R }", **LOT)
    assert each["R"] == [7 * 2] and sum(each["F"]) == 18
    world = areas(
        "Lot --> setback(1){ world.south : S | street.left : W | remainder : NIL }", **LOT
    )
    assert world == {"S": [8 - 0.5], "W": [4 - 0.5]}, "they share a corner"
    upright = (
        "Lot --> extrude(3) comp(f){ front : setback(0.5){ top : T | remainder : R } | all : NIL }"
    )
    assert areas(upright, **LOT) == {"T": [4], "R": [20]}
    assert areas("Lot --> setback(1){ 0 : A | remainder : R }", **LOT) == {"A": [8], "R": [24]}


def test_wings():
    rules = "Lot --> {}{{ shape : S | remainder : R }}"
    assert areas(rules.format("shapeL(1, 2)"), **LOT) == {"S": [8 + 6], "R": [18]}
    assert areas(rules.format("shapeU(1, 1, 1)"), **LOT) == {"S": [14], "R": [18]}
    assert areas(rules.format("shapeO(1, 1, 1, 1)"), **LOT) == {"S": [20], "R": [12]}
    solid = """Lot --> {}{{ shape : extrude(2) report("v", geometry.volume)
        comp(f){{ side : W | all : NIL }} | remainder : NIL }}"""
    ell = supple.grow(solid.format("shapeL(1, 2)"), **LOT)
    assert ell.reports["v"] == pytest.approx([28]) and len(ell.leaves) == 6, "an L has six walls"
    ring = supple.grow(solid.format("shapeO(1, 1, 1, 1)"), **LOT)
    assert ring.reports["v"] == pytest.approx([40]) and len(ring.leaves) == 8, (
        "and a court four more"
    )


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("Lot --> setback(-1){ all : A }", "distances of at least 0"),
        ("Lot --> setback(1)", "expected selectors in braces"),
        ("Lot --> setback(1){ all : A }*", "expected selectors in braces"),
        ("Lot --> setback(1){ nowhere : A }", "unknown selector 'nowhere'"),
        ("Lot --> extrude(1) setback(1){ all : A }", "expected a flat shape"),
        ("Lot --> shapeL(1, 1){ inside : A }", "expected shape or remainder, got inside"),
        ("Lot --> shapeL(1){ shape : A }", "shapeL takes 2 arguments"),
        ("Lot --> offset(-1, outside) A", "expected one of all, inside, border"),
        ("Lot --> setbackToArea(20){ all : A }", "'setbackToArea' is not supported"),
    ],
)
def test_invalid_setbacks_are_refused(refused, rules, message):
    said = refused(rules, **LOT)
    assert message in said and said.startswith("<rules>:1:"), said


@pytest.mark.parametrize(
    "successor",
    [
        "extrude(3) A", "extrude(world.up, 3) A", "offset(-1, inside) A", "roofHip(30) A", "roofGable(30) A",
        "setback(1){ all : A | remainder : B }", "shapeL(1, 1){ shape : A | remainder : B }",
        "innerRect() A", "innerRectangle(scope){ shape : A | remainder : B }", "comp(f){ all : A }",
        "envelope(world.up, 3, 1, 45, 1, 45, 1, 45) A", "split(x){ ~1 : A }* ", "convexify() A",
        "alignScopeToGeometry(yUp, 0, 0) A", "cleanupGeometry(all, 0.1) A", "trim() A",
    ],
)  # fmt: skip
def test_a_shape_without_geometry_stays_without(successor) -> None:
    """As in CityEngine's engine: a shape without geometry goes on, and leaves no mesh."""
    assert supple.grow(f"Lot --> offset(-9, inside) {successor}", size=(10, 0, 10)).meshes() == ()


def test_distances_by_component() -> None:
    rules = (
        "Lot --> setback(comp(fe){ front : 3 | left : 1 | all : 0.5 }){ all : B | remainder : C }"
    )
    found = {leaf.name: leaf.size.tolist() for leaf in supple.grow(rules, size=(10, 0, 8)).leaves}
    assert found["C"] == [8.5, 0, 4.5]


def test_each_face_of_a_solid_is_offset() -> None:
    """The polygons are those of CityEngine's engine (PRT 3.3)."""
    inside = "Lot --> extrude(5) offset(-1, inside) comp(f){ all : A }"
    found = areas(inside, size=(10, 0, 10))["A"]
    assert found == pytest.approx([8 * 3] * 4 + [8 * 8] * 2)
    both = supple.grow("Lot --> extrude(5) offset(-1) comp(f){ all : A }", size=(10, 0, 10))
    assert len(both.leaves) == 30
    assert sum(areas("Lot --> extrude(5) offset(-1) A", size=(10, 0, 10))["A"]) == pytest.approx(
        400
    )
    assert supple.grow("Lot --> extrude(5) offset(-6, inside) A", size=(10, 0, 10)).meshes() == ()


@pytest.mark.parametrize("successor", ["offset(-1)", "roofHip(30)", "innerRect()"])
def test_a_face_without_area_leaves_nothing(successor) -> None:
    assert supple.grow(f"Lot --> s(0, '1, '1) {successor} A", size=(10, 0, 10)).meshes() == ()
