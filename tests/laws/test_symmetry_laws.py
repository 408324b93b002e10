"""The same problem elsewhere has the same answer there: moved, mirrored, scaled, in another order.

Held to ordinary starts and targets that are solved without looking elsewhere: where two answers
are equally good (a straight start, a target on its axis), rounding may choose between them.
"""

import math
import random

import numpy as np
import pytest
from drawing import (
    MIRROR,
    ORDINARY,
    SHIFTING,
    SOLVERS,
    cases,
    examples,
    families,
    mirrored,
    moved,
    scaled,
    solved,
    solver_of,
)
from hypothesis import given
from hypothesis import strategies as st

import supple
from supple import rotations as rot
from supple.solvers import ALL

# Optimize does not claim these: SciPy's line searches magnify rounding.
every_solver = pytest.mark.parametrize("name", [name for name in SOLVERS if name != "Optimize"])
unit = st.floats(-1.0, 1.0)
CLOSE = 1e-4  # chain lengths: as near as answers are asked to be, since rounding may change when a solver stops


def settled(*answers):
    """The rows that every answer met, or came as near as it could, without restarts or the budget."""
    fine = [
        (a.restarts == 0) & (a.status != supple.Status.BUDGET) & (a.iterations < 60)
        for a in answers
    ]
    # Rounding may give a step more or less, and then another answer as near as this one.
    same = [a.iterations == answers[0].iterations for a in answers]
    return np.logical_and.reduce(fine + same)


def ordinary(name, *, without=()):
    if name == "TargetTriangle":
        # On a cone's rim two directions mirror each other, and rounding chooses between them.
        without = (*without, "Cone")
    choice = families(name, without=without)
    return cases(name, choice, places=ORDINARY, starts=("bent",), own=False)


@every_solver
@examples(12)
@given(data=st.data(), axis=st.tuples(unit, unit, unit), angle=st.floats(-3.0, 3.0))
def test_moving_the_root_moves_the_answer_with_it(name, data, axis, angle):
    case = data.draw(ordinary(name))
    length = case.problem.length
    turn = rot.from_axis_angle(np.add(axis, (0.0, 0.0, 1.5)), angle)
    shift = length * np.array(axis)
    there = moved(case, turn, shift)
    (a, _), (b, _) = solved(case, name), solved(there, name)
    rows = settled(a, b)
    expected = rot.rotate(turn, a.positions) + shift
    assert np.array_equal(a.status[rows], b.status[rows])
    assert np.allclose(b.positions[rows], expected[rows], rtol=0.0, atol=CLOSE * length)


@every_solver
@examples(12)
@given(data=st.data())
def test_the_mirrored_problem_has_the_mirrored_answer(name, data):
    case = data.draw(ordinary(name, without=("Free", "Planar")))
    (a, _), (b, _) = solved(case, name), solved(mirrored(case), name)
    rows = settled(a, b)
    assert np.array_equal(a.status[rows], b.status[rows])
    expected = a.positions[rows] * MIRROR
    assert np.allclose(b.positions[rows], expected, rtol=0.0, atol=CLOSE * case.problem.length)


@every_solver
@examples(10)
@given(data=st.data(), power=st.integers(-20, 20))
def test_doubling_the_unit_keeps_every_bit(name, data, power):
    choice = families(name, without=("Free", "Planar"))
    case = data.draw(cases(name, choice, own=False))
    factor = 2.0**power
    (a, _), (b, _) = solved(case, name), solved(scaled(case, factor), name)
    assert np.array_equal(a.status, b.status)
    assert np.array_equal(a.iterations, b.iterations)
    assert np.array_equal(b.positions, factor * a.positions)


@every_solver
@examples(10)
@given(data=st.data(), power=st.floats(-6.0, 6.0))
def test_the_unit_does_not_matter(name, data, power):
    case = data.draw(ordinary(name, without=("Free", "Planar")))
    factor = 10.0**power
    (a, _), (b, _) = solved(case, name), solved(scaled(case, factor), name)
    rows = settled(a, b)
    assert np.array_equal(a.status[rows], b.status[rows])
    slack = CLOSE * case.problem.length
    assert np.allclose(b.positions[rows] / factor, a.positions[rows], rtol=0.0, atol=slack)


@pytest.mark.parametrize("name", ["auto", *(s.name for s in ALL if s.takes.several)])
@examples(12)
@given(data=st.data())
def test_the_order_of_goals_does_not_matter(name, data):
    choice = families(name, without=SHIFTING, goals=("two", "hold", "many"))
    case = data.draw(cases(name, choice, places=ORDINARY, starts=("bent",), own=False))
    order = list(range(len(case.goals)))
    random.Random(len(case.skeleton.joints)).shuffle(order)
    first = case.prepared(solver_of(name))
    goals = [case.goals[i] for i in order]
    again = supple.prepare(case.skeleton, goals, lock=case.lock, solver=solver_of(name))
    # Targets go with their goals.
    targets = [
        case.targets[first.arguments.index((order[goal], slot))] for goal, slot in again.arguments
    ]
    a = first.solve(*case.targets, start=case.start)
    b = again.solve(*targets, start=case.start)
    rows = settled(a, b)
    assert np.array_equal(a.status[rows], b.status[rows])
    assert np.allclose(a.error[rows], b.error[rows], rtol=1e-4, atol=1e-4 * case.problem.length)
    slack = 1e-3 * case.problem.length
    assert np.allclose(a.positions[rows], b.positions[rows], rtol=0.0, atol=slack)
    assert math.isfinite(a.error.max())
