"""`supple reach`."""

import json
import math
import re

import numpy as np
import pytest

import supple

SNAKE = "chain:9,9,9,9,4"
ARM = "chain:1,1@hinge:z:-150:150"


def test_a_target_is_reached_and_shown(run):
    result = run("reach", SNAKE, "--effector", "tip", "--to", "12,18,6")
    assert result.exit_code == 0
    assert "reached: tip is" in result.stdout
    for name in ("j0", "j4", "tip"):
        assert name in result.stdout
    assert "12.000  18.000  6.000" in " ".join(result.stdout.split()).replace(" ", "  ")
    assert result.stderr == ""


def test_json_says_everything_and_nothing_else(run_json):
    code, data = run_json("reach", ARM, "--to", "1.2,0.7,0")
    assert code == 0
    assert data["status"] == "REACHED"
    assert data["reached"] is True
    assert data["error"] < 2e-4
    assert set(data["angles"]) == {"j0", "j1"}
    skeleton = supple.chain([1, 1], joint=supple.Hinge("z", limits=np.radians([-150, 150])))
    pose = skeleton.pose(data["angles"])
    np.testing.assert_allclose(pose.position("tip"), data["positions"]["tip"])
    np.testing.assert_allclose(data["positions"]["tip"], (1.2, 0.7, 0), atol=2e-4)
    assert data["coordinates"] == pytest.approx(list(data["angles"].values()))


@pytest.mark.parametrize("target", ["-3,2,0", "-3,-2,-1e-1", "-3 2 0"])
def test_targets_may_be_negative(run_json, target):
    code, data = run_json("reach", SNAKE, "--to", target)
    assert code == 0
    assert data["goals"][0]["target"][0] == -3


def test_angles_are_shown_in_degrees(run):
    result = run("reach", "chain:2@hinge:z", "--to", "0,2,0", "--tolerance", "1e-6")
    assert "90.00°" in result.stdout


def test_out_of_reach_is_exit_code_1_and_a_reason(run, run_json):
    result = run("reach", ARM, "--to", "3,0,0")
    assert result.exit_code == 1
    assert "too far: the target of tip is 3" in result.stdout
    code, data = run_json("reach", ARM, "--to", "3,1,0", "--unreachable", "keep")
    assert code == 1
    assert data["angles"] == {"j0": 0, "j1": 0}


def test_root_depth_and_lock_hold_joints_back(run_json):
    for options in (["--root", "j2"], ["--depth", 3], ["--lock", "j0", "--lock", "j1"]):
        code, data = run_json("reach", SNAKE, "--to", "30,10,0", *options)
        assert code == 0
        still = [data["angles"][f"{joint}.{axis}"] for joint in ("j0", "j1") for axis in "xyz"]
        assert still == [0] * 6
        assert any(data["angles"][f"j2.{axis}"] for axis in "xyz")


def test_a_free_root_stays_unless_it_is_freed(run, run_json):
    floating = [ARM, "--joint", "j0=free", "--joint", "j1=ball", "--to", "3,1,0"]
    still = run("reach", *floating)
    assert still.exit_code == 1 and "free_root=True" in still.stdout
    code, data = run_json("reach", *floating, "--free-root")
    assert code == 0 and "the root j0 moved by" in data["reason"]


def test_orientations_are_met(run_json):
    half = math.sqrt(0.5)
    code, data = run_json("reach", SNAKE, "-t", "20,5,3", "--orientation", f"{half},0,0,{half}")
    assert code == 0
    assert data["orientation_error"] < 1e-4
    code, data = run_json("reach", SNAKE, "--orientation", f"{half},0,0,{half}")
    assert code == 0


def test_several_effectors_and_other_goals(run_json):
    code, data = run_json(
        "reach", SNAKE, "-e", "tip", "-t", "20,6,3", "-e", "j2", "-t", "15,8,2",
        "--look-at", "j0=15,8,2@y", "--hold", "j0",
    )  # fmt: skip
    assert [goal["kind"] for goal in data["goals"]] == ["Reach", "Reach", "LookAt", "Hold"]
    assert code in (0, 1)
    code, data = run_json("reach", "chain:1,1,1", "--look-at", "j1=j0@y")  # at another bone
    assert code == 0 and data["orientation_error"] < 1e-3
    code, data = run_json("reach", "chain:1,1", "--to", "1,1,0", "--pole", "j1=1,-5,0")
    assert code == 0
    assert data["positions"]["j1"][1] < 0.1


def test_the_solver_and_its_budget_can_be_chosen(run_json):
    code, data = run_json("reach", SNAKE, "--to", "12,18,6", "--solver", "lm:restarts=0")
    assert (code, data["solver"]) == (0, "LM")
    for solver in ("LM", "auto"):
        code, data = run_json(
            "reach", SNAKE, "--to", "-30,8,6", "--solver", solver, "--max-iterations", 1
        )
        assert code == 1
        assert data["status"] == "BUDGET"
        assert data["iterations"] == 1


def test_several_answers_are_found_and_ordered(run, run_json):
    code, data = run_json("reach", ARM, "--to", "0.7,1.2,0", "--solutions", 2, "--prefer", "turns")
    assert code == 0
    (other,) = data["alternatives"]
    assert math.copysign(1, other["angles"]["j1"]) != math.copysign(1, data["angles"]["j1"])

    def turned(angles):
        return sum(map(abs, angles.values()))

    assert turned(data["angles"]) <= turned(other["angles"])
    assert "sum of turns" in run("reach", ARM, "--to", "0.7,1.2,0", "--solutions", 2).stdout


def test_an_answer_can_be_kept_and_started_from(run_json, tmp_path):
    path = tmp_path / "answer.json"
    code, data = run_json("reach", SNAKE, "--to", "12,18,6", "--out", path)
    assert code == 0
    kept = supple.Solution.from_json(json.loads(path.read_text()))
    np.testing.assert_array_equal(kept.pose.coordinates, data["coordinates"])
    code, again = run_json("reach", SNAKE, "--to", "12,18,6", "--start", path)
    assert code == 0
    assert again["iterations"] == 0
    assert again["coordinates"] == data["coordinates"]


def test_pictures_and_traces_are_written(run, tmp_path):
    for name in ("a.png", "a.svg"):
        result = run("reach", SNAKE, "--to", "12,18,6", "--plot", tmp_path / name)
        assert result.exit_code == 0
        assert f"plot written to {tmp_path / name}" in result.stdout
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert b"<svg" in (tmp_path / "a.svg").read_bytes()
    run("reach", SNAKE, "--to", "12,18,6", "--trace", tmp_path / "t.json", "-p", tmp_path / "t.svg")
    trace = supple.Trace.load(tmp_path / "t.json")
    assert trace.goals["tip"].tolist() == [12, 18, 6]
    assert len(trace) > 1
    assert (tmp_path / "t.svg").stat().st_size > 0


def test_only_what_may_move_is_listed(run):
    result = run("reach", "chain:1x50", "--to", "49,1,0", "--depth", 2)
    assert "j49" in result.stdout
    assert "j47" not in result.stdout
    assert "and 48 joints and tips" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--effector", "tpi", "--to", "1,0,0"], "unknown effector 'tpi'.*did you mean 'tip'"),
        (["--to", "1,0"], "--to: expected three numbers X,Y,Z, got 2"),
        (["--to", "1,0,0,0"], "got 4"),
        (["--to", "nan,0,0"], "finite number, got 'nan'"),
        (["--to", "inf,0,0"], "finite number, got 'inf'"),
        (["--to", "a,b,c"], "finite number, got 'a'"),
        (["--to", ""], "got 0"),
        ([], "--to X,Y,Z"),
        (["-e", "tip"], "--to X,Y,Z"),
        (["-e", "tip", "-e", "j1", "--to", "1,0,0"], "one for each --effector, 2, got 1"),
        (["--to", "1,0,0", "--orientation", "1,0,0"], "four numbers W,X,Y,Z"),
        (["--to", "1,0,0", "--orientation", "2,0,0,0"], "unit quaternion"),
        (["--to", "1,0,0", "--solver", "ML"], "unknown solver 'ML'.*'LM'"),
        (["--to", "1,0,0", "--solver", "LM:restart=2"], "did you mean 'restarts'"),
        (["--to", "1,0,0", "--tolerance", "0"], "tolerance: expected a positive number"),
        (["--to", "1,0,0", "--tolerance", "nan"], "tolerance"),
        (["--to", "1,0,0", "--lock", "j7"], "joint to lock 'j7'"),
        (["--to", "1,0,0", "--root", "j7"], "'j7'"),
        (["--to", "1,0,0", "--root", "j1", "--depth", "1"], "root or depth, not both"),
        (["--to", "1,0,0", "--unreachable", "kep"], "did you mean 'keep'"),
        (["--to", "1,0,0", "--prefer", "turn"], "did you mean 'turns'"),
        (["--to", "1,0,0", "--look-at", "j1"], "NAME=X,Y,Z"),
        (["--look-at", "j1=1,0,0@w"], "axis"),
        (["--to", "1,0,0", "--hold", "jj"], "'jj'"),
        (["--to", "1,0,0", "--plot", "a.pdf"], r"\.png or \.svg"),
        (["--to", "1,0,0", "--plot", "nowhere/a.png"], "no folder 'nowhere'"),
        (["--to", "1,0,0", "--out", "nowhere/a.json"], "no folder 'nowhere'"),
        (["--to", "1,0,0", "--trace", "nowhere/a.json"], "no folder 'nowhere'"),
        (["--to", "1,0,0", "--trace", "a.json", "--solutions", "2"], "leave out --solutions"),
        (["--to", "1,0,0", "--start", "nowhere.json"], "nowhere.json: cannot read it"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = run("reach", "chain:1,1", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert re.search(message, line), line
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ["reach"],
        ["reach", "chain:1,1", "--bogus"],
        ["reach", "chain:1,1", "--to"],
        ["reach", "chain:1,1", "--to", "1,0,0", "--depth", "-1"],
        ["reach", "chain:1,1", "--to", "1,0,0", "--tolerance", "much"],
        ["reach", "chain:1,1", "--to", "1,0,0", "--max-iterations", "1.5"],
        ["raech", "chain:1,1"],
    ],
)
def test_usage_errors_are_exit_code_2(run, arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_model_with_several_tips_needs_a_name(run, tmp_path):
    skeleton = supple.Skeleton([("a",)], [("b", "a", (1, 0, 0)), ("c", "a", (0, 1, 0))])
    (tmp_path / "y.json").write_text(json.dumps(skeleton.to_json()))
    result = run("reach", tmp_path / "y.json", "--to", "0,1,0")
    assert result.exit_code == 2
    assert "2 tips; expected a name, such as b, c" in result.stderr
    assert run("reach", tmp_path / "y.json", "-e", "b", "--to", "0,1,0").exit_code == 0


def test_names_are_shown_as_they_are(run, tmp_path):
    skeleton = supple.Skeleton([("[bold]",)], [(":x:", "[bold]", (1, 0, 0))])
    (tmp_path / "odd.json").write_text(json.dumps(skeleton.to_json()))
    result = run("reach", tmp_path / "odd.json", "--to", "0,1,0")
    assert "[bold]" in result.stdout
    assert ":x:" in result.stdout


def test_ctrl_c_is_quiet(run, monkeypatch):
    def interrupt(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("supple.apps.cli.commands.reach.solve", interrupt)
    result = run("reach", SNAKE, "--to", "12,18,6")
    assert result.exit_code not in (0, 2)
    assert "Traceback" not in result.output


def test_a_robot_stands_upright_in_its_figure(run, tmp_path, monkeypatch):
    from contest import mechanisms
    from contest.descriptions import urdf

    from supple import plot

    drawn = {}
    real = plot.solution
    monkeypatch.setattr(plot, "solution", lambda *a, **k: drawn.update(k) or real(*a, **k))
    model = tmp_path / "arm.urdf"
    model.write_text(urdf(mechanisms.panda()), encoding="utf-8")
    picture = tmp_path / "arm.png"
    run("reach", model, "-e", "tip", "--to", "0.3,0.2,0.5", "--plot", picture)
    assert drawn["up"] == "z"
    assert picture.exists()
