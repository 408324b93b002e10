"""Lowered problems as data: the bytes of `Prepared.to_bytes`, for programs that run the kernels without Python.

The bytes hold everything that a kernel takes, with a default start. The start and the open targets change from call
to call. So a page or another program that has the compiled kernels (`supple.wasm`) can solve without Python. The
layout is described in `docs/lowered-problems.md`; everything is little-endian:

    8 bytes     SIGNATURE
    2 x uint32  FORMAT_VERSION, and the length of the header
    header      JSON, UTF-8, padded with spaces to 8 bytes
    arrays      int64 or float64, C order; at the offsets in the header, counted from the header's end
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from supple.errors import SuppleError
from supple.goals.smooth import REFERENCE_RATE
from supple.kernels import layout
from supple.kernels.decorators import ENTRIES
from supple.model.skeleton import Pose
from supple.problem.lowering import Problem
from supple.solve.outcome import ProblemInfo
from supple.solvers import Solver

SIGNATURE = b"SUPPLEIK"
FORMAT_VERSION = 1
FORMAT = "supple-problem"
MOST_EVENTS = 200_000  # steps in a trace of a lowered problem

DTYPES = {"i": ("i8", np.dtype("<i8")), "f": ("f8", np.dtype("<f8"))}
REPORT = {
    name: getattr(layout, f"O_{name.upper()}")
    for name in (
        "stop", "status", "iterations", "error", "turn_error", "restarts", "trace", "events", "cost",
        "block", "reach", "gap", "open", "pair", "depth", "topple",
    )
}  # fmt: skip


class OpenTargets(NamedTuple):
    """The targets of a problem: the fixed ones, and the columns of the open ones."""

    fixed: np.ndarray  # (T,), NaN where open
    arguments: tuple[tuple[int, str], ...]  # the open ones: goal's number, slot
    indices: tuple[
        tuple[str, int, int], ...
    ]  # slot, index in a row, index of a transform's orientation


def layout_stamp() -> str:
    """A hash of the layout of packed problems: kernels with another stamp cannot read them."""
    names = sorted(name for name in vars(layout) if name.isupper())
    text = json.dumps([(name, getattr(layout, name)) for name in names])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def write_problem(
    problem: Problem,
    solvers: Sequence[Solver],
    packed: Sequence[tuple[np.ndarray, np.ndarray]],
    targets: OpenTargets,
    asked: ProblemInfo,
    start: Pose,
) -> bytes:
    """The bytes of a problem.

    Args:
        problem: The lowered problem.
        solvers: The solvers tried in turn.
        packed: The packed problem for each solver, ints and floats.
        targets: The fixed targets, and the columns of the open ones.
        asked: What solutions report about the problem.
        start: The pose that a solve starts from if no other is given.

    Raises:
        SuppleError: A solver has no kernel that is compiled ahead, or there is a batch of targets.
    """
    if targets.fixed.ndim != 1 or start.batch_shape:
        raise SuppleError(
            "to_bytes: expected single targets and a single start, got batch axes "
            f"{targets.fixed.shape[:-1]} and {start.batch_shape}"
        )
    for goal in problem.goals:
        if "own" in goal.kinds:
            raise SuppleError(
                f"to_bytes: {goal!r} is a goal of your own: its function exists only in this process, and neither "
                "the page nor another program can call it"
            )
    skeleton = problem.skeleton
    tip_joint, tip_offset, tip_rotation = skeleton.packed_tips
    arrays = {
        "start": start.coordinates,
        "offsets": problem.offsets(start),
        "targets": targets.fixed,
        "skeleton_ints": skeleton.packed_ints,
        "skeleton_floats": skeleton.packed_floats,
        "tip_joint": tip_joint,
        "tip_offset": tip_offset,
        "tip_rotation": tip_rotation,
    }
    for name, value in (("translations", start.translations), ("scales", start.scales)):
        if value is not None:
            arrays[name] = value
    for number, (ints, floats) in enumerate(packed):
        arrays |= {f"ints_{number}": ints, f"floats_{number}": floats}
    count = problem.coordinates
    header: dict[str, Any] = {
        "format": FORMAT,
        "layout": layout_stamp(),
        "names": list(skeleton.names),
        "parents": [*skeleton.parents.tolist(), *tip_joint.tolist()],
        "joints": len(skeleton.joints),
        "coordinates": count,
        "width": problem.report_width,
        "report": {name: count + column for name, column in REPORT.items()},
        "errors": count + layout.REPORT,
        "pressed": count + layout.REPORT + problem.reported,
        "solvers": [_solver(solver, problem) for solver in solvers],
        "arguments": [
            {
                "goal": goal,
                "slot": slot,
                "effector": problem.goals[goal].effector_name,
                "target": None if slot == "orientation" else index,
                "orientation": index
                if slot == "orientation"
                else orientation
                if slot == "pose"
                else None,
            }
            for (goal, slot), (_, index, orientation) in zip(
                targets.arguments, targets.indices, strict=True
            )
        ],
        "asked": {**asked.to_json(), "solver": solvers[0].name},
    }
    smooth = next((goal for goal in problem.goals if goal.needs_clip), None)
    if smooth is not None:
        from supple.solvers.clip import ENDED_COLUMNS  # its kernels: not before they are needed

        joints = skeleton.freedom_table.free.joint
        joints = joints[np.isin(joints, problem.moving)]
        arrays["smooth"] = smooth.difference_weights(skeleton, joints, REFERENCE_RATE)
        header["clip"] = {
            **{name: f"solvers.clip.{name}" for name in ("begin", "relax", "judge")},
            "ended": ENDED_COLUMNS,
        }
    return _joined(header, arrays)


def _solver(solver: Solver, problem: Problem) -> dict[str, Any]:
    """The kernel of a solver, and the size of its trace.

    Raises:
        SuppleError: Its kernel is not one of those compiled ahead.
    """
    module = getattr(solver.kernel, "__module__", None) or ""
    kernel = f"{module.removeprefix('supple.')}.solve_range"
    if not module.startswith("supple.") or kernel not in ENTRIES:
        raise SuppleError(
            f"to_bytes: {solver.name} runs in Python; expected a solver whose kernel is compiled "
            "ahead: TwoBone, CCD, TargetTriangle, FABRIK, Jacobian or LM"
        )
    poses = solver.most_iterations + 1
    return {
        "name": solver.name,
        "kernel": kernel,
        "poses": poses,
        "events": min(poses * solver.events_per_iteration(problem), MOST_EVENTS),
    }


def _joined(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """The header, with an entry for each array, and the arrays, as bytes."""
    listed, parts, offset = [], [], 0
    for name, value in arrays.items():
        code, dtype = DTYPES[value.dtype.kind]
        data = np.ascontiguousarray(value, dtype).tobytes()
        listed.append({"name": name, "type": code, "shape": list(value.shape), "offset": offset})
        parts.append(data)
        offset += len(data)
    text = json.dumps({**header, "arrays": listed}, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-len(text) % 8)
    return b"".join((SIGNATURE, struct.pack("<2I", FORMAT_VERSION, len(text)), text, *parts))
