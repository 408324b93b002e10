"""Numbers in text: as Python reads and writes them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supple.kernels.numbers import FULL, HARD, OK, POWERS, WORD, read_numbers, write_numbers


def read(text: bytes, room: int = 100, lines: int = 100):
    data = np.frombuffer(bytearray(text), np.uint8)
    out, rows, state = np.empty(room), np.empty(lines, np.int64), np.zeros(4, np.int64)
    read_numbers(data, 0, len(data), POWERS, out, 0, rows, state)
    return out[: state[2]].tolist(), rows[: state[3]].tolist(), int(state[0]), int(state[1])


@pytest.mark.parametrize(
    "word",
    ["0", "-0", "1", "+1", ".5", "5.", "-1.25", "1e3", "1E-3", "1e+03", "0.0083333", "007",
     "179.99999999999997", "-2.5444437451708134e-14", "9007199254740993", "9223372036854775807",
     "0.1000000000000000055", "1e22", "1e-22", "1e200", "3.14159265358979e-120"],
)  # fmt: skip
def test_a_word_is_read_as_python_reads_it(word):
    values, _, ended, _ = read(word.encode() + b"\n")
    assert ended == OK
    assert values == [float(word)]
    assert math.copysign(1, values[0]) == math.copysign(1, float(word)) or values[0] == 0


def test_few_digits_are_read_to_the_last_bit_at_every_size():
    words = [f"{digits}e{power}" for digits in (1, 2, 15, 2047, 2049) for power in range(-240, 241)]
    values, _, ended, _ = read(" ".join(words).encode() + b"\n", room=len(words))
    assert ended == OK
    assert values == [float(word) for word in words]


@settings(max_examples=300, deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e200, max_value=1e200))
def test_every_number_is_read_to_the_last_bit(number):
    if number and abs(number) < 1e-200:
        return
    for word in (repr(number), f"{number:.17e}", f"{number:.6f}" if abs(number) < 1e12 else "1"):
        values, _, ended, _ = read(word.encode() + b"\n")
        if ended == OK:
            assert values == [float(word)]
        else:
            assert ended == HARD


def test_lines_are_counted_whatever_their_ends():
    values, lines, ended, _ = read(b"1 2\r\n\n3\t4 5\r6\n")
    assert values == [1, 2, 3, 4, 5, 6]
    assert lines == [2, 5, 6]
    assert ended == OK


@pytest.mark.parametrize("word", [b"x", b"1.5x", b"-", b".", b"1e", b"1e+", b"--1", b"1,5", b"nan"])
def test_what_is_no_number_stops_the_reading_where_it_is(word):
    values, _, ended, at = read(b"1 2 " + word + b" 3")
    assert values == [1, 2]
    assert ended == WORD
    assert at == 4


def test_what_needs_more_than_64_bits_is_left_to_the_caller():
    assert read(b"1 " + b"9" * 40)[2] == HARD
    assert read(b"1 1e999")[2] == HARD


def test_no_room_is_said_and_nothing_is_written_beyond():
    values, _, ended, at = read(b"1 2 3 4", room=2)
    assert values == [1, 2]
    assert ended == FULL
    assert at == 4


def test_numbers_are_written_rounded_without_zeros_at_the_end():
    values = np.array([[1.0, -0.5, 1e-9, 123456.789], [-1e-9, 0.9999999, 2.25, -10.0]])
    out = np.empty(34 * values.size, np.uint8)
    size = write_numbers(values, np.array([6, 6, 6, 2]), 32, out)
    assert out[:size].tobytes() == b"1 -0.5 0 123456.79\n0 1 2.25 -10\n"


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(min_value=-1e9, max_value=1e9), min_size=1, max_size=20))
def test_what_is_written_reads_back_within_half_a_digit(numbers):
    values = np.array([numbers])
    out = np.empty(34 * values.size, np.uint8)
    size = write_numbers(values, np.full(values.shape[1], 6), 32, out)
    back = np.array([float(word) for word in out[:size].tobytes().split()])
    assert np.all(np.abs(back - values[0]) <= 0.5e-6 + 1e-15 * np.abs(values[0]))
