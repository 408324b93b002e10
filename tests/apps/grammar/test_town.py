"""A town of the rules that ship with supple, in one call of many lots."""

import json
import struct

import numpy as np
import pytest

import supple
from supple.apps.data import rules
from supple.apps.grammar import Growth, Lot

WIDE, DEEP, OVERHANG = 13.0, 16.0, 0.8
CORNERS = {0: "left", 9: "right", 10: "left", 19: "right"}


def lots() -> list[Lot]:
    """Two rows of ten houses back to back, wall to wall; those at the ends have two streets."""
    found = []
    for k in range(20):
        x, turn = WIDE * (k % 10), 0 if k < 10 else 180
        at = (x, 0, 0) if turn == 0 else (10 * WIDE - x, 0, -8)
        given = {"corner": CORNERS.get(k, "none")}
        found.append(Lot((WIDE, 0, DEEP), position=at, turn=turn, attributes=given))
    return found


@pytest.fixture(scope="module")
def town() -> Growth:
    return supple.grow(rules("avenue"), start="Lot", lots=lots(), seed=5)


def own(town: Growth, k: int) -> slice:
    """The shapes of lot k."""
    roots = [one.index for one in town.roots] + [len(town.store)]
    return slice(roots[k], roots[k + 1])


def test_each_lot_has_one_house_and_they_differ(town) -> None:
    assert len(town.roots) == 20 and not town.notes and not town.incomplete
    for name in ("House", "Body", "Roof", "Rear"):
        assert len(town.shapes.named(name)) == 20, name
    assert len(town.shapes.named("Front")) == 20
    # Four houses at corners have one more facade on a street.
    assert len(town.shapes.named("Facade")) == 24 == len(town.shapes.named("Cornice"))
    heights = {round(one.size[1], 6) for one in town.shapes.named("Body")}
    assert len(heights) == 20
    assert min(heights) > 15 and max(heights) < 45
    assert len({town.store.materials[one.index] for one in town.shapes.named("Blank")}) > 3


def test_a_lot_grows_as_it_does_alone(town) -> None:
    for k in (0, 7, 13):
        alone = supple.grow(rules("avenue"), start="Lot", lots=[lots()[k]], seed=5 + k)
        assert np.array_equal(alone.store.scope_array, town.store.scope_array[own(town, k)])


def test_no_house_reaches_over_its_neighbour(town) -> None:
    """Ledges end at party walls; at the corners of streets they go on by their own depth."""
    for k in (0, 4, 9):
        alone = supple.grow(
            rules("avenue"), start="House", lots=[lots()[k]], attributes={"overhang": OVERHANG}
        )
        points = np.concatenate([mesh.positions for mesh in alone.meshes()])
        low, high = points.min(axis=0), points.max(axis=0)
        left = OVERHANG if CORNERS.get(k) == "left" else 0
        right = OVERHANG if CORNERS.get(k) == "right" else 0
        assert low[0] == pytest.approx(WIDE * k - left, abs=1e-6)
        assert high[0] == pytest.approx(WIDE * (k + 1) + right, abs=1e-6)
        assert high[2] == pytest.approx(DEEP + OVERHANG, abs=1e-6)
        assert low[1] == pytest.approx(0, abs=1e-9)


def test_cornices_meet_at_a_corner_of_streets() -> None:
    corner = supple.grow(rules("avenue"), attributes={"corner": "right", "overhang": OVERHANG})
    x, z = corner.roots[0].size[0], corner.roots[0].size[2]
    points = np.concatenate([mesh.positions for mesh in corner.meshes()])
    tip = np.linalg.norm(points[:, [0, 2]] - (x + OVERHANG, z + OVERHANG), axis=1) < 1e-6
    # Both cornices have their outer edge, upper and lower end, at the tip of the mitre.
    assert len(np.unique(points[tip].round(6), axis=0)) == 2 and tip.sum() >= 4


def test_a_house_is_set_by_its_attributes() -> None:
    def count(name, **attributes):
        grown = supple.grow(rules("avenue"), attributes={"corner": "none", **attributes})
        return len(grown.shapes.named(name))

    # 17 m are 17 - 2 * 0.05 - 0.8 = 16.1 for tiles of 0.8 + 1.7 m: six; the upper floor has pairs.
    assert count("Window", storeys=8) == 6 * (1 + 5 + 2)
    assert count("Window", storeys=9) == 6 * (1 + 6 + 2)
    assert count("Window", storeys=8, panes=3) == 6 * (1 + 5 * 3 + 3)
    assert count("Mansard", roof="mansard") == 1 and count("Flat", roof="mansard") == 0
    assert count("Dormer", roof="mansard") > 6


def test_the_glb_is_small_and_has_every_triangle(town, tmp_path) -> None:
    path = tmp_path / "town.glb"
    town.save(path)
    data = path.read_bytes()
    document = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])
    materials = len(town.meshes())
    # Repeated geometry is instanced; single geometry is joined, so that there are few draw calls.
    assert len(document["nodes"]) < 4 * materials
    assert len(data) < 80 * len(town.leaves)
    back = supple.load(path)
    count = sum(len(mesh.faces) for mesh in town.meshes())
    assert sum(len(mesh.faces) for mesh in back.meshes) == count
    written = np.concatenate([mesh.positions for mesh in back.meshes])
    grown = np.concatenate([mesh.positions for mesh in town.meshes()])
    assert written.min(axis=0) == pytest.approx(grown.min(axis=0), abs=1e-4)
    assert written.max(axis=0) == pytest.approx(grown.max(axis=0), abs=1e-4)
    assert written.mean(axis=0) == pytest.approx(grown.mean(axis=0), abs=1e-3)
