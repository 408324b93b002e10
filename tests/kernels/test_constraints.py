"""Tables of gaps as kernels read them: values, slopes, and columns against finite differences."""

from typing import NamedTuple

import numpy as np
import pytest
from tests.differences import slope

from supple import Avoid, Geom, Hinge, Node, Reach, Skeleton, Slider, Tip
from supple.kernels import constraints as kernels
from supple.kernels import layout as at
from supple.problem.lowering import Problem

STEP = 1e-6  # shorter than the cells of the tables


def crane():
    """A box that turns and slides against the one two joints before."""
    return Skeleton(
        [
            Node("base", None, (0, 0, 0), Hinge("z")),
            Node("arm", "base", (0.5, 0, 0), Hinge("z", limits=(-2.5, 2.5))),
            Node("slide", "arm", (0.05, 0, 0), Slider("x", limits=(0.0, 0.4))),
        ],
        [Tip("tip", "slide", (0.6, 0, 0))],
    ).with_physics(
        geoms=[
            Geom("box", "base", (0.25, 0.2, 0.3), position=(0.25, 0, 0)),
            Geom("box", "slide", (0.25, 0.2, 0.3), position=(0.3, 0, 0)),
        ]
    )


class Scale(NamedTuple):
    """What the columns of a table need of a problem."""

    length: float


class Tables:
    """The tables of a packed problem, cut out here: compiled kernels hand no parts of arrays to Python."""

    def __init__(self, skeleton):
        self.lowered = Problem(skeleton, [Reach("tip", (0.5, 0.5, 0)), Avoid()])
        ints, floats = self.lowered.pack((0.0,) * 5)
        count, numbers = ints[at.H_TABLES], ints[at.H_GAPS]
        first = len(floats) - numbers - count * at.TABLE_FLOATS
        none, rows = np.zeros((0, 2)), np.zeros((0, 2), np.int64)
        self.problem = Scale(self.lowered.length)
        self.constraints = kernels.Constraints(
            *(rows, none[0:0, 0], rows, none, rows, none, rows[:, 0]),
            ints[-count * at.TABLE_INTS :].reshape(count, -1),
            floats[first:-numbers].reshape(count, -1),
            floats[-numbers:],
            *(0.0, 0.0, (0.0, 0.0, 1.0), True, none),
        )
        columns, read = np.zeros((count, self.lowered.freedoms)), np.zeros((count, 3))
        line = np.zeros(6)
        whole = np.array([1.0, 1.0, kernels.LOOK_AHEAD])  # everything counts in full
        self.bodies = kernels.Bodies(
            *(none,) * 4, line, read, columns, *(line,) * 3, *(none,) * 3, line, line, whole, none
        )

    def at(self, q):
        """The gap and its slopes."""
        kernels.read_tables(self.constraints, self.bodies, np.array(q, float))
        return self.bodies.read[0].copy()


@pytest.fixture(scope="module")
def tables():
    return Tables(crane())


def places(rng, count=50):
    return np.stack(
        [rng.uniform(-3, 3, count), rng.uniform(-2.5, 2.5, count), rng.uniform(0, 0.4, count)], 1
    )


def test_a_gap_is_that_of_the_table(tables):
    (table,) = tables.lowered.bodies.tables
    for q in places(np.random.default_rng(1)):
        assert tables.at(q)[0] == pytest.approx(float(table.read(q)), abs=1e-12)


def test_slopes_are_those_of_finite_differences(tables):
    for q in places(np.random.default_rng(2)):
        for axis, k in ((1, 1), (2, 2)):
            found = slope(lambda h, q=q, k=k: tables.at(q + h * np.eye(3)[k])[0], step=STEP)
            assert tables.at(q)[axis] == pytest.approx(found, abs=1e-6)


def test_outside_its_grid_a_table_has_the_gap_of_its_edge(tables):
    for outside, edge in (((0, 3.0, 0.2), (0, 2.5, 0.2)), ((0, 1.0, -0.1), (0, 1.0, 0.0))):
        assert np.allclose(tables.at(outside), tables.at(edge))


def test_columns_are_slopes_by_freedom(tables):
    q = (0.3, 1.7, 0.15)
    _, turn, slide = tables.at(q)
    kernels._table_columns(tables.problem, tables.constraints, tables.bodies, 0, 0)
    length = tables.lowered.length
    expected = np.array([0.0, turn, slide * length]) * at.HARD / length
    assert np.allclose(tables.bodies.columns[0], expected)
    assert np.any(expected != 0)
