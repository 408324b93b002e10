"""What a page needs to solve by itself: lowered problems, poses to start from, the motion that plays.

The session sends it after every setup, a page without a server has it in its file; `web/src/solving`
reads it. Optimize and custom solvers run in Python: with one of them nothing is sent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from supple.apps.character.motion import Motion
from supple.apps.viewer import meshes
from supple.apps.viewer.messages import ClipHead, ProblemHead
from supple.apps.viewer.messages.binary import packet
from supple.apps.viewer.model import Model, carried
from supple.errors import SuppleError
from supple.model.skeleton import Pose, Skeleton
from supple.problem.lowering import Problem
from supple.solve.prepare import Prepared

MOST_NUMBERS = 4_000_000  # coordinates of all samples of a motion that is sent


class Own(NamedTuple):
    """Whether poses of a scene have their own translations or scales; if one has, all are sent with them."""

    translations: bool
    scales: bool

    @classmethod
    def of(cls, poses: Iterable[Pose]) -> Own:
        """True for each that any of some poses has."""
        every = list(poses)
        return cls(
            any(one.translations is not None for one in every),
            any(one.scales is not None for one in every),
        )

    def on(self, pose: Pose) -> Pose:
        """A pose, or a batch, with these."""
        translations, scales = pose.translations, pose.scales
        if self.translations and translations is None:
            translations = pose.skeleton.offsets
        if self.scales and scales is None:
            scales = np.ones((len(pose.skeleton.joints), 3))
        return Pose(pose.skeleton, pose.coordinates, translations, scales)


def fits(motion: Motion | None) -> bool:
    """True if a motion is small enough to be sent as a clip; there may be none."""
    return motion is None or motion.poses.coordinates.size <= MOST_NUMBERS


def problems(
    model: Model, starts: Sequence[Pose], rest: Pose, *, own: Own, revision: int = 0, clip: int = 0
) -> list[bytes]:
    """A packet for each solver of a model; none if one of them cannot run without Python.

    Args:
        model: What is solved.
        starts: The pose that each solver starts from.
        rest: The initial pose of the scene.
        own: Whether poses are sent with translations and scales.
        revision: The number of the scene.
        clip: The number of the motion that plays; 0 for none.
    """
    if not model.prepared:
        return []
    packets = []
    try:
        for slot, (prepared, start) in enumerate(zip(model.prepared, starts, strict=True)):
            head = ProblemHead(
                revision=revision, slot=slot, problems=len(model.prepared), clip=clip
            )
            data = prepared.to_bytes(start=own.on(start))
            numbers = pose_arrays(own.on(rest), prepared.problem)
            rests = {
                "rest" if name == "coordinates" else f"rest_{name}": value.tobytes()
                for name, value in numbers.items()
            }
            steady = _steady(prepared)
            held = {} if steady is None else {"steady": steady.to_bytes(start=own.on(start))}
            packets.append(packet(head, {"data": data, **held, **rests}))
    except SuppleError:  # a solver that runs in Python, or scales that cannot be solved with
        return []
    return packets


def _steady(prepared: Prepared) -> Prepared | None:
    """The same problem without restarts, for goals that move a little from frame to frame.

    None if there are none to leave out. A target that cannot be reached would take all restarts in every
    frame of a drag; the last answer is as good a start.
    """
    if len(prepared.solvers) != 1:
        return None
    (solver,) = prepared.solvers
    steady = prepared.with_solver(solver, restarts=False)
    return None if steady.solvers == prepared.solvers else steady


def clip(
    motion: Motion,
    name: str,
    model: Model,
    *,
    own: Own,
    number: int = 1,
    fps: float = math.inf,
    most: int | None = None,
) -> bytes:
    """The packet of a motion.

    Args:
        motion: The motion, on the skeleton of the model.
        name: Its name.
        model: What is solved.
        own: Whether poses are sent with translations and scales.
        number: What problems refer to it by.
        fps: Most samples a second.
        most: Most samples in all; a longer motion has fewer a second.
    """
    duration = motion.period if motion.loop else motion.duration
    count = max(1, math.ceil(duration * min(motion.fps, fps) - 1e-9))
    times = np.linspace(0.0, duration, 1 + min(count, most or count))
    poses = own.on(carried(motion.at(times), model.skeleton))
    weights = [meshes.morph_weights(motion, t) for t in times.tolist()]
    head = ClipHead(
        number=number,
        name=name,
        duration=duration,
        turns=turns(model.skeleton),
        morphs={mesh: [row[mesh] for row in weights] for mesh in weights[0]},
    )
    problem = model.prepared[0].problem
    return packet(head, {**pose_arrays(poses, problem)})


def pose_arrays(pose: Pose, problem: Problem) -> dict[str, np.ndarray]:
    """The arrays of a pose or a batch, and the offsets that follow from translations and scales."""
    arrays = {"coordinates": np.ascontiguousarray(pose.coordinates, "<f8")}
    if pose.translations is None and pose.scales is None:
        return arrays
    offsets = problem.offsets(pose)
    for name, value in (
        ("translations", pose.translations),
        ("scales", pose.scales),
        ("offsets", offsets),
    ):
        if value is not None:
            shape = (*pose.batch_shape, *value.shape[-2:])
            arrays[name] = np.ascontiguousarray(np.broadcast_to(value, shape), "<f8")
    return arrays


def turns(skeleton: Skeleton) -> list[int]:
    """The first coordinate of every quaternion."""
    return sorted(skeleton.freedom_table.quaternions.coordinate[:, 0].tolist())
