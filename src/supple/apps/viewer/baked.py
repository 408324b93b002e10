"""The data of a page without a server: scenes, lowered problems, meshes and sampled motions.

The file contains what `session` sends step by step, for every solver that can take the goals and
with limits, collisions and balance on and off. The page (`web/src/standalone`) answers its own messages from it.
"""

from __future__ import annotations

import dataclasses
import gzip
import itertools
import json
import struct
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

from supple.apps.viewer import bodies, describe, lowered, meshes, model, solvers
from supple.apps.viewer.bounds import bounds
from supple.apps.viewer.lowered import Own, clip
from supple.apps.viewer.messages import GoalSetup, Hello, SceneInfo, Setup, SolverChoice
from supple.apps.viewer.subject import Subject, limb_depth
from supple.errors import SuppleError, listed, one_of
from supple.model.mirror import partner
from supple.model.skeleton import Skeleton
from supple.solvers import SOLVERS
from supple.version import __version__

FORMAT, VERSION = "supple-page", 3
NAME = "file:page"  # of the only scene
MOST_SAMPLES_PER_SECOND = 30.0  # of a motion [Hz]
MOST_SAMPLES = 3000  # of a motion; a longer one has fewer samples a second


class _Parts:
    """Bytes that the data refers to by their numbers."""

    def __init__(self) -> None:
        self.listed: list[bytes] = []

    def add(self, data: bytes) -> int:
        self.listed.append(data)
        return len(self.listed) - 1


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
    begin = subject.start if first is None else subject.motions[first].at(0.0)
    own = Own.of([subject.start, *(one.poses for one in subject.motions.values())])
    around = bounds(subject, subject.motions[first] if first is not None else None)
    scenes, problems, able, clips = [], [], [], []
    for switches in _switches(subject):
        for name in ("auto", *(one for one in SOLVERS if one not in solvers.IN_PYTHON)):
            choice = replace(
                _switched(subject, switches), solver=SolverChoice(name=name), motion=first
            )
            try:
                built = model.build(subject, choice)
            except SuppleError:
                if name == "auto":
                    raise
                continue  # it cannot take these goals or joints
            pose, rest = (model.carried(one, built.skeleton) for one in (begin, subject.start))
            if name == "auto":
                scene = describe.scene(subject, built, seq=0, revision=0, pose=pose, around=around)
                scene = replace(scene, switches=_kept(subject))
                scenes.append({**switches, "scene": dataclasses.asdict(scene)})
            if not clips:
                clips = [
                    {
                        "name": one,
                        "clip": parts.add(
                            clip(
                                motion,
                                one,
                                built,
                                own=own,
                                number=k + 1,
                                fps=MOST_SAMPLES_PER_SECOND,
                                most=MOST_SAMPLES,
                            )
                        ),
                        "ghosts": parts.add(describe.motion(motion, one, up=subject.up)),
                    }
                    for k, (one, motion) in enumerate(subject.motions.items())
                ]
            packets = lowered.problems(built, [pose], rest, own=own)
            if not packets:  # for example, uneven scales
                raise SuppleError(f"page: {subject.title} can be shown, but not solved")
            able.append(name)
            part = parts.add(packets[0])
            problems.append({**switches, "solver": name, "part": part})
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
        "motions": clips,
        "bodies": _bodies(subject),
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
        wanted = listed("goals", wanted, "a list of joints and tips")
        names = [one_of("goal", name, skeleton.names) for name in wanted]
        return tuple(_goal(skeleton, name) for name in dict.fromkeys(names))
    if len(subject.goals) != 1 or subject.goals[0].kind != "reach":
        return subject.goals
    (goal,) = subject.goals
    other = partner(goal.effector, skeleton.names)
    return (goal, _goal(skeleton, other)) if other != goal.effector else (goal,)


def _goal(skeleton: Skeleton, name: str) -> GoalSetup:
    return GoalSetup(id=name, effector=name, depth=limb_depth(skeleton, name))


def _kept(subject: Subject) -> list[Literal["avoid", "balance"]]:
    """The constraints that are kept, and can be switched off."""
    kept = subject.bodies
    found: list[Literal["avoid", "balance"]] = []
    if kept.avoid.on:
        found.append("avoid")
    if kept.balance.on:
        found.append("balance")
    return found


def _switches(subject: Subject) -> list[dict[str, bool]]:
    """All combinations of a page's switches; those that a subject does not have keep their value."""
    kept = _kept(subject)
    settings = {
        "limits": (True, False) if _has_limits(subject.skeleton) else (True,),
        "avoid": (True, False) if "avoid" in kept else (False,),
        "balance": (True, False) if "balance" in kept else (False,),
    }
    return [
        dict(zip(settings, values, strict=True)) for values in itertools.product(*settings.values())
    ]


def _switched(subject: Subject, switches: dict[str, bool]) -> Setup:
    """The setup of a subject with its switches set."""
    kept = subject.bodies
    avoid = replace(kept.avoid, on=switches["avoid"])
    balance = replace(kept.balance, on=switches["balance"])
    own = replace(kept, avoid=avoid, balance=balance)
    return Setup(limits=switches["limits"], bodies=own)


def _bodies(subject: Subject) -> dict[str, Any] | None:
    """Capsules and masses of the bones; None if they would be estimated and the page does not use them."""
    known = subject.skeleton.physics is not None
    if not known and not bodies.has_weight(subject.bodies):
        return None
    chosen = bodies.chosen(subject, Setup())
    return dataclasses.asdict(bodies.described(subject, chosen))


def _has_limits(skeleton: Skeleton) -> bool:
    return model.edited(skeleton, Setup(limits=False)) != skeleton


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
