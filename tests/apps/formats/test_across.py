"""From one format to another and back: what both hold is the same."""

from dataclasses import replace

import numpy as np
import pytest

import supple
from supple import Character, Material, Mesh, Morph, Motion, Node, Pose, Skeleton, Skin, Tip
from supple.apps.character.skinning import skin
from supple.rotations import from_euler


def hero():
    nodes = [
        Node("root", None, (0, 0, 1), supple.Ball(), from_euler("zyx", (0.1, 0.2, 0.3))),
        Node("arm", "root", (1, 0.5, 0), supple.Ball(), from_euler("zyx", (-1.1, 0.4, 2.3))),
        Node("hand", "arm", (1, 0, 0.25)),
    ]
    skeleton = Skeleton(nodes, [Tip("hand end", "hand", (0.5, 0, 0))])
    rng = np.random.default_rng(2)
    binds = np.linalg.inv(skeleton.rest.frames[:3])
    made = Skin.from_table(
        skeleton.joint_names, binds, rng.integers(0, 3, (6, 4)), rng.uniform(0.1, 1, (6, 4))
    )
    normals = rng.normal(size=(6, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    mesh = Mesh("body", rng.normal(size=(6, 3)), [[0, 1, 2], [3, 4, 5]], normals,
                rng.uniform(size=(6, 2)), material=Material("skin"), skin=made)  # fmt: skip
    turns = rng.normal(size=(9, 3, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    poses = Pose(skeleton, turns.reshape(9, 12), skeleton.offsets + rng.normal(size=(9, 3, 3)))
    return Character(skeleton, (mesh,), {"wave": Motion("wave", poses, fps=30)}, up="z")


def positions(motion, names):
    return np.stack([motion.poses.position(name) for name in names], axis=1)


@pytest.mark.parametrize("way", [["bvh"], ["smd"], ["glb"], ["glb", "bvh"], ["smd", "glb", "bvh"]])
def test_a_motion_moves_the_joints_the_same_way(way, tmp_path):
    start = hero()
    motion = start.motion("wave")
    for k, extension in enumerate(way):
        path = tmp_path / f"{k}" / f"wave.{extension}"
        path.parent.mkdir()
        supple.save(motion, path)
        motion = supple.load(path).motion("wave")
    names = start.skeleton.joint_names
    gap = positions(motion, names) - positions(start.motion("wave"), names)
    assert np.abs(gap).max() < 5e-6
    assert motion.fps == pytest.approx(30, rel=1e-5)


@pytest.mark.parametrize("way", [["smd"], ["glb"], ["gltf"], ["smd", "glb", "smd"]])
def test_a_skinned_mesh_looks_the_same_in_every_pose(way, tmp_path):
    start = hero()
    character = start
    for k, extension in enumerate(way):
        path = tmp_path / f"{k}" / f"hero.{extension}"
        path.parent.mkdir()
        supple.save(character.with_(motions={}), path)
        character = supple.load(path)
    motion = start.motion("wave")
    moved = motion.on(character.skeleton, offsets="all")
    one, two = skin(start.meshes[0], motion.poses), skin(character.meshes[0], moved.poses)
    # Vertices may stand in another order; triangles do not.
    corners = one[:, start.meshes[0].faces.ravel()] - two[:, character.meshes[0].faces.ravel()]
    assert np.abs(corners).max() < 5e-6
    assert character.meshes[0].material.name == "skin"


def test_a_posed_character_shows_its_pose_everywhere(tmp_path):
    start = hero()
    pose = start.motion("wave")[4]
    for extension in ("bvh", "smd", "glb", "obj"):
        supple.save(start.posed(pose), tmp_path / f"posed.{extension}")
    for extension in ("smd", "glb"):
        back = supple.load(tmp_path / f"posed.{extension}")
        seen = skin(back.meshes[0], back.pose)[back.meshes[0].faces.ravel()]
        wanted = skin(start.meshes[0], pose)[start.meshes[0].faces.ravel()]
        assert np.abs(seen - wanted).max() < 5e-6
    frame = next(iter(supple.load(tmp_path / "posed.bvh").motions.values()))[0]
    assert np.abs(frame.position("hand") - pose.position("hand")).max() < 1e-6


@pytest.mark.parametrize(
    ("extension", "fps"), [("bvh", 28 / 1.158), ("smd", 24), ("character", 28 / 1.158)]
)
def test_uneven_frames_end_as_they_ended(extension, fps, tmp_path):
    """Formats without times: frames are resampled, the last shows the end, and a note says so."""
    times = np.array([0, 0.1, 0.25, 0.4, 0.5, 0.7, 0.8, 0.9, 1.158])
    motion = hero().motion("wave").with_(times=times, fps=24)
    path = tmp_path / f"wave.{extension}"
    (note,) = [one for one in supple.save(motion, path) if "uneven" in one.text]
    assert f"at {fps:g} a second" in note.text
    options = {"fps": fps} if extension == "smd" else {}
    (back,) = supple.load(path, **options).motions.values()
    assert back.duration == pytest.approx(28 / fps, rel=1e-5)
    hand = back.skeleton.nodes[2].name
    assert np.allclose(back.poses[-1].position(hand), motion.poses[-1].position("hand"), atol=1e-5)
    middle = motion.at(14 / fps).position("hand")
    assert np.allclose(back.poses[14].position(hand), middle, atol=1e-5)


def test_morphs_that_are_left_out_show_as_they_stand(tmp_path):
    rng = np.random.default_rng(7)
    start = hero()
    mesh = replace(start.meshes[0], morphs=(Morph("smile", rng.normal(size=(6, 3)), weight=0.5),))
    start = start.with_(meshes=(mesh,), motions={})
    for extension in ("character", "smd"):
        notes = supple.save(start, tmp_path / f"hero.{extension}")
        assert any("1 morph target" in note.text for note in notes)
        (back,) = supple.load(tmp_path / f"hero.{extension}").meshes
        character = supple.load(tmp_path / f"hero.{extension}")
        got = skin(back, character.pose)[back.faces.reshape(-1)]
        assert np.allclose(got, skin(mesh, start.pose)[mesh.faces.reshape(-1)], atol=1e-5)


def test_an_animation_without_a_reference_says_that_its_rest_is_lost(tmp_path):
    clip = hero().motion("wave")
    words = "its first frame is the rest"
    assert any(words in note.text for note in supple.save(clip, tmp_path / "wave.smd"))
    back = supple.load(tmp_path / "wave.smd")
    assert not any(words in note.text for note in supple.save(back, tmp_path / "again.smd"))
    notes = supple.save(hero(), tmp_path / "wave.smd", motion="wave")  # with its reference
    assert not any(words in note.text for note in notes)


def test_a_pose_in_place_of_motions_is_said(tmp_path):
    start = hero().with_(meshes=())
    posed = start.posed(start.motion("wave")[3])
    (note,) = [one for one in supple.save(posed, tmp_path / "a.bvh") if "wave" in one.text]
    assert "left out" in note.text
    assert len(supple.load(tmp_path / "a.bvh").motion("a")) == 1
    assert not [one for one in supple.save(start, tmp_path / "a.bvh") if "wave" in one.text]
