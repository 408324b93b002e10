"""Retarget one clip from file to file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supple.cli.character_files import quiet, read_file
from supple.errors import SuppleError
from supple.formats import save
from supple.formats.registry import format_for_writing
from supple.model.character import Character, Note
from supple.motion import BodyMap, Retargeted, retarget


@dataclass(frozen=True)
class RetargetOptions:
    """How clips are retargeted; see `supple.retarget`.

    Attributes:
        motion: Which motion of a clip; None for its only or first one.
        fps: Frames a second of the result; None for those of the clip.
        source_map: The parts of the clips' bodies; None to recognize them.
        target_map: The parts of the target's body; None to recognize them.
        up: The up axis of the clips; None for that of the file.
        onto_up: The up axis of the target; None for that of the file.
    """

    motion: str | None = None
    fps: float | None = None
    source_map: BodyMap | None = None
    target_map: BodyMap | None = None
    up: str | None = None
    onto_up: str | None = None


@dataclass(frozen=True)
class Made:
    """A clip that was retargeted and written.

    Attributes:
        out: The file.
        result: What was found on the way.
        notes: Of reading, retargeting and writing.
    """

    out: Path
    result: Retargeted
    notes: Sequence[Note]

    @property
    def data(self) -> dict[str, Any]:
        """As plain data, for --json."""
        motion = self.result.motion
        return {
            "written": str(self.out),
            "frames": len(motion),
            "fps": motion.fps,
            "scale": self.result.scale,
            "contacts": {
                name: [list(run) for run in self.result.contacts[name]]
                for name in self.result.contacts.joints
            },
            "notes": [str(note) for note in self.notes],
        }


def retarget_file(clip: Path, onto: Character, out: Path, options: RetargetOptions) -> Made:
    """Read a clip, retarget its motion onto a character or robot, and write the result.

    Args:
        clip: A file with a motion of a body with two arms and two legs.
        onto: The character or robot.
        out: Where to write; its extension decides the format: .bvh, .smd, .glb, ... or, of a robot, .npz or .csv.
        options: How.

    Raises:
        SuppleError: The clip cannot be read, has no motion or no body, or the result cannot be written.
    """
    source = read_file(clip)
    if not source.motions:
        raise SuppleError(f"{clip}: expected a motion to retarget, got none")
    name = options.motion or next(iter(source.motions))
    motion = source.motion(name)
    try:
        result = retarget(
            source.with_(motions={motion.name: motion}), onto,
            fps=options.fps, source_map=options.source_map, target_map=options.target_map, up=options.up,
            onto_up=options.onto_up,
        )  # fmt: skip
    except SuppleError as error:
        raise SuppleError(f"{clip}: {error}") from error
    with quiet():
        one = (
            {"motion": result.motion.name}
            if format_for_writing(out).name in ("bvh", "smd", "qpos")
            else {}
        )
        written = save(
            onto.with_(motions={result.motion.name: result.motion}, notes=()), out, **one
        )
    notes = [
        Note(note.text, note.line, note.path or str(clip), note.level) for note in result.notes
    ]
    return Made(out, result, [*notes, *written])
