"""Capsules in figures."""

import numpy as np
from matplotlib.patches import Polygon

import supple
import supple.apps.plot
from supple import Capsule

CHAIN = supple.chain([2.0, 2.0], joint=supple.Hinge("z"))


def outlines(figure):
    return [
        one.get_xy()
        for one in figure.axes[0].patches
        if isinstance(one, Polygon) and not one.get_fill() and len(one.get_xy()) > 40
    ]


def test_capsules_are_drawn_on_request_only():
    assert not outlines(supple.plot.pose(CHAIN.rest))
    assert len(outlines(supple.plot.pose(CHAIN.rest, capsules=True))) == 2


def test_an_outline_is_a_radius_around_the_bone():
    mine = {"j1": (Capsule((0, 0, 0), (2, 0, 0), 0.5),)}
    figure = supple.plot.pose(CHAIN.pose({"j1": np.pi / 2}), capsules=mine)
    (outline,) = outlines(figure)
    assert np.allclose([outline.min(0), outline.max(0)], [(1.5, -0.5), (2.5, 2.5)], atol=0.01)
    low, high = figure.axes[0].get_xlim()
    assert low < 1.5 and high > 2.5


def test_characters_in_space():
    hero = supple.humanoid()
    figure = supple.plot.pose(hero.pose, capsules=hero.capsules)
    assert len(outlines(figure)) == len(hero.capsules)
