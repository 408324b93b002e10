"""Decode buffer views compressed by EXT_meshopt_compression or KHR_meshopt_compression.

Written from the specification of the bitstream. Attributes are stored as differences of bytes, one byte
position of the elements at a time, in groups of 16; triangles as codes that refer to earlier edges and
vertices; indices as differences to one of two running values. Filters then turn the decoded integers
into normals, quaternions, colors or floats.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

NAMES = ("EXT_meshopt_compression", "KHR_meshopt_compression")
# The first byte of a stream.
HEADER_ATTRIBUTES_V0, HEADER_ATTRIBUTES_V1 = 0xA0, 0xA1
HEADER_TRIANGLES, HEADER_INDICES = 0xE1, 0xD1
GROUP_ELEMENTS = 16  # elements in a group, whose differences have the same width
BLOCK_BYTES, BLOCK_ELEMENTS = 8192, 256  # size limits of a block
LEAST_TAIL_V0, LEAST_TAIL_V1 = 32, 24  # least size of the tail of attributes [B]
TRIANGLE_TABLE = 16  # size of the tail of triangles, a table of codes [B]
ALL_ZEROS = 0xAA  # the control byte of four byte positions that are all CONTROL_ZEROS
CONTROL_ZEROS, CONTROL_PLAIN = 2, 3  # control modes of a byte position; 0 and 1 are in _WIDTHS
CONTROL_V0 = 4  # ours: the mode of all byte positions in version 0

Bytes = NDArray[np.uint8]

_NOTHING = bytes(GROUP_ELEMENTS)
_WIDTHS = {
    0: (0, 1, 2, 4),
    1: (1, 2, 4, 8),
    CONTROL_V0: (0, 2, 4, 8),
}  # widths of a difference [bit], by control mode
_SPLIT = {  # the differences of so many bits in each byte
    1: [bytes(b >> s & 1 for s in range(8)) for b in range(256)],
    2: [bytes(b >> s & 3 for s in (6, 4, 2, 0)) for b in range(256)],
    4: [bytes((b >> 4, b & 15)) for b in range(256)],
}


class StreamError(ValueError):
    """A stream is cut off or wrong."""


def decode(data: bytes, *, mode: str, filter: str, count: int, stride: int) -> bytes:
    """Decode a compressed buffer view.

    Args:
        data: The stream.
        mode: One of `MODES`.
        filter: "NONE", or one of `FILTERS` if the mode is "ATTRIBUTES".
        count: Number of elements.
        stride: Bytes of an element.

    Returns:
        count * stride bytes.

    Raises:
        StreamError: The stream is cut off or wrong.
    """
    found = MODES[mode](data, count, stride)
    return FILTERS[filter](found).tobytes() if filter != "NONE" else found.tobytes()


def _head(data: bytes, first: int, least: int) -> None:
    if not data or data[0] != first:
        got = f"{data[0]:#x}" if data else "nothing"
        raise StreamError(f"expected packed data that begin with {first:#x}, got {got}")
    if len(data) < least:
        raise StreamError(
            f"expected at least {least} bytes of packed data, got {len(data)}: cut off?"
        )


# Attributes ---------------------------------------------------------------------------------------


def _least_packed(count: int, stride: int, newer: bool) -> int:
    """The smallest size of a stream of so many elements, without head and tail [B]."""
    most = _elements_in_block(stride)
    if newer:  # a control byte for four byte positions, which may mean that all are 0
        return -(-count // most) * (stride // 4)
    whole, rest = divmod(count, most)  # two bits for each group of each byte
    return stride * (whole * _head_bytes(most) + _head_bytes(rest))


def _elements_in_block(stride: int) -> int:
    return min((BLOCK_BYTES // stride) & ~(GROUP_ELEMENTS - 1), BLOCK_ELEMENTS)


def _head_bytes(size: int) -> int:
    """Bytes of the group headers of a block: two bits a group."""
    return (-(-size // GROUP_ELEMENTS) + 3) // 4


def _tail(stride: int, newer: bool) -> int:
    return max(LEAST_TAIL_V1, stride + stride // 4) if newer else max(LEAST_TAIL_V0, stride)


def attributes(data: bytes, count: int, stride: int) -> Bytes:
    """Decode attributes: elements of shape (count, stride)."""
    newer = data[:1] == bytes([HEADER_ATTRIBUTES_V1])
    tail = _tail(stride, newer)
    least = 1 + _least_packed(count, stride, newer) + tail
    _head(data, HEADER_ATTRIBUTES_V1 if newer else HEADER_ATTRIBUTES_V0, least)
    channels = data[len(data) - stride // 4 :] if newer else bytes(stride // 4)
    base = np.frombuffer(data, np.uint8, stride, len(data) - stride - (stride // 4) * newer)
    most = _elements_in_block(stride)
    at, end = 1, len(data) - tail
    out = np.empty((count, stride), np.uint8)
    for first in range(0, count, most):
        size = min(most, count - first)
        still = bytes([ALL_ZEROS]) * (stride // 4) if newer else bytes(stride * _head_bytes(size))
        if data[at : at + len(still)] == still and at + len(still) <= end:
            out[first : first + size] = base  # all differences are zero, in every mode
            at += len(still)
            continue
        controls = data[at : at + stride // 4] if newer else b""
        at += len(controls)
        rows = []
        for k in range(stride):
            control = controls[k >> 2] >> (k & 3) * 2 & 3 if newer else CONTROL_V0
            row, at = _differences(data, at, end, size, control)
            rows.append(np.frombuffer(row, np.uint8, size))
        steps = np.stack(rows, axis=1)
        for k, channel in enumerate(channels):
            part = slice(4 * k, 4 * k + 4)
            out[first : first + size, part] = _summed(steps[:, part], base[part], channel)
        base = out[first + size - 1]
    if at != end:
        raise StreamError(f"expected packed data of {at + tail} bytes, got {len(data)}")
    return out


def _differences(data: bytes, at: int, end: int, size: int, control: int) -> tuple[bytes, int]:
    """The differences of one byte position of a block, and the offset after them."""
    if control == CONTROL_ZEROS:
        return bytes(size), at
    if control == CONTROL_PLAIN:
        _within(at + size, end)
        return data[at : at + size], at + size
    groups = -(-size // GROUP_ELEMENTS)
    heads = data[at : at + _head_bytes(size)]
    at += len(heads)
    _within(at, end)
    widths = _WIDTHS[control]
    parts = []
    for g in range(groups):
        width = widths[heads[g >> 2] >> (g & 3) * 2 & 3]
        if width == 0:
            parts.append(_NOTHING)
            continue
        stop = at + 2 * width
        _within(stop, end)
        if width == 8:
            parts.append(data[at:stop])
            at = stop
            continue
        table = _SPLIT[width]
        part = b"".join([table[byte] for byte in data[at:stop]])
        whole = (1 << width) - 1  # escape: the value is in a byte that follows
        missing = part.count(whole)
        at = stop + missing
        if missing:
            _within(at, end)
            rest = iter(data[stop:at])
            part = bytes([next(rest) if value == whole else value for value in part])
        parts.append(part)
    return b"".join(parts), at


def _within(at: int, end: int) -> None:
    if at > end:
        raise StreamError("expected more packed data, got their end: cut off?")


def _summed(steps: Bytes, base: Bytes, channel: int) -> Bytes:
    """Undo the differences of four byte positions (n, 4): sums of bytes or of pairs, or XOR of all four."""
    if channel in (0, 1):
        dtype = np.dtype("u1" if channel == 0 else "<u2")
        values = np.ascontiguousarray(steps).view(dtype)
        values = np.where(values & 1, ~(values >> 1), values >> 1)
        sums = np.cumsum(values, axis=0, dtype=dtype) + np.ascontiguousarray(base).view(dtype)
        return sums.astype(dtype).view(np.uint8)
    if channel & 15 != 2:
        raise StreamError(f"expected channels of mode 0, 1 or 2, got {channel:#x}")
    turn = np.uint32(channel >> 4)
    values = np.ascontiguousarray(steps).view("<u4")
    values = (values >> turn) | (values << (np.uint32(32) - turn & np.uint32(31)))
    values = np.bitwise_xor.accumulate(values, axis=0) ^ np.ascontiguousarray(base).view("<u4")
    return values.astype("<u4").view(np.uint8)


# Indices ------------------------------------------------------------------------------------------


class _Numbers:
    """Reads variable-length integers, seven bits a byte."""

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self.data, self.at, self.end = data, at, end

    def byte(self) -> int:
        if self.at >= self.end:
            raise StreamError("expected more packed data, got their end: cut off?")
        self.at += 1
        return self.data[self.at - 1]

    def next(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & 0xFFFFFFFF
            if shift > 28:
                raise StreamError("expected whole numbers of at most five bytes, got a longer one")

    def step(self) -> int:
        """The next zigzag-coded difference."""
        value = self.next()
        return ~(value >> 1) if value & 1 else value >> 1


def triangles(data: bytes, count: int, stride: int) -> NDArray[Any]:
    """Decode triangles: indices of shape (count,), three a triangle."""
    _head(data, HEADER_TRIANGLES, 1 + count // 3 + TRIANGLE_TABLE)
    table = data[-TRIANGLE_TABLE:]
    numbers = _Numbers(data, 1 + count // 3, len(data) - TRIANGLE_TABLE)
    edges, vertices = [(0, 0)] * 16, [0] * 16  # most recent last
    following = last = 0
    out: list[int] = []
    for code in data[1 : 1 + count // 3]:
        high, low = code >> 4, code & 15
        if high < 15:
            a, b = edges[-1 - high]
            if low == 0:
                c = following
                following += 1
            elif low < 13:
                c = vertices[-1 - low]
            else:
                c = last + (-1 if low == 13 else 1 if low == 14 else numbers.step())
                last = c
            if low == 0 or low >= 13:
                vertices.append(c)
            edges += ((c, b), (a, c))
        else:
            pair = table[low] if low < 14 else numbers.byte()
            if low >= 14 and pair == 0:
                following = 0
            corners: list[int] = []
            fresh: list[int] = []
            for k, kind in enumerate((0 if low < 15 else 15, pair >> 4, pair & 15)):
                if kind == 0:
                    corner = following
                    following += 1
                elif kind < 15:
                    corner = vertices[-kind]
                else:
                    corner = last = last + numbers.step()
                if k == 0 or kind in (0, 15):
                    fresh.append(corner)
                corners.append(corner)
            a, b, c = corners
            vertices += fresh
            edges += ((b, a), (c, b), (a, c))
        out += (a, b, c)
        if len(edges) > 4096:  # codes refer to the last 16 only
            edges, vertices = edges[-16:], vertices[-16:]
    if numbers.at != numbers.end:
        raise StreamError(f"expected packed triangles to end at {numbers.at}, got {numbers.end}")
    return _as_indices(out, stride)


def indices(data: bytes, count: int, stride: int) -> NDArray[Any]:
    """Decode an index sequence of shape (count,)."""
    _head(data, HEADER_INDICES, 1 + count + 4)
    numbers = _Numbers(data, 1, len(data) - 4)
    last = [0, 0]
    out = []
    for _ in range(count):
        value = numbers.next()
        which, value = value & 1, value >> 1
        last[which] += ~(value >> 1) if value & 1 else value >> 1
        out.append(last[which])
    return _as_indices(out, stride)


def _as_indices(values: list[int], stride: int) -> NDArray[Any]:
    found = np.array(values, dtype=np.int64) & 0xFFFFFFFF  # sums wrap at 32 bits
    if len(found) and found.max() >= 1 << 8 * stride:
        raise StreamError(f"expected packed indices of {stride} bytes, got some beyond")
    return found.astype(f"<u{stride}")


MODES = {"ATTRIBUTES": attributes, "TRIANGLES": triangles, "INDICES": indices}


# Filters ------------------------------------------------------------------------------------------


def octahedral(data: Bytes) -> NDArray[Any]:
    """Unit vectors from octahedral coordinates; the fourth component is kept."""
    dtype = np.dtype("i1" if data.shape[1] == 4 else "<i2")
    values = data.view(dtype)
    one = np.maximum(values[:, 2].astype(np.float64), 1.0)
    x, y = values[:, 0] / one, values[:, 1] / one
    z = 1.0 - np.abs(x) - np.abs(y)
    below = np.minimum(z, 0.0)
    vectors = np.stack([x + np.copysign(below, -x), y + np.copysign(below, -y), z], axis=1)
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    most = np.iinfo(dtype).max
    out = values.copy()
    out[:, :3] = np.rint(vectors / np.where(size > 0, size, 1.0) * most)
    return out


def quaternion(data: Bytes) -> NDArray[Any]:
    """Unit quaternions from their three smaller components and the index of the greatest."""
    values = data.view("<i2")
    greatest = (values[:, 3] & 3).astype(np.int64)
    one = (values[:, 3] | 3).astype(np.float64)
    rest = values[:, :3] / np.where(one > 0, one, 1.0)[:, None] / np.sqrt(2.0)
    last = np.sqrt(np.maximum(1.0 - np.sum(rest**2, axis=1), 0.0))
    out = np.empty(values.shape, "<i2")
    rows = np.arange(len(values))
    for k in range(3):
        out[rows, (greatest + 1 + k) % 4] = np.clip(np.rint(rest[:, k] * 32767.0), -32767, 32767)
    out[rows, greatest] = np.rint(last * 32767.0)
    return out


def color(data: Bytes) -> NDArray[Any]:
    """RGBA from YCoCg; the highest bit set in alpha tells the precision."""
    dtype = np.dtype("u1" if data.shape[1] == 4 else "<u2")
    signed = data.view(f"i{dtype.itemsize}").astype(np.int64)
    alpha = data.view(dtype)[:, 3].astype(np.int64)
    full = alpha.copy()
    for shift in (1, 2, 4, 8):
        full |= full >> shift
    y, orange, green = data.view(dtype)[:, 0].astype(np.int64), signed[:, 1], signed[:, 2]
    alpha = (alpha << 1) & full | alpha & 1
    values = np.stack([y + orange - green, y + green, y - orange - green, alpha], axis=1)
    most = np.iinfo(dtype).max
    scaled = np.rint(values * (most / np.maximum(full, 1))[:, None])
    return np.clip(scaled, 0, most).astype(dtype)


def exponential(data: Bytes) -> NDArray[Any]:
    """Floats from an exponent of 8 bits and a mantissa of 24."""
    values = data.view("<i4")
    whole = (values << 8) >> 8
    with np.errstate(over="ignore", under="ignore"):
        return np.ldexp(whole.astype(np.float64), values >> 24).astype("<f4")


FILTERS = {"OCTAHEDRAL": octahedral, "QUATERNION": quaternion, "EXPONENTIAL": exponential,
            "COLOR": color}  # fmt: skip
