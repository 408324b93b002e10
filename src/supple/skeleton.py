"""Skeletons: an immutable tree of joints, with tips, that poses and solvers refer to by name."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.chains import chain_parts
from supple.errors import SuppleError, one_of
from supple.joints import Ball, Joint
from supple.kernels import layout
from supple.mismatch import another
from supple.packing import Packed, check_names, pack, topological_order
from supple.parts import Node, Tip, placements, read_nodes, record
from supple.parts import from_json as part_from_json
from supple.parts import to_json as part_to_json
from supple.pose import Pose, check_format
from supple.resting import rested_parts

FORMAT = "supple-skeleton"
VERSION = 1


class Skeleton:
    """A tree of joints with any number of roots, and tips.

    Example::

        Skeleton(
            [Node("hip"), Node("knee", "hip", (0, -4, 0), Hinge("x", limits=(0, 2.5)))],
            [Tip("foot", "knee", (0, -4, 0))],
        )

    Joints come in topological order, which is the order given wherever parents precede their
    children; then the tips. A local rotation is rest * q. Skeletons are immutable: they compare by
    content, hash, copy, pickle and go to and from JSON. Plain tuples serve as nodes and tips.

    Args:
        nodes: The joints.
        tips: Named frames on them.

    Raises:
        SuppleError: Names are blank, doubled or unknown, parents run in a circle, numbers are not
            finite, quaternions not unit (within 1e-6), a Cone lacks an axis or a mimic its joint.
    """

    __slots__ = (
        "_children",
        "_file_order",
        "_fingerprint",
        "_freedoms",
        "_index",
        "_joints",
        "_names",
        "_packed",
        "_packed_tips",
        "_rest",
    )

    def __init__(
        self,
        nodes: Iterable[Node | tuple[Any, ...]],
        tips: Iterable[Tip | tuple[Any, ...]] = (),
    ) -> None:
        given, tips = read_nodes(nodes), [record(Tip, tip) for tip in tips]
        check_names([node.name for node in given], [tip.name for tip in tips])
        order = topological_order([node.name for node in given], [node.parent for node in given])
        sorted_nodes = [given[k] for k in order]
        names = tuple(node.name for node in sorted_nodes)
        index = {name: j for j, name in enumerate(names)}
        for tip in tips:
            if tip.joint not in index:
                one_of(f"joint of tip {tip.name!r}", tip.joint, names)
        offsets, rotations = placements("joint", sorted_nodes)
        tip_offset, tip_rotation = placements("tip", tips)
        parents = [-1 if node.parent is None else index[node.parent] for node in sorted_nodes]
        tip_joint = np.array([index[tip.joint] for tip in tips], dtype=np.int64)
        joints = tuple(node.joint for node in sorted_nodes)
        self._packed = pack(
            names, np.array(parents), joints, offsets, rotations, tip_joint, tip_offset
        )
        self._packed_tips = (tip_joint, tip_offset, tip_rotation)
        self._joints = joints
        self._names = names + tuple(tip.name for tip in tips)
        self._index = {name: k for k, name in enumerate(self._names)}
        self._file_order = _read_only(np.argsort(np.array(order)))
        self._rest: Pose | None = None
        self._children: list[list[int]] | None = None
        self._freedoms: tuple[str, ...] | None = None
        self._fingerprint: str | None = None

    # What it holds --------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Joints in topological order, then tips: the order of a pose's positions."""
        return self._names

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints in topological order."""
        return self._names[: len(self._joints)]

    @property
    def tip_names(self) -> tuple[str, ...]:
        """The tips in the order given."""
        return self._names[len(self._joints) :]

    @property
    def joints(self) -> tuple[Joint, ...]:
        """How each joint moves, in topological order."""
        return self._joints

    @property
    def freedoms(self) -> tuple[str, ...]:
        """A name for each number of `Pose.angles`: "j0" for a lone one, "j0.x", "j0.stretch"."""
        if self._freedoms is None:
            self._freedoms = tuple(
                f"{name}.{label}" if label else name
                for name, joint in zip(self.joint_names, self._joints, strict=True)
                for label in joint.freedom_labels
            )
        return self._freedoms

    @property
    def parents(self) -> NDArray[np.int64]:
        """The index of each joint's parent, shape (N,); -1 for a root. Parents come first."""
        return _read_only(self._packed.ints[:, layout.PARENT])

    @property
    def offsets(self) -> NDArray[np.float64]:
        """Each joint's origin in its parent's frame at rest, shape (N, 3)."""
        return _read_only(self._packed.floats[:, layout.OFFSET : layout.OFFSET + 3])

    @property
    def rotations(self) -> NDArray[np.float64]:
        """Each joint's rest rotation in its parent's frame, wxyz, shape (N, 4)."""
        return _read_only(self._packed.floats[:, layout.REST : layout.REST + 4])

    @property
    def file_order(self) -> NDArray[np.int64]:
        """For each joint in the order it was given, its index in `joint_names`, shape (N,)."""
        return self._file_order

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The joints in the order given: `Skeleton(s.nodes, s.tips) == s`."""
        names, parents = self._names, self.parents.tolist()
        offsets, rotations = self.offsets.tolist(), self.rotations.tolist()
        return tuple(
            Node(
                names[j],
                None if parents[j] < 0 else names[parents[j]],
                tuple(offsets[j]),
                self._joints[j],
                tuple(rotations[j]),
            )
            for j in self._file_order.tolist()
        )

    @property
    def tips(self) -> tuple[Tip, ...]:
        """The tips in the order given."""
        joints, offsets, rotations = (part.tolist() for part in self._packed_tips)
        return tuple(
            Tip(name, self._names[j], tuple(offset), tuple(rotation))
            for name, j, offset, rotation in zip(
                self.tip_names, joints, offsets, rotations, strict=True
            )
        )

    # For kernels: writable and contiguous, because Numba compiles anew for anything else. Nobody
    # writes to them.
    @property
    def packed(self) -> Packed:
        """Everything below and the maps between coordinates and freedoms."""
        return self._packed

    @property
    def packed_ints(self) -> NDArray[np.int64]:
        """A row of integers for each joint, by the columns of `kernels.layout`."""
        return self._packed.ints

    @property
    def packed_floats(self) -> NDArray[np.float64]:
        """A row of floats for each joint, by the columns of `kernels.layout`."""
        return self._packed.floats

    @property
    def packed_tips(self) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """The joint (T,), offset (T, 3) and rotation wxyz (T, 4) of each tip."""
        return self._packed_tips

    # Finding the way ------------------------------------------------------------------------------

    def index(self, name: str) -> int:
        """The place of a joint or tip in `names`; an unknown name is an error with the nearest."""
        found = self._index.get(name) if isinstance(name, str) else None
        if found is None:
            one_of("joint or tip", name, self._names)
            raise AssertionError  # one_of has raised
        return found

    def children(self, name: str) -> tuple[str, ...]:
        """The joints and then the tips that hang on a joint; a tip has none."""
        if self._children is None:
            below: list[list[int]] = [[] for _ in self._names]
            links = [*self.parents.tolist(), *self._packed_tips[0].tolist()]
            for k, parent in enumerate(links):
                if parent >= 0:
                    below[parent].append(k)
            self._children = below
        return tuple(self._names[k] for k in self._children[self.index(name)])

    def parent(self, name: str) -> str | None:
        """The joint that a joint or tip hangs on; None for a root."""
        j = self._above(self.index(name))
        return None if j < 0 else self._names[j]

    def _above(self, k: int) -> int:
        count = len(self._joints)
        if k >= count:
            return int(self._packed_tips[0][k - count])
        return int(self._packed.ints[k, layout.PARENT])

    def path(self, root: str | None, tip: str) -> tuple[str, ...]:
        """The names from `root` (None: the root of the tree) down to `tip`, both included.

        Raises:
            SuppleError: `tip` does not hang below `root`.
        """
        first = -1 if root is None else self.index(root)
        k = self.index(tip)
        way = [k]
        while k != first and (k := self._above(k)) >= 0:
            way.append(k)
        if root is not None and way[-1] != first:
            raise SuppleError(
                f"path: expected a root above {tip!r} (one of "
                f"{', '.join(repr(self._names[i]) for i in reversed(way))}), got {root!r}"
            )
        return tuple(self._names[i] for i in reversed(way))

    def length(self, name: str, *, root: str | None = None) -> float:
        """How far a joint or tip is from its parent at rest, in the model's unit.

        With `root`, the sum along the way from there down to `name`.
        """
        way = [name] if root is None else self.path(root, name)[1:]
        count = len(self._joints)
        total = 0.0
        for k in map(self.index, way):
            offset = self._packed_tips[1][k - count] if k >= count else self.offsets[k]
            total += float(np.linalg.norm(offset))
        return total

    # Poses ----------------------------------------------------------------------------------------

    @property
    def rest(self) -> Pose:
        """The pose in which every joint is as it was built."""
        if self._rest is None:
            self._rest = Pose._wrap(self, self._packed.rest.copy())
        return self._rest

    def pose(self, values: Mapping[str, Any] | None = None) -> Pose:
        """The rest pose with some joints moved, as in `Pose.with_`.

        {"elbow": 1.2, "wrist": (1, 0, 0, 0), "hand.stretch": 1.5}.
        """
        return self.rest.with_(values or {})

    def with_joints(self, joints: Mapping[str, Joint]) -> "Skeleton":
        """The same skeleton with other joints: {name: joint}."""
        if not isinstance(joints, Mapping):
            raise SuppleError(
                f"with_joints: expected {{name: joint}}, got a {type(joints).__name__}"
            )
        for name in joints:
            if name not in self._index or self._index[name] >= len(self._joints):
                one_of("joint", name, self.joint_names)
        nodes = [node._replace(joint=joints.get(node.name, node.joint)) for node in self.nodes]
        return Skeleton(nodes, self.tips)

    def with_rest(self, pose: Pose) -> "Skeleton":
        """The same skeleton with a pose as its rest.

        Its rest pose has the world frames of `pose`. Limits keep their numbers, and count from the
        new rest from now on; a mimic joint still stands where the joint it copies puts it. Scales
        of the pose go into the offsets.
        """
        if not isinstance(pose, Pose):
            hint = "; give its .pose" if hasattr(pose, "pose") else ""
            raise SuppleError(
                f"with_rest: expected a supple.Pose, got a {type(pose).__name__}{hint}"
            )
        if pose.skeleton != self:
            raise another("with_rest", self, pose.skeleton, expected="a pose of this skeleton")
        if pose.batch_shape:
            raise SuppleError(
                f"with_rest: expected a single pose, got a batch of shape {pose.batch_shape}"
            )
        return Skeleton(*rested_parts(pose))

    # Comparing, keeping and showing ---------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Plain dictionaries and lists, joints in the order given; `from_json` reads them back."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "joints": [part_to_json(node) for node in self.nodes],
            "tips": [part_to_json(tip) for tip in self.tips],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Skeleton":
        """The skeleton that `to_json` described."""
        check_format(data, FORMAT, VERSION)
        nodes = [part_from_json(Node, node) for node in data.get("joints", ())]
        return cls(nodes, [part_from_json(Tip, tip) for tip in data.get("tips", ())])

    @property
    def fingerprint(self) -> str:
        """A hash of the content, 32 letters: equal for equal skeletons, in every process."""
        if self._fingerprint is None:
            text = json.dumps(self.to_json(), sort_keys=True)
            self._fingerprint = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        return self._fingerprint

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Skeleton):
            return NotImplemented
        return self is other or (
            self._names == other._names and self.fingerprint == other.fingerprint
        )

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __copy__(self) -> "Skeleton":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Skeleton":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Skeleton, (self.nodes, self.tips)

    def __len__(self) -> int:
        return len(self._joints)

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __repr__(self) -> str:
        def some(names: tuple[str, ...]) -> str:
            shown = names if len(names) <= 6 else (*names[:4], "...", names[-1])
            return ", ".join(shown)

        tips = f"; tips: {some(self.tip_names)}" if self.tip_names else ""
        return f"Skeleton({len(self)} joints: {some(self.joint_names)}{tips})"

    def tree(self, *, limit: int = 200) -> str:
        """The joints and tips as an indented tree, at most `limit` lines of it."""
        from supple.sketch import skeleton_tree  # pictures: not before they are looked at

        return skeleton_tree(self, limit=limit)

    def _repr_html_(self) -> str:
        from supple.sketch import skeleton_html  # pictures: not before they are looked at

        return skeleton_html(self)


def chain(
    lengths: ArrayLike,
    *,
    joint: Joint | Sequence[Joint] = Ball(),  # noqa: B008 (frozen)
    names: Sequence[str] | None = None,
) -> Skeleton:
    """A chain of links, straight along +X at rest, with its first joint at the origin.

    Args:
        lengths: The length of each link, in the model's unit; zero will do.
        joint: How every joint moves, or one for each link.
        names: A name for each joint; "j0", "j1", ... by default. The end is called "tip".
    """
    return Skeleton(*chain_parts(lengths, joint, names))


Kind = TypeVar("Kind", np.int64, np.float64)


def _read_only(values: NDArray[Kind]) -> NDArray[Kind]:
    view = values.view()
    view.flags.writeable = False
    return view
