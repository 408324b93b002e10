"""How a split divides a length, against lengths computed by hand."""

import json
import random
from pathlib import Path

import pytest

import supple
from supple import SuppleError
from supple.apps.grammar.geometry.split_sizes import Repeat, Size, shared


def laid(parts, whole):
    return [(round(at, 9), round(size, 9), name) for at, size, name in shared(parts, whole, 1000)]


def fixed(length, name="a"):
    return Size(False, length, name)


def floating(length, name="a"):
    return Size(True, length, name)


def test_absolute_sizes_are_cut_off_where_the_scope_ends() -> None:
    parts = [fixed(2, "a"), fixed(1, "b"), fixed(1, "c"), fixed(2, "d"), fixed(1, "e")]
    assert laid(parts, 5) == [(0, 2, "a"), (2, 1, "b"), (3, 1, "c"), (4, 1, "d")]


def test_sizes_of_zero_or_less_are_left_out() -> None:
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
def test_a_floating_repeat_has_the_count_that_fits_best(size: float, count: int) -> None:
    found = laid([Repeat([floating(size)])], 10)
    assert len(found) == count
    assert all(length == pytest.approx(10 / count) for _, length, _ in found)


def test_an_absolute_repeat_fills_and_its_last_is_cut_off() -> None:
    assert laid([Repeat([fixed(3)])], 10) == [(0, 3, "a"), (3, 3, "a"), (6, 3, "a"), (9, 1, "a")]
    assert len(laid([Repeat([fixed(2)])], 10)) == 5


def test_a_repeat_beside_fixed_and_floating_parts() -> None:
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


def test_nested_repeats() -> None:
    # Two halves of 10; in each a post of 1 and planks of 2 in the 9 that are left: 5 of 1.8.
    found = laid([Repeat([fixed(1, "post"), floating(8, "x"), Repeat([floating(1, "plank")])])], 20)
    names = [name for *_, name in found]
    assert names.count("post") == 2 and names.count("x") == 2
    assert names.count("plank") == 2
    assert sum(size for _, size, _ in found) == pytest.approx(20)


def test_too_many_parts_are_refused() -> None:
    with pytest.raises(SuppleError, match="at most 1,000 parts"):
        shared([Repeat([floating(1e-9)])], 1.0, 1000)


# Several repeats ----------------------------------------------------------------------------------


def counted(split: str, whole: float, repeats: int) -> list[int]:
    names = supple.grow(f"A --> split(x){{ {split} }}", size=(whole, 0, 1)).leaves.names
    return [names.get(f"R{k + 1}", 0) for k in range(repeats)]


def test_two_repeats_share_the_room_as_in_cityengine() -> None:
    tiles = "1 : W | 3.55 : T | { ~3.55 : R1 }* | 3.55 : C | { ~3.55 : R2 }* | 3.55 : T | 1 : W"
    assert counted(tiles, 30.0, 2) == [3, 2]
    assert counted(tiles, 26.0, 2) == [2, 2]


def test_counts_of_repeats_are_those_of_cityengines_engine() -> None:
    """Random splits of one to three repeats, with the counts that PRT 3.3 made of them."""
    measured = json.loads(Path(__file__).with_name("repeats.json").read_text())
    different = []
    for split, rows in measured.items():
        for whole, *counts in rows:
            found = counted(split, whole, len(counts))
            if found != counts:
                different.append((split, whole, counts, found))
    assert not different


def test_counts_of_two_repeats_are_those_of_cityengines_engine() -> None:
    """504 random lengths in 63 random splits: counts and number of parts, by PRT 3.3."""
    measured = json.loads(Path(__file__).with_name("two_repeats.json").read_text())
    different = []
    for split, rows in measured.items():
        for whole, *expected in rows:
            names = supple.grow(f"A --> split(x){{ {split} }}", size=(whole, 0, 1)).leaves.names
            found = [names.get("R1", 0), names.get("R2", 0), sum(names.values())]
            if found != expected:
                different.append((split, whole, expected, found))
    assert sum(len(rows) for rows in measured.values()) == 504
    assert not different


def test_equal_factors_prefer_more_copies_beside_other_parts() -> None:
    assert [name for *_, name in laid([floating(3, "p"), Repeat([fixed(2, "r")])], 4)] == ["p", "r"]
    assert len(laid([Repeat([floating(3)]), fixed(1)], 5)) == 3
    assert len(laid([Repeat([floating(3)])], 4)) == 1  # a repeat alone: fewer copies


def test_the_last_part_takes_all_where_no_repeat_fits() -> None:
    parts = [Repeat([floating(2.6)]), Repeat([fixed(1, "b"), fixed(1, "c")])]
    assert laid(parts, 3.5) == [(0, 3.5, "c")]
    assert [(size, name) for _, size, name in laid(parts, 5)] == [(3, "a"), (1, "b"), (1, "c")]


def test_repeats_fill_the_whole_length_in_one_scale() -> None:
    rng = random.Random(3)
    for _ in range(300):
        whole = rng.uniform(3.0, 60.0)
        sizes = [rng.uniform(0.4, 4.0) for _ in range(rng.randint(2, 4))]
        parts: list[Size | Repeat] = [Repeat([floating(size, k)]) for k, size in enumerate(sizes)]
        found = laid([fixed(0.5, "end"), *parts, fixed(0.5, "end")], whole)
        assert sum(size for _, size, _ in found) == pytest.approx(whole)
        scales = [size / sizes[name] for _, size, name in found if name != "end"]
        assert max(scales) == pytest.approx(min(scales))


def test_repeats_without_floating_sizes_get_equal_room_and_are_cut_off() -> None:
    found = laid([Repeat([fixed(2, "a")]), fixed(0.1, "b"), Repeat([fixed(3, "c")])], 9.0)
    assert [(size, name) for _, size, name in found] == [
        (2, "a"), (2, "a"), (0.45, "a"), (0.1, "b"), (3, "c"), (1.45, "c"),
    ]  # fmt: skip


def test_a_floating_part_beside_a_repeat_of_fixed_ones_takes_what_is_left() -> None:
    parts = [floating(3), Repeat([fixed(0.3, "bar"), fixed(4, "gap")]), fixed(0.3), floating(3)]
    assert [size for _, size, _ in laid(parts, 7.7)] == [3.7, 0.3, 3.7]
    assert [size for _, size, _ in laid(parts, 10.2)] == [2.8, 0.3, 4.0, 0.3, 2.8]
    assert laid([floating(3), Repeat([fixed(9)])], 2.0) == [(0, 2, "a")]
