"""Balance: the centre of mass stays over its support."""

from __future__ import annotations

import numpy as np
import pytest

import supple
from supple import Balance, Fixed, Hinge, Node, Reach, Tip
from supple.model.masses import Mass

SQUARE = [(-0.3, -0.3, 0.0), (0.3, -0.3, 0.0), (0.3, 0.3, 0.0), (-0.3, 0.3, 0.0)]
MARGIN = 0.05


@pytest.fixture(scope="module")
def crane():
    """A mast that bends, and a jib with a weight at its end."""
    skeleton = supple.Skeleton(
        [
            Node("foot", None, joint=Fixed()),
            Node("hips", "foot", (0, 0, 0.5), joint=supple.Ball()),
            Node("spine", "hips", (0, 0, 0.6), joint=supple.Ball()),
            Node("jib", "spine", (0, 0, 0.6), joint=Hinge("y")),
        ],
        [Tip("hook", "jib", (1.0, 0, 0))],
    )
    masses = {"foot": Mass(5.0), "hips": Mass(10.0, (0, 0, 0.3)), "spine": Mass(10.0, (0, 0, 0.3)),
              "jib": Mass(4.0, (0.5, 0, 0))}  # fmt: skip
    return skeleton.with_physics(masses=masses)


def from_edge(pose: supple.Pose) -> float:
    """How far inside the square the centre of mass is."""
    x, y, _ = pose.center_of_mass
    return 0.3 - max(abs(x), abs(y))


def test_the_centre_of_mass_stays_over_the_support(crane):
    goals = [Reach("hook"), Balance(support=SQUARE, margin=MARGIN)]
    ik, plain = supple.prepare(crane, goals), supple.prepare(crane, goals[:1])
    rng = np.random.default_rng(2)
    targets = rng.uniform((0.6, -0.8, 0.5), (1.6, 0.8, 1.6), (60, 3))
    found = [ik(t) for t in targets]
    toppled = sum(from_edge(plain(t).pose) < MARGIN for t in targets)
    assert toppled > 5  # the targets ask for something
    assert all(
        from_edge(f.pose) >= MARGIN - 1e-9 for f in found if f.status != supple.Status.UNBALANCED
    )
    assert sum(bool(f.reached) for f in found) > 40


def test_lost_balance_says_by_how_much(crane):
    start = crane.rest
    far = [(p[0] + 5.0, p[1], p[2]) for p in SQUARE]
    found = supple.solve(crane, [Reach("hook", start.position("hook")), Balance(support=far)])
    assert found.status is supple.Status.UNBALANCED
    beyond = 4.7 - found.pose.center_of_mass[0]
    assert np.isclose(found.off_balance, beyond, atol=1e-9)
    assert f"{beyond:.3g} outside its support" in found.reason


def test_feet_stand_on_their_geoms(crane):
    from supple.model.geoms import Geom

    sole = Geom("box", "foot", (0.3, 0.3, 0.05), (0.0, 0.0, -0.05))
    robot = crane.with_physics(geoms=(sole,))
    by_feet = supple.prepare(robot, [Reach("hook"), Balance(["foot"], margin=MARGIN)])
    by_points = supple.prepare(crane, [Reach("hook"), Balance(support=SQUARE, margin=MARGIN)])
    for target in [(1.3, 0.4, 1.2), (0.9, -0.7, 0.8)]:
        assert np.isclose(
            from_edge(by_feet(target).pose), from_edge(by_points(target).pose), atol=1e-3
        )


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        (lambda: Balance(), "expected feet, or support, got neither"),
        (lambda: Balance(["foot"], support=SQUARE), "got both"),
        (lambda: Balance(support=SQUARE[:2]), "three corners or more"),
        (lambda: Balance(["foot"]), "three corners or more, got 2"),
        (lambda: Balance(["fot"]), "did you mean 'foot'"),
        (lambda: Balance(support=SQUARE, margin=-1), "margin of Balance"),
    ],
)
def test_bad_input_is_refused(crane, goal, message):
    with pytest.raises(supple.SuppleError, match=message):
        supple.solve(crane, [Reach("hook", (1, 0, 1)), goal()])


def test_missing_masses_are_named(crane):
    bare = supple.chain([1.0, 1.0])
    with pytest.raises(supple.SuppleError, match="expected a model with masses"):
        supple.solve(bare, [Reach("tip", (1, 1, 0)), Balance(support=SQUARE)])


def test_balance_is_named_where_it_is_in_the_way(crane):
    goals = [Reach("hook", (1.7, 0.0, 0.9)), Balance(support=SQUARE, margin=MARGIN)]
    found = supple.solve(crane, goals)
    assert found.status is supple.Status.STALLED and found.off_balance == 0.0
    assert found.reason.startswith("balance is in the way; hook is ")
    assert found.blocked_by is None
    assert supple.solve(crane, goals[:1]).reached
