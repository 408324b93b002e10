"""`supple info`."""

import re

import numpy as np
import pytest

import supple
from supple import Contacts, Motion, Node, Pose, Skeleton

BVH = """HIERARCHY
ROOT Hips
{
OFFSET 0 0 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
JOINT Left Arm
{
OFFSET 0 1.5 0
CHANNELS 3 Zrotation Xrotation Yrotation
End Site
{
OFFSET 0 0.5 0
}
}
}
MOTION
Frames: 3
Frame Time: 0.1
0 0 0 0 0 0 0 0 0
0 0 0 10 0 0 0 0 0
"""


@pytest.fixture
def clip(tmp_path):
    path = tmp_path / "clip.bvh"
    path.write_text(BVH)
    return path


def test_it_shows_joints_motions_and_guesses(run, clip):
    result = run("info", clip)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert any(line.split()[:2] == ["0", "Hips"] for line in lines)
    assert any(line.split()[:3] == ["1", "Left", "Arm"] for line in lines)
    assert "Left Arm end" in result.stdout
    assert any(line.split()[:3] == ["clip", "2", "10"] for line in lines)
    assert "declares 3 frames, has 2" in result.stdout
    assert "guess: up axis: y" in result.stdout


def test_it_tells_programs_the_same(run_json, clip):
    code, data = run_json("info", clip)
    assert code == 0
    assert [joint["name"] for joint in data["joints"]] == ["Hips", "Left Arm"]
    assert data["joints"][1]["parent"] == "Hips"
    assert data["joints"][1]["length"] == 1.5
    assert data["tips"] == [{"name": "Left Arm end", "joint": "Left Arm"}]
    assert data["motions"][0]["frames"] == 2
    assert data["up"] == "y"
    assert {note["level"] for note in data["notes"]} == {"guess", "warning"}


def test_other_files_bring_motions(run_json, clip, tmp_path):
    (tmp_path / "more.bvh").write_text(BVH)
    _, data = run_json("info", clip, "--motions", tmp_path / "more.bvh")
    assert [motion["name"] for motion in data["motions"]] == ["clip", "more"]


def test_what_cannot_be_read_ends_with_2(run, tmp_path):
    assert run("info", tmp_path / "none.bvh").exit_code == 2
    (tmp_path / "bad.bvh").write_text("HIERARCHY\nROOT a\n")
    result = run("info", tmp_path / "bad.bvh")
    assert result.exit_code == 2
    assert "bad.bvh" in result.stderr


@pytest.mark.parametrize("command", ["info", "lint", "convert"])
def test_a_file_of_another_program_is_told_what_to_do(run, tmp_path, command):
    (tmp_path / "hero.fbx").write_bytes(b"Kaydara FBX Binary  \0")
    more = [tmp_path / "out.glb"] if command == "convert" else []
    result = run(command, tmp_path / "hero.fbx", *more)
    assert result.exit_code == 2
    assert "FBX is not read: import it into Blender" in " ".join(result.output.split())


def test_no_memory_is_one_line_and_no_crash(run, clip, monkeypatch):
    def full(*args):
        raise MemoryError

    monkeypatch.setattr("supple.apps.cli.commands.info.show", full)
    result = run("info", clip)
    assert result.exit_code == 2
    assert "not enough memory" in result.stderr


def test_a_long_chain_is_shown_in_lines_of_bounded_length(run, tmp_path):
    """Output grows with the joints, not with their square."""
    count = 1500
    joints = "".join(
        f"{'JOINT' if k else 'ROOT'} j{k}\n{{\nOFFSET 0 1 0\nCHANNELS 0\n" for k in range(count)
    )
    path = tmp_path / "chain.bvh"
    path.write_text(f"HIERARCHY\n{joints}{'}' * count}\n")
    result = run("info", path)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert count <= len(lines) < count + 20
    assert max(map(len, lines)) <= 120
    shown = [line.split() for line in lines]
    assert ["20", "j20"] in [words[:2] for words in shown]
    assert ["1499", "(1499)", "j1499"] in [words[:3] for words in shown]  # with its depth


def test_contacts_of_the_feet_are_shown_and_can_be_read_back(run, run_json, tmp_path, clip):
    nodes = [Node("Hips", None, (0, 0.87, 0)), Node("Head", "Hips", (0, 0.6, 0))]
    for side, sign in (("Left", 1), ("Right", -1)):
        nodes += [
            Node(f"{side}UpLeg", "Hips", (0.1 * sign, 0, 0)),
            Node(f"{side}Leg", f"{side}UpLeg", (0, -0.45, 0.05)),
            Node(f"{side}Foot", f"{side}Leg", (0, -0.42, -0.05)),
        ]
    skeleton = Skeleton(nodes)
    places = np.tile(skeleton.offsets, (60, 1, 1))
    places[20:40, 0, 1] += 0.3 * np.sin(np.pi * np.arange(1, 21) / 21)  # a jump
    poses = Pose(skeleton, np.tile(skeleton.rest.coordinates, (60, 1)), places)
    path = tmp_path / "jump.bvh"
    supple.save(Motion("jump", poses, fps=30), path)
    found = supple.contacts(supple.load(path).motion("jump"))
    assert len(found["LeftFoot"]) == 2
    shown = run("info", path, "--contacts").stdout
    (first, last) = found["LeftFoot"][0]
    assert any(line.split()[1:2] == ["LeftFoot"] and f"{first}-{last - 1}," in line
               for line in shown.splitlines())  # fmt: skip
    _, data = run_json("info", path, "--contacts")
    assert Contacts.from_json(data["motions"][0]["contacts"]) == found
    _, data = run_json("info", path)
    assert "contacts" not in data["motions"][0]
    refused = run("info", clip, "--contacts")
    assert refused.exit_code == 2 and "'Left Arm'" in refused.stderr


def test_machines_show_keyframes_loops_capsules_and_masses(run, run_json, tmp_path):
    path = tmp_path / "fourbar.xml"
    path.write_text("""
<mujoco>
  <worldbody>
    <body name="a"><joint name="ja" axis="0 1 0"/><geom size="0.1" mass="2"/>
      <body name="b" pos="1 0 0"><joint name="jb" axis="0 1 0"/><geom size="0.1" mass="1"/></body>
    </body>
    <body name="c" pos="0 0 1"><joint name="jc" axis="0 1 0"/><geom size="0.1" mass="3"/></body>
  </worldbody>
  <equality><connect name="pin" body1="b" body2="c" anchor="0 0 1"/></equality>
  <keyframe><key name="home" qpos="0.1 0.2 0.3"/></keyframe>
</mujoco>""")
    result = run("info", path)
    for words in ("poses     home", "connect   jb and jc (pin)", "3 on 3 joints, from 3 geoms",
                  "masses    6 kg on 3 joints"):  # fmt: skip
        assert words in result.stdout
    _, data = run_json("info", path)
    assert data["poses"] == ["home"] and data["loops"][0]["name"] == "pin"
    assert data["masses"]["ja"]["mass"] == 2 and data["capsules"]["jc"][0]["radius"] == 0.1


def test_the_rate_that_a_frame_time_means_is_said(run, run_json, tmp_path):
    path = tmp_path / "clip.bvh"
    supple.save(supple.humanoid().motion("wave"), path)
    path.write_text(re.sub("Frame Time: .*", "Frame Time: 0.033333", path.read_text()))
    (row,) = (line for line in run("info", path).stdout.splitlines() if line.startswith("clip "))
    assert row.split()[2] == "30"
    assert run_json("info", path)[1]["motions"][0]["fps"] == 30.0
