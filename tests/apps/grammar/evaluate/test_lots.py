"""Many lots in one call."""

import numpy as np
import pytest

import supple
from supple.apps.grammar import Lot

RULES = """
attr height = rand(5, 9)
attr kind = "a"
Lot --> print(kind) extrude(height) split(x){ ~2 : 50% : A else : B }*
"""


def test_each_lot_derives_as_it_would_alone() -> None:
    sizes = [(6.0 + k, 0.0, 4.0) for k in range(5)]
    together = supple.grow(RULES, seed=3, lots=[Lot(size) for size in sizes])
    assert len(together.roots) == 5
    names, tall = [], []
    for k, size in enumerate(sizes):
        alone = supple.grow(RULES, seed=3 + k, size=size)
        names += [shape.name for shape in alone.shapes]
        tall += [leaf.size[1] for leaf in alone.leaves]
    assert [shape.name for shape in together.shapes] == names
    assert [leaf.size[1] for leaf in together.leaves] == pytest.approx(tall)
    assert len(set(tall)) == 5


def test_lots_have_separate_positions_attributes_and_seeds() -> None:
    lots = [
        Lot((4, 0, 4), attributes={"height": 2, "kind": "b"}, seed=9),
        Lot((4, 0, 4), position=(10, 1, 0), turn=90),
        Lot((4, 0, 4), seed=9),
    ]
    grown = supple.grow(RULES, lots=lots, attributes={"height": 3})
    assert grown.printed == ("b", "a", "a")
    first, second, third = grown.roots
    assert first.children[0].size[1] == 2.0 and third.children[0].size[1] == 3.0
    assert [one.name for one in first.children] == [one.name for one in third.children]
    np.testing.assert_allclose(second.T_world_scope[:3, 3], (10, 1, 0))
    np.testing.assert_allclose(second.T_world_scope[:3, 0], (0, 0, -1), atol=1e-12)


def test_a_lot_may_be_a_polygon() -> None:
    corners = [(0, 0), (6, 0), (6, 2), (2, 2), (2, 5), (0, 5)]
    rules = 'Lot --> report("area", geometry.area) extrude(3) A'
    for turned in (corners, corners[::-1]):
        grown = supple.grow(rules, lots=[Lot(footprint=turned, position=(1, 0, 2))])
        assert grown.reports["area"] == [pytest.approx(18.0)]
        np.testing.assert_allclose(grown.leaves[0].size, (6, 3, 5))
        np.testing.assert_allclose(grown.leaves[0].T_world_scope[:3, 3], (1, 0, 2))


def test_neighbours_are_those_of_the_same_lot() -> None:
    rules = """
    Lot --> label("lot") A
    A --> print(contextCount(intra, "lot")) B
    """
    assert supple.grow(rules, lots=[Lot(), Lot(), Lot()]).printed == ("1", "1", "1")


@pytest.mark.parametrize(
    ("lots", "message"),
    [
        ([], "lots: expected at least one lot"),
        ([(1, 2, 3)], "lots: expected supple.grammar.Lot"),
        ([Lot((1, 0, 1)), Lot((1, -1, 1))], "size: expected three numbers from 0 to 1e+12"),
        ([Lot(), Lot(footprint=[(0, 0), (1, 1)])], "lot: footprint: expected 3 to 1,000 corners"),
        ([Lot(footprint=[(0, 0), (1, 1), (2, 2)])], "expected a polygon with an area"),
        ([Lot(position=(1, float("nan"), 2))], "lot: position"),
        ([Lot(), Lot(attributes={"hight": 2})], "unknown attribute 'hight'"),
    ],
)
def test_invalid_lots_are_refused(refused, lots, message) -> None:
    said = refused(RULES, lots=lots)
    assert message in said
    if len(lots) == 2:
        assert said.endswith("(lot 1)")


def test_the_object_frame_is_that_of_the_lot() -> None:
    rules = """
    Lot --> print(initialShape.origin.px) print(rint(initialShape.origin.oy))
        print(rint(convert(x, object, world, pos, 0, 0, 1))) extrude(2)
        comp(f){ object.front : A | world.south : B | all : NIL }
    A --> print(rint(geometry.area(object.front))) translate(abs, object, 0, 0, 1) C
    """
    grown = supple.grow(rules, lots=[Lot((4, 0, 3), position=(10, 0, 0), turn=90)])
    # Turned by 90 degrees, the lot's front (+z) looks along the world's x.
    assert grown.printed == ("10", "90", "11", "8")
    front, south = grown.leaves.named("C")[0], grown.leaves.named("B")[0]
    np.testing.assert_allclose(front.T_world_scope[:3, 3], (11, 0, 0), atol=1e-9)
    assert south.size[0] == pytest.approx(3.0)
