"""The state of one derivation: limits, counters, and what the rules produce."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from supple.apps.grammar.evaluate.assets import Assets, too_many_triangles
from supple.apps.grammar.evaluate.context import Context, ContextNeededError
from supple.apps.grammar.evaluate.joints import IKRule, JointRecord
from supple.apps.grammar.evaluate.lots import Lot
from supple.apps.grammar.evaluate.randomness import MASK_64_BITS, mixed
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.store import Row, Store
from supple.apps.grammar.evaluate.values import plain, written
from supple.apps.grammar.geometry.mesh import Geometry
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.language.definitions import Definitions
from supple.apps.grammar.language.errors import RuleError
from supple.apps.grammar.language.folders import Folders
from supple.errors import SuppleError, mapping, number, one_of, text, whole

SHAPES_PER_CLOCK_CHECK = 1024  # the time limit is checked this often; not tuned
CALLS_PER_CLOCK_CHECK = 64 * SHAPES_PER_CLOCK_CHECK
MOST_CALLS_NESTED = 500  # function calls; `recursion.RECURSION_LIMIT` makes room for them
MOST_CALLS_PER_SHAPE = 400_000  # not tuned
STAND_IN = "stand-in"
MISSING = ("error", STAND_IN)
MOST_NOTES = 1_000  # lines of a kind that are kept; not tuned


@dataclass(frozen=True)
class Limits:
    """Limits of a derivation; an error names the rule that exceeds one.

    Only the default of `triangles` is measured: writing a mesh takes up to 1 kB per triangle (at 1,000,000 triangles),
    so 3,000,000 of them fit a machine with 4 GB.

    Args:
        shapes: Number of shapes, those still to be derived included.
        depth: Depth of the shape tree.
        parts: Parts of one split.
        calls: Function calls in total.
        seconds: Time; None for no limit. The result never depends on it.
        lines: Printed lines that are kept.
        joints: Number of joints.
        triangles: Triangles of all geometry that shapes hold, with each asset or part counted once however many
            shapes share it; and triangles of the meshes and files that are written out, where each copy counts.
    """

    shapes: int = 2_000_000
    depth: int = 1_000
    parts: int = 200_000
    calls: int = 20_000_000
    seconds: float | None = 600.0
    lines: int = 10_000
    joints: int = 20_000
    triangles: int = 3_000_000

    def __post_init__(self) -> None:
        for name in ("shapes", "depth", "parts", "calls", "lines", "joints", "triangles"):
            whole(f"limits: {name}", getattr(self, name), least=1)
        if self.seconds is not None:
            number("limits: seconds", self.seconds, "a number from 0, or None", lambda x: x >= 0.0)


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True)
class Options:
    """The inputs of a derivation besides the rules.

    Args:
        folders: The folders that imports and assets may be in.
        seed: The seed of all random numbers.
        attributes: Attribute values by name.
        style: A style of the file, or "".
        size: Size of the initial shape; None for the start rule's @Size(x, y, z), else (1, 0, 1).
        lots: The initial shapes; None for one of that size.
        assets: Meshes by name.
        missing: What to do about a missing asset or import: "error" or "stand-in".
        stubs: Definitions for missing imports, by names with their prefixes.
        limits: Limits of the derivation.
        progress: Called at intervals with the number of shapes derived.
    """

    folders: Folders = Folders()
    seed: int = 0
    attributes: Mapping[str, Any] | None = None
    style: str = ""
    size: Any = None
    lots: Sequence[Lot] | None = None
    assets: Mapping[str, Any] | None = None
    missing: str = "error"
    stubs: Definitions | None = None
    limits: Limits | None = None
    progress: Callable[[int], None] | None = None


class Run:
    """The state of one derivation.

    Args:
        options: The inputs of the derivation.
        recording: Where to record the shapes of each lot for context queries; None to record nothing.
        recorded: The shapes of each lot recorded by an earlier derivation.
        began: Start time by `time.monotonic`; 0 to start the clock at the first shape.

    Attributes:
        store: The derived shapes.
        joints: The joints.
        ik_rules: The IK rules.
        reports: Values collected by `report`, by name.
        printed: Lines written by `print`.
        first: The initial shape.
        origin: The initial shape before any rule: what attributes are evaluated on.
        children: The shapes created by the current rule; a terminal shape as its stored row.
        given: Attribute values set by the caller, by name.
        notes: What stands in for missing assets, one line per file.
        incomplete: What is missing because rule files are, one line per file and name.
        productions: Compiled rules, by the id of their definition.
        geometries: The geometries that shapes hold, by identity; `count_geometry` adds to them.
        triangles: Triangles of all of them.
        value_stores: The evaluated values of each rule file in use, cleared at each new lot.
    """

    def __init__(
        self,
        options: Options,
        *,
        recording: list[Context] | None = None,
        recorded: list[Context] | None = None,
        began: float = 0.0,
    ) -> None:
        self.options = options
        self.limits = options.limits or DEFAULT_LIMITS
        self.seed = mixed(whole("seed", options.seed), 0)
        one_of("missing", options.missing, MISSING)
        self.notes: dict[str, None] = {}
        self.incomplete: dict[str, None] = {}
        stands_in = options.missing == STAND_IN
        self.assets = Assets(
            options.folders,
            options.assets or {},
            self.note if stands_in else None,
            most_triangles=self.limits.triangles,
        )
        self.given = _plain_attributes({} if options.attributes is None else options.attributes)
        self._recordings, self._records = recording, recorded
        self.recording: Context | None = None
        self.recorded: Context | None = None
        self.value_stores: list[dict[str, Any]] = []
        self._given_to_all = self.given
        self.began = began
        self.store = Store()
        self.joints: list[JointRecord] = []
        self.ik_rules: list[IKRule] = []
        self.reports: dict[str, list[Any]] = {}
        self.printed: list[str] = []
        self.children: list[Shape | Row] = []
        self.imports = 0
        self.calls = self.calls_open = self.calls_before = self.parts = 0
        self.productions: dict[int, Any] = {}
        self._kept: list[Geometry] = []
        self.geometries: set[Geometry] = set()
        self.triangles = 0
        self.first = Shape("", self.seed)
        self.origin = self.first

    def begin_lot(self, index: int, lot: Lot) -> None:
        """Start the derivation of a lot: its seed, its attributes and a new initial shape."""
        seed = whole("seed", self.options.seed) + index if lot.seed is None else lot.seed
        self.seed = mixed(seed, 0)
        if lot.attributes is not None:
            self.given = {**self._given_to_all, **_plain_attributes(lot.attributes)}
        else:
            self.given = self._given_to_all
        for values in self.value_stores:
            values.clear()
        self.recording = None if self._recordings is None else self._recordings[index]
        self.recorded = None if self._records is None else self._records[index]
        self.first = Shape("", self.seed)

    # Limits ---------------------------------------------------------------------------------------

    def check_time(self) -> None:
        """Raise if the time limit is exceeded."""
        seconds = self.limits.seconds
        if seconds is not None and time.monotonic() - self.began > seconds:
            raise SuppleError(f"the derivation took more than {seconds:g} s")

    def count_parts(self, count: int) -> None:
        """Count the parts of a split; parts may be empty and never become shapes."""
        self.parts += count
        limit = self.limits.shapes
        if len(self.children) + len(self.store) > limit:
            raise SuppleError(f"there are more than {limit:,} shapes")
        if self.parts > 4 * limit:
            raise SuppleError(f"shapes are split into more than {4 * limit:,} parts")
        self.check_time()

    def count_geometry(self, geometry: Geometry) -> None:
        """Count the triangles of a geometry that a shape begins to hold.

        Call it for geometries that are not in `geometries` yet: shared ones count once.

        Raises:
            SuppleError: All geometries together have more triangles than the limit.
        """
        self.geometries.add(geometry)
        self.triangles += geometry.triangle_count
        limit = self.limits.triangles
        if self.triangles > limit:
            raise too_many_triangles(
                f"the shapes hold {len(self.geometries):,} different geometries with {self.triangles:,} "
                f"triangles, the last of them {geometry.name!r} with {geometry.triangle_count:,}",
                limit,
            )

    def count_call(self, function: s.Function, path: str) -> None:
        """Count a function call, and stop endless recursion."""
        self.calls += 1
        self.calls_open += 1
        per_shape = self.calls - self.calls_before
        if (
            self.calls_open > MOST_CALLS_NESTED
            or per_shape > MOST_CALLS_PER_SHAPE
            or self.calls > self.limits.calls
        ):
            if self.calls_open > MOST_CALLS_NESTED:
                message = f"more than {MOST_CALLS_NESTED} nested function calls"
            elif per_shape > MOST_CALLS_PER_SHAPE:
                message = f"more than {MOST_CALLS_PER_SHAPE:,} function calls for one shape"
            else:
                message = f"more than {self.limits.calls:,} function calls"
            self.calls_open = 0
            raise RuleError(path, function.at, f"function {function.name}: {message}")
        if self.calls % CALLS_PER_CLOCK_CHECK == 0:
            self.check_time()

    # What the rules produce -----------------------------------------------------------------------

    def keep_leaf(self, shape: Shape) -> None:
        """Add a leaf "A." to the current shape of rule A, in the state of `shape`."""
        if shape.geometry not in self.geometries:
            self.count_geometry(shape.geometry)
        self.store.add_leaf(shape, f"{shape.name}.")
        shape.emit()
        if len(self.store) > self.limits.shapes:
            raise SuppleError(f"there are more than {self.limits.shapes:,} shapes")

    def print_value(self, value: Any) -> Any:
        """Add a line to `printed`, up to the limit; returns the value."""
        if len(self.printed) < self.limits.lines:
            self.printed.append(written(value))
        elif len(self.printed) == self.limits.lines:
            self.printed.append(f"... more than {self.limits.lines:,} lines")
        return value

    def note(self, line: str) -> None:
        """Note what stands in for a missing asset; equal lines count once."""
        if len(self.notes) < MOST_NOTES:
            self.notes[line] = None

    def note_incomplete(self, line: str) -> None:
        """Note what a missing rule file leaves out; equal lines count once."""
        if len(self.incomplete) < MOST_NOTES:
            self.incomplete[line] = None

    def hold(self, geometry: Geometry) -> None:
        """Keep a geometry alive as long as the derivation, so that its id stays unique."""
        self._kept.append(geometry)

    # Context queries ------------------------------------------------------------------------------

    def record(self, shape: Shape, label: str = "") -> None:
        """Record a shape in its current state for context queries, if rules use those.

        Both derivations mark the shape, so that its later parts are recognised as its own.
        """
        if self.recording is None and self.recorded is None:
            return
        shape.recorded += 1
        shape.line = (mixed(~shape.seed & MASK_64_BITS, shape.recorded), shape.line)
        if self.recording is not None:
            self.recording.add(shape, label)

    def context(self, target: str) -> Context | None:
        """The recorded shapes for "intra", "inter" or "all"; None if there are none to query.

        Raises:
            ContextNeededError: Nothing was recorded; the derivation must be repeated.
        """
        if self.recording is None and self.recorded is None:
            raise ContextNeededError
        # There is one initial shape, so no shape has another one: "inter" finds nothing.
        return None if target == "inter" else self.recorded


def _plain_attributes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Attribute values of the caller as values of the language."""
    mapping("attributes", given, "values by name")
    found = {}
    for name, value in given.items():
        text("name of an attribute", name)
        try:
            found[name] = plain(value)
        except SuppleError as error:
            raise SuppleError(f"attribute {name!r}: {error}") from None
    return found
