"""Oddities of a character are found, and nothing else."""

import numpy as np
import pytest

import supple
from supple import Character, Hinge, Mesh, Motion, Node, Note, Pose, Skeleton, Skin, Tip
from supple.apps.formats.lint import lint
from supple.rotations import from_axis_angle

SKELETON = Skeleton(
    [Node("a", None, (0, 1, 0)), Node("b", "a", (0, 0.5, 0))], [Tip("tip", "b", (0, 0.5, 0))]
)


def kinds(character):
    return {finding.kind for finding in lint(character)}


def character(**changes):
    return Character(**{"skeleton": SKELETON, "unit": "m", "up": "y", **changes})


def skinned(shift=0.0, weights=((1.0, 0.0),) * 3, normals=None):
    binds = np.linalg.inv(SKELETON.rest.frames[:2])
    binds[:, 0, 3] += shift
    skin = Skin.from_table(("a", "b"), binds, [[0, 1]] * 3, weights)
    return Mesh("m", np.eye(3), [[0, 1, 2]], normals, skin=skin)


def motion(turns, **more):
    return Motion(
        "m", SKELETON.rest.with_({"b": from_axis_angle("z", np.array(turns))}), fps=10, **more
    )


def test_nothing_odd():
    good = character(meshes=(skinned(),), motions={"m": motion([0, 0.1, 0.2])})
    assert lint(good) == ()


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("unit", {"unit": None}),
        ("unit", {"unit": "mm"}),
        ("bind pose", {"meshes": (skinned(shift=1.0),)}),
        ("weights", {"meshes": (skinned(weights=((0.5, 0.2),) * 3),)}),
        ("normals", {"meshes": (skinned(normals=np.eye(3) * 3),)}),
        ("triangles", {"meshes": (Mesh("m", np.eye(3), [[0, 1, 1]]),)}),
        ("jumps", {"motions": {"m": motion([0, 2.5])}}),
        ("frame gaps", {"motions": {"m": motion([0, 0.1], times=[0, 1])}}),
        ("reader", {"notes": (Note("odd", 3, "x.bvh"),)}),
    ],
)
def test_what_is_odd_is_found(kind, changes):
    assert kind in kinds(character(**changes))


def test_bones():
    twin = Skeleton([Node("a"), Node("b", "a"), Node("c", None, (1, 1, 1))])
    assert {"zero bones", "roots"} <= kinds(Character(twin, unit="m"))
    hinge = SKELETON.with_joints({"b": Hinge("z", limits=(-0.1, 0.1))})
    swing = Motion("m", hinge.rest.with_({"b": np.array([0.0, 0.5])}), fps=10)
    assert "limits" in kinds(Character(hinge, motions={"m": swing}, unit="m"))
    places = np.tile(SKELETON.offsets, (2, 1, 1))
    places[1, 1] *= 1.5
    longer = Motion("m", Pose(SKELETON, None, places), fps=10)
    assert "offsets" not in kinds(character(motions={"m": longer}))  # it carries everything
    forked = Skeleton([*SKELETON.nodes, Node("c", "a", (1, 0, 0))])
    spread = np.tile(forked.offsets, (2, 1, 1))
    spread[1, 1] *= 1.5
    longer = Motion("m", Pose(forked, None, spread), fps=10)
    assert "offsets" in kinds(Character(forked, motions={"m": longer}, unit="m"))


def test_many_joints_a_vertex():
    skeleton = supple.chain([1] * 6)
    binds = np.linalg.inv(skeleton.rest.frames[:6])
    skin = Skin(skeleton.joint_names, binds, [0, 6, 7, 8], [*range(6), 0, 0], [1 / 6] * 6 + [1, 1])
    mesh = Mesh("m", np.eye(3), [[0, 1, 2]], skin=skin)
    (found,) = lint(Character(skeleton, (mesh,), unit="m"))
    assert found.kind == "weights"
    assert "1 vertices have more than 4" in found.text


def test_channel_orders(tmp_path):
    path = tmp_path / "odd.bvh"
    path.write_text(
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 6 Zrotation Xrotation Yrotation Xposition "
        "Yposition Zposition\nJOINT b\n{\nOFFSET 0 1 0\nCHANNELS 6 Xposition Yposition Zposition "
        "Xrotation Yrotation Zrotation\nJOINT c\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n}\n}\n}\n"
        "MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0 0 1 0 0 0 0 0\n"
    )
    texts = [one.text for one in lint(supple.load(path)) if one.kind == "channel orders"]
    assert any("orders differ" in text and "ZXY" in text for text in texts)
    assert any("rotations before positions: 'a'" in text for text in texts)
    assert any("1 joints below the root" in text for text in texts)
    assert any("fewer than three" in text and "'c'" in text for text in texts)


def test_feet_that_slide():
    skeleton = Skeleton(
        [
            Node("hips", None, (0, 0.9, 0)),
            *(
                Node(f"{side} {name}", f"{side} {above}" if above else "hips", offset)
                for side, x in (("left", 0.1), ("right", -0.1))
                for name, above, offset in (
                    ("thigh", "", (x, 0, 0)),
                    ("shin", "thigh", (0, -0.45, 0.05)),
                    ("foot", "shin", (0, -0.42, -0.05)),
                )
            ),
        ]
    )
    places = np.tile(skeleton.offsets, (30, 1, 1))
    still = Motion("m", Pose(skeleton, np.tile(skeleton.rest.coordinates, (30, 1)), places), fps=30)
    good = Character(skeleton, motions={"m": still}, unit="m", up="y")
    assert kinds(good) == set()
    drift = np.array(places)
    drift[:, 0, 0] = 0.2 * np.arange(30) / 30
    slides = still.with_(poses=Pose(skeleton, still.poses.coordinates, drift))
    (finding,) = lint(good.with_(motions={"m": slides}))
    assert finding.kind == "feet"
    assert "0.23 leg lengths" in finding.text
    fixed = supple.plant_feet(slides).motion
    assert lint(good.with_(motions={"m": fixed})) == ()
    assert lint(good.with_(motions={"m": slides}, up=None)) == ()
