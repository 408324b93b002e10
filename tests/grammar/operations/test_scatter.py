"""scatter."""

import numpy as np

import supple

LOT = {"size": (8, 0, 4)}


def test_scattered_shapes_lie_on_the_shape_and_are_the_same_again():
    rules = "Lot --> shapeL(1, 1){ shape : scatter(surface, 40, uniform){ A } | remainder : NIL }"
    first, again = (supple.grow(rules, seed=3, **LOT) for _ in range(2))
    places = np.array([leaf.point(0, 0, 0) for leaf in first.leaves])
    assert len(places) == 40 and np.all((places[:, 0] <= 1) | (places[:, 2] >= 3))
    assert np.array_equal(places, [leaf.point(0, 0, 0) for leaf in again.leaves])
    trees = supple.grow("Lot --> scatter(scope, 5, uniform){ primitiveCube(1, 2, 1) }", **LOT)
    assert len(trees.leaves) == 5 and all(tuple(leaf.size) == (1, 2, 1) for leaf in trees.leaves)
