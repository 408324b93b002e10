"""Solids: what stands for bones wherever they may touch."""

import numpy as np
import pytest

import supple
from supple.bodies.solids import solids_of

UP = np.array((0.0, 0.0, 1.0))


def one_bone(**geom):
    """A bone that turns about y, with a geom."""
    skeleton = supple.chain([1.0], joint=supple.Hinge("y"))
    return skeleton.with_physics(geoms=[supple.Geom(joint="j0", **geom)])


@pytest.mark.parametrize("angle", [0.0, 0.3, np.pi / 2, 2.0])
def test_the_lowest_point_is_that_of_the_shape(angle):
    half = np.array((0.4, 0.2, 0.1))
    skeleton = one_bone(kind="box", size=half, position=(0.5, 0.0, 0.0))
    (box,) = solids_of(skeleton)
    pose = skeleton.pose({"j0": angle})
    # The middle goes down by sin, and of the half sizes those across the vertical count.
    expected = -0.5 * np.sin(angle) - half[0] * abs(np.sin(angle)) - half[2] * abs(np.cos(angle))
    assert box.lowest(pose, UP) == pytest.approx(expected, abs=1e-12)


def test_a_capsule_is_lowest_at_an_end():
    skeleton = one_bone(
        kind="capsule", size=(0.1, 0.3), rotation=(np.sqrt(0.5), 0, np.sqrt(0.5), 0)
    )
    (capsule,) = solids_of(skeleton)
    assert capsule.lowest(skeleton.pose({"j0": np.pi / 2}), UP) == pytest.approx(-0.4)
    assert capsule.lowest(skeleton.rest, UP) == pytest.approx(-0.1)
