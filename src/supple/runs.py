"""Runs of consecutive frames in which a flag is set."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def true_runs(flags: NDArray[np.bool_]) -> list[slice]:
    """The runs of set flags (F,), in order."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def widened(flags: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    """Flags (F,) that are set within `count` frames of a flag that is set."""
    out = flags.copy()
    for shift in range(1, min(count, len(flags) - 1) + 1):
        out[shift:] |= flags[:-shift]
        out[:-shift] |= flags[shift:]
    return out
