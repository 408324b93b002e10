"""`Avoid`, the evaluator of poses and `check` see the same body: the same pair, as deep, in any pose."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple
from supple import Avoid, Capsule, Geom, Hinge, Motion, Node, Pose, Reach, Skeleton, Tip
from supple.apps.motion.checks.clip import Clip
from supple.apps.motion.checks.collisions import collision, contacts_in
from supple.bodies.pairs import contacts_of

ROBOTS = Path(__file__).parents[3] / "shared/peers/retarget/data/robots"
SAME = 1e-9


def robot():
    """Two arms on a post: boxes, cylinders, a mesh, a sphere, and a bone of which no shape is known."""
    rng = np.random.default_rng(0)
    arm = (Node("post", None, (0, 0, 0), Hinge("z")),)
    tips = []
    for side, y in (("left", 0.25), ("right", -0.25)):
        arm += (
            Node(f"{side} shoulder", "post", (0, y, 0.5), Hinge("y", limits=(-2, 2))),
            Node(f"{side} roll", f"{side} shoulder", (0, 0, 0), Hinge("x", limits=(-2, 2))),
            Node(f"{side} elbow", f"{side} roll", (0.3, 0, 0), Hinge("y", limits=(-2.5, 2.5))),
            Node(f"{side} wrist", f"{side} elbow", (0.25, 0, 0), Hinge("z", limits=(-2, 2))),
        )
        tips.append(Tip(f"{side} hand", f"{side} wrist", (0.15, 0, 0)))
    geoms = [Geom("box", "post", (0.1, 0.15, 0.3), position=(0, 0, 0.3))]
    for side in ("left", "right"):
        along = (0.7071067811865476, 0, 0.7071067811865475, 0)
        geoms += [
            Geom("cylinder", f"{side} roll", (0.05, 0.12), position=(0.15, 0, 0), rotation=along),
            Geom(
                "mesh",
                f"{side} elbow",
                vertices=rng.normal(size=(40, 3)) * (0.08, 0.05, 0.05) + (0.12, 0, 0),
            ),
            Geom("sphere", f"{side} wrist", (0.04,), position=(0.1, 0, 0)),
        ]
    return Skeleton(arm, tips).with_physics(geoms=geoms)


class Body:
    """A skeleton, and the capsules that stand for its bones if they are not its own."""

    def __init__(self, skeleton, capsules=None, start=None):
        self.skeleton, self.capsules, self.start = skeleton, capsules, start or skeleton.rest
        children = {skeleton.parent(name) for name in skeleton.joint_names}
        self.ends = [name for name in skeleton.joint_names if name not in children]
        goals = [Reach(name, pose=supple.OPEN) for name in self.ends]  # so that all joints move
        self.ik = supple.prepare(skeleton, [*goals, Avoid(0.0, capsules=capsules)], free_root=True)
        self.contacts = contacts_of(skeleton, capsules)

    def pose(self, seed):
        """A pose inside the limits, not far from the start."""
        rng = np.random.default_rng(seed)
        angles = np.array(self.start.angles)
        angles += rng.normal(size=len(angles)) * rng.uniform(0.1, 0.8)
        return Pose.from_angles(self.skeleton, angles).clamped()

    def targets(self, pose):
        """Where the ends are in a pose."""
        return [pose.frames[self.skeleton.index(name)] for name in self.ends]


def humanoid():
    hero = supple.humanoid()
    return Body(hero.skeleton, dict(hero.capsules))


def bare():
    return Body(supple.humanoid().skeleton)


def loaded(path):
    character = supple.load(ROBOTS / path)
    return Body(character.skeleton, start=next(iter(character.poses.values()), character.pose))


BODIES = {"robot": lambda: Body(robot()), "humanoid": humanoid, "bare": bare}
if ROBOTS.is_dir():
    BODIES |= {"g1": lambda: loaded("unitree_g1/g1.xml"), "t1": lambda: loaded("booster_t1/t1.xml")}


@pytest.fixture(scope="module", params=BODIES)
def body(request):
    return BODIES[request.param]()


@given(seed=st.integers(0, 2**32 - 1))
def test_all_see_the_same_pair_as_deep(body, seed):
    pose = body.pose(seed)
    deepest = body.contacts.deepest(pose)
    judged = body.ik.evaluate(pose, *body.targets(pose)).collision
    clip = Clip(
        Motion("clip", Pose.stack([pose, pose]), fps=30.0),
        up="y",
        ground=None,
        capsules=body.capsules,
        loop=False,
    )
    assert (judged is None) == (deepest is None)
    if body.capsules is not None or body.skeleton.geoms:
        assert contacts_in(clip) is body.contacts
    if judged is not None:
        assert (judged.a, judged.b) == (deepest.a, deepest.b)
        assert judged.depth == pytest.approx(-deepest.gap, abs=SAME)


@given(seed=st.integers(0, 2**32 - 1))
def test_a_solve_leaves_a_pose_alone_that_is_free(body, seed):
    pose = body.pose(seed)
    solution = body.ik(*body.targets(pose), start=pose)
    if body.contacts.deepest(pose) is None:
        assert solution.reached and solution.iterations == 0
    else:
        assert solution.iterations > 0 or not solution.reached


def test_a_check_measures_the_depth_that_is_avoided():
    skeleton = robot()
    body = Body(skeleton)
    poses = [body.pose(seed) for seed in range(200)]
    poses = [pose for pose in poses if body.contacts.deepest(pose) is not None]
    assert len(poses) > 3
    for pose in poses[:5]:
        frames = Pose.stack([skeleton.rest] * 20 + [pose] + [skeleton.rest] * 20)
        motion = Motion("clip", frames, fps=30.0)
        clip = Clip(motion, up="z", ground=None, capsules=None, loop=False)
        measure = collision(clip, 0.45)
        deepest = body.contacts.deepest(pose)
        column = measure.names.index(f"{deepest.a} in {deepest.b}")
        radii = {}
        for solid in body.contacts.solids:
            radii[solid.joint] = max(radii.get(solid.joint, 0.0), solid.capsule.radius)
        both = sum(radii[skeleton.index(name)] for name in (deepest.a, deepest.b))
        assert measure.values[20, column] * both == pytest.approx(-deepest.gap, abs=SAME)


def test_given_capsules_are_the_same_for_all():
    skeleton = robot()
    capsules = {name: (Capsule((0, 0, 0), (0.1, 0, 0), 0.08),) for name in skeleton.joint_names}
    body = Body(skeleton, capsules)
    assert all(solid.hull is None for solid in body.contacts.solids)
    for seed in range(20):
        pose = body.pose(seed)
        judged = body.ik.evaluate(pose, *body.targets(pose)).collision
        assert (judged is None) == (body.contacts.deepest(pose) is None)
