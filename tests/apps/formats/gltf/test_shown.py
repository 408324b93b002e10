"""What other programs show of a file: the first animation, and bones where there is no mesh."""

import json

import numpy as np
import pytest

import supple
from supple.apps.character.character import Character
from supple.apps.character.motion import Motion
from supple.apps.character.skinning import skin
from supple.apps.formats.gltf.write_bones import MOST_JOINTS, bone_mesh
from supple.errors import SuppleError
from supple.model.mesh import Mesh


def without_extras(value):
    """A JSON value without extras, as programs see it that know nothing of them."""
    if isinstance(value, dict):
        return {key: without_extras(one) for key, one in value.items() if key != "extras"}
    return [without_extras(one) for one in value] if isinstance(value, list) else value


def seen_by_others(thing, tmp_path, **options):
    """A thing saved as glTF, and read without the extras that supple wrote."""
    path = tmp_path / "seen.gltf"
    supple.save(thing, path, embed=True, **options)
    path.write_text(json.dumps(without_extras(json.loads(path.read_text()))))
    return supple.load(path)


def walker(**options):
    """A chain with two motions, one of which stretches and scales it."""
    skeleton = supple.chain([1, 1, 1])
    q = np.tile(skeleton.rest.coordinates, (4, 1))
    angle = np.linspace(0, 1, 4)
    q[:, 4], q[:, 7] = np.cos(angle), np.sin(angle)
    offsets, scales = np.tile(skeleton.offsets, (4, 1, 1)), np.ones((4, 3, 3))
    offsets[:, 1, 0] += angle
    scales[:, 2] += angle[:, None]
    walk = Motion("walk", supple.Pose(skeleton, q), fps=10)
    grow = Motion("grow", supple.Pose(skeleton, q, offsets, scales), fps=10)
    motions = {"walk": walk, "grow": grow}
    return Character(skeleton, motions=motions, unit="m", up="y", **options)


def bent(character):
    return supple.solve(character.skeleton, {"tip": (0.5, 1.5, 0.5)}).pose


def test_the_first_animation_of_a_posed_character_shows_its_pose(tmp_path):
    character = walker()
    pose = bent(character)
    others = seen_by_others(character.posed(pose), tmp_path)
    first = next(iter(others.motions.values()))
    assert list(others.motions) == ["pose", "walk", "grow"] and first.duration > 0
    for name in character.skeleton.names:
        shown = [first.poses.position(name)[k] for k in range(len(first))]
        assert np.allclose(shown, pose.position(name), atol=1e-6)
        assert np.allclose(others.pose.position(name), pose.position(name), atol=1e-6)
    # What a program leaves behind that has played another motion before is brought back.
    moved = {
        (channel["target"]["node"], channel["target"]["path"])
        for item in json.loads((tmp_path / "seen.gltf").read_text())["animations"][1:]
        for channel in item["channels"]
    }
    held = json.loads((tmp_path / "seen.gltf").read_text())["animations"][0]["channels"]
    assert moved == {(one["target"]["node"], one["target"]["path"]) for one in held}


def test_the_animation_of_the_pose_is_no_motion_on_reading(tmp_path):
    character = walker().posed(bent(walker()))
    for _ in range(2):
        supple.save(character, tmp_path / "a.glb")
        again = supple.load(tmp_path / "a.glb")
        assert list(again.motions) == ["walk", "grow"] and not again.notes
        assert np.allclose(again.pose.positions, character.pose.positions, atol=1e-9)
        assert again.skeleton.joints == character.skeleton.joints
        character = again


def test_a_character_at_rest_plays_its_first_motion(tmp_path):
    assert list(seen_by_others(walker(), tmp_path).motions) == ["walk", "grow"]
    assert not seen_by_others(bent(walker()), tmp_path).motions  # the nodes show it


def test_a_motion_named_pose_stays_apart_from_the_pose(tmp_path):
    motion = walker().motions["walk"].with_(name="pose")
    character = walker().with_(motions={"pose": motion}).posed(bent(walker()))
    assert len(set(seen_by_others(character, tmp_path).motions)) == 2
    supple.save(character, tmp_path / "a.glb")
    again = supple.load(tmp_path / "a.glb")
    assert list(again.motions) == ["pose"] and len(again.motions["pose"]) == 4


def test_a_posed_character_whose_motions_move_no_joint_shows_its_pose(tmp_path):
    """As a face does, whose motions move morph targets alone."""
    pose = bent(walker())
    still = Motion("still", [pose, pose], fps=10, tracks={"light": np.zeros(2)})
    others = seen_by_others(walker().with_(motions={"still": still}).posed(pose), tmp_path)
    first = next(iter(others.motions.values()))
    assert np.allclose(first.poses.position("tip"), pose.position("tip"), atol=1e-6)


def test_the_motion_that_is_asked_for_is_played(tmp_path):
    character = walker()
    for one in (character, character.posed(bent(character))):
        assert list(seen_by_others(one, tmp_path, motion="grow").motions) == ["grow", "walk"]
    with pytest.raises(SuppleError, match="motion.*'wallk'.*walk"):
        supple.save(character, tmp_path / "a.glb", motion="wallk")


def test_the_bones_of_a_skeleton_without_meshes_are_seen(tmp_path):
    """They follow every motion: an end of a bone is where its joint is."""
    character = walker()
    others = seen_by_others(character, tmp_path)
    (bones,) = others.meshes
    assert bones.skin is not None and set(bones.skin.joints) == set(others.skeleton.joint_names[:3])
    poses = character.motions["grow"].poses
    shown = skin(bones, others.motions["grow"].poses)
    for head, tail in (("j0", "j1"), ("j1", "j2")):
        for name in (head, tail):
            apart = np.linalg.norm(shown - poses.position(name)[:, None], axis=-1)
            assert apart.min(axis=1).max() < 1e-6


def test_bones_are_not_read_back(tmp_path):
    for character in (
        walker(),
        Character(supple.chain([1, 1]), unit="cm", up="z"),
        Character(
            supple.Skeleton([("a", None, (0, 0, 0)), ("b", None, (1, 0, 0), supple.Fixed())])
        ),
    ):
        supple.save(character, tmp_path / "a.glb")
        again = supple.load(tmp_path / "a.glb")
        assert not again.meshes and again.skeleton.names == character.skeleton.names
        assert again.skeleton.joints == character.skeleton.joints
        assert np.allclose(again.skeleton.rest.positions, character.skeleton.rest.positions)


def test_bones_can_be_left_out(tmp_path):
    assert not seen_by_others(walker(), tmp_path, bones=False).meshes


def test_a_character_with_meshes_has_no_bones_drawn(tmp_path):
    mesh = Mesh("body", np.eye(3), [[0, 1, 2]], joint="j1")
    assert [one.name for one in seen_by_others(walker(meshes=(mesh,)), tmp_path).meshes] == ["body"]


@pytest.mark.parametrize(
    "offset", [(0, 0, 0), (1e-6, 0, 0), (0, 5, 0), (1e-200, 0, 0), (1e32, 1, 0)]
)
def test_bones_face_outwards_whatever_their_length(offset, tmp_path):
    skeleton = supple.Skeleton([("a", None, (1, 2, 3)), ("b", "a", offset), ("c", "b", (0, 0, -2))])
    mesh = bone_mesh(skeleton)
    if abs(offset[0]) > 1e30:
        assert mesh is None  # beyond float32
    else:
        assert mesh is not None and np.isfinite(mesh.positions).all()
        corners = mesh.positions[mesh.faces]
        inside = corners.reshape(-1, 8, 3, 3).mean(axis=(1, 2)).repeat(8, axis=0)
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert (np.einsum("fi,fi->f", normals, corners.mean(axis=1) - inside) > 0).all()
    supple.save(skeleton, tmp_path / "a.glb")
    assert supple.load(tmp_path / "a.glb").skeleton.names == skeleton.names


def test_more_joints_than_a_skin_can_have_are_saved_without_bones():
    count = MOST_JOINTS + 1
    nodes = [("j0", None, (0, 0, 0)), *((f"j{k}", "j0", (k, 0, 0)) for k in range(1, count))]
    assert bone_mesh(supple.Skeleton(nodes)) is None
