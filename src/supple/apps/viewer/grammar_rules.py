"""Grow CGA rules for the playground, and describe their attributes and targets for the page."""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.apps.data import rules as own_rules
from supple.apps.grammar import grow
from supple.apps.viewer.messages import (
    AttributeField,
    AttributeKind,
    GoalPlace,
    GoalSetup,
    Grown,
    GrownInfo,
    TargetInfo,
)
from supple.apps.viewer.uploads import without_folder
from supple.errors import SuppleError
from supple.solve.outcome import Status

if TYPE_CHECKING:
    from supple.apps.grammar import Growth
    from supple.apps.grammar.articulation.ik import Touch
    from supple.apps.grammar.evaluate.attributes import AttributeInfo

TITLES = {
    "figure": "Grown figure",
    "human": "Grown human",
    "lamp": "Desk lamp",
    "excavator": "Excavator",
    "street": "Robot street",
    "facade": "Town house",
}
MOST_SHAPES = 200_000  # of a derivation
MOST_JOINTS = 2_000  # of a derivation: the page draws and lists each
MOST_SECONDS = 20.0  # time limit of a derivation [s]
MOST_NUMBERS = 4  # longest array attribute that can be edited
SLIDER_STEPS = 200  # steps of a slider, if the rules do not state any
PRINTED_LINES = 4  # lines of `print` output to show
PREFIX = "target:"  # prefix of the ids of goals for IK rule targets


@dataclass(frozen=True)
class Rules:
    """A rule file.

    Attributes:
        path: The rule file.
        title: The title on the page.
        home: The folder of its imports and assets.
    """

    path: Path
    title: str
    home: Path


def own(name: str) -> Rules:
    """Rules that ship with supple."""
    path = own_rules(name)
    return Rules(path, TITLES[name], path.parent)


class Ended(NamedTuple):
    """How the IK rules of a growth ended, in the terms of a solve."""

    status: Status
    reason: str
    solver: str
    reached: bool
    error: float
    iterations: int


class GrownRules(NamedTuple):
    """A growth, and its description for the page.

    Attributes:
        growth: The growth.
        info: Editable attributes, and statistics.
        targets: The targets of the IK rules, as goals that can be dragged.
        places: Their positions.
    """

    growth: Growth
    info: GrownInfo
    targets: tuple[GoalSetup, ...]
    places: tuple[GoalPlace, ...]


def grown(rules: Rules, wanted: Grown) -> GrownRules:
    """Grow rules with the settings of the page.

    Raises:
        SuppleError: Growing failed; the message is "file:line:column: rule: ...", without the folder.
    """
    from supple.apps.grammar import Limits  # imports the parser: only for scenes with rules

    began = time.perf_counter()
    try:
        growth = grow(
            rules.path,
            folder=rules.home,
            start=wanted.start or None,
            seed=wanted.seed,
            attributes=wanted.attributes,
            targets=wanted.targets,
            limits=Limits(shapes=MOST_SHAPES, seconds=MOST_SECONDS, joints=MOST_JOINTS),
        )
    except SuppleError as error:
        raise SuppleError(without_folder(str(error), rules.home)) from error
    seconds = time.perf_counter() - began
    touches = _draggable(growth)
    info = GrownInfo(
        starts=list(growth.starts),
        start=growth.shapes[0].name,
        seed=wanted.seed,
        fields=[_field(one) for one in growth.attributes if _settable(one)],
        targets=[
            TargetInfo(id=_id(one), effector=one.effector, attribute=one.attribute)
            for one in touches
        ],
        shapes=len(growth.store),
        leaves=len(growth.leaves),
        seconds=seconds,
        printed=list(growth.printed[:PRINTED_LINES]),
    )
    targets = [GoalSetup(id=_id(one), kind="target", effector=one.effector) for one in touches]
    places = [GoalPlace(id=_id(one), position=tuple(one.target.tolist())) for one in touches]
    return GrownRules(growth, info, tuple(targets), tuple(places))


def _draggable(growth: Growth) -> list[Touch]:
    """The IK rules whose targets can be dragged; of those that share an attribute, the first reach."""
    found: dict[str, Touch] = {}
    for touch in growth.touches:
        key = touch.attribute or _id(touch)
        if key not in found or not found[key].goal.places:
            found[key] = touch
    return list(found.values())


def _id(touch: Touch) -> str:
    return f"{PREFIX}{touch.effector}"


def ended(growth: Growth) -> Ended | None:
    """How the IK rules ended, with the reason of the first that failed; None if there are none."""
    if not growth.touches:
        return None
    missed = [touch for touch in growth.touches if not touch.reached]
    worst = missed[0] if missed else growth.touches[0]
    solution = worst.solution
    reason = solution.reason
    if len(growth.touches) > 1:
        met = len(growth.touches) - len(missed)
        reason = f"{met} of {len(growth.touches)} IK rules touch their targets"
        reason += f"; {solution.reason}" if missed else ""
    return Ended(
        solution.status if missed else Status.REACHED,
        reason,
        solution.asked.solver,
        not missed,
        max(_miss(growth, touch) for touch in growth.touches),
        max(int(touch.solution.iterations) for touch in growth.touches),
    )


def _miss(growth: Growth, touch: Touch) -> float:
    """How far an effector is from its target in the pose that is shown."""
    if not touch.goal.places:
        return float(touch.solution.error)
    return float(np.linalg.norm(growth.pose.position(touch.effector) - touch.target))


# Attributes ---------------------------------------------------------------------------------------


def _settable(one: AttributeInfo) -> bool:
    """True if an attribute can be edited: not hidden, of a plain type or a short array."""
    numbers = isinstance(one.value, tuple) and all(isinstance(v, float) for v in one.value)
    plain = isinstance(one.value, (bool, float, str))
    return not one.hidden and (plain or numbers and 0 < len(one.value) <= MOST_NUMBERS)


def _field(one: AttributeInfo) -> AttributeField:
    value: Any = list(one.value) if isinstance(one.value, tuple) else one.value
    kind = _kind(one)
    least, greatest = _span(one) if kind == "number" else (None, None)
    step = one.step
    if step is None and least is not None and greatest is not None:
        step = _round_step((greatest - least) / SLIDER_STEPS)
    return AttributeField(
        name=one.name,
        kind=kind,
        value=value,
        least=least,
        greatest=greatest,
        step=step,
        choices=[c for c in one.choices if isinstance(c, (bool, float, str))],
        group=" · ".join(one.group),
        about=one.description,
    )


def _kind(one: AttributeInfo) -> AttributeKind:
    if one.choices:
        return "choice"
    if isinstance(one.value, bool):
        return "flag"
    if isinstance(one.value, tuple):
        return "numbers"
    if isinstance(one.value, str):
        return "color" if one.color or re.fullmatch("#[0-9a-fA-F]{6}", one.value) else "text"
    return "number"


def _span(one: AttributeInfo) -> tuple[float, float]:
    """The range of a slider: as the rules state, else 0 to twice the value; it includes the value."""
    value = float(one.value)
    twice = 2.0 * value or 10.0
    least = min(0.0, twice) if one.least is None else one.least
    greatest = max(0.0, twice) if one.greatest is None else one.greatest
    return min(least, value), max(greatest, value, least)


def _round_step(size: float) -> float:
    """The greatest 1, 2 or 5 times a power of ten not above a size; 0.01 if that is not positive."""
    if not size > 0.0 or not math.isfinite(size):
        return 0.01
    power = 10.0 ** math.floor(math.log10(size))
    return max(digit * power for digit in (1.0, 2.0, 5.0) if digit * power <= size * (1 + 1e-9))
