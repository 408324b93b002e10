"""Checks for oddities in a character, and what each would break in other programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from supple.apps.character.character import Character
from supple.apps.formats.conventions import METRES
from supple.apps.motion.checks.ground import mean_slides
from supple.apps.motion.checks.joints import joints_outside, moving_joints
from supple.apps.motion.checks.pops import jumps
from supple.model.mesh import Mesh

JUMP_ANGLE = np.pi / 2  # rotation between two frames that counts as a jump [rad]
SLIDE_SPEED = 0.05  # speed of a standing foot that counts as sliding [leg lengths/s]
ENGINE_INFLUENCES = 4  # influences per vertex that most engines take


@dataclass(frozen=True)
class Finding:
    """An oddity.

    Attributes:
        kind: A short name: "weights", "bind pose", ...
        text: What it is.
        breaks: What it would break, or what to do.
        line: The line of the file, if it is known.
    """

    kind: str
    text: str
    breaks: str = ""
    line: int | None = None


def lint(character: Character) -> tuple[Finding, ...]:
    """Run every check on a character; warnings of its reader are included."""
    return tuple(finding for check in _CHECKS for finding in check(character))


def _few(names: list[str]) -> str:
    return ", ".join(map(repr, names[:3])) + (", ..." if len(names) > 3 else "")


def _notes(character: Character) -> Iterator[Finding]:
    for note in character.notes:
        if note.level == "warning":
            yield Finding("reader", note.text, "other programs may read it differently", note.line)


def _channels(character: Character) -> Iterator[Finding]:
    given = character.extras.get("bvh", {}).get("channels", {})
    orders: dict[str, list[str]] = {}
    parents = {node.name: node.parent for node in character.skeleton.nodes}
    late, below, lacking = [], [], []
    for name, channels in given.items():
        letters = "".join(one[0] for one in channels if one.endswith("rotation"))
        if letters:
            orders.setdefault(letters, []).append(name)
        kinds = [one[1:] for one in channels]
        if "rotation" in kinds and "position" in kinds[kinds.index("rotation") :]:
            late.append(name)
        if "position" in kinds and parents.get(name) is not None:
            below.append(name)
        if 0 < len(letters) < 3:
            lacking.append(name)
    if len(orders) > 1:
        words = ", ".join(f"{order} ({len(names)} joints)" for order, names in orders.items())
        yield Finding("channel orders", f"rotation orders differ between joints: {words}",
                      "readers that take one order for the whole file pose it wrongly")  # fmt: skip
    if late:
        yield Finding("channel orders", f"rotations before positions: {_few(late)}",
                      "readers that expect positions first mix them up")  # fmt: skip
    if below:
        yield Finding("channel orders", f"{len(below)} joints below the root have position "
                      f"channels: {_few(below)}",
                      "they replace OFFSET here; programs differ, see position_mode")  # fmt: skip
    if lacking:
        yield Finding("channel orders", f"fewer than three rotation channels: {_few(lacking)}",
                      "these joints turn about one or two axes only")  # fmt: skip


def _bones(character: Character) -> Iterator[Finding]:
    skeleton = character.skeleton
    size = character.extent or 1.0
    lengths = np.linalg.norm(skeleton.offsets, axis=1)
    short = [
        name
        for name, length, parent in zip(
            skeleton.joint_names, lengths, skeleton.parents, strict=True
        )
        if parent >= 0 and length <= 1e-6 * size
    ]
    if short:
        stand = "1 joint is" if len(short) == 1 else f"{len(short)} joints are"
        yield Finding("zero bones", f"{stand} where a parent is: {_few(short)}",
                      "a bone of no length has no direction; LookAt and cones need an axis")  # fmt: skip
    roots = [name for name, parent in zip(skeleton.joint_names, skeleton.parents, strict=True)
             if parent < 0]  # fmt: skip
    if len(roots) > 1:
        yield Finding("roots", f"{len(roots)} roots: {_few(roots)}",
                      "many programs take one; moving the first leaves the others behind")  # fmt: skip


def _unit(character: Character) -> Iterator[Finding]:
    unit = character.unit
    if unit is None:
        yield Finding("unit", f"the unit is not known; the model's extent is {character.extent:.4g}",
                      "it may be too large or too small in the next program")  # fmt: skip
    elif unit in METRES and not 0.01 <= character.extent * METRES[unit] <= 100:
        metres = character.extent * METRES[unit]
        yield Finding("unit", f"the model is {metres:.3g} m large if its unit is {unit}",
                      "the unit is probably another")  # fmt: skip


def _motions(character: Character) -> Iterator[Finding]:
    skeleton = character.skeleton
    for name, motion in character.motions.items():
        if not motion.even:
            steps = np.diff(motion.times) * motion.fps
            gaps = int(np.sum(steps > 1.5))
            text = f"motion {name!r}: frames are not evenly spaced, {gaps} gaps"
            yield Finding("frame gaps", text, "programs that count frames play it too fast there")
        found = jumps(motion, JUMP_ANGLE)
        if len(found):
            frame, joint = found[0]
            text = (
                f"motion {name!r}: {len(found)} jumps of a joint by more than 90° between "
                f"frames, first {skeleton.joint_names[joint]!r} after frame {frame}"
            )
            yield Finding("jumps", text, "the motion pops there, and more so when resampled")
        loose = moving_joints(motion, 1e-3 * (character.extent or 1.0))
        if loose:
            text = f"motion {name!r}: bones change length: {_few(loose)}"
            yield Finding("offsets", text, "programs that keep bone lengths show it otherwise")
        broken = joints_outside(motion, 1e-6)
        if broken:
            text = f"motion {name!r}: joints leave their limits: {_few(broken)}"
            yield Finding("limits", text, "a solve brings them back inside, which shows as a jump")


def _feet(character: Character) -> Iterator[Finding]:
    if character.up is None:
        return
    for name, motion in character.motions.items():
        slid = mean_slides(motion, character.up)
        worst = max(slid, key=lambda ankle: slid[ankle], default=None)
        if worst is not None and slid[worst] > SLIDE_SPEED:
            yield Finding("feet", f"motion {name!r}: feet slide while they stand, {worst!r} by "
                          f"{slid[worst]:.2g} leg lengths a second",
                          "sliding is visible; supple correct --plant-feet removes it")  # fmt: skip


def _skins(character: Character) -> Iterator[Finding]:
    rest = character.skeleton.rest
    size = character.extent or 1.0
    for mesh in character.meshes:
        skin = mesh.skin
        if skin is None:
            continue
        if skin.corrected:
            yield Finding("weights", f"mesh {mesh.name!r}: {skin.corrected} vertices have weights "
                          "that do not sum to one",
                          "normalized here; other programs may let the vertices shrink")  # fmt: skip
        many = int(np.sum(np.diff(skin.first) > ENGINE_INFLUENCES))
        if many:
            yield Finding("weights", f"mesh {mesh.name!r}: {many} vertices have more than {ENGINE_INFLUENCES} "
                          f"joints, up to {skin.most}", "most engines take the four heaviest")  # fmt: skip
        at = [character.skeleton.index(name) for name in skin.joints]
        product = rest.frames[at] @ skin.T_joint_model
        used = np.unique(skin.joint)
        linear = np.abs(product[used, :3, :3] - np.eye(3)).max(initial=0.0)
        shift = np.abs(product[used, :3, 3]).max(initial=0.0) / size
        if max(linear, shift) > 1e-4:
            yield Finding("bind pose", f"mesh {mesh.name!r} is bound in another pose than the rest",
                          "formats that bind at rest, as SMD, move its vertices")  # fmt: skip


def _meshes(character: Character) -> Iterator[Finding]:
    for mesh in character.meshes:
        flat = _flat(mesh)
        if flat:
            yield Finding("triangles", f"mesh {mesh.name!r}: {flat} triangles have no area",
                          "they have no normal")  # fmt: skip
        if mesh.normals is not None:
            size = np.linalg.norm(mesh.normals, axis=1)
            odd = int(np.sum(np.abs(size - 1.0) > 0.01))
            if odd:
                yield Finding("normals", f"mesh {mesh.name!r}: {odd} normals are not of length one",
                              "it is lit wrongly")  # fmt: skip


def _flat(mesh: Mesh) -> int:
    a, b, c = (mesh.positions[mesh.faces[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    size = np.linalg.norm(np.ptp(mesh.positions, axis=0)) if len(mesh.positions) else 0.0
    return int(np.sum(area <= 1e-12 * size * size))


_CHECKS: tuple[Callable[[Character], Iterator[Finding]], ...] = (
    _notes,
    _channels,
    _bones,
    _unit,
    _skins,
    _meshes,
    _motions,
    _feet,
)
