"""scatter."""

import numpy as np

import supple

LOT = {"size": (8, 0, 4)}


def test_scattered_shapes_lie_on_the_shape_and_are_reproducible():
    rules = "Lot --> shapeL(1, 1){ shape : scatter(surface, 40, uniform){ A } | remainder : NIL }"
    first, again = (supple.grow(rules, seed=3, **LOT) for _ in range(2))
    places = np.array([leaf.point(0, 0, 0) for leaf in first.leaves])
    assert len(places) == 40 and np.all((places[:, 0] <= 1) | (places[:, 2] >= 3))
    assert np.array_equal(places, [leaf.point(0, 0, 0) for leaf in again.leaves])
    trees = supple.grow("Lot --> scatter(scope, 5, uniform){ primitiveCube(1, 2, 1) }", **LOT)
    assert len(trees.leaves) == 5 and all(tuple(leaf.size) == (1, 2, 1) for leaf in trees.leaves)


def test_a_gaussian_distribution_is_dense_at_its_middle() -> None:
    def away(rules: str) -> float:
        grown = supple.grow(rules, size=(20, 0, 20))
        points = np.array([leaf.T_world_scope[:3, 3] for leaf in grown.leaves])
        return float(np.linalg.norm(points - (10, 0, 10), axis=1).mean())

    wide = away("Lot --> scatter(surface, 200, uniform){ A }")
    near = away("Lot --> scatter(surface, 200, gaussian, center, 2){ A }")
    same = away("Lot --> scatter(surface, 200, gaussian, center, '0.1){ A }")
    assert wide > 6 and near < 4 and same < 4
    left = supple.grow("Lot --> scatter(scope, 100, gaussian, left, 1){ A }", size=(20, 1, 20))
    assert np.mean([leaf.T_world_scope[0, 3] for leaf in left.leaves]) < 6
