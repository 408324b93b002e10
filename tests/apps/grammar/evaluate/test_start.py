"""Start rules, and errors without one."""

import supple


def test_missing_arguments_are_named_with_their_line(refused) -> None:
    said = refused("attr a = 1\nTower(n, wide) --> B")
    assert said.startswith(
        "<rules>:2:1: rule 'Tower' takes 2 arguments, got 0: start with Tower(n, wide)"
    )
    assert 'start="Tower(...)", on the command line --start "Tower(...)"' in said
    assert "no rule of this file is marked @StartRule" in said
    said = refused("@StartRule\nTower(n) --> B", start="Tower(1, 2)")
    assert said.startswith("<rules>:2:1: rule 'Tower' takes 1 argument, got 2")


def test_a_file_of_attributes_is_refused(refused) -> None:
    said = refused('version "2020.0"\nattr a = 1\nf(x) = x\n')
    assert said.startswith("<rules>:2:6: the file has attributes and functions but no rules")


def test_a_rule_that_no_other_calls_is_the_start_if_the_first_takes_arguments() -> None:
    grown = supple.grow("A(n) --> extrude(n)\nB --> A(2)\nLot --> B A(3)")
    assert grown.shapes[0].name == "Lot"
    assert "no rule is marked @StartRule" in grown.notes[0]
    assert not supple.grow("A --> B\nLot --> A").notes
