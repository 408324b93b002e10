"""Collisions, obstacles, balance and loops in figures."""

import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_hex
from matplotlib.patches import Polygon

import supple
import supple.apps.plot
from supple import Avoid, Balance, Box, Capsule, Connect, Plane, Reach
from supple.apps.plot import style
from supple.model.masses import Mass

CHAIN = supple.chain([1.0, 1.0, 1.0], joint=supple.Hinge("z"))


def drawn(goals, skeleton=CHAIN):
    solution = supple.solve(skeleton, goals)
    return solution, supple.plot.solution(solution, goals=goals).axes[0]


def coloured(ax, colour):
    return [one for one in ax.patches if isinstance(one, Polygon) and not one.get_fill()
            and to_hex(one.get_edgecolor()) == colour]  # fmt: skip


def test_capsules_and_obstacles_are_drawn_with_avoid():
    box = Box((1.0, 0.3, 0.0), (0.5, 0.5, 0.5))
    goals = [Reach("tip", (1.5, 0.5, 0)), Avoid(obstacles=[box, Plane((0, -2, 0), (0, 1, 0))])]
    solution, ax = drawn(goals)
    assert solution.reached
    assert len(coloured(ax, style.LIMIT)) >= 3 and not coloured(ax, style.PRESSED)
    faces = [
        path.vertices for one in ax.collections if isinstance(one, PolyCollection)
        for path in one.get_paths()
    ]  # fmt: skip
    corners = np.concatenate(faces)
    assert np.isclose(corners, (0.75, 0.05)).all(axis=1).any()
    _, plain = drawn(goals[:1])
    assert not coloured(plain, style.LIMIT)


def test_the_pair_that_touches_is_red():
    locked = supple.chain([1.0, 1.0], joint=[supple.Fixed(), supple.Hinge("z", limits=(-0.1, 0.1))])
    goals = [Reach("tip", (2.0, 0.1, 0)), Avoid(obstacles=[Capsule((1.5, 0, 0), (1.6, 0, 0), 0.3)])]
    solution, ax = drawn(goals, locked)
    assert solution.status is supple.Status.COLLIDES
    assert len(coloured(ax, style.PRESSED)) == 2  # the bone and the obstacle
    assert len(coloured(ax, style.LIMIT)) == 1  # the other bone


@pytest.mark.parametrize("shift", [0.0, 5.0])
def test_centre_of_mass_and_support(shift):
    masses = {name: Mass(1.0, (0.5, 0, 0)) for name in ("j0", "j1", "j2")}
    square = [(x + shift, -1.0, z) for x, z in ((-1, -1), (2, -1), (2, 1), (-1, 1))]
    goals = [Reach("tip", (1.0, 1.5, 0)), Balance(support=square, up="y")]
    solution, ax = drawn(goals, CHAIN.with_physics(masses=masses))
    assert solution.reached == (shift == 0.0)
    assert coloured(ax, style.STATUS[shift == 0.0])
    marks = [line for line in ax.lines if line.get_marker() == "P"]
    assert len(marks) == 1 and to_hex(marks[0].get_color()) == style.STATUS[shift == 0.0]


def test_an_open_loop_shows_its_gap():
    _, ax = drawn([Connect("tip", "j0", point_b=(0, 0.5, 0))])
    assert not [text for text in ax.texts if text.get_color() == style.PRESSED]
    solution, ax = drawn([Connect("tip", "j0", point_b=(0, 9.0, 0))])
    assert solution.status is supple.Status.OPEN_LOOP
    (gap,) = [text.get_text() for text in ax.texts if text.get_color() == style.PRESSED]
    assert float(gap) == pytest.approx(solution.error, rel=0.01)


def test_traces_show_them_too():
    goals = [Reach("tip", (1.5, 0.5, 0)), Avoid(0.01)]
    solution = supple.solve(CHAIN, goals, trace=True)
    assert coloured(supple.plot.trace(solution, goals=goals).axes[0], style.LIMIT)


def test_a_target_on_a_bone_is_drawn_where_the_bone_is():
    goals = [Reach("tip", supple.On("j0", (0.5, 0.5, 0)))]
    solution, ax = drawn(goals)
    assert solution.reached
    rings = [line for line in ax.lines if line.get_markeredgecolor() == style.GOAL]
    assert any(np.allclose([line.get_xdata()[0], line.get_ydata()[0]], solution.position("tip")[:2],
                           atol=1e-3) for line in rings)  # fmt: skip
