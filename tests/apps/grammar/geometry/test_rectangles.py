"""The largest rectangle in a polygon."""

import math

import numpy as np
import pytest

from supple.apps.grammar.geometry.rectangles import largest, remainder

RULES = """
Lot --> i("plot") Plot
Plot --> innerRectangle(scope){ shape : In | remainder : Rest }
In --> report("in", geometry.area)
Rest --> report("rest", geometry.area)
"""


def area(polygon) -> float:
    return (
        sum(
            x * v - y * u
            for (x, y), (u, v) in zip(polygon, [*polygon[1:], polygon[0]], strict=True)
        )
        / 2
    )


@pytest.mark.parametrize("seed", range(8))
def test_parts_make_up_the_whole_and_staircases_are_exact(seed) -> None:
    rng = np.random.default_rng(seed)
    steps = int(rng.integers(2, 7))
    xs, ys = np.cumsum(rng.uniform(0.2, 2, steps + 1)), rng.uniform(0.5, 3, steps)
    corners = [(xs[0], 0.0), (xs[-1], 0.0)]
    for k in reversed(range(steps)):
        corners += [(xs[k + 1], ys[k]), (xs[k], ys[k])]
    box = largest(np.array(corners))
    spans = [(i, j) for i in range(steps) for j in range(i + 1, steps + 1)]
    assert box.area == pytest.approx(max((xs[j] - xs[i]) * ys[i:j].min() for i, j in spans))
    rest = remainder(np.array(corners), box)
    assert all(area(part) > 0 for part in rest)
    assert box.area + sum(area(part) for part in rest) == pytest.approx(area(corners))


def test_an_ellipse_holds_a_rectangle_of_two_over_pi() -> None:
    angles = 2 * math.pi * np.arange(200) / 200
    corners = np.column_stack([3 * np.cos(angles), np.sin(angles)])
    assert largest(corners).area / (3 * math.pi) == pytest.approx(2 / math.pi, rel=1e-3)


@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_a_rectangle_is_its_own_largest(turn) -> None:
    """Also with corners along its sides, and nothing remains."""
    own = np.array([(1, 2), (4, 2), (9, 2), (9, 5), (3, 5), (1, 5), (1, 3.5)])
    c, s = math.cos(turn), math.sin(turn)
    corners = own @ np.array([[c, s], [-s, c]])
    box = largest(corners, turn)
    assert box[:4] == pytest.approx((1, 2, 9, 5), abs=1e-12)
    assert remainder(corners, box) == []
