"""Motions of robots as tables of qpos: names, order and rate are written and read back."""

import contextlib
import io
import zipfile

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
        ("# fps=e\nknee,hip\n1,2\n", ":1.*fps.*'e'"),
        ("# fps 25\nknee,knee\n1,2\n", "twice"),
        ("time,knee\n0,1\n0,2\n", "fps"),
    ],
)
def test_a_bad_table_is_refused_with_its_file(machine, text, words):
    _, _, folder = machine
    (folder / "bad.csv").write_text(text)
    with pytest.raises(SuppleError, match=f"(?s)bad.csv.*{words}"):
        supple.load(folder / "robot.glb", motions=[folder / "bad.csv"])


@pytest.mark.parametrize("times", [(0, 1e-320), (-1e308, 1e308), (0, "nan"), (0, "inf"), (1, 0)])
def test_times_without_a_rate_are_refused(machine, times):
    robot, _, folder = machine
    row = ",".join(["0"] * 12)
    names = ",".join(f"c{k}" for k in range(12))
    text = f"time,{names}\n{times[0]},{row}\n{times[1]},{row}\n"
    (folder / "walk.csv").write_text(text)
    with pytest.raises(SuppleError, match=r"walk\.csv: expected frames a second above 0"):
        supple.load(folder / "robot.glb", motions=[folder / "walk.csv"])


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


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"qpos": np.array([[1, 2]], dtype=object)}, "Python objects"),
        ({"qpos": np.zeros((2, 13), complex)}, "real numbers"),
        ({"fps": np.array([30.0, 30.0])}, "one number"),
        ({"fps": np.array("fast")}, "real numbers"),
        ({"columns": np.array(3)}, "list of names"),
        ({"qpos": np.zeros((2, 3))}, "13 numbers"),
    ],
)
def test_a_wrong_array_is_refused(machine, change, words):
    _, _, folder = machine
    np.savez(folder / "bad.npz", **({"qpos": np.zeros((2, 13)), "fps": 30.0} | change))
    with pytest.raises(SuppleError, match=rf"bad\.npz.*{words}"):
        supple.load(folder / "robot.glb", motions=[folder / "bad.npz"])


@pytest.mark.parametrize("frames", [600_000, 150_000_000_000])
def test_an_array_larger_than_its_file_allows_is_not_read(machine, frames):
    _, _, folder = machine
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (frames, 13)}
    )
    with (
        zipfile.ZipFile(folder / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("qpos.npy", "w") as file,
    ):
        file.write(header.getvalue())
        if frames < 1_000_000:
            file.write(bytes(8 * 13 * frames))
    with pytest.raises(SuppleError, match=r"bomb\.npz: qpos.*shape \(\d+, 13\)"):
        supple.load(folder / "robot.glb", motions=[folder / "bomb.npz"], fps=30)


@pytest.mark.parametrize("at", range(0, 1200, 23))
def test_a_damaged_npz_is_refused_or_read(machine, at):
    _, _, folder = machine
    buffer = io.BytesIO()
    np.savez_compressed(buffer, qpos=np.zeros((2, 13)) + np.eye(13)[3], fps=30.0)
    data = bytearray(buffer.getvalue())
    data[at % len(data)] ^= 0xA5
    (folder / "bad.npz").write_bytes(bytes(data))
    with contextlib.suppress(SuppleError):
        supple.load(folder / "robot.glb", motions=[folder / "bad.npz"], fps=30)


def _unnamed(folder, turns):
    """A table without names: the root's place, its quaternion in the order given, and six zeros but for the ball."""
    rows = ["0,0,1," + ",".join(f"{x:.9f}" for x in q) + ",0,0,1,0,0,0" for q in turns]
    (folder / "bare.csv").write_text("\n".join(rows) + "\n")
    return folder / "bare.csv"


def _heading(degrees):
    return supple.rotations.from_axis_angle("z", np.radians(degrees))


@pytest.mark.parametrize(
    "headings", [(0, 120), (90, 250), (140, 220), (-40, 40), (150, 190), (-15, 25)]
)
@pytest.mark.parametrize("order", ["wxyz", "xyzw"])
def test_the_order_of_quaternions_is_that_which_keeps_the_robot_upright(machine, headings, order):
    _, _, folder = machine
    turns = _heading(np.linspace(*headings, 20))
    written = turns if order == "wxyz" else np.roll(turns, -1, axis=1)
    robot = supple.load(folder / "robot.glb", motions=[_unnamed(folder, written)], fps=30)
    motion = robot.motion("bare")
    assert np.allclose(supple.robot.qpos(robot, motion.poses)[:, 3:7], turns, atol=1e-8)
    assert any(f"read as {order}" in note.text for note in robot.notes)


def test_a_robot_that_faces_as_at_rest_is_not_turned_around(machine):
    _, _, folder = machine
    robot = supple.load(folder / "robot.glb", motions=[_unnamed(folder, [(0, 0, 0, 1)])], fps=30)
    assert np.allclose(supple.robot.qpos(robot, robot.motion("bare").poses)[0, 3:7], (1, 0, 0, 0))
    (note,) = [one for one in robot.notes if "read as xyzw" in one.text]
    assert note.level == "warning", "it may face away, as wxyz"


@pytest.mark.parametrize("order", ["wxyz", "xyzw"])
def test_a_robot_that_bends_over_is_told_by_its_turns(machine, order):
    """The bend is the same in both orders."""
    _, _, folder = machine
    bend = supple.rotations.from_axis_angle("y", np.radians(25))
    middle = 180 if order == "wxyz" else 0
    turns = supple.rotations.multiply(_heading(np.linspace(middle - 25, middle + 25, 9)), bend)
    written = turns if order == "wxyz" else np.roll(turns, -1, axis=1)
    robot = supple.load(folder / "robot.glb", motions=[_unnamed(folder, written)], fps=30)
    found = supple.robot.qpos(robot, robot.motion("bare").poses)[:, 3:7]
    assert np.allclose(np.abs(np.sum(found * turns, axis=1)), 1)


def test_a_robot_that_lies_needs_the_layout(machine):
    _, _, folder = machine
    path = _unnamed(folder, [(0.5**0.5, 0.5**0.5, 0, 0)])
    with pytest.raises(SuppleError, match="layout='xyzw'"):
        supple.load(folder / "robot.glb", motions=[path], fps=30)
    robot = supple.load(folder / "robot.glb", motions=[path], fps=30, layout="wxyz")
    turn = supple.robot.qpos(robot, robot.motion("bare").poses)[0, 3:7]
    assert np.allclose(turn, (0.5**0.5, 0.5**0.5, 0, 0))
    with pytest.raises(SuppleError, match="xywz.*did you mean"):
        supple.load(folder / "robot.glb", motions=[path], fps=30, layout="xywz")


@pytest.mark.parametrize("order", ["wxyz", "xyzw"])
def test_a_robot_that_would_walk_backwards_needs_the_layout(machine, order):
    """Facing away all the time, as wxyz, is facing as at rest, as xyzw; but it walks where it faces."""
    _, _, folder = machine
    turn = ",".join(map(str, _heading(180).round(9)))
    way = {"wxyz": -1, "xyzw": 1}[order]
    rows = [f"{way * k / 10},0,1,{turn},0,0,1,0,0,0" for k in range(20)]
    (folder / "bare.csv").write_text("\n".join(rows))
    if order == "wxyz":
        with pytest.raises(SuppleError, match="cannot tell the order.*layout='wxyz'"):
            supple.load(folder / "robot.glb", motions=[folder / "bare.csv"], fps=30)
        return
    robot = supple.load(folder / "robot.glb", motions=[folder / "bare.csv"], fps=30)
    assert np.allclose(supple.robot.qpos(robot, robot.motion("bare").poses)[:, 3:7], (1, 0, 0, 0))
