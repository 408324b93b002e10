"""Syntax of rule files, and errors with their position."""

from pathlib import Path

import pytest

from supple import SuppleError
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.language.parser import parse


def refusal(text: str) -> str:
    with pytest.raises(SuppleError) as caught:
        parse(text, path="a.cga")
    return str(caught.value)


def test_a_rule_ends_where_the_next_begins() -> None:
    file = parse("A --> B C(1) D --> E\nf(x) = x + 1\nconst k = 2 attr w = f(k) F --> G")
    assert [rule.name for rule in file.rules] == ["A", "D", "F"]
    assert [len(rule.body.operations) for rule in file.rules] == [2, 1, 1]
    assert [(f.name, f.parameters, f.constant) for f in file.functions] == [
        ("f", ["x"], False),
        ("k", [], True),
    ]
    assert [a.name for a in file.attributes] == ["w"]


def test_comments_of_all_three_kinds_are_left_out() -> None:
    file = parse('/* A --> B\n* # */ A --> // B\n B # C --> D\n t(1,0,0) color("#ff0000") // end')
    names = [operation.name for operation in file.rules[0].body.operations]
    assert names == ["B", "t", "color"]
    assert file.rules[0].body.operations[2].args[0].value.value == "#ff0000"


def test_conditions_nest() -> None:
    file = parse("A --> case x : case y : B case z : C else : D case w : E else : F")
    outer = file.rules[0].body
    assert isinstance(outer, s.Fork) and len(outer.alternatives) == 2
    inner = outer.alternatives[0][1]
    assert isinstance(inner, s.Fork) and len(inner.alternatives) == 2


def test_chances_take_numbers_names_and_expressions() -> None:
    file = parse("A --> 30% : B p% : C (10 + 5)% : D else : E\nf = 20% : 1 else : 2")
    shares = [share for share, _ in file.rules[0].body.alternatives]
    assert [type(share) for share in shares] == [s.Constant, s.Name, s.Binary]
    assert file.functions[0].value.chances


def test_blocks_nest_and_repeat() -> None:
    file = parse("A --> split(x){ 1 : B | { ~2 : C | '0.5 : D }* | ~1 : split(y){ 1 : E }* F }")
    block = file.rules[0].body.operations[0].block
    assert not block.repeated and block.pieces[1].repeated
    assert [piece.mark for piece in block.pieces[1].pieces] == ["~", "'"]
    last = block.pieces[2].body.operations
    assert last[0].block.repeated and last[1].name == "F"


def test_imports_styles_and_annotations_are_kept() -> None:
    file = parse(
        '@Hidden import L : "lib/l.cga"( Type = T, Element --> L.start )\n'
        '@Range(min=0, max=1) @Order(2) @Enum("a","b") @Handle(translate={.1,0,0})\n'
        "attr w = 1\n@StartRule start Lot --> A\nstyle Red extends Blue\nattr w = 2"
    )
    imported = file.imports[0]
    assert (imported.name, imported.path) == ("L", "lib/l.cga")
    assert list(imported.values) == ["Type"] and imported.rules == {"Element": "L.start"}
    notes = file.attributes[0].annotations
    assert [note.name for note in notes] == ["Range", "Order", "Enum", "Handle"]
    assert [one.value for one in notes[0].named.values()] == [0.0, 1.0]
    assert file.rules[0].start
    assert (file.styles[0].base, list(file.styles[0].values)) == ("Blue", ["w"])
    assert [a.name for a in file.attributes] == ["w"]


def test_the_classic_form_is_read_beside_the_modern_one() -> None:
    file = parse(
        '1: lot(h) : h > 9 ~> S(1r, h, 1r) [ T(0, 1, 0) I("cube") ] '
        'Subdiv("X", 1r, 2){ a | b } : 0.5\n2: lot(h) ~> epsilon\nm --> n\n'
        'a ~> Repeat("Y", 3){ c } Comp("sidefaces"){ d } Rx(90) e'
    )
    first, second, third = file.classic
    assert (first.number, first.name, first.parameters) == ("1", "lot", ["h"])
    assert first.condition is not None and first.probability.value == 0.5
    assert [op.name for op in first.body.operations if isinstance(op, s.Operation)] == [
        "s",
        "split",
    ]
    assert [p.mark for p in first.body.operations[2].block.pieces] == ["~", ""]
    assert second.body.operations[0].name == "NIL"
    repeat, comp, turn, rest = third.body.operations
    assert repeat.block.repeated and comp.block.pieces[0].selector.name == "side"
    assert [argument.value.value for argument in turn.args] == [90.0, 0.0, 0.0]
    assert rest.name == "e" and file.rules[0].name == "m"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A --> case x: B", "a.cga:1:16: found the end of the file, expected 'case' or 'else'"),
        ("A --> B\nC --> D(", "a.cga:2:8: the '(' is never closed"),
        ("A --> B ] C", "a.cga:1:9: found ']', but nothing is open here"),
        ("A --> [ B ) C", "a.cga:1:11: found ')', but expected ']' for the '[' of line 1"),
        ('A --> i("x', "a.cga:1:9: the string that begins here has no closing '\"'"),
        ("attr x = ", "a.cga:1:10: found the end of the file, expected an expression"),
        ("A --> t(1,,2)", "a.cga:1:11: found ',', expected an expression or \"'\" or '~'"),
        ("A --> ?", "a.cga:1:7: found '?', which is not a valid character"),
        ("A --> B\n/* C", "a.cga:2:1: the comment that begins here has no closing '*/'"),
        ("A --> 30% : B", "a.cga:1:14: found the end of the file, expected 'else'"),
        ("attr = 3", "a.cga:1:6: found '=', expected a definition"),
    ],
)
def test_errors_name_the_position_the_token_and_what_was_expected(text: str, message: str) -> None:
    assert refusal(text) == message


def test_deep_nesting_is_refused_and_long_files_are_not() -> None:
    assert "nested more than 100 deep" in refusal(f"f = {'(' * 500}1{')' * 500}")
    assert "at most 200 operators" in refusal(f"f = {'1+' * 5000}1")
    many = "\n".join(f"A{k} --> B{k} C" for k in range(3000))
    assert len(parse(many).rules) == 3000


def test_every_real_rule_file_parses(street_rules) -> None:
    counts = {}
    for path in sorted(street_rules.rglob("*.cga")):
        file = parse(path.read_text(encoding="utf-8"), path=str(path))
        counts[path.name] = (len(file.imports), len(file.attributes), len(file.rules))
    assert len(counts) == 10
    # Counted by hand: lines that begin with import, attr, and a name before an arrow.
    assert counts["Street_Text.cga"] == (1, 9, 1)
    assert counts["Sidewalk_Lamp_Lane.cga"] == (5, 8, 2)
    assert counts["Curb_Drawing_Rule.cga"] == (2, 8, 14)


def test_the_rules_of_the_documentation_parse() -> None:
    page = (Path(__file__).parents[4] / "docs" / "grammar.md").read_text(encoding="utf-8")
    blocks = [block for block in page.split("```")[1::2] if "-->" in block]
    assert len(blocks) == 4
    for block in blocks:
        assert parse(block).rules


def test_every_operation_and_option_is_documented() -> None:
    from supple.apps.grammar.evaluate.functions import FUNCTIONS
    from supple.apps.grammar.evaluate.queries import QUERIES
    from supple.apps.grammar.operations.ik import CHECKS, WORDS
    from supple.apps.grammar.operations.table import OPERATIONS

    page = (Path(__file__).parents[4] / "docs" / "grammar.md").read_text(encoding="utf-8")
    aliases = {"setJointLimits", "nRows", *(n for n in OPERATIONS if n.startswith("primitive"))}
    for name in {*OPERATIONS, *FUNCTIONS, *QUERIES, *CHECKS, *WORDS} - aliases:
        assert name.removeprefix("geometry") in page, name


def test_a_number_before_a_second_case_is_no_classic_rule(leaves) -> None:
    rules = "attr a = {}\nA --> case a != 1 : case (a == 2) : B else : C\n      else : D"
    assert list(leaves(rules.format(1))) == ["D"]
    assert list(leaves(rules.format(2))) == ["B"]
    assert list(leaves(rules.format(3))) == ["C"]
    assert list(leaves("attr a = 2\nA --> case a == 2 : 50% : B else : B else : C")) == ["B"]


def test_brackets_hold_every_kind_of_successor(leaves) -> None:
    rules = "A --> [ case true : B else : NIL ] [ 100% : C else : D ] [] [ with( h := 2 ) s(h, h, h) E ] F"
    found = leaves(rules)
    assert {name: sizes[0] for name, sizes in found.items()} == {
        "B": (1, 0, 1), "C": (1, 0, 1), "E": (2, 2, 2), "F": (1, 0, 1),
    }  # fmt: skip


def test_a_handle_may_name_the_nth_shape_of_a_rule(leaves) -> None:
    rules = "@Handle(shape=Lot^4, axis=x, type=linear)\nattr a = 3\nLot --> extrude(a)"
    assert leaves(rules) == {"Lot": [(1, 3, 1)]}
