"""`Connect` and `Weld`: close a loop between two bones; `On`: a target that moves with another bone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from supple.errors import SuppleError, array, text
from supple.goals.goal import Block, Floats, Goal
from supple.kernels import layout
from supple.model.effector import EffectorFrames, find_effector
from supple.model.parts import ORIGIN
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import IDENTITY_WXYZ, multiply, rotate, unit_quaternions

if TYPE_CHECKING:
    from supple.goals.mark import Mark
    from supple.model.loops import Loop


@dataclass(frozen=True)
class On:
    """A target on another bone, which moves with that bone during the solve.

    Args:
        effector: Name of the joint or tip that carries the target.
        point: In that effector's frame, xyz in the model's unit.
    """

    effector: str
    point: Any = ORIGIN

    def __post_init__(self) -> None:
        point = array(f"point on {self.effector!r}", self.point, (3,)) + 0.0
        object.__setattr__(self, "point", tuple(point.tolist()))

    def position(self, poses: Pose) -> Floats:
        """World position of the target, shape (..., 3)."""
        return EffectorFrames(poses, [self.effector]).point(self.effector, self.point)

    def told(self) -> dict[str, Any]:
        """The target in a report, as plain data."""
        return {"on": self.effector, "point": self.point}

    def carrier(self, skeleton: Skeleton, number: int, rotation: Any = IDENTITY_WXYZ) -> Block:
        """The carrier block, without residual rows, that gives kernels the target's frame, for goal `number`."""
        frame = find_effector(skeleton, self.effector)
        return Block(
            layout.CARRIER,
            number,
            frame.joint,
            1.0,
            fixed=rotate(frame.rotation, self.point),
            stretching=frame.offset,
            rotation=multiply(frame.rotation, rotation),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Connect(Goal):
    """Hold a point of one bone and a point of another together, before all other goals.

    Both branches up to where they meet may move for it.

    Args:
        a: Name of a joint or tip.
        b: Name of another.
        point_a: In the frame of `a`, xyz in the model's unit.
        point_b: In the frame of `b`.
    """

    frees: ClassVar[bool] = True
    closes_loop: ClassVar[bool] = True
    told: ClassVar[tuple[str, ...]] = ("a", "b")

    a: str
    b: str
    _: KW_ONLY
    point_a: Any = ORIGIN
    point_b: Any = ORIGIN

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            text(f"{name} of {type(self).__name__}", getattr(self, name))
        if self.a == self.b:
            raise SuppleError(f"{self._what}: expected two bones, got {self.a!r} twice")
        for name in ("point_a", "point_b"):
            point = array(f"{name} of {self._what}", getattr(self, name), (3,)) + 0.0
            self._set(name, tuple(point.tolist()))

    @property
    def _what(self) -> str:
        return f"{type(self).__name__} {self.a!r} and {self.b!r}"

    @property
    def effector_name(self) -> str:
        """Both names."""
        return f"{self.a} and {self.b}"

    @property
    def effectors(self) -> tuple[str, str]:
        """The names of the two bones."""
        return self.a, self.b

    @property
    def kinds(self) -> tuple[str, ...]:
        """A loop."""
        return ("loop",)

    def mark(self, start: Pose, pose: Pose) -> Sequence[Mark]:
        """The two points that are held together."""
        from supple.goals.mark import LoopMark  # not needed to solve

        del start
        ends = EffectorFrames(pose, self.effectors)
        return [LoopMark(ends.point(self.a, self.point_a), ends.point(self.b, self.point_b))]

    def lower(self, skeleton: Skeleton, number: int) -> list[Block]:
        """A block that brings the two points together, and the carrier of the first."""
        carrier = On(self.a, self.point_a).carrier(skeleton, number)
        return [self._closing(layout.MEET, skeleton, number, carrier), carrier]

    def _closing(self, kind: int, skeleton: Skeleton, number: int, carrier: Block) -> Block:
        frame = find_effector(skeleton, self.b)
        return Block(
            kind,
            number,
            frame.joint,
            layout.HARD,
            fixed=rotate(frame.rotation, self.point_b),
            stretching=frame.offset,
            rotation=frame.rotation,
            carrier=carrier,
            hard=True,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Weld(Connect):
    """Hold two bones together rigidly, before all other goals.

    Args:
        a: Name of a joint or tip.
        b: Name of another.
        point_a: In the frame of `a`, xyz in the model's unit.
        point_b: In the frame of `b`.
        rotation: Rotation of the frame of `b` in that of `a`, wxyz; the identity by default.
    """

    _: KW_ONLY
    rotation: Any = IDENTITY_WXYZ

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"rotation of {self._what}"
        rotation = unit_quaternions(what, array(f"{what} (wxyz)", self.rotation, (4,)))
        self._set("rotation", tuple(rotation.tolist()))

    def lower(self, skeleton: Skeleton, number: int) -> list[Block]:
        """A block for the position, one for the orientation, and the carrier of the first bone."""
        carrier = On(self.a, self.point_a).carrier(skeleton, number, self.rotation)
        kinds = (layout.MEET, layout.ALIGN)
        return [*(self._closing(kind, skeleton, number, carrier) for kind in kinds), carrier]


def closing(loop: Loop) -> Connect:
    """The goal that holds a loop of a model together."""
    points: dict[str, Any] = {"point_a": loop.point_a, "point_b": loop.point_b}
    if loop.kind == "weld":
        return Weld(loop.a, loop.b, **points, rotation=loop.rotation)
    return Connect(loop.a, loop.b, **points)


def branches(skeleton: Skeleton, goal: Goal) -> set[int]:
    """The joints of both branches of a goal that closes a loop, below the joint where the branches meet."""
    chains: list[set[int]] = []
    for name in goal.effectors:
        joint, chain = find_effector(skeleton, name).joint, set()
        while joint >= 0:
            chain.add(joint)
            joint = int(skeleton.parents[joint])
        chains.append(chain)
    return chains[0] ^ chains[1]
