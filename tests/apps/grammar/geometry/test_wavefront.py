"""Moving edges of polygons, against independent computations."""

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import roof_lots

from supple import SuppleError
from supple.apps.grammar.geometry.wavefront import sweep


def area(places):
    x, y = np.array(places).T[:2]
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


@st.composite
def stars(draw):
    """Simple polygons around the origin, many of them concave."""
    count = draw(st.integers(3, 10))
    turns = [draw(st.floats(0.35, 1.0)) for _ in range(count)]
    around = 2 * math.pi * np.cumsum(turns) / sum(turns)
    radii = [draw(st.floats(1.0, 4.0)) for _ in range(count)]
    return [(r * math.cos(a), r * math.sin(a)) for r, a in zip(radii, around, strict=True)]


@settings(max_examples=60, deadline=None)
@given(stars())
def test_every_point_of_a_roof_is_as_high_as_its_edge_is_far(polygon):
    swept = sweep(polygon, [1.0] * len(polygon))
    assert all(swept.faces), "each edge has a plane"
    covered = sum(area([swept.nodes[k] for k in face]) for face in swept.faces)
    assert covered == pytest.approx(area(polygon), rel=1e-6)
    for k, face in enumerate(swept.faces):
        a, b = np.array(polygon[k]), np.array(polygon[(k + 1) % len(polygon)])
        normal = np.array([a[1] - b[1], b[0] - a[0]]) / np.linalg.norm(b - a)
        for x, y, time in (swept.nodes[i] for i in face):
            assert normal @ (np.array([x, y]) - a) == pytest.approx(time, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(stars(), st.floats(0.01, 0.5))
def test_strips_and_what_is_left_are_the_whole(polygon, far):
    swept = sweep(polygon, [1.0] * len(polygon), until=far)
    parts = [*swept.faces, *swept.rest]
    total = sum(area([swept.nodes[k] for k in part]) for part in parts if part)
    assert total == pytest.approx(area(polygon), rel=1e-6)


def test_a_polygon_falls_apart_where_it_is_narrow():
    bone = [(0, 0), (4, 0), (4, 1.5), (6, 1.5), (6, 0), (10, 0), (10, 4), (6, 4), (6, 2.5),
            (4, 2.5), (4, 4), (0, 4)]  # fmt: skip
    swept = sweep([(float(x), float(y)) for x, y in bone], [1.0] * 12, until=1.0)
    assert sorted(area([swept.nodes[k] for k in loop]) for loop in swept.rest) == pytest.approx(
        [2 * 2, 2 * 2]
    )


@pytest.mark.parametrize(
    ("polygon", "speed", "message"),
    [
        ([(0, 0), (2, 2), (2, 0), (0, 2)], 1, "with an area"),
        ([(0, 0), (4, 0), (0, 0), (0, 4)], 1, "."),
        (
            [(0, 0), (6, 0), (6, 5), (4, 5), (4, 2), (2, 2), (2, 5), (0, 5)],
            -1,
            "would overlap itself",
        ),
        ([(0, 0), (1, 0), (1, 0), (0, 1)], 1, "distinct corners"),
    ],
)
def test_what_is_no_polygon_is_refused(polygon, speed, message):
    places = [(float(x), float(y)) for x, y in polygon]
    with pytest.raises(SuppleError, match=message):
        sweep(places, [float(speed)] * len(places), until=3.0)


# Symmetric and nearly symmetric lots: many things happen at once ----------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_no_symmetric_lot_is_refused(seed):
    rng = random.Random(seed)
    for _ in range(40):
        kind, polygon = roof_lots.lot(rng)
        assert roof_lots.check(rng, polygon) == {}, (kind, polygon)


@pytest.mark.parametrize("turn", [0.0, 0.1, 0.7853981633974483, 1.0, 2.5])
@pytest.mark.parametrize("off", [0.0, 1e-12, 1e-9, 1e-7, 1e-5])
def test_a_square_has_four_planes_and_one_top(turn, off):
    c, s = 7 * math.cos(turn), 7 * math.sin(turn)
    polygon = [(c, s), (-s, c + 7 * off), (-c, -s), (s, -c)]
    for begin in (0.0, -0.5):
        swept = sweep(polygon, [1.0] * 4, begin=begin)
        tops = [swept.nodes[k] for k in {k for face in swept.faces for k in face} if k > 3]
        assert all(
            time == pytest.approx(7 / math.sqrt(2), abs=20 * off + 1e-9) for *_, time in tops
        )
        assert all(abs(x) + abs(y) <= 40 * off + 1e-9 for x, y, _ in tops)
        parts = [area([swept.nodes[k][:2] for k in face]) for face in swept.faces]
        side = 7 * math.sqrt(2) - 2 * begin
        assert parts == pytest.approx([side**2 / 4] * 4, rel=1e-4)
