import numpy as np
import pytest

import supple
from supple import Character, Material, Mesh, Morph, Motion, Texture
from supple.apps.viewer.meshes import morph_weights

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], float)
FACES = [(0, 1, 2), (0, 2, 3)]
UP = np.tile((0.0, 0.0, 1.0), (4, 1))


def shown(page, *meshes, **more):
    character = Character(supple.chain([1, 1]), meshes, **more)
    page.set_up(scene=f"file:{page.library.open_object(character)}")
    return page.packet("mesh")


def test_morph_targets_travel_with_their_weights(page):
    smile = Morph("smile", positions=CORNERS, weight=0.25)
    blink = Morph("blink", normals=UP)
    told = shown(page, Mesh("face", CORNERS, FACES, normals=UP, morphs=(smile, blink)))
    assert told["head"]["morphs"] == ["smile", "blink"]
    assert told["head"]["weights"] == [0.25, 0]
    assert np.array_equal(told["morph_positions"], [CORNERS, np.zeros((4, 3))])
    assert np.array_equal(told["morph_normals"], [np.zeros((4, 3)), UP])


def test_materials_travel_whole(page):
    skin = Material(
        "skin",
        color=(0.5, 0.25, 0.125, 1.0),
        texture=Texture("a.png", b"colours", "image/png"),
        normal_map=Texture("b.jpg", b"bumps", "image/jpeg"),
        alpha_mode="MASK",
        alpha_cutoff=0.75,
        emissive=(0.5, 0.0, 0.25),
    )
    told = shown(page, Mesh("face", CORNERS, FACES, material=skin))
    assert told["normal_map"].tobytes() == b"bumps" and told["texture"].tobytes() == b"colours"
    head = told["head"]
    assert (head["texture_type"], head["normal_map_type"]) == ("image/png", "image/jpeg")
    assert head["alpha"] == "MASK" and head["cutoff"] == 0.75
    assert head["emissive"] == [0.5, 0, 0.25] and head["color"] == [0.5, 0.25, 0.125, 1]


def test_an_image_of_which_only_the_name_is_known_is_left_out(page):
    told = shown(page, Mesh("face", CORNERS, FACES, material=Material("m", texture=Texture("a"))))
    assert "texture" not in told


def talk():
    skeleton = supple.chain([1, 1])
    tracks = {"morphs:face": [(0.0, 1.0), (1.0, 0.5), (0.0, 0.0)], "contacts": [0, 1, 0]}
    return Motion("talk", [skeleton.rest] * 3, fps=2, tracks=tracks)


def test_weights_of_a_motion_are_mixed_between_its_frames():
    assert morph_weights(talk(), 0.25) == {"face": [0.5, 0.75]}
    assert morph_weights(talk(), 9.0) == {"face": [0, 0]}
    assert morph_weights(None, 1.0) == {}


def test_a_motion_s_weights_come_with_its_poses(page):
    motion = talk()
    face = Mesh("face", CORNERS, FACES, morphs=(Morph("a", CORNERS), Morph("b", CORNERS)))
    character = Character(motion.skeleton, (face,), {"talk": motion})
    name = f"file:{page.library.open_object(character)}"
    page.set_up(scene=name)
    assert page.want()["morphs"] == {}
    for correct in (True, False):
        page.set_up(scene=name, motion="talk", correct=correct)
        assert page.want(time=0.25)["morphs"] == {"face": [0.5, 0.75]}


ROBOT = """<robot name="arm">
  <link name="base"><visual><geometry><box size="0.4 0.4 0.1"/></geometry></visual></link>
  <link name="upper"><visual><origin xyz="0 0 0.2"/><geometry>
    <mesh filename="package://arm/meshes/visual/upper.stl" scale="2 2 2"/></geometry></visual></link>
  <link name="hand"><visual><geometry><mesh filename="../secret.stl"/></geometry></visual></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 1"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="wrist" type="revolute"><parent link="upper"/><child link="hand"/>
    <origin xyz="0.5 0 0"/><axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
</robot>
"""
STL = b"""solid one
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid one
"""


def test_a_robot_comes_with_the_meshes_that_were_dropped_beside_it(page):
    pytest.importorskip("trimesh")
    upload = page.library.upload()
    upload.place("arm.urdf").write_text(ROBOT)
    upload.place("upper.stl").write_bytes(STL)
    (upload.folder.parent / "secret.stl").write_bytes(STL)
    scene = page.set_up(scene=f"file:{page.library.open(upload)}")
    assert scene["meshes"] == 2
    assert any("'../secret.stl'" in note for note in scene["notes"]), "nothing outside is read"
    assert not any("supple-" in note for note in scene["notes"]), "nor told where all this lies"
    base, upper = page.packet("mesh"), page.packet("mesh")
    assert np.abs(base["positions"]).max(axis=0) == pytest.approx([0.2, 0.2, 0.05])
    assert np.allclose(upper["positions"], [(0, 0, 0.2), (2, 0, 0.2), (0, 2, 0.2)])
    assert scene["names"][upper["head"]["joint"]] == "shoulder"
    assert scene["ground"] == pytest.approx(-0.05), "what stands on it counts"
