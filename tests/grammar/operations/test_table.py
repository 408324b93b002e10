"""Operations on one shape, against places and sizes worked out by hand."""

import numpy as np
import pytest

import supple


def only(rules: str, **options):
    leaves = supple.grow(rules, **options).leaves
    assert len(leaves) == 1
    return leaves[0]


def corner(shape, x=0.0, y=0.0, z=0.0):
    return np.round(shape.point(x, y, z), 9).tolist()


def test_translating_goes_along_the_scope() -> None:
    assert corner(only("Lot --> t(1, 2, 3) A", size=(2, 4, 8))) == [1, 2, 3]
    assert corner(only("Lot --> t('0.5, '1, '-2) A", size=(2, 4, 8))) == [1, 4, -16]
    assert corner(only("Lot --> r(0, 90, 0) t(1, 0, 0) A")) == [0, 0, -1]
    # What is left of 10 beside a shape of 4 is 6.
    assert corner(only("Lot --> s(4, 1, 1) t(~0.5, 0, 0) A", size=(10, 1, 1))) == [3, 0, 0]


def test_sizes_absolute_relative_and_floating() -> None:
    assert only("Lot --> s(3, '0.5, 0) A", size=(2, 4, 8)).size.tolist() == [3, 2, 0]
    assert only("Lot --> s(4, ~1, ~1) A", size=(2, 4, 8)).size.tolist() == [4, 8, 16]
    assert only("Lot --> s(4, ~0.5, '1) A", size=(2, 4, 8)).size.tolist() == [4, 3, 8]


def test_rotating_is_about_the_own_axes_one_after_the_other() -> None:
    shape = only("Lot --> r(90, 0, 90) A", size=(1, 1, 1))
    # X(90) takes y to z; then the own z, which points down, takes x to what was y.
    assert corner(shape, 1, 0, 0) == [0, 0, 1]
    assert corner(shape, 0, 1, 0) == [-1, 0, 0]
    assert corner(shape, 0, 0, 1) == [0, -1, 0]
    shape = only("Lot --> r(scopeCenter, 0, 180, 0) A", size=(2, 4, 6))
    assert corner(shape) == [2, 0, 6] and corner(shape, 1, 1, 1) == [0, 4, 0]


def test_scope_angles_give_the_rotation_back() -> None:
    grown = supple.grow('Lot --> r(10, 20, 30) report("a", [scope.rx, scope.ry, scope.rz]) NIL')
    assert grown.reports["a"][0] == pytest.approx((10, 20, 30))


def test_centering_is_on_the_scope_that_the_rule_began_with() -> None:
    assert corner(only("Lot --> s(2, 2, 2) center(xz) A", size=(10, 4, 6))) == [4, 0, 2]
    assert corner(only("Lot --> B\nB --> s(2, 2, 2) center(xyz) A", size=(10, 4, 6))) == [4, 1, 2]
    assert corner(only("Lot --> t(1, 0, 0) [ s(2, 2, 2) center(x) A ]", size=(10, 4, 6))) == [
        5,
        0,
        0,
    ]


def test_brackets_bring_the_shape_back() -> None:
    grown = supple.grow('Lot --> [ t(5, 0, 0) color("#ff0000") s(1, 1, 1) A ] t(0, 1, 0) B')
    a, b = grown.leaves
    assert corner(a) == [5, 0, 0] and corner(b) == [0, 1, 0]
    assert a.look.color == (1.0, 0.0, 0.0) and b.look.color == (1.0, 1.0, 1.0)
    assert b.size.tolist() == [1, 0, 1]


def test_which_shapes_are_left(leaves) -> None:
    assert list(leaves("Lot --> color(1, 0, 0)")) == ["Lot"]  # nothing came from it
    assert list(leaves("Lot --> A B t(1, 0, 0)")) == ["A", "B"]  # moved afterwards: nothing more
    assert list(leaves('Lot --> A i("box")')) == ["Lot", "A"]  # made afterwards: one more
    assert list(leaves("Lot --> A NIL")) == ["A"]
    assert list(leaves("Lot --> NIL")) == []
    assert list(leaves('Lot --> [ i("box") ] [ t(1, 0, 0) ] A')) == ["Lot.", "A"]
    assert list(leaves('Lot --> i("box") [ t(1, 0, 0) i("sphere") ]')) == ["Lot", "Lot."]
    assert list(leaves("Lot --> split(x){ 0.5 : color(1, 0, 0) | 0.5 : A }")) == ["Lot.", "A"]


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


def test_looks() -> None:
    shape = only(
        'Lot --> color("#ff8000", 0.5) set(material.name, "glass") set(material.metallic, 2) A'
    )
    assert shape.look.color == pytest.approx((1.0, 128 / 255, 0.0))
    assert (shape.look.opacity, shape.look.name, shape.look.metallic) == (0.5, "glass", 1.0)
    shape = only("Lot --> color(0.1, 0.2, 0.3) set(material.color.g, 0.9) A")
    assert shape.look.color == pytest.approx((0.1, 0.9, 0.3))


def test_reports_prints_and_labels() -> None:
    grown = supple.grow(
        'Lot --> split(x){ ~1 : A }*\nA --> report("area", geometry.area) print("part " + split.index) '
        'label("part") NIL',
        size=(4, 0, 2),
    )
    assert grown.reports == {"area": [2.0] * 4}
    assert grown.printed == ("part 0", "part 1", "part 2", "part 3")
    assert len(grown.shapes.named("part")) == 4


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("Lot --> t(1, 2) A", "t takes 3 arguments, got 2"),
        ("Lot --> s(-1, 1, 1) A", "s: expected sizes of at least 0, got -1"),
        ("Lot --> s(1e13, 1, 1) A", "expected a number no larger than 1e+12"),
        ("Lot --> s(1e308 * 1e308, 1, 1) A", "expected a number no larger than 1e+12, got inf"),
        ('Lot --> color("red")', "color: expected \"#rrggbb\", got 'red'"),
        ("Lot --> r(~1, 0, 0) A", "r takes no '~' here"),
        ("Lot --> center(w) A", "center: expected one of x, y, z"),
        ("Lot --> setbackToArea(1){ all : A }", "the operation 'setbackToArea' is not supported"),
        ("Lot --> roofRidge(30) A", "the operation 'roofRidge' is not supported"),
        ("Lot --> comp(g){ all : A }", "comp(g) is not supported"),
        ("Lot --> comp(f){ uv.front : A }", "the selector 'uv.front' is not supported"),
        ("Lot --> set(trim.vertical, false) A", "set: 'trim.vertical' is not supported"),
        ("Lot --> set(widht, 1) A", "set: 'widht' is no attribute"),
        ("Lot --> extrud(1) A", "unknown rule or operation 'extrud'; did you mean 'extrude'?"),
        ("Lot --> extrude A", "the operation 'extrude' needs its arguments in parentheses"),
        ("Lot --> A(1)\nA --> B", "rule 'A' takes 0 arguments, got 1"),
        ("Lot --> X.Y", "unknown rule or operation 'X.Y'"),
        ('Lot --> texture("a.png") A', "rules given as text have no folder"),
    ],
)
def test_what_is_wrong_or_not_supported_is_refused_by_name(refused, rules, message) -> None:
    said = refused(rules, size=(1, 1, 1))
    assert said.startswith("<rules>:1:") and "rule Lot" in said and message in said, said


def test_built_in_meshes_may_be_called_so():
    for name in ("cube", "builtin:cube", "builtin:sphere"):
        grown = supple.grow(f'Lot --> s(1, 1, 1) i("{name}")')
        assert grown.leaves[0].geometry == {"cube": "box"}.get(name.split(":")[-1], "sphere")
