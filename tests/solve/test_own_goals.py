"""Goals of one's own in solves: alone and beside others, in batches, threads and processes, and when they fail."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import supple
from supple import Reach, SuppleError


@supple.goal(rows=3, values=3)
def place(frames, values, out):
    """What Reach asks of a position."""
    for i in range(3):
        out[i] = frames[0, i, 3] - values[i]


def place_slopes(frames, values, out):
    out[:] = 0.0
    for i in range(3):
        out[i, 0, i] = 1.0


@supple.goal(rows=3, values=3, jacobian=place_slopes)
def place_known(frames, values, out):
    for i in range(3):
        out[i] = frames[0, i, 3] - values[i]


@supple.goal(values=1, reason="the hands are {error} off level")
def level(frames, values, out):
    out[0] = frames[0, 2, 3] - frames[1, 2, 3] - values[0]


@supple.goal(unit="angle")
def upright(frames, values, out):
    """The angle of the frame's z from the world's."""
    out[0] = np.arctan2(np.hypot(frames[0, 0, 2], frames[0, 1, 2]), frames[0, 2, 2])


@supple.goal(rows=4, unit="number")
def same_turn(frames, values, out):
    """Two frames turned alike: the products of their axes, and that of their heights."""
    for k in range(3):
        out[k] = np.sum(frames[0, :3, k] * frames[1, :3, k]) - 1.0
    out[3] = 0.0 * frames[0, 0, 3]


@supple.goal(values=1)
def root_of(frames, values, out):
    """Not defined at heights below 0."""
    out[0] = np.sqrt(frames[0, 2, 3]) - values[0]


@supple.goal(values=1, compiled=False)
def fragile(frames, values, out):
    if values[0] < 0.0:
        raise KeyError("no such height")
    out[0] = frames[0, 2, 3] - values[0]


@pytest.fixture(scope="module")
def two_arms():
    """A chest with two arms of three balls, in x and in -x."""
    nodes = [supple.Node("chest", None, joint=supple.Ball())]
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for n in range(3):
            parent = f"{side}{n - 1}" if n else "chest"
            nodes.append(supple.Node(f"{side}{n}", parent, (sign, 0, 0), supple.Ball()))
    tips = [
        supple.Tip(f"hand.{side}", f"{side}2", (sign, 0, 0))
        for side, sign in (("L", 1.0), ("R", -1.0))
    ]
    return supple.Skeleton(nodes, tips)


def targets(count, size=2.0):
    return np.random.default_rng(3).normal(size=(count, 3)) * size / 1.7


@pytest.mark.parametrize("goal", [place, place_known])
def test_a_position_of_one_s_own_is_met_as_reach_meets_it(goal):
    arm = supple.chain([1.0, 0.8, 0.6], joint=supple.Hinge("z", limits=(-2, 2)))
    arm = supple.Skeleton(
        [
            supple.Node("turn", None, joint=supple.Hinge("x")),
            *(n._replace(parent=n.parent or "turn") for n in arm.nodes),
        ],
        arm.tips,
    )
    wanted = targets(60)
    mine = supple.solve(arm, [goal("tip", wanted)], solver=supple.LM(max_iterations=400))
    theirs = supple.solve(arm, [Reach("tip", wanted)], solver=supple.LM(max_iterations=400))
    both = mine.reached & theirs.reached
    assert both.mean() > 0.5
    assert np.mean(mine.reached == theirs.reached) > 0.95
    assert np.all(
        np.linalg.norm(mine.position("tip") - wanted, axis=-1)[mine.reached] <= 1.001e-4 * 2.4
    )
    assert np.allclose(
        mine.error, np.linalg.norm(mine.position("tip") - wanted, axis=-1), atol=1e-12
    )


def test_it_works_beside_built_in_goals_and_counts(two_arms):
    goals = [Reach("hand.L", (2.0, 1.0, 1.5)), level(["hand.L", "hand.R"], 0.5, tolerance=1e-6)]
    found = supple.solve(two_arms, goals)
    assert found.reached
    left, right = found.position("hand.L"), found.position("hand.R")
    assert np.allclose(left, (2.0, 1.0, 1.5), atol=5e-4)
    assert abs(left[2] - right[2] - 0.5) <= 1e-6
    far = supple.solve(two_arms, [level(["hand.L", "hand.R"], 20.0)])
    assert not far.reached
    miss = 20.0 - far.position("hand.L")[2] + far.position("hand.R")[2]
    assert f"the hands are {miss:.3g} off level" in far.reason


def test_the_order_of_goals_does_not_matter(two_arms):
    goals = [
        level(["hand.L", "hand.R"], 0.5),
        Reach("hand.L", (2.0, 1.0, 1.5)),
        upright("hand.R"),
        same_turn(["L0", "R0"]),
    ]
    answers = [supple.solve(two_arms, some) for some in (goals, goals[::-1], goals[2:] + goals[:2])]
    assert len({answer.pose.coordinates.tobytes() for answer in answers}) == 1


def test_units_tolerances_and_rows(two_arms):
    found = supple.solve(two_arms, [upright("hand.L"), same_turn(["L0", "R1"])], tolerance=1e-3)
    assert [demand.tolerance for demand in found.asked.demands] == [1e-4, 1e-4, 1e-4]
    assert [demand.kind for demand in found.asked.demands] == ["own"] * 3
    assert found.orientation_error == found.errors[0] and found.error == 0.0
    assert found.errors[1] == found.errors[2]  # a goal of four rows has two blocks
    assert supple.Solution.from_json(found.to_json()).reason == found.reason


def test_values_are_given_to_a_prepared_problem(two_arms):
    ik = supple.prepare(two_arms, [Reach("hand.L"), level(["hand.L", "hand.R"])])
    assert ik.arguments == ((0, "target"), (1, "values"))
    heights, wanted = np.linspace(-1.0, 1.0, 7)[:, None], targets(7)
    batch = ik.solve(wanted, heights, threads=2)
    for k in range(7):
        for given in (heights[k], heights[k].tolist(), float(heights[k, 0])):
            single = ik(wanted[k], given)
            assert single.pose.coordinates.tobytes() == batch[k].pose.coordinates.tobytes()
    with pytest.raises(
        SuppleError, match=r"values of 'level': expected .*\(\.\.\., 1\), got shape \(2,\)"
    ):
        ik(wanted[0], (1.0, 2.0))
    with pytest.raises(SuppleError, match="level 'hand.L and hand.R' has no values: give them"):
        supple.solve(two_arms, [level(["hand.L", "hand.R"])])


@pytest.mark.parametrize("solver", ["LM", "Jacobian", "Optimize", "auto"])
def test_every_solver_that_takes_them_brings_them_nearer(solver, two_arms):
    if solver == "Optimize":
        pytest.importorskip("scipy")
    goals = [place("hand.L", (1.0, 2.0, 1.0)), level(["hand.L", "hand.R"], 0.5)]
    assert supple.solve(two_arms, goals, solver=solver).reached


def test_a_solver_in_python_sees_their_rows(two_arms):
    class Descent(supple.Solver):
        name = "Descent"
        takes = supple.solvers.EVERYTHING

        def solve(self, search):
            while True:
                step = np.linalg.lstsq(search.jacobian(), search.residual, rcond=1e-6)[0]
                if not search.accept(search.moved(0.5 * step)):
                    return

    found = supple.solve(two_arms, [place("hand.L", (1.0, 2.0, 1.0))], solver=Descent())
    assert found.reached and found.asked.solver == "Descent"


def test_other_solvers_say_who_can(two_arms):
    with pytest.raises(SuppleError, match="CCD cannot take own goals; Jacobian, LM, Optimize can"):
        supple.solve(two_arms, [upright("hand.L")], solver="CCD")


def test_root_depth_and_lock_say_what_moves(two_arms):
    moved = [
        supple.prepare(two_arms, [upright("hand.L", root="L1")]),
        supple.prepare(two_arms, [level(["hand.L", "hand.R"], depth=1)]),
        supple.prepare(two_arms, [upright("hand.L")], lock=["chest"]),
    ]
    assert [one._asked.moving for one in moved] == [("L1", "L2"), ("L2", "R2"), ("L0", "L1", "L2")]
    with pytest.raises(SuppleError, match="root 'L1' is not above 'hand.R'"):
        supple.prepare(two_arms, [level(["hand.L", "hand.R"], root="L1")])


def test_tracks_ticks_and_corrections_take_them(two_arms):
    ik = supple.prepare(two_arms, [Reach("hand.L"), level(["hand.L", "hand.R"])])
    path = np.linspace((3.0, 0.5, 0.5), (2.0, 1.5, 1.0), 12)
    followed = ik.track(path, (0.1,))
    assert np.all(followed.solution.reached)
    limited = supple.prepare(
        two_arms, [Reach("hand.L"), level(["hand.L", "hand.R"])], max_speed=1.0
    )
    tick = limited(path[0], (0.1,), dt=0.1)
    assert np.abs(tick.velocity).max() <= 1.0
    motion = supple.Motion(two_arms, supple.Pose.stack([two_arms.rest] * 20), fps=20.0)
    lifted = supple.correct(
        motion, [level(["hand.L", "hand.R"], 0.3)], window=(0.3, 0.6), blend=0.1
    )
    height = (
        lifted.motion.poses.position("hand.L")[:, 2] - lifted.motion.poses.position("hand.R")[:, 2]
    )
    asked = lifted.status == supple.Status.REACHED
    assert asked.sum() >= 6 and np.allclose(height[asked], 0.3, atol=1e-3)
    assert np.all(height[lifted.status == -1] == 0.0)


# In other processes -------------------------------------------------------------------------------


def _solve_there(ik):
    return ik((2.0, 1.0, 1.0), (0.2,)).pose.coordinates


def test_a_problem_is_built_anew_in_another_process(two_arms):
    ik = supple.prepare(two_arms, [Reach("hand.L"), level(["hand.L", "hand.R"])])
    again = pickle.loads(pickle.dumps(ik))
    assert np.array_equal(_solve_there(again), _solve_there(ik))
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        assert np.array_equal(pool.submit(_solve_there, ik).result(), _solve_there(ik))


def test_what_cannot_be_sent_is_refused(two_arms):
    @supple.goal()
    def local(frames, values, out):
        out[0] = frames[0, 2, 3]

    with pytest.raises(
        SuppleError, match="goal 'local': its function cannot be sent to another process"
    ):
        pickle.dumps(local("hand.L"))
    ik = supple.prepare(two_arms, [upright("hand.L")])
    with pytest.raises(SuppleError, match="to_bytes: upright.'hand.L'. is a goal of your own"):
        ik.to_bytes()


# What goes wrong ----------------------------------------------------------------------------------


def test_what_a_callback_raises_comes_out(two_arms):
    ik = supple.prepare(two_arms, [fragile("hand.L")])
    assert ik((0.5,)).reached
    with pytest.raises(
        SuppleError, match="goal 'fragile': it raised KeyError: 'no such height'"
    ) as caught:
        ik.solve(np.array([[0.5], [-1.0]]), threads=1)
    assert isinstance(caught.value.__cause__, KeyError)
    assert ik((0.5,)).reached  # nothing is left behind


def test_an_interrupt_in_a_callback_stays_one(two_arms):
    @supple.goal(compiled=False)
    def stopped(frames, values, out):
        if frames[0, 2, 3] != 0.0:
            raise KeyboardInterrupt
        out[0] = frames[0, 2, 3] - 1.0

    with pytest.raises(KeyboardInterrupt):
        supple.solve(two_arms, [stopped("hand.L")])


def test_nan_names_the_goal_and_the_row(two_arms):
    above, below = (
        two_arms.rest.with_({"chest": supple.rotations.from_axis_angle("y", a)})
        for a in (-0.3, 0.3)
    )
    ik = supple.prepare(two_arms, [root_of("hand.L")], solver=supple.LM(restarts=0))
    assert ik((0.7,), start=above).reached
    with pytest.raises(
        SuppleError,
        match=r"goal 'root_of' of hand.L: expected finite .* got \[nan\].*row 1 of the batch",
    ):
        ik.solve((0.7,), start=supple.Pose.stack([above, below]))


def test_a_function_that_numba_cannot_compile_runs_as_it_is(two_arms, caplog):
    known = {"height": 0.5}

    @supple.goal()
    def by_name(frames, values, out):
        out[0] = frames[0, 2, 3] - known.get("height")

    with caplog.at_level("WARNING", logger="supple"):
        assert supple.solve(two_arms, [by_name("hand.L")]).reached
    if by_name.function.compiled:
        pytest.fail("it was compiled")
    from supple.kernels import decorators

    if decorators.MODE in (decorators.LIBRARY, decorators.JIT):
        assert caplog.text.count("goal by_name: Numba cannot compile it") == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda f, v, o: None, r"expected it to fill out, shape \(2,\), .* got nan in row 0"),
        (lambda f, v, o: o.__setitem__(0, 1.0), r"got nan in row 1"),
        (lambda f, v, o: o.__setitem__(2, 1.0), r"raised IndexError: .*fills out, \(2,\)"),
        (
            lambda f, v, o: o.__setitem__(slice(None), f[1, 0, 3]),
            r"IndexError.*given frames \(1, 4, 4\)",
        ),
        (lambda f, v, o: f.__setitem__((0, 0, 3), 1.0), r"raised ValueError: .*read-only"),
    ],
)
def test_a_function_that_does_not_fit_is_refused_at_first_use(body, message, two_arms):
    def shaped(frames, values, out):
        body(frames, values, out)

    goal = supple.goal(rows=2)(shaped)
    with pytest.raises(SuppleError, match=f"goal 'shaped': .*{message}"):
        supple.solve(two_arms, [goal("hand.L")])


def test_a_wrong_jacobian_is_named(two_arms):
    def slopes(frames, values, out):
        out[:] = 0.0
        out[0, 0, 2] = 1.0
        out[0, 1, 2] = 1.0  # should be -1

    @supple.goal(values=1, jacobian=slopes)
    def tilted(frames, values, out):
        out[0] = frames[0, 2, 3] - frames[1, 2, 3] - values[0]

    with pytest.raises(
        SuppleError,
        match=r"its jacobian is wrong: of row 0 by z of frame 1 \('hand.R'\) it gives 1, differences give -1",
    ):
        supple.solve(two_arms, [tilted(["hand.L", "hand.R"], 0.1)])


def test_a_wrong_turn_in_a_jacobian_is_found_where_the_start_hides_it(two_arms):
    """At rest the derivative is zero, as the wrong Jacobian says; elsewhere it is not."""

    def slopes(frames, values, out):
        out[:] = 0.0

    @supple.goal(unit="number", jacobian=slopes)
    def facing(frames, values, out):
        out[0] = frames[0, 0, 0] - 1.0

    with pytest.raises(
        SuppleError, match=r"of row 0 by the turn about [yz] of frame 0 \('hand.L'\)"
    ):
        supple.solve(two_arms, [facing("hand.L")])
