"""Read the node tree of a glTF file as a skeleton.

Every node is a joint, except those that only carry a skinned mesh, whose transform glTF ignores. The
rest of a skeleton has no scales, so scales of nodes are baked into the offsets below them, the bind
matrices and the attached meshes (`Tree.factors`). This is exact for uniform scales, and for any scale
of a leaf; the remainder of other scales goes into the pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from supple.apps.formats.gltf.document import Document, Item
from supple.apps.formats.gltf.placements import (
    FLOAT32_TOLERANCE,
    accumulated,
    baked_scales,
    placements,
    rest_scales,
    some,
)
from supple.apps.formats.source import JOINT_BYTES
from supple.errors import SuppleError
from supple.model.joints import Ball, Fixed, Joint
from supple.model.matching import put_rotations
from supple.model.skeleton import Node, Pose, Skeleton, Tip
from supple.rotations import conjugate, multiply, rotate

Floats = NDArray[np.float64]

BONES = "bones"  # role of the node and the skin of bones that are drawn for other programs
POSE = "pose"  # role of the animation that holds the pose of a character, for other programs
UNIT_QUATERNION_TOLERANCE = 1e-7  # largest deviation from unit length of a quaternion in extras


@dataclass(frozen=True)
class Tree:
    """The nodes of a file, and the skeleton that they make.

    Attributes:
        skeleton: Joints in the order of the nodes.
        pose: The pose of the nodes in the file.
        names: The joint name of each node; None for nodes that are no joints.
        factors: Product of the baked scales of each node and its ancestors, shape (n, 3).
        baked: The baked part of each node's own scale, shape (n, 3).
        parents: The parent of each node, -1 for a root.
    """

    skeleton: Skeleton
    pose: Pose
    names: list[str | None]
    factors: Floats
    baked: Floats
    parents: list[int]

    @cached_property
    def joints(self) -> dict[int, int]:
        """The index in the skeleton of each node that is a joint."""
        index = {name: j for j, name in enumerate(self.skeleton.joint_names)}
        return {k: index[name] for k, name in enumerate(self.names) if name in index}


def default_joint(*, skinned: bool, turned: bool, any_skins: bool) -> Joint:
    """The joint of a node without supple's extras: a ball.

    If the file has skins, nodes that neither a skin uses nor a motion rotates are helpers (an
    "Armature", cameras): they are fixed.
    """
    return Ball() if skinned or turned or not any_skins else Fixed()


def read_tree(document: Document) -> Tree:
    """Read all nodes: the skeleton, and the pose in the file."""
    items = document.table("nodes")
    if not items:
        document.source.error(None, "expected nodes, got none: there is nothing to pose")
    document.charge(JOINT_BYTES * len(items), "nodes")
    parents = _parents(document, items)
    translations, rotations, scales = placements(document, items)
    used = {
        node
        for skin in document.table("skins")
        if role(skin) != BONES
        for node in skin.references("joints", "nodes")
    }
    paths = _animated(document)
    moved, turned = {k for k, _ in paths}, {k for k, path in paths if path == "rotation"}
    kinds = [_kind(item, k in used, k in moved) for k, item in enumerate(items)]
    # Nodes that supple adds on top for unit, up axis or a common root.
    own_roots = {k for k, kind in enumerate(kinds) if kind == "root"}
    parents = [-1 if p in own_roots else p for p in parents]
    has_children = {parents[k] for k, kind in enumerate(kinds) if kind == "joint"}
    baked = baked_scales(rest_scales(items, scales), has_children, kinds)
    factors = accumulated(parents, baked)
    chosen = [k for k, kind in enumerate(kinds) if kind in ("joint", "tip")]
    names: list[str | None] = [None] * len(items)
    for k, name in zip(chosen, _names(document, items, chosen), strict=True):
        names[k] = name
    nodes, tips = [], []
    stated: dict[str, Item] = {}
    for k in chosen:
        name, above = str(names[k]), parents[k]
        up = factors[above] if above >= 0 else np.ones(3)
        parent = None if above < 0 else names[above]
        own = items[k].own()
        if kinds[k] == "tip":
            if parent is None:
                document.fail(items[k].where, "expected a tip below a joint, got one without")
            tips.append(Tip(name, parent, translations[k] * up, rotations[k]))
            continue
        joint = default_joint(skinned=k in used, turned=k in turned, any_skins=bool(used))
        offset, rotation = translations[k], rotations[k]
        if own is not None:
            joint = _stated_joint(document, own, joint)
            offset, rotation = _stated_rest(own, offset, rotation)
            stated[name] = own
        nodes.append(Node(name, parent, offset * up, joint, rotation))
    skeleton = _built(document, nodes, tips)
    tree = Tree(skeleton, skeleton.rest, names, factors, baked, parents)
    pose = _pose(tree, translations, rotations, scales, stated)
    if pose.scales is not None:
        document.source.warn(
            "some nodes with others below them have scales that differ along their axes: these are "
            "in the character's pose, not in the skeleton's rest"
        )
    return Tree(skeleton, pose, names, factors, baked, parents)


def _names(document: Document, items: list[Item], chosen: list[int]) -> list[str]:
    """Unique names of some nodes: blank ones get their index, duplicates a number; with notes."""
    given = [items[k].text("name") for k in chosen]
    taken = {name for name in given if name.strip()}
    following: dict[str, int] = {}  # the number of the next duplicate of a name
    names, blank, double = [], [], []
    for k, name in zip(chosen, given, strict=True):
        if not name.strip():
            base, number = f"node {k}", 0
            blank.append(k)
        else:
            base, number = name, following.get(name, 0)
            following[name] = max(number + 1, 2)
            if number:
                double.append(k)
        new = f"{base} {number}" if number else base
        while new in taken and (number or base is not name):
            number = max(number + 1, 2)
            new = f"{base} {number}"
            following[name] = number + 1
        taken.add(new)
        names.append(new)
    if blank:
        document.source.warn(f"{some(blank)}: without a name, called 'node {blank[0]}' and so on")
    if double:
        document.source.warn(f"{some(double)}: named like others, so they are numbered")
    return names


def _parents(document: Document, items: list[Item]) -> list[int]:
    """The parent of each node, -1 for a root."""
    parents = [-1] * len(items)
    for k, item in enumerate(items):
        for child in item.references("children", "nodes"):
            if parents[child] >= 0:
                document.fail(
                    f"nodes[{child}]",
                    f"expected one parent, got nodes[{parents[child]}] and nodes[{k}]",
                )
            parents[child] = k
    reached = [False] * len(items)
    front = [k for k, parent in enumerate(parents) if parent < 0]
    while front:
        k = front.pop()
        reached[k] = True
        front.extend(items[k].data.get("children", ()))
    if not all(reached):
        k = reached.index(False)
        document.fail(f"nodes[{k}]", "expected a tree, got a cycle of children")
    return parents


def role(item: Item) -> str | None:
    """The role that supple gave an object on writing, such as "tip"; None if it has none."""
    own = item.own()
    found = own.data.get("role") if own is not None else None
    return found if isinstance(found, str) else None


def _kind(item: Item, used: bool, animated: bool) -> str:
    """The role of a node: "joint", "tip", "mesh" (its transform is ignored), or supple's "root" or "bones"."""
    given = role(item)
    if given == "tip" and not item.data.get("children"):
        return "tip"
    if given == "root" and not used:
        return "root"
    mesh = item.reference("mesh", "meshes")
    if mesh is None or used or animated or item.data.get("children"):
        return "joint"
    if given in ("mesh", BONES):
        return given
    if item.reference("skin", "skins") is None:
        return "joint"
    primitives = item.document.table("meshes")[mesh].items("primitives")
    attributes = [part.item("attributes") for part in primitives]
    held = all(one is not None and "JOINTS_0" in one for one in attributes)
    return "mesh" if held and primitives else "joint"


def _animated(document: Document) -> set[tuple[int, str]]:
    """The (node, path) pairs that animations move, without morph weights."""
    found = set()
    for animation in document.table("animations"):
        for channel in animation.items("channels"):
            target = channel.item("target")
            node = target.reference("node", "nodes") if target is not None else None
            if target is not None and node is not None and target.text("path") != "weights":
                found.add((node, target.text("path")))
    return found


def _stated_joint(document: Document, own: Item, default: Joint) -> Joint:
    """The joint that supple wrote into a node's extras."""
    if "joint" not in own:
        return default
    try:
        return Joint.from_json(own.data["joint"])
    except (SuppleError, TypeError, ValueError, AttributeError, OverflowError) as error:
        document.source.warn(f"{own.where}.joint: {error}; read as {default!r}")
        return default


def _stated_rest(own: Item, offset: Floats, rotation: Floats) -> tuple[Floats, Floats]:
    """The rest offset and rotation in a node's extras, or those given."""
    rest = own.item("rest")
    if rest is not None:
        offset = np.array(rest.numbers("translation", 3) or offset)
        given = rest.numbers("rotation", 4)
        if given is not None:
            turn = np.array(given)[[3, 0, 1, 2]]
            size = np.linalg.norm(turn)
            if not 1e-6 < size < np.inf:
                rest.fail("rotation", "a quaternion that is not zero")
            rotation = turn / size if abs(size - 1.0) > 1e-15 else turn
    return offset, rotation


def _built(document: Document, nodes: list[Node], tips: list[Tip]) -> Skeleton:
    try:
        return Skeleton(nodes, tips)
    except SuppleError as error:
        # Only joints from extras can be wrong: a Cone without an axis, a mimic of nothing. The
        # nodes themselves are valid: read them with ball joints.
        document.source.warn(f"the joints in the extras of this file do not fit its nodes: {error}")
        return Skeleton([node._replace(joint=Ball()) for node in nodes], tips)


def coordinates_of(
    skeleton: Skeleton, joint: int, turns: Floats, shifts: Floats, q: Floats
) -> Floats:
    """Convert local rotations and offsets of a joint to coordinates.

    Args:
        skeleton: The skeleton.
        joint: The index of the joint.
        turns: Rotations in the parent's frame, wxyz, shape (F, 4).
        shifts: Origins in the parent's frame, shape (F, 3).
        q: Coordinates (F, Q), written in place.

    Returns:
        The offsets (F, 3) without the part that the joint itself slides by.
    """
    kind, first = skeleton.joints[joint], int(skeleton.freedom_table.joints.coordinate[joint])
    rest = skeleton.rotations[joint]
    put_rotations(kind, multiply(conjugate(rest), turns), q, first)
    moves = _slides(kind)
    if not len(moves):
        return shifts
    axes = rotate(rest, moves)
    along = (shifts - skeleton.offsets[joint]) @ axes.T
    q[:, first : first + len(moves)] = along
    return shifts - along @ axes


def _slides(joint: Joint) -> Floats:
    """The directions a joint slides along, in its rest frame, in the order of its coordinates."""
    return np.array([one.axis for one in joint.scalars if one.slides]).reshape(-1, 3)


def _pose(
    tree: Tree, translations: Floats, rotations: Floats, scales: Floats, stated: dict[str, Item]
) -> Pose:
    """The pose of the nodes: the rest, unless extras or uneven scales give another."""
    skeleton = tree.skeleton
    left = np.ones((len(skeleton), 3))
    q = skeleton.rest.coordinates.copy()[None]
    offsets = skeleton.offsets.copy()
    # Joints whose extras state a rest: the extras, and the rotation of the node.
    posed: dict[int, tuple[Item, Floats]] = {}
    for k, j in tree.joints.items():
        name = str(tree.names[k])
        left[j] = scales[k] / tree.baked[k]
        own = stated.get(name)
        if own is not None and "rest" in own:
            above = tree.parents[k]
            up = tree.factors[above] if above >= 0 else np.ones(3)
            place = (translations[k] * up)[None]
            offsets[j] = coordinates_of(skeleton, j, rotations[k][None], place, q)[0]
            posed[j] = (own, rotations[k])
    _stated_coordinates(skeleton, posed, q[0])
    plain = np.allclose(left, 1.0, rtol=0, atol=FLOAT32_TOLERANCE)
    moved = not np.allclose(offsets, skeleton.offsets, rtol=1e-9, atol=1e-12)
    if plain and not moved and np.array_equal(q[0], skeleton.rest.coordinates):
        return skeleton.rest
    return Pose(skeleton, q[0], offsets if moved else None, None if plain else left)


def _stated_coordinates(
    skeleton: Skeleton, posed: dict[int, tuple[Item, Floats]], q: Floats
) -> None:
    """Use the coordinates in extras where they still agree with the rotations of the nodes.

    Args:
        skeleton: The skeleton.
        posed: For each joint with extras, the extras and the rotation wxyz of its node.
        q: Coordinates (Q,), written in place.
    """
    table, trial = skeleton.freedom_table, q.copy()
    spans: dict[int, slice] = {}
    for j, (own, _) in posed.items():
        span = table.coordinates_of(j)
        given = own.numbers("coordinates")
        if given is not None and len(given) == span.stop - span.start:
            trial[span] = given
            spans[j] = span
    turning = table.quaternions
    size = np.linalg.norm(trial[turning.coordinate], axis=1)
    for j in turning.joint[np.abs(size - 1.0) > UNIT_QUATERNION_TOLERANCE].tolist():
        span = spans.pop(j, slice(0))
        trial[span] = q[span]
    if not spans:
        return
    try:
        turns = Pose(skeleton, trial).local_rotations
    except SuppleError:  # invalid coordinates
        return
    for j, span in spans.items():
        if abs(abs(float(turns[j] @ posed[j][1])) - 1.0) < 1e-9:
            q[span] = trial[span]
