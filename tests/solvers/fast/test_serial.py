"""LM's fast paths for chains of balls and for arms: the same answers as the general search gives."""

import math
from functools import cache

import numpy as np
import pytest

import supple
from supple import LM, OPEN, Ball, Fixed, Hinge, Node, Pose, Reach, Skeleton, Tip
from supple.kernels.decorators import kernel
from supple.kernels.problem import unpack
from supple.solvers.fast import balls, hinges


def fits(ints, floats, of_balls):
    problem = unpack(ints, floats)
    return balls.fits(problem) if of_balls[0] else hinges.fits(problem)


@cache
def compiled_fits():
    """The kernel, compiled when it is needed: from then on this process compiles other kernels too."""
    return kernel(fits)


def kernel_fits(module, prepared):
    """True if a problem takes this fast path."""
    return compiled_fits()(*prepared.executor.packed, np.array([module is balls]))


def arm(count=6, half=2.5, fixed=True):
    rng = np.random.default_rng(count)
    nodes = [Node("base", None, (0.1, 0.0, 0.2), Fixed(), (math.cos(0.2), 0.0, math.sin(0.2), 0.0))]
    for k in range(count):
        turn = rng.normal(size=4)
        joint = Hinge(tuple(rng.normal(size=3)), (-half, 0.8 * half))
        offset = tuple(rng.normal(size=3) * 0.3)
        nodes.append(
            Node(f"j{k}", nodes[-1].name, offset, joint, tuple(turn / np.linalg.norm(turn)))
        )
        if fixed and k == 2:
            nodes.append(Node("plate", nodes[-1].name, (0.0, 0.1, 0.0), Fixed()))
    return Skeleton(nodes, [Tip("tool", nodes[-1].name, (0.0, 0.1, 0.2), (0.6, 0.8, 0.0, 0.0))])


GOALS = {
    "position": lambda frame: Reach("tool", frame[:3, 3]),
    "pose": lambda frame: Reach("tool", pose=frame),
    "orientation": lambda frame: Reach("tool", orientation=supple.rotations.from_matrix(frame[:3, :3])),
}  # fmt: skip


@pytest.mark.parametrize("asked", GOALS)
def test_an_arm_meets_what_one_of_its_poses_meets(asked):
    skeleton = arm()
    rng = np.random.default_rng(1)
    lows, highs = np.array([j.limits for j in skeleton.joints if isinstance(j, Hinge)]).T
    for _ in range(40):
        wanted = Pose(skeleton, rng.uniform(lows, highs))
        goal = GOALS[asked](wanted.frames[skeleton.index("tool")])
        options = {"tolerance": 1e-8, "orientation_tolerance": 1e-8}
        prepared = supple.prepare(skeleton, [goal], **options)
        assert kernel_fits(hinges, prepared)
        s = prepared()
        assert s.reached, s
        assert not s.pose.violations().any()
        frame, target = s.pose.frames[skeleton.index("tool")], wanted.frames[skeleton.index("tool")]
        if asked != "orientation":
            assert np.allclose(frame[:3, 3], target[:3, 3], atol=2e-8)
        if asked != "position":
            assert np.allclose(frame[:3, :3], target[:3, :3], atol=2e-8)


@pytest.mark.parametrize("count", [3, 5, 40])
def test_balls_are_led_round_their_root_with_less_turning_and_in_fewer_steps(count):
    """Than by the general kernel, which a cap keeps that no step comes near."""
    rng = np.random.default_rng(count)
    targets = rng.normal(size=(200, 3))
    targets *= count * rng.uniform(0.2, 0.95, (200, 1)) / np.linalg.norm(targets, axis=1)[:, None]
    turning, steps = [], []
    for joint in (Ball(), Ball(damping=100.0)):
        skeleton = supple.chain([1.0] * count, joint=joint)
        start = skeleton.pose({f"j{k}": (0.0, 0.1, 0.9 / count) for k in range(count)})
        prepared = supple.prepare(skeleton, [Reach("tip")], solver=LM())
        assert kernel_fits(balls, prepared) == (joint == Ball())
        found = prepared.solve(targets, start=start)
        assert found.reached.all()
        before = start.coordinates.reshape(count, 4)
        cosines = np.abs(np.sum(found.pose.coordinates.reshape(-1, count, 4) * before, axis=-1))
        angles = 2.0 * np.arccos(np.minimum(cosines, 1.0))
        turning.append(np.sqrt(np.sum(angles**2, axis=1)).mean())
        steps.append(found.iterations.mean())
    assert turning[0] < turning[1]
    assert steps[0] < 0.8 * steps[1]


def test_a_trace_shows_the_same_answer():
    cases = [
        (supple.chain([1.0] * 6), Reach("tip", (1.0, 2.0, 1.0))),
        (arm(), Reach("tool", pose=Pose(arm(), (0.5,) * 6).frames[arm().index("tool")])),
    ]
    for skeleton, goal in cases:
        plain = supple.solve(skeleton, [goal], solver="LM")
        traced = supple.solve(skeleton, [goal], solver="LM", trace=True)
        assert plain == traced
        trace = traced.trace
        assert len(trace.coordinates) == plain.iterations + 1
        assert np.array_equal(trace.coordinates[-1], plain.pose.coordinates)
        assert trace.errors[-1] == pytest.approx(plain.error, abs=1e-12)


def test_half_a_turn_away():
    """The rotation vector of a half turn has no sign of its own: it must not stop there."""
    skeleton = arm(7, half=3.1)
    start = skeleton.rest
    frame = np.array(start.frames[skeleton.index("tool")])
    frame[:3, :3] = frame[:3, :3] @ np.diag([1.0, -1.0, -1.0])
    s = supple.solve(skeleton, [Reach("tool", pose=frame)])
    assert s.reached or s.status.name in ("LIMITED", "STALLED")
    assert np.isfinite(s.pose.coordinates).all()


def test_what_an_arm_cannot_reach_is_said_and_calm():
    skeleton = arm()
    start = Pose(skeleton, (0.4,) * 6)
    frame = np.array(start.frames[skeleton.index("tool")])
    frame[:3, 3] += 50.0
    s = supple.solve(skeleton, [Reach("tool", pose=frame)], start=start)
    assert s.status is supple.Status.TOO_FAR
    again = supple.solve(skeleton, [Reach("tool", pose=frame)], start=s.pose)
    assert again.pose.turns(s.pose).max() < 1e-3


@pytest.mark.parametrize(
    "joint", [Ball(damping=0.1), Ball(stretch=(0.5, 2.0)), Hinge("z", damping=0.1)]
)
def test_what_is_not_special_is_left_to_the_general_kernel(joint):
    skeleton = supple.chain([1.0] * 4, joint=joint)
    prepared = supple.prepare(skeleton, [Reach("tip")], solver=LM())
    assert not kernel_fits(balls, prepared) and not kernel_fits(hinges, prepared)
    assert prepared((1.5, 1.5, 0.0)).reached


def test_pose_targets_of_a_call_are_those_of_a_batch():
    skeleton = arm()
    frames = Pose(skeleton, np.random.default_rng(2).uniform(-1, 1, (8, 6))).frames
    frames = np.ascontiguousarray(frames[:, skeleton.index("tool")])
    ik = supple.prepare(skeleton, [Reach("tool", pose=OPEN)])
    batch = ik.solve(frames)
    for k, frame in enumerate(frames):
        assert np.array_equal(ik(frame).pose.coordinates, batch[k].pose.coordinates)
        assert ik(np.asfortranarray(frame)) == ik(frame) == ik(frame.tolist())
    for bad in (frames[0] * 2.0, frames[0] + np.nan, np.diag([1.0, 1.0, -1.0, 1.0])):
        with pytest.raises(supple.SuppleError):
            ik(bad)


def test_balls_that_crawl_leave_the_rest_of_the_budget_to_the_general_solver():
    lengths = [1.28, 0.65, 0.58, 0.98, 1.03, 1.16, 1.1, 1.21, 0.74]
    skeleton = supple.chain(lengths)
    start = Pose.from_angles(
        skeleton,
        [0.46, 1.4, 1.25, 1.48, -0.3, -1.0, -0.38, 1.83, -1.44, -1.31, 2.02, 0.84, -1.08, 0.2,
         -0.3, 0.2, -1.64, 1.53, -0.92, -1.09, -0.46, 0.87, -2.24, -1.3, 1.24, 2.38, -0.61],
    )  # fmt: skip
    target = Reach("tip", (-0.16, -3.04, 2.89))
    ik = supple.prepare(skeleton, [target], solver=LM(max_iterations=50), tolerance=1e-5)
    assert kernel_fits(balls, ik)
    assert ik(start=start).reached


@pytest.mark.parametrize("count", [2, 5, 30])
def test_balls_from_one_start_give_the_bits_of_single_calls(count):
    """What is kept of the start between targets survives targets that are out of reach or there."""
    rng = np.random.default_rng(count)
    skeleton = supple.chain(rng.uniform(0.5, 1.5, count))
    start = Pose.from_angles(skeleton, rng.normal(size=3 * count) / count)
    targets = rng.normal(size=(60, 3)) * count * 0.4
    targets[7] = targets[20] = start.positions[skeleton.index("tip")]
    targets[8] = 100.0 * count
    ik = supple.prepare(skeleton, [Reach("tip")], solver=LM())
    assert kernel_fits(balls, ik)
    batch = ik.solve(targets, start=start)
    rows = ik.solve(targets, start=Pose.stack([start] * len(targets)))
    assert np.array_equal(rows.pose.coordinates, batch.pose.coordinates)
    for k, target in enumerate(targets):
        assert ik(target, start=start) == batch[k]
