"""Record types of a .character file; docs/character-file.md describes them."""

from __future__ import annotations

from typing import Any

import numpy as np

FILE_ID, FILE_VERSION = b"G", 1
HEAD = np.dtype([("id", "S1"), ("version", "u1"), ("reserved", "<u2"), ("numbones", "<u4")])
BONE = np.dtype([("dof", "<f4", 6), ("parent", "<i4"), ("options", "<u4")])
SEQUENCE = np.dtype([("fps", "<f4"), ("index", "<u4"), ("numframes", "<u4")])
SPATIAL = np.dtype([("rotation", "<f4", (3, 3)), ("position", "<f4", 3)])
COUNTS = np.dtype([("numvertices", "<u4"), ("maxweights", "<u4")])


def weight_type(most: int) -> np.dtype[Any]:
    """The record weight_t, with so many attachments."""
    fields = [("numweights", "<u4"), ("offset", "<f4", (most, 3)), ("weights", "<f4", most)]
    return np.dtype([*fields, ("bone", "<i4", most)])
