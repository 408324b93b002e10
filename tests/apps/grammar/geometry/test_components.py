"""Selectors of components."""

import numpy as np
import pytest

from supple.apps.grammar.geometry.components import selects


@pytest.mark.parametrize(
    ("selector", "tilt", "takes"),
    [
        ("horizontal", 79, True), ("horizontal", 78, False), ("aslant", 78, True),
        ("aslant", 12, True), ("aslant", 11, False), ("vertical", 11, True),
        ("vertical", -12, False), ("nutant", -12, True), ("side", 78, True), ("side", 79, False),
    ],
)  # fmt: skip
def test_selectors_by_tilt(selector: str, tilt: float, takes: bool) -> None:
    angle = np.radians(tilt)
    assert selects(selector, (0.0, float(np.sin(angle)), float(np.cos(angle)))) is takes
