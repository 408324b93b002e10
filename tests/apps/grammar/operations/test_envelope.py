"""envelope, against the vertices of CityEngine's engine (PRT 3.3)."""

import numpy as np
import pytest

import supple


def corners(rules: str, **options) -> list[tuple[float, ...]]:
    (mesh,) = supple.grow(rules, **options).meshes()
    points = np.unique(np.asarray(mesh.positions).round(3) + 0.0, axis=0)
    return [tuple(point) for point in points.tolist()]


GROUND = [(0, 0, 0), (0, 0, 10), (10, 0, 0), (10, 0, 10)]


def test_planes_begin_at_their_own_heights() -> None:
    found = corners("Lot --> envelope(world.up, 6, 4, 45, 3, 60, 2, 30)", size=(10, 0, 10))
    assert found == sorted(
        [*GROUND, (0, 2, 0), (0, 2, 10), (10, 2, 0), (10, 2, 10), (1.732, 3, 0), (8.268, 3, 0),
         (3.464, 4, 10), (6.536, 4, 10), (5, 4.887, 1.089), (5, 4.887, 9.113)]
    )  # fmt: skip
    found = corners("Lot --> envelope(world.up, 6, 1, 45, 2, 45, 3, 45, 4, 45)", size=(10, 0, 10))
    assert found == sorted(
        [*GROUND, (0, 1, 10), (10, 1, 10), (10, 3, 8), (7, 6, 5), (2, 6, 5), (0, 4, 7), (10, 2, 0),
         (10, 3, 1), (7, 6, 4), (0, 2, 0), (0, 4, 2), (2, 6, 4)]
    )  # fmt: skip


def test_upright_walls_and_a_pyramid() -> None:
    found = corners("Lot --> envelope(world.up, 6, 4, 45, 4, 90, 4, 90)", size=(10, 0, 10))
    assert found == sorted(
        [*GROUND, (0, 4, 10), (10, 4, 10), (0, 6, 8), (10, 6, 8), (0, 6, 0), (10, 6, 0)]
    )
    found = corners("Lot --> envelope(normal, 20, 4, 45, 4, 45, 4, 45)", size=(10, 0, 10))
    assert found == sorted([*GROUND, *((x, 4, z) for x, _, z in GROUND), (5, 9, 5)])
    box = corners("Lot --> envelope(world.up, 3, 4, 45, 4, 45, 4, 45)", size=(10, 0, 10))
    assert box == sorted([*GROUND, *((x, 3, z) for x, _, z in GROUND)])


def test_a_concave_shape() -> None:
    ell = "Lot --> shapeL(5, 5){{ shape : envelope(world.up, 3, {}) A | remainder : NIL }}"
    found = corners(ell.format("2, 45, 2, 45, 2, 45"), size=(10, 0, 10))
    tops = {(x, z) for x, y, z in found if y == 3}
    assert tops == {(1, 1), (4, 1), (4, 6), (9, 6), (9, 9), (1, 9)}
    with pytest.raises(supple.SuppleError, match="concave shape must begin at the same height"):
        corners(ell.format("2, 45, 1, 45, 2, 45"), size=(10, 0, 10))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("0, 1, 45, 1, 45, 1, 45", "expected a height above 0"),
        ("3, 1, 0, 1, 45, 1, 45", "between 0 and 180"),
        ("3, 1", "envelope takes 8 or 10 arguments"),
    ],
)
def test_wrong_values_are_refused(refused, values, message) -> None:
    said = refused(f"Lot --> envelope(world.up, {values}) A")
    assert message in said and said.startswith("<rules>:1:9"), said
    said = refused("Lot --> r(20, 0, 0) envelope(world.up, 3, 1, 45, 1, 45, 1, 45) A")
    assert "level shapes only" in said
