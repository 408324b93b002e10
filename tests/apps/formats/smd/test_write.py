"""Write SMD: reading it back gives the same character."""

import numpy as np
import pytest

import supple
from supple import (
    Character,
    Material,
    Mesh,
    Motion,
    Node,
    Pose,
    Skeleton,
    Skin,
    SuppleError,
    Texture,
)
from supple.apps.character.skinning import skin
from supple.rotations import from_euler


@pytest.fixture
def hero():
    nodes = [
        Node("root", None, (0, 0, 1), supple.Ball(), from_euler("zyx", (0.1, 0.2, 0.3))),
        Node("L Arm", "root", (1, 0.5, 0), supple.Ball(), from_euler("zyx", (-1.1, 0.4, 2.3))),
        Node("hand", "L Arm", (1, 0, 0.25)),
    ]
    skeleton = Skeleton(nodes)
    rng = np.random.default_rng(0)
    joints = ("hand", "root", "L Arm")  # the skin has an order of its own
    binds = np.linalg.inv(skeleton.rest.frames[[skeleton.index(name) for name in joints]])
    first = [0, 1, 3, 6, 8]
    made = Skin(joints, binds, first, [0, 1, 2, 0, 1, 2, 2, 0],
                [1, 0.25, 0.75, 0.5, 0.3, 0.2, 0.6, 0.4])  # fmt: skip
    mesh = Mesh(
        "body",
        rng.normal(size=(4, 3)),
        [[0, 1, 2], [2, 1, 3]],
        np.tile((0.0, 0.6, 0.8), (4, 1)),
        rng.uniform(size=(4, 2)),
        material=Material("skin.png", texture=Texture("skin.png", b"\x89PNG", "image/png")),
        skin=made,
    )
    turns = rng.normal(size=(5, 12))
    turns = turns.reshape(5, 3, 4)
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    poses = Pose(skeleton, turns.reshape(5, 12), skeleton.offsets + rng.normal(size=(5, 3, 3)))
    return Character(skeleton, (mesh,), {"wave": Motion("wave", poses, fps=24)}, up="z")


def weights(mesh):
    """The weight of each joint, by name, for each vertex."""
    made = mesh.skin
    return [
        {
            made.joints[made.joint[k]]: made.weight[k]
            for k in range(made.first[v], made.first[v + 1])
        }
        for v in range(made.vertex_count)
    ]


def same_mesh(a, b, within=1e-8):
    assert np.abs(a.positions - b.positions).max() < within
    assert np.array_equal(a.faces, b.faces)
    assert np.abs(a.normals - b.normals).max() < within
    assert np.abs(a.texcoords - b.texcoords).max() < within
    for one, two in zip(weights(a), weights(b), strict=True):
        assert one == pytest.approx(two, abs=within)


def test_reference_and_animation_come_back(hero, tmp_path):
    notes = supple.save(hero, tmp_path / "hero.smd")
    assert any("'wave'" in note.text for note in notes)
    supple.save(hero, tmp_path / "wave.smd", motion="wave")
    back = supple.load(
        tmp_path / "hero.smd", motions=[tmp_path / "wave.smd"], turnable_root=True, fps=24
    )
    assert back.skeleton.names == hero.skeleton.names
    assert np.abs(back.skeleton.rest.frames - hero.skeleton.rest.frames).max() < 1e-8
    same_mesh(back.meshes[0], hero.meshes[0])
    a, b = hero.motion("wave"), back.motion("wave")
    assert b.fps == 24
    assert np.abs(a.poses.frames - b.poses.frames).max() < 1e-7
    # A second time nothing changes at all.
    supple.save(back, tmp_path / "again.smd")
    again = supple.load(tmp_path / "again.smd", turnable_root=True)
    assert again.meshes == back.meshes
    assert (tmp_path / "again.smd").read_bytes() == (tmp_path / "hero.smd").read_bytes()


def test_a_posed_character_is_bound_where_it_stands(hero, tmp_path):
    pose = hero.motion("wave")[2]
    notes = supple.save(hero.posed(pose), tmp_path / "posed.smd")
    assert any("bound where they stand" in note.text for note in notes)
    back = supple.load(tmp_path / "posed.smd")
    assert np.abs(back.skeleton.rest.frames - pose.frames).max() < 1e-7
    moved = skin(hero.meshes[0], pose)
    assert np.abs(back.meshes[0].positions - moved).max() < 1e-7
    unmoved = skin(back.meshes[0], back.skeleton.rest)
    assert np.abs(unmoved - moved).max() < 1e-7


def test_nine_columns_for_goldsrc(hero, tmp_path):
    supple.save(hero, tmp_path / "old.smd", goldsrc=True)
    lines = (tmp_path / "old.smd").read_text().split("triangles\n")[1].splitlines()
    assert all(len(line.split()) == 9 for k, line in enumerate(lines[:-1]) if k % 4)
    made = supple.load(tmp_path / "old.smd").meshes[0].skin
    assert made.most == 1
    assert [made.joints[j] for j in made.joint[:3]] == ["hand", "L Arm", "hand"]


def test_textures_are_written_beside_where_asked(hero, tmp_path):
    notes = supple.save(hero, tmp_path / "hero.smd")
    assert any("texture" in note.text for note in notes)
    assert not (tmp_path / "skin.png").exists()
    supple.save(hero, tmp_path / "hero.smd", textures=True)
    assert supple.load(tmp_path / "hero.smd").meshes[0].material.texture.data == b"\x89PNG"


def test_meshes_without_skin_hang_on_one_bone(hero, tmp_path):
    plain = Mesh("box", np.eye(3), [[0, 1, 2]], joint="hand")
    still = Mesh("floor", np.eye(3), [[0, 1, 2]])
    supple.save(hero.with_(meshes=(plain, still)), tmp_path / "out.smd")
    box, floor = supple.load(tmp_path / "out.smd").meshes
    frame = hero.skeleton.rest.frames[2]
    assert np.allclose(box.positions, np.eye(3) @ frame[:3, :3].T + frame[:3, 3], atol=1e-7)
    assert weights(box) == [{"hand": 1.0}] * 3
    assert np.allclose(floor.positions, np.eye(3))
    assert weights(floor) == [{"root": 1.0}] * 3
    assert np.allclose(np.linalg.norm(floor.normals, axis=1), 1)


def test_names_and_materials_that_would_break_the_file(hero, tmp_path):
    odd = hero.renamed({"hand": 'the "hand"'})
    mesh = supple.Mesh("end", np.eye(3), [[0, 1, 2]], material=Material("end"))
    notes = supple.save(odd.with_(meshes=(mesh,)), tmp_path / "out.smd")
    back = supple.load(tmp_path / "out.smd")
    assert "the 'hand'" in back.skeleton
    assert any("is called" in note.text for note in notes)
    assert len(back.meshes[0].faces) == 1


def test_gaps_and_offsets_of_time_come_back(hero, tmp_path):
    motion = hero.motion("wave").with_(times=np.array([3, 4, 6, 7, 9]) / 24)
    supple.save(motion, tmp_path / "wave.smd")
    back = supple.load(tmp_path / "wave.smd", fps=24).motion("wave")
    assert np.allclose(back.times * 24, [3, 4, 6, 7, 9])


def test_an_unknown_motion_is_refused_before_anything_is_written(hero, tmp_path):
    with pytest.raises(SuppleError, match="'wave'"):
        supple.save(hero, tmp_path / "out.smd", motion="wavy")
    assert not (tmp_path / "out.smd").exists()
