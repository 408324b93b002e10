"""The .character file: its bytes, round trips, and what is refused."""

import contextlib
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import supple
from supple.apps.character.character import Character
from supple.apps.character.motion import Motion
from supple.apps.character.skinning import skin
from supple.apps.formats.character.write import bone_limits
from supple.errors import SuppleError
from supple.kernels import layout
from supple.model.mesh import Mesh, Skin
from supple.rotations import from_euler


def hero():
    skeleton = supple.Skeleton(
        [
            ("knee", "hip", (0, -1, 0), supple.Axes("xyz", [(0, 2), None, (-0.5, 0.5)], "y")),
            ("hip", None, (0, 2, 0), supple.Fixed(), (0.8, 0, 0.6, 0)),
            ("foot", "knee", (0, -1, 0), supple.Ball(), (0.6, 0.8, 0, 0)),
        ]
    )
    rng = np.random.default_rng(9)
    names = ("hip", "knee", "foot")
    binds = np.linalg.inv(skeleton.rest.frames[[skeleton.index(n) for n in names]])
    weights = rng.random((30, 3)) + 0.1
    own = Skin.from_table(names, binds, np.tile([0, 1, 2], (30, 1)), weights)
    normals = rng.normal(size=(30, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    faces = rng.permuted(np.tile(np.arange(30), (12, 1)), axis=1)[:, :3]
    mesh = Mesh("leg", rng.normal(size=(30, 3)), faces, normals, rng.random((30, 2)), skin=own)
    angles = np.linspace(0, 0.4, 7)[:, None] * np.ones(len(skeleton.freedoms))
    poses = supple.Pose.from_angles(skeleton, angles)
    offsets = np.tile(skeleton.offsets, (7, 1, 1))
    offsets[:, 0, 1] += np.linspace(0, 1, 7)
    walk = Motion("walk", supple.Pose(skeleton, poses.coordinates, offsets), fps=25)
    return Character(skeleton, (mesh,), {"walk": walk})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "hero.character"


def test_everything_it_holds_comes_back(path):
    character = hero()
    supple.save(character, path, names=path.with_suffix(".names"))
    again = supple.load(path, names=path.with_suffix(".names"))
    assert again.skeleton.names == character.skeleton.names
    assert again.skeleton.joints == character.skeleton.joints
    assert np.abs(again.skeleton.offsets - character.skeleton.offsets).max() < 1e-6
    assert np.abs(again.skeleton.rotations - character.skeleton.rotations).max() < 1e-6
    one, two = character.motions["walk"], again.motions["walk"]
    assert two.fps == 25
    assert np.abs(one.poses.frames - two.poses.frames).max() < 1e-6
    corners = character.meshes[0].faces.reshape(-1)
    for motion in (character.motions["walk"],):
        expected = skin(character.meshes[0], motion.poses)[:, corners]
        assert np.abs(skin(again.meshes[0], two.poses) - expected).max() < 3e-6
    assert np.abs(again.meshes[0].texcoords - character.meshes[0].texcoords[corners]).max() < 1e-6
    assert np.abs(again.meshes[0].normals - character.meshes[0].normals[corners]).max() < 1e-6


def test_a_second_round_changes_nothing(path, tmp_path):
    supple.save(hero(), path)
    again = tmp_path / "again.character"
    supple.save(supple.load(path), again)
    third = tmp_path / "third.character"
    supple.save(supple.load(again), third)
    one, two = supple.load(again), supple.load(third)
    assert np.abs(one.meshes[0].positions - two.meshes[0].positions).max() < 1e-6
    assert len(again.read_bytes()) == len(third.read_bytes())


def by_hand(*rotation):
    """One bone, one sequence, one triangle, by the page."""
    made = struct.pack("<cBHI", b"G", 1, 0, 1)
    made += struct.pack("<6fiI", -1, 1, 0, 0, 0, 0, -1, 1)
    made += struct.pack("<I", 1) + struct.pack("<fII", 0, 0, 1)
    made += struct.pack("<9f3f", *rotation, 5, 6, 7)
    made += struct.pack("<II", 3, 1)
    for corner in ((0, 0, 0), (1, 0, 0), (0, 1, 0)):
        made += struct.pack("<I3ffi", 1, *corner, 1.0, 0)
    return made + struct.pack("<9f", *[0, 0, 1] * 3) + struct.pack("<6f", 0, 0, 1, 0, 0, 1)


def test_the_bytes_are_those_of_the_page(path):
    path.write_bytes(by_hand(0, -1, 0, 1, 0, 0, 0, 0, 1))  # a quarter turn about z
    character = supple.load(path)
    assert character.skeleton.joints == (supple.Axes("xyz", [(-1, 1), (0, 0), (0, 0)], "yz"),)
    assert np.allclose(character.meshes[0].positions, [[5, 6, 7], [5, 7, 7], [4, 6, 7]])
    assert character.meshes[0].texcoords.tolist() == [[0, 1], [1, 1], [0, 0]]


def test_the_bytes_come_back_to_the_last_one(path):
    made = by_hand(1, 0, 0, 0, 1, 0, 0, 0, 1)
    path.write_bytes(made)
    supple.save(supple.load(path), path)
    assert path.read_bytes() == made


def test_names_are_by_index_and_said(path):
    supple.save(hero(), path)
    character = supple.load(path)
    assert character.skeleton.names == ("bone 1", "bone 0", "bone 2")  # parents first
    assert list(character.motions) == ["sequence 1"]
    assert any("names are not in this format" in note.text for note in character.notes)


def test_a_file_of_names_must_fit(path, tmp_path):
    supple.save(hero(), path)
    names = tmp_path / "names.txt"
    names.write_text("one\ntwo\n")
    with pytest.raises(SuppleError, match="names.txt: expected 3 names of bones.*got 2"):
        supple.load(path, names=names)
    names.write_text("a\n\nb\nc\n")
    assert set(supple.load(path, names=names).skeleton.names) == {"a", "b", "c"}


def test_the_pose_it_stands_in_comes_back(path):
    character = hero()
    pose = character.skeleton.pose({"knee": {"x": 1.0}})
    supple.save(character.posed(pose), path)
    again = supple.load(path)
    assert again.skeleton.rest != again.pose
    found = [again.pose.position(f"bone {k}") for k in range(3)]
    assert np.allclose(found, [pose.position(name) for name in ("knee", "hip", "foot")], atol=1e-6)


JOINTS = (
    supple.Fixed(),
    supple.Ball(),
    supple.Axes("zyx", frozen="zyx"),
    supple.Axes("zx"),
    supple.Axes("zxz", frozen="x"),
    supple.Axes("xyz", [(0.1, 0.2), (-1, 0), None]),
    supple.Hinge("-y", limits=(0, 1)),
    supple.Hinge((1, 2, -1)),
    supple.Slider("z"),
    supple.Planar("y"),
    supple.Free(),
    supple.Ball(stretch=(0.5, 2)),
)


@st.composite
def moving(draw):
    """A character of a few joints of any kind, rotated at rest and in the frames of two motions."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kinds = draw(st.lists(st.sampled_from(JOINTS), min_size=1, max_size=5))
    nodes = [
        (f"j{k}", f"j{rng.integers(k)}" if k else None, rng.normal(size=3), kind,
         from_euler("xyz", rng.uniform(-3, 3, 3)))
        for k, kind in enumerate(kinds)
    ]  # fmt: skip
    skeleton = supple.Skeleton(nodes)

    def poses(count):
        turns = rng.uniform(-3, 3, (count, len(skeleton.freedoms)))
        rows = np.array(supple.Pose.from_angles(skeleton, turns).coordinates)
        for joint, row in zip(skeleton.joints, skeleton.packed_ints, strict=True):
            if getattr(joint, "frozen", ()):  # what IK does not move, a motion may
                at = slice(row[layout.Q], row[layout.Q] + joint.coordinate_count)
                rows[:, at] = rng.uniform(-3, 3, (count, joint.coordinate_count))
        shifts = rng.normal(size=(count, len(nodes), 3)) * rng.integers(0, 2)
        return supple.Pose(skeleton, rows, skeleton.offsets + shifts)

    motions = {name: Motion(name, poses(3), fps=fps) for name, fps in (("a", 25), ("b", 30))}
    return Character(skeleton, (), motions, poses(1)[0] if rng.integers(2) else None)


@settings(max_examples=40)
@given(moving())
def test_every_frame_of_every_motion_puts_the_joints_where_they_were(tmp_path_factory, character):
    path = tmp_path_factory.getbasetemp() / "moving.character"
    names = path.with_suffix(".names")
    supple.save(character, path, names=names)
    again = supple.load(path, names=names)
    assert list(again.motions) == list(character.motions)
    pairs = [(character.pose, again.pose)]
    pairs += [(one.poses, again.motions[name].poses) for name, one in character.motions.items()]
    for before, after in pairs:
        for name in character.skeleton.joint_names:
            gap = before.position(name) - after.position(name)
            assert np.abs(gap).max() < 1e-5 * (1 + character.extent)


def test_a_root_that_only_motions_rotate_keeps_its_rotation(path):
    """As an SMD file has it: IK leaves the root alone, keyframes rotate it."""
    skeleton = supple.Skeleton(
        [
            ("hip", None, (0, 0, 1), supple.Axes("zyx", frozen="zyx"), (0.8, 0, 0.6, 0)),
            ("knee", "hip", (1, 0, 0), supple.Ball()),
        ]
    )
    rows = np.tile(skeleton.rest.coordinates, (5, 1))
    rows[:, 0] = np.linspace(0, 2, 5)
    motion = Motion("turn", supple.Pose(skeleton, rows), fps=10)
    supple.save(motion, path)
    again = supple.load(path)
    assert again.skeleton.freedoms == tuple(f"bone 1.{axis}" for axis in "xyz")
    knee = again.motions["sequence 1"].poses.position("bone 1")
    assert np.abs(knee - motion.poses.position("knee")).max() < 1e-6
    # A reference without motions keeps the joint, so that motions of other files can rotate it.
    supple.save(Character(skeleton), path)
    other = path.with_name("turn.character")
    supple.save(motion, other)
    (found,) = supple.load(path, motions=[other]).motions.values()
    assert np.abs(found.poses.position("bone 1") - motion.poses.position("knee")).max() < 1e-6


@pytest.mark.parametrize(
    ("joint", "limits", "options", "exact"),
    [
        (supple.Ball(), [-np.inf, np.inf] * 3, 7, True),
        (supple.Fixed(), [0] * 6, 0, True),
        (supple.Hinge("y", limits=(-1, 2)), [0, 0, -1, 2, 0, 0], 2, True),
        (supple.Hinge("-z", limits=(-1, 2)), [0, 0, 0, 0, -2, 1], 4, True),
        (supple.Hinge((1, 1, 0)), [-np.inf, np.inf] * 3, 7, False),
        (supple.Axes("zx"), [-np.inf, np.inf] * 3, 5, False),
        (supple.Slider("x"), [0] * 6, 0, False),
    ],
)
def test_joints_as_bones(joint, limits, options, exact):
    assert bone_limits(joint) == (limits, options, exact)


def test_rigid_and_still_meshes_are_held_by_one_bone(path):
    skeleton = supple.chain([1.0, 1.0])
    meshes = (Mesh("a", np.eye(3), [[0, 1, 2]], joint="j1"), Mesh("b", np.eye(3), [[0, 1, 2]]))
    supple.save(Character(skeleton, meshes), path)
    again = supple.load(path)
    assert np.allclose(again.meshes[0].positions[:3], np.eye(3) + [1, 0, 0])
    assert np.allclose(again.meshes[0].positions[3:], np.eye(3))


def test_every_cut_is_an_error(path):
    supple.save(hero(), path)
    whole = path.read_bytes()
    for end in [*range(0, 200, 3), *range(200, len(whole), 101), len(whole) - 1]:
        path.write_bytes(whole[:end])
        with pytest.raises(SuppleError):
            supple.load(path, format="character")


@pytest.mark.parametrize(
    ("at", "value", "message"),
    [
        (1, b"\2", "version 1"),
        (4, b"\xff\xff\xff\xff", "cut off"),
        (4, b"\0\0\0\0", "at least one bone"),
        (8, struct.pack("<2f", 2, 1), "limits"),
        (8 + 24, struct.pack("<i", 77), "parent from -1 to 2"),
        (8 + 24, struct.pack("<i", 0), "cycle"),
        (8 + 96 + 4 + 4, struct.pack("<I", 1), "multiple of 3"),
        (8 + 96 + 4 + 24, struct.pack("<f", np.nan), "finite"),
        (8 + 96 + 4 + 24, struct.pack("<f", 3.0), "rotations"),
    ],
)
def test_what_is_wrong_is_said(path, at, value, message):
    supple.save(hero(), path)
    whole = bytearray(path.read_bytes())
    whole[at : at + len(value)] = value
    path.write_bytes(whole)
    with pytest.raises(SuppleError, match=message) as error:
        supple.load(path, format="character")
    assert "hero.character" in str(error.value)


def test_noise_never_does_anything_but_refuse(path):
    supple.save(hero(), path)
    whole = path.read_bytes()
    rng = np.random.default_rng(6)
    for _ in range(300):
        spoiled = bytearray(whole)
        for at in rng.integers(0, len(whole), 6):
            spoiled[at] = rng.integers(0, 256)
        path.write_bytes(spoiled)
        with contextlib.suppress(SuppleError):
            supple.load(path, format="character")
