"""The data of a page without a server: scenes, lowered problems, meshes and sampled motions.

What `session` sends step by step is laid down here at once, for every solver that can take the goals and
with limits on and off. The page (`web/src/standalone`) answers its own messages from it.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import math
import struct
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from supple.errors import SuppleError, one_of
from supple.model.mirror import partner
from supple.model.skeleton import Pose, Skeleton
from supple.motion import Motion
from supple.solvers import SOLVERS
from supple.version import __version__
from supple.viewer import describe, meshes, model, solvers
from supple.viewer.bounds import bounds
from supple.viewer.messages import GoalSetup, Hello, SceneInfo, Setup, SolverChoice
from supple.viewer.subject import Subject, limb_depth

FORMAT, VERSION = "supple-page", 1
NAME = "file:page"  # of the only scene
FPS = 30.0  # most samples a second of a motion
MOST_SAMPLES = 3000  # of a motion; a longer one has fewer a second
NOT_COMPILED = ("Optimize",)  # solvers that supple.wasm does not have


class _Parts:
    """Bytes that the data refers to by their numbers."""

    def __init__(self) -> None:
        self.listed: list[bytes] = []

    def add(self, data: bytes) -> int:
        self.listed.append(data)
        return len(self.listed) - 1

    def floats(self, values: np.ndarray) -> int:
        return self.add(np.ascontiguousarray(values, "<f4").tobytes())


def bake(subject: Subject, kernels: bytes) -> bytes:
    """The data of a page, compressed.

    Args:
        subject: What is shown; it has at least one goal.
        kernels: `supple.wasm`.

    Raises:
        SuppleError: No solver can take the goals.
    """
    parts = _Parts()
    first = next(iter(subject.motions), None)
    start = _with_own_offsets(subject, first)
    around = bounds(subject, subject.motions[first] if first is not None else None)
    scenes, problems, able, active = [], [], [], None
    for limits in (True, False) if _has_limits(subject.skeleton) else (True,):
        for name in ("auto", *(one for one in SOLVERS if one not in NOT_COMPILED)):
            choice = Setup(limits=limits, solver=SolverChoice(name=name), motion=first)
            try:
                built = model.build(subject, choice)
            except SuppleError:
                if name == "auto":
                    raise
                continue  # it cannot take these goals or joints
            problem = built.prepared[0]
            pose = model.carried(start, built.skeleton)
            if name == "auto":
                scene = describe.scene(subject, built, seq=0, revision=0, pose=pose, around=around)
                scenes.append(dataclasses.asdict(scene))
                active = problem.problem
            able.append(name)
            data = problem.to_bytes(start=pose)
            problems.append({"solver": name, "limits": limits, "part": parts.add(data)})
    assert active is not None
    infos = [replace(one, options=[]) for one in solvers.infos() if one.name in able]
    hello = Hello(
        version=__version__,
        scene="",
        scenes=[SceneInfo(name=NAME, title=subject.title)],
        solvers=infos,
        upload_limit=0,
        most_files=0,
        formats=[],
    )
    data = {
        "format": FORMAT,
        "version": VERSION,
        "scene": NAME,
        "motion": first,
        "hello": dataclasses.asdict(hello),
        "scenes": scenes,
        "problems": problems,
        "turns": _turns(subject.skeleton),
        "start": {
            "coordinates": parts.floats(subject.start.coordinates),
            **_own(
                parts, model.carried(_same_parts(subject.start, start), active.skeleton), active
            ),
        },
        "motions": [
            _motion(parts, name, one, start, active, up=subject.up)
            for name, one in subject.motions.items()
        ],
        "meshes": [parts.add(one) for one in meshes.packets(subject, 0)],
        "kernels": parts.add(kernels),
    }
    return _joined(data, parts)


def page_goals(subject: Subject, wanted: Iterable[str] | None) -> tuple[GoalSetup, ...]:
    """The goals of a page.

    Args:
        subject: What is shown.
        wanted: Effectors; None for those of the subject, and of a hand also the other one.

    Raises:
        SuppleError: There is no such effector.
    """
    skeleton = subject.skeleton
    if wanted is not None:
        names = [one_of("goal", name, skeleton.names) for name in wanted]
        return tuple(_goal(skeleton, name) for name in dict.fromkeys(names))
    if len(subject.goals) != 1 or subject.goals[0].kind != "reach":
        return subject.goals
    (goal,) = subject.goals
    other = partner(goal.effector, skeleton.names)
    return (goal, _goal(skeleton, other)) if other != goal.effector else (goal,)


def _goal(skeleton: Skeleton, name: str) -> GoalSetup:
    return GoalSetup(id=name, effector=name, depth=limb_depth(skeleton, name))


def _has_limits(skeleton: Skeleton) -> bool:
    return model.edited(skeleton, Setup(limits=False)) != skeleton


def _turns(skeleton: Skeleton) -> list[int]:
    """The first coordinate of every quaternion."""
    return sorted(skeleton.packed.turn_at[:, 0].tolist())


# Poses with translations and scales of their own ----------------------------------------------------


def _with_own_offsets(subject: Subject, first: str | None) -> Pose:
    """The pose to begin with; with translations and scales if any other pose has some."""
    motions: Mapping[str, Motion] = subject.motions
    begin = subject.start if first is None else motions[first].at(0.0)
    every = [begin, subject.start, *(one.poses for one in motions.values())]
    count = len(subject.skeleton.joints)
    translations, scales = begin.translations, begin.scales
    if translations is None and any(one.translations is not None for one in every):
        translations = subject.skeleton.offsets
    if scales is None and any(one.scales is not None for one in every):
        scales = np.ones((count, 3))
    return Pose(subject.skeleton, begin.coordinates, translations, scales)


def _same_parts(pose: Pose, like: Pose) -> Pose:
    """A pose, or a batch, with translations and scales if another pose has them."""
    translations, scales = pose.translations, pose.scales
    if like.translations is not None and translations is None:
        translations = pose.skeleton.offsets
    if like.scales is not None and scales is None:
        scales = np.ones((len(pose.skeleton.joints), 3))
    return Pose(pose.skeleton, pose.coordinates, translations, scales)


def _own(parts: _Parts, pose: Pose, problem: Any) -> dict[str, int | None]:
    """The translations and scales of poses, and what a problem makes of them; None for none."""
    if pose.translations is None and pose.scales is None:
        return {"translations": None, "scales": None, "offsets": None}

    def part(value: np.ndarray | None) -> int | None:
        if value is None:
            return None
        return parts.floats(np.broadcast_to(value, (*pose.batch_shape, *value.shape[-2:])))

    offsets = problem.offsets(pose)
    return {
        "translations": part(pose.translations),
        "scales": part(pose.scales),
        "offsets": part(offsets),
    }


# Motions --------------------------------------------------------------------------------------------


def _motion(
    parts: _Parts, name: str, motion: Motion, like: Pose, problem: Any, *, up: str
) -> dict[str, Any]:
    duration = motion.period if motion.loop else motion.duration
    count = max(1, min(MOST_SAMPLES, math.ceil(duration * min(motion.fps, FPS) - 1e-9)))
    times = np.linspace(0.0, duration, count + 1)
    poses = _same_parts(motion.at(times), like)
    own = _own(parts, model.carried(poses, problem.skeleton), problem)
    weights = [meshes.morph_weights(motion, t) for t in times.tolist()]
    return {
        "name": name,
        "duration": duration,
        "samples": count + 1,
        "coordinates": parts.floats(poses.coordinates),
        **own,
        "morphs": {mesh: [row[mesh] for row in weights] for mesh in weights[0]},
        "ghosts": parts.add(describe.motion(motion, name, up=up)),
    }


def _joined(data: dict[str, Any], parts: _Parts) -> bytes:
    """The data, compressed: the length of the JSON, the JSON, and the parts, each at 8 bytes."""
    places, padded, offset = [], [], 0
    for one in parts.listed:
        places.append([offset, len(one)])
        padded.append(one + bytes(-len(one) % 8))
        offset += len(padded[-1])
    text = json.dumps({**data, "parts": places}, separators=(",", ":"), allow_nan=False).encode()
    text += b" " * (-(len(text) + 4) % 8)
    whole = b"".join((struct.pack("<I", len(text)), text, *padded))
    return gzip.compress(whole, 9, mtime=0)
