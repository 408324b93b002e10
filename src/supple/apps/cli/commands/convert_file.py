"""Convert one file: read it, apply the options, write it and the files that belong to it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from supple.apps.character.character import Character, Note
from supple.apps.cli.character_files import note_data, quiet, read_file, read_names
from supple.apps.formats import save
from supple.apps.formats.conventions import converted
from supple.apps.formats.registry import format_for_writing
from supple.errors import SuppleError


@dataclass(frozen=True)
class Written:
    """The files written, and notes.

    Attributes:
        paths: The file, and those beside it.
        read: Notes of the reader.
        notes: Notes of the writers.
    """

    paths: tuple[Path, ...]
    read: tuple[Note, ...]
    notes: tuple[Note, ...]

    @property
    def all_notes(self) -> list[Note]:
        """All notes, equal ones of several files once."""
        return [*self.read, *{note.text: note for note in self.notes}.values()]

    @property
    def data(self) -> dict[str, Any]:
        """Plain data, for --json."""
        return {
            "written": list(map(str, self.paths)),
            "notes": list(map(note_data, self.notes)),
            "read": list(map(note_data, self.read)),
        }


@dataclass(frozen=True, kw_only=True)
class Conversion:
    """The options of a conversion; None to change nothing.

    Attributes:
        motions: Files whose motions are added to the character.
        motion: The one motion to write.
        resample: Frames per second to resample all motions to.
        goldsrc: True to write SMD for GoldSrc.
        bones: False to not draw the bones of a character without meshes in glTF.
        names: A file of names for the joints.
        up: The new up axis.
        unit: The new unit of length.
        from_up: The up axis of the input.
        from_unit: The unit of the input.
        position_mode: Option of the BVH reader.
        fps: Option of the SMD and BVH readers.
        shapes: The VTA file of an SMD.
        folder: The folder of the files that the input refers to.
        xacro_arguments: NAME:=VALUE each.
    """

    motions: Sequence[Path] = ()
    motion: str | None = None
    resample: float | None = None
    goldsrc: bool = False
    bones: bool = True
    names: Path | None = None
    up: str | None = None
    unit: str | None = None
    from_up: str | None = None
    from_unit: str | None = None
    position_mode: str | None = None
    fps: float | None = None
    shapes: Path | None = None
    folder: Path | None = None
    xacro_arguments: Sequence[str] = ()

    def convert(self, file: Path, out: Path, *, taken: Collection[Path] = ()) -> Written:
        """Convert one file.

        Args:
            file: The input.
            out: The output; its extension decides the format.
            taken: Outputs of other files: files beside `out` get other names.
        """
        kind = format_for_writing(out)
        character = self._changed(
            read_file(
                file,
                motions=self.motions,
                position_mode=self.position_mode,
                fps=self.fps,
                shapes=self.shapes,
                folder=self.folder,
                xacro_arguments=self.xacro_arguments,
            )
        )
        options: dict[str, Any] = {"goldsrc": True} if self.goldsrc else {}
        options |= {} if self.bones else {"bones": False}
        if self.motion is not None:
            character.motion(self.motion)  # raises for a wrong name before anything is written
            if kind.name in ("bvh", "smd", "gltf"):
                options["motion"] = self.motion
            if kind.name not in ("bvh", "smd"):
                character = character.with_(motions={self.motion: character.motions[self.motion]})
        beside: dict[Path, str] = {}
        if kind.name == "smd" and self.motion is None and character.meshes:
            options |= {"textures": True, "shapes": True}
            beside = _animations(character, out, taken)
        with quiet():
            notes = [*save(character.with_(motions={}) if beside else character, out, **options)]
            for path, name in beside.items():
                notes += save(character, path, motion=name)
        shapes = [out.with_suffix(".vta")] if options.get("shapes") and _morphs(character) else []
        return Written((out, *shapes, *beside), character.notes, tuple(notes))

    def _changed(self, character: Character) -> Character:
        """Apply the options to the character: conventions, names, frame rate."""
        if self.from_up is not None or self.from_unit is not None:
            character = character.with_(
                up=self.from_up or character.up, unit=self.from_unit or character.unit
            )
        character = converted(character, up=self.up, unit=self.unit)
        if self.names is not None:
            character = _named(character, read_names(self.names), self.names)
        if self.resample is not None:
            again = {name: one.resampled(self.resample) for name, one in character.motions.items()}
            character = character.with_(motions=again)
        return character


def _morphs(character: Character) -> bool:
    return any(mesh.morphs for mesh in character.meshes)


def _named(character: Character, names: list[str], path: Path) -> Character:
    old = [node.name for node in character.skeleton.nodes]
    if len(names) != len(old):
        raise SuppleError(
            f"{path}: expected {len(old)} names, one for each joint, got {len(names)}"
        )
    return character.renamed(dict(zip(old, names, strict=True)))


def _animations(character: Character, out: Path, taken: Collection[Path]) -> dict[Path, str]:
    """The paths of the animation files of an SMD reference."""
    paths: dict[Path, str] = {}
    for name in character.motions:
        safe = re.sub(r"[^\w.-]+", "_", name) or "motion"
        path = out.with_name(f"{out.stem}_{safe}{out.suffix}")
        number = 2
        while path in paths or path in taken:
            path = out.with_name(f"{out.stem}_{safe}_{number}{out.suffix}")
            number += 1
        paths[path] = name
    return paths
