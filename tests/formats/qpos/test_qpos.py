"""Motions of robots as tables of qpos: names, order and rate go along, and come back."""

import numpy as np
import pytest

import supple
from supple import Ball, Character, Free, Hinge, Motion, Node, Skeleton, SuppleError


@pytest.fixture
def machine(tmp_path):
    """A free base with a hinge, a ball and another hinge; saved, since tables are read onto a file's robot."""
    skeleton = Skeleton(
        [
            Node("base", None, joint=Free()),
            Node("hip", "base", (0, 0, 1), joint=Hinge("y")),
            Node("ball", "base", (0, 1, 0), joint=Ball()),
            Node("knee", "hip", (0, 0, -1), joint=Hinge("y", limits=(-1, 2))),
        ]
    )
    supple.save(Character(skeleton, up="z", unit="m"), tmp_path / "robot.glb")
    robot = supple.load(tmp_path / "robot.glb")
    count = len(supple.robot.qpos(robot, robot.skeleton.rest))
    rng = np.random.default_rng(1)
    table = np.tile(supple.robot.qpos(robot, robot.skeleton.rest), (12, 1)) + 0.1 * rng.normal(
        size=(12, count)
    )
    motion = Motion(
        "walk",
        supple.robot.from_qpos(robot, table),
        fps=50.0,
        tracks={"source_frame": np.arange(12) * 4.0},
    )
    return robot, motion, tmp_path


@pytest.mark.parametrize("ending", ["npz", "csv"])
def test_a_table_comes_back_with_rate_and_tracks(machine, ending):
    robot, motion, folder = machine
    supple.save(robot.with_(motions={"walk": motion}), folder / f"walk.{ending}", motion="walk")
    again = supple.load(folder / "robot.glb", motions=[folder / f"walk.{ending}"]).motion("walk")
    assert again.fps == motion.fps
    assert np.allclose(again.poses.coordinates, motion.poses.coordinates, atol=1e-14)
    assert np.array_equal(again.tracks["source_frame"], np.arange(12) * 4.0)


def test_npz_has_what_mujoco_needs(machine):
    robot, motion, folder = machine
    supple.save(robot.with_(motions={"walk": motion}), folder / "walk.npz", motion="walk")
    with np.load(folder / "walk.npz") as data:
        assert np.allclose(data["qpos"], supple.robot.qpos(robot, motion.poses))
        assert float(data["fps"]) == 50.0
        assert list(data["joint_names"]) == [
            "hip",
            "knee",
            "ball.qw",
            "ball.qx",
            "ball.qy",
            "ball.qz",
        ]
        assert list(data["source_index"]) == list(range(0, 48, 4))


def test_the_same_motion_gives_the_same_bytes(machine):
    robot, motion, folder = machine
    both = []
    for name in ("a.npz", "b.npz"):
        supple.save(robot.with_(motions={"walk": motion}), folder / name, motion="walk")
        both.append((folder / name).read_bytes())
    assert both[0] == both[1]


def test_columns_in_another_order_are_matched_by_name(machine):
    _, _, folder = machine
    (folder / "two.csv").write_text("# fps 25\nknee,hip\n0.5,0.25\n0.6,0.35\n")
    motion = supple.load(folder / "robot.glb", motions=[folder / "two.csv"]).motion("two")
    assert motion.fps == 25.0
    assert np.allclose(
        motion.poses.angles["knee"]
        if isinstance(motion.poses.angles, dict)
        else supple.robot.joint_vector(motion.skeleton, motion.poses, names=["knee"])[:, 0],
        [0.5, 0.6],
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# fps 25\nknee,elbow\n1,2\n", "elbow"),
        ("knee,hip\n1,2\n", "fps"),
        ("# fps 25\nknee,hip\n1,x\n", ":3.*'x'"),
        ("# fps 25\nknee,hip\n1\n", "expected 2 numbers"),
        ("# fps 25\n1,2,3\n", "numbers a frame"),
        ("# fps 25\nknee,hip\n", "rows"),
        ("# fps 25\nknee,hip\n1,nan\n", "finite"),
    ],
)
def test_a_bad_table_is_refused_with_its_file(machine, text, words):
    _, _, folder = machine
    (folder / "bad.csv").write_text(text)
    with pytest.raises(SuppleError, match=f"(?s)bad.csv.*{words}"):
        supple.load(folder / "robot.glb", motions=[folder / "bad.csv"])


def test_a_broken_npz_is_refused(machine):
    _, _, folder = machine
    (folder / "bad.npz").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(SuppleError, match=r"bad\.npz"):
        supple.load(folder / "robot.glb", motions=[folder / "bad.npz"])
    np.savez(folder / "other.npz", angles=np.zeros(3))
    with pytest.raises(SuppleError, match="qpos"):
        supple.load(folder / "robot.glb", motions=[folder / "other.npz"])


def test_without_a_motion_nothing_is_written(machine):
    robot, _, folder = machine
    with pytest.raises(SuppleError, match="expected a motion"):
        supple.save(robot, folder / "none.npz")
