"""Values, functions and operators of the language."""

import math

import pytest

import supple


@pytest.fixture
def value():
    def find(expression: str, rules: str = "", **options):
        grown = supple.grow(f'Lot --> report("v", {expression}) NIL\n{rules}', **options)
        return grown.reports["v"][0]

    return find


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 + 2 * 3 - 4 / 8", 6.5),
        ("(1 + 2) * 3", 9.0),
        ("-2 * -(3 + 1)", 8.0),
        ("7 % 4", 3.0),
        ("10 / 4 / 5", 0.5),
        ("1 < 2 && !(3 <= 2) || false", True),
        ('"a" + 1 + 2.5 + true', "a12.5true"),
        ('"abc" == "abc" && "a" != "b"', True),
        ('"10" < "9"', True),
        ("case 1 > 2 : 5 case 2 > 1 : 6 else : 7", 6.0),
        ("case false : 1 else : case true : 2 else : 3", 2.0),
        ("sin(30)", 0.5),
        ("atan2(1, 1)", 45.0),
        ("rint(2.5) + floor(-1.5) + ceil(0.2)", 2.0),
        ("pow(2, 10)", 1024.0),
        ("sqrt(16) + max(1, 2) + min(1, 2) + abs(-3)", 10.0),
        ("ln(exp(2))", 2.0),
        ('len("four") + count("banana", "an") + find("banana", "na", 1)', 10.0),
        ('substring("banana", 1, 3)', "an"),
        ('replace("banana", "an", "-")', "b--a"),
        ('listItem("a;b;c;", 1) + listSize("a;b;c;") + listIndex("a;b;c", "c")', "b32"),
        ('bool("true") && bool(2) && !bool("false")', True),
        ('float("2.5") + 1', 3.5),
        ("str(3) + str(0.5)", "30.5"),
        ("[1, 2, 3][1] + size([4, 5])", 4.0),
        ("[1, 2] * 2 + [1, 1]", (3.0, 5.0)),
        ("[0, [1, 2], 3]", (0.0, 1.0, 2.0, 3.0)),
        ("[0:3]", (0.0, 1.0, 2.0, 3.0)),
        ("[5:-2:0]", (5.0, 3.0, 1.0)),
        ("str([1, 2; 3, 4])", "(2x2)\n   1   2\n   3   4"),
        ("str([-1; -2])", "(2x1)\n   -1\n   -2"),
        ("[[-1; -2], [0:2 ; 3, 3, 3]][1, 0:3]", (-2.0, 3.0, 3.0, 3.0)),
        ("[1, 2; 3, 4][2] + [1, 2; 3, 4][1, 0]", 6.0),
        ("[1, 2, 3; 4, 5, 6][0:1, 2] == [3; 6]", True),
        ("[1, 2, 3; 4, 5, 6][1, 1:2]", (5.0, 6.0)),
        ("[1, 2, 3][2:-1:0]", (3.0, 2.0, 1.0)),
        ("[5, 6, 7][[5, 6, 7] .> 5]", (6.0, 7.0)),
        ("([1, 2; 3, 4] .== 3) == [false, false; true, false]", True),
        ("[1, 2; 3, 4] * 2 == [2, 4; 6, 8]", True),
        ("[1, 2] == [1, 2] && [1, 2] != [1; 2]", True),
        ('sortIndices(["e","c","d"; "b","a","c"]) == [1, 2, 0; 4, 3, 5]', True),
        ("sortRowIndices([4,0,1; 2,1,9; 1,3,0; 2,1,0])", (2.0, 3.0, 1.0, 0.0)),
        ("transpose([1, 2; 3, 4]) == [1, 3; 2, 4]", True),
        ("setElems([1, 2, 3], [0, 2], 9)", (9.0, 2.0, 9.0)),
        ("nRows([1, 2, 3]) + 10 * nColumns([1, 2, 3])", 31.0),
        ("size([1, 2; 3, 4; 5, 6])", 6.0),
        ('findFirst(["a", "b"], "b") + findLast([1, 2, 1], 1)', 3.0),
        ("str([1, 2; 3, 4])", "(2x2)\n   1   2\n   3   4"),
        ('str(["a", "b"])', "(2)[a,b]"),
        ("str(0.0000001)", "1.0e-07"),
        (".5e1", 5.0),
        ("scope.sx + scope.sy + scope.sz", 3.0),
        ("geometry.area", 2.0),
        ("geometry.nVertices", 4.0),
    ],
)
def test_expressions(value, expression: str, expected) -> None:
    found = value(expression, size=(2, 0, 1))
    if isinstance(expected, float):
        assert found == pytest.approx(expected, abs=1e-12)
    else:
        assert found == expected and type(found) is type(expected)


def test_functions_constants_and_attributes(value) -> None:
    rules = "f(x, y) = x * g + y\nconst g = h + 1\nh = 3\nattr w = f(2, 0.5)"
    assert value("w", rules) == 8.5
    assert value("w", rules, attributes={"w": 1}) == 1.0
    assert value("f(w, w)", rules, attributes={"w": 2}) == 10.0
    assert value("fact(5)", "fact(n) = case n <= 1 : 1 else : n * fact(n - 1)") == 120.0


def test_an_attribute_is_set_for_a_shape_and_its_descendants() -> None:
    grown = supple.grow(
        'attr c = 1\nLot --> A set(c, 2) A [ set(c, 3) A ] A\nA --> B\nB --> report("c", c) NIL'
    )
    assert grown.reports["c"] == [1.0, 2.0, 3.0, 2.0]


def test_rand_stays_in_its_range_and_p_holds_with_its_probability() -> None:
    grown = supple.grow(
        "Lot --> split(x){ ~1 : R }*\n"
        'R --> report("r", rand(2, 5)) report("p", case p(0.3) : 1 else : 0) NIL',
        size=(3000, 0, 1),
    )
    draws = grown.reports["r"]
    assert len(draws) == 3000 and min(draws) >= 2.0 and max(draws) < 5.0
    assert sum(draws) / 3000 == pytest.approx(3.5, abs=0.06)
    assert sum(grown.reports["p"]) / 3000 == pytest.approx(0.3, abs=0.03)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("1 / 0", "<rules>:1:23: rule Lot: division by zero: 1 / 0"),
        ("5 % (2 - 2)", "division by zero: 5 % 0"),
        ("sqrt(-1)", "<rules>:1:21: rule Lot: sqrt(-1) has no finite value"),
        ("pow(10, 400)", "pow(10, 400) has no finite value"),
        ('1 - "a"', "'-' takes numbers, got a number and a string"),
        ('1 == "a"', "'==' cannot compare a number with a string"),
        ("widht", "unknown name 'widht'; did you mean 'width'?"),
        ("foo(1)", "unknown function 'foo' with 1 argument"),
        ("sin(1, 2)", "'sin' takes 1 argument, got 2"),
        ("geometry.isOriented()", "the function 'geometry.isOriented' is not supported"),
        ('getTreeKey("a")', "the function 'getTreeKey' is not supported"),
        ("pivot.qx", "'pivot.qx' is not supported"),
        ("[1, 2][2]", "expected an index from 0 to 1, got 2"),
        ("[1, 2; 3]", "expected rows of one length, got 2, 1 elements"),
        ("[[1; 2], 3]", "expected arrays with the same number of rows"),
        ("[1, 2; 3, 4][0, 2]", "expected an index from 0 to 1, got 2"),
        ("[1, 2, 3][[true, false]]", "expected 3 booleans as index, got 2"),
        ("[0:0:5]", "a step other than 0"),
        ("[0:1000000]", "at most 100,000 elements"),
        ("case [1] : 1 else : 2", "expected a condition, got an array"),
    ],
)
def test_invalid_expressions_are_refused_with_their_position(refused, expression, message) -> None:
    said = refused(f'Lot --> report("v", {expression}) NIL\nattr width = 1')
    assert said.startswith("<rules>:1:")
    assert message in said


def test_circular_values_and_endless_recursion_are_refused(refused) -> None:
    assert "'a' depends on itself" in refused("attr a = b\nattr b = a\nLot --> t(a, 0, 0) A")
    said = refused("f(x) = f(x + 1)\nLot --> t(f(1), 0, 0) A")
    assert said.startswith("<rules>:1:1: function f: more than") and "nested function calls" in said
    said = refused('Lot --> L("aaaaaaaaaa")\nL(s) --> L(s + s)')
    assert "rule L: expected a string of at most 100,000 characters" in said


def test_numbers_are_doubles(value) -> None:
    assert value("0.1 + 0.2") == 0.1 + 0.2
    assert math.isinf(value("1e308 * 10"))


def test_with_gives_names_to_values(leaves):
    rules = """
    area(w, h) = with( a := w * h, b := a + 1 ) a * b
    Lot --> with( h := rand(2, 3), twice := 2 * h ) extrude(h) report("h", h) report("t", twice) Mass(h)
    Mass(x) --> with( x := x * 0 + 5 ) case x == 5 : s('1, x, '1) Five else : Other
    """
    grown = supple.grow(rules + "Two --> extrude(area(2, 3)) A")
    assert grown.reports["t"][0] == 2 * grown.reports["h"][0]
    assert [leaf.name for leaf in grown.leaves] == ["Five"] and grown.leaves[0].size[1] == 5
    assert leaves(rules + "Two --> extrude(area(2, 3)) A", start="Two") == {"A": [(1, 42, 1)]}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('colorHSVToHex(120, 1, 1)', "#00ff00"),
        ('colorRGBToHex(1, 0.5, 0)', "#ff8000"),
        ('colorHexToG("#003300")', 0.2),
        ('colorHexToH("#0000ff")', 240),
        ('listRange("a;b;c;d;", 1, 3)', "b;c;"),
        ('listRetain("wood;word;stone;", "wo*")', "wood;word;"),
        ('listRemove("wood;word;stone;", "wo*")', "word;stone;"),
        ('listRemoveAll("wood;word;stone;", "wo*")', "stone;"),
        ('listRetainAll("wood;word;stone;", "*o*e")', "stone;"),
        ('listClean(";;a;b;;a")', "a;b;a;"),
        ('listLast("a;b;c;") + listTerminate("x;y")', "cx;y;"),
        ('getRange("tree(oak)", "(", ")") + getRange("oak", "(", ")")', "oak"),
        ('find("CE_Zero CE_One CE_Two", "CE", 1) + find("a", "b", 1)', 7.0),
        ('find("a", "a", -1) + find("a", "", 0)', -2.0),
        ('colorRGBOToHex(1, 0, 0, 0.5) + colorHSVOToHex(0, 1, 1, 1)', "#ff000080#ff0000ff"),
        ('colorHexToO("#ff000080") > 0.5 && colorHexToO("#ff0000") == 1', True),
        ('colorRamp("whiteToBlack", 0.5) + colorRamp("spectrum", 0)', "#808080#ff0000"),
        ("clamp(5, 0, 2) + clamp(-1, 0, 2)", 2.0),
        ("convert(x, scope, world, pos, 1, 2, 3) + convert(z, world, scope, dir, 1, 2, 3)", 4.0),
        ('connectionStart + streetWidth', "JUNCTION8"),
        ('streetWidth(2)', 8.0),
        ("geometry.vMax - geometry.vMin(0)", 1.0),
        ('fileBasename("maps/wall.jpg") + fileExtension("maps/wall.jpg")', "wall.jpg"),
        ('sum([1, 2, 3.5])', 6.5),
        ('findLast("abcabc", "b")', 4),
        ('assetInfo("box", sy)', 1),
        ('getPrefix("wall.old.jpg", ".") + getSuffix("wall.old.jpg", ".")', "walljpg"),
        ('print(3) + 1', 4),
    ],
)  # fmt: skip
def test_further_functions(expression, value):
    grown = supple.grow(f'Lot --> report("x", {expression}) A')
    assert grown.reports["x"] == [pytest.approx(value) if isinstance(value, float) else value]


def test_functions_call_themselves_hundreds_of_times(leaves):
    assert leaves("f(n) = case n <= 0 : 0 else : 1 + f(n - 1)\nA --> extrude(f(100))") == {
        "A": [(1, 100, 1)]
    }
    nested = "f(n) = case n <= 0 : 0 else : max(1 + f(n - 1), min(3, (n + (1 * (2 - 2)))))\n"
    assert leaves(f"{nested}A --> extrude(f(450))") == {"A": [(1, 450, 1)]}


def test_functions_that_double_their_calls_are_stopped_for_one_shape(refused, leaves):
    said = refused("f(n) = case n <= 0 : 1 else : f(n - 1) + f(n - 1)\nA --> extrude(f(50))")
    assert said == ("<rules>:1:1: function f: more than 400,000 function calls for one shape")
    # Many shapes may call as often together.
    many = "f(n) = case n <= 0 : 1 else : f(n - 1) + f(n - 1)\nA --> split(x){ ~1 : B }*\nB --> s(f(13), 1, 1)"
    assert leaves(many, size=(60, 0, 1)) == {"B": [(8192, 1, 1)] * 60}


def test_is_rectangular_takes_degrees(value):
    assert value("geometry.isRectangular(5)") == value("geometry.isRectangular()") == 1
