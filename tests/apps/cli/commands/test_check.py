"""`supple check`: exit codes, tables, JSON, the report, repairs."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.apps.clips import runner
from supple.rotations import from_axis_angle, multiply


@pytest.fixture
def clips(tmp_path):
    """A good clip, one with a pop, and one that cannot be read."""
    wave = supple.humanoid().motion("wave")
    supple.save(wave, tmp_path / "good.bvh")
    plain = next(iter(supple.load(tmp_path / "good.bvh").motions.values()))
    j = plain.skeleton.index("upperarm.L")
    turn = np.zeros(len(plain))
    turn[40:42] = 0.7
    own = multiply(plain.skeleton.rotations[j] * [1, -1, -1, -1], plain.poses.local_rotations[:, j])
    pop = multiply(own, from_axis_angle("x", turn))
    supple.save(plain.with_(poses=plain.poses.with_({"upperarm.L": pop})), tmp_path / "pop.bvh")
    (tmp_path / "bad.bvh").write_text("HIERARCHY\n")
    return tmp_path


def test_a_good_clip_has_no_faults(run, clips):
    result = run("check", clips / "good.bvh")
    assert result.exit_code == 0
    assert "no faults" in result.stdout and "skate" in result.stdout


def test_faults_are_listed_with_exit_code_1(run, run_json, clips):
    result = run("check", clips / "pop.bvh")
    assert result.exit_code == 1
    assert "speed: upperarm.L" in result.stdout
    code, data = run_json("check", clips / "pop.bvh", clips / "good.bvh")
    assert code == 1
    assert [row["ok"] for row in data["files"]] == [False, True]
    assert {fault["kind"] for fault in data["files"][0]["motions"][0]["faults"]} >= {"speed"}


def test_a_bad_clip_is_named_and_the_rest_is_checked(run, clips):
    result = run("check", clips / "bad.bvh", clips / "good.bvh")
    assert result.exit_code == 2
    assert "bad.bvh" in result.stderr
    assert "ok good.bvh" in result.stdout
    assert "1 failed" in result.stdout


def test_repairs_are_written_and_said(run, clips):
    out = clips / "out"
    result = run("check", clips / "pop.bvh", "--fix", "--out-dir", out)
    assert result.exit_code == 0, result.stdout
    assert "1 of 1 repaired" in result.stdout
    assert run("check", out / "pop.bvh").exit_code == 0
    before, after = (
        next(iter(supple.load(path).motions.values()))
        for path in (clips / "pop.bvh", out / "pop.bvh")
    )
    assert np.array_equal(before[10].coordinates, after[10].coordinates)
    assert run("check", clips / "pop.bvh", "--fix").exit_code == 2  # where to?


def test_budgets_kinds_and_what_was_before_decide(run, clips):
    (clips / "budgets.toml").write_text("speed = false\nacceleration = false\njerk = false\n")
    assert run("check", clips / "pop.bvh", "--budgets", clips / "budgets.toml").exit_code == 0
    assert run("check", clips / "pop.bvh", "--kind", "bones").exit_code == 0
    assert run("check", clips / "pop.bvh", "--against", clips / "pop.bvh").exit_code == 0
    assert run("check", clips / "pop.bvh", "--against", clips / "good.bvh").exit_code == 1
    (clips / "budgets.toml").write_text("sped = 1\n")
    result = run("check", clips / "pop.bvh", "--budgets", clips / "budgets.toml")
    assert result.exit_code == 2 and "budgets.toml:1" in result.stderr


def test_a_report_with_pictures_and_one_of_json_are_written(run, clips):
    result = run(
        "check", clips / "pop.bvh", "--report", clips / "r.html", "--out-dir", clips / "out"
    )
    assert result.exit_code == 1
    page = (clips / "r.html").read_text()
    assert "<svg" in page and "upperarm.L" in page
    data = json.loads((clips / "out" / "pop.bvh.json").read_text())
    assert data["motions"][0]["ok"] is False
    assert run("check", clips / "pop.bvh", "--report", clips / "r.txt").exit_code == 2


def test_a_plan_says_what_to_check_and_correct(run, clips):
    plan = clips / "plan.toml"
    plan.write_text('clips = ["*o*.bvh"]\n[[steps]]\ndo = "check"\nkinds = ["bones"]\n')
    assert run("check", "--plan", plan).exit_code == 0
    plan.write_text('[[steps]]\ndo = "plant"\n[[steps]]\ndo = "check"\nfix = true\n')
    out = clips / "fixed"
    result = run("correct", clips / "pop.bvh", "--plan", plan, "--out-dir", out)
    assert result.exit_code == 0, result.stdout
    assert "feet slid" in result.stdout
    again = run("correct", clips / "pop.bvh", clips / "good.bvh", "--plan", plan, "--out-dir", out)
    assert "1 by an earlier run" in again.stdout
    plan.write_text('[[steps]]\ndo = "reach"\neffector = "Nose"\nby = [0, 1, 0]\n')
    result = run("correct", clips / "pop.bvh", "--plan", plan, "--out-dir", clips / "no")
    assert result.exit_code == 2
    assert "plan.toml:1" in result.stderr and "Nose" in result.stderr
    assert not (clips / "no").exists()


def test_options_beside_a_plan_take_its_place(run, clips):
    plan = clips / "plan.toml"
    plan.write_text('[budgets]\nspeed = 50\n[[steps]]\ndo = "check"\nkinds = ["speed"]\n')
    assert run("check", clips / "pop.bvh", "--plan", plan).exit_code == 0
    assert run("check", clips / "pop.bvh", "--plan", plan, "--kind", "acceleration").exit_code == 1
    (clips / "budgets.toml").write_text("speed = 0.1\n")
    given = ("--plan", plan, "--budgets", clips / "budgets.toml")
    assert run("check", clips / "pop.bvh", *given).exit_code == 1
    # Against itself nothing would be wrong: without other steps, the clip stands alone.
    plan.write_text('[[steps]]\ndo = "check"\nagainst = true\n')
    assert run("check", clips / "pop.bvh", "--plan", plan).exit_code == 1


def test_a_clip_is_checked_again_if_what_it_is_checked_against_changes(run, clips):
    (clips / "old").mkdir()
    old = clips / "old" / "pop.bvh"
    old.write_bytes((clips / "pop.bvh").read_bytes())
    given = ("check", clips / "pop.bvh", "--against", clips / "old", "--out-dir", clips / "out")
    assert run(*given).exit_code == 0
    old.write_bytes((clips / "good.bvh").read_bytes())
    assert run(*given).exit_code == 1


def test_learnt_limits_in_a_file_count(run, clips):
    hero = supple.load(clips / "good.bvh")
    motion = next(iter(hero.motions.values()))
    limited = supple.learn_limits(hero, motion, margin=0.01)
    supple.save(limited, clips / "limited.glb")
    (clips / "limited.json").write_text(json.dumps(limited.skeleton.to_json()))
    for file in ("limited.glb", "limited.json"):
        given = ("--kind", "limits", "--limits", clips / file)
        assert run("check", clips / "good.bvh", *given).exit_code == 0
        bad = run("check", clips / "pop.bvh", *given)
        assert bad.exit_code == 1 and "limits: upperarm.L" in bad.stdout
        plan = clips / "plan.toml"
        text = f'limits = "{file}"\n'
        plan.write_text(
            f'[[steps]]\ndo = "limit"\n{text}[[steps]]\ndo = "check"\nkinds = ["limits"]\n{text}'
        )
        clamped = run("correct", clips / "pop.bvh", "--plan", plan, "--out-dir", clips / file[-4:])
        assert clamped.exit_code == 0, clamped.stdout
        assert "into their limits; no faults" in clamped.stdout


@pytest.mark.parametrize("form", ["height", "plane", "mesh"])
def test_the_ground_is_given_in_three_ways(run, clips, form):
    (clips / "floor.obj").write_text("v -9 0.3 -9\nv 9 0.3 -9\nv 9 0.3 9\nv -9 0.3 9\nf 1 2 3 4\n")
    ground = {"height": "0.3", "plane": "0,1,0,0.3", "mesh": clips / "floor.obj"}[form]
    result = run("check", clips / "good.bvh", "--kind", "penetration", "--ground", ground)
    assert result.exit_code == 1 and "penetration" in result.stdout


@pytest.mark.parametrize("ground", ["none.obj", "1,2", "low", 5000 * "x"])
def test_bad_ground_is_said(run, clips, ground):
    result = run("check", clips / "good.bvh", "--ground", ground)
    assert result.exit_code == 2 and "--ground: expected" in result.stderr


def test_clips_of_one_name_in_two_folders_are_checked_and_repaired_apart(run, clips):
    for folder in ("a", "b"):
        (clips / "both" / folder).mkdir(parents=True)
        (clips / "both" / folder / "x.bvh").write_bytes((clips / "good.bvh").read_bytes())
    out = clips / "both" / "out"
    for done in ("2 of 2 files done", "2 of 2 files done, 2 by an earlier run"):
        result = run("check", clips / "both", "--fix", "--out-dir", out)
        assert result.exit_code == 0, result.output
        assert f"ok {Path('a', 'x.bvh')}: " in result.stdout and done in result.stdout
        assert (out / "a" / "x.bvh").exists() and (out / "b" / "x.bvh").exists()
    (clips / "both" / "b" / "x.bvh").write_text("no clip")
    result = run("check", out, "--against", clips / "both", "--kind", "bones")
    assert result.exit_code == 2 and "1 failed" in result.stdout
    assert "x.bvh" in result.stderr and f"ok {Path('a', 'x.bvh')}" in result.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_names_that_are_not_utf_8_are_checked_and_shown_with_a_replacement(run, clips):
    odd = clips / os.fsdecode(b"w\xff.bvh")
    odd.write_bytes((clips / "good.bvh").read_bytes())
    shown = str(clips / "w\N{REPLACEMENT CHARACTER}.bvh")
    page, out = clips / "report.html", clips / "out"
    options = ("--kind", "penetration", "--ground", "0.3", "--report", page, "--out-dir", out)
    for _ in range(2):
        result = run("check", odd, clips / "good.bvh", *options)
        assert result.exit_code == 1, result.output
        assert f"faults {Path(shown).name}: " in result.stdout
        assert shown in page.read_text(encoding="utf-8")
        report = json.loads((out / f"{odd.name}.json").read_bytes())
        assert report["file"] == shown
    assert "2 by an earlier run" in result.stdout


def test_a_cluster_that_is_lost_is_said_with_what_is_left(run, clips, monkeypatch):
    def one_and_no_more(job, todo, address):
        yield todo[0], runner._attempt(job, *todo[0])
        raise runner.RunInterruptedError(f"--scheduler: {address}: the connection to it is lost")

    monkeypatch.setattr(runner, "_over_dask", one_and_no_more)
    files = [clips / "good.bvh", clips / "none.bvh"]
    options = ("--kind", "bones", "--scheduler", "tcp://host:1", "--json")
    result = run("check", *files, *options)
    assert result.exit_code == 2
    data = json.loads(result.stdout)
    assert [row["file"] for row in data["files"]] == [str(files[0])]
    assert data["unfinished"] == [str(files[1])]
    (said,) = (line for line in result.stderr.splitlines() if line.startswith("error"))
    assert "tcp://host:1: the connection to it is lost" in said
    assert f"1 of 2 clips are unfinished ({files[1]})" in said
    assert "run the same again: all clips are processed again" in said


def test_a_profile_says_what_budgets_are(run, clips, tmp_path):
    hero = supple.load(clips / "good.bvh")
    motion = next(iter(hero.motions.values()))
    turn = from_axis_angle("x", np.where(np.arange(len(motion)) == 40, 0.35, 0.0))
    j = hero.skeleton.index("forearm.L")
    own = multiply(motion.poses.local_rotations[:, j], turn)
    own = multiply(np.asarray(hero.skeleton.rotations[j]) * [1, -1, -1, -1], own)
    noisy = motion.with_(poses=motion.poses.with_({"forearm.L": own}))
    supple.save(hero.with_(motions={"noisy": noisy}), clips / "noisy.bvh")
    assert run("check", clips / "noisy.bvh").exit_code == 1
    assert run("check", clips / "noisy.bvh", "--profile", "captured").exit_code == 0
    budgets = tmp_path / "budgets.toml"
    budgets.write_text("speed = 0.1\n")
    given = ("check", clips / "noisy.bvh", "--profile", "captured", "--budgets", budgets)
    assert run(*given).exit_code == 1
    result = run("check", clips / "noisy.bvh", "--profile", "raw")
    assert result.exit_code == 2 and "authored" in result.stderr


def test_a_t_pose_before_a_motion_is_said_and_not_checked(run, clips):
    good = next(iter(supple.load(clips / "good.bvh").motions.values()))
    poses = supple.Pose.stack([good.skeleton.rest, *(good[k] for k in range(60))])
    supple.save(supple.Motion("late", poses, fps=good.fps), clips / "late.bvh")
    result = run("check", clips / "late.bvh")
    assert "frame 0 is a T-pose before the motion" in result.stdout
    assert result.exit_code == 0, result.stdout


@pytest.fixture
def half(clips):
    """The good clip without its second half."""
    lines = (clips / "good.bvh").read_text().splitlines()
    (clips / "half.bvh").write_text("\n".join(lines[:-40]) + "\n")
    return clips / "half.bvh"


def test_half_a_file_is_a_fault_in_text_json_and_report(run, run_json, half, tmp_path):
    page = tmp_path / "report.html"
    result = run("check", half, "--kind", "bones", "--report", page)
    assert result.exit_code == 1 and "1 fault: 1 truncated" in result.stdout
    assert "truncated: frames 35 to 74: declares 75 frames" in result.stdout
    assert "declares" in page.read_text()
    code, data = run_json("check", half, "--kind", "bones")
    (row,) = data["files"][0]["motions"]
    assert code == 1 and [fault["kind"] for fault in row["faults"]] == ["truncated"]
    assert any("declares" in note for note in row["notes"])


def test_other_commands_pass_on_what_the_reader_warns_of(run, run_json, half, tmp_path):
    goal = ("-e", "hand.L", "--by", "0,0.01,0", "--root", "upperarm.L")
    result = run("correct", half, *goal, "-o", tmp_path / "one.bvh")
    assert "declares" in result.stderr
    for out in (("-o", tmp_path / "one.bvh"), ("--out-dir", tmp_path / "many")):
        _, data = run_json("correct", half, *goal, *out)
        row = data["files"][0] if "files" in data else data
        assert any("declares" in note for note in row["notes"])
    plan = tmp_path / "plan.toml"
    plan.write_text('[[steps]]\ndo = "limit"\n')
    _, data = run_json("correct", half, "--plan", plan, "--out-dir", tmp_path / "planned")
    assert any("declares" in note for note in data["files"][0]["notes"])
    _, data = run_json(
        "retarget", half, "--onto", half.with_name("good.bvh"), "-o", tmp_path / "r.bvh"
    )
    assert any("declares" in note for note in data["notes"])


def test_only_what_is_new_beside_a_stored_report_counts(run, run_json, clips):
    given = (clips / "good.bvh", clips / "pop.bvh")
    code, data = run_json("check", *given)
    assert code == 1
    known = clips / "known.json"
    known.write_text(json.dumps(data))
    result = run("check", *given, "--against", known)
    assert result.exit_code == 0, result.stdout
    assert "no new faults; " in result.stdout and "known fault" in result.stdout
    code, data = run_json("check", clips / "pop.bvh", "--against", known)
    (row,) = data["files"][0]["motions"]
    assert code == 0 and row["ok"] and not row["faults"] and row["known"]
    # A clip that has become bad counts.
    (clips / "good.bvh").write_bytes((clips / "pop.bvh").read_bytes())
    assert run("check", *given, "--against", known).exit_code == 1
    # A report that was written again is read again.
    code, data = run_json("check", *given)
    known.write_text(json.dumps(data))
    assert run("check", *given, "--against", known).exit_code == 0
    (clips / "other.bvh").write_bytes((clips / "pop.bvh").read_bytes())
    result = run("check", clips / "other.bvh", "--against", known)
    assert result.exit_code == 2 and "expected a report on some of the clips" in result.stderr
    result = run("check", *given, "--against", known, "--profile", "captured")
    assert result.exit_code == 2 and "the same budgets" in result.stderr
    result = run("check", *given, "--against", known, "--fix", "--out-dir", clips / "out")
    assert result.exit_code == 2 and "got a report" in result.stderr
    known.write_text("no JSON")
    result = run("check", *given, "--against", known)
    assert result.exit_code == 2 and "cannot read the report" in result.stderr
