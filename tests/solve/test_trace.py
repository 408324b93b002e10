"""Traces: one pose an iteration, from the start to the answer, saved and replayed."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

import supple
from supple import (
    LM,
    Axes,
    Ball,
    Free,
    Hinge,
    LookAt,
    Pole,
    Pose,
    Reach,
    Rest,
    Slider,
    Solution,
    Status,
    SuppleError,
    Trace,
    TwoBone,
    rotations,
    solve,
)
from supple.kernels import layout as at
from supple.solve.trace import Step
from supple.solvers import ALL


@pytest.fixture(scope="module")
def snake():
    return supple.chain([9, 9, 9, 9, 4])


@pytest.fixture(scope="module")
def traced(snake):
    return solve(snake, {"tip": (12, 18, 6)}, trace=True)


def check(s):
    """What every trace keeps."""
    trace = s.trace
    assert trace is not None
    assert len(trace) == s.iterations + 1
    for name in ("errors", "orientation_errors"):
        assert getattr(trace, name).shape == (s.iterations + 1,)
    assert trace.coordinates.shape == (s.iterations + 1, s.pose.coordinates.shape[-1])
    assert trace.poses[0] == s.start.clamped()
    if s.reached or not s.asked.kept:
        assert trace.poses[-1] == s.pose
        assert trace.errors[-1] == s.error
        assert trace.orientation_errors[-1] == s.orientation_error
    assert trace.poses.violations().max() <= 1e-9


def test_a_trace_goes_from_the_start_to_the_answer(traced, snake):
    check(traced)
    trace = traced.trace
    assert trace.solver == "LM"
    assert trace.skeleton == snake
    np.testing.assert_array_equal(trace.goals["tip"], (12, 18, 6))
    for pose, error in zip(trace.poses, trace.errors, strict=True):
        assert np.linalg.norm(pose.position("tip") - (12, 18, 6)) == pytest.approx(error, abs=1e-9)


def test_a_trace_does_not_change_the_answer(traced, snake):
    assert solve(snake, {"tip": (12, 18, 6)}) == traced


def test_without_being_asked_there_is_none(snake):
    assert solve(snake, {"tip": (12, 18, 6)}).trace is None


def cases(snake):
    arm = supple.chain([1, 1], joint=Hinge("z", limits=(-0.3, 0.3)))
    flat = supple.chain([1, 1, 1], joint=Hinge("z"))
    limb = supple.chain([1, 1, 0.5], joint=[Ball(), Hinge("z", limits=(0, 2.5)), Ball()])
    return {
        "nothing to do": (snake, {"tip": (40, 0, 0)}, {}),
        "no iterations": (snake, {"tip": (12, 18, 6)}, {"solver": LM(max_iterations=0)}),
        "budget": (snake, {"tip": (12, 18, 6)}, {"solver": LM(max_iterations=2)}),
        "too far": (snake, {"tip": (50, 20, 0)}, {}),
        "limited": (arm, {"tip": (0, 1.9, 0)}, {}),
        "restarts": (flat, {"tip": (1, 0.5, 0.8)}, {}),
        "kept": (flat, {"tip": (1, 0.5, 0.8)}, {"unreachable": "keep"}),
        "outside its limits": (arm, {"tip": (1.9, 0.4, 0)}, {"start": arm.pose({"j0": 1.0})}),
        "pole": (limb, [Reach("j2", (1.3, 0.4, 0.2)), Pole("j1", (0, -3, 4))], {"start": limb.pose({"j1": 1.0})}),
        "posture": (snake, [Reach("tip", (24, 9, 3)), Rest(snake.pose({"j0": (0, 0, 1)}))], {}),
        "posture, short of iterations": (
            snake,
            [Reach("tip", (24, 9, 3)), Rest(snake.pose({"j0": (0, 0, 1)}))],
            {"solver": LM(max_iterations=6)},
        ),
        "several": (snake, [Reach("j3", (9, 9, 9)), LookAt("tip", (0, 0, 30), depth=2)], {}),
    }  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        "nothing to do",
        "no iterations",
        "budget",
        "too far",
        "limited",
        "restarts",
        "kept",
        "outside its limits",
        "pole",
        "posture",
        "posture, short of iterations",
        "several",
    ],
)
def test_every_end_has_a_whole_trace(snake, name):
    skeleton, goals, options = cases(snake)[name]
    s = solve(skeleton, goals, trace=True, **options)
    check(s)
    plain = solve(skeleton, goals, **options)
    assert plain.pose == s.pose
    assert plain.status is s.status
    assert plain.iterations == s.iterations


@pytest.mark.parametrize("solver", ALL, ids=lambda solver: solver.name)
def test_every_solver_has_a_whole_trace(solver):
    count = 2 if solver is TwoBone else 4
    rig = supple.chain([1] * count, joint=Hinge("z", limits=(-2, 2)))
    start = Pose.from_angles(rig, np.linspace(0.2, 0.5, count))
    for target in ((0.3, 1.1, 0), (5, 1, 0), start.position("tip")):
        s = solve(rig, {"tip": target}, start=start, solver=solver(), trace=True)
        check(s)
        assert s.trace.solver == solver.name
        ends = {step.iteration: pose for step, pose in s.trace.walk()}
        assert max(ends, default=0) <= s.iterations
        for iteration, pose in ends.items():
            if iteration < s.iterations:
                np.testing.assert_allclose(
                    pose.coordinates, s.trace.coordinates[iteration], atol=1e-9
                )


def test_the_trace_of_a_pose_with_bones_of_its_own(snake):
    start = Pose(snake, None, snake.offsets * 1.5, np.full((5, 3), 1.1))
    s = solve(snake, {"tip": (30, 20, 10)}, start=start, trace=True)
    assert s.reached
    check(s)
    np.testing.assert_allclose(s.trace.poses[-1].position("tip"), s.position("tip"))
    again = Trace.from_json(json.loads(json.dumps(s.trace.to_json())))
    assert again.poses == s.trace.poses


def test_the_trace_of_the_preferred_answer(snake):
    arm = supple.chain([1, 1], joint=Hinge("z"))
    start = arm.pose({"j0": 0.2, "j1": 0.4})
    target = {"tip": (1.2, 0.7, 0)}
    s = solve(arm, target, start=start, prefer=lambda _, poses: poses.angles[:, 1], trace=True)
    assert s.reached
    assert s.angles[1] < 0
    assert s.trace is not None
    assert s.trace.poses[-1] == s.pose
    assert len(s.trace) == s.iterations + 1


# Saving and replaying


def test_a_saved_trace_is_replayed_without_solving(traced, tmp_path):
    path = tmp_path / "snake.json"
    traced.trace.save(path)
    again = Trace.load(path)
    for name in ("coordinates", "errors", "orientation_errors", "events"):
        np.testing.assert_array_equal(getattr(again, name), getattr(traced.trace, name))
    assert again.solver == traced.trace.solver
    assert again.skeleton == traced.trace.skeleton
    assert again.poses == traced.trace.poses
    assert again.goals.keys() == traced.trace.goals.keys()
    assert json.loads(path.read_text())["format"] == "supple-trace"


def test_saving_replaces_whole_files_only(traced, tmp_path):
    path = tmp_path / "snake.json"
    path.write_text("old")
    traced.trace.save(str(path))
    assert Trace.load(path).solver == "LM"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(SuppleError, match="no folder"):
        traced.trace.save(tmp_path / "nowhere" / "snake.json")


def test_traces_compare_by_content_and_show_what_happened(traced, snake):
    twin = Trace.from_json(traced.trace.to_json())
    assert twin == traced.trace
    assert twin != replace(twin, errors=twin.errors + 1)
    assert twin != "a trace"
    many, steps = len(twin) - 1, len(twin.steps)
    assert repr(twin).startswith(f"Trace({twin.solver}: {many} iterations, {steps} steps; error ")
    assert "<svg" in twin._repr_html_() and repr(twin) in twin._repr_html_()


def test_a_trace_pickles(traced):
    again = pickle.loads(pickle.dumps(traced.trace))
    np.testing.assert_array_equal(again.coordinates, traced.trace.coordinates)


BAD = {
    "no object": (lambda d: [1], "expected an object with format 'supple-trace'"),
    "another format": (lambda d: {**d, "format": "supple-pose"}, "format 'supple-trace'"),
    "another version": (lambda d: {**d, "version": 2}, "expected version 1, got 2"),
    "no coordinates": (lambda d: {k: v for k, v in d.items() if k != "coordinates"}, "coordinates"),
    "a single pose": (lambda d: {**d, "coordinates": d["coordinates"][0]}, "trace: "),
    "short errors": (lambda d: {**d, "errors": d["errors"][:-1]}, "errors: expected"),
    "narrow coordinates": (lambda d: {**d, "coordinates": [[1.0]]}, "coordinates: expected"),
    "unknown joint": (
        lambda d: {**d, "events": [[1, 0, 99, *[0.0] * 7]]},
        "events: expected joints from 0 to 4",
    ),
    "strange goals": (lambda d: {**d, "goals": [1, 2]}, "trace: missing or malformed"),
    "goal of two": (lambda d: {**d, "goals": {"tip": [1, 2]}}, "goal 'tip': expected"),
    "no skeleton": (lambda d: {**d, "skeleton": None}, "supple-skeleton"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_say_what_is_wrong(traced, tmp_path, name):
    change, message = BAD[name]
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(change(traced.trace.to_json())))
    with pytest.raises(SuppleError, match=message) as caught:
        Trace.load(path)
    assert str(path) in str(caught.value)


def test_what_is_no_json_says_so(tmp_path):
    path = tmp_path / "bad.json"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SuppleError, match=r"bad\.json: not JSON: not a text file"):
        Trace.load(path)
    path.write_text("{")
    with pytest.raises(SuppleError, match=r"bad\.json:1: not JSON: "):
        Trace.load(path)
    with pytest.raises(SuppleError, match=r"none\.json: cannot read it: "):
        Trace.load(tmp_path / "none.json")


# The steps inside


def event(iteration, joint, change, *, kind=at.TURNED):
    row = np.zeros(at.EVENT)
    row[: at.V_CHANGE] = iteration, kind, joint
    row[at.V_CHANGE : at.V_CHANGE + len(change)] = change
    return row


@pytest.fixture
def rig():
    joints = [
        Free(),
        Ball(stretch=(0.5, 2)),
        Hinge("z"),
        Slider("x"),
        Axes("xz"),
        Hinge("y", mimic=("j2", 2.0, 0.5)),
    ]
    return supple.chain([1] * 6, joint=joints)


def test_steps_are_walked_joint_by_joint(rig):
    turn = (0.1, 0.2, 0.3)
    first = rig.rest
    second = first.with_({"j2": 0.5, "j3": 0.25})
    third = second.with_({"j4": (0.1, 0.2)})
    stretched = np.zeros(7)
    stretched[:3], stretched[-1] = turn, 0.5
    events = np.array(
        [
            event(1, -1, (1, 2, 3), kind=at.PLACED),
            event(1, 2, [0.5]),
            event(1, 3, [0.25]),
            event(2, 4, [0.1, 0.2]),
            event(3, 0, [1, 2, 3, *turn]),
            event(3, 1, stretched),
        ]
    )
    errors = np.zeros(3)
    coordinates = np.stack([first.coordinates, second.coordinates, third.coordinates])
    trace = Trace(rig, coordinates, errors, errors, events, "CCD", {})
    assert [step.joint for step in trace.steps] == ["", "j2", "j3", "j4", "j0", "j1"]
    assert trace.steps[0].placed
    np.testing.assert_array_equal(trace.steps[0].change, (1, 2, 3))
    assert isinstance(trace.steps[1], Step)
    walked = list(trace.walk())
    assert [step.joint for step, _ in walked] == ["j2", "j3", "j4", "j0", "j1"]
    poses = [pose for _, pose in walked]
    assert poses[1] == second
    assert poses[2] == third
    # A joint that copies another moves along with it.
    assert poses[0].coordinates[-1] == 2.0 * 0.5 + 0.5
    quaternion = rotations.from_rotation_vector(turn)
    expected = third.with_({"j0": (1, 2, 3, *quaternion)})
    np.testing.assert_allclose(poses[3].coordinates, expected.coordinates, atol=1e-15)
    expected = expected.with_({"j1": quaternion, "j1.stretch": 1.5})
    np.testing.assert_allclose(poses[4].coordinates, expected.coordinates, atol=1e-15)
    again = Trace.from_json(json.loads(json.dumps(trace.to_json())))
    np.testing.assert_array_equal(again.events, events)


def test_a_solution_keeps_its_trace_out_of_json(traced):
    assert traced.status is Status.REACHED
    assert Solution.from_json(traced.to_json()).trace is None
