from __future__ import annotations

import pickle
from decimal import Decimal

import numpy as np
import pytest

import supple
from supple.errors import (
    SuppleError,
    array,
    as_float,
    flag,
    function,
    instance,
    listed,
    mapping,
    nearest,
    number,
    one_of,
    positive,
    text,
    whole,
)


def test_error_is_a_value_error_and_pickles():
    error = SuppleError("no such joint")
    assert isinstance(error, ValueError)
    assert str(pickle.loads(pickle.dumps(error))) == "no such joint"


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("tpi", "; did you mean 'tip'?"),
        ("TIP", "; did you mean 'tip'?"),
        ("r_hand", "; did you mean 'R Hand'?"),
        ("elephant", ""),
        ("", ""),
    ],
)
def test_nearest(name, phrase):
    assert nearest(name, ["tip", "R Hand", "j0"]) == phrase


def test_one_of_returns_what_is_valid():
    assert one_of("joint", "j0", {"j0": 1, "tip": 2}) == "j0"


def test_names_of_any_length_make_no_long_message():
    long = "[" * 80_000
    assert nearest(long, ["tip", long + "["]) == "" and nearest("tpi", [long, "tip"]) != ""
    with pytest.raises(SuppleError) as told:
        one_of("joint", "tpi", [long, "tip"])
    assert len(str(told.value)) < 200 and "did you mean 'tip'" in str(told.value)


def test_one_of_says_what_given_expected_and_nearest():
    with pytest.raises(SuppleError) as caught:
        one_of("joint", "tpi", ["j0", "tip"])
    assert (
        str(caught.value)
        == "unknown joint 'tpi' (expected one of 'j0', 'tip'); did you mean 'tip'?"
    )


def test_one_of_does_not_list_hundreds():
    with pytest.raises(SuppleError) as caught:
        one_of("joint", "j5OO", [f"j{i}" for i in range(1000)])
    assert "expected one of 1000, such as 'j0', 'j1', 'j2'" in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("given", [None, 3, ["tip"], {"a": 1}, b"tip"])
def test_one_of_refuses_what_is_not_a_name(given):
    with pytest.raises(SuppleError, match="unknown joint"):
        one_of("joint", given, {"tip": 0})


def test_one_of_letters():
    assert one_of("axis", "x", "xyz") == "x"
    for given in ("xy", ""):
        with pytest.raises(SuppleError, match="expected one of 'x', 'y', 'z'"):
            one_of("axis", given, "xyz")


def test_one_of_nothing():
    with pytest.raises(SuppleError, match="none to choose from"):
        one_of("motion", "walk", [])


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ((1, 2, 3), (3,)),
        ([[1, 2, 3]] * 4, (..., 3)),
        ((1, 2, 3), (..., 3)),
        (5, ()),
        (5, (...,)),
        (np.zeros((2, 5, 4), np.float32), (..., None, 4)),
        (np.zeros((0, 3)), (..., 3)),
        (np.asfortranarray(np.zeros((3, 3))), (3, 3)),
        (np.arange(6, dtype=np.uint8)[::2], (3,)),
    ],
)
def test_array_is_normalised(value, shape):
    result = array("target", value, shape)
    assert result.dtype == np.float64
    assert result.flags.c_contiguous and result.flags.writeable
    np.testing.assert_array_equal(result, value)


def test_array_shares_memory_where_it_can():
    value = np.zeros(3)
    assert array("target", value, (3,)) is value


def test_array_leaves_a_read_only_array_alone():
    value = np.zeros(3)
    value.flags.writeable = False
    array("target", value, (3,))[0] = 1
    assert value[0] == 0


@pytest.mark.parametrize(
    ("value", "got"),
    [
        ((1, 2), r"got shape \(2,\): \(1, 2\)"),
        (7, r"got shape \(\): 7"),
        ([], r"got shape \(0,\)"),
        ([[1, 2, 3], [1, 2]], "got ragged"),
        ("1,2,3", "got '1,2,3'"),
        (["1", "2", "3"], "got "),
        (None, "got None"),
        ((1, None, 3), "got "),
        ((True, False, True), "got "),
        ((1, 2, 3j), "got "),
        ({1, 2, 3}, "got "),
        ((Decimal(1), 2, 3), "got "),
        ((1, float("nan"), 3), r"got nan at \[1\]"),
        ([[1, 2, 3], [1, 2, float("inf")]], r"got inf at \[1, 2\]"),
    ],
)
def test_array_refuses(value, got):
    expected = r"target of 'tip': expected finite numbers of shape \(..., 3\), "
    with pytest.raises(SuppleError, match=expected + got):
        array("target of 'tip'", value, (..., 3))


def test_array_without_batch_axes_refuses_them():
    with pytest.raises(SuppleError, match=r"shape \(3,\), got shape \(1, 3\)"):
        array("offset", [[1, 2, 3]], (3,))


def test_array_may_be_infinite_but_never_nan():
    assert array("limits", (-np.inf, np.inf), (2,), finite=False)[1] == np.inf
    with pytest.raises(SuppleError, match="expected numbers of shape .* got nan"):
        array("limits", (0, np.nan), (2,), finite=False)


def test_a_large_value_makes_a_short_message():
    with pytest.raises(SuppleError) as caught:
        array("targets", np.zeros((1000, 2)), (..., 3))
    assert len(str(caught.value)) < 200


def test_numbers_are_told_from_what_is_none():
    assert number("blend", 1, "a number from 0 to 1", lambda x: 0 <= x <= 1) == 1.0
    assert type(number("blend", np.float32(0.5), "half", lambda x: x == 0.5)) is float
    for value in (True, "1", None, [1], np.nan, 2, 1j, np.ones(1)):
        with pytest.raises(SuppleError, match="blend: expected a number from 0 to 1, got "):
            number("blend", value, "a number from 0 to 1", lambda x: 0 <= x <= 1)


def test_positive_numbers_are_finite():
    assert positive("tolerance", 1e-300) == 1e-300
    for value in (0, -1, np.inf, np.nan, True):
        with pytest.raises(SuppleError, match="tolerance: expected a positive number, got "):
            positive("tolerance", value)


def test_whole_numbers_count_from_a_least_one():
    assert whole("depth", np.int64(3)) == 3
    assert type(whole("depth", np.uint8(3))) is int
    with pytest.raises(SuppleError, match=r"depth: expected a whole number from 0, got -1"):
        whole("depth", -1)
    with pytest.raises(SuppleError, match=r"from 1 \(more is slower\), got 0"):
        whole("solutions", 0, least=1, remark="(more is slower)")
    for value in (1.0, True, "1", None):
        with pytest.raises(SuppleError, match="depth: expected a whole number from 0, got "):
            whole("depth", value)


def test_masked_entries_are_refused_and_a_mask_of_nothing_is_not():
    numbers = np.ma.array([12.0, 18.0, 6.0], mask=[0, 1, 0])
    with pytest.raises(SuppleError) as caught:
        array("target of 'tip'", numbers, (..., 3))
    assert str(caught.value) == (
        "target of 'tip': expected an array without masked entries, got 1 masked of 3; "
        "drop them, or give them values with .filled()"
    )
    with pytest.raises(SuppleError, match="masked"):
        array("targets", [[1.0, 2.0, 3.0], numbers], (..., 3))
    with pytest.raises(SuppleError, match="masked"):
        array("target", (1.0, np.ma.masked, 3.0), (3,))
    plain = array("target", np.ma.array([12.0, 18.0, 6.0]), (3,))
    assert type(plain) is np.ndarray
    assert plain.tolist() == [12, 18, 6]


def test_an_array_of_another_kind_is_named():
    with pytest.raises(SuppleError, match=r"got an array of object: \[12, 18, 6\]"):
        array("target", np.array([12, 18, 6], dtype=object), (3,))


def test_numbers_too_large_for_a_float_are_refused():
    with pytest.raises(SuppleError, match=r"tolerance: expected a positive number, got 1000"):
        positive("tolerance", 10**400)
    assert number("limit", -(10**400), "any", lambda x: x == -np.inf) == -np.inf
    with pytest.raises(
        SuppleError, match=r"depth: expected a whole number from 0 to 2\*\*53, got 1000"
    ):
        whole("depth", 10**400)


def test_flags_are_true_or_false():
    assert flag("trace", np.bool_(True)) is True
    for value in (1, None, "yes", np.zeros(2)):
        with pytest.raises(SuppleError, match="trace: expected True or False, got "):
            flag("trace", value)


def test_text_can_be_written():
    assert text("name", "Hüfte") == "Hüfte"
    with pytest.raises(
        SuppleError, match=r"name: expected text that UTF-8 can hold, got 'a\\ud800'"
    ):
        text("name", "a\ud800")
    with pytest.raises(SuppleError, match="name: expected text, got None"):
        text("name", None)


def test_lists_are_told_from_text_and_from_single_things():
    assert listed("names", (one for one in "ab"), "a list") == ["a", "b"]
    with pytest.raises(
        SuppleError, match="names: expected a list of names, got the single text 'ab'"
    ):
        listed("names", "ab", "a list of names")
    for value in (None, 3, {"a": 1}, b"ab", np.array(1.0), supple.chain([1]).rest):
        with pytest.raises(SuppleError, match="names: expected a list of names, got "):
            listed("names", value, "a list of names")


def test_mappings_are_told_from_lists():
    assert mapping("motions", {"a": 1}, "{name: motion}") == {"a": 1}
    with pytest.raises(SuppleError, match=r"motions: expected {name: motion}, got \[1\]"):
        mapping("motions", [1], "{name: motion}")


def test_an_object_that_holds_what_is_asked_for_is_pointed_out():
    arm = supple.chain([1])
    assert instance("skeleton", arm, supple.Skeleton) is arm
    expected = r"skeleton: expected a supple.Skeleton, got a Pose; give its .skeleton"
    with pytest.raises(SuppleError, match=expected):
        instance("skeleton", arm.rest, supple.Skeleton)


def test_functions_are_checked_by_what_they_take():
    assert function("progress", print, "done", "total") is print
    for value in (True, lambda: 0, int):
        expected = r"progress: expected a function of \(done, total\), got "
        with pytest.raises(SuppleError, match=expected):
            function("progress", value, "done", "total")


def test_numbers_of_numpy_that_are_none():
    """NumPy registers time spans as whole numbers, and would drop an imaginary part with a warning."""
    for value in (np.timedelta64(3, "s"), np.complex64(1j), np.ma.masked):
        with pytest.raises(SuppleError, match="steps: expected"):
            whole("steps", value)
        with pytest.raises(SuppleError, match="rate: expected"):
            positive("rate", value)
        with pytest.raises((TypeError, ValueError)):
            as_float(value)


def test_lists_in_themselves_and_nested_deeply_are_no_arrays():
    endless: list[object] = []
    endless.append(endless)
    deep: list[object] = []
    for _ in range(5000):
        deep = [deep]
    np.ma.array([1.0])  # masked entries are looked for once NumPy has loaded them
    for value in (endless, deep):
        with pytest.raises(SuppleError, match="target: expected") as caught:
            array("target", value, (3,))
        assert len(str(caught.value)) < 300
