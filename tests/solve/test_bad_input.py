"""Input that makes no sense is refused in words, and leaves nothing behind."""

import pickle

import numpy as np
import pytest

import supple
from supple import (
    LM,
    Hold,
    LookAt,
    Pole,
    Reach,
    Rest,
    SuppleError,
    solve,
)

TARGET = {"tip": (1.2, 0.7, 0)}
BAD = {
    "unknown effector": (({"tipp": (1, 1, 0)},), {}, r"unknown effector 'tipp'.*did you mean 'tip'"),
    "number as effector": (({3: (1, 1, 0)},), {}, r"unknown effector 3"),
    "unknown root": ((Reach("tip", (1, 1, 0), root="j00"),), {}, r"unknown root joint 'j00'.*did you mean 'j0'"),
    "wrong shape": (({"tip": (1, 1)},), {}, r"target of 'tip': expected.*\(\.\.\., 3\), got shape \(2,\)"),
    "NaN target": (({"tip": (1, np.nan, 0)},), {}, r"target of 'tip': .*nan at \[1\]"),
    "text target": (({"tip": "far"},), {}, r"target of 'tip'.*'far'"),
    "no target": (({"tip": None},), {}, r"Reach 'tip' has no target: give one, or use supple.prepare"),
    "open pole": (([Reach("tip", (1, 1, 0)), Pole("j1")],), {}, r"Pole 'j1' has no target"),
    "open look": ((LookAt("tip"),), {}, r"LookAt 'tip' has no target"),
    "no goals": (([],), {}, r"at least one Reach, LookAt, Connect or Weld.*got none"),
    "empty mapping": (({},), {}, r"at least one Reach, LookAt, Connect or Weld.*got none"),
    "text for goals": (("tip",), {}, r"goals: expected Reach.*got the single text 'tip'"),
    "unknown solver": ((TARGET,), {"solver": "LMM"}, r"unknown solver 'LMM'.*did you mean 'LM'"),
    "solver class": ((TARGET,), {"solver": LM}, r"solver: expected a solver, got the class LM; make one.*LM\(\)"),
    "solver number": ((TARGET,), {"solver": 3}, r"solver: expected a solver.*got 3"),
    "no solver": ((TARGET,), {"solver": None}, r"solver: expected a solver.*got None"),
    "policy": ((TARGET,), {"unreachable": "approch"}, r"unknown unreachable policy 'approch'.*did you mean 'approach'"),
    "no tolerance": ((TARGET,), {"tolerance": 0}, r"tolerance: expected a positive number, got 0"),
    "negative tolerance": ((TARGET,), {"tolerance": -1e-3}, r"tolerance: .*got -0.001"),
    "NaN tolerance": ((TARGET,), {"tolerance": np.nan}, r"tolerance: .*got nan"),
    "list of tolerances": ((TARGET,), {"tolerance": [1e-3]}, r"tolerance: .*got \[0.001\]"),
    "orientation tolerance": ((TARGET,), {"orientation_tolerance": None}, r"orientation_tolerance: .*got None"),
    "lock text": ((TARGET,), {"lock": "j0"}, r"lock: expected a list of joint names, got the single text 'j0'"),
    "lock tip": ((TARGET,), {"lock": ["tip"]}, r"unknown joint to lock 'tip'"),
    "lock unknown": ((TARGET,), {"lock": ["j00"]}, r"unknown joint to lock 'j00'.*did you mean 'j0'"),
    "lock number": ((TARGET,), {"lock": 1}, r"lock: expected a list of joint names, got 1"),
    "lock everything": ((TARGET,), {"lock": ["j0", "j1"]}, r"nothing can move 'tip'"),
    "other start": ((TARGET,), {"start": supple.chain([1, 1, 1]).rest}, r"start: .*got one of .*3 joints"),
    "coordinates as start": ((TARGET,), {"start": (0.1, 0.2)}, r"start: expected a supple.Pose, got a tuple"),
    "blend": ((TARGET,), {"blend": 1.5}, r"blend: expected a number from 0 to 1, got 1.5"),
    "NaN blend": ((TARGET,), {"blend": np.nan}, r"blend: expected a number from 0 to 1, got nan"),
    "no solutions": ((TARGET,), {"solutions": 0}, r"solutions: expected a whole number from 1, got 0"),
    "half a solution": ((TARGET,), {"solutions": 1.5}, r"solutions: .*got 1.5"),
    "preference": ((TARGET,), {"prefer": "nearst"}, r"unknown preference 'nearst'.*did you mean 'nearest'"),
    "number as preference": ((TARGET,), {"prefer": 5}, r"unknown preference 5"),
    "cost of wrong shape": ((TARGET,), {"prefer": lambda start, answers: 1.0}, r"prefer: what it gives.*shape \(\)"),
    "cost of NaN": ((TARGET,), {"prefer": lambda start, answers: np.full(len(answers), np.nan)}, r"prefer: .*nan"),
    "threads": ((TARGET,), {"threads": 0}, r"threads: expected a whole number from 1, got 0"),
    "progress": ((TARGET,), {"progress": True}, r"progress: expected a function"),
    "trace of a batch": (({"tip": np.zeros((2, 3))},), {"trace": True}, r"trace: a batch has no trace"),
    "solutions of a batch": (({"tip": np.ones((2, 3))},), {"solutions": 2}, r"for single solves only"),
    "batches that do not fit": (
        ([Reach("tip", np.ones((2, 3))), LookAt("j0", np.ones((3, 3)))],), {}, r"batch axes that go together",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_says_what_is_wrong(arm, name):
    goals, options, message = BAD[name]
    with pytest.raises(SuppleError, match=message) as caught:
        solve(arm, *goals, **options)
    assert isinstance(caught.value, ValueError)


def test_a_solution_as_start_is_told_apart(arm):
    s = solve(arm, TARGET)
    with pytest.raises(
        SuppleError, match=r"start: expected a supple.Pose, got a Solution; give its .pose"
    ):
        solve(arm, TARGET, start=s)  # type: ignore[arg-type]


@pytest.mark.parametrize("skeleton", [None, "arm", {"joints": []}, [1, 1]])
def test_a_skeleton_is_a_skeleton(skeleton):
    with pytest.raises(SuppleError, match="skeleton: expected a supple.Skeleton, got "):
        solve(skeleton, TARGET)


def test_a_bad_call_leaves_the_next_one_alone(arm):
    good = solve(arm, TARGET)
    for name in ("lock text", "no tolerance", "policy"):
        goals, options, message = BAD[name]
        with pytest.raises(SuppleError, match=message):
            solve(arm, *goals, **options)
    assert solve(arm, TARGET) == good


def test_recent_problems_are_kept_apart(arm):
    """Calls of one shape share a prepared problem; everything that matters keeps them apart."""
    ball = supple.chain([1, 1])
    cases = [
        dict(goals=Reach("tip", (1, 1, 0))),
        dict(goals=Reach("tip", (1, 1, 0), depth=1)),
        dict(goals=Reach("tip", (1, 1, 0), weight=2)),
        dict(goals=Reach("tip", (1, 1, 0), point=(0.1, 0, 0))),
        dict(goals=[Reach("tip", (1, 1, 0)), Hold("j1")]),
        dict(goals=[Reach("tip", (1, 1, 0)), Hold("j1", position=False)]),
        dict(goals=[Reach("tip", (1, 1, 0)), Rest()]),
        dict(goals=[Reach("tip", (1, 1, 0)), Rest(arm.pose({"j0": 1}))]),
        dict(goals=Reach("tip", (1, 1, 0)), lock=["j0"]),
        dict(goals=Reach("tip", (1, 1, 0)), tolerance=0.1),
        dict(goals=LookAt("tip", (1, 1, 0))),
        dict(goals=LookAt("tip", (1, 1, 0), axis="y")),
    ]  # fmt: skip
    first = [solve(arm, **case) for case in cases]
    assert [solve(arm, **case) for case in cases] == first
    again = pickle.loads(pickle.dumps((arm, cases)))
    assert [solve(again[0], **case) for case in again[1]] == first
    assert solve(ball, **cases[0]) != first[0]


def masked(*shape):
    """Ones with the last entry masked."""
    numbers = np.ma.array(np.ones(shape))
    numbers[(-1,) * len(shape)] = np.ma.masked
    return numbers


def masked_transform():
    frame = np.ma.array(np.eye(4))
    frame[0, 3] = np.ma.masked
    return frame


DOORS = {
    "solve": lambda arm: solve(arm, {"tip": masked(3)}),
    "batch": lambda arm: solve(arm, {"tip": masked(5, 3)}),
    "orientation": lambda arm: solve(arm, Reach("tip", orientation=masked(4))),
    "pose": lambda arm: solve(arm, Reach("tip", pose=masked_transform())),
    "look": lambda arm: solve(arm, LookAt("tip", masked(3))),
    "look axis": lambda arm: LookAt("tip", (1, 1, 0), axis=masked(3)),
    "point": lambda arm: Reach("tip", (1, 1, 0), point=masked(3)),
    "prepared call": lambda arm: supple.prepare(arm, [Reach("tip")])(masked(3)),
    "prepared solve": lambda arm: supple.prepare(arm, [Reach("tip")]).solve(masked(2, 3)),
    "track": lambda arm: supple.track(arm, [Reach("tip", masked(4, 3))]),
    "coordinates": lambda arm: supple.Pose(arm, masked(2)),
    "angles": lambda arm: supple.Pose.from_angles(arm, masked(2)),
    "joint value": lambda arm: arm.pose({"j0": masked(2)}),
    "offset": lambda arm: supple.Skeleton([("a", None, masked(3), supple.Ball())]),
    "axis": lambda arm: supple.Hinge(masked(3)),
    "rotation": lambda arm: supple.rotations.from_rotation_vector(masked(3)),
    "matrix": lambda arm: supple.rotations.from_matrix(masked_transform()[:3, :3] * masked(3, 3)),
    "joint vector": lambda arm: supple.robot.from_joint_vector(arm, masked(2)),
}


@pytest.mark.parametrize("door", DOORS)
def test_masked_entries_are_refused_everywhere(arm, door):
    with pytest.raises(SuppleError, match="without masked entries, got 1 masked"):
        DOORS[door](arm)
