"""Write BVH: reading it back gives the same."""

import numpy as np
import pytest

import supple
from supple import Axes, Ball, Hinge, Motion, Node, Pose, Skeleton, SuppleError, Tip
from supple.rotations import from_euler

MIXED = """HIERARCHY
ROOT Hips
{
  OFFSET 1.5 0 0
  CHANNELS 6 Yrotation Xrotation Zrotation Xposition Yposition Zposition
  JOINT Left Arm
  {
    OFFSET 0 10.25 0
    CHANNELS 3 Xrotation Yrotation Zrotation
    JOINT Hand
    {
      OFFSET 3 0 0
      CHANNELS 1 Zrotation
      End Site
      {
        OFFSET 1 0 0
      }
    }
  }
  JOINT Leg
  {
    OFFSET 0 -10 0
    CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  }
}
MOTION
Frames: 3
Frame Time: 0.0083333
0 0 0 1 2 3 10 20 30 40 0 -10 0 0 0 0
5 10 -170 1 2 3 11 21 31 400 0 -11 0 1 2 3
5 10 175 1 2.000001 3 12 22 32 760 0.5 -10 0 3 2 1
"""


def only(character):
    return next(iter(character.motions.values()))


@pytest.fixture
def clip(tmp_path):
    path = tmp_path / "clip.bvh"
    path.write_text(MIXED)
    return supple.load(path)


def test_load_save_load_is_the_same(clip, tmp_path):
    notes = supple.save(clip, tmp_path / "again.bvh")
    again = supple.load(tmp_path / "again.bvh")
    assert notes == ()
    assert again.skeleton == clip.skeleton
    assert again.extras["bvh"]["channels"] == clip.extras["bvh"]["channels"]
    a, b = only(clip), only(again)
    assert b.fps == a.fps
    assert np.abs(a.poses.positions - b.poses.positions).max() < 1e-7
    assert np.max(a.poses.turns(Pose(a.skeleton, b.poses.coordinates))) < 1e-7
    # The hand's one channel counts whole turns, and keeps them.
    assert np.allclose(b.poses.angles, a.poses.angles, atol=1e-7)


def test_the_text_keeps_orders_and_numbers(clip, tmp_path):
    supple.save(clip, tmp_path / "again.bvh")
    text = (tmp_path / "again.bvh").read_text()
    assert "CHANNELS 6 Yrotation Xrotation Zrotation Xposition Yposition Zposition" in text
    assert "JOINT Left Arm" in text
    assert "Frame Time: 0.0083333\n" in text
    rows = text.split("Frame Time")[1].splitlines()[1:]
    assert rows[1].split() == MIXED.split("0.0083333\n")[1].splitlines()[1].split()


def test_angles_do_not_jump_from_frame_to_frame(tmp_path):
    skeleton = Skeleton([Node("a")], [Tip("end", "a", (1, 0, 0))])
    turns = np.linspace(0, 4 * np.pi, 50)
    poses = Pose(skeleton, from_euler("z", turns[:, None]))
    supple.save(Motion("spin", poses, fps=30), tmp_path / "spin.bvh")
    rows = (tmp_path / "spin.bvh").read_text().split("Frame Time")[1].splitlines()[1:]
    table = np.array([row.split() for row in rows], float)
    assert np.abs(np.diff(table, axis=0)).max() < 20


def test_a_skeleton_with_rest_rotations_keeps_its_positions(tmp_path):
    rng = np.random.default_rng(1)
    nodes = [
        Node("a", None, (0, 1, 0), Ball(), from_euler("xyz", (0.3, 0.2, 0.1))),
        Node("b", "a", (1, 2, 3), Ball(), from_euler("xyz", (1.3, -0.2, 0.4))),
        Node("c", "b", (1, 0, 0), Hinge("y"), from_euler("xyz", (0, 2, 0))),
        Node("d", "b", (0, 1, 0), Axes("xz")),
    ]
    skeleton = Skeleton(nodes, [Tip("tip", "c", (0, 0, 1))])
    angles = rng.normal(size=(7, skeleton.packed.freedom_count))
    poses = Pose.from_angles(skeleton, angles)
    moved = Pose(skeleton, poses.coordinates, skeleton.offsets + rng.normal(size=(7, 4, 3)))
    notes = supple.save(Motion("any", moved, fps=25), tmp_path / "any.bvh")
    assert any("rest rotations" in note.text for note in notes)
    back = only(supple.load(tmp_path / "any.bvh"))
    names = [*skeleton.joint_names, "c end"]
    ours = [skeleton.index(name) for name in [*skeleton.joint_names, "tip"]]
    theirs = [back.skeleton.index(name) for name in names]
    gap = moved.positions[:, ours] - back.poses.positions[:, theirs]
    assert np.abs(gap).max() < 1e-6
    assert back.fps == 25


def test_a_pose_is_written_as_one_frame(clip, tmp_path):
    pose = only(clip)[1]
    supple.save(clip.posed(pose), tmp_path / "posed.bvh")
    back = only(supple.load(tmp_path / "posed.bvh"))
    assert len(back) == 1
    assert np.allclose(back[0].positions, pose.positions, atol=1e-6)
    supple.save(pose, tmp_path / "pose.bvh")
    assert np.allclose(
        only(supple.load(tmp_path / "pose.bvh"))[0].positions, pose.positions, atol=1e-6
    )


def test_motions_are_chosen_by_name(clip, tmp_path):
    slow = only(clip).with_(name="slow", fps=10)
    both = clip.with_(motions={**clip.motions, "slow": slow})
    assert supple.save(both, tmp_path / "out.bvh", motion="slow") == ()
    assert only(supple.load(tmp_path / "out.bvh")).fps == 10
    notes = supple.save(both, tmp_path / "out.bvh")
    assert any("1 other motion" in note.text for note in notes)
    with pytest.raises(SuppleError, match="'slow'"):
        supple.save(both, tmp_path / "out.bvh", motion="slwo")


def test_channel_orders_can_be_given(clip, tmp_path):
    orders = {name: ("Yrotation", "Zrotation", "Xrotation") for name in clip.skeleton.joint_names}
    supple.save(clip, tmp_path / "out.bvh", orders=orders)
    back = supple.load(tmp_path / "out.bvh")
    channels = back.extras["bvh"]["channels"]
    assert channels["Left Arm"] == ("Yrotation", "Zrotation", "Xrotation")
    # What moves has position channels, whether they are asked for or not.
    assert channels["Leg"][:3] == ("Xposition", "Yposition", "Zposition")
    assert np.allclose(only(back).poses.positions, only(clip).poses.positions, atol=1e-6)
    with pytest.raises(SuppleError, match="'Sideways'"):
        supple.save(clip, tmp_path / "out.bvh", orders={"Hips": ("Sideways",)})


def test_uneven_frames_are_written_evenly_and_said(clip, tmp_path):
    motion = only(clip).with_(times=[0.0, 0.1, 0.4], fps=10)
    notes = supple.save(motion, tmp_path / "out.bvh")
    assert len(only(supple.load(tmp_path / "out.bvh"))) == 5
    assert any("uneven" in note.text for note in notes)


def test_numbers_of_any_size(tmp_path):
    skeleton = Skeleton([Node("a"), Node("b", "a", (1, 0, 0))])
    for size in (1e-6, 1e6, 1e18):
        poses = Pose(skeleton, np.tile(skeleton.rest.coordinates, (2, 1)),
                     np.array([[[size, 0, 0], [1, 0, 0]], [[0, size / 3, 0], [1, 0, 0]]]))  # fmt: skip
        supple.save(Motion("big", poses, fps=30), tmp_path / "out.bvh")
        back = only(supple.load(tmp_path / "out.bvh"))
        assert np.allclose(back.poses.translations[:, 0], poses.translations[:, 0], rtol=1e-8,
                           atol=1e-8 * max(size, 1))  # fmt: skip


def test_a_long_chain_is_no_file_of_tabs(tmp_path):
    supple.save(supple.chain([1.0] * 1000), tmp_path / "a.bvh")
    assert max(map(len, (tmp_path / "a.bvh").read_text().splitlines()[:-2])) < 250
    assert len(supple.load(tmp_path / "a.bvh").skeleton) == 1000
