"""Saving what the page shows: characters, motions, poses and traces as files to keep."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from supple.character import Character
from supple.errors import SuppleError
from supple.formats import save
from supple.motion import Motion
from supple.skeleton import Skeleton
from supple.viewer import model
from supple.viewer.messages import SaveFormat

if TYPE_CHECKING:
    from supple.viewer.session import Session


def file_of(session: Session, kind: SaveFormat) -> tuple[str, bytes]:
    """The name and the bytes of a file that holds what a session shows.

    Raises:
        SuppleError: There is nothing to save, or the format cannot hold it.
    """
    if kind == "trace":
        if session.trace is None:
            raise SuppleError("there is no trace to save; record one first")
        return "trace.json", json.dumps(session.trace.to_json()).encode()
    if not session.poses:
        raise SuppleError("there is no pose to save yet")
    if kind == "json":
        return "pose.json", json.dumps(session.poses[0].to_json()).encode()
    with tempfile.TemporaryDirectory(prefix="supple-") as folder:
        path = Path(folder) / f"supple.{kind}"
        character = _shown(session)
        # These hold one motion, and an SMD file that or the mesh: without a name, the pose is it.
        alone = kind == "bvh" or kind == "smd" and not character.meshes
        playing = session.model.playing if session.model is not None and alone else None
        save(character, path, **({} if playing is None else {"motion": playing}))
        return path.name, path.read_bytes()


def _shown(session: Session) -> Character:
    """The character as it stands, with the motion that plays, corrected if that is on."""
    subject, now = session.subject, session.model
    assert subject is not None and now is not None
    character = subject.character
    if character is None:
        character = Character(now.skeleton)
    elif now.skeleton is not character.skeleton:
        poses = {name: _carried(one, now.skeleton) for name, one in character.motions.items()}
        character = character.with_(skeleton=now.skeleton, motions=poses)
    if now.motion is not None:
        moved = _carried(now.motion, now.skeleton)
        if session.setup.correct and session.places():
            moved = _corrected(session, moved)
        character = character.with_(motions={**character.motions, now.playing: moved})
    return character.posed(session.poses[0])


def _carried(motion: Motion, skeleton: Skeleton) -> Motion:
    poses = model.carried(motion.poses, skeleton)
    return motion if poses is motion.poses else motion.with_(poses=poses)


def _corrected(session: Session, motion: Motion) -> Motion:
    """The motion with every frame solved for the goals that are placed, the others as they are."""
    assert session.model is not None
    problem = session.model.prepared[0]
    targets = session.model.targets(session.places(), motion.poses)
    return motion.with_(poses=problem.solve(*targets, start=motion.poses).pose)
