"""Binary messages: pose frames, up to sixty a second, and packets of arrays.

All numbers are little-endian. A pose frame is a header of twelve words (see `HEADER`), then for every
joint and tip its world position and rotation as seven float32 (x, y, z, w, x, y, z), or twelve
(T_world_joint by rows) if joints have scales, then a `Report` as JSON. A packet is its kind, the length
of its head, the head as JSON padded to four bytes, and the arrays, each aligned to four bytes.
"""

from __future__ import annotations

import dataclasses
import json
import struct
from typing import Any

import numpy as np

from supple.apps.viewer.messages import Report
from supple.model.skeleton import Pose

POSE, PACKET = 1, 2
HEADER = struct.Struct("<8I3fI")
"""kind, seq, revision, slot, stride, count, iterations, reached, error, turn error, micros, tail."""

DTYPES = {"f": np.dtype("<f4"), "i": np.dtype("<i4"), "u": np.dtype("<u1")}


def rigid(pose: Pose) -> np.ndarray:
    """World positions and rotations as float32, shape (..., N + T, 7)."""
    return np.concatenate([pose.positions, pose.rotations], axis=-1).astype("<f4")


def placed(pose: Pose) -> np.ndarray:
    """The numbers of a pose frame: seven a joint, or twelve if there are scales."""
    if pose.scales is None:
        return rigid(pose)
    return pose.frames[..., :3, :].reshape(len(pose.skeleton.names), 12).astype("<f4")


def pose_frame(
    pose: Pose,
    report: Report,
    *,
    seq: int,
    revision: int,
    slot: int = 0,
    iterations: int = 0,
    reached: bool = True,
    error: float = 0.0,
    orientation_error: float = 0.0,
    micros: float = 0.0,
) -> bytes:
    """Pack a pose and the report on it.

    Args:
        pose: A single pose.
        report: How the solve ended.
        seq: The number of the message it answers.
        revision: The number of the scene it belongs to.
        slot: 0, or 1 for the second solver.
        iterations: Iterations of the solver.
        reached: True if every goal is reached.
        error: Largest distance to a target [model units].
        orientation_error: Largest angle to a target orientation [rad].
        micros: Duration of the solve [us].
    """
    values = placed(pose)
    count, stride = values.shape
    tail = json.dumps(dataclasses.asdict(report), separators=(",", ":")).encode()
    head = HEADER.pack(
        POSE,
        seq & 0xFFFFFFFF,
        revision,
        slot,
        stride,
        count,
        iterations,
        int(reached),
        error,
        orientation_error,
        micros,
        len(tail),
    )
    return b"".join((head, values.tobytes(), tail))


def packet(head: Any, arrays: dict[str, np.ndarray | bytes]) -> bytes:
    """Pack named arrays with a head, one of the `PacketHead` messages.

    Floats are sent as float32, integers as int32, bytes unchanged.
    """
    listed, parts, offset = [], [], 0
    for name, value in arrays.items():
        if isinstance(value, bytes):
            value = np.frombuffer(value, np.uint8)
        value = np.ascontiguousarray(value, DTYPES[value.dtype.kind])
        kind = {"f": "f4", "i": "i4", "u": "u1"}[value.dtype.kind]
        listed.append({"name": name, "kind": kind, "shape": value.shape, "offset": offset})
        data = value.tobytes()
        data += bytes(-len(data) % 4)
        parts.append(data)
        offset += len(data)
    text = json.dumps({"head": dataclasses.asdict(head), "arrays": listed}).encode()
    text += b" " * (-len(text) % 4)
    return b"".join((struct.pack("<2I", PACKET, len(text)), text, *parts))
