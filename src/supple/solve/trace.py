"""The trace of a solve: every iteration's pose and error, and the steps inside them.

An iteration is one sweep over a chain or one Newton step. A step is the change of one joint
inside an iteration: it turned (by a small tangent vector) or, in FABRIK's passes, was moved to a
point. Traces save to a JSON file that can be replayed without solving again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple import files, rotations
from supple.errors import SuppleError, array
from supple.kernels import layout as at
from supple.model.coordinates import follow
from supple.model.skeleton import Pose, Skeleton, check_format
from supple.solve.outcome import counted

if TYPE_CHECKING:
    from supple.model.freedoms import JointRows

FORMAT = "supple-trace"
FORMAT_VERSION = 1


class Step(NamedTuple):
    """One step inside an iteration.

    Attributes:
        iteration: The iteration it belongs to, counted from 1.
        joint: The joint's name; "" if an effector was moved to a point.
        placed: True if the joint was moved to a point (FABRIK's passes); else it turned.
        change: The point, world xyz, shape (3,); or the change of its coordinates, shape (7,):
            up to six tangent components (a ball's rotation vector in its rest frame, a hinge's angle,
            ...) and the change of its stretch.
    """

    iteration: int
    joint: str
    placed: bool
    change: np.ndarray


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Trace:
    """The iterations and steps of a solve. Traces compare by content.

    Attributes:
        skeleton: The skeleton.
        coordinates: The pose before the first and after every iteration, shape (iterations + 1, Q).
            The first is the start, projected into its limits; the last is the answer, which is the
            best pose seen.
        errors: Largest distance of the counted goals in each, model units, shape (iterations + 1,).
        orientation_errors: Largest angle of the counted goals in each [rad], shape (iterations +
            1,).
        events: The steps, packed, shape (steps, 10); `steps` reads them.
        solver: The solver's name.
        goals: Target positions for drawing, world, {effector: (3,)}.
        translations: The start's offsets of the joints, shape (N, 3), if it has any.
        scales: The start's scales, shape (N, 3), if it has any.
    """

    skeleton: Skeleton
    coordinates: np.ndarray
    errors: np.ndarray
    orientation_errors: np.ndarray
    events: np.ndarray
    solver: str
    goals: dict[str, np.ndarray]
    translations: np.ndarray | None = None
    scales: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.coordinates)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace):
            return NotImplemented
        return self.to_json() == other.to_json()

    def __repr__(self) -> str:
        iterations = counted(len(self) - 1, "iteration")
        steps = counted(len(self.events), "step")
        return (
            f"Trace({self.solver}: {iterations}, {steps}; "
            f"error {self.errors[0]:.3g} to {self.errors[-1]:.3g})"
        )

    def _repr_html_(self) -> str:
        from supple.model.sketch import captioned  # pictures: not before they are looked at

        return captioned(self.poses, repr(self))

    @property
    def poses(self) -> Pose:
        """The pose before the first and after every iteration, as one batch."""
        return self._pose(self.coordinates)

    def _pose(self, coordinates: np.ndarray) -> Pose:
        return Pose._wrap(self.skeleton, coordinates.copy(), self.translations, self.scales)

    @property
    def steps(self) -> list[Step]:
        """The steps inside the iterations, in order."""
        return [self._step(row) for row in self.events]

    def _step(self, row: np.ndarray) -> Step:
        placed = row[at.V_KIND] == at.PLACED
        joint = int(row[at.V_JOINT])
        name = self.skeleton.joint_names[joint] if joint >= 0 else ""
        change = row[at.V_CHANGE : at.V_CHANGE + 3] if placed else row[at.V_CHANGE :]
        return Step(int(row[at.V_ITERATION]), name, bool(placed), change)

    def walk(self) -> Iterator[tuple[Step, Pose]]:
        """Every turning step with the pose after it.

        Each iteration starts from its own recorded pose.
        """
        joints = self.skeleton.freedom_table.joints
        iteration = -1
        current = self.coordinates[0].copy()
        for row in self.events:
            if row[at.V_KIND] == at.PLACED:
                continue
            if int(row[at.V_ITERATION]) != iteration:
                iteration = int(row[at.V_ITERATION])
                current = self.coordinates[min(iteration - 1, len(self) - 1)].copy()
            _apply(joints, int(row[at.V_JOINT]), row[at.V_CHANGE :], current)
            follow(self.skeleton, current)
            yield self._step(row), self._pose(current)

    def to_json(self) -> dict[str, Any]:
        """Plain data that `from_json` reads back."""
        return {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "solver": self.solver,
            "skeleton": self.skeleton.to_json(),
            "goals": {name: target.tolist() for name, target in self.goals.items()},
            "coordinates": self.coordinates.tolist(),
            "errors": self.errors.tolist(),
            "orientation_errors": self.orientation_errors.tolist(),
            "events": self.events.tolist(),
            "translations": None if self.translations is None else self.translations.tolist(),
            "scales": None if self.scales is None else self.scales.tolist(),
        }

    @classmethod
    def from_json(cls, data: Any) -> Trace:
        """The trace that `to_json` wrote.

        Raises:
            SuppleError: The data is not a trace, or not of this version.
        """
        check_format(data, FORMAT, FORMAT_VERSION)
        try:
            skeleton = Skeleton.from_json(data["skeleton"])
            coordinates = Pose(skeleton, data["coordinates"]).packed_coordinates
            count, _ = coordinates.shape
            places = (len(skeleton.joints), 3)
            own = (data.get("translations"), data.get("scales"))
            events = array("events", data["events"] or np.zeros((0, at.EVENT)), (None, at.EVENT))
            if np.any((events[:, at.V_JOINT] < -1) | (events[:, at.V_JOINT] >= len(skeleton))):
                raise SuppleError(f"events: expected joints from 0 to {len(skeleton) - 1}")
            return cls(
                skeleton,
                coordinates,
                array("errors", data["errors"], (count,)),
                array("orientation_errors", data["orientation_errors"], (count,)),
                events,
                str(data["solver"]),
                {str(k): array(f"goal {k!r}", v, (3,)) for k, v in data["goals"].items()},
                *(None if x is None else array("translations, scales", x, places) for x in own),
            )
        except SuppleError:
            raise
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise SuppleError(f"trace: missing or malformed {error}") from error

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the trace to a JSON file.

        An existing file is replaced only once the new one is whole.
        """
        files.write(path, json.dumps(self.to_json()), "trace")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trace:
        """Read a trace that `save` wrote."""
        data = files.read_json(files.as_path("trace", path))
        try:
            return cls.from_json(data)
        except SuppleError as error:
            raise SuppleError(f"{path}: {error}") from error


def _apply(joints: JointRows, joint: int, change: np.ndarray, coordinates: np.ndarray) -> None:
    """Add an event's change to one joint's coordinates, in place."""
    first, count = int(joints.coordinate[joint]), int(joints.scalars[joint])
    turning, stretch = int(joints.quaternion[joint]), int(joints.stretch[joint])
    coordinates[first : first + count] += change[:count]
    if turning >= 0:
        rotation = rotations.from_rotation_vector(change[count : count + 3])
        wxyz = slice(turning, turning + 4)
        coordinates[wxyz] = rotations.normalize(rotations.multiply(rotation, coordinates[wxyz]))
    if stretch >= 0:
        coordinates[stretch] += change[-1]
