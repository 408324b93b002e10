"""A goal is one class: it is solved, measured, drawn, faded and reported without any other change."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import supple
import supple.apps.plot
from supple import OPEN, Motion, Pose, Reach
from supple.apps.motion.correct import FADING
from supple.apps.plot import style
from supple.goals.goal import Block, Goal, read_target, towards
from supple.goals.mark import PlaceMark
from supple.kernels import layout
from supple.model.effector import find_effector
from supple.rotations import rotate

ARM = supple.chain([1.0, 1.0, 1.0])
TARGET = np.array([1.2, 1.0, 0.4])


@dataclass(frozen=True, eq=False, repr=False)
class Touch(Goal):
    """Touch a target with the end of a tool along the effector's x axis."""

    frees: ClassVar[bool] = True
    told: ClassVar[tuple[str, ...]] = ("effector", "target", "tool")

    effector: str
    target: Any = OPEN
    tool: float = 0.3

    def __post_init__(self):
        self._set("target", read_target("target", self.effector, self.target))

    @property
    def slots(self):
        return ("target",)

    @property
    def kinds(self):
        return ("touch",)

    @property
    def reason(self):
        return "the tool is {error} from what it has to touch"

    @property
    def places(self):
        return (self.effector,)

    @property
    def point_alone(self):
        return np.array([self.tool, 0.0, 0.0])

    def lower(self, skeleton, number):
        frame = find_effector(skeleton, self.effector)
        end = rotate(frame.rotation, self.point_alone)
        placed: dict[str, Any] = {"fixed": end, "stretching": frame.offset}
        placed["rotation"] = frame.rotation
        return [
            Block(
                layout.POSITION,
                number,
                frame.joint,
                1.0,
                target=self.target,
                asks="touch",
                **placed,
            )
        ]

    def faded(self, slot, value, share, animated):
        return towards(animated.point(self.effector, self.point_alone), value, share)

    def mark(self, start, pose):
        return [PlaceMark("disc", self.effector, self.target)]


def end_of(pose: Pose, tool: float = 0.3) -> np.ndarray:
    """Where the end of the tool is, by the pose's own frames."""
    frame = pose.frames[..., ARM.index("tip"), :, :]
    return frame[..., :3, 3] + tool * frame[..., :3, 0]


def test_it_is_solved():
    answer = supple.solve(ARM, [Touch("tip", TARGET)])
    assert answer.reached
    assert np.linalg.norm(end_of(answer.pose) - TARGET) <= 1e-3
    assert not np.allclose(answer.position("tip"), TARGET, atol=0.1)


def test_it_is_solved_beside_others_and_given_its_target_later():
    problem = supple.prepare(ARM, [Touch("tip"), Reach("j1", (0.6, 0.8, 0.0), weight=1e-3)])
    answer = problem(TARGET)
    assert [demand.kind for demand in answer.asked.demands] == ["touch", "position"]


def test_a_miss_is_told_in_its_words():
    answer = supple.solve(ARM, [Touch("tip", (9.0, 0.0, 0.0))])
    assert not answer.reached
    assert answer.reason.endswith("the tool is 5.7 from what it has to touch")


def test_solvers_that_take_every_kind_of_goal_serve_it_and_others_refuse():
    assert supple.solve(ARM, [Touch("tip", TARGET)], solver="LM").reached
    with pytest.raises(supple.SuppleError, match="touch goals"):
        supple.solve(ARM, [Touch("tip", TARGET)], solver="FABRIK")


def test_it_is_measured():
    problem = supple.prepare(ARM, [Touch("tip")])
    targets = TARGET + np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])
    found = problem.evaluate(ARM.rest, targets)
    expected = np.linalg.norm(end_of(ARM.rest) - targets, axis=-1)
    np.testing.assert_allclose(found.error, expected, rtol=1e-12)


def test_it_is_drawn():
    goal = Touch("tip", TARGET)
    answer = supple.solve(ARM, [goal])
    with_it = supple.plot.solution(answer, goals=[goal]).axes[0]
    without = supple.plot.solution(answer, goals=[]).axes[0]
    drawn = [
        any(line.get_markerfacecolor() == style.GOAL for line in ax.lines)
        for ax in (with_it, without)
    ]
    assert drawn == [True, False]


def test_it_fades_in_a_window():
    poses = Pose(ARM, np.broadcast_to(ARM.rest.coordinates, (21, len(ARM.rest.coordinates))))
    motion = Motion("still", poses, fps=10.0)
    goal, other = Touch("tip", TARGET), Reach("j1", ARM.rest.position("j1"))
    when = [supple.Window(1.0, 1.5, 0.5), supple.Window()]
    fixed = supple.correct(motion, [goal, other], window=when)
    ends = end_of(fixed.motion.poses)
    start = end_of(ARM.rest)
    assert np.all(np.linalg.norm(ends[10:16] - TARGET, axis=-1) <= 1e-3)
    np.testing.assert_allclose(ends[:5], np.broadcast_to(start, (5, 3)), atol=1e-3)
    part = 0.4 * 0.4 * (3.0 - 2.0 * 0.4)  # of the smooth fade from 0.5 s to 1 s, at 0.7 s
    np.testing.assert_allclose(ends[7], start + part * (TARGET - start), atol=2e-3)
    assert FADING not in fixed.status  # the other goal counts wholly throughout


def test_it_is_reported():
    data = Touch("tip", TARGET).data()
    assert {**data, "target": None} == {
        "kind": "Touch",
        "effector": "tip",
        "target": None,
        "tool": 0.3,
    }
