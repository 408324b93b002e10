"""Solvers of one's own, in plain Python: the same limits, stop rule, statuses, batches and traces."""

from dataclasses import dataclass

import numpy as np
import pytest

import supple
from supple import Axes, Cone, Hinge, LookAt, Reach, Slider, Status, SuppleError
from supple.solvers import EVERYTHING, Takes


@dataclass(frozen=True, kw_only=True)
class GaussNewton(supple.Solver):
    name = "GaussNewton"
    takes = EVERYTHING
    step: float = 1.0

    def solve(self, search):
        more = True
        while more:
            delta = np.linalg.lstsq(search.jacobian(), search.residual, rcond=1e-3)[0]
            more = search.accept(search.moved(self.step * delta))


@dataclass(frozen=True, kw_only=True)
class Wanderer(supple.Solver):
    """Finds the answer, then leaves it: the best pose counts, not the last."""

    name = "Wanderer"
    takes = EVERYTHING

    def solve(self, search):
        begin = search.q.copy()
        for _ in range(6):
            delta = np.linalg.lstsq(search.jacobian(), search.residual, rcond=1e-3)[0]
            search.evaluate(search.moved(delta))
        search.accept(begin)


def test_it_reaches_and_is_named():
    s = supple.solve(supple.chain([1, 1, 1]), {"tip": (1.0, 1.0, 0.3)}, solver=GaussNewton())
    assert s.reached and s.asked.solver == "GaussNewton" and 1 <= s.iterations <= 20
    np.testing.assert_allclose(s.position("tip"), (1.0, 1.0, 0.3), atol=4e-4)


def test_a_batch_is_one_solve_after_another_to_the_bit():
    arm = supple.chain([1, 1, 1])
    targets = np.random.default_rng(0).normal(size=(20, 3))
    many = supple.solve(arm, {"tip": targets}, solver=GaussNewton())
    for target, one in zip(targets, many, strict=True):
        alone = supple.solve(arm, {"tip": target}, solver=GaussNewton())
        assert np.array_equal(alone.pose.coordinates, one.pose.coordinates)


def test_limits_hold_whatever_it_does():
    joints = (
        Hinge("z", limits=(-0.3, 0.3)),
        Cone(0.4),
        Axes("xyz", limits={"x": (-0.1, 0.1)}),
        Slider("x", limits=(0, 0.2)),
    )
    for joint in joints:
        arm = supple.chain([1, 1, 1], joint=joint)
        s = supple.solve(arm, {"tip": (-2.0, 1.0, 0.5)}, solver=GaussNewton(step=5.0))
        assert s.pose.violations().max() < 1e-12
        assert s.status in (Status.LIMITED, Status.STALLED, Status.BUDGET, Status.TOO_FAR)


def test_the_trace_has_every_iteration():
    arm = supple.chain([1, 1, 1])
    s = supple.solve(arm, {"tip": (1.0, 1.0, 0.3)}, solver=GaussNewton(), trace=True)
    assert len(s.trace) == s.iterations + 1
    assert s.trace.errors[-1] == s.error


def test_the_budget_ends_it():
    arm = supple.chain([1, 1, 1])
    s = supple.solve(arm, {"tip": (1.0, 1.0, 0.3)}, solver=GaussNewton(max_iterations=1))
    assert s.iterations == 1 and not s.reached


def test_the_best_pose_counts_not_the_last():
    s = supple.solve(supple.chain([1, 1, 1]), {"tip": (1.0, 1.0, 0.3)}, solver=Wanderer())
    assert s.reached


def test_several_goals():
    hero = supple.humanoid().skeleton
    goals = [Reach("hand.R", (-0.4, 1.3, 0.3)), LookAt("head", (-0.4, 1.3, 2.0), axis="z")]
    s = supple.solve(hero, goals, solver=GaussNewton())
    assert s.reached


def test_what_it_does_not_take_is_refused_with_names():
    @dataclass(frozen=True, kw_only=True)
    class HingesOnly(GaussNewton):
        name = "HingesOnly"
        takes = Takes(joints=frozenset({"Hinge"}), goals=frozenset({"position"}))

    with pytest.raises(SuppleError, match="HingesOnly cannot take Ball joints .*LM"):
        supple.solve(supple.chain([1, 1]), {"tip": (1, 1, 0)}, solver=HingesOnly())


def test_what_is_missing_is_said():
    class Bare(supple.Solver):
        pass

    with pytest.raises(SuppleError, match="solver Bare: expected a name.*what it takes.*solve"):
        supple.solve(supple.chain([1, 1]), {"tip": (1, 1, 0)}, solver=Bare())


@pytest.mark.parametrize(
    "wrong", [np.zeros(1), np.zeros(4), np.zeros((3, 1)), [0, np.nan, 0], "abc", 1]
)
@pytest.mark.parametrize("ask", ["evaluate", "moved", "accept", "turned"])
def test_arrays_of_another_shape_are_refused(ask, wrong):
    @dataclass(frozen=True, kw_only=True)
    class Wrong(supple.Solver):
        name = "Wrong"
        takes = EVERYTHING

        def solve(self, search):
            search.jacobian()
            first = (search.joints[0],) if ask == "turned" else ()
            getattr(search, ask)(*first, wrong)

    arm = supple.chain([1, 1, 1], joint=Hinge("z"))
    with pytest.raises(SuppleError, match="shape"):
        supple.solve(arm, {"tip": (1.0, 1.0, 0.0)}, solver=Wrong())


def test_a_pose_that_collides_is_never_better_than_a_free_start():
    two = supple.chain([1, 1], joint=Hinge("z"))
    bones = {name: supple.Capsule((0, 0, 0), (1, 0, 0), 0.05) for name in ("j0", "j1")}
    post = supple.Capsule((1.5, 0.5, -1), (1.5, 0.5, 1), 0.3)
    avoid = supple.Avoid(0.01, obstacles=[post], capsules=bones)
    start = two.pose({"j0": 1.5, "j1": 1.0})
    goals = [Reach("tip", (1.5, 0.5, 0)), avoid]
    s = supple.solve(two, goals, start=start, solver=GaussNewton())
    assert s.collision_depth == 0.0 and not s.reached
    aside = supple.solve(
        two, [Reach("tip", (-1.0, 1.2, 0)), avoid], start=start, solver=GaussNewton()
    )
    assert aside.reached and aside.collision_depth == 0.0


def looked_at(skeleton, goals, look, **options):
    """Call look(search) once, in the start of a solve."""

    @dataclass(frozen=True, kw_only=True)
    class Look(supple.Solver):
        name = "Look"
        takes = EVERYTHING

        def solve(self, search):
            look(search)

    return supple.solve(skeleton, goals, solver=Look(), **options)


def every_kind():
    """A chain with a joint of each kind: two coordinates of one, a copy, a stretch, a joint that is locked."""
    kinds = (
        supple.Ball(stretch=(0.5, 2.0)),
        Hinge("z"),
        Axes("xyz", frozen="y"),
        Slider("x"),
        Hinge("y", mimic=supple.Mimic("j1", 0.5)),
        Cone(1.0),
        Hinge("x"),
        supple.Planar("z"),
    )
    arm = supple.chain([1.0] * len(kinds))
    return arm.with_joints({f"j{i}": kind for i, kind in enumerate(kinds)})


def slopes(search, joint, axes, h=1e-6):
    """How the tip moves with a turn of a joint about each axis, by central differences, shape (K, 3)."""
    begin, found = search.q, []
    for axis in axes:
        tips = []
        for side in (h, -h):
            search.evaluate(begin)
            search.evaluate(search.turned(joint, side * axis))
            tips.append(search.pose().position("tip"))
        found.append((tips[0] - tips[1]) / (2 * h))
    search.evaluate(begin)
    return np.array(found).reshape(-1, 3)


def test_a_turn_about_an_axis_moves_the_tip_as_the_axis_says():
    arm = every_kind()
    rng = np.random.default_rng(3)
    start = supple.Pose.from_angles(arm, 0.1 + 0.4 * rng.random(len(arm.freedoms)))
    seen = {}

    def look(search):
        tip, positions = search.pose().position("tip"), search.positions()
        np.testing.assert_array_equal(positions, search.pose().positions)
        for joint in search.joints.tolist():
            axes = search.axes(joint)
            seen[search.skeleton.names[joint]] = len(axes)
            if (
                search.skeleton.names[joint] != "j1"
            ):  # another joint copies it, and moves the tip too
                expected = np.cross(axes, tip - positions[joint])
                np.testing.assert_allclose(slopes(search, joint, axes), expected, atol=1e-8)
        assert search.jacobian().shape[1] == sum(seen.values()) + 1 + 1 + 2  # a stretch, slides

    looked_at(arm, {"tip": (1.0, 2.0, 3.0)}, look, start=start, lock=["j6"])
    assert seen == {"j0": 3, "j1": 1, "j2": 2, "j3": 0, "j5": 3, "j7": 1}


def test_a_joint_takes_of_a_turn_what_its_axes_allow():
    two = supple.chain([1, 1]).with_joints({"j0": Hinge("z", limits=(-0.5, 0.5))})
    quarter = np.array([0.0, 0.0, np.pi / 2])
    tips = []

    def look(search):
        hinge, ball = search.joints
        for joint, rotation in (
            (hinge, quarter / 10),
            (hinge, [1.0, 1.0, 0.0]),
            (hinge, quarter),
            (ball, quarter),
        ):
            search.evaluate(search.turned(joint, rotation))
            tips.append(search.pose().position("tip"))

    looked_at(two, {"tip": (1.0, 1.0, 1.0)}, look)
    a, b = np.pi / 20, 0.5  # the limit
    bent = (np.cos(b) - np.sin(b), np.sin(b) + np.cos(b), 0.0)
    first = (2 * np.cos(a), 2 * np.sin(a), 0)
    expected = [first, first, (2 * np.cos(b), 2 * np.sin(b), 0), bent]
    np.testing.assert_allclose(tips, expected, atol=1e-12)


def test_what_a_search_says_of_its_goals_and_lengths():
    def look(search):
        tip = search.pose().position("tip")
        np.testing.assert_array_equal(search.targets["tip"], (1.0, 2.0, 0.0))
        np.testing.assert_allclose(search.residual * search.length, search.targets["tip"] - tip)
        np.testing.assert_array_equal(search.pose().coordinates, search.q)

    looked_at(supple.chain([1, 2, 1]), {"tip": (1.0, 2.0, 0.0)}, look)


def test_the_pose_has_the_lengths_of_the_start():
    arm = supple.chain([1, 1])
    longer = np.array([[0.0, 0.0, 1.0], [3.0, 0.0, 0.0]])
    start = supple.Pose(arm, translations=longer)
    seen = []
    s = looked_at(
        arm, {"tip": (1.0, 2.0, 0.0)}, lambda search: seen.append(search.pose()), start=start
    )
    assert seen == [start] and np.array_equal(s.positions, start.positions)


def test_scales_of_the_start_are_in_the_positions():
    arm = supple.chain([1, 1, 1])
    start = supple.Pose(arm, scales=np.array([[2.0] * 3, [1.0] * 3, [1.0] * 3]))
    seen = []
    looked_at(
        arm, {"j2": (1.0, 2.0, 0.0)}, lambda search: seen.append(search.positions()), start=start
    )
    np.testing.assert_allclose(seen[0][:3], start.positions[:3])


def test_only_targets_that_stand_are_told():
    hero = supple.humanoid().skeleton
    goals = [
        Reach("hand.R", (-0.4, 1.3, 0.3)),
        supple.Hold("foot.L"),
        LookAt("head", (0, 1, 2), axis="z"),
    ]
    seen = []
    looked_at(hero, goals, lambda search: seen.append(search.targets))
    assert list(seen[0]) == ["hand.R"]


def test_rows_of_a_batch_have_targets_and_lengths_of_their_own():
    arm = supple.chain([1, 1])
    targets = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    longer = np.array([[[0, 0, 0], [1.0, 0, 0]], [[0, 0, 0], [2.0, 0, 0]]])
    seen = []
    looked_at(
        arm,
        {"tip": targets},
        lambda search: seen.append((search.targets["tip"], search.pose().position("tip")[0])),
        start=supple.Pose(arm, translations=longer),
    )
    np.testing.assert_array_equal([target for target, _ in seen], targets)
    assert [x for _, x in seen] == [2.0, 3.0]
