"""Shape attributes."""

import pytest

import supple

LOT = {"size": (8, 0, 4)}


def test_measures():
    rules = """Lot --> report("c", geometry.isConcave) report("r", geometry.isRectangular)
        report("b", geometry.boundaryLength) report("s", geometry.angle(maxSlope)) {}"""
    flat = supple.grow(rules.format("A"), **LOT).reports
    assert flat == {"c": [False], "r": [True], "b": [24], "s": [pytest.approx(0, abs=1e-6)]}
    ell = 'Lot --> shapeL(1, 1){ shape : report("c", geometry.isConcave) A | remainder : NIL }'
    assert supple.grow(ell, **LOT).reports["c"] == [True]
    roof = """Lot --> roofHip(30) report("closed", geometry.isClosedSurface) comp(f){ aslant :
        report("slope", geometry.angle(maxSlope)) report("azimuth", geometry.angle(azimuth)) A | all : NIL }"""
    told = supple.grow(roof, **LOT).reports
    assert told["slope"] == pytest.approx([30] * 4) and told["closed"] == [True]
    assert sorted(abs(round(angle)) for angle in told["azimuth"]) == [0, 90, 90, 180]
