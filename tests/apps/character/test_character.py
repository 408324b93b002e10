"""Characters: what a file holds."""

import copy
import pickle

import numpy as np
import pytest

import supple
from supple import Character, Mesh, Motion, Node, Note, Pose, Skeleton, Skin, SuppleError, Tip

SKELETON = Skeleton([Node("a"), Node("b", "a", (1, 0, 0))], [Tip("tip", "b", (1, 0, 0))])


def skinned(name="body"):
    skin = Skin(("b", "a"), np.tile(np.eye(4), (2, 1, 1)), [0, 1, 2, 3], [0, 1, 0], [1.0] * 3)
    return Mesh(name, np.eye(3), [[0, 1, 2]], skin=skin)


def hero():
    poses = Pose.stack([SKELETON.rest, SKELETON.pose({"b": (0, 0, 1)})])
    return Character(
        SKELETON, (skinned(),), {"wave": Motion("wave", poses, fps=2)}, unit="m", up="y"
    )


def test_it_holds_a_skeleton_meshes_and_motions():
    character = hero()
    assert character.pose == SKELETON.rest
    assert character.mesh("body") is character.meshes[0]
    assert character.motion("wave") is character.motions["wave"]
    assert character.extent > 1
    assert repr(character) == "Character(2 joints; 1 mesh (body); 1 motion (wave))"
    assert "<figure>" in character._repr_html_()
    with pytest.raises(SuppleError, match="did you mean 'wave'"):
        character.motion("wvae")
    with pytest.raises(SuppleError, match="did you mean 'body'"):
        character.mesh("boddy")
    with pytest.raises(TypeError):
        character.motions["other"] = character.motions["wave"]


def test_it_can_be_posed_and_changed():
    character = hero()
    bent = SKELETON.pose({"a": (0, 0, 1)})
    posed = character.posed(bent)
    assert posed.pose == bent
    assert posed.skeleton == character.skeleton
    assert posed.meshes == character.meshes
    assert character.pose == SKELETON.rest
    other = SKELETON.with_joints({"b": supple.Hinge("z")})
    moved = posed.with_(skeleton=other, motions={})
    assert moved.pose == other.rest
    assert character.with_(unit="cm").unit == "cm"


def test_it_compares_copies_and_pickles():
    assert hero() == hero()
    assert hero() != hero().with_(unit="cm")
    assert hero() != hero().with_(meshes=())
    assert hero() == hero().with_(source="elsewhere", notes=(Note("odd"),))
    for twin in (pickle.loads(pickle.dumps(hero())), copy.deepcopy(hero())):
        assert twin == hero()


def test_joints_can_be_renamed_everywhere():
    renamed = hero().renamed({"b": "hand", "tip": "finger"})
    assert renamed.skeleton.names == ("a", "hand", "finger")
    assert renamed.meshes[0].skin.joints == ("hand", "a")
    assert np.allclose(
        renamed.motion("wave").poses.positions, hero().motion("wave").poses.positions
    )
    with pytest.raises(SuppleError, match="'b'"):
        hero().renamed({"bb": "c"})
    with pytest.raises(SuppleError, match="differ"):
        hero().renamed({"b": "a"})


def test_a_joint_copies_the_same_other_one_after_it_is_renamed():
    joints = [Node("wheel", None, (0, 0, 0), supple.Hinge("z")),
              Node("rack", None, (5, 0, 0), supple.Slider("x", mimic=("wheel", 2.0, 0.5)))]  # fmt: skip
    new = Character(Skeleton(joints)).renamed({"wheel": "pinion"}).skeleton
    assert new.pose({"pinion": 1.0}).position("rack")[0] == pytest.approx(7.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"skeleton": "a"}, "Skeleton"),
        ({"meshes": (Mesh("m", np.eye(3), [[0, 1, 2]], joint="c"),)}, "joint of mesh 'm'"),
        ({"meshes": ("m",)}, "meshes"),
        ({"motions": {"m": Motion("m", [supple.chain([1]).rest], fps=1)}}, "motion.on"),
        ({"motions": [1]}, "expected {name: motion}"),
        ({"pose": supple.chain([1]).rest}, "pose"),
        ({"up": "north"}, "up axis"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    with pytest.raises(SuppleError, match=message):
        Character(**{"skeleton": SKELETON, **change})


def test_a_skin_must_name_joints_of_the_skeleton():
    other = Skeleton([Node("a"), Node("c", "a")])
    with pytest.raises(SuppleError, match="skin of mesh 'body'"):
        Character(other, (skinned(),))


def test_notes_say_where():
    assert str(Note("odd", 3, "a.bvh")) == "a.bvh:3: odd"
    assert str(Note("odd")) == "odd"
    with pytest.raises(SuppleError, match="level"):
        Note("odd", level="bad")


def test_the_extent_includes_meshes_on_joints():
    skeleton = Skeleton(
        [Node("a", None, (1, 0, 0), rotation=supple.rotations.from_axis_angle("z", np.pi / 2))]
    )
    mesh = Mesh("box", [[0, 0, 0], [3, 0, 0], [0, 4, 0]], [[0, 1, 2]], joint="a")
    assert Character(skeleton, (mesh,)).extent == pytest.approx(5.0)
