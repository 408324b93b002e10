"""Missing rule files, and stubs for their values."""

import pytest

import supple
from supple.apps.grammar import stub_text

RULES = """
import Ref : "lib/Reference.cga"
import Lamp : "/ESRI.lib/rules/Lamp.cga" (height = 2 * size, kind = "street")
attr size = 3
Lot --> set(Ref.Display, false) [ Ref.Asphalt("Auto", 2) ] extrude(Lamp.height) color(Ref.tint(1, 2)) Rest
Rest --> case size > 5 : s(Ref.curb, 1, 1) X else : split(x){ ~1 : Lamp.Generate }*
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "main.cga").write_text(RULES)
    return tmp_path / "main.cga"


def test_rules_of_a_missing_file_leave_the_shape_as_it_is(path, tmp_path) -> None:
    stubs = tmp_path / "stubs.cga"
    stubs.write_text('Ref.tint(a, b) = "#ff0000"')
    grown = supple.grow(path, size=(4, 0, 2), missing="stand-in", stubs=stubs)
    assert grown.leaves.names == {"Ref.Asphalt": 1, "Lamp.Generate": 4}
    assert grown.leaves[1].size[1] == 6.0  # from the import statement: 2 * size
    assert grown.leaves[1].material.color == (1.0, 0.0, 0.0)
    assert any("'lib/Reference.cga' is missing" in line for line in grown.incomplete)
    assert any("rule Lamp.Generate of '/ESRI.lib" in line for line in grown.incomplete)
    assert "incomplete" in repr(grown)


def test_values_are_never_guessed(path, refused, tmp_path) -> None:
    said = refused(path, missing="stand-in")
    assert said == (
        f"{path}:5:87: rule Lot: 'Ref.tint' is not known: 'lib/Reference.cga' is missing; "
        "give its value by a file that --stubs FILE writes for you to fill"
    )
    stubs = tmp_path / "stubs.cga"
    stubs.write_text('Ref.tint(a, b) = "#ff0000"')
    options = {"missing": "stand-in", "stubs": stubs}
    said = refused(path, attributes={"size": 9}, **options)
    assert "give its value by --set Ref.curb=VALUE, or by a file" in said
    grown = supple.grow(path, attributes={"size": 9, "Ref.curb": 4}, **options)
    assert grown.leaves.names == {"Ref.Asphalt": 1, "X": 1}


def test_without_stand_ins_a_missing_file_is_an_error(path, refused) -> None:
    assert "import Ref of line 2: there is no file 'lib/Reference.cga'" in refused(path)


def test_the_stub_file_names_each_value_once_with_its_position(path) -> None:
    assert stub_text(path).splitlines()[2:] == [
        "",
        "// lib/Reference.cga",
        "// Ref.tint(x1, x2) =    // main.cga:5",
        "// const Ref.curb =    // main.cga:6",
    ]
    assert supple.grammar.stub_text("Lot --> A") == ""


def test_a_stub_rule_is_applied(path, tmp_path) -> None:
    stubs = tmp_path / "stubs.cga"
    stubs.write_text('Ref.tint(a, b) = "#ff0000"\nRef.Asphalt(mode, n) --> extrude(n) Road\n')
    grown = supple.grow(path, size=(4, 0, 2), missing="stand-in", stubs=stubs)
    assert grown.leaves.names == {"Road": 1, "Lamp.Generate": 4}


def test_imports_of_imports(tmp_path) -> None:
    (tmp_path / "inner.cga").write_text('import R : "none.cga"\nX --> extrude(R.h) R.Go')
    (tmp_path / "main.cga").write_text('import I : "inner.cga"\nLot --> I.X')
    assert "// const R.h =    // inner.cga:2" in stub_text(tmp_path / "main.cga")
    for name in ("I.R.h", "R.h"):
        (tmp_path / "stubs.cga").write_text(f"const {name} = 7")
        grown = supple.grow(tmp_path / "main.cga", missing="stand-in", stubs=tmp_path / "stubs.cga")
        assert grown.leaves[0].size[1] == 7.0
