"""Robots without meshes have a body all the same."""

import numpy as np

import supple
from supple.apps.viewer.capsule_mesh import capsule_mesh
from supple.apps.viewer.stand_in import stand_in
from supple.apps.viewer.subject import character_subject, limb_depth
from supple.model.capsules import Capsule
from supple.model.geoms import Geom
from supple.model.physics import Physics


def robot():
    nodes = [
        ("world", None, (0, 0, 0), supple.Fixed()),
        ("base", "world", (0, 0, 1), supple.Free()),
    ]
    for side, y in (("left", 0.2), ("right", -0.2)):
        nodes += [
            (f"{side}_shoulder", "base", (0, y, 0.3), supple.Hinge("y")),
            (f"{side}_elbow", f"{side}_shoulder", (0, 0, -0.3), supple.Hinge("y")),
            (f"{side}_cover", f"{side}_elbow", (0, 0.05, 0), supple.Hinge("y")),
        ]
    tips = [(f"{side}_hand", f"{side}_elbow", (0.3, 0, 0)) for side in ("left", "right")]
    geoms = [Geom("box", "base", (0.1, 0.2, 0.3), name="trunk"), Geom("sphere", "left_cover", (0.04,))]  # fmt: skip
    return supple.Skeleton(nodes, tips, physics=Physics(geoms=tuple(geoms)))


def test_a_capsule_has_its_surface():
    one = Capsule((0.1, 0.2, 0.3), (0.4, -0.2, 0.9), 0.25)
    mesh = capsule_mesh("one", "j0", one)
    assert np.allclose(one.distances(mesh.positions), 0.0, atol=1e-9)
    corners = mesh.positions[mesh.faces]
    out = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(out, axis=1, keepdims=True)
    real = sizes[:, 0] > 1e-9  # at the poles triangles have no size
    middles = corners.mean(axis=1)[real]
    beyond = middles + 1e-3 * out[real] / sizes[real]
    assert np.all(one.distances(beyond) > one.distances(middles)), "faces look outwards"


def test_geoms_and_bones_are_the_body():
    skeleton = robot()
    meshes = {mesh.name: mesh for mesh in stand_in(skeleton)}
    assert np.allclose(np.ptp(meshes["trunk"].positions, axis=0), (0.2, 0.4, 0.6))
    joints = {mesh.joint for mesh in meshes.values()}
    assert {"base", "left_elbow", "right_elbow", "left_cover"} <= joints
    assert "world" not in joints, "nothing leads from the ground to a base that floats"


def test_a_robot_has_a_goal_for_each_hand_and_is_seen_from_the_front():
    character = supple.Character(robot(), up="z", unit="m")
    subject = character_subject(character, key="r", title="Robot")
    assert [goal.effector for goal in subject.goals] == ["right_hand", "left_hand"]
    assert subject.front == "x" and subject.meshes
    assert [goal.depth for goal in subject.goals] == [2, 2], "the base stays where it is"


def test_a_limb_ends_below_what_floats():
    skeleton = robot()
    assert limb_depth(skeleton, "left_hand") == 2
    assert limb_depth(skeleton, "left_elbow") == 1
