"""Meshes of leaves: copies share arrays until they are written out, within a limit of triangles."""

import numpy as np
import pytest

import supple
from supple.apps.grammar import Limits

SIDE = 12  # points along each side of a square grid
TRIANGLES = 2 * (SIDE - 1) ** 2
COPIES = 30
ROW = 'Lot --> split(x){ ~1 : i("grid.obj") X. }*'


@pytest.fixture
def folder(tmp_path):
    """A folder with an asset: a bumpy grid of triangles."""
    lines = [f"v {x} {(3 * x + 5 * z) % 7} {z}" for x in range(SIDE) for z in range(SIDE)]
    for x in range(SIDE - 1):
        for z in range(SIDE - 1):
            a = 1 + x * SIDE + z
            lines += [f"f {a} {a + 1} {a + SIDE}", f"f {a + 1} {a + SIDE + 1} {a + SIDE}"]
    (tmp_path / "grid.obj").write_text("\n".join(lines) + "\n")
    return tmp_path


def grown(folder, rules=ROW, triangles=2 * TRIANGLES):
    return supple.grow(
        rules, size=(COPIES, 0, 1), folder=folder, limits=Limits(triangles=triangles)
    )


def test_copies_of_an_asset_share_their_arrays(folder):
    growth = grown(folder)
    assert len(growth.leaves) == COPIES
    assert sum(one.name == "grid.obj" for one in growth.store.geometry_list) == 1


@pytest.mark.parametrize("name", ["out.obj", "out.gltf", "out.png"])
def test_writing_out_more_than_the_limit_is_refused_before_anything_is_made(folder, name):
    growth = grown(folder)
    with pytest.raises(supple.SuppleError) as caught:
        growth.save(folder / name)
    message = str(caught.value)
    assert f"{COPIES * TRIANGLES:,} triangles" in message and "'grid.obj'" in message
    assert f"at most {2 * TRIANGLES:,}" in message
    assert "Limits(triangles=" in message and "--triangles" in message
    assert not (folder / name).exists()
    asset = next(one for one in growth.store.geometry_list if one.name == "grid.obj")
    assert "triangles" not in vars(asset)  # the cached arrays that writing out begins with


def test_a_glb_beyond_the_limit_holds_the_asset_once(folder):
    grown(folder).save(folder / "once.glb")
    grown(folder, triangles=COPIES * TRIANGLES).save(folder / "each.glb")
    once, each = (supple.load(folder / name).meshes for name in ("once.glb", "each.glb"))
    assert sum(len(mesh.faces) for mesh in once) == sum(len(mesh.faces) for mesh in each)
    corners = [
        np.concatenate([mesh.positions for mesh in meshes]).max(axis=0) for meshes in (once, each)
    ]
    assert np.allclose(*corners, atol=1e-5)
    sizes = [(folder / name).stat().st_size for name in ("once.glb", "each.glb")]
    assert sizes[0] < sizes[1] / 10


def test_a_page_counts_its_vertices_before_it_makes_them(folder, monkeypatch):
    from supple.apps.grammar.output import page

    monkeypatch.setattr(page, "MOST_VERTICES", 3 * TRIANGLES)
    with pytest.raises(supple.SuppleError, match=f"got {3 * COPIES * TRIANGLES:,}"):
        grown(folder).save(folder / "out.html")
    grown(folder, 'Lot --> i("grid.obj")').save(folder / "out.html")


def test_parts_that_are_cut_count_each(folder):
    """What trims cut off an asset on the walls of a box is new geometry on every wall."""
    rules = """
        Lot --> extrude(3) comp(f){ side : split(x){ ~1 : Wide }* }
        Wide --> s(3, 3, 3) center(x) i("grid.obj") X.
    """
    with pytest.raises(supple.SuppleError, match="rule Wide: the shapes hold .*'trimmed grid.obj'"):
        grown(folder, rules, triangles=3 * TRIANGLES)
    grown(folder, rules, triangles=20 * TRIANGLES)


@pytest.mark.parametrize("missing", ["error", "stand-in"])
def test_an_asset_beyond_the_limit_is_named(folder, missing):
    limits = Limits(triangles=TRIANGLES - 1)
    with pytest.raises(supple.SuppleError) as caught:
        supple.grow('Lot --> i("grid.obj")', folder=folder, missing=missing, limits=limits)
    assert "'grid.obj'" in str(caught.value) and "--triangles" in str(caught.value)


def test_the_limit_must_be_a_whole_number():
    with pytest.raises(supple.SuppleError, match="limits: triangles"):
        Limits(triangles=0)
