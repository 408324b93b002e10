"""`supple correct`, and `supple reach` on characters."""

import numpy as np
import pytest

import supple
from supple import Motion, Node, Skeleton, Tip
from supple.rotations import from_axis_angle


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
