"""Random numbers."""

import pytest

from supple.apps.grammar.evaluate.randomness import fraction, mixed


def test_random_numbers_are_splitmix64() -> None:
    # The first three numbers of the generator for seed 0, as its authors publish them.
    assert [mixed(0, k) for k in range(3)] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]
    draws = [fraction(12345, k) for k in range(4000)]
    assert min(draws) >= 0.0 and max(draws) < 1.0
    assert sum(draws) / 4000 == pytest.approx(0.5, abs=0.02)
