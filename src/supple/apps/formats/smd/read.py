"""Read SMD of GoldSrc and Source: a reference with its mesh, or an animation.

A bone's rotation is Rz Ry Rx of its three angles, relative to its parent; vertices are in model
space at the first frame. The rotation that model compilers add is not applied.
"""

from __future__ import annotations

import os
import re

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Character
from supple.apps.character.motion import Motion
from supple.apps.formats import infer_conventions
from supple.apps.formats.smd.mesh import MISSING, read_meshes
from supple.apps.formats.smd.text import Section, sections, timed_rows
from supple.apps.formats.smd.vta_read import Shapes, read_shapes
from supple.apps.formats.source import JOINT_BYTES, Source, decoded, distinct, shown
from supple.errors import SuppleError, one_of, positive
from supple.model.joints import Axes, Ball, Joint
from supple.model.matching import put_rotations
from supple.model.skeleton import Node, Pose, Skeleton
from supple.rotations import conjugate, from_euler, multiply

DEFAULT_FPS = 30.0  # SMD states no frame rate [1/s]
ORDER = "zyx"
UNTURNABLE = Axes(ORDER, frozen=ORDER)
"""The joint of a root: motions rotate it, IK does not."""

Floats = NDArray[np.float64]

FRAME_BYTES = 200  # peak memory of a bone in a frame while reading [B]

_NODE = re.compile(rb'\s*(-?\d{1,9})\s+(?:"(.*)"|(\S+))\s+(-?\d{1,9})\s*$')


def read(
    source: Source,
    *,
    fps: float = DEFAULT_FPS,
    turnable_root: bool = False,
    weights: str = "renormalize",
    shapes: bool | str | os.PathLike[str] = True,
    unit: str | None = None,
    up: str | None = None,
) -> Character:
    """Read an SMD file: a reference, with a mesh, or an animation, with a motion.

    Args:
        source: The file.
        fps: Frames per second, which the file does not state.
        turnable_root: True if IK may rotate the roots.
        weights: For weights that do not sum to one: "renormalize" scales them, "first" gives the rest
            to the bone of the first column, as some programs mean it.
        shapes: The VTA file of the mesh's shapes, which become morph targets; True for the file of
            the same name beside it, if there is one; False for none.
        unit: The unit of length; inferred if None.
        up: The up axis; inferred if None: z, as usual for SMD, unless bone names tell otherwise.
    """
    one_of("weights", weights, MISSING)
    fps = positive("fps", fps)
    _, found = sections(source)
    by_name: dict[str, Section] = {}
    for section in found:
        if section.name == "vertexanimation":
            source.error(
                section.line,
                "a vertex animation (VTA) has shapes, and no mesh: "
                f"load the SMD file of the mesh with shapes={shown(source.path.name)}",
            )
        if section.name in by_name:
            source.error(section.line, f"expected {section.name} once, got it twice")
        by_name[section.name] = section
    if "nodes" not in by_name or not by_name["nodes"].lines:
        source.error(None, "expected a nodes section with at least one bone, got none")
    ids, names, parents = _nodes(source, by_name["nodes"])
    times, values = _frames(source, by_name.get("skeleton"), ids, names)
    skeleton = _skeleton(source, by_name["nodes"].line, names, parents, values[0], turnable_root)
    triangles = by_name.get("triangles")
    meshes = ()
    if triangles:
        found_shapes = _shapes(source, shapes)
        meshes = read_meshes(source, triangles, skeleton, ids, names, weights, found_shapes)
    elif not isinstance(shapes, bool):
        source.error(None, f"expected a mesh for the shapes of {shown(shapes)}, got none")

    motions = {}
    if not meshes or len(times) > 1:
        poses = _poses(skeleton, names, values)
        steps = times - np.arange(len(times))
        even = bool(np.all(steps == 0))
        name = source.name
        motions[name] = Motion(name, poses, fps=fps, times=None if even else times / fps)
        source.guess(f"frames a second: {fps:g}, which the file does not say; give fps=")
    unit, up = infer_conventions.given_or_inferred(source, skeleton.rest, unit, up, usual_up="z")
    extras = {"smd": {"reference": bool(meshes)}}
    return Character(
        skeleton, meshes, motions, unit=unit, up=up, notes=tuple(source.notes), extras=extras
    )


def _shapes(source: Source, given: bool | str | os.PathLike[str]) -> Shapes | None:
    """Read the shapes of a mesh, if there are any."""
    if not isinstance(given, bool):
        other = Source.open(given)
        other.notes = source.notes
        return read_shapes(other)
    path = source.path.with_suffix(".vta")
    if not given or not path.is_file():
        return None
    try:
        return read_shapes(Source(path, source.beside(path.name), notes=source.notes))
    except SuppleError as error:
        # The file was not asked for: read the mesh without its shapes.
        source.warn(f"the shapes beside it are left out: {error}")
        return None


def _nodes(source: Source, section: Section) -> tuple[dict[int, int], list[str], list[int | None]]:
    """The index of each bone id, the names, and the indices of the parents."""
    ids: dict[int, int] = {}
    names: list[str] = []
    parents: list[int | None] = []
    for text, line in zip(section.lines, section.numbers, strict=True):
        match = _NODE.match(text)
        if match is None:
            source.error(line, f'expected ID "NAME" PARENT, got {shown(text)}')
        number, quoted, bare, parent = match.groups()
        if int(number) in ids:
            source.error(line, f"bone {int(number)}: expected ids that differ, got it twice")
        ids[int(number)] = len(names)
        raw = quoted if quoted is not None else bare
        names.append(decoded(raw))
        parents.append(int(parent) if int(parent) >= 0 else None)
    for parent, line in zip(parents, section.numbers, strict=True):
        if parent is not None and parent not in ids:
            source.error(line, f"expected a parent among the bones, or -1, got {parent}")
    return ids, distinct(names, source, what="bone"), [
        None if parent is None else ids[parent] for parent in parents
    ]  # fmt: skip


def _frames(
    source: Source, section: Section | None, ids: dict[int, int], names: list[str]
) -> tuple[Floats, Floats]:
    """Frame times (F,), and the position and angles of each bone (F, B, 6)."""
    count = len(names)
    if section is None or not section.lines:
        source.warn("there is no skeleton section: all bones are at the origin")
        return np.zeros(1), np.zeros((1, count, 6))
    times, frame, rows, lines = timed_rows(
        source, section, what="a bone, a position and three angles", width=7
    )
    if not len(rows):
        source.warn("the skeleton has no bones: all are at the origin", line=section.line)
        return np.zeros(1), np.zeros((1, count, 6))
    bones = _places(source, rows[:, 0], ids, lines)
    return _carried(source, section, times, frame, bones, rows[:, 1:], names)


def _places(
    source: Source, given: Floats, ids: dict[int, int], lines: list[int]
) -> NDArray[np.int64]:
    """The index of the bone of each id."""
    known = np.array(sorted(ids), dtype=np.int64)
    places = np.array([ids[k] for k in sorted(ids)], dtype=np.int64)
    at = np.minimum(np.searchsorted(known, given), len(known) - 1)
    wrong = np.flatnonzero(known[at] != given)
    if len(wrong):
        k = int(wrong[0])
        got = "no number" if np.isnan(given[k]) else f"{given[k]:g}"
        source.error(lines[k], f"expected the id of a bone in nodes, got {got}")
    return places[at]


def _carried(
    source: Source,
    section: Section,
    times: Floats,
    frame: NDArray[np.int64],
    bones: NDArray[np.int64],
    rows: Floats,
    names: list[str],
) -> tuple[Floats, Floats]:
    """Sort frames by time; a bone that a frame omits keeps its value of the frame before."""
    distinct_times, place = np.unique(times, return_inverse=True)
    if len(distinct_times) < len(times):
        source.warn("a time comes twice: its frames are taken as one", line=section.line)
    elif np.any(np.diff(times) < 0):
        source.warn("times do not rise: frames are put in their order", line=section.line)
    source.charge(
        FRAME_BYTES * len(distinct_times) * len(names),
        f"{len(names)} bones in {len(distinct_times)} frames",
        line=section.line,
    )
    values = np.full((len(distinct_times), len(names), 6), np.nan)
    broken = np.flatnonzero(np.isnan(rows).any(axis=1))
    if len(broken):
        source.warn(
            f"{len(broken)} rows of bones have values that are no numbers: left out",
            line=section.line,
        )
        rows[broken] = np.nan
    values[place[frame], bones] = rows  # of several rows for a bone, the last one counts
    absent = np.isnan(values[..., 0])
    if absent.any():
        never = np.flatnonzero(absent[0])
        if len(never):
            few = ", ".join(repr(names[k]) for k in never[:3]) + (", ..." if len(never) > 3 else "")
            source.warn(
                f"the first frame omits {len(never)} bones ({few}): they are at their parents",
                line=section.line,
            )
            values[0, never] = 0.0
        if absent[1:].any():
            source.warn(
                f"frames omit bones, {int(absent[1:].sum())} times: they stay as before",
                line=section.line,
            )
        at = np.where(np.isnan(values[..., 0]), 0, np.arange(len(values))[:, None])
        at = np.maximum.accumulate(at, axis=0)
        values = values[at, np.arange(len(names))]
    if len(distinct_times) > 1:
        steps = np.diff(distinct_times)
        odd = np.flatnonzero(steps != 1)
        if len(odd):
            a, b = distinct_times[odd[0]], distinct_times[odd[0] + 1]
            source.warn(
                f"times are not one apart, {len(odd)} times, first from {a:g} to {b:g}: kept",
                line=section.line,
            )
    if distinct_times[0] != 0 and len(distinct_times) > 1:
        source.warn(f"times begin at {distinct_times[0]:g}: kept", line=section.line)
    return distinct_times, values


def _skeleton(
    source: Source,
    line: int,
    names: list[str],
    parents: list[int | None],
    first: Floats,
    turnable_root: bool,
) -> Skeleton:
    source.charge(JOINT_BYTES * len(names), f"{len(names)} bones", line=line)
    rotations = from_euler(ORDER, first[:, [5, 4, 3]])
    nodes = []
    for k, (name, parent) in enumerate(zip(names, parents, strict=True)):
        joint: Joint = Ball() if parent is not None or turnable_root else UNTURNABLE
        above = None if parent is None else names[parent]
        nodes.append(Node(name, above, first[k, :3], joint, rotations[k]))
    try:
        return Skeleton(nodes)
    except ValueError as error:  # parents in a circle
        source.error(line, str(error))


def _poses(skeleton: Skeleton, names: list[str], values: Floats) -> Pose:
    """The poses of all frames."""
    order = [skeleton.index(name) for name in names]
    turns = from_euler(ORDER, values[..., [5, 4, 3]])
    q = np.tile(skeleton.rest.coordinates, (len(values), 1))
    translations = np.empty((len(values), len(names), 3))
    translations[:, order] = values[..., :3]
    local = multiply(conjugate(skeleton.rotations[order]), turns)
    first = skeleton.freedom_table.joints.coordinate
    for k, j in enumerate(order):
        put_rotations(skeleton.joints[j], local[:, k], q, int(first[j]))
    still = bool(np.all(translations == skeleton.offsets))
    return Pose(skeleton, q, None if still else translations)
