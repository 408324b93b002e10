"""Goals and constraints as text, for options of commands and keys of plans.

Loops, collisions and balance come before all goals and are collected in `Constraints`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from supple.apps.character.character import Character
from supple.errors import SuppleError, one_of
from supple.goals.avoid import Avoid, Box, Plane
from supple.goals.balance import Balance
from supple.goals.goal import Goal
from supple.goals.look_at import LookAt
from supple.goals.loops import Connect, On, Weld
from supple.model.skeleton import Pose, Skeleton
from supple.rotations import axis_vector
from supple.texts import named, vector

if TYPE_CHECKING:
    from supple.model.capsules import Capsule

OBSTACLES = "plane:X,Y,Z:NORMAL, box:CENTER:SIZE[:W,X,Y,Z] or capsule:FROM:TO:RADIUS"


@dataclass(frozen=True)
class Constraints:
    """Constraints, which come before all goals.

    Attributes:
        avoid: The least distance that bones keep from each other and from obstacles, model units; None if
            they may touch.
        obstacles: Obstacles in the world, as text, see `obstacle`. Without `avoid` the least distance is 0.
        balance: Joints or tips that stand on the ground; separated by commas, or one each.
        balance_margin: The least distance of the centre of mass from the edge of the support.
        connect: Pairs "A,B" of joints or tips that are held together at their origins.
        weld: Pairs "A,B" whose frames are held together.
    """

    avoid: float | None = None
    obstacles: tuple[str, ...] = ()
    balance: tuple[str, ...] = ()
    balance_margin: float = 0.0
    connect: tuple[str, ...] = ()
    weld: tuple[str, ...] = ()

    def check(self, option: Callable[[str], str]) -> None:
        """Raise if the values are inconsistent.

        Args:
            option: The user's name of an attribute, such as "--balance-margin".
        """
        if self.balance_margin and not self.balance:
            margin, feet = option("balance_margin"), option("balance")
            raise SuppleError(f"{margin}: expected {feet} FOOT,FOOT as well")

    @property
    def any(self) -> bool:
        """True if there is any constraint."""
        return self.avoid is not None or bool(self.obstacles or self.balance or self.frees)

    @property
    def frees(self) -> bool:
        """True if the constraints free joints without any other goal."""
        return bool(self.connect or self.weld)

    def names(self, known: Iterable[str]) -> tuple[str, ...]:
        """The joints and tips that are named, among those of a model."""
        known = tuple(known)
        pairs = [pair("connect or weld", text, known) for text in (*self.connect, *self.weld)]
        return (*(name for two in pairs for name in two), *self._feet(known))

    def goals(self, character: Character) -> list[Goal]:
        """The goals for a character, whose skeleton must have masses for `balance`; see `weighed`."""
        known = character.skeleton.names
        goals: list[Goal] = [Connect(*pair("connect", text, known)) for text in self.connect]
        goals += [Weld(*pair("weld", text, known)) for text in self.weld]
        if self.avoid is not None or self.obstacles:
            own, capsules = character.skeleton.capsules, character.capsules
            goals.append(
                Avoid(
                    self.avoid or 0.0,
                    obstacles=[obstacle(text) for text in self.obstacles],
                    capsules=None if capsules is own else capsules,
                )
            )
        if self.balance:
            feet = self._feet(known)
            goals.append(Balance(feet, margin=self.balance_margin, up=character.up))
        return goals

    def _feet(self, known: tuple[str, ...]) -> tuple[str, ...]:
        feet = []
        for text in self.balance:
            parts = [text] if text in known else text.split(",")
            feet += [one_of("foot to balance on", part, known) for part in parts]
        return tuple(feet)

    def weighed(self, character: Character) -> Character:
        """The character, with masses from the volume of its capsules if balance needs them."""
        if not self.balance or character.skeleton.masses is not None:
            return character
        return character.with_masses()


def same_pose(pose: Pose, skeleton: Skeleton) -> Pose:
    """A pose on a skeleton that differs in masses and capsules only."""
    if pose.skeleton == skeleton:
        return pose
    return Pose(skeleton, pose.coordinates, pose.translations, pose.scales)


def pair(what: str, text: str, known: Iterable[str]) -> tuple[str, str]:
    """Parse "A,B", two of the known names, which may have commas themselves."""
    known = tuple(known)
    commas = [k for k, letter in enumerate(text) if letter == ","]
    for k in commas:
        if text[:k] in known and text[k + 1 :] in known:
            return text[:k], text[k + 1 :]
    if len(commas) != 1:
        raise SuppleError(f"{what}: expected two names, A,B, got {text!r}")
    a, _, b = text.partition(",")
    return one_of(f"joint or tip to {what}", a, known), one_of(f"joint or tip to {what}", b, known)


def obstacle(text: str) -> Plane | Box | Capsule:
    """Parse an obstacle: "plane:0,0,0:z", "box:0.5,0,0.2:0.4,0.8,0.4" or "capsule:0,0,0:0,0,1:0.1".

    A plane is solid on the other side of its normal, an axis or a vector; sizes are from side to side.
    """
    kind, *parts = text.split(":")
    one_of("kind of obstacle", kind, ("plane", "box", "capsule"))
    wanted = {"plane": (1, 2), "box": (2, 3), "capsule": (3, 3)}[kind]
    if not wanted[0] <= len(parts) <= wanted[1]:
        raise SuppleError(f"obstacle: expected {OBSTACLES}, got {text!r}")
    if kind == "plane":
        return Plane(_numbers(text, parts[0]), _normal(text, parts[1] if parts[1:] else "z"))
    if kind == "box":
        return Box(*(_numbers(text, part) for part in parts))
    from supple.model.capsules import Capsule  # not needed without one

    a, b, (radius, *more) = (_numbers(text, part) for part in parts)
    if more:
        raise SuppleError(f"obstacle {text!r}: expected one number as the radius")
    return Capsule(a, b, radius)


def _normal(text: str, part: str) -> Any:
    if "," not in part:
        return axis_vector(part, what=f"normal of obstacle {text!r}")
    return _numbers(text, part)


def _numbers(text: str, part: str) -> list[float]:
    try:
        return [float(one) for one in part.split(",")]
    except ValueError:
        raise SuppleError(
            f"obstacle {text!r}: expected numbers with commas, got {part!r}"
        ) from None


def effector_or_only_tip(skeleton: Skeleton, name: str | None, *, what: str = "--effector") -> str:
    """Check the name of an effector; without a name, return the only tip.

    Args:
        skeleton: The skeleton.
        name: The effector, if one is given.
        what: The user's name of the option or key.
    """
    if name is not None:
        return one_of("effector", name, skeleton.names)
    tips = skeleton.tip_names
    if len(tips) != 1:
        some = ", ".join((tips or skeleton.joint_names)[:6])
        raise SuppleError(
            f"{what}: the model has {len(tips)} tips; expected a name, such as {some}"
        )
    return tips[0]


def look_at_goal(skeleton: Skeleton, text: str, *, what: str = "--look-at") -> LookAt:
    """Parse NAME=X,Y,Z or NAME=BONE, followed by @AXIS for another axis than x.

    Args:
        skeleton: The skeleton.
        text: The goal.
        what: The user's name of the option or key.
    """
    name, at = named(what, text, "NAME=X,Y,Z or NAME=BONE")
    point, _, axis = (at, "", "") if at in skeleton else at.partition("@")
    target = On(point) if point in skeleton else vector(what, point, "X,Y,Z")
    return LookAt(name, target, axis=axis or "x")
