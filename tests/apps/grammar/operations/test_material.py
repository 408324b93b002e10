"""color, texture and material attributes."""

import pytest

import supple


def only(rules: str, **options):
    leaves = supple.grow(rules, **options).leaves
    assert len(leaves) == 1
    return leaves[0]


def test_materials() -> None:
    shape = only(
        'Lot --> color("#ff8000", 0.5) set(material.name, "glass") set(material.metallic, 2) A'
    )
    assert shape.material.color == pytest.approx((1.0, 128 / 255, 0.0))
    assert (shape.material.opacity, shape.material.name, shape.material.metallic) == (
        0.5,
        "glass",
        1.0,
    )
    shape = only("Lot --> color(0.1, 0.2, 0.3) set(material.color.g, 0.9) A")
    assert shape.material.color == pytest.approx((0.1, 0.9, 0.3))


def test_material_attributes_that_are_kept_but_not_drawn():
    grown = supple.grow("Lot --> set(material.shininess, 20) set(material.shininess, 30) A")
    (material,) = {grown.store.material_list[k] for k in grown.store.integers("materials")[1:]}
    assert material.more == (("shininess", 30.0),)


def test_a_colour_with_its_opacity():
    grown = supple.grow('attr c = "#ff000080"\nLot --> color(c) i("box")', size=(1, 1, 1))
    assert grown.meshes()[0].material.color == pytest.approx((1, 0, 0, 128 / 255))


def test_the_colour_map_is_the_texture(tmp_path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    path = tmp_path / "a.cga"
    path.write_text(
        'Lot --> set(material.colormap, "a.png") B  '
        'B --> case material.colormap == "a.png" : A else : NIL'
    )
    assert only(str(path)).name == "A"
    assert only(str(path)).material.texture == "a.png"
    path.write_text('Lot --> set(material.colormap, "b.png") A')
    with pytest.raises(supple.SuppleError, match=r"a\.cga:1:9: rule Lot: .*no image 'b\.png'"):
        supple.grow(path)
    path.write_text("Lot --> set(material.colormap, 3) A")
    with pytest.raises(supple.SuppleError, match="expected a string"):
        supple.grow(path)
