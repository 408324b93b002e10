"""`supple correct`, and `supple reach` on characters."""

import logging
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import Motion, Node, Skeleton, Tip
from supple.rotations import angle_between, conjugate, from_axis_angle, multiply

REAL = Path(__file__).parents[4].parent / "shared" / "data" / "bvh"
CLIPS = [  # and the joints of an arm
    ("cmu-mocap/data/002/02_01.bvh", "RightHand", "RightArm"),
    ("cmu-mocap/data/035/35_21.bvh", "LeftHand", "LeftArm"),
    ("cmu-mocap/data/143/143_02.bvh", "RightHand", "RightArm"),
]


@pytest.fixture
def clip(tmp_path):
    """An arm of three joints that swings for two seconds."""
    skeleton = Skeleton(
        [Node("hips"), Node("arm", "hips", (0, 1, 0)), Node("elbow", "arm", (1, 0, 0))],
        [Tip("elbow end", "elbow", (1, 0, 0))],
    )
    t = np.arange(60) / 30
    poses = skeleton.rest.with_(
        {"arm": from_axis_angle("z", 0.2 * np.sin(t)), "elbow": from_axis_angle("z", 1.0 + 0.0 * t)}
    )
    supple.save(Motion("clip", poses, fps=30), tmp_path / "clip.bvh")
    return tmp_path / "clip.bvh"


def only(path):
    return next(iter(supple.load(path).motions.values()))


def test_a_window_of_a_motion_meets_a_point(run_json, clip, tmp_path):
    out = tmp_path / "out.bvh"
    code, data = run_json(
        "correct", clip, "--to", "0.9,1.6,0.5", "--root", "arm", "--from", "0.5", "--until", "1.5",
        "--out", out,
    )  # fmt: skip
    assert code == 0
    assert data["reached"]
    assert data["status"][0] == "UNTOUCHED"
    assert data["status"][30] == "REACHED"
    assert data["error"][0] is None
    assert len(data["seams"]) == 2
    before, after = only(clip), only(out)
    assert np.allclose(after[30].position("elbow end"), (0.9, 1.6, 0.5), atol=1e-3)
    assert np.allclose(after[0].positions, before[0].positions, atol=1e-6)
    assert np.allclose(after[59].positions, before[59].positions, atol=1e-6)


def test_targets_for_each_frame_and_moves_by(run, clip, tmp_path):
    motion = only(clip)
    path = motion.poses.position("elbow end") + (-0.1, 0.1, 0.05)
    (tmp_path / "path.csv").write_text("\n".join(",".join(map(repr, row)) for row in path.tolist()))
    one = run(
        "correct", clip, "--to", tmp_path / "path.csv", "--root", "arm", "-o", tmp_path / "a.bvh"
    )
    two = run("correct", clip, "--by=-0.1,0.1,0.05", "--root", "arm", "-o", tmp_path / "b.bvh")
    assert one.exit_code == two.exit_code == 0
    for name in ("a.bvh", "b.bvh"):
        assert np.allclose(only(tmp_path / name).poses.position("elbow end"), path, atol=1e-3)
    assert "reached" in one.stdout
    assert "written to" in one.stdout


def test_what_is_not_reached_ends_with_1(run, clip, tmp_path):
    result = run("correct", clip, "--to", "9,9,9", "--root", "arm", "-o", tmp_path / "a.bvh")
    assert result.exit_code == 1
    assert "not reached" in result.stdout
    kept = run("correct", clip, "--to", "9,9,9", "--root", "arm", "--unreachable", "keep",
               "-o", tmp_path / "b.bvh")  # fmt: skip
    assert kept.exit_code == 1
    assert np.allclose(
        only(tmp_path / "b.bvh").poses.positions, only(clip).poses.positions, atol=1e-6
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "nothing to reach"),
        (["--to", "1,1,1", "--by", "1,1,1"], "nothing to reach"),
        (["--to", "1,1"], "three numbers"),
        (["-e", "elbwo", "--to", "1,1,1"], "'elbow'"),
        (["-e", "arm", "-e", "elbow", "--to", "1,1,1"], "one for each"),
        (["--to", "1,1,1", "--motion", "walk"], "motion"),
    ],
)
def test_bad_input_ends_with_2(run, clip, tmp_path, options, message):
    result = run("correct", clip, *options, "-o", tmp_path / "out.bvh")
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "out.bvh").exists()


def test_points_must_be_as_many_as_frames(run, clip, tmp_path):
    (tmp_path / "path.csv").write_text("# points\n1 2 3\n")
    result = run("correct", clip, "--to", tmp_path / "path.csv", "-o", tmp_path / "out.bvh")
    assert result.exit_code == 2
    assert "each of 60 frames, got 1" in result.stderr


def test_reach_takes_characters_and_writes_them_posed(run, run_json, clip, tmp_path):
    code, data = run_json("reach", clip, "--frame", "12", "--root", "arm", "--to", "0.9,1.6,0.5",
                          "--out", tmp_path / "posed.bvh")  # fmt: skip
    assert code == 0
    assert data["written"] == {"character": str(tmp_path / "posed.bvh")}
    posed = only(tmp_path / "posed.bvh")
    assert len(posed) == 1
    assert np.allclose(posed[0].position("elbow end"), (0.9, 1.6, 0.5), atol=1e-3)
    assert run("reach", clip, "--frame", "99", "--to", "1,1,1").exit_code == 2
    assert run("reach", clip, "--motion", "none", "--to", "1,1,1").exit_code == 2
    assert run("reach", "chain:1,1", "--frame", "0", "--to", "1,1,0").exit_code == 2
    assert run("reach", clip, "--to", "1,1,1", "--out", tmp_path / "x.fbx").exit_code == 2
    limited = run("reach", clip, "--limits", "elbow=30", "--to", "0.9,1.6,0.5")
    assert limited.exit_code in (0, 1)


@pytest.fixture
def stroller(tmp_path):
    """Legs that drift along while they stand; two clips of it."""
    nodes = [Node("Hips", None, (0, 0.87, 0)), Node("Head", "Hips", (0, 0.6, 0))]
    for side, sign in (("Left", 1), ("Right", -1)):
        nodes += [
            Node(f"{side}UpLeg", "Hips", (0.1 * sign, 0, 0)),
            Node(f"{side}Leg", f"{side}UpLeg", (0, -0.45, 0.05)),
            Node(f"{side}Foot", f"{side}Leg", (0, -0.42, -0.05)),
        ]
    skeleton = Skeleton(
        nodes, [Tip(f"{s}Foot end", f"{s}Foot", (0, 0, 0.1)) for s in ("Left", "Right")]
    )
    places = np.tile(skeleton.offsets, (60, 1, 1))
    places[:, 0, 0] = 0.1 * np.arange(60) / 30
    poses = supple.Pose(skeleton, np.tile(skeleton.rest.coordinates, (60, 1)), places)
    for name in ("a", "b"):
        supple.save(Motion(name, poses, fps=30), tmp_path / f"{name}.bvh")
    return tmp_path


def test_feet_are_planted_on_ground_that_is_given(run, stroller):
    """By the command line and by a plan, as a mesh and as a plane: the same slope."""
    corners = [(-90, -9, -90), (90, -9, -90), (90, 9, 90), (-90, 9, 90)]
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in corners)
    (stroller / "slope.obj").write_text(text + "f 1 2 3 4\n")
    (stroller / "plan.toml").write_text('[[steps]]\ndo = "plant"\nground = "slope.obj"\n')
    clip = stroller / "a.bvh"
    by_mesh, by_plane = stroller / "mesh.bvh", stroller / "plane.bvh"
    given = ("correct", clip, "--plant-feet", "--ground")
    assert run(*given, stroller / "slope.obj", "-o", by_mesh).exit_code in (0, 1)
    assert run(*given, "0,1,-0.1,0", "-o", by_plane).exit_code in (0, 1)
    run("correct", clip, "--plan", stroller / "plan.toml", "--out-dir", stroller / "out")
    assert (stroller / "out" / "a.bvh").read_bytes() == by_mesh.read_bytes()
    level = stroller / "level.bvh"
    run("correct", clip, "--plant-feet", "-o", level)
    a, b, c = (next(iter(supple.load(path).motions.values())).poses.positions
               for path in (by_mesh, by_plane, level))  # fmt: skip
    assert np.abs(a - b).max() < 1e-3
    # The sole of 0.1 lies along the slope.
    assert np.ptp(a - c, axis=0).max() < 1e-3
    assert np.abs(a - c).max() == pytest.approx(0.1 * np.sin(np.arctan(0.1)), rel=1e-3)
    bad = run(*given, "steep", "-o", by_mesh)
    assert bad.exit_code == 2 and "--ground: expected a height" in bad.stderr


def test_feet_are_planted_in_many_files(run, run_json, stroller):
    (stroller / "bad.bvh").write_text("HIERARCHY\n")
    out = stroller / "out"
    result = run("correct", stroller / "a.bvh", stroller / "bad.bvh", stroller / "b.bvh",
                 "--plant-feet", "--out-dir", out)  # fmt: skip
    assert result.exit_code == 2
    assert "bad.bvh" in result.stderr
    assert result.stdout.count("feet slid") == 2
    assert sorted(path.name for path in out.iterdir()) == ["a.bvh", "b.bvh"]
    fixed = only(out / "b.bvh")
    assert np.ptp(fixed.poses.position("LeftFoot"), axis=0).max() < 1e-5
    assert np.allclose(fixed.poses.position("Hips")[:, 0], 0.1 * np.arange(60) / 30, atol=1e-6)
    code, data = run_json("correct", stroller / "a.bvh", "--plant-feet", "-o", stroller / "c.bvh")
    assert code == 0
    assert [foot["foot"] for foot in data["feet"]] == ["LeftFoot", "RightFoot"]
    assert data["feet"][0]["before"] == pytest.approx(0.1, rel=0.05)
    assert data["feet"][0]["after"] < 1e-5
    code, data = run_json("correct", stroller / "a.bvh", "--plant-feet", "--out-dir", out)
    assert data["files"][0]["reached"]


def test_all_motions_of_a_file(run, run_json, stroller):
    hero = supple.load(stroller / "a.bvh", motions=[stroller / "b.bvh"])
    supple.save(hero, stroller / "both.glb")
    out = stroller / "planted.glb"
    code, data = run_json("correct", stroller / "both.glb", "--plant-feet", "--motion", "all",
                          "-o", out)  # fmt: skip
    assert code == 0
    assert [one["motion"] for one in data["motions"]] == ["a", "b"]
    for motion in supple.load(out).motions.values():
        assert np.ptp(motion.poses.position("LeftFoot"), axis=0).max() < 1e-5
    shown = run("correct", stroller / "both.glb", "--plant-feet", "--motion", "all", "-o", out)
    assert shown.stdout.count("LeftFoot") == 2
    result = run("correct", stroller / "both.glb", "--plant-feet", "--motion", "all",
                 "-o", stroller / "one.bvh")  # fmt: skip
    assert result.exit_code == 2
    assert "one motion" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--plant-feet"], "--out"),
        (["--plant-feet", "--out-dir", "."], "another folder"),
        (["--plant-feet", "--out-dir", "a.bvh"], "got a file"),
        (["--plant-feet", "--foot", "Foot", "--out-dir", "out"], "'LeftFoot'"),
        (["--plant-feet", "--up", "w", "--out-dir", "out"], "up axis"),
        (["b.bvh", "--plant-feet", "-o", "c.bvh"], "expected one file"),
    ],
)
def test_bad_input_for_feet_ends_with_2(run, stroller, monkeypatch, options, message):
    monkeypatch.chdir(stroller)
    result = run("correct", "a.bvh", *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_hand_follows_a_prop_of_another_file_or_another_joint(run, clip, tmp_path):
    prop = Skeleton([Node("mixamorig:grip")])
    places = np.zeros((30, 1, 3))
    places[:, 0] = np.linspace((0.9, 1.6, 0.2), (1.1, 1.7, -0.2), 30)
    poses = supple.Pose(prop, np.tile(prop.rest.coordinates, (30, 1)), places)
    supple.save(Motion("prop", poses, fps=15), tmp_path / "prop.bvh")
    out = tmp_path / "out.bvh"
    result = run("correct", clip, "--to", f"{tmp_path / 'prop.bvh'}:mixamorig:grip", "--root", "arm",
                 "-o", out)  # fmt: skip
    assert result.exit_code == 0
    hand = only(out).poses.position("elbow end")
    assert np.allclose(hand[::2], places[:, 0], atol=1e-3)
    assert np.allclose(hand[1:-1:2], (places[1:, 0] + places[:-1, 0]) / 2, atol=1e-3)
    assert run("correct", clip, "--to", tmp_path / "prop.bvh", "-o", out).exit_code == 2
    assert run("correct", clip, "--to", f"{tmp_path / 'prop.bvh'}:gip", "-o", out).exit_code == 2
    run("correct", clip, "--to", "hips", "--root", "arm", "--coherent", "-o", out)
    assert only(out).poses.position("elbow end")[5] == pytest.approx([0, 0, 0], abs=1e-3)


# What is reported is true of the file ---------------------------------------------------------------


def running():
    """An arm of three joints that pumps, below a body that runs; its hand passes the shoulder."""
    skeleton = Skeleton(
        [
            Node("hips", None, (0, 100, 0)),
            Node("shoulder", "hips", (20, 50, 0)),
            Node("elbow", "shoulder", (30, 0, 0)),
            Node("wrist", "elbow", (26, 0, 0)),
        ],
        [Tip("wrist end", "wrist", (8, 0, 0))],
    )
    t = np.arange(75) / 30
    swing = from_axis_angle("x", 1.1 * np.sin(17 * t))
    values = {
        "hips": from_axis_angle("y", 0.2 * np.sin(17 * t)),
        "shoulder": multiply(swing, from_axis_angle("z", -1.2 + 0.0 * t)),
        "elbow": from_axis_angle("y", -1.7 - 0.5 * np.sin(17 * t)),
    }
    places = np.tile(skeleton.offsets, (len(t), 1, 1))
    places[:, 0, 2] = 300 * t
    poses = skeleton.rest.with_(values)
    return Motion("run", supple.Pose(skeleton, poses.coordinates, places), fps=30)


def check_report(run_json, clip, out, effector, root, by, coherent, tolerance):
    """Correct a clip on the command line and hold what is said against what is written."""
    seconds = only(clip).duration
    start, stop = 0.35 * seconds, 0.7 * seconds
    options = ["-e", effector, "--root", root, "--by=" + ",".join(map(repr, by.tolist()))]
    options += ["--from", start, "--until", stop, *["--coherent"] * coherent, "-o", out]
    code, data = run_json("correct", clip, *options)
    before, after = only(clip), only(out)
    size = float(np.abs(before.poses.positions).max())
    weight, status = np.array(data["weight"]), np.array(data["status"])
    whole, outside = weight == 1, weight == 0
    assert whole.any()
    off = np.linalg.norm(
        after.poses.position(effector) - before.poses.position(effector) - by, axis=1
    )
    said = np.array([np.nan if one is None else one for one in data["error"]])
    digits = 1e-6 * size  # what a BVH file rounds away
    assert said[whole] == pytest.approx(off[whole], abs=digits)
    assert np.array_equal(np.isfinite(said), whole)
    assert np.all(off[whole & (status == "REACHED")] <= tolerance + digits)
    assert np.all(off[whole & (status != "REACHED")] > tolerance - digits)
    assert (code == 0) == data["reached"] == bool(np.all(status[whole] == "REACHED"))
    assert set(status[outside]) <= {"UNTOUCHED"}
    assert set(status[~whole & ~outside]) <= {"FADING"}
    assert after.poses[outside] == before.poses[outside]  # the file has the same numbers there
    steps = [multiply(conjugate(r[:-1]), r[1:])
             for r in (one.poses.local_rotations for one in (before, after))]  # fmt: skip
    fast = angle_between(*steps).max(axis=1) * before.fps
    fast_said = {seam["frame"] for seam in data["seams"] if seam["too_fast"]}
    assert set(np.flatnonzero(fast > 12.01).tolist()) <= fast_said
    assert fast_said <= set(np.flatnonzero(fast > 11.99).tolist())
    return data


WAYS = [(0, 1, 0.5), (-1, 0.2, -0.4), (-1, 0.1, 0.1)]


@pytest.mark.parametrize("coherent", [False, True])
@pytest.mark.parametrize("share", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("name", ["run", "wave", "reach-ready"])
def test_the_report_holds_for_the_file(run_json, tmp_path, name, share, coherent):
    hero = supple.humanoid()
    if name == "run":
        motion, effector, root, arm = running(), "wrist end", "shoulder", 64.0
    else:
        motion, effector, root = hero.motions[name], "hand.R", "upperarm.R"
        rest = hero.skeleton.rest
        path = [rest.position(one) for one in ("upperarm.R", "forearm.R", "hand.R")]
        arm = float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
    clip, out = tmp_path / "clip.bvh", tmp_path / "out.bvh"
    supple.save(motion, clip)
    for way in WAYS:
        by = share * arm * np.array(way) / np.linalg.norm(way)
        data = check_report(run_json, clip, out, effector, root, by, coherent, 1e-4 * arm)
        if name == "run":  # where the arm is long enough, it reaches
            poses = motion.poses
            far = poses.position(effector) + by - poses.position(root)
            near = np.linalg.norm(far, axis=1) < 0.999 * arm
            asked = near & (np.array(data["weight"]) == 1)
            assert asked.any()
            assert set(np.array(data["status"])[asked]) == {"REACHED"}


def test_a_fast_correction_reaches_in_the_file_and_says_that_it_is_fast(run, run_json, tmp_path):
    clip, out = tmp_path / "clip.bvh", tmp_path / "out.bvh"
    motion = running()
    supple.save(motion, clip)
    poses = motion.poses
    by = (poses.position("shoulder") - poses.position("wrist end")).mean(axis=0)
    for coherent in (False, True):
        data = check_report(run_json, clip, out, "wrist end", "shoulder", by, coherent, 64e-4)
        assert any(seam["too_fast"] for seam in data["seams"])
    text = "--by=" + ",".join(map(repr, by.tolist()))
    options = ["-e", "wrist end", "--root", "shoulder", text, "--from", "1", "--until", "1.5"]
    shown = run("correct", clip, *options, "-o", out)
    assert shown.exit_code == 0
    assert "faster than asked for" in shown.stdout
    assert "fading" in shown.stdout


@pytest.mark.skipif(not REAL.is_dir(), reason="the real files are not at hand")
@pytest.mark.parametrize("coherent", [False, True])
@pytest.mark.parametrize(("name", "effector", "root"), CLIPS)
def test_the_report_holds_for_real_clips(
    run_json, tmp_path, caplog, name, effector, root, coherent
):
    caplog.set_level(logging.ERROR, logger="supple")
    clip = REAL / name
    motion = only(clip)
    path = motion.skeleton.path(root, effector)
    bones = [motion.skeleton.offsets[motion.skeleton.index(one)] for one in path[1:]]
    arm = float(np.linalg.norm(bones, axis=1).sum())
    for share, way in zip((0.1, 0.2, 0.3), WAYS, strict=True):
        by = share * arm * np.array(way) / np.linalg.norm(way)
        check_report(run_json, clip, tmp_path / "out.bvh", effector, root, by, coherent, 1e-4 * arm)


def test_what_is_said_of_feet_is_true_after_the_goals(run, run_json, stroller):
    """A head that is to turn the whole body takes the feet along."""
    out = stroller / "c.bvh"
    options = ["--plant-feet", "-e", "Head", "--by", "0.3,0,0.2", "--from", "0.5", "--until", "1.5"]
    code, data = run_json("correct", stroller / "a.bvh", *options, "-o", out)
    feet = {one["foot"]: one for one in data["feet"]}
    motion = only(out)
    for name, foot in feet.items():
        stands = np.array(foot["heel"])
        both = stands[1:] & stands[:-1]
        steps = np.linalg.norm(np.diff(motion.poses.position(name), axis=0), axis=1)
        # The toe, which is the tip of the foot, counts too: the ankle alone gives no less than half.
        if steps[both].sum() > 1e-3:
            assert foot["after"] > 0.01
    assert code == 1
    assert not data["reached"]
    shown = run("correct", stroller / "a.bvh", *options, "-o", out)
    assert "feet miss their targets in" in shown.stdout


# Whole machines -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def clap(tmp_path_factory):
    """A character with two arms of two bones that wave."""
    nodes = [supple.Node("hips", None, (0, 1, 0))]
    tips = []
    for side, x in (("L", 0.2), ("R", -0.2)):
        nodes += [
            supple.Node(f"{side}1", "hips", (x, 0.4, 0)),
            supple.Node(f"{side}2", f"{side}1", (0, 0, 0.4)),
        ]
        tips.append(supple.Tip(f"{side} hand", f"{side}2", (0, 0, 0.4)))
    skeleton = supple.Skeleton(nodes, tips)
    t = np.linspace(0, 1, 8)
    turns = {name: from_axis_angle("x", 0.3 + 0.2 * np.sin(6 * t)) for name in ("L1", "R1", "L2")}
    motion = supple.Motion("wave", skeleton.rest.with_(turns), fps=8.0)
    hero = supple.Character(skeleton, motions={"wave": motion}, unit="m", up="y")
    path = tmp_path_factory.mktemp("clap") / "clap.glb"
    supple.save(hero, path)
    return path


def test_hands_are_connected_in_all_frames(run_json, clap, tmp_path):
    out = tmp_path / "held.glb"
    code, data = run_json("correct", clap, "--connect", "L hand,R hand", "-o", out)
    assert code == 0 and data["reached"] and set(data["status"]) == {"REACHED"}
    poses = supple.load(out).motion("wave").poses
    gap = poses.position("L hand") - poses.position("R hand")
    assert np.linalg.norm(gap, axis=1).max() < 1e-5


def test_collisions_of_frames_are_told(run, run_json, clap, tmp_path):
    ask = ("correct", clap, "-e", "L hand", "--to", "0.2,1.2,0.6", "--root", "L1", "-o",
           tmp_path / "out.glb", "--obstacle", "plane:0,1.5,0:y")  # fmt: skip
    code, data = run_json(*ask)
    assert code == 1 and set(data["status"]) == {"COLLIDES"}
    assert len(data["collisions"]) == 8
    assert data["collisions"]["0"]["b"] == "obstacle 0 (Plane)"
    assert "nearer than they may be" in data["reasons"]["0"]
    result = run(*ask)
    assert "deepest collision" in result.stdout and "obstacle 0 (Plane)" in result.stdout


def test_balance_of_frames_is_kept_and_masses_are_not_written(run_json, clap, tmp_path):
    out = tmp_path / "out.glb"
    code, data = run_json(
        "correct", clap, "-e", "L hand", "--by", "0,0.02,0", "--root", "L1", "-o", out,
        "--balance", "L1,R1,hips",
    )  # fmt: skip
    assert code in (0, 1) and len(data["off_balance"]) == 8
    assert supple.load(out).skeleton.masses is None


def test_a_joint_looks_at_another(run_json, clap, tmp_path):
    out = tmp_path / "out.glb"
    code, data = run_json("correct", clap, "--look-at", "L2=R hand@z", "-o", out)
    assert code == 0
    poses = supple.load(out).motion("wave").poses
    way = poses.position("R hand") - poses.position("L2")
    bone = poses.position("L hand") - poses.position("L2")
    cosine = (way * bone).sum(1) / np.linalg.norm(way, axis=1) / np.linalg.norm(bone, axis=1)
    assert cosine.min() > 1 - 1e-6


def test_plans_take_the_same(run, run_json, clap, tmp_path):
    plan = tmp_path / "plan.toml"
    step = '[[steps]]\ndo = "reach"\neffector = "L hand"\nby = [0, 0, 0]\nroot = "L1"\n'
    plan.write_text(step + 'free_root = true\nconnect = ["L hand,R hand"]\n')
    out = tmp_path / "out"
    run_json("correct", clap, "--plan", plan, "--out-dir", out)
    poses = supple.load(out / "clap.glb").motion("wave").poses
    gap = poses.position("L hand") - poses.position("R hand")
    assert np.linalg.norm(gap, axis=1).max() < 1e-5
    for line, said in (
        ('obstacles = ["plne:0,0,0"]', "plan.toml:6: steps.obstacles: expected plane:X,Y,Z:NORMAL"),
        ('connect = ["L hand,R hnd"]', "joint or tip to connect"),
        ("free_root = 3", "plan.toml:6: steps.free_root: expected true or false"),
        ("avoid = -1", "plan.toml:6: steps.avoid: expected a distance"),
    ):
        plan.write_text(step + line + "\n")
        result = run("correct", clap, "--plan", plan, "--out-dir", tmp_path / "bad")
        assert result.exit_code == 2 and said in result.stderr


@pytest.fixture
def late(tmp_path):
    """A figure that waves after a T-pose in frame 0."""
    wave = supple.humanoid().motion("wave")
    poses = supple.Pose.stack([wave.skeleton.rest, *wave.poses])
    supple.save(Motion("late", poses, fps=wave.fps), tmp_path / "late.bvh")
    return tmp_path / "late.bvh"


@pytest.mark.parametrize("asked", ["goal", "feet", "plan"])
def test_a_t_pose_before_a_motion_is_left_alone_and_said(run, late, tmp_path, asked):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[[steps]]\ndo = "reach"\neffector = "hand.L"\nby = [0.0, 0.03, 0.0]\nroot = "upperarm.L"\n'
    )
    options = {
        "goal": ("-e", "hand.L", "--by", "0,0.03,0", "--root", "upperarm.L"),
        "feet": ("--plant-feet",),
        "plan": ("--plan", plan),
    }[asked]
    result = run("correct", late, *options, "--out-dir", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "frame 0 of 'late' is a T-pose before the motion: left as it is" in result.stderr
    before, after = only(late), only(tmp_path / "out" / "late.bvh")
    assert np.array_equal(before.poses[0].positions, after.poses[0].positions)
    if asked != "feet":
        assert not np.array_equal(before.poses[1].positions, after.poses[1].positions)


def test_no_seam_is_counted_between_a_t_pose_and_the_motion(run_json, late, tmp_path):
    code, data = run_json(
        "correct", late, "-e", "hand.L", "--by", "0,0.03,0", "--root", "upperarm.L",
        "-o", tmp_path / "out.bvh",
    )  # fmt: skip
    assert code == 0 and data["reached"]
    assert data["status"][0] == "UNTOUCHED" and not data["seams"]
    assert any("T-pose" in note for note in data["notes"])
