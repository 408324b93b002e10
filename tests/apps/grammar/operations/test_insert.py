"""i: insert assets."""

import numpy as np
import pytest

import supple


def only(rules: str, **options):
    leaves = supple.grow(rules, **options).leaves
    assert len(leaves) == 1
    return leaves[0]


def corner(shape, x=0.0, y=0.0, z=0.0):
    return np.round(shape.point(x, y, z), 9).tolist()


def test_inserting_fills_the_scope_or_takes_its_own_size() -> None:
    mesh = (
        [(1, 0, 0), (3, 0, 0), (1, 4, 0), (1, 0, 8)],
        [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)],
    )
    grow = {"assets": {"tent": mesh}}
    assert only('Lot --> i("tent")', size=(3, 3, 3), **grow).size.tolist() == [3, 3, 3]
    own = only('Lot --> s(0, 0, 0) i("tent")', **grow)
    assert own.size.tolist() == [2, 4, 8] and corner(own) == [1, 0, 0]
    high = only('Lot --> s(0, 2, 0) i("tent")', **grow)
    assert high.size.tolist() == [1, 2, 4] and corner(high) == [0.5, 0, 0]
    # The mean of 4 / 2 and 4 / 4 is 1.5 times the depth of 8.
    assert only('Lot --> s(4, 4, 0) i("tent")', **grow).size.tolist() == [4, 4, 12]


def test_an_asset_from_a_file_lies_inside_the_folder(tmp_path, refused) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/house.obj").write_text(
        "v 0 0 0\nv 2 0 0\nv 0 3 0\nv 0 0 1\nf 1 2 3\nf 1/1 -1 2\n"
    )
    (tmp_path / "secret.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    rules = tmp_path / "rules/a.cga"
    rules.write_text('Lot --> s(0, 0, 0) i("house.obj")')
    grown = supple.grow(rules)
    assert grown.leaves[0].size.tolist() == [2, 3, 1] and grown.leaves[0].geometry == "house.obj"
    for path in ("../secret.obj", str(tmp_path / "secret.obj"), "x/../../secret.obj"):
        rules.write_text(f'Lot --> i("{path}")')
        assert f"{path!r} is outside the rule file's folder" in refused(rules)
    rules.write_text('Lot --> i("tree.obj")')
    assert "a.cga:1:9: rule Lot: there is no asset 'tree.obj'" in refused(rules)
    (tmp_path / "rules/bad.obj").write_text("v 0 0 0\nf 1 2 x\n")
    rules.write_text('Lot --> i("bad.obj")')
    assert "bad.obj:2: expected a point or a face" in refused(rules)
    rules.write_text('Lot --> i("spehre")')
    assert "did you mean 'sphere'" in refused(rules)


def test_a_grown_figure_is_an_asset_again(tmp_path) -> None:
    (tmp_path / "a.cga").write_text('Lot --> s(1, 2, 3) i("box")')
    supple.grow(tmp_path / "a.cga").save(tmp_path / "part.glb")
    (tmp_path / "b.cga").write_text('Lot --> s(0, 0, 0) i("part.glb")')
    shape = supple.grow(tmp_path / "b.cga").leaves[0]
    assert shape.size == pytest.approx([1, 2, 3])


def test_built_in_meshes_by_their_long_names():
    for name in ("cube", "builtin:cube", "builtin:sphere"):
        grown = supple.grow(f'Lot --> s(1, 1, 1) i("{name}")')
        assert grown.leaves[0].geometry == {"cube": "box"}.get(name.split(":")[-1], "sphere")
