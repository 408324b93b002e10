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
@pytest.mark.parametrize("ask", ["evaluate", "moved", "accept"])
def test_arrays_of_another_shape_are_refused(ask, wrong):
    @dataclass(frozen=True, kw_only=True)
    class Wrong(supple.Solver):
        name = "Wrong"
        takes = EVERYTHING

        def solve(self, search):
            search.jacobian()
            getattr(search, ask)(wrong)

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
