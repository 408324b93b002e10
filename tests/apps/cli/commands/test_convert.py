"""`supple convert`."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import Character, Material, Mesh, Motion, Node, Pose, Skeleton, Skin, Texture


@pytest.fixture
def hero(tmp_path):
    """A reference SMD and two animations, with an image."""
    skeleton = Skeleton([Node("root"), Node("arm", "root", (1, 0, 0))])
    binds = np.linalg.inv(skeleton.rest.frames)
    skin = Skin(skeleton.joint_names, binds, [0, 1, 2, 3], [0, 1, 1], [1.0] * 3)
    image = Texture("skin.png", b"\x89PNG", "image/png")
    mesh = Mesh("skin.png", np.eye(3), [[0, 1, 2]], np.tile((0.0, 0.0, 1.0), (3, 1)),
                np.zeros((3, 2)), material=Material("skin.png", texture=image), skin=skin)  # fmt: skip
    poses = Pose.stack([skeleton.rest, skeleton.pose({"arm": (0, 0, 1)})])
    character = Character(skeleton, (mesh,))
    supple.save(character, tmp_path / "hero.smd", textures=True)
    for name in ("walk", "run"):
        supple.save(Motion(name, poses, fps=30), tmp_path / f"{name}.smd")
    return tmp_path / "hero.smd"


def test_a_reference_with_its_animations(run, hero, tmp_path):
    out = tmp_path / "out" / "copy.smd"
    out.parent.mkdir()
    result = run("convert", hero, out, "--motions", tmp_path / "walk.smd",
                 "--motions", tmp_path / "run.smd")  # fmt: skip
    assert result.exit_code == 0
    assert sorted(path.name for path in out.parent.iterdir()) == [
        "copy.smd", "copy_run.smd", "copy_walk.smd", "skin.png",
    ]  # fmt: skip
    back = supple.load(out, motions=[out.parent / "copy_walk.smd"])
    assert back.meshes[0].material.texture.data == b"\x89PNG"
    assert np.allclose(back.motion("copy_walk")[1].local_rotations[1], supple.load(
        tmp_path / "walk.smd").motion("walk")[1].local_rotations[1])  # fmt: skip


def test_one_motion_as_bvh(run_json, hero, tmp_path):
    code, data = run_json("convert", hero, tmp_path / "walk.bvh", "--motions", tmp_path / "walk.smd",
                          "--motion", "walk", "--resample", "60")  # fmt: skip
    assert code == 0
    assert data["written"] == [str(tmp_path / "walk.bvh")]
    motion = supple.load(tmp_path / "walk.bvh").motion("walk")
    assert motion.fps == pytest.approx(60)
    assert len(motion) == 3


def test_what_is_left_out_is_said(run, run_json, hero, tmp_path):
    _, data = run_json("convert", hero, tmp_path / "hero.bvh")
    assert any("1 mesh" in note["text"] for note in data["notes"])
    result = run("convert", hero, tmp_path / "hero.bvh")
    assert "cannot hold 1 mesh" in result.stderr
    assert "written to" in result.stdout


def test_joints_can_be_named(run, hero, tmp_path):
    (tmp_path / "names.txt").write_text("hip\n\nhand\n")
    assert (
        run("convert", hero, tmp_path / "a.smd", "--names", tmp_path / "names.txt").exit_code == 0
    )
    assert supple.load(tmp_path / "a.smd").skeleton.names == ("hip", "hand")
    (tmp_path / "names.txt").write_text("hip\n")
    result = run("convert", hero, tmp_path / "a.smd", "--names", tmp_path / "names.txt")
    assert result.exit_code == 2
    assert "expected 2 names" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["hero.smd", "out.fbx"], ".fbx"),
        (["hero.smd", "nowhere/out.smd"], "folder"),
        (["none.smd", "out.bvh"], "no such file"),
        (["hero.smd", "out.bvh", "--motion", "jump"], "motion"),
        (["hero.smd", "out.bvh", "--names", "none.txt"], "none.txt"),
    ],
)
def test_bad_input_ends_with_2_and_writes_nothing(run, hero, tmp_path, arguments, message):
    paths = [tmp_path / one if "." in one else one for one in arguments]
    result = run("convert", *paths)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not list(tmp_path.glob("out*"))


def test_an_smd_for_goldsrc_has_one_bone_a_vertex(run, hero, tmp_path):
    out = tmp_path / "old.smd"
    assert run("convert", hero, out, "--goldsrc").exit_code == 0
    rows = [line.split() for line in out.read_text().partition("triangles")[2].splitlines()]
    assert {len(row) for row in rows if len(row) > 4} == {9}
    assert run("convert", hero, tmp_path / "old.glb", "--goldsrc").exit_code == 2


def test_an_smd_in_inches_with_z_up_becomes_a_glb_in_metres_with_y_up(run, tmp_path):
    skeleton = supple.Skeleton(
        [supple.Node("foot"), supple.Node("head", "foot", (0, 0, 70))],
    )
    supple.save(supple.Character(skeleton), tmp_path / "hero.smd")
    for options in ([], ["--from-up", "z", "--from-unit", "inch"]):
        result = run("convert", tmp_path / "hero.smd", tmp_path / "hero.glb", "--up", "y",
                     "--unit", "m", *options)  # fmt: skip
        assert result.exit_code == 0
        hero = supple.load(tmp_path / "hero.glb")
        assert (hero.unit, hero.up) == ("m", "y")
        assert hero.skeleton.rest.position("head") == pytest.approx([0, 1.778, 0], abs=1e-6)
    result = run("convert", tmp_path / "hero.smd", tmp_path / "b.glb", "--up", "q")
    assert result.exit_code == 2
    result = run("convert", tmp_path / "hero.smd", tmp_path / "b.glb", "--unit", "meter")
    assert result.exit_code == 2
    assert "'m'" in result.stderr


@pytest.fixture
def clips(hero, tmp_path):
    """Two animations and a file that is cut off."""
    (tmp_path / "cut.smd").write_text("version 1\nnodes\n")
    return tmp_path


def test_many_files_go_into_a_folder_and_a_bad_one_does_not_stop_them(run, run_json, clips):
    out = clips / "deep" / "out"
    paths = [clips / f"{name}.smd" for name in ("walk", "cut", "run")]
    result = run("convert", *paths, "--out-dir", out, "--to", "bvh")
    assert result.exit_code == 2
    assert "cut.smd" in result.stderr
    assert "2 of 3 files written, 1 failed" in result.stdout
    assert sorted(path.name for path in out.iterdir()) == ["run.bvh", "walk.bvh"]
    assert supple.load(out / "run.bvh").motion("run").fps == pytest.approx(30)
    code, data = run_json("convert", *paths, "--out-dir", out, "--to", ".GLB")
    assert code == 2
    assert data["failed"] == 1
    assert [one.get("written") for one in data["files"]] == [
        [str(out / "walk.glb")], None, [str(out / "run.glb")],
    ]  # fmt: skip
    assert "cut.smd" in data["files"][1]["failed"]


def test_patterns_that_the_shell_left_are_filled_in(run, clips):
    out = clips / "out"
    result = run(
        "convert", clips / "[rw]*.smd", clips / "walk.smd", "--out-dir", out, "--to", "glb"
    )
    assert result.exit_code == 0
    assert "2 of 2 files written" in result.stdout
    assert sorted(path.name for path in out.iterdir()) == ["run.glb", "walk.glb"]
    result = run("convert", clips / "*.fbx", "--out-dir", out, "--to", "glb")
    assert result.exit_code == 2
    assert "none that match" in result.stderr
    (clips / "a[1].smd").write_bytes((clips / "walk.smd").read_bytes())
    assert run("convert", clips / "a[1].smd", "--out-dir", out, "--to", "glb").exit_code == 0
    assert (out / "a[1].glb").exists()


def test_folders_keep_their_structure_and_what_is_skipped_is_counted(run, run_json, clips):
    for folder in ("in", "in/a", "in/b"):
        (clips / folder).mkdir()
        (clips / folder / "walk.smd").write_bytes((clips / "walk.smd").read_bytes())
    (clips / "in" / "a" / "readme.txt").write_text("no clip")
    (clips / "in" / "b" / ".walk.smd").write_text("hidden")
    out = clips / "in" / "out"
    result = run("convert", clips / "in", "--out-dir", out, "--to", "bvh")
    assert result.exit_code == 0, result.output
    assert f"done {Path('a', 'walk.smd')}: {Path('a', 'walk.bvh')}" in result.stdout
    assert "3 of 3 files written, 1 of other formats skipped" in result.stdout
    made = sorted(str(path.relative_to(out)) for path in out.rglob("*.bvh"))
    assert made == ["a/walk.bvh", "b/walk.bvh", "walk.bvh"]
    # Results that lie among the clips are no clips of the next run.
    code, data = run_json("convert", clips / "in", "--out-dir", out, "--to", "bvh")
    assert code == 0 and data["skipped"] == 1
    assert len(data["files"]) == 3


def test_files_of_one_name_in_two_folders_do_not_collide(run, clips):
    for folder in ("a", "b"):
        (clips / folder).mkdir()
        (clips / folder / "walk.smd").write_bytes((clips / "walk.smd").read_bytes())
    files = (clips / "a" / "walk.smd", clips / "b" / "walk.smd")
    for given in (files, (clips / "[ab]" / "walk.smd",), (clips / "a", clips / "b")):
        out = clips / f"out{len(given)}{given[0].suffix}"
        assert run("convert", *given, "--out-dir", out, "--to", "glb").exit_code == 0
        assert (out / "a" / "walk.glb").exists() and (out / "b" / "walk.glb").exists()


def test_names_as_long_as_the_system_allows_are_written(run, clips):
    out = clips / ("a" * 251 + ".glb")
    result = run("convert", clips / "walk.smd", out)
    assert result.exit_code == 0, result.output
    assert supple.load(out).motions
    result = run("convert", clips / "walk.smd", clips / ("a" * 252 + ".glb"))
    assert result.exit_code == 2
    assert "expected a path that the system can have" in result.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
@pytest.mark.parametrize("ending", ["glb", "gltf", "bvh"])
def test_names_that_are_not_utf_8_are_processed_and_shown_with_a_replacement(run, clips, ending):
    odd = os.fsdecode(b"w\xff.smd")
    (clips / odd).write_bytes((clips / "walk.smd").read_bytes())
    out = clips / "out"
    result = run("convert", clips / odd, clips / "walk.smd", "--out-dir", out, "--to", ending)
    assert result.exit_code == 0, result.output
    assert "done w\N{REPLACEMENT CHARACTER}.smd" in result.stdout
    made = supple.load(out / os.fsdecode(b"w\xff." + ending.encode()))
    assert len(made.motions) == 1
    told = run("convert", clips / odd, "--out-dir", out, "--to", ending, "--json")
    assert json.loads(told.stdout_bytes.decode())["files"][0]["file"].endswith(
        "w\N{REPLACEMENT CHARACTER}.smd"
    )


def test_the_motions_of_one_file_do_not_take_the_place_of_another(run, clips):
    character = supple.load(clips / "hero.smd", motions=[clips / "walk.smd"])
    supple.save(character, clips / "hero.glb")
    (clips / "hero_walk.glb").write_bytes((clips / "hero.glb").read_bytes())
    out = clips / "out"
    result = run(
        "convert", clips / "hero.glb", clips / "hero_walk.glb", "--out-dir", out, "--to", "smd"
    )
    assert result.exit_code == 0
    assert sorted(path.name for path in out.glob("*.smd")) == [
        "hero.smd", "hero_walk.smd", "hero_walk_2.smd", "hero_walk_walk.smd",
    ]  # fmt: skip
    assert supple.load(out / "hero_walk.smd").meshes
    (out / "skin.png").write_bytes(b"\x89PNG another")
    result = run("convert", clips / "hero.glb", out / "hero.smd")
    assert "skin.png was another image: replaced" in result.stderr
    assert (out / "skin.png").read_bytes() == b"\x89PNG"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["walk.smd"], "expected FILE and OUT"),
        (["walk.smd", "run.smd", "both.glb"], "got 3"),
        (["walk.smd", "run.smd", "--out-dir", "out"], "--to"),
        (["walk.smd", "--out-dir", "out", "--to", "glt"], "'.gltf'"),
        (["walk.smd", "out.glb", "--to", "glb"], "--out-dir"),
        (["walk.smd", "--out-dir", ".", "--to", "smd"], "another folder"),
        (["walk.smd", "--out-dir", "run.smd", "--to", "glb"], "got a file"),
        (
            ["deep/walk.smd", "deep/walk.bvh", "run.smd", "--out-dir", "out", "--to", "glb"],
            "got deep/walk.smd and deep/walk.bvh, which both go to deep/walk.glb",
        ),
        (["w" * 256 + ".smd", "--out-dir", "out", "--to", "glb"], "too long"),
        (["walk.smd", "--out-dir", "o" * 256, "--to", "glb"], "too long"),
        (["empty", "--out-dir", "out", "--to", "glb"], "expected clips in this folder (.bvh"),
    ],
)
def test_bad_input_for_many_files_ends_with_2(run, clips, monkeypatch, arguments, message):
    monkeypatch.chdir(clips)
    (clips / "empty").mkdir()
    result = run("convert", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (clips / "out").exists()


def test_shapes_of_an_smd_become_morphs_and_go_back(run, run_json, hero, tmp_path):
    character = supple.load(hero)
    smile = supple.Morph("smile", [(0, 0, 1.0), (0, 0, 0), (0, 0, 0)])
    mesh = replace(character.meshes[0], morphs=(smile,))
    supple.save(character.with_(meshes=(mesh,)), tmp_path / "face.smd", shapes=True)
    (tmp_path / "face.vta").rename(tmp_path / "shapes.vta")
    glb = tmp_path / "face.glb"
    assert (
        run("convert", tmp_path / "face.smd", glb, "--shapes", tmp_path / "shapes.vta").exit_code
        == 0
    )
    assert supple.load(glb).meshes[0].morphs[0].name == "smile"
    code, data = run_json("convert", glb, tmp_path / "back.smd")
    assert code == 0
    assert data["written"] == [str(tmp_path / "back.smd"), str(tmp_path / "back.vta")]
    assert not any("morph" in note["text"] for note in data["notes"])
    back = supple.load(tmp_path / "back.smd").meshes[0].morphs[0]
    assert np.allclose(back.positions, smile.positions)
    _, data = run_json("info", tmp_path / "face.smd", "--shapes", tmp_path / "shapes.vta")
    assert data["meshes"][0]["morphs"] == ["smile"]
    assert "; 1 morph" in run("info", glb).stdout


@pytest.fixture
def squashed(tmp_path):
    """A GLB of another program: a node with another below it has an uneven scale; two motions."""
    skeleton = Skeleton(
        [Node("hip"), Node("chest", "hip", (0, 1, 0)), Node("head", "chest", (0, 1, 0))]
    )
    scales = np.ones((3, 3))
    scales[1] = (1.0, 2.0, 1.0)
    turns = np.linspace(0.0, 1.0, 5)
    q = np.tile(skeleton.rest.coordinates, (5, 1))
    q[:, 4], q[:, 5] = np.cos(turns), np.sin(turns)
    poses = Pose(skeleton, q, None, np.tile(scales, (5, 1, 1)))
    motions = {name: Motion(name, poses, fps=30) for name in ("walk", "run")}
    pose = Pose(skeleton, None, None, scales)
    supple.save(Character(skeleton, motions=motions, pose=pose), tmp_path / "squashed.glb")
    return tmp_path / "squashed.glb"


@pytest.mark.parametrize("ending", ["bvh", "smd"])
def test_uneven_scales_do_not_keep_a_motion_from_being_written(
    run_json, squashed, tmp_path, ending
):
    read = supple.load(squashed)
    assert read.pose.scales is not None
    code, said = run_json("convert", squashed, tmp_path / f"out.{ending}")
    assert code == 0
    (motion,) = supple.load(tmp_path / f"out.{ending}").motions.values()
    assert len(motion) == 5
    walk = read.motions["walk"].poses
    plain = Pose(read.skeleton, walk.coordinates, walk.translations)
    assert np.allclose(motion.poses.positions[:, :3], plain.positions[:, :3], atol=1e-5)
    notes = [note["text"] for note in said["notes"] if "left out" in note["text"]]
    assert len(notes) == 1
    assert "1 other motion" in notes[0] and "scales of the pose, walk, run" in notes[0]


def test_the_notes_of_a_posed_character_agree(squashed, tmp_path):
    read = supple.load(squashed)
    posed = read.posed(read.motions["walk"].poses[4])
    for ending in ("bvh", "smd"):
        notes = [note.text for note in supple.save(posed, tmp_path / f"out.{ending}")]
        about = [text for text in notes if "motion" in text]
        assert len(about) == 1 and "'walk', 'run'" in about[0], notes
    mesh = Mesh("m", [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], joint="hip")
    notes = supple.save(read.with_(meshes=(mesh,)), tmp_path / "mesh.smd")
    assert len([note for note in notes if "motion" in note.text]) == 1


def test_a_gltf_shows_the_motion_that_was_asked_for_and_bones(run, tmp_path):
    skeleton = supple.chain([1, 1])
    poses = Pose.stack([skeleton.rest, skeleton.pose({"j1": (0, 0, 1)})])
    motions = {name: Motion(name, poses, fps=30) for name in ("walk", "run")}
    posed = Character(skeleton, motions=motions).posed(poses[1])
    supple.save(posed, tmp_path / "posed.glb")
    out = tmp_path / "out.gltf"
    assert run("convert", tmp_path / "posed.glb", out, "--motion", "run").exit_code == 0
    root = json.loads(out.read_text())
    assert [one["name"] for one in root["animations"]] == ["run"] and len(root["meshes"]) == 1
    assert run("convert", tmp_path / "posed.glb", out, "--no-bones").exit_code == 0
    assert "meshes" not in json.loads(out.read_text())
    assert run("convert", tmp_path / "posed.glb", tmp_path / "a.bvh", "--no-bones").exit_code == 2
