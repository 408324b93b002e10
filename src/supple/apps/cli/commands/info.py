"""`supple info`: describe a character file."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import typer
from rich.text import Text

from supple.apps.character.character import Character
from supple.apps.cli.character_files import note_data, read_file
from supple.apps.cli.console import console, print_json, table
from supple.apps.cli.options import (
    CharacterArgument,
    FolderOption,
    FpsOption,
    JsonOption,
    MotionsOption,
    PositionModeOption,
    ShapesOption,
    XacroArgOption,
)
from supple.apps.motion import Contacts
from supple.apps.motion import contacts as find_contacts
from supple.texts import short

DEEPEST_INDENT = 20  # deeper levels are printed with their depth; not tuned


def info(
    file: CharacterArgument,
    motions: MotionsOption = None,
    position_mode: PositionModeOption = None,
    fps: FpsOption = None,
    shapes: ShapesOption = None,
    folder: FolderOption = None,
    arg: XacroArgOption = None,
    contacts: Annotated[
        bool,
        typer.Option(
            "--contacts", help="Also list the contacts of the feet with the ground in each motion."
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show the skeleton, meshes, motions and notes of a character file.

    Every joint with its index and name, sizes, meshes, motions, units, and values that were guessed.

    supple info dance.bvh
    """
    character = read_file(
        file, motions=motions or (), position_mode=position_mode, fps=fps, shapes=shapes,
        folder=folder, xacro_arguments=arg or (),
    )  # fmt: skip
    up = character.up or "y"
    found = {
        name: find_contacts(motion, up=up)
        for name, motion in (character.motions if contacts else {}).items()
    }
    if json:
        data = as_data(character)
        for one in data["motions"] if contacts else ():
            one["contacts"] = found[one["name"]].to_json()
        print_json({"file": str(file), **data})
    else:
        show(character, str(file))
        if found:
            console().print()
            console().print(_contacts(found))


def as_data(character: Character) -> dict[str, Any]:
    """Plain data of a character: lengths in the model's unit, times in seconds."""
    skeleton = character.skeleton
    rest = skeleton.rest.positions
    joints = [
        {
            "index": j,
            "name": name,
            "parent": skeleton.parent(name),
            "kind": type(skeleton.joints[j]).__name__,
            "length": skeleton.length(name),
            "position": rest[j],
        }
        for j, name in enumerate(skeleton.joint_names)
    ]
    return {
        "unit": character.unit,
        "up": character.up,
        "extent": character.extent,
        "freedoms": len(skeleton.freedoms),
        "joints": joints,
        "tips": [{"name": tip.name, "joint": tip.joint} for tip in skeleton.tips],
        "meshes": [
            {
                "name": mesh.name,
                "vertices": len(mesh.positions),
                "triangles": len(mesh.faces),
                "joints": len(mesh.skin.joints) if mesh.skin is not None else 0,
                "influences": mesh.skin.most if mesh.skin is not None else 0,
                "joint": mesh.joint,
                "material": mesh.material.name if mesh.material is not None else None,
                "texture": _texture(mesh.material),
                "morphs": [morph.name for morph in mesh.morphs],
            }
            for mesh in character.meshes
        ],
        "motions": [
            {
                "name": name,
                "frames": len(motion),
                "fps": motion.fps,
                "seconds": motion.duration,
                "loop": motion.loop,
                "even": motion.even,
                "moves_offsets": motion.poses.translations is not None,
                "scales": motion.poses.scales is not None,
                "tracks": list(motion.tracks),
            }
            for name, motion in character.motions.items()
        ],
        "poses": list(character.poses),
        "loops": [loop.to_json() for loop in skeleton.loops],
        "geoms": len(skeleton.geoms),
        "capsules": {
            name: [one.to_json() for one in some]
            for name, some in (skeleton.capsules if skeleton.physics is not None else {}).items()
        },
        "masses": {
            name: mass.to_json() if mass is not None else None
            for name, mass in (skeleton.masses or {}).items()
        },
        "notes": [note_data(note) for note in character.notes],
    }


def _texture(material: Any) -> str | None:
    return material.texture.name if material is not None and material.texture is not None else None


def show(character: Character, path: str) -> None:
    """Print the description of a character."""
    say = console()
    skeleton = character.skeleton
    say.print(Text(path, style="bold"), soft_wrap=True)
    roots = int(np.sum(skeleton.parents < 0))
    facts = [
        _many(len(skeleton), "joint"),
        *([_many(roots, "root")] if roots > 1 else []),
        _many(len(skeleton.tips), "tip"),
        _many(len(skeleton.freedoms), "freedom"),
        f"extent {short(character.extent, 4)} {character.unit or ''}".strip(),
        f"up {character.up or 'not known'}",
    ]
    say.print(Text(", ".join(facts)))
    say.print()
    say.print(_tree(character))
    if character.meshes:
        say.print()
        say.print(_meshes(character))
    if character.motions:
        say.print()
        say.print(_motions(character))
    facts = _machine(character)
    if facts:
        say.print()
        say.print(table((("machine", "left"), ("", "left")), facts))
    if character.notes:
        say.print()
        for note in character.notes:
            where = f" (line {note.line})" if note.line is not None else ""
            other = f"{note.path}: " if note.path not in (None, path) else ""
            style = "yellow" if note.level == "warning" else "dim"
            text = f"{note.level}: {other}{note.text}{where}"
            say.print(Text(text, style=style), soft_wrap=True)


def _machine(character: Character) -> list[list[str | Text]]:
    """Rows on named poses, loops, capsules and masses; none for characters without these."""
    skeleton = character.skeleton
    rows: list[list[str | Text]] = []
    if character.poses:
        rows.append(["poses", ", ".join(character.poses)])
    for loop in skeleton.loops:
        what = f" ({loop.name})" if loop.name else ""
        rows.append([loop.kind, f"{loop.a} and {loop.b}{what}"])
    if skeleton.physics is not None:
        capsules = sum(map(len, skeleton.capsules.values()))
        on = _many(len(skeleton.capsules), "joint")
        geoms = _many(len(skeleton.geoms), "geom")
        rows.append(["capsules", f"{capsules} on {on}, from {geoms}"])
    masses = skeleton.masses
    if masses:
        known = [one.mass for one in masses.values() if one is not None]
        words = f"{short(sum(known), 4)} kg on {_many(len(known), 'joint')}"
        unknown = len(masses) - len(known)
        rows.append(["masses", words + (f"; not known on {unknown}" if unknown else "")])
    return rows


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _tree(character: Character) -> Any:
    """Every joint and tip, indented below its parent, with its index."""
    skeleton = character.skeleton
    rows: list[list[str | Text]] = []
    roots = [name for name in skeleton.joint_names if skeleton.parent(name) is None]
    stack = [(name, 0) for name in reversed(roots)]
    while stack:
        name, depth = stack.pop()
        k = skeleton.index(name)
        tip = k >= len(skeleton)
        kind = "tip" if tip else repr(skeleton.joints[k])
        rows.append(
            [
                "" if tip else str(k),
                Text(_indented(name, depth), style="dim" if tip else ""),
                Text(kind, style="dim"),
                short(skeleton.length(name), 4),
            ]
        )
        stack += [(child, depth + 1) for child in reversed(skeleton.children(name))]
    return table((("", "right"), ("joint", "left"), ("kind", "left"), ("length", "right")), rows)


def _indented(name: str, depth: int) -> str:
    """A name indented by its depth; beyond `DEEPEST_INDENT` the depth is printed instead."""
    if depth <= DEEPEST_INDENT:
        return "  " * depth + name
    return "  " * DEEPEST_INDENT + f"({depth}) {name}"


def _meshes(character: Character) -> Any:
    rows = []
    for mesh in character.meshes:
        held = f"on {mesh.joint}" if mesh.joint is not None else "still"
        if mesh.skin is not None:
            held = f"{_many(len(mesh.skin.joints), 'joint')}, up to {mesh.skin.most} a vertex"
        if mesh.morphs:
            held += f"; {_many(len(mesh.morphs), 'morph')}"
        look = mesh.material.name if mesh.material is not None else ""
        image = _texture(mesh.material)
        rows.append(
            [
                mesh.name,
                f"{len(mesh.positions):,}",
                f"{len(mesh.faces):,}",
                held,
                look + (f" ({image})" if image and image != look else ""),
            ]
        )
    heads = (("mesh", "left"), ("vertices", "right"), ("triangles", "right"), ("moved by", "left"),
             ("material", "left"))  # fmt: skip
    return table(heads, rows)


def _motions(character: Character) -> Any:
    rows = []
    for name, motion in character.motions.items():
        extras = [
            *(["loop"] if motion.loop else []),
            *(["uneven"] if not motion.even else []),
            *(["offsets"] if motion.poses.translations is not None else []),
            *(["scales"] if motion.poses.scales is not None else []),
            *motion.tracks,
        ]
        rows.append(
            [
                name,
                f"{len(motion):,}",
                f"{motion.fps:.6g}",
                f"{motion.duration:.3f} s",
                Text(", ".join(extras), style="dim"),
            ]
        )
    heads = (("motion", "left"), ("frames", "right"), ("fps", "right"), ("lasts", "right"),
             ("moves too", "left"))  # fmt: skip
    return table(heads, rows)


def _contacts(found: dict[str, Contacts]) -> Any:
    rows = [
        [name, joint, ", ".join(f"{a}-{b - 1}" for a, b in one[joint]) or "none"]
        for name, one in found.items()
        for joint in one.joints
    ]
    return table(
        (("motion", "left"), ("joint", "left"), ("in contact, first-last frame", "left")), rows
    )
