"""Avoid: bones that keep apart from each other and from obstacles."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import supple
from supple import Avoid, Box, Capsule, Hinge, Plane, Reach
from supple.bodies.distances import segment_distances
from supple.rotations import rotate

RADIUS, MARGIN = 0.15, 0.02


@pytest.fixture(scope="module")
def arm():
    """Four links of length 1 and radius 0.15."""
    skeleton = supple.chain([1.0] * 4)
    link = Capsule((0, 0, 0), (1, 0, 0), RADIUS)
    return skeleton.with_physics(capsules=dict.fromkeys(skeleton.joint_names, link))


def gaps(pose: supple.Pose) -> float:
    """The least gap of links that are no neighbours."""
    points = [*(pose.position(f"j{k}") for k in range(4)), pose.position("tip")]
    links = list(itertools.pairwise(points))
    return min(
        float(segment_distances(*links[i], *links[j])) - 2 * RADIUS
        for i in range(4)
        for j in range(i + 2, 4)
    )


def near_targets(count: int) -> np.ndarray:
    rng = np.random.default_rng(4)
    way = rng.normal(size=(count, 3))
    return way / np.linalg.norm(way, axis=1)[:, None] * rng.uniform(0.35, 0.8, (count, 1))


def test_answers_keep_the_margin_and_meet_the_goal(arm):
    ik = supple.prepare(arm, [Reach("tip"), Avoid(MARGIN)])
    plain = supple.prepare(arm, [Reach("tip")])
    targets = near_targets(60)
    starts = ik.seeds(arm.rest, len(targets))
    found = [ik(t, start=s) for t, s in zip(targets, starts, strict=True)]
    without = [plain(t, start=s) for t, s in zip(targets, starts, strict=True)]
    assert sum(gaps(f.pose) < MARGIN for f in without) > 5  # so there is something to avoid
    assert all(f.reached for f in found)
    assert min(gaps(f.pose) for f in found) >= MARGIN - 1e-9


def test_what_cannot_be_kept_apart_is_named(arm):
    """A locked pose that overlaps: nothing can be done about it, and the answer says so."""
    folded = arm.pose({"j1": (0.0, 0.0, 0.0, 1.0), "j2": (0.0, 0.0, 0.0, 1.0)})
    goals = [Reach("tip", folded.position("tip"), depth=1), Avoid(MARGIN, pairs=[("j0", "j3")])]
    found = supple.solve(arm, goals, start=folded)
    assert found.status is supple.Status.COLLIDES
    assert not found.reached
    assert {found.collision.a, found.collision.b} == {"j0", "j3"}
    assert np.isclose(found.collision.depth, MARGIN + 2 * RADIUS)  # their axes touch
    assert "j0 and j3" in found.reason


def test_obstacles_are_kept_off(arm):
    ground, box = Plane((0, 0, -0.4)), Box((1.5, 0.0, 0.9), (0.6, 0.6, 0.6))
    pillar = Capsule((1.5, 1.5, -1.0), (1.5, 1.5, 1.0), 0.3)
    ik = supple.prepare(arm, [Reach("tip"), Avoid(MARGIN, obstacles=[ground, box, pillar])])
    for target in [(2.4, 0.8, -0.1), (2.5, -0.8, 0.4), (0.8, 2.6, 0.2)]:
        found = ik(target)
        assert found.reached
        along = np.linspace(0.0, 1.0, 60)[:, None]
        points = [*(found.position(f"j{k}") for k in range(4)), found.position("tip")]
        on_links = np.concatenate([a + along * (b - a) for a, b in itertools.pairwise(points)])
        assert on_links[1:, 2].min() > -0.4 + RADIUS + MARGIN - 1e-6
        inside = np.abs(on_links - box.center) - 0.3
        outside = np.linalg.norm(np.maximum(inside, 0.0), axis=1)
        assert outside.min() > RADIUS + MARGIN - 1e-6
        away = np.linalg.norm(on_links[:, :2] - 1.5, axis=1)
        assert away.min() > 0.3 + RADIUS + MARGIN - 1e-6


def crate(**geom):
    """A geom that slides up and down and tilts about y; the tip is its middle."""
    return supple.Skeleton(
        [
            supple.Node("lift", None, (0, 0, 0), supple.Slider("z")),
            supple.Node("tilt", "lift", (0, 0, 0), Hinge("y")),
        ],
        [supple.Tip("tip", "tilt", (0, 0, 0))],
    ).with_physics(geoms=[supple.Geom(joint="tilt", **geom)])


def lowest_point(pose: supple.Pose, points: np.ndarray) -> float:
    """The height of the lowest of some points of the crate."""
    return float((pose.position("tilt") + rotate(pose.rotation("tilt"), points))[:, 2].min())


WEDGE = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.3, 0.3) for z in (-0.1, 0.05)])


@pytest.mark.parametrize("angle", [0.0, 0.4, 1.3, np.pi])
@pytest.mark.parametrize(
    ("geom", "points"),
    [
        ({"kind": "box", "size": (0.5, 0.3, 0.1)}, np.sign(WEDGE) * (0.5, 0.3, 0.1)),
        ({"kind": "mesh", "vertices": WEDGE}, WEDGE),
    ],
    ids=["box", "mesh"],
)
def test_shapes_rest_on_the_ground_and_not_the_capsules_around_them(geom, points, angle):
    skeleton = crate(**geom)
    start = skeleton.pose({"lift": 2.0, "tilt": angle})
    goals = [Reach("tip", (0.0, 0.0, -1.0)), Avoid(MARGIN, obstacles=Plane())]
    found = supple.solve(skeleton, goals, start=start, lock=["tilt"])
    assert lowest_point(found.pose, points) == pytest.approx(MARGIN, abs=1e-4)
    assert found.status is not supple.Status.COLLIDES


def test_a_shape_lies_flat_on_the_ground():
    """Both ends of it touch: what tips over is held at more than one point."""
    skeleton = crate(kind="box", size=(0.5, 0.3, 0.1))
    start = skeleton.pose({"lift": 1.0, "tilt": 0.3})
    ends = [Reach("tilt", (x, 0.0, -0.2), point=(x, 0.0, 0.0)) for x in (-0.5, 0.5)]
    found = supple.solve(skeleton, [*ends, Avoid(obstacles=Plane())], start=start)
    assert found.position("tip")[2] == pytest.approx(0.1, abs=1e-3)
    assert abs(found.angles[1]) < 1e-2


def test_boxes_are_kept_away_from_shapes_by_what_is_between_them():
    skeleton = crate(kind="box", size=(0.5, 0.3, 0.1))
    table = Box((0.0, 0.0, -0.5), (1.0, 1.0, 1.0))
    goals = [Reach("tip", (0.0, 0.0, -0.2)), Avoid(MARGIN, obstacles=table)]
    found = supple.solve(skeleton, goals, start=skeleton.pose({"lift": 2.0}), lock=["tilt"])
    assert found.position("tip")[2] == pytest.approx(0.1 + MARGIN, abs=1e-4)


def test_neighbours_and_rigid_bones_are_left_out(arm):
    found = supple.solve(arm, [Reach("tip", (2.0, 1.0, 0.0)), Avoid()])
    assert set(found.asked.pairs) == {("j0", "j2"), ("j0", "j3"), ("j1", "j3")}
    only = supple.solve(arm, [Reach("tip", (2.0, 1.0, 0.0)), Avoid(pairs=[("j0", "j3")])])
    assert only.asked.pairs == (("j0", "j3"),)


def test_never_worse_than_the_start(arm):
    """A start that keeps its margins is not given up for a goal that cannot be reached without."""
    start = arm.rest
    found = supple.solve(arm, [Reach("tip", (0.05, 0.0, 0.0)), Avoid(MARGIN)], start=start)
    assert not found.reached
    assert found.status is not supple.Status.COLLIDES
    assert gaps(found.pose) >= MARGIN - 1e-9
    assert found.error <= np.linalg.norm(start.position("tip") - (0.05, 0.0, 0.0))


def test_a_batch_gives_the_answers_of_single_calls(arm):
    ik = supple.prepare(arm, [Reach("tip"), Avoid(MARGIN)])
    targets = near_targets(12)
    batch = ik.solve(targets, threads=2)
    for k, target in enumerate(targets):
        assert np.array_equal(ik(target).pose.coordinates, batch[k].pose.coordinates)
    assert batch.collision_depth.shape == (12,)


def test_solutions_go_through_json(arm):
    found = supple.solve(arm, [Reach("tip", (2.0, 1.0, 0.0)), Avoid(MARGIN)])
    assert supple.Solution.from_json(found.to_json()) == found


def test_capsules_from_geoms_need_no_scipy(monkeypatch):
    import sys

    from supple.model.capsules import enclosing

    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    rng = np.random.default_rng(0)
    points = rng.normal(size=(400, 3)) * (0.1, 0.1, 1.0)
    one = enclosing(points)
    assert one.distances(points).max() <= 1e-9
    assert one.radius < 0.5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Avoid(-1.0), "margin of Avoid"),
        (lambda: Avoid(obstacles=["ground"]), "expected Plane, Box or Capsule"),
        (lambda: Avoid(pairs=["j0"]), "expected pairs of joint names"),
        (lambda: Box((0, 0, 0), (1, 0, 1)), "size of a Box"),
        (lambda: Plane(normal=(0, 0, 0)), "normal of a Plane"),
        (lambda: supple.solve(supple.chain([1, 1]), [Avoid()]), "expected at least one Reach"),
        (
            lambda: supple.solve(supple.chain([1, 1, 1]), [Reach("tip", (1, 1, 1)), Avoid(), Avoid(1.0)]),
            "at most one Avoid",
        ),
        (
            lambda: supple.solve(
                supple.chain([1, 1, 1]), [Reach("tip", (1, 1, 1)), Avoid(pairs=[("j0", "j9")])]
            ),
            "joint of a pair",
        ),
    ],
)  # fmt: skip
def test_bad_input_is_refused(make, message):
    with pytest.raises(supple.SuppleError, match=message):
        make()


# What is in the way -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_links():
    """Two hinges with links of length 1 and radius 0.05."""
    skeleton = supple.chain([1.0, 1.0], joint=Hinge("z", limits=(-3.0, 3.0)))
    link = Capsule((0, 0, 0), (1, 0, 0), 0.05)
    return skeleton.with_physics(capsules=dict.fromkeys(skeleton.joint_names, link))


def test_an_obstacle_that_keeps_the_tip_away_is_named(two_links):
    wall = Plane((1.2, 0, 0), (-1, 0, 0))
    goals = [Reach("tip", (1.5, 0.5, 0)), Avoid(0.01, obstacles=[wall])]
    found = supple.solve(two_links, goals)
    assert found.status is supple.Status.STALLED and found.collision is None
    assert found.blocked_by == ("j1", "obstacle 0 (Plane)")
    assert found.reason.startswith("j1 and obstacle 0 (Plane) must keep apart, which is in the way")
    assert supple.solve(two_links, goals[:1]).reached
    again = supple.Solution.from_json(found.to_json())
    assert again.blocked_by == found.blocked_by and again.reason == found.reason
    kept = supple.solve(two_links, goals, unreachable="keep")
    assert kept.blocked_by == found.blocked_by and kept.reason.endswith("the start pose is kept")


def test_bones_that_keep_each_other_away_are_named():
    """The last of three links would have to lie on the first."""
    skeleton = supple.chain([1.0, 0.3, 1.0], joint=Hinge("z", limits=(-3.0, 3.0)))
    links = {
        f"j{k}": Capsule((0, 0, 0), (size, 0, 0), 0.1) for k, size in enumerate((1.0, 0.3, 1.0))
    }
    arm = skeleton.with_physics(capsules=links)
    goals = [Reach("tip", (0.5, 0.0, 0.0)), supple.Hold("j1"), Avoid(0.02)]
    found = supple.solve(arm, goals, start=arm.pose({"j1": 1.5, "j2": 1.0}))
    assert found.status is supple.Status.STALLED
    assert found.blocked_by == ("j0", "j2")
    assert "j0 and j2 must keep apart" in found.reason


@pytest.mark.parametrize("solver", ["auto", "lm"])
def test_obstacles_that_are_not_in_the_way_are_not_blamed(two_links, solver):
    """The arm touches a wall, but what it is asked for contradicts itself along that wall."""
    start = two_links.pose({"j0": 0.8, "j1": -1.6})
    x = start.position("tip")[0]
    wall = Plane((x + 0.06, 0, 0), (-1, 0, 0))
    goals = [
        Reach("tip", (x, 0.4, 0)),
        supple.Hold("tip"),
        Avoid(0.01, obstacles=[wall]),
    ]
    found = supple.solve(two_links, goals, start=start, solver=solver)
    assert not found.reached and found.collision is None
    assert found.blocked_by is None
    assert "must keep apart" not in found.reason


def test_limits_are_named_where_they_are_in_the_way():
    skeleton = supple.chain([1.0, 1.0], joint=Hinge("z", limits=(-0.5, 0.5)))
    link = Capsule((0, 0, 0), (1, 0, 0), 0.05)
    arm = skeleton.with_physics(capsules=dict.fromkeys(skeleton.joint_names, link))
    goals = [Reach("tip", (0.0, 1.5, 0)), Avoid(0.01, obstacles=[Plane((-1.0, 0, 0), (1, 0, 0))])]
    found = supple.solve(arm, goals)
    assert found.status is supple.Status.LIMITED and found.blocked_by is None


def test_what_is_named_is_what_must_go(arm):
    """Among boxes on a floor: without Avoid a pose that is blocked comes nearer, one that is not does not."""
    rng = np.random.default_rng(5)
    blocked = 0
    for _ in range(15):
        boxes = [
            Box(center=tuple(rng.uniform(-2.5, 2.5, 3)), size=tuple(rng.uniform(0.5, 1.5, 3)))
            for _ in range(3)
        ]
        target = rng.uniform(-2.5, 2.5, 3)
        floor = Plane((0, 0, -0.5), (0, 0, 1))
        found = supple.solve(arm, [Reach("tip", target), Avoid(0.02, obstacles=[*boxes, floor])])
        if found.status is not supple.Status.STALLED:
            assert found.blocked_by is None
            continue
        ik = supple.prepare(arm, [Reach("tip", target)], restarts=False)
        nearer = ik(start=found.pose).error < 0.9 * found.error
        assert (found.blocked_by is not None) == nearer
        blocked += nearer
    assert blocked > 2
