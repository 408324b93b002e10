"""Reading what `Prepared.to_bytes` writes, written anew from docs/lowered-problems.md."""

import json
import struct

import numpy as np


def read(data):
    """The header and the arrays of a lowered problem."""
    assert data[:8] == b"SUPPLEIK"
    version, size = struct.unpack_from("<2I", data, 8)
    assert version == 1 and size % 8 == 0
    head = json.loads(data[16 : 16 + size])
    arrays = {}
    for one in head["arrays"]:
        assert one["offset"] % 8 == 0
        count = int(np.prod(one["shape"]))
        start = 16 + size + one["offset"]
        dtype = {"i8": "<i8", "f8": "<f8"}[one["type"]]
        arrays[one["name"]] = np.frombuffer(data, dtype, count, start).reshape(one["shape"])
    return head, arrays
