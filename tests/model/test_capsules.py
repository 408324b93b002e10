"""Capsules around geoms, bones and skins."""

import math

import numpy as np
import pytest

import supple
from supple import Capsule, Geom, Mesh, Node, Skeleton, SuppleError, Tip
from supple.model.capsules import around, enclosing, from_meshes
from supple.model.physics import Physics


def surface(geom, rng, count=4000):
    """Random points of a geom's surface in the joint's frame."""
    d = rng.normal(size=(count, 3))
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    s = np.asarray(geom.size)
    if geom.kind == "sphere":
        p = d * s[0]
    elif geom.kind == "ellipsoid":
        p = d * s
    elif geom.kind == "capsule":
        p = d * s[0] + np.sign(d[:, 2:]) * (0, 0, s[1])
    elif geom.kind == "box":
        p = np.sign(d) * s
    else:  # the rims of a cylinder
        angle = rng.uniform(0, 2 * np.pi, count)
        rim = np.sign(rng.normal(size=count)) * s[1]
        p = np.stack([s[0] * np.cos(angle), s[0] * np.sin(angle), rim], axis=1)
    return geom.to_joint(p)


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("sphere", (0.3,)),
        ("capsule", (0.1, 0.5)),
        ("capsule", (0.1, 0.0)),
        ("cylinder", (0.1, 0.5)),
        ("cylinder", (0.5, 0.01)),
        ("box", (0.1, 0.2, 0.9)),
        ("box", (0.2, 0.2, 0.2)),
        ("ellipsoid", (0.3, 0.1, 0.2)),
        ("ellipsoid", (0.2, 0.2, 0.2)),
    ],
)
def test_a_capsule_encloses_its_geom(kind, size):
    turn = supple.rotations.from_axis_angle((1, 2, 3), 0.7)
    geom = Geom(kind, "j", size, (0.5, -0.2, 0.1), turn)
    capsule = around(geom)
    points = surface(geom, np.random.default_rng(0))
    assert capsule.distances(points).max() < 1e-9
    assert capsule.distances(points).max() > -1e-3 * capsule.radius  # and touches it


def test_spheres_and_capsules_are_themselves():
    one = around(Geom("capsule", "j", (0.1, 0.5), (1, 0, 0)))
    assert one == Capsule((1, 0, -0.5), (1, 0, 0.5), 0.1)
    assert around(Geom("sphere", "j", (0.2,))) == Capsule((0, 0, 0), (0, 0, 0), 0.2)
    assert around(Geom("plane", "j", (0, 0))) is None


def test_the_enclosing_capsule_is_about_the_least():
    rng = np.random.default_rng(3)
    for _ in range(5):  # points on a capsule: no other is less
        a, b, r = rng.normal(size=3), rng.normal(size=3), rng.uniform(0.1, 0.6)
        d = rng.normal(size=(2000, 3))
        d *= r / np.linalg.norm(d, axis=1, keepdims=True)
        points = np.concatenate([a + d[:1000], b + d[1000:]])
        found = enclosing(points)
        assert found.distances(points).max() <= 1e-9
        assert found.volume < 1.01 * Capsule(a, b, r).volume
    alone = enclosing([(1, 2, 3)])
    assert alone.a == (1, 2, 3) and alone.radius > 0
    line = enclosing([(0, 0, 0), (0, 0, 2)])
    assert line.length == pytest.approx(2, abs=0.01) and line.radius < 0.01
    with pytest.raises(SuppleError, match="at least one point"):
        enclosing(np.zeros((0, 3)))


def test_capsules_of_bones():
    skeleton = supple.chain([1.0, 0.0, 2.0])
    assert dict(skeleton.capsules) == {
        "j0": (Capsule((0, 0, 0), (1, 0, 0), 0.1),),
        "j2": (Capsule((0, 0, 0), (2, 0, 0), 0.2),),
    }


def test_capsules_of_a_character_come_from_its_skin():
    hero = supple.humanoid()
    capsules = hero.capsules
    assert set(capsules) <= set(hero.skeleton.joint_names) and len(capsules) > 15
    (mesh,) = hero.meshes[:1]
    heaviest = mesh.skin.table(1)[0][:, 0]
    for name, (capsule,) in from_meshes([mesh]).items():
        k = mesh.skin.joints.index(name)
        T = mesh.skin.T_joint_model[k]
        points = mesh.positions[heaviest == k] @ T[:3, :3].T + T[:3, 3]
        assert capsule.distances(points).max() < 1e-9
    box = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    rigid = Mesh("box", box, [(0, 1, 2)], joint="j0")
    character = supple.Character(supple.chain([1.0]), (rigid,))
    assert character.capsules["j0"][0].distances(box).max() < 1e-9


def test_capsules_can_be_edited():
    hero = supple.humanoid()
    joint = hero.skeleton.joint_names[3]
    mine = {joint: Capsule((0, 0, 0), (0, 0.1, 0), 0.05)}
    edited = hero.with_physics(capsules=mine)
    assert edited.capsules == {joint: (mine[joint],)} == edited.skeleton.capsules
    assert edited.pose.skeleton == edited.skeleton and set(edited.motions) == set(hero.motions)
    for motion in edited.motions.values():
        assert motion.skeleton == edited.skeleton
    with pytest.raises(SuppleError, match="joint of a capsule 'arm'"):
        hero.with_physics(capsules={"arm": Capsule((0, 0, 0), (0, 0, 1), 1)})
    with pytest.raises(SuppleError, match="unknown part of physics 'capsule'"):
        hero.with_physics(capsule={})
    with pytest.raises(SuppleError, match="radius of a capsule"):
        Capsule((0, 0, 0), (0, 0, 1), 0)


def test_physics_goes_with_the_skeleton(tmp_path):
    import pickle

    skeleton = Skeleton(
        [Node("a"), Node("b", "a", (1, 0, 0))],
        [Tip("t", "b", (1, 0, 0))],
        physics=Physics(
            geoms=(
                Geom("box", "a", (1, 1, 1)),
                Geom("mesh", "b", vertices=[(0, 0, 0), (1, 0, 0), (0, 1, 0)], faces=[(0, 1, 2)]),
            ),
            masses={"a": supple.Mass(1.0, (0.5, 0, 0), np.eye(3)), "b": None},
            loops=(supple.Loop("weld", "a", "b", (1, 0, 0)),),
            excludes=(("a", "b"),),
        ),
    )
    assert Skeleton.from_json(skeleton.to_json()) == skeleton
    assert pickle.loads(pickle.dumps(skeleton)) == skeleton
    assert skeleton.with_physics(loops=()) != skeleton
    other = skeleton.with_physics(
        geoms=(skeleton.geoms[0], Geom("mesh", "b", vertices=[(0, 0, 0), (1, 0, 0), (0, 2, 0)], faces=[(0, 1, 2)]))
    )  # fmt: skip
    assert other != skeleton
    assert skeleton.with_joints({"a": supple.Hinge("z")}).physics == skeleton.physics
    named = supple.Character(skeleton).renamed({"a": "c"}).skeleton
    assert named.geoms[0].joint == "c" and set(named.masses) == {"c", "b"}
    assert named.loops[0].a == "c" and named.physics.excludes == (("c", "b"),)
    from supple.apps.formats.conventions import converted

    metric = supple.Character(skeleton, unit="m", up="z")
    larger = converted(metric, unit="cm", up="y").skeleton
    assert larger.geoms[0].size == (100, 100, 100) and larger.loops[0].point_a == (100, 0, 0)
    assert larger.masses["a"].center == (50, 0, 0) and larger.masses["a"].inertia[0, 0] == 1e4


@pytest.mark.parametrize(
    ("kind", "size", "message"),
    [
        ("sphere", (0,), "radius above 0, got 0"),
        ("box", (1, 0, 1), "half y above 0"),
        ("ball", (1,), "unknown kind"),
        ("sphere", (1, 2), "size"),
        ("sphere", (math.nan,), "size"),
    ],
)
def test_geoms_of_no_size_are_refused(kind, size, message):
    with pytest.raises(SuppleError, match=message):
        Geom(kind, "j", size)


def test_a_body_without_geoms_has_capsules_along_its_bones():
    nodes = (
        Node("world", None, joint=supple.Fixed()),
        Node("base", "world", (0, 0, 1), supple.Hinge("z")),
        Node("arm", "base", (0, 0, 1), supple.Hinge("y")),
        Node("plate", "arm", (0, 0, 2), supple.Fixed()),
        Node("finger", "plate", (0, 0, 1), supple.Hinge("y")),
        Node("silent", "finger", (0, 0, 1), supple.Hinge("y")),
    )
    tips = (Tip("tool", "finger", (0, 0, 0.5)), Tip("end", "silent", (0, 0, 0.5)))
    geoms = (
        Geom("sphere", "plate", (0.1,)),  # of the same body as "arm"
        Geom("sphere", "silent", (0.1,), contype=0, conaffinity=0),
    )
    skeleton = Skeleton(nodes, tips, physics=Physics(geoms=geoms))
    assert set(skeleton.capsules) == {"base", "plate", "finger"}
    assert skeleton.capsules["base"] == (Capsule((0, 0, 0), (0, 0, 1), 0.1),)
    assert len(skeleton.capsules["finger"]) == 2  # to "silent" and to the tool
    one = supple.Mass(1.0, (0, 0, 0))
    heavy = skeleton.with_physics(masses={"world": one, "finger": None, "plate": one})
    assert set(heavy.capsules) == {"world", "plate", "finger"}  # "base" is no body of its own


def test_avoid_sees_bones_whose_shapes_were_not_read():
    nodes = (
        Node("base", None, joint=supple.Fixed()),
        Node("a", "base", (0, 0, 0), supple.Hinge("z", (-1, 1))),
        Node("b", "a", (1, 0, 0), supple.Hinge("z", (-1, 1))),
        Node("c", "b", (1, 0, 0), supple.Hinge("z", (-1, 1))),
    )
    physics = Physics(geoms=(Geom("sphere", "c", (0.05,)),))
    skeleton = Skeleton(nodes, (Tip("end", "c", (0.2, 0, 0)),), physics=physics)
    box = supple.Box(
        center=(0, 0, 0), size=(0.2, 0.2, 0.2)
    )  # around the joint that cannot leave it
    goals = [supple.Reach("end", (2.2, 0, 0)), supple.Avoid(obstacles=[box])]
    found = supple.solve(skeleton, goals)
    assert found.status is supple.Status.COLLIDES
    assert found.collision.a == "a"
