"""Arrays as bytes: reading gives the same arrays, and damaged bytes are refused."""

import numpy as np
import pytest

from supple.apps.formats.plain_arrays import packed, unpacked

ARRAYS = {
    "flags": np.array([True, False, True]),
    "empty": np.zeros((0, 3)),
    "one": np.array(2.5),
    "ids": np.arange(6, dtype=np.int32).reshape(2, 3)[:, ::2],
    "points": np.arange(12.0).reshape(4, 3).T,
    "single": np.array([1.5], np.float32),
}


def test_arrays_come_back_as_they_were():
    meta, arrays = unpacked(packed({"names": ["a\n", "ö"]}, ARRAYS))
    assert meta == {"names": ["a\n", "ö"]}
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype and arrays[name].shape == array.shape
        assert np.array_equal(arrays[name], array)
        assert not arrays[name].flags.writeable


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff",
        b'{"meta": {}, "arrays": []}',
        b'{"meta": {}, "arrays": {"a": 3}}',
        b'{"meta": {}, "arrays": {"a": ["|O", [1]]}}',
        b'{"meta": {}, "arrays": {"a": ["<f8", [9]]}}',
        b'{"meta": {}, "arrays": {"a": ["<f8", [-1]]}}',
        b'{"meta": {}, "arrays": {"a": ["<f8", [true]]}}',
        b'{"meta": {}, "arrays": {"a": ["<f8", [1e3]]}}',
        b'{"meta": {}, "arrays": {"a": [["<f8"], [1]]}}',
        b'{"meta": {}, "arrays": {"a": ["<f8", [60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60]]}}',
    ],
)
def test_what_is_not_so_is_refused(head):
    with pytest.raises(ValueError):
        unpacked(head + b"\n" + bytes(64))


def test_bytes_that_are_cut_off_are_refused():
    whole = packed({}, {"points": np.ones((3, 3))})
    for size in range(len(whole)):
        with pytest.raises(ValueError):
            unpacked(whole[:size])
