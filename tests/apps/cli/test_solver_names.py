"""Solvers in words."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

import supple
from supple.apps.cli.solver_names import read_solver, solver_name
from supple.solvers import ALL, SOLVERS, Solver


@dataclass(frozen=True, kw_only=True)
class Fancy(Solver):
    name: ClassVar[str] = "Fancy"
    max_iterations: int = 10
    damping: float | None = 0.5
    method: str = "plain"
    backwards: bool = False


@pytest.fixture
def fancy(monkeypatch):
    monkeypatch.setitem(SOLVERS, "Fancy", Fancy)


@pytest.mark.parametrize("solver", ALL, ids=lambda solver: solver.name)
def test_every_solver_has_its_name(solver):
    assert read_solver(solver.name) == solver()
    assert read_solver(solver.name.lower()) == solver()
    assert read_solver(f"{solver.name}:max_iterations=7").max_iterations == 7


def test_auto_is_a_word():
    assert read_solver("AUTO") == "auto"
    assert solver_name("Auto") == "auto"


def test_options_have_the_type_of_their_field(fancy):
    solver = read_solver("fancy:damping=0.2:method=bold:backwards=yes:max_iterations=3")
    assert solver == Fancy(damping=0.2, method="bold", backwards=True, max_iterations=3)
    assert read_solver("fancy:damping=none") == Fancy(damping=None)
    assert solver_name("fancy:damping=0.2") == "Fancy:damping=0.2"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fanzy", "solver 'fanzy'.*did you mean 'Fancy'"),
        ("fancy:dumping=1", "option of Fancy 'dumping'.*did you mean 'damping'"),
        ("fancy:damping", "damping=VALUE"),
        ("fancy:damping=much", "a number or none, got 'much'"),
        ("fancy:max_iterations=1.5", "a whole number, got '1.5'"),
        ("fancy:backwards=perhaps", "yes or no"),
        ("auto:damping=1", "takes no options"),
        ("", "unknown solver ''"),
    ],
)
def test_what_is_wrong_is_said(fancy, text, message):
    with pytest.raises(supple.SuppleError, match=message):
        read_solver(text)
