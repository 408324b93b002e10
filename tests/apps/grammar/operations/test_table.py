"""Errors of wrong and unsupported operations."""

import pytest

LOT = {"size": (8, 0, 4)}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("Lot --> t(1, 2) A", "t takes 3 arguments, got 2"),
        ("Lot --> taper(1) A", "the operation 'taper' is not supported"),
        ("Lot --> s(1e13, 1, 1) A", "expected a number no larger than 1e+12"),
        ("Lot --> s(1e308 * 1e308, 1, 1) A", "expected a number no larger than 1e+12, got inf"),
        ('Lot --> color("red")', "color: expected \"#rrggbb\", got 'red'"),
        ("Lot --> r(~1, 0, 0) A", "r takes no '~' here"),
        ("Lot --> center(w) A", "center: expected one of x, y, z"),
        ("Lot --> setbackToArea(1){ all : A }", "the operation 'setbackToArea' is not supported"),
        ("Lot --> roofRidge(30) A", "the operation 'roofRidge' is not supported"),
        ("Lot --> comp(g){ all : A }", "comp(g) is not supported"),
        ("Lot --> comp(f){ uv.front : A }", "the selector 'uv.front' is not supported"),
        ("Lot --> set(pivot.px, 1) A", "set: 'pivot.px' is not supported"),
        ("Lot --> set(widht, 1) A", "set: 'widht' is not an attribute"),
        ("Lot --> extrud(1) A", "unknown rule or operation 'extrud'; did you mean 'extrude'?"),
        ("Lot --> extrude A", "the operation 'extrude' needs its arguments in parentheses"),
        ("Lot --> A(1)\nA --> B", "rule 'A' takes 0 arguments, got 1"),
        ("Lot --> X.Y", "unknown rule or operation 'X.Y'"),
        ('Lot --> texture("a.png") A', "rules given as text have no folder"),
    ],
)
def test_invalid_and_unsupported_operations_are_refused_by_name(refused, rules, message) -> None:
    said = refused(rules, size=(1, 1, 1))
    assert said.startswith("<rules>:1:") and "rule Lot" in said and message in said, said


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("Lot --> mirrorScope(1, 0, 0) A", "mirrorScope: expected two axes, a scope stays right-handed"),
        ("Lot --> primitiveCylinder(2, 1, 1) A", "expected 3 to 512 sides"),
        ("Lot --> primitiveCube(-1, 1, 1) A", "expected sizes of at least 0"),
        ("Lot --> scatter(surface, 1e9, uniform){ A }", "expected 0 to 200,000"),
        ("Lot --> scatter(surface, 5, gaussian){ A }", "scatter takes 5 arguments, got 3"),
        ("Lot --> NIL alignScopeToGeometry(xUp, 0, 0) A", "expected one of yUp, zUp"),
        ("Lot --> report(\"a\", geometry.angle(steep)) A", "expected one of maxSlope"),
        ("Lot --> r(20, 0, 0) extrude(world.up.flatTop, 2) A", "level shapes only"),
        ('Lot --> report("a", getGeoCoord(1)) A', "'getGeoCoord' is not supported"),
        ("Lot --> extrude(1) splitArea(x){ 3 : A }", "splitArea: expected a flat shape"),
    ],
)  # fmt: skip
def test_operations_on_invalid_lots_are_refused_by_name(refused, rules, message):
    said = refused(rules, **LOT)
    assert message in said and said.startswith("<rules>:1:"), said
