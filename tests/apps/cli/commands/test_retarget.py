"""`supple retarget`: clips onto a character, one or many, with maps."""

import numpy as np
import pytest

import supple
from supple import Motion, Node, Pose, Skeleton
from supple.rotations import from_axis_angle


@pytest.fixture
def folder(tmp_path):
    """Two clips of a figure that bends its knees, and a smaller figure to retarget onto."""
    for name, size in (("clip", 1.0), ("other", 1.0), ("small", 0.6)):
        nodes = [
            Node("Hips", None, (0, size, 0)),
            Node("Spine", "Hips", (0, 0.3 * size, 0)),
            Node("Head", "Spine", (0, 0.4 * size, 0)),
        ]
        for side, sign in (("Left", size), ("Right", -size)):
            nodes += [
                Node(f"{side}Arm", "Spine", (0.2 * sign, 0.2 * size, 0)),
                Node(f"{side}ForeArm", f"{side}Arm", (0.3 * sign, 0, 0)),
                Node(f"{side}Hand", f"{side}ForeArm", (0.3 * sign, 0, 0)),
                Node(f"{side}UpLeg", "Hips", (0.1 * sign, 0, 0)),
                Node(f"{side}Leg", f"{side}UpLeg", (0, -0.45 * size, 0)),
                Node(f"{side}Foot", f"{side}Leg", (0, -0.45 * size, 0)),
                Node(f"{side}Toe", f"{side}Foot", (0, -0.08 * size, 0.13 * size)),
            ]
        skeleton = Skeleton(nodes)
        t = np.arange(60) / 30
        bend = 0.4 + 0.2 * np.sin(3 * t)
        values = {
            f"{s}{part}": from_axis_angle("x", share * bend)
            for s in ("Left", "Right")
            for part, share in (("UpLeg", -0.5), ("Leg", 1.0), ("Foot", -0.5))
        }
        poses = skeleton.rest.with_(values)
        places = np.tile(skeleton.offsets, (60, 1, 1))
        places[:, 0, 1] += 0.1 * size - Pose(skeleton, poses.coordinates).position("LeftFoot")[:, 1]
        supple.save(
            Motion(name, Pose(skeleton, poses.coordinates, places), fps=30),
            tmp_path / f"{name}.bvh",
        )
    return tmp_path


def test_one_clip_to_one_file(run_json, folder):
    _, data = run_json(
        "retarget", folder / "clip.bvh", "--onto", folder / "small.bvh", "-o", folder / "out.bvh"
    )
    assert data["frames"] == 60
    assert data["scale"] == pytest.approx(0.6, rel=1e-3)
    motion = supple.load(folder / "out.bvh").motion("out")
    assert np.ptp(motion.poses.position("LeftFoot"), axis=0).max() < 1e-3
    assert motion.poses.position("LeftFoot")[:, 1].mean() == pytest.approx(0.06, abs=0.01)


@pytest.mark.parametrize("options", [(), ("--no-balance",)])
def test_balance_is_asked_for_unless_it_is_turned_off(run_json, folder, monkeypatch, options):
    from supple.apps.clips import steps

    asked = []
    real = steps.retarget
    monkeypatch.setattr(
        steps, "retarget", lambda *a, balance, **k: asked.append(balance) or real(*a, **k)
    )
    places = ("--onto", folder / "small.bvh", "-o", folder / "out.bvh")
    _, data = run_json("retarget", folder / "clip.bvh", *places, *options)
    assert asked == [not options]
    assert data["balance"] is None  # a character has no balance to keep


def test_many_clips_to_a_folder_where_a_bad_one_does_not_stop_the_rest(run, folder):
    (folder / "bad.bvh").write_text("HIERARCHY nonsense")
    result = run(
        "retarget",
        folder / "clip.bvh",
        folder / "bad.bvh",
        folder / "other.bvh",
        "--onto",
        folder / "small.bvh",
        "-o",
        folder / "made",
        "--to",
        "glb",
    )
    assert result.exit_code == 2
    assert sorted(path.name for path in (folder / "made").iterdir()) == ["clip.glb", "other.glb"]


def test_a_run_over_processes_goes_on_where_it_was_ended(run, folder):
    given = (folder / "clip.bvh", folder / "other.bvh", "--onto", folder / "small.bvh")
    first = run("retarget", *given, "--out-dir", folder / "made", "--jobs", 2)
    assert first.exit_code == 0, first.stderr
    before = {path.name: path.stat().st_mtime_ns for path in (folder / "made").iterdir()}
    assert sorted(before) == ["clip.bvh", "other.bvh"]
    again = run("retarget", *given, "--out-dir", folder / "made")
    assert "2 by an earlier run" in again.stdout
    assert before == {path.name: path.stat().st_mtime_ns for path in (folder / "made").iterdir()}
    # The same bytes in one process; another target is another result.
    run("retarget", *given, "--out-dir", folder / "alone", "--jobs", 1)
    for name in before:
        assert (folder / "made" / name).read_bytes() == (folder / "alone" / name).read_bytes()
    (folder / "small.bvh").write_bytes((folder / "clip.bvh").read_bytes())
    assert "earlier" not in run("retarget", *given, "--out-dir", folder / "made").stdout


def test_a_plan_retargets_and_goes_on(run, folder):
    plan = folder / "plan.toml"
    text = 'clips = ["clip.bvh", "other.bvh"]\n[[steps]]\ndo = "retarget"\nonto = "small.bvh"\nto = "glb"\n'
    plan.write_text(text + '[[steps]]\ndo = "plant"\n')
    result = run("retarget", "--plan", plan, "--out-dir", folder / "made")
    assert result.exit_code == 0, result.stderr
    assert "60 frames" in result.stdout and "feet slid" in result.stdout
    assert sorted(path.name for path in (folder / "made").iterdir()) == ["clip.glb", "other.glb"]
    # `correct` runs the same plan.
    same = run("correct", "--plan", plan, "--out-dir", folder / "made")
    assert "2 by an earlier run" in same.stdout
    beside = run("retarget", "--plan", plan, "--fps", 15, "--out-dir", folder / "made")
    assert beside.exit_code == 2 and "--plan: expected no options" in beside.stderr
    plan.write_text('clips = "clip.bvh"\n[[steps]]\ndo = "plant"\n')
    lacking = run("retarget", "--plan", plan, "--out-dir", folder / "made")
    assert lacking.exit_code == 2 and 'do = "retarget"' in lacking.stderr


def test_a_bad_target_is_said_once_before_anything_runs(run, folder):
    given = (folder / "clip.bvh", folder / "other.bvh", "--out-dir", folder / "made")
    lost = run("retarget", *given, "--onto", folder / "lost.bvh")
    assert lost.exit_code == 2 and "lost.bvh: there is no such file" in lost.stderr
    rest = supple.chain([1, 1, 1]).rest
    supple.save(Motion("snake", Pose.stack([rest] * 3), fps=30), folder / "snake.bvh")
    snake = run("retarget", *given, "--onto", folder / "snake.bvh")
    assert snake.exit_code == 2 and snake.stderr.count("two arms and two legs") == 1
    assert "snake.bvh" in snake.stderr and not (folder / "made").exists()
    assert run("retarget", folder / "clip.bvh", "--out-dir", folder / "made").exit_code == 2


def test_maps_are_written_and_taken(run_json, folder):
    run_json(
        "retarget",
        folder / "clip.bvh",
        "--onto",
        folder / "small.bvh",
        "-o",
        folder / "out.bvh",
        "--write-maps",
        folder / "maps",
    )
    assert 'left_shin = "LeftLeg"' in (folder / "maps" / "target.toml").read_text()
    _, data = run_json(
        "retarget",
        folder / "clip.bvh",
        "--onto",
        folder / "small.bvh",
        "-o",
        folder / "again.bvh",
        "--target-map",
        folder / "maps" / "target.toml",
        "--fps",
        15,
    )
    assert data["frames"] == 30


def test_a_clip_without_a_body_is_named(run, folder):
    supple.save(
        Motion("snake", Pose.stack([supple.chain([1, 1, 1]).rest] * 3), fps=30),
        folder / "snake.bvh",
    )
    result = run(
        "retarget", folder / "snake.bvh", "--onto", folder / "small.bvh", "-o", folder / "out.bvh"
    )
    assert result.exit_code == 2
    assert "snake.bvh" in result.stderr and "two arms and two legs" in result.stderr


@pytest.mark.parametrize("option", ["--out-dir", "-o"])
def test_a_folder_of_clips_of_one_name_keeps_its_structure(run, folder, option):
    for name in ("a", "b"):
        (folder / "clips" / name).mkdir(parents=True)
        (folder / "clips" / name / "x.bvh").write_bytes((folder / "clip.bvh").read_bytes())
    (folder / "clips" / "notes.txt").write_text("no clip")
    out = folder / "clips" / "out"
    for again in ("", ", 2 by an earlier run"):
        result = run(
            "retarget", folder / "clips", "--onto", folder / "small.bvh", option, out, "-J", 1
        )
        assert result.exit_code == 0, result.output
        assert f"2 of 2 files done{again}, 1 of other formats skipped" in result.stdout
    made = sorted(str(path.relative_to(out)) for path in out.rglob("*.bvh"))
    assert made == ["a/x.bvh", "b/x.bvh"]
