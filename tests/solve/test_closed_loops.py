"""Openings of loops and their Jacobian, over every kind of freedom."""

import numpy as np
import pytest

import supple
from supple import Axes, Ball, Cone, Connect, Fixed, Hinge, Mimic, Node, Slider, Tip, Weld
from supple.goals import as_goals
from supple.problem.lowering import Problem
from supple.solve.closed_loops import ClosedLoops, least_effort, widest

NO_LIMITS = (np.zeros(0, np.int64), np.zeros(0), np.zeros(0))


@pytest.fixture
def skeleton():
    """Two branches with a slider, balls, a cone, angles and a copy of a hinge."""
    left = [Slider("x"), Ball(), Axes("xz"), Hinge("y")]
    right = [Ball(), Cone(1.0, axis="x"), Hinge("z"), Hinge("z", mimic=Mimic("l3", 0.5))]
    nodes = [Node("base", None, joint=Fixed())]
    for side, y, joints in (("l", 0.3, left), ("r", -0.2, right)):
        nodes += [
            Node(f"{side}{n}", f"{side}{n - 1}" if n else "base", (0.6, y, 0.2), joint=joint)
            for n, joint in enumerate(joints)
        ]
    return supple.Skeleton(nodes, [Tip("lt", "l3", (0.5, 0, 0)), Tip("rt", "r3", (0.5, 0, 0))])


@pytest.mark.parametrize("goal", [Connect, Weld])
def test_the_jacobian_tells_how_openings_shrink(skeleton, goal):
    problem = Problem(skeleton, as_goals([goal("lt", "rt")]))
    loops = ClosedLoops(problem)
    batch = (
        problem.offsets(skeleton.rest)[None],
        skeleton.rest.coordinates[None].copy(),
        np.zeros((1, 0)),
    )
    one = loops.at(batch, NO_LIMITS)
    q = skeleton.rest.coordinates.copy()
    openings = one.openings(q)
    assert widest(openings) > 1e3
    slopes = one.jacobian()
    for freedom in range(problem.freedoms):
        delta = np.zeros(problem.freedoms)
        delta[freedom] = 1e-6
        one.openings(q)
        one.jacobian()
        moved = one.openings(one.stepped(q, delta))
        change = (openings - moved).ravel() / 1e-6
        assert np.allclose(change, slopes[:, freedom], atol=1e-4 * np.abs(slopes).max())
    effort = np.ones(problem.freedoms)
    given = least_effort(slopes, effort, openings.ravel())
    assert np.allclose(slopes @ given, openings.ravel(), atol=1e-6 * widest(openings))
    where, unit = loops.freedoms
    assert len(where) == len(unit) == problem.freedoms
    assert sorted(where[where >= 0]) == list(range(len(skeleton.freedoms)))
