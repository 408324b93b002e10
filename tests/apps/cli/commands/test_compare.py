"""`supple compare`, and what it measures."""

import re
from dataclasses import fields

import numpy as np
import pytest

import supple
from supple.apps.cli.commands.compare_measure import (
    APPLY_ROTATION,
    COMPUTE_ROTATION,
    VISIT_COST,
    Row,
    able,
    count_visits,
    measure,
)
from supple.apps.cli.random_targets import WITHIN, random_poses, random_targets
from supple.solvers import ALL

SNAKE = "chain:9,9,9,9,4"
KINDS = supple.Skeleton(
    [
        ("base", None, (0, 0, 0), supple.Planar("y", limits=[(-1, 1), (0, 1), None])),
        ("lift", "base", (0, 1, 0), supple.Slider("y", limits=(0.5, 2))),
        ("cone", "lift", (1, 0, 0), supple.Cone(0.9, (-0.4, 0.2))),
        ("axes", "cone", (2, 0, 0), supple.Axes("zx", limits={"z": (0.5, 2)}, frozen="x")),
        ("hinge", "axes", (1, 0, 0), supple.Hinge("x", limits=(1, None), stretch=(0.5, 2))),
        ("free", "hinge", (1, 0, 0), supple.Free()),
    ],
    [("tip", "free", (1, 0, 0))],
)


def test_every_solver_that_can_is_measured_and_the_others_are_named(run_json):
    code, data = run_json("compare", SNAKE, "--targets", 4)
    assert code == 0
    measured = {row["solver"] for row in data["solvers"]}
    assert measured | set(data["refused"]) == {solver.name for solver in ALL}
    assert "LM" in measured
    assert len(data["targets"]) == 4
    assert min(row["time_ratio"] for row in data["solvers"]) == 1
    for row in data["solvers"]:
        assert 0 <= row["reached"] <= 1
        assert row["error_median"] <= row["error_max"]
        assert row["seconds"] > 0


def test_solvers_that_cannot_take_the_model_are_listed_with_the_reason(run, monkeypatch):
    def picky(solver, problem):
        return "chains of five joints" if solver.name == ALL[0].name else None

    monkeypatch.setattr("supple.solvers.base.Solver.refusal", picky)
    monkeypatch.setattr(ALL[0], "refusal", picky)
    result = run("compare", SNAKE, "--targets", 1, "--solvers", f"{ALL[0].name},auto")
    assert result.exit_code == 0
    assert f"{ALL[0].name} cannot take chains of five joints" in result.stdout
    result = run("compare", SNAKE, "--targets", 1, "--solvers", ALL[0].name)
    assert result.exit_code == 2
    assert "no solver can take the model" in result.stderr


def test_the_same_seed_gives_the_same_targets_and_answers(run_json):
    def once(seed):
        _, data = run_json("compare", SNAKE, "-n", 3, "-s", "LM", "--seed", seed)
        for row in data["solvers"]:
            del row["seconds"], row["time_ratio"]
        return data

    assert once(1) == once(1)
    assert once(1)["targets"] != once(2)["targets"]


def test_one_target_can_be_given(run, run_json):
    _, data = run_json("compare", SNAKE, "--to", "-12,18,6", "-s", "LM")
    assert data["targets"] == [[-12, 18, 6]]
    assert data["common"] == 1
    assert "tip to one target" in run("compare", SNAKE, "--to", "12,18,6", "-s", "LM").stdout


def test_options_of_solvers_and_a_budget_for_all(run_json):
    _, data = run_json("compare", SNAKE, "-n", 2, "-s", "lm:restarts=0,auto", "--max-iterations", 1)
    assert [row["solver"] for row in data["solvers"]] == ["LM:restarts=0", "auto"]
    assert all(row["iterations"] <= 1 for row in data["solvers"])


def test_a_figure_is_drawn(run, tmp_path):
    for extra in (["-n", 2], ["--to", "12,18,6"]):
        result = run("compare", SNAKE, "-s", "LM,auto", *extra, "--plot", tmp_path / "a.png")
        assert result.exit_code == 0
        assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--solvers", "LM,CDC"], "unknown solver 'CDC'"),
        (["--effector", "tp"], "did you mean 'tip'"),
        (["--within", "bal"], "unknown --within 'bal'.*did you mean 'ball'"),
        (["--to", "1,2"], "three numbers"),
        (["--limits", "j1=200"], "0 to 180"),
        (["--plot", "a.gif"], r"\.png or \.svg"),
        (["--tolerance", "-1"], "positive"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run, arguments, message):
    result = run("compare", SNAKE, *arguments)
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert re.search(message, line), line


# What is measured ---------------------------------------------------------------------------------


def test_costs_are_means_over_the_targets_that_all_reached():
    skeleton = supple.chain([2, 1])
    ready, _ = able(skeleton, "tip", ["LM", "LM:max_iterations=0", "auto"])
    targets = np.array([[0, 2.5, 0], [9, 0, 0], [2, 1.5, 0.5]])
    found = measure(ready, "tip", targets)
    lm, idle, auto = found.rows
    assert (lm.reached, idle.reached, auto.reached) == pytest.approx((2 / 3, 0, 2 / 3))
    assert found.common == 2
    assert idle.turns_sum is None and idle.path is None
    answers = [supple.solve(skeleton, {"tip": targets[k]}, solver="LM") for k in (0, 2)]
    sums = [one.pose.turns(skeleton.rest).sum() for one in answers]
    assert lm.turns_sum == pytest.approx(np.mean(sums))
    assert lm.turns_max is not None and lm.turns_max <= lm.turns_sum
    assert lm.path is not None and lm.path >= np.mean(
        np.linalg.norm(targets[[0, 2]] - (3, 0, 0), axis=1)
    )


CLAIM = r"TargetTriangle takes [\d,.]+ operations, CCD [\d,.]+; Song & Hu 2011 claim fewer than CCD"


def test_a_cost_that_contradicts_a_paper_is_named(run, run_json):
    """Target Triangle has fewer operations than CCD on a free chain, but not with the paper's limits."""
    solvers = ("--solvers", "CCD,TargetTriangle,LM", "--targets", 60)
    limits = ("--limits", "j1=120,j2=90")
    _, free = run_json("compare", SNAKE, *solvers)
    assert free["contradicted"] == []
    _, limited = run_json("compare", SNAKE, *solvers, *limits)
    ccd, triangle, _ = limited["solvers"]
    assert triangle["operations"] > ccd["operations"]
    (remark,) = limited["contradicted"]
    assert re.fullmatch(CLAIM, remark)
    told = " ".join(run("compare", SNAKE, *solvers, *limits).stdout.split())
    assert re.search(CLAIM, told)
    assert "claim" not in run("compare", SNAKE, *solvers).stdout


def test_a_claim_is_tested_only_beside_the_solver_that_it_names(run_json):
    limits = ("--limits", "j1=120,j2=90")
    _, data = run_json("compare", SNAKE, "--solvers", "TargetTriangle,LM", "--targets", 5, *limits)
    assert data["contradicted"] == []


def test_claims_name_solvers_and_measures_that_there_are():
    names, measures = {one.name for one in ALL}, {one.name for one in fields(Row)}
    claims = [claim for one in ALL for claim in one.claims]
    assert claims
    assert all(claim.than in names and claim.measure in measures for claim in claims)


def test_visits_are_what_the_trace_recorded_or_all_joints_each_iteration():
    skeleton = supple.chain([9, 9, 9, 9, 4])
    ready, _ = able(skeleton, "tip", [])
    for name, problem in ready.items():
        traced = problem.solve((12, 18, 6), trace=True)
        assert traced.trace is not None
        recorded = len(traced.trace.events)
        expected = recorded or 5 * traced.iterations
        assert count_visits(problem, traced) == expected
        row = measure({name: problem}, "tip", np.array([[12.0, 18, 6]])).rows[0]
        assert row.visits == expected
        price = VISIT_COST.get(name)
        assert row.operations == (None if price is None else price * expected)


def test_the_prices_are_those_of_the_paper():
    assert VISIT_COST["CCD"] == COMPUTE_ROTATION + APPLY_ROTATION
    assert VISIT_COST["TargetTriangle"] == 3 * COMPUTE_ROTATION + APPLY_ROTATION


# Targets ------------------------------------------------------------------------------------------


def test_random_poses_keep_to_the_limits_and_fill_them():
    moving = list(KINDS.joint_names)
    poses = random_poses(KINDS, moving, count=2000, rng=np.random.default_rng(5))
    assert poses.violations().max() == 0
    values = poses.angles
    column = {name: values[:, k] for k, name in enumerate(KINDS.freedoms)}
    assert column["lift"].min() < 0.6 and column["lift"].max() > 1.9
    assert column["axes.z"].min() < 0.6 and column["axes.z"].max() > 1.9
    assert column["hinge"].min() < 1.2 and column["hinge"].max() > 6
    assert column["hinge.stretch"].min() < 0.6 and column["hinge.stretch"].max() > 1.8
    clamped = poses.clamped()
    assert clamped == poses


def test_joints_that_may_not_move_stay():
    poses = random_poses(KINDS, ["cone"], count=50, rng=np.random.default_rng(5))
    turned = poses.turns(KINDS.rest.clamped())
    assert np.all(turned[:, KINDS.index("cone")] > 0)
    assert np.all(turned[:, [KINDS.index("base"), KINDS.index("free")]] == 0)


def test_targets_of_poses_can_all_be_reached(run_json):
    _, data = run_json("compare", SNAKE, "--limits", "j1=120,j2=90", "-n", 30, "-s", "auto")
    assert data["solvers"][0]["reached"] == 1


@pytest.mark.parametrize("within", WITHIN)
def test_targets_are_where_they_are_said_to_be(within):
    skeleton = supple.chain([2, 1])
    options = {"count": 4000, "seed": 3, "within": within}
    points = random_targets(skeleton, "tip", ["j0", "j1"], **options)
    far = np.linalg.norm(points, axis=1)
    assert points.shape == (4000, 3)
    assert far.max() <= 3 + 1e-9
    if within == "poses":
        assert far.min() >= 1 - 1e-9
    else:
        dimensions = {"ball": 3, "disc": 2}[within]
        assert np.mean(far < 1.5) == pytest.approx(0.5**dimensions, abs=0.03)
        assert np.allclose(points.mean(axis=0), 0, atol=0.15)
        assert np.all(points[:, 2] == 0) == (within == "disc")
