"""Build one skeleton from the joints of a derivation.

Its root is fixed at the world's origin and has the name of the start rule. A joint's parent is the
joint that carried its shape, and its frame has the axes of its scope. Three sliders above a joint
make its position free.

A shape with free size is stretched along one axis of its scope, so that a box stays a box: the axis
along which its children and effectors lie. A stretch in the skeleton scales whole offsets, so a child
off that axis gets a fixed node on the axis as its parent: the stretch moves the node, and the offset
from it keeps its length. A shape with children along several axes is scaled uniformly.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from supple.apps.grammar.evaluate.joints import IKRule, JointRecord, path_to_root
from supple.apps.grammar.evaluate.shape import NO_INDEX
from supple.apps.grammar.geometry.frames import (
    ORIGIN,
    Vector,
    minus,
    product,
    quaternion,
    rotated_back,
    transposed,
)
from supple.apps.grammar.language.errors import RuleError
from supple.errors import SuppleError
from supple.model.joints import Axes, Ball, Cone, Fixed, Hinge, Joint, Slider
from supple.model.parts import Node, Tip
from supple.model.skeleton import Skeleton

UPWARDS_FIRST = (1, 0, 2)  # order of preference of axes along which an offset is equally long
NEGLIGIBLE_COMPONENT = 1e-6  # of an offset's largest component: smaller ones count as 0; not tuned


@lru_cache(maxsize=64)
def _root_only(name: str) -> Skeleton:
    """The skeleton of shapes without joints; skeletons are never changed."""
    return Skeleton([Node(name, None, ORIGIN, Fixed())], [])


class Figure:
    """The joints of a derivation, with unique names.

    Args:
        start: The start rule's name.
        joints: The joints, parents before children; this sets their unique names.
        rules: The IK rules; the freedoms they give are added to the joints of their chains.

    Attributes:
        root: Name of the skeleton's root.
        tips: Names of the effectors, one per IK rule.
        chains: For each IK rule the joints it may move, from its own upwards.
    """

    def __init__(self, start: str, joints: list[JointRecord], rules: list[IKRule]) -> None:
        self.joints = joints
        self.rules = rules
        taken: set[str] = set()
        self.root = _unique(start, taken)
        for record in joints:
            record.name = _unique(record.base, taken)
        self.tips = [_unique(f"{rule.label} effector", taken) for rule in rules]
        self.chains = [self._chain(rule) for rule in rules]
        for rule, chain in zip(rules, self.chains, strict=True):
            for k in chain:
                joints[k].allow(rule.options)
        self._carried: dict[int, list[Vector]] = {}
        for record in joints:
            if record.parent != NO_INDEX:
                self._carried.setdefault(record.parent, []).append(self._offset(record))
        for rule in rules:
            self._carried.setdefault(rule.joint, []).append(rule.offset)
        self._taken = taken
        self._bases: dict[str, str] = {}

    def find(self, name: str, joint: int) -> int | None:
        """The joint that a rule names: one above its own joint, else the only one of that name."""
        above = path_to_root(self.joints, joint)
        for k in above:
            if name in (self.joints[k].base, self.joints[k].name):
                return k
        named = [k for k, one in enumerate(self.joints) if name in (one.base, one.name)]
        same_tree = [k for k in named if path_to_root(self.joints, k)[-1] == above[-1]]
        found = same_tree or named
        return found[0] if len(found) == 1 else None

    def _chain(self, rule: IKRule) -> list[int]:
        """The joints that an IK rule may move, from its own upwards."""
        above = path_to_root(self.joints, rule.joint)
        root = rule.options.get("root")
        if root is not None:
            top = self.find(root, rule.joint)
            if top is None or top not in above:
                listed = ", ".join(repr(self.joints[k].base) for k in above)
                raise RuleError(
                    *rule.defined_at,
                    f"IK: no joint {root!r} lies above this shape; there are {listed}",
                )
            above = above[: above.index(top) + 1]
        locked = self.locked(rule)
        free = [k for k in above if k not in locked]
        depth = rule.options.get("depth", 1 if "aim" in rule.options and root is None else 0)
        return free[:depth] if depth else free

    def locked(self, rule: IKRule) -> set[int]:
        """The joints that an IK rule may not move: fixed for all rules, or by its option `fix`."""
        found = {k for k in path_to_root(self.joints, rule.joint) if self.joints[k].fixed}
        for name in rule.options.get("fix", ()):
            k = self.find(name, rule.joint)
            if k is None:
                raise RuleError(*rule.defined_at, f"IK: fix: there is no joint {name!r}")
            found.add(k)
        return found

    def top(self, joint: int) -> int:
        """The topmost ancestor of a joint."""
        return path_to_root(self.joints, joint)[-1]

    def stretched_along(self, joint: int) -> int | None:
        """The axis of a joint's frame along which its shapes are stretched.

        Args:
            joint: Index of the joint.

        Returns:
            0, 1 or 2; None for uniform scaling.
        """
        axes = set()
        for offset in self._carried.get(joint, ()):
            longest = max(map(abs, offset))
            if longest > 0.0:
                near = (1.0 - NEGLIGIBLE_COMPONENT) * longest
                axes.add(next(k for k in UPWARDS_FIRST if abs(offset[k]) >= near))
        return axes.pop() if len(axes) == 1 else None

    def nodes_of(self, joint: int) -> list[str]:
        """Names of a joint's nodes from above: its sliders, if its position is free, and itself."""
        record = self.joints[joint]
        sliders = [f"{record.name} {axis}" for axis in "xyz"]
        return [*sliders, record.name] if "position" in record.freedoms else [record.name]

    def skeleton(self, joints: Iterable[int] | None = None) -> Skeleton:
        """The skeleton of all joints, or of some that form a tree."""
        if not self.joints:
            return _root_only(self.root)
        chosen = range(len(self.joints)) if joints is None else sorted(joints)
        nodes = [Node(self.root, None, ORIGIN, Fixed())]
        for k in chosen:
            nodes += self._nodes(self.joints[k], nodes)
        wanted = set(chosen)
        tips = []
        for name, rule in zip(self.tips, self.rules, strict=True):
            if rule.joint in wanted:
                parent, offset = self._attached(name, rule.joint, rule.offset, nodes)
                tips.append(Tip(name, parent, offset, rule.rotation))
        return Skeleton(nodes, tips)

    def _offset(self, record: JointRecord) -> Vector:
        """Position of a joint in its parent's frame."""
        above = self.joints[record.parent]
        return rotated_back(above.R, minus(record.p, above.p))

    def _attached(
        self, name: str, joint: int, offset: Vector, nodes: list[Node]
    ) -> tuple[str, Vector]:
        """The parent node of a child at an offset from a joint, and the offset from that node.

        If the joint's shapes are stretched along an axis and the offset is off that axis, a new
        node on the axis is added to `nodes`.
        """
        record = self.joints[joint]
        axis = self.stretched_along(joint) if "size" in record.freedoms else None
        if axis is None:
            return record.name, offset
        beside = tuple(0.0 if k == axis else offset[k] for k in range(3))
        if max(map(abs, beside)) <= NEGLIGIBLE_COMPONENT * max(map(abs, offset)):
            return record.name, offset
        if name not in self._bases:
            self._bases[name] = _unique(f"{name} base", self._taken)
        on_axis = tuple(offset[k] if k == axis else 0.0 for k in range(3))
        nodes.append(Node(self._bases[name], record.name, on_axis, Fixed()))
        return self._bases[name], (beside[0], beside[1], beside[2])

    def _nodes(self, record: JointRecord, before: list[Node]) -> list[Node]:
        """The nodes of a joint; an extra parent node is added to those before it."""
        if record.parent == NO_INDEX:
            parent, offset, R = self.root, record.p, record.R
        else:
            parent, offset = self._attached(
                record.name, record.parent, self._offset(record), before
            )
            R = product(transposed(self.joints[record.parent].R), record.R)
        rotation = quaternion(R)
        try:
            joint = _joint(record)
        except SuppleError as error:
            raise RuleError(*record.defined_at, f"joint {record.base!r}: {error}") from None
        if "position" not in record.freedoms:
            return [Node(record.name, parent, offset, joint, rotation)]
        limits = None if record.slide is None else (-record.slide, record.slide)
        nodes = []
        for axis in "xyz":
            name = f"{record.name} {axis}"
            nodes.append(Node(name, parent, offset, Slider(axis, limits), rotation))
            parent, offset, rotation = name, ORIGIN, (1.0, 0.0, 0.0, 0.0)
        return [*nodes, Node(record.name, parent, offset, joint, rotation)]


def _unique(name: str, taken: set[str]) -> str:
    found, count = name, 1
    while found in taken or any(f"{found} {axis}" in taken for axis in "xyz"):
        count += 1
        found = f"{name} {count}"
    taken.add(found)
    return found


def _joint(record: JointRecord) -> Joint:
    """The joint of a record, with its limits."""
    common: dict[str, Any] = {"damping": record.damping, "stiffness": record.stiffness}
    if "size" in record.freedoms:
        common["stretch"] = record.stretch
    if "rotation" not in record.freedoms:
        return Fixed(**common)
    if record.kind == "axes":
        return Axes(record.order, {k: record.limits.get(k) for k in "xyz"}, **common)
    if record.kind == "hinge":
        return Hinge(record.axis, record.limits.get("limits"), **common)
    if record.kind == "cone":
        twist = record.limits.get("twist")
        given = {"twist": twist} if twist is not None else {}
        return Cone(record.limits["swing"], axis=record.axis, **given, **common)
    return Ball(**common)
