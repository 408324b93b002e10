"""innerRectangle and innerRect."""

import numpy as np
import pytest

import supple

RULES = """
Lot --> i("plot") Plot
Plot --> innerRectangle(scope){ shape : In | remainder : Rest }
In --> report("in", geometry.area)
Rest --> report("rest", geometry.area)
"""


def grown(corners, rules: str = RULES, **options):
    points = [(x, 0, -y) for x, y in corners]
    plot = {"plot": (points, [tuple(range(len(points)))])}
    size = np.ptp(np.array(points), axis=0)
    return supple.grow(rules, assets=plot, size=size, **options)


def test_in_a_triangle_it_is_half_of_it() -> None:
    found = grown([(0, 0), (4, 0), (0, 3)])
    (inner,) = found.leaves.named("In")
    assert inner.size.tolist() == pytest.approx([2, 0, 1.5])
    assert found.reports["in"] == pytest.approx([3])
    assert sorted(found.reports["rest"]) == pytest.approx([1.5, 1.5])


def test_in_an_l_it_is_the_longer_leg() -> None:
    found = grown([(0, 0), (5, 0), (5, 1), (2, 1), (2, 2), (0, 2)])
    (inner,) = found.leaves.named("In")
    assert inner.size.tolist() == pytest.approx([5, 0, 1])
    assert found.reports["rest"] == pytest.approx([2])


def test_a_rectangle_has_no_remainder() -> None:
    found = grown([(0, 0), (3, 0), (3, 2), (0, 2)])
    assert found.leaves.names == {"In": 1} and found.reports == {"in": [6.0]}


def test_a_rotated_square_is_found_along_an_edge() -> None:
    diamond = [(1, 0), (2, 1), (1, 2), (0, 1)]
    assert grown(diamond).reports["in"] == pytest.approx([1])
    found = grown(diamond, RULES.replace("scope", "edge"))
    assert found.reports["in"] == pytest.approx([2])
    assert "rest" not in found.reports


def test_the_remainder_as_one_shape_and_masses_upon_it() -> None:
    rules = """
    Lot --> i("plot") innerRectangle(scope){ shape : extrude(3) House | remainder = Garden }
    Garden --> report("area", geometry.area)
    """
    found = grown([(0, 0), (6, 0), (3, 4)], rules)
    assert found.leaves.names == {"House": 1, "Garden": 1}
    (house,) = found.leaves.named("House")
    assert house.size.tolist() == pytest.approx([3, 3, 2])
    assert found.reports["area"] == pytest.approx([6])


def test_a_face_in_any_plane() -> None:
    rules = """
    Lot --> roofGable(45) comp(f){ all : Side }
    Side --> case geometry.nVertices == 3 : innerRectangle(scope){ shape : Window } else : NIL
    """
    found = supple.grow(rules, size=(4, 0, 6))
    # A gable 4 wide and 2 high holds a window of half its area.
    assert found.leaves.names == {"Window": 2}
    assert found.leaves[0].size.tolist() == pytest.approx([2, 1, 0])


def test_inner_rect_replaces_the_face() -> None:
    found = grown([(0, 0), (4, 0), (0, 3)], 'Lot --> i("plot") innerRect extrude(2)')
    assert found.leaves[0].size.tolist() == pytest.approx([2, 2, 1.5])


@pytest.mark.parametrize(
    ("successor", "message"),
    [
        ("innerRectangle(world){ shape : A }", "expected one of scope, edge, got world"),
        (
            "innerRectangle(scope){ inner : A }",
            "innerRectangle: expected shape or remainder, got inner",
        ),
        ("innerRectangle(scope) A", "innerRectangle: expected selectors in braces"),
        ("extrude(1) innerRectangle(scope){ shape : A }", "innerRectangle: expected a flat shape"),
        ("extrude(1) innerRect A", "innerRect: expected a flat shape"),
    ],
)
def test_invalid_inner_rectangles_are_refused(refused, successor, message) -> None:
    said = refused(f"Lot --> {successor}")
    assert message in said and said.startswith("<rules>:1:"), said
