"""How a split shares out a length, against lengths worked out by hand."""

import pytest

from supple import SuppleError
from supple.grammar.splitting import Repeat, Size, shared


def laid(parts, whole):
    return [(round(at, 9), round(size, 9), name) for at, size, name in shared(parts, whole, 1000)]


def fixed(length, name="a"):
    return Size(False, length, name)


def floating(length, name="a"):
    return Size(True, length, name)


def test_absolute_sizes_are_cut_off_where_the_scope_ends() -> None:
    parts = [fixed(2, "a"), fixed(1, "b"), fixed(1, "c"), fixed(2, "d"), fixed(1, "e")]
    assert laid(parts, 5) == [(0, 2, "a"), (2, 1, "b"), (3, 1, "c"), (4, 1, "d")]


def test_sizes_of_nothing_or_less_are_left_out() -> None:
    parts = [fixed(1.5, "a"), fixed(-2, "b"), fixed(1.5, "c"), fixed(0, "d"), fixed(1.5, "e")]
    assert laid(parts, 5) == [(0, 1.5, "a"), (1.5, 1.5, "c"), (3, 1.5, "e")]


def test_floating_sizes_share_what_is_left_in_proportion() -> None:
    assert laid([fixed(3), floating(1, "b")], 5) == [(0, 3, "a"), (3, 2, "b")]
    assert laid([floating(1), fixed(2, "b"), floating(3, "c")], 10) == [
        (0, 2, "a"),
        (2, 2, "b"),
        (4, 6, "c"),
    ]
    assert laid([fixed(6), floating(1, "b")], 5) == [(0, 5, "a")]


@pytest.mark.parametrize(
    ("size", "count"), [(2.0, 5), (2.1, 5), (2.4, 4), (3.0, 3), (9.0, 1), (30.0, 1)]
)
def test_a_floating_repeat_comes_as_often_as_fits_best(size: float, count: int) -> None:
    found = laid([Repeat([floating(size)])], 10)
    assert len(found) == count
    assert all(length == pytest.approx(10 / count) for _, length, _ in found)


def test_an_absolute_repeat_fills_and_its_last_is_cut_off() -> None:
    assert laid([Repeat([fixed(3)])], 10) == [(0, 3, "a"), (3, 3, "a"), (6, 3, "a"), (9, 1, "a")]
    assert len(laid([Repeat([fixed(2)])], 10)) == 5


def test_a_repeat_stands_beside_fixed_and_floating_parts() -> None:
    # 9 are left for tiles of 2: five of 1.8 differ less than four of 2.25.
    found = laid([fixed(0.5), Repeat([floating(2, "t")]), fixed(0.5)], 10)
    assert [name for *_, name in found] == ["a", *"ttttt", "a"]
    assert found[1] == (0.5, 1.8, "t")
    # Everything that floats is scaled alike: 4 + 5 * 8 = 44 are to be 40.
    found = laid([floating(4), Repeat([floating(4, "p"), floating(4, "q")])], 40)
    assert len(found) == 11
    assert all(size == pytest.approx(40 / 11) for _, size, _ in found)


def test_fixed_parts_of_a_pattern_keep_their_size() -> None:
    found = laid([Repeat([floating(2, "gap"), fixed(0.5, "bar")])], 10)
    assert [name for *_, name in found] == ["gap", "bar"] * 4
    assert found[0][1] == pytest.approx(2.0) and found[1][1] == 0.5


def test_repeats_in_repeats() -> None:
    # Two halves of 10; in each a post of 1 and planks of 2 in the 9 that are left: 5 of 1.8.
    found = laid([Repeat([fixed(1, "post"), floating(8, "x"), Repeat([floating(1, "plank")])])], 20)
    names = [name for *_, name in found]
    assert names.count("post") == 2 and names.count("x") == 2
    assert names.count("plank") == 2
    assert sum(size for _, size, _ in found) == pytest.approx(20)


def test_too_many_parts_are_refused() -> None:
    with pytest.raises(SuppleError, match="at most 1,000 parts"):
        shared([Repeat([floating(1e-9)])], 1.0, 1000)
