"""The derivations of the rules that ship with supple stay as they are."""

import numpy as np
import pytest

import supple


@pytest.mark.parametrize(
    ("name", "shapes", "leaves", "size", "order"),
    [
        ("figure", 11, 4, 85.158825, 45.816772),
        ("lamp", 17, 10, 78.765682, 40.962006),
        ("excavator", 58, 34, 558.458143, 244.545225),
        ("human", 46, 36, 219.884012, 98.476464),
        ("street", 413, 226, 10808.920349, 6013.683087),
        ("facade", 1586, 1222, 43711.184435, 18363.727566),
        ("town", 4372, 2475, 180902.005811, 99723.834039),
        ("avenue", 1509, 935, 63392.960000, 30431.981160),
    ],
)
def test_shipped_rules_derive_as_before(name, shapes, leaves, size, order) -> None:
    grown = supple.grow(supple.data.rules(name), seed=7)
    assert (len(grown.shapes), len(grown.leaves)) == (shapes, leaves)
    scopes = np.asarray(grown.store.scope_array)
    assert np.abs(scopes).sum() == pytest.approx(size, rel=1e-6)
    # Weighted by the index: the order of the shapes counts.
    weights = 1.0 + np.arange(len(scopes))
    assert (scopes * weights[:, None]).sum() / len(scopes) == pytest.approx(order, rel=1e-6)
