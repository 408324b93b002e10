"""Saving what the page shows: characters, motions, poses and traces as files to keep."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from supple.apps.character.character import Character
from supple.apps.character.motion import Motion
from supple.apps.formats import save
from supple.apps.viewer.baked import NAME
from supple.apps.viewer.messages import GoalPlace, SaveFormat
from supple.apps.viewer.model import Model, carried
from supple.apps.viewer.standalone import page_text
from supple.apps.viewer.subject import Subject
from supple.errors import SuppleError
from supple.model.skeleton import Pose, Skeleton
from supple.solve.trace import Trace


class Shown(NamedTuple):
    """What a page shows.

    Attributes:
        subject: What is on the stage.
        model: What is solved.
        pose: The pose of the first solver.
        places: Positions of the goals that correct the motion, by id; empty if none do.
        trace: The trace, if there is one.
    """

    subject: Subject
    model: Model
    pose: Pose
    places: Mapping[str, GoalPlace]
    trace: Trace | None


def file_of(shown: Shown, kind: SaveFormat) -> tuple[str, bytes]:
    """Save what a page shows.

    Returns:
        The name of the file and its bytes.

    Raises:
        SuppleError: There is no trace to save, or the format cannot store the character.
    """
    if kind == "trace":
        if shown.trace is None:
            raise SuppleError("there is no trace to save; record one first")
        return "trace.json", json.dumps(shown.trace.to_json()).encode()
    if kind == "json":
        return "pose.json", json.dumps(shown.pose.to_json()).encode()
    if kind == "page":
        return "hero.html", _page(shown).encode()
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        path = Path(folder) / f"supple.{kind}"
        character = _character(shown)
        # BVH stores one motion, SMD a motion or a mesh, glTF shows one first; without motion=, the pose.
        moves = kind in ("bvh", "glb") or kind == "smd" and not character.meshes
        playing = shown.model.playing if moves else None
        save(character, path, **({} if playing is None else {"motion": playing}))
        return path.name, path.read_bytes()


def _page(shown: Shown) -> str:
    """What is shown as a page without a server: its joints as edited, its goals, its motions."""
    subject, model = shown.subject, shown.model
    if not model.goals:
        raise SuppleError("page: expected a goal that a joint can be moved for; add one first")
    motions = {name: _on(one, model.skeleton) for name, one in subject.motions.items()}
    if model.motion is not None and model.playing is not None:
        motion = _on(model.motion, model.skeleton)
        # The motion that plays comes first: a page begins with it.
        playing = {model.playing: _corrected(shown, motion) if shown.places else motion}
        motions = playing | {name: one for name, one in motions.items() if name not in playing}
    start = subject.start if model.motion is not None else shown.pose
    shown_there = replace(
        subject,
        key=NAME,
        skeleton=model.skeleton,
        start=carried(start, model.skeleton),
        goals=model.goals,
        bodies=model.bodies,
        motions=motions,
        notes=(),
        trace=None,
        rules=None,
        grown=None,
        targets=(),
        places=(),
        ended=None,
    )
    return page_text(shown_there)


def _character(shown: Shown) -> Character:
    """The character in its pose, with the motion that plays, corrected where goals are placed."""
    model = shown.model
    character = shown.subject.character
    if character is None:
        character = Character(model.skeleton)
    elif model.skeleton is not character.skeleton:
        motions = {name: _on(one, model.skeleton) for name, one in character.motions.items()}
        character = character.with_(skeleton=model.skeleton, motions=motions)
    if model.motion is not None:
        motion = _on(model.motion, model.skeleton)
        if shown.places:
            motion = _corrected(shown, motion)
        character = character.with_(motions={**character.motions, model.playing: motion})
    return character.posed(shown.pose)


def _on(motion: Motion, skeleton: Skeleton) -> Motion:
    """A motion on the skeleton with edited joints."""
    poses = carried(motion.poses, skeleton)
    return motion if poses is motion.poses else motion.with_(poses=poses)


def _corrected(shown: Shown, motion: Motion) -> Motion:
    """The motion with every frame solved for the placed goals; other goals stay where they are."""
    targets = shown.model.targets(shown.places, motion.poses)
    solution = shown.model.prepared[0].solve(*targets, start=motion.poses)
    return motion.with_(poses=solution.pose)
