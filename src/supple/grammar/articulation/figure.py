"""From the joints that rules ask for to one skeleton.

Its root, named after the first rule, does not move and stands where the world begins; every joint
hangs on the joint that its shape was under. A joint's frame has the axes of the scope in which it
was set. A shape whose position is free stands on three sliders above its joint.

A shape whose size is free is stretched along one axis of its scope, so that it stays a box: the one
that what it carries lies along. In the skeleton a stretch scales whole offsets. What is carried
beside that axis therefore hangs on a fixed node on the axis: the stretch moves the node, and the
offset from it keeps its length. A shape that carries things along several axes grows evenly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from supple.errors import SuppleError
from supple.grammar.evaluate.shape import NONE
from supple.grammar.geometry.frames import (
    ORIGIN,
    Vector,
    minus,
    product,
    quaternion,
    transposed,
    turned_back,
)
from supple.grammar.language.errors import RuleError
from supple.grammar.operations.ik import Wish
from supple.grammar.operations.joints import JointRecord, free, way_up
from supple.joints import Axes, Ball, Cone, Fixed, Hinge, Joint, Slider
from supple.parts import Node, Tip
from supple.skeleton import Skeleton

if TYPE_CHECKING:
    from collections.abc import Iterable


UPWARDS_FIRST = (1, 0, 2)  # of axes along which an offset is equally long
LEVEL = 1e-6  # of an offset: what is shorter counts as nothing


class Figure:
    """The joints of a derivation with the names they have in the skeleton.

    Args:
        start: The first rule's name.
        joints: The joints, parents before children; their names are made unique here.
        wishes: The IK rules; what they free is added to the joints.
    """

    def __init__(self, start: str, joints: list[JointRecord], wishes: list[Wish]) -> None:
        self.joints = joints
        self.wishes = wishes
        taken: set[str] = set()
        self.root = _unique(start, taken)
        for record in joints:
            record.name = _unique(record.base, taken)
        self.tips = [_unique(f"{wish.label} effector", taken) for wish in wishes]
        self.chains = [self._chain(wish) for wish in wishes]
        for wish, chain in zip(wishes, self.chains, strict=True):
            for k in chain:
                free(joints[k], wish.options)
        self._carried: dict[int, list[Vector]] = {}
        for record in joints:
            if record.parent != NONE:
                self._carried.setdefault(record.parent, []).append(self._offset(record))
        for wish in wishes:
            self._carried.setdefault(wish.joint, []).append(wish.offset)
        self._taken = taken
        self._bases: dict[str, str] = {}

    def find(self, name: str, joint: int) -> int | None:
        """The joint that a rule means by a name: above its own first, then the only one there is."""
        above = way_up(self.joints, joint)
        for k in above:
            if name in (self.joints[k].base, self.joints[k].name):
                return k
        alike = [k for k, one in enumerate(self.joints) if name in (one.base, one.name)]
        same_tree = [k for k in alike if way_up(self.joints, k)[-1] == above[-1]]
        found = same_tree or alike
        return found[0] if len(found) == 1 else None

    def _chain(self, wish: Wish) -> list[int]:
        """The joints that an IK rule may move, from its own upwards."""
        above = way_up(self.joints, wish.joint)
        root = wish.options.get("root")
        if root is not None:
            top = self.find(root, wish.joint)
            if top is None or top not in above:
                listed = ", ".join(repr(self.joints[k].base) for k in above)
                raise RuleError(
                    *wish.said, f"IK: no joint {root!r} lies above this shape; there are {listed}"
                )
            above = above[: above.index(top) + 1]
        locked = self.locked(wish)
        able = [k for k in above if k not in locked]
        depth = wish.options.get("depth", 1 if "aim" in wish.options and root is None else 0)
        return able[:depth] if depth else able

    def locked(self, wish: Wish) -> set[int]:
        """The joints that an IK rule may not move: fixed for all, or for this rule."""
        found = {k for k in way_up(self.joints, wish.joint) if self.joints[k].fixed}
        for name in wish.options.get("fix", ()):
            k = self.find(name, wish.joint)
            if k is None:
                raise RuleError(*wish.said, f"IK: fix: there is no joint {name!r}")
            found.add(k)
        return found

    def top(self, joint: int) -> int:
        """The uppermost joint above a joint."""
        return way_up(self.joints, joint)[-1]

    def stretched_along(self, joint: int) -> int | None:
        """The axis of a joint's frame that its own shapes are stretched along.

        Args:
            joint: The joint, an index.

        Returns:
            0, 1 or 2; None for evenly.
        """
        axes = set()
        for offset in self._carried.get(joint, ()):
            longest = max(map(abs, offset))
            if longest > 0.0:
                along = (k for k in UPWARDS_FIRST if abs(offset[k]) >= (1.0 - LEVEL) * longest)
                axes.add(next(along))
        return axes.pop() if len(axes) == 1 else None

    def nodes_of(self, joint: int) -> list[str]:
        """The nodes that belong to a joint, from above: its sliders, if it has some, and itself."""
        record = self.joints[joint]
        sliders = [f"{record.name} {axis}" for axis in "xyz"]
        return [*sliders, record.name] if "position" in record.freedoms else [record.name]

    def skeleton(self, joints: Iterable[int] | None = None) -> Skeleton:
        """The skeleton of all joints, or of some that hang together."""
        chosen = range(len(self.joints)) if joints is None else sorted(joints)
        nodes = [Node(self.root, None, ORIGIN, Fixed())]
        for k in chosen:
            nodes += self._nodes(self.joints[k], nodes)
        wanted = set(chosen)
        tips = []
        for name, wish in zip(self.tips, self.wishes, strict=True):
            if wish.joint in wanted:
                parent, offset = self._hung(name, wish.joint, wish.offset, nodes)
                tips.append(Tip(name, parent, offset, wish.rotation))
        return Skeleton(nodes, tips)

    def _offset(self, record: JointRecord) -> Vector:
        """Where a joint stands in the frame of the one above it."""
        above = self.joints[record.parent]
        return turned_back(above.R, minus(record.p, above.p))

    def _hung(self, name: str, joint: int, offset: Vector, nodes: list[Node]) -> tuple[str, Vector]:
        """What something at an offset from a joint hangs on, and its offset from that.

        If the joint's shapes are stretched along an axis that the offset is not on, that is a new
        node on the axis.
        """
        record = self.joints[joint]
        axis = self.stretched_along(joint) if "size" in record.freedoms else None
        if axis is None:
            return record.name, offset
        beside = tuple(0.0 if k == axis else offset[k] for k in range(3))
        if max(map(abs, beside)) <= LEVEL * max(map(abs, offset)):
            return record.name, offset
        if name not in self._bases:
            self._bases[name] = _unique(f"{name} base", self._taken)
        on_axis = tuple(offset[k] if k == axis else 0.0 for k in range(3))
        nodes.append(Node(self._bases[name], record.name, on_axis, Fixed()))
        return self._bases[name], (beside[0], beside[1], beside[2])

    def _nodes(self, record: JointRecord, before: list[Node]) -> list[Node]:
        """The nodes of a joint; a node that it hangs on besides is added to those before it."""
        if record.parent == NONE:
            parent, offset, R = self.root, record.p, record.R
        else:
            parent, offset = self._hung(record.name, record.parent, self._offset(record), before)
            R = product(transposed(self.joints[record.parent].R), record.R)
        rotation = quaternion(R)
        try:
            moving = _joint(record)
        except SuppleError as error:
            raise RuleError(*record.said, f"joint {record.base!r}: {error}") from None
        if "position" not in record.freedoms:
            return [Node(record.name, parent, offset, moving, rotation)]
        limits = None if record.slide is None else (-record.slide, record.slide)
        nodes = []
        for axis in "xyz":
            name = f"{record.name} {axis}"
            nodes.append(Node(name, parent, offset, Slider(axis, limits), rotation))
            parent, offset, rotation = name, ORIGIN, (1.0, 0.0, 0.0, 0.0)
        return [*nodes, Node(record.name, parent, offset, moving, rotation)]


def _unique(name: str, taken: set[str]) -> str:
    found, count = name, 1
    while found in taken or any(f"{found} {axis}" in taken for axis in "xyz"):
        count += 1
        found = f"{name} {count}"
    taken.add(found)
    return found


def _joint(record: JointRecord) -> Joint:
    """How a joint moves."""
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
