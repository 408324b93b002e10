"""Context queries: occlusion, counts, ranks and distances."""

import pytest

import supple

STEPS = """
Lot --> extrude(3) split(x){ ~1 : Step }*
Step --> s('1, '(split.index + 1) / split.total, '1) comp(f){ side : Facade | top : Roof }
Facade --> split(y){ ~1 : Tile }*
Tile --> case touches(intra) : Hidden else : Free
"""


def test_tiles_that_another_solid_covers() -> None:
    # Steps of 1, 2 and 3 high have 4, 8 and 12 tiles on their sides. Between neighbours the lower
    # one's whole side is covered, and as much of the higher one's: 2 and then 4 tiles.
    grown = supple.grow(STEPS, size=(3, 0, 1))
    assert grown.leaves.names == {"Free": 24 - 6, "Hidden": 6, "Roof": 3}
    # The roofs meet nothing but edges, and no tile meets the solid it is a part of.
    alone = supple.grow(STEPS.replace("split.total", "3"), size=(1, 0, 1))
    assert alone.leaves.names == {"Free": 4, "Roof": 1}


def test_occlusion_by_label_and_by_other_initial_shapes() -> None:
    rules = STEPS.replace("comp(f)", 'label("mass") comp(f)')
    by_label = supple.grow(rules.replace("touches(intra)", 'touches(all, "mass")'), size=(3, 0, 1))
    assert by_label.leaves.names["Hidden"] == 6
    for other in ('touches(intra, "none")', "touches(inter)", 'overlaps(intra, "mass")'):
        none = supple.grow(rules.replace("touches(intra)", other), size=(3, 0, 1))
        assert none.leaves.names == {"Free": 24, "Roof": 3}
    # Tiles that are covered as a whole are inside; there is a joint in the middle of none.
    inside = supple.grow(rules.replace("touches(intra)", "inside()"), size=(3, 0, 1))
    assert inside.leaves.names["Hidden"] == 6


def test_counts_and_ranks(leaves) -> None:
    rules = """
    Lot --> split(x){ ~1 : Tile }*
    Tile --> label("tile") s('1, split.index + 1, '1) i("box") Told
    Told --> print(contextCount(intra, "tile")) print(contextCompare(intra, "tile", world.westernmost))
        print(contextCompare(all, "tile", world.easternmost)) print(contextCompare(inter, "tile", area.largest))
    """
    grown = supple.grow(rules, size=(3, 0, 1))
    assert grown.printed == tuple(line for k in range(3) for line in ("3", str(k), str(2 - k), "0"))


def test_the_largest_and_the_highest_come_first() -> None:
    rules = """
    Lot --> split(x){ 1 : Mass(2) | 3 : Mass(1) | 2 : Mass(2) }
    Mass(h) --> extrude(h) label("mass") Told
    Told --> print(contextCompare(intra, "mass", area.largest)) print(contextCompare(intra, "mass", world.highest))
    """
    # Areas 2 + 8 = 10, 6 + 8 = 14 and 4 + 12 = 16; two are as high, and both come first.
    assert supple.grow(rules, size=(6, 0, 1)).printed == ("2", "0", "1", "2", "0", "0")


def test_distances_between_scopes() -> None:
    rules = """
    Lot --> [ t(5, 0, 0) r(0, 45, 0) s(2, 0, 2) label("pond") Pond ] s(1, 0, 1) House
    House --> print(minimumDistance(intra, "pond")) print(minimumDistance(intra, "sea"))
    """
    # A corner of the pond, at x = 5, is nearest to the house's side at x = 1.
    near, far = supple.grow(rules, size=(9, 0, 9)).printed
    assert float(near) == pytest.approx(4) and far == "inf"
    # A scope may be larger than what is in it: of two trees the one with the larger scope is nearer.
    scopes = """
    Lot --> [ t(2.9, 0, 0) s(2, 2, 2) i("cone") label("tree") A ]
        [ t(-6, 0, 0) r(0, 45, 0) s(3, 2, 3) i("disk") label("tree") A ] s(1, 0, 1) B
    B --> print(minimumDistance(intra, "tree"))
    """
    assert float(supple.grow(scopes, size=(1, 0, 1)).printed[0]) == pytest.approx(6 - 3 * 2**0.5)
    own = 'Lot --> label("it") print(minimumDistance(intra, "it")) A'
    assert supple.grow(own).printed == ("inf",)


def test_rules_with_queries_are_derived_twice_and_no_more() -> None:
    # Where the first derivation has two masses, the second builds none of them.
    rules = """
    Lot --> split(x){ ~1 : Mass }*
    Mass --> case contextCount(intra, "mass") > 1 : Garden else : extrude(2) label("mass") House
    """
    assert supple.grow(rules, size=(2, 0, 1)).leaves.names == {"Garden": 2}
    assert supple.grow(rules, size=(1, 0, 1)).leaves.names == {"House": 1}


def test_no_window_faces_a_neighbours_wall() -> None:
    grown = supple.grow(supple.data.rules("town"), size=(12, 0, 14), attributes={"most": 3}, seed=2)
    first, second = grown.shapes.named("House")
    wall = second.point(0, 0, 0)[0]  # where the second house begins
    windows = [window.point(0.5, 0.5, 0.5) for window in grown.shapes.named("Window")]
    assert len(windows) > 20
    deep = [sorted((h.point(0, 0, 0)[2], h.point(1, 1, 1)[2])) for h in (first, second)]
    high = min(h.point(0, 1, 0)[1] for h in (first, second))
    low, far = max(d[0] for d in deep), min(d[1] for d in deep)
    between = [w for w in windows if abs(w[0] - wall) < 1e-6 and low < w[2] < far and w[1] < high]
    assert not between
    alone = supple.grow(supple.data.rules("town"), size=(6, 0, 14), seed=2)
    sides = {round(float(w.point(0.5, 0.5, 0.5)[0]), 6) for w in alone.shapes.named("Window")}
    assert {0.0, 6.0} <= sides, "a house alone has windows on both its sides"


def test_random_numbers_are_the_same_with_and_without_queries() -> None:
    plain = 'Lot --> split(x){ ~1 : A }*  A --> report("x", rand()) B  B --> NIL'
    asking = plain.replace("NIL", "case overlaps() : C else : NIL")
    first, second = (supple.grow(r, size=(5, 0, 1), seed=4).reports for r in (plain, asking))
    assert first == second


def test_a_solid_that_is_not_convex() -> None:
    # An L: of the square [0, 2] x [0, 2] the quarter beyond (1, 1) is missing.
    corners = [(0, 0, 0), (0, 0, 2), (1, 0, 2), (1, 0, 1), (2, 0, 1), (2, 0, 0)]
    rules = """
    Lot --> [ i("L") extrude(1) comp(f){ all = Mass } ] Test(0.2, 0.2) Test(1.2, 1.2) Test(0.6, 0.6) Test(1, 1.2)
    Test(x, z) --> t(x, 0, z) s(0.6, 0.6, 0.6) i("box") print(touches()) print(overlaps()) print(inside())
    """
    grown = supple.grow(rules, size=(2, 0, 2), assets={"L": (corners, [(0, 1, 2, 3, 4, 5)])})
    rows = [" ".join(grown.printed[k : k + 3]) for k in range(0, 12, 3)]
    assert rows == ["true true true", "false false false", "true true false", "true false false"]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("touches(near)", "touches: expected one of intra, inter, all, got near"),
        ("touches(intra, 3)", "expected a string, got a number, 3"),
        ("touches(intra, \"a\", 1)", "'touches' takes 0 to 2 arguments, got 3"),
        ("contextCount(intra)", "'contextCount' takes 2 arguments, got 1"),
        ("contextCompare(intra, \"a\", tallest)", "expected one of world.northernmost, world.southern"),
    ],
)  # fmt: skip
def test_invalid_queries_are_refused(refused, expression, message) -> None:
    said = refused(f"Lot --> print({expression}) A")
    assert message in said and said.startswith("<rules>:1:"), said


def test_a_shape_without_faces_is_refused(refused) -> None:
    said = refused("Lot --> comp(e){ all : E }  E --> case touches() : A else : B")
    assert "rule E: expected a shape with faces" in said
