"""`load` and `save`: formats by name and by content, and what is left out."""

import logging
import os
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

import supple
from supple import Character, Material, Mesh, Motion, Node, Pose, Skeleton, SuppleError, Tip
from supple.apps.formats.registry import FORMATS, format_for_reading
from supple.apps.formats.source import Source

BVH = """HIERARCHY
ROOT a
{
OFFSET 0 0 0
CHANNELS 3 Zrotation Xrotation Yrotation
}
MOTION
Frames: 1
Frame Time: 0.1
1 2 3
"""
SMD = 'version 1\nnodes\n0 "a" -1\nend\nskeleton\ntime 0\n0 0 0 0 0 0 0\nend\n'


@pytest.fixture
def write(tmp_path):
    def put(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


def test_the_content_tells_where_the_name_does_not(write):
    for name in ("clip", "clip.txt", "clip.bvh", "clip.BVH"):
        assert list(supple.load(write(name, BVH)).extras) == ["bvh"]
    assert list(supple.load(write("model", SMD)).extras) == ["smd"]
    wrong = supple.load(write("clip.smd", BVH))
    assert list(wrong.extras) == ["bvh"]
    assert any("looks like" in note.text for note in wrong.notes)


def test_a_format_told_by_its_extension_alone_is_never_told_by_content(write):
    """Xacro evaluates expressions, so it must be asked for."""
    assert [one.name for one in FORMATS.values() if one.looks is None] == ["xacro"]
    assert format_for_reading(Source.open(write("clip.xacro", BVH))).name == "xacro"
    text = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:if value="1"/></robot>'
    for name in ("walk.bvh", "model.urdf", "model.xml", "model", "model.txt"):
        assert format_for_reading(Source.open(write(name, text))).name == "urdf"
    assert format_for_reading(Source.open(write("model.txt", text)), "xacro").name == "xacro"


def test_a_format_can_be_said(write):
    assert supple.load(write("clip.dat", BVH), format="bvh").skeleton.names == ("a",)
    with pytest.raises(SuppleError, match="'bvh'"):
        supple.load(write("clip.dat", BVH), format="bhv")
    with pytest.raises(SuppleError, match="not a BVH"):
        supple.load(write("model.smd", SMD), format="bvh")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("empty.bvh", b"", "empty"),
        ("blank.smd", b" \n\t\r\n", "blanks"),
        ("noise.bvh", bytes(range(256)) * 10, "not a BVH"),
        ("noise.smd", bytes(range(256)) * 10, "not an SMD"),
        ("noise", bytes(range(1, 256)) * 10, "cannot tell"),
        ("clip.bvhh", b"hello", "did you mean '.bvh'"),
    ],
)
def test_what_is_no_character_is_refused(write, name, content, message):
    with pytest.raises(SuppleError, match=message) as caught:
        supple.load(write(name, content))
    assert name in str(caught.value)


def test_files_that_are_not_there(tmp_path, write):
    write("walking.bvh", BVH)
    with pytest.raises(SuppleError, match="did you mean 'walking.bvh'"):
        supple.load(tmp_path / "walknig.bvh")
    with pytest.raises(SuppleError, match="folder"):
        supple.load(tmp_path)
    with pytest.raises(SuppleError, match=r"\.bvh"):
        supple.save(supple.chain([1]), tmp_path / "arm.fbx")
    with pytest.raises(SuppleError, match="no folder"):
        supple.save(supple.chain([1]), tmp_path / "nowhere" / "arm.bvh")


def test_notes_are_kept_and_logged_once(write, caplog):
    with caplog.at_level(logging.INFO, logger="supple"):
        character = supple.load(write("clip.bvh", BVH.replace("Frames: 1", "Frames: 3")))
    said = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert len(said) == 1
    assert "declares 3 frames" in said[0]
    assert str(character.notes[0]) == said[0]


def test_motions_of_other_files_join(write):
    path = write("a.bvh", BVH)
    character = supple.load(path, motions=[write("b.bvh", BVH), write("c.smd", SMD)])
    assert list(character.motions) == ["a", "b", "c"]
    assert all(motion.skeleton == character.skeleton for motion in character.motions.values())
    other = BVH.replace("ROOT a", "ROOT z")
    with pytest.raises(SuppleError, match="'z'"):
        supple.load(path, motions=[write("d.bvh", other)])
    with pytest.raises(SuppleError, match="motion"):
        supple.load(path, motions=[write("e.bvh", BVH.split("MOTION")[0])])


def test_a_skeleton_a_pose_or_a_motion_can_be_saved(tmp_path):
    skeleton = Skeleton([Node("a"), Node("b", "a", (1, 0, 0))])
    for k, thing in enumerate((skeleton, skeleton.rest, Motion("m", [skeleton.rest], fps=30))):
        supple.save(thing, tmp_path / f"{k}.bvh")
        assert supple.load(tmp_path / f"{k}.bvh").skeleton.names == ("a", "b")
    with pytest.raises(SuppleError, match="Motion"):
        supple.save(Pose.stack([skeleton.rest]), tmp_path / "batch.bvh")
    with pytest.raises(SuppleError, match="pose"):
        supple.save(supple.solve(supple.chain([1]), {"tip": (1, 0, 0)}), tmp_path / "s.bvh")


def test_what_a_format_cannot_hold_is_said(tmp_path):
    skeleton = Skeleton([Node("a", joint=supple.Hinge("z", limits=(0, 1)))], [Tip("t", "a")])
    mesh = Mesh("m", np.eye(3), [[0, 1, 2]], material=Material("red"), joint="a")
    character = Character(skeleton, (mesh,))
    (bvh,) = supple.save(character, tmp_path / "a.bvh")
    assert bvh.text == "Biovision BVH cannot hold 1 joint with limits, 1 mesh: left out"
    words = [note.text for note in supple.save(character, tmp_path / "a.smd")]
    assert any("1 tip" in text and "mesh" not in text for text in words)
    painted = replace(mesh, colors=np.ones((3, 4)))
    walk = Motion("walk", [skeleton.rest] * 2, fps=30, loop=True)
    character = Character(skeleton, (painted,), {"walk": walk})
    texts = [note.text for note in supple.save(character, tmp_path / "a.character")]
    assert any("1 mesh's vertex colors, that 'walk' loops: left out" in text for text in texts)
    assert not supple.save(character.with_(unit="m", up="y"), tmp_path / "a.glb")


def test_obj_has_the_posed_mesh(tmp_path):
    skeleton = Skeleton([Node("a", None, (0, 0, 1))])
    mesh = Mesh("m", np.eye(3), [[0, 1, 2]], None, [[0, 0], [1, 0], [0, 1]], joint="a")
    supple.save(Character(skeleton, (mesh,)), tmp_path / "a.obj")
    lines = (tmp_path / "a.obj").read_text().splitlines()
    assert [line for line in lines if line.startswith("v ")] == ["v 1 0 1", "v 0 1 1", "v 0 0 2"]
    assert [line for line in lines if line.startswith("vt ")][2] == "vt 0 0"
    assert lines[-1] == "f 1/1 2/2 3/3"
    with pytest.raises(SuppleError, match="meshes"):
        supple.save(skeleton, tmp_path / "b.obj")


def test_a_failed_save_leaves_the_old_file_whole(tmp_path, monkeypatch):
    path = tmp_path / "arm.bvh"
    supple.save(supple.chain([1, 2]), path)
    old = path.read_bytes()

    def full(self, data):
        with open(self, "wb") as file:
            file.write(data[:10])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(SuppleError, match="No space left"):
        supple.save(supple.chain([3, 4]), path)
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == ["arm.bvh"]


WRITER = """
import sys, numpy as np, supple
skeleton = supple.chain([1.0] * 30)
poses = supple.Pose(skeleton, np.tile(skeleton.rest.coordinates, (400, 1)))
motion = supple.Motion("still", poses, fps=30)
print("ready", flush=True)
while True:
    supple.save(motion, sys.argv[1])
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_kill_at_any_moment_leaves_a_whole_file(tmp_path):
    path = tmp_path / "clip.bvh"
    supple.save(supple.chain([1, 2]), path)
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.3)
        process.kill()
    motion = next(iter(supple.load(path).motions.values()))
    assert len(motion) in (1, 400)
