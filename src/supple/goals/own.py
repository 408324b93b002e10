"""Custom goals: a residual in a few lines of Python, over the world frames of joints and tips."""

from __future__ import annotations

import functools
import string
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, overload

import numpy as np

from supple import plugins
from supple.errors import SuppleError, array, brief, flag, listed, one_of, positive, text, whole
from supple.errors import function as check_function
from supple.goals.goal import OPEN, Block, Goal, check_depth, kept
from supple.goals.own_function import OwnFunction
from supple.kernels import layout
from supple.model.effector import find_effector
from supple.model.skeleton import Skeleton

UNITS = {"length": layout.OWN_LENGTH, "angle": layout.OWN_ANGLE, "number": layout.OWN_NUMBER}
ARGUMENTS = ("frames", "values", "out")  # of a residual and of its Jacobian
REASON = "{goal} of {frames} is off by {error}"
WORDS = ("goal", "frames", "error")  # what a reason may mention
TANGENTS = ("x", "y", "z", "the turn about x", "the turn about y", "the turn about z")


@dataclass(frozen=True)
class JacobianCheck:
    """How a Jacobian is checked: by central differences, at the start's frames and at frames moved from there.

    Attributes:
        step: The step of the differences [parts of the largest coordinate, rad].
        tolerance: A greater difference is a mistake [parts of 1 + the largest derivative of the row].
        displacement: How far frames are moved for further checks [parts of the largest coordinate, rad].
    """

    step: float = 1e-5
    tolerance: float = 1e-4
    displacement: float = 0.4


CHECK = JacobianCheck()


class GoalFunction:
    """The result of `@supple.goal`: called with names of frames, it returns goals.

    Attributes:
        name: Name of the function.
        rows: Number of rows of its residual.
        unit: "length", "angle" or "number".
        values: Number of values that it takes.
        reason: The words of `Solution.reason`.
        residual: The plain function.
        jacobian: The plain function of its derivatives, None to compute them by differences.
    """

    __name__: str
    __qualname__: str

    def __init__(
        self,
        residual: Callable[..., Any],
        *,
        rows: int,
        unit: str,
        values: int,
        reason: str | None,
        jacobian: Callable[..., Any] | None,
        compiled: bool,
    ) -> None:
        """See `goal`."""
        check_function("goal", getattr(residual, "py_func", residual), *ARGUMENTS)
        functools.update_wrapper(self, residual)
        self.name = getattr(residual, "__name__", type(residual).__name__)
        what = f"goal {self.name!r}"
        self.rows = whole(f"rows of {what}", rows, least=1)
        self.values = whole(f"values of {what}", values)
        self.unit = one_of(f"unit of {what}", unit, UNITS)
        self.reason = _checked_reason(what, reason)
        self.residual = _checked_signature(what, "function", residual)
        self.jacobian = None if jacobian is None else _checked_signature(what, "jacobian", jacobian)
        self._compiled = flag(f"compiled of {what}", compiled)
        self._function: OwnFunction | None = None
        self._lock = threading.Lock()
        self._checked: set[int] = set()  # numbers of frames with which it has been tested

    def __call__(
        self,
        frames: str | Iterable[str],
        values: Any = None,
        *,
        weight: float = 1.0,
        tolerance: float | None = None,
        root: str | None = None,
        depth: int = 0,
    ) -> OwnGoal:
        """Make a goal.

        Args:
            frames: Name of a joint or tip, or several: the function takes their world transforms.
            values: Values for the function, shape (..., values); OPEN by default, to be given to a prepared
                problem.
            weight: Weight against other goals if not all can be met.
            tolerance: Error that counts as reached, in the goal's unit. By default that of the solve: for
                lengths 1e-4 of the chain, for angles 1e-4 rad; for numbers 1e-4.
            root: The topmost joint that may move, above all frames. Without root and depth, all joints up to
                the skeleton's root may.
            depth: Number of joints that may move, of those that can move a frame, counted from each frame;
                0 = to the skeleton's root.
        """
        return OwnGoal(
            self, frames, values, weight=weight, tolerance=tolerance, root=root, depth=depth
        )  # type: ignore[arg-type]

    @property
    def function(self) -> OwnFunction:
        """The function that kernels call, made on first use."""
        with self._lock:
            if self._function is None:
                self._function = OwnFunction(
                    self.name, self.rows, self.residual, self.jacobian, compiled=self._compiled
                )
            return self._function

    def evaluate(self, frames: np.ndarray, values: np.ndarray) -> np.ndarray:
        """The residual of world transforms (N, 4, 4) by the plain function, shape (rows,)."""
        out = np.full(self.rows, np.nan)
        self._run(self.residual, "", frames, values, out)
        return out

    def is_checked(self, count: int) -> bool:
        """True if it has been tested with this number of frames."""
        return count in self._checked

    def check(self, names: tuple[str, ...], frames: np.ndarray, values: np.ndarray) -> None:
        """Test the function, and compare its Jacobian with differences.

        Args:
            names: Names of the frames.
            frames: World transforms, shape (N, 4, 4).
            values: Its values, shape (values,).

        Raises:
            SuppleError: It raises, writes beyond its rows, does not fill them all, or returns NaN or infinity; or
                its Jacobian is wrong.
        """
        out = self.evaluate(frames, values)
        if not np.isfinite(out).all():
            row = int(np.argmin(np.isfinite(out)))
            raise SuppleError(
                f"goal {self.name!r}: expected it to fill out, shape {out.shape}, with finite numbers, got "
                f"{out[row]:g} in row {row}, or nothing"
            )
        if self.jacobian is not None:
            for number in range(3):
                self._check_jacobian(names, _moved(frames, number), values)
        self._checked.add(len(names))

    def _check_jacobian(
        self, names: tuple[str, ...], frames: np.ndarray, values: np.ndarray
    ) -> None:
        given = np.full((self.rows, len(names), 6), np.nan)
        self._run(self.jacobian, "its jacobian: ", frames, values, given)
        here = self.evaluate(frames, values)
        size = max(float(np.abs(frames[:, :3, 3]).max(initial=0.0)), 1.0)
        for n, name in enumerate(names):
            for k in range(6):
                step = CHECK.step * (size if k < 3 else 1.0)
                ahead, behind = (
                    self.evaluate(_nudged(frames, n, k, sign * step), values) for sign in (1, -1)
                )
                # At a kink the slope of either side is accepted.
                slopes = np.array((ahead - behind, 2 * (ahead - here), 2 * (here - behind)))
                slopes /= 2.0 * step
                if np.isnan(slopes).any():
                    continue  # the residual is undefined nearby: nothing to compare with
                apart = np.abs(slopes - given[:, n, k])
                scale = 1.0 + np.abs(slopes).max(axis=0)
                wrong = ~(apart.min(axis=0) <= CHECK.tolerance * scale)
                if wrong.any():
                    row = int(np.argmax(wrong))
                    raise SuppleError(
                        f"goal {self.name!r}: its jacobian is wrong: of row {row} by {TANGENTS[k]} of frame {n} "
                        f"({name!r}) it gives {given[row, n, k]:.6g}, differences give {slopes[0, row]:.6g}"
                    )

    def _run(
        self,
        function: Any,
        what: str,
        frames: np.ndarray,
        values: np.ndarray,
        out: np.ndarray,
    ) -> None:
        frames, values = kept(frames), kept(values)
        try:
            with np.errstate(all="ignore"):
                getattr(function, "py_func", function)(frames, values, out)
        except Exception as error:
            raise SuppleError(
                f"goal {self.name!r}: {what}it raised {type(error).__name__}: {error}; it is given frames "
                f"{frames.shape} and values {values.shape}, which it may not change, and fills out, {out.shape}"
            ) from error

    def __repr__(self) -> str:
        return f"<goal {self.name}: {self.rows} rows, {self.values} values; call it with names of frames>"

    def __reduce__(self) -> str:
        found: Any = sys.modules.get(self.__module__)
        for part in self.__qualname__.split("."):
            found = getattr(found, part, None)
        if found is not self:
            raise SuppleError(
                f"goal {self.name!r}: its function cannot be sent to another process or kept in a file, since "
                f"{self.__module__}.{self.__qualname__} is not it; define it at the top of a module"
            )
        return self.__qualname__


def _checked_signature(what: str, part: str, function: Any) -> Any:
    """A function that can be called with (frames, values, out)."""
    check_function(f"{part} of {what}", getattr(function, "py_func", function), *ARGUMENTS)
    return function


def _checked_reason(what: str, reason: str | None) -> str:
    if reason is None:
        return REASON
    text(f"reason of {what}", reason)
    try:
        fields = [part[1:] for part in string.Formatter().parse(reason) if part[1] is not None]
    except ValueError as error:
        raise SuppleError(f"reason of {what}: {error}: {reason!r}") from None
    for name, spec, conversion in fields:
        one_of(f"field in the reason of {what}", name, WORDS)
        if spec or conversion:
            raise SuppleError(
                f"reason of {what}: expected {{{name}}} without a format, got {brief(reason)}"
            )
    return reason


def _nudged(frames: np.ndarray, n: int, k: int, step: float) -> np.ndarray:
    """Frames with the n-th moved along direction k of its tangent space."""
    moved = frames.copy()
    if k < 3:
        moved[n, k, 3] += step
        return moved
    i, j = (k + 1) % 3, (k + 2) % 3
    a, b = frames[n, i, :3], frames[n, j, :3]
    moved[n, i, :3] = np.cos(step) * a - np.sin(step) * b
    moved[n, j, :3] = np.sin(step) * a + np.cos(step) * b
    return moved


def _moved(frames: np.ndarray, number: int) -> np.ndarray:
    """Frames moved and rotated a little, deterministically; number 0 leaves them unchanged."""
    size = max(float(np.abs(frames[:, :3, 3]).max(initial=0.0)), 1.0)
    for n in range(len(frames)):
        for k in range(6):
            amount = CHECK.displacement * (
                (0.618 * number * (6 * n + k + 1)) % 1.0 - 0.5 * (number > 0)
            )
            frames = _nudged(frames, n, k, amount * (size if k < 3 else 1.0))
    return frames


@dataclass(frozen=True, eq=False, repr=False)
class OwnGoal(Goal):
    """A goal that a custom function defines. Call a `supple.goal` function to make one."""

    frees: ClassVar[bool] = True

    function: GoalFunction
    frames: Any
    values: Any = None
    weight: float = 1.0
    tolerance: float | None = None
    root: str | None = None
    depth: int = 0

    def __post_init__(self) -> None:
        name, given = self.function.name, self.frames
        expected = "the name of a joint or tip, or several"
        one = isinstance(given, str)
        names = (given,) if one else tuple(listed(f"frames of {name!r}", given, expected))
        if not names or not all(isinstance(one, str) for one in names):
            raise SuppleError(f"frames of {name!r}: expected {expected}, got {brief(given)}")
        self._set("frames", names)
        self._set("depth", check_depth(self.effector_name, self.depth, self.root))
        self._check_weight()
        if self.tolerance is not None:
            self._set("tolerance", positive(f"tolerance of {name!r}", self.tolerance))
        values = self.values
        if values is None:
            values = OPEN if self.function.values else ()
        if values is not OPEN:
            values = check_values(name, self.function.values, values)
            values = kept(values) if self.function.values else ()
        self._set("values", values)

    @property
    def effector_name(self) -> str:
        """The names of all frames."""
        return " and ".join(self.frames)

    @property
    def called(self) -> str:
        """The name of its function."""
        return self.function.name

    @property
    def block_kind(self) -> int:
        """The kind of its residual blocks, by its unit."""
        return UNITS[self.function.unit]

    @property
    def effectors(self) -> tuple[str, ...]:
        """The names of the frames."""
        return self.frames

    @property
    def slots(self) -> tuple[str, ...]:
        """The values, if it has any."""
        return ("values",) * (self.function.values > 0)

    def check_slot(self, slot: str, value: Any) -> np.ndarray:
        """Values as an array (..., values), checked."""
        del slot
        return check_values(self.function.name, self.function.values, value)

    @property
    def kinds(self) -> tuple[str, ...]:
        """A custom goal."""
        return ("own",)

    @property
    def reason(self) -> str:
        """The words of `Solution.reason`, with {error} left open; other braces are doubled."""
        words = {"goal": self.function.name, "frames": self.effector_name, "error": "\0"}
        said = self.function.reason.format(**words)
        return said.replace("{", "{{").replace("}", "}}").replace("\0", "{error}")

    def lower(self, skeleton: Skeleton, number: int) -> list[Block]:
        """A block for every three rows, and a carrier for every frame."""
        found = [find_effector(skeleton, name) for name in self.frames]
        frames = tuple(
            Block(
                layout.CARRIER,
                number,
                frame.joint,
                1.0,
                stretching=frame.offset,
                rotation=frame.rotation,
                part=n,
            )
            for n, frame in enumerate(found)
        )
        name = f"{self.function.__module__}.{self.function.__qualname__}"
        blocks = [
            Block(
                self.block_kind,
                number,
                found[0].joint,
                float(np.sqrt(self.weight)),
                stretching=found[0].offset,
                rotation=found[0].rotation,
                target=self.values,
                tolerance=self.tolerance or 0.0,
                frames=frames,
                part=part,
                title=(name, *self.frames),
                size=0 if part else self.function.values,
            )
            for part in range(-(-self.function.rows // 3))
        ]
        for frame in frames:
            frame.serves = blocks[0]
        return [*blocks, *frames]

    def __repr__(self) -> str:
        """As source code, without arguments at their default."""
        shown = [repr(self.frames[0] if len(self.frames) == 1 else list(self.frames))]
        if isinstance(self.values, np.ndarray):
            numbers = (
                self.values.tolist() if self.values.size <= 16 else f"<shape {self.values.shape}>"
            )
            shown.append(f"values={numbers}")
        for field in fields(self)[3:]:
            value = getattr(self, field.name)
            if value != field.default:
                shown.append(f"{field.name}={value!r}")
        return f"{self.function.name}({', '.join(shown)})"


def check_values(name: str, count: int, values: Any) -> np.ndarray:
    """The values of a goal as an array (..., count), checked; a single one may be given as a number."""
    if count == 1 and np.ndim(values) == 0:
        values = (values,)
    return array(f"values of {name!r}", values, (..., count))


@overload
def goal(residual: Callable[..., Any], /) -> GoalFunction: ...
@overload
def goal(
    *,
    rows: int = 1,
    unit: str = "length",
    values: int = 0,
    reason: str | None = None,
    jacobian: Callable[..., Any] | None = None,
    compiled: bool = True,
) -> Callable[[Callable[..., Any]], GoalFunction]: ...
def goal(
    residual: Callable[..., Any] | None = None,
    /,
    *,
    rows: int = 1,
    unit: str = "length",
    values: int = 0,
    reason: str | None = None,
    jacobian: Callable[..., Any] | None = None,
    compiled: bool = True,
) -> Any:
    """Make a goal from a function: a residual that the solvers bring to zero.

    The function takes `(frames, values, out)` and writes the residual into `out`, shape (rows,): zero where the goal
    is met. `frames` are world transforms of the joints and tips that the goal names, shape (N, 4, 4); `values`
    are the goal's values, shape (values,). It must not change these, and must depend on nothing else. Calling its
    name makes goals, to be used beside `Reach` and the others::

        @supple.goal(values=1, reason="the hands are {error} off level")
        def level(frames, values, out):
            out[0] = frames[0, 2, 3] - frames[1, 2, 3] - values[0]

        supple.solve(body, [level(["hand.L", "hand.R"], (0.0,)), supple.Reach("hand.L", target)])

    If Numba is installed, the function alone is compiled on first use; otherwise, or if Numba cannot
    compile it, it runs as Python. Globals that it reads, such as constants of its module, keep the value that they
    have when it is compiled.

    Args:
        residual: The function, if it is decorated without arguments.
        rows: Number of rows of the residual.
        unit: Unit of the residual: "length" (model units), "angle" (rad) or "number". It decides how the goal is
            weighed against others, and its default tolerance.
        values: Number of values that the goal takes.
        reason: The words of `Solution.reason` if it is missed; may contain {error}, {frames} and {goal}.
        jacobian: A function `(frames, values, out)` that writes the derivatives of the residual, shape
            (rows, N, 6): by the world translation of each frame, then by its rotation about the world's axes
            through the frame's own origin. By differences if it is not given. Compared with differences on
            first use.
        compiled: Whether to compile it if Numba is installed.

    Raises:
        SuppleError: An argument, or the signature of the function, is invalid.
    """

    def make(function: Callable[..., Any]) -> GoalFunction:
        return GoalFunction(
            function,
            rows=rows,
            unit=unit,
            values=values,
            reason=reason,
            jacobian=jacobian,
            compiled=compiled,
        )

    return make if residual is None else make(residual)


def named(name: str) -> GoalFunction:
    """The goal of another package by the name of its entry point, in the group `supple.goals`; case is ignored.

    Raises:
        SuppleError: The name is unknown, or the goal cannot be loaded.
    """
    known = plugins.entries(plugins.GOALS)
    for one, entry in known.items():
        if isinstance(name, str) and one.casefold() == name.casefold():
            return plugins.load(entry, GoalFunction)
    one_of("goal", name, list(known))
    raise AssertionError  # one_of has raised
