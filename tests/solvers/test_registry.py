"""The choice among solvers: by object, by name, and what each can take."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from numba import njit

import supple
from supple import LM, Ball, Hinge, Hold, LookAt, Pole, Reach, Rest, Slider, Solver, SuppleError
from supple.kernels import layout as at
from supple.problem.lowering import Problem
from supple.solvers import ALL, EVERYTHING, GOAL_KINDS, JOINT_KINDS, Takes, choose, named
from supple.solvers.base import check

THERE = (1.0, 1.0, 0.0)


@pytest.fixture
def problem():
    return Problem(supple.chain([1, 1]), [Reach("tip", THERE)])


@pytest.mark.parametrize("solver", ALL, ids=lambda s: s.name)
def test_every_solver_is_found_by_its_name_in_any_case(solver):
    for name in (solver.name, solver.name.lower(), solver.name.upper()):
        assert named(name) == solver()
    assert getattr(supple, solver.__name__) is solver
    assert solver.takes.joints <= set(JOINT_KINDS)
    assert solver.takes.goals <= set(GOAL_KINDS)


@pytest.mark.parametrize("solver", ALL, ids=lambda s: s.name)
def test_solvers_are_frozen_compare_and_hash(solver):
    assert solver() == solver()
    assert hash(solver()) == hash(solver())
    assert solver(max_iterations=7) != solver()
    with pytest.raises(AttributeError):
        solver().max_iterations = 3
    with pytest.raises(TypeError):
        solver(50)
    assert all(isinstance(x, float) for x in solver().options())


@pytest.mark.parametrize("solver", ALL, ids=lambda s: s.name)
@pytest.mark.parametrize("value", [-1, 1.5, "many", None, True])
def test_iterations_are_a_whole_number(solver, value):
    message = rf"{solver.name}: max_iterations: expected a whole number from 0, got "
    with pytest.raises(SuppleError, match=message):
        solver(max_iterations=value)


def test_auto_takes_everything():
    rig = supple.chain([1, 1, 1], joint=[Slider("x"), Ball(stretch=(0.5, 2)), Hinge("z")])
    goals = [Reach("tip", THERE), LookAt("j1", THERE), Hold("j2"), Pole("j2", THERE), Rest()]
    assert choose("auto", Problem(rig, goals))
    assert choose("AUTO", Problem(rig, goals)) == choose("auto", Problem(rig, goals))


def test_a_solver_by_object_or_by_name(problem):
    assert choose(LM(restarts=3), problem) == (LM(restarts=3),)
    assert choose("lm", problem) == (LM(),)


@pytest.mark.parametrize(
    ("solver", "message"),
    [
        ("LMM", r"unknown solver 'LMM' \(expected one of 'auto', .*did you mean 'LM'\?"),
        ("outo", r"unknown solver 'outo'.*did you mean 'auto'\?"),
        ("", r"unknown solver ''"),
        (LM, r"expected a solver, got the class LM; make one of it, LM\(\)"),
        (Solver, r"expected a solver, got the class Solver"),
        (None, r"expected a solver such as supple.CCD\(\), its name or \"auto\", got None"),
        (3, r"expected a solver such as .* got 3"),
    ],
)
def test_what_is_no_solver(problem, solver, message):
    with pytest.raises(SuppleError, match=message):
        choose(solver, problem)


class Simple(Solver):
    """Turns balls and hinges to one position."""

    name: ClassVar[str] = "Simple"
    takes: ClassVar[Takes] = Takes(frozenset(("Ball", "Hinge")), frozenset(("position",)))

    def refusal(self, problem):
        return "short chains" if len(problem.moving) < 2 else None


BALLS = supple.chain([1, 1, 1])
CASES = {
    "joint": (
        supple.chain([1, 1], joint=[Ball(), Slider("x")]),
        [Reach("tip", THERE)],
        r"Simple cannot take Slider joints \('j1'\); LM can",
    ),
    "goal": (BALLS, [LookAt("tip", THERE)], r"Simple cannot take direction goals; LM can"),
    "orientation": (
        BALLS,
        [Reach("tip", orientation=(1, 0, 0, 0))],
        r"cannot take orientation goals",
    ),
    "hold": (BALLS, [Reach("tip", THERE), Hold("j1")], r"cannot take hold goals"),
    "pole": (BALLS, [Reach("tip", THERE), Pole("j1", THERE)], r"cannot take pole goals"),
    "rest": (BALLS, [Reach("tip", THERE), Rest()], r"cannot take rest goals"),
    "several": (
        BALLS,
        [Reach("tip", THERE), Reach("j2", THERE)],
        r"cannot take several goals at once",
    ),
    "stretch": (
        supple.chain([1, 1], joint=[Ball(), Ball(stretch=(0.5, 2))]),
        [Reach("tip", THERE)],
        r"cannot take stretch \('j1'\); LM can",
    ),
    "mimic": (
        supple.chain([1, 1], joint=[Hinge("z"), Hinge("z", mimic="j0")]),
        [Reach("tip", THERE)],
        r"cannot take mimic joints \('j1'\); LM can",
    ),
    "its own": (BALLS, [Reach("tip", THERE, depth=1)], r"Simple cannot take short chains; LM can"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_solver_cannot_do_names_those_that_can(name):
    skeleton, goals, message = CASES[name]
    with pytest.raises(SuppleError, match=message):
        check(Simple(), Problem(skeleton, goals), lambda: (LM,))


def test_joints_that_do_not_move_are_no_obstacle():
    rig = supple.chain([1, 1, 1], joint=[Slider("x"), Ball(), Ball()])
    check(Simple(), Problem(rig, [Reach("tip", THERE, root="j1")]), lambda: (LM,))
    check(Simple(), Problem(rig, [Reach("tip", THERE)], lock=["j0"]), lambda: (LM,))


def test_everything_is_everything():
    assert EVERYTHING.joints == set(JOINT_KINDS)
    assert EVERYTHING.goals == set(GOAL_KINDS)
    assert EVERYTHING.several
    assert EVERYTHING.stretch
    assert EVERYTHING.mimic


# Solvers of one's own -----------------------------------------------------------------------------


def test_a_solver_that_lacks_something_says_what(problem):
    @dataclass(frozen=True, kw_only=True)
    class Mine(Solver):
        name: ClassVar[str] = "Mine"

        def solve(self, search):
            del search

    message = r"solver Mine: expected what it takes, as in takes = supple.solvers.EVERYTHING \(see"
    with pytest.raises(SuppleError, match=message):
        choose(Mine(), problem)
    with pytest.raises(SuppleError, match="a name.*what it takes.*a method solve"):
        supple.solve(supple.chain([1, 1]), {"tip": THERE}, solver=Solver())
    with pytest.raises(SuppleError, match="Solver: max_iterations: expected a whole number"):
        Solver(max_iterations=-1)


def idle(*_):
    """A kernel that does nothing."""


def silent(ints, floats, offsets, starts, targets, out, work, trace, events, first, last):
    """A kernel that does nothing, of the signature that compiled ones need."""


def half(ints, floats, offsets, starts, targets, out, *_):
    """A kernel that says it is done, and gives no pose."""
    out[:, ints[at.H_COORDS] + at.O_STATUS] = at.REACHED


def unknown(ints, floats, offsets, starts, targets, out, *_):
    """A kernel with a status that there is not."""
    out[:] = 17.0


class Odd(Solver):
    """A solver whose kernel is set by the test."""

    name: ClassVar[str] = "Odd"
    takes: ClassVar[Takes] = EVERYTHING


@pytest.mark.parametrize("kernel", [idle, half, unknown, njit(silent)])
def test_a_kernel_that_does_not_fill_its_rows_is_refused(kernel, monkeypatch):
    monkeypatch.setattr(Odd, "kernel", staticmethod(kernel), raising=False)
    arm = supple.chain([1, 1, 1])
    message = "solver Odd: expected its kernel to fill every row"
    prepared = supple.prepare(arm, [Reach("tip")], solver=Odd())
    with pytest.raises(SuppleError, match=message):
        prepared(THERE)
    with pytest.raises(SuppleError, match=message):
        prepared.solve(THERE, trace=True)
    with pytest.raises(SuppleError, match=message):
        prepared.solve([THERE] * 3)
    with pytest.raises(SuppleError, match=message):
        prepared.track([THERE] * 3)


def test_a_solver_that_borrows_a_kernel_serves():

    class Lazy(Solver):
        name: ClassVar[str] = "Lazy"
        takes: ClassVar[Takes] = LM.takes
        kernel = staticmethod(LM.kernel)

        def options(self):
            return LM(max_iterations=0).options()

    s = supple.solve(supple.chain([1, 1]), {"tip": THERE}, solver=Lazy())
    assert s.status is supple.Status.BUDGET
    assert s.asked.solver == "Lazy"
