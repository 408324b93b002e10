"""The problems: mechanisms, targets that are the same in every run, and what counts as solved."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from contest import mechanisms
from contest.descriptions import mjcf, urdf
from contest.model import BALL, FREE, Model, forward, placed
from supple.errors import one_of, whole

CHAIN, POSE, PATH, POLE, BODY = "chain", "pose", "path", "pole", "body"
TIGHT_TOLERANCE = 1e-5  # m and rad


@dataclass(frozen=True)
class Asked:
    """A goal: what it asks of a tip.

    Attributes:
        tip: Its name.
        position: Whether its position counts.
        orientation: Whether its orientation counts.
    """

    tip: str
    position: bool = True
    orientation: bool = False


@dataclass(frozen=True, eq=False)
class Problem:
    """A mechanism, goals, and N targets for them.

    Attributes:
        name: What it is called.
        about: What it is, in a few words.
        kind: "chain", "pose", "path" (each target from the last answer), "pole" or "body".
        model: The mechanism.
        goals: G goals.
        targets: World frames of the tips, shape (N, G, 4, 4).
        start: Where every solve starts, shape (Q,).
        tolerance: How near counts as reached [m].
        turn_tolerance: How near in orientation counts as reached [rad].
        poles: World positions towards which the middle joint must bend, shape (N, 3), or None.
    """

    name: str
    about: str
    kind: str
    model: Model
    goals: tuple[Asked, ...]
    targets: np.ndarray
    start: np.ndarray
    tolerance: float
    turn_tolerance: float = TIGHT_TOLERANCE
    poles: np.ndarray | None = None

    def to_json(self) -> dict[str, Any]:
        """All that a solver needs, in several forms, so that none has to convert much."""
        hinged = self.model.hinged()
        free = any(part.motion == FREE for part in hinged.parts)
        starts = {"start": self.start, "hinged_start": _hinged_start(self.model, self.start)}
        data: dict[str, Any] = {
            "name": self.name,
            "about": self.about,
            "kind": self.kind,
            "model": self.model.to_json(),
            "goals": [vars(goal) for goal in self.goals],
            "targets": self.targets,
            "tolerance": self.tolerance,
            "turn_tolerance": self.turn_tolerance,
            "limited": bool(np.isfinite(self.model.limits).any()),
            "hinged_limits": np.clip(hinged.limits, -2 * math.pi, 2 * math.pi),
            "start_points": points(self.model, self.start[None])[0],
            "poles": self.poles,
            "urdf": None if free else urdf(hinged),
            "mjcf": mjcf(self.model),
        }
        return {key: _plain(value) for key, value in {**data, **starts}.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Problem:
        """The problem that `to_json` described."""
        return cls(
            data["name"],
            data["about"],
            data["kind"],
            Model.from_json(data["model"]),
            tuple(Asked(**goal) for goal in data["goals"]),
            np.array(data["targets"]),
            np.array(data["start"]),
            data["tolerance"],
            data["turn_tolerance"],
            None if data["poles"] is None else np.array(data["poles"]),
        )


def points(model: Model, q: np.ndarray) -> np.ndarray:
    """World positions of all parts and tips, shape (B, P, 3)."""
    return forward(model, q)[:, :, :3, 3]


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def _hinged_start(model: Model, start: np.ndarray) -> np.ndarray:
    """The start of `Model.hinged`; balls must stand at a turn about Z and then Y."""
    numbers: list[float] = []
    column = 0
    for part in model.parts:
        own = start[column : column + part.width].tolist()
        column += part.width
        if part.motion == BALL:
            w, x, y, z = own
            own = [math.atan2(2 * (w * z - x * y), 1 - 2 * (x * x + z * z)),
                   math.atan2(2 * (w * y - x * z), 1 - 2 * (x * x + y * y))]  # fmt: skip
        numbers += own
    return np.array(numbers)


# The problems -----------------------------------------------------------------------------------


def _two_bone(count: int) -> Problem:
    rng = np.random.default_rng(2)
    lengths = (1.0, 0.8)
    way = _directions(rng, count)
    least, most = lengths[0] - lengths[1] + 0.02, sum(lengths) - 0.02
    target = way * rng.uniform(least, most, (count, 1))
    aside = np.cross(way, _directions(rng, count))
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    poles = 2.0 * aside + way * rng.uniform(-0.5, 1.5, (count, 1))
    return Problem(
        "two-bone", "two bones and a pole", POLE, mechanisms.chain(lengths), (Asked("tip"),),
        _positions(target), np.tile([1.0, 0.0, 0.0, 0.0], 2), 1e-3 * sum(lengths), poles=poles,
    )  # fmt: skip


def _chain(links: int, count: int) -> Problem:
    """Targets uniform in the ball of 0.9 of the reach, from a start that is bent by a radian."""
    rng = np.random.default_rng([links, 3])
    target = _directions(rng, count) * 0.9 * links * rng.uniform(size=(count, 1)) ** (1 / 3)
    z, y = 0.5 / links, 0.15 / links  # halves of the angles about Z and then Y
    bend = [math.cos(z) * math.cos(y), -math.sin(z) * math.sin(y)]
    bend += [math.cos(z) * math.sin(y), math.sin(z) * math.cos(y)]
    return Problem(
        f"chain-{links}", f"{links} ball joints", CHAIN, mechanisms.chain([1.0] * links),
        (Asked("tip"),), _positions(target), np.tile(bend, links), 1e-3 * links,
    )  # fmt: skip


def _plane(count: int) -> Problem:
    rng = np.random.default_rng([5, 2, 1])
    limit = math.pi / 3
    model = mechanisms.chain([1.0] * 5, "z", limit=limit)
    target = points(model, rng.uniform(-limit, limit, (count, 5)))[:, -1]
    return Problem(
        "plane-5-limits", "5 hinges in a plane, limits of 60 degrees", CHAIN, model,
        (Asked("tip"),), _positions(target), np.full(5, 0.2), 5e-3,
    )  # fmt: skip


def _pose(name: str, about: str, model: Model, start: np.ndarray, count: int) -> Problem:
    """Poses of random joint vectors inside the limits."""
    rng = np.random.default_rng(model.width)
    q = rng.uniform(model.limits[:, 0], model.limits[:, 1], (count, model.width))
    targets = forward(model, q)[:, -1:]
    asked = (Asked("tip", orientation=True),)
    return Problem(name, about, POSE, model, asked, targets, start, TIGHT_TOLERANCE)


def _panda(count: int) -> Problem:
    model = mechanisms.panda()
    middle = model.limits.mean(axis=1)
    return _pose("panda-pose", "an arm of 7 hinges, position and orientation", model, middle, count)


def _ur5(count: int) -> Problem:
    # At mid-range its arm is stretched and its wrist aligned: singular, and so no fair start.
    start = 0.3 * np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    about = "an arm of 6 hinges, position and orientation"
    return _pose("ur5-pose", about, mechanisms.ur5(), start, count)


def _track(count: int) -> Problem:
    """A circle of 0.15 m that tilts by 0.2 rad going round, through the arm's mid-range."""
    model = mechanisms.panda()
    middle = model.limits.mean(axis=1)
    first = forward(model, middle[None])[0, -1]
    targets = np.empty((count, 1, 4, 4))
    for k, a in enumerate(np.linspace(0.0, 2 * math.pi, count)):
        tilt = placed((0.0, 0.0, 0.0), (0.2 * math.sin(a), 0.2 * (math.cos(a) - 1), 0.0))
        targets[k, 0] = first @ tilt
        targets[k, 0, :3, 3] += (0.0, 0.15 * math.sin(a), 0.15 * (math.cos(a) - 1))
    asked = (Asked("tip", orientation=True),)
    return Problem(
        "panda-track",
        "the same arm round a circle",
        PATH,
        model,
        asked,
        targets,
        middle,
        TIGHT_TOLERANCE,
    )


def _body(count: int) -> Problem:
    """Both hands somewhere, the head turned, both feet where they stand; pelvis free."""
    rng = np.random.default_rng(65)
    model = mechanisms.body()
    names = [part.name for part in model.parts]
    columns = dict(zip(names, np.cumsum([0, *(part.width for part in model.parts)]), strict=False))
    start = np.zeros(model.width)
    start[:7] = (0.0, 0.95, 0.0, 1.0, 0.0, 0.0, 0.0)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        start[columns[f"{side} upperarm"] + 2] = -0.9 * sign
        start[columns[f"{side} forearm"]] = -0.5 * sign
        start[columns[f"{side} thigh"]] = -0.3
        start[columns[f"{side} shin"]] = 0.6
        start[columns[f"{side} foot"]] = -0.3
    moving = [c for name in names[1:] for c in _own(columns, model, name) if _above_waist(name)]
    lo, hi = model.limits[moving].T
    q = np.tile(start, (count, 1))
    some = rng.uniform(-0.35, 0.35, (count, len(moving))) * (hi - lo)
    q[:, moving] = np.clip(q[:, moving] + some, lo, hi)
    q[:, :3] += rng.uniform(-0.06, 0.06, (count, 3))
    asked = (
        Asked("left palm"), Asked("right palm"), Asked("left sole", orientation=True),
        Asked("right sole", orientation=True), Asked("face", position=False, orientation=True),
    )  # fmt: skip
    places = [model.names.index(goal.tip) for goal in asked]
    targets = forward(model, q)[:, places]
    targets[:, 2:4] = forward(model, start[None])[0, places[2:4]]
    return Problem(
        "full-body", "65 joints, 5 goals, limits", BODY, model, asked, targets, start, 1e-3, 1e-3
    )


def _own(columns: Mapping[str, Any], model: Model, name: str) -> range:
    width = next(part.width for part in model.parts if part.name == name)
    return range(columns[name], columns[name] + width)


def _above_waist(name: str) -> bool:
    return not any(word in name for word in ("thigh", "shin", "foot", "toe", "pelvis"))


def _directions(rng: np.random.Generator, count: int) -> np.ndarray:
    way = rng.normal(size=(count, 3))
    return way / np.linalg.norm(way, axis=1, keepdims=True)


def _positions(target: np.ndarray) -> np.ndarray:
    frames = np.tile(np.eye(4), (len(target), 1, 1, 1))
    frames[:, 0, :3, 3] = target
    return frames


PROBLEMS: dict[str, Callable[[int], Problem]] = {
    "two-bone": _two_bone,
    "chain-5": lambda count: _chain(5, count),
    "chain-30": lambda count: _chain(30, count),
    "chain-100": lambda count: _chain(100, count),
    "plane-5-limits": _plane,
    "panda-pose": _panda,
    "ur5-pose": _ur5,
    "panda-track": _track,
    "full-body": _body,
}


def problem(name: str, *, targets: int = 1000) -> Problem:
    """A problem by name, with so many targets; always the same.

    Raises:
        SuppleError: There is no such problem, or no targets.
    """
    one_of("problem", name, tuple(PROBLEMS))
    return PROBLEMS[name](whole("targets", targets, least=1))
