"""What holds for every answer of every solver, on whatever it says it can take."""

import numpy as np
import pytest
from drawing import SOLVERS, cases, examples, families, solved
from hypothesis import given
from hypothesis import strategies as st
from tests.support.verdict import judge

import supple

every_solver = pytest.mark.parametrize("name", SOLVERS)


@every_solver
@examples(25)
@given(data=st.data())
def test_answers_are_what_they_say(name, data):
    """Errors, limits, what stays, never worse, the status: all of `verdict.judge`."""
    case = data.draw(cases(name, families(name)))
    answer, prepared = solved(case, name)
    assert judge(case, prepared, answer) == []


@every_solver
@examples(15)
@given(data=st.data())
def test_awkward_starts_and_targets(name, data):
    """Straight, nearly straight and folded; antipodal, on a joint, at the root, on the tip."""
    places = ("root", "joint", "here", "opposite", "axis", "length", "hair")
    choice = cases(name, families(name), places=places, starts=("rest", "nearly", "folded"))
    case = data.draw(choice)
    answer, prepared = solved(case, name)
    assert judge(case, prepared, answer) == []


@every_solver
@examples(10)
@given(data=st.data())
def test_what_cannot_be_reached_can_be_kept(name, data):
    case = data.draw(cases(name, families(name), places=("reach", "beyond", "far", "opposite")))
    answer, prepared = solved(case, name, unreachable="keep")
    missed = np.flatnonzero(~answer.reached)
    assert answer.pose.coordinates[missed].tobytes() == case.start.coordinates[missed].tobytes()
    assert judge(case, prepared, answer) == []
    approached, _ = solved(case, name)
    assert np.array_equal(approached.status, answer.status)


@every_solver
@examples(8)
@given(data=st.data())
def test_locked_joints_keep_their_bits(name, data):
    """Every joint in turn, and a coordinate of -0.0 stays -0.0."""
    case = data.draw(cases(name, families(name, goals=("position", "pose")), rows=2))
    for joint in case.skeleton.joint_names:
        try:
            prepared = supple.prepare(case.skeleton, case.goals, lock=[joint], solver=name)
        except supple.SuppleError:
            continue  # nothing is left to move, or not what this solver takes
        given = case.start.coordinates
        start = supple.Pose._wrap(case.skeleton, np.where(given == 0.0, -0.0, given))
        answer = prepared.solve(*case.targets, start=start)
        row = case.skeleton.packed_ints[case.skeleton.index(joint)]
        mine = slice(row[2], row[2] + row[3])
        kept = np.ascontiguousarray(answer.pose.coordinates[:, mine]).tobytes()
        assert kept == np.ascontiguousarray(start.coordinates[:, mine]).tobytes()
