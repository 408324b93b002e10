"""Paths over all branches: the fewest reconfigurations, as brute force over all answers finds them."""

import numpy as np
import pytest
from contest import mechanisms
from contest.adapters.ours import skeleton as bench_skeleton

import supple
from supple import Hinge, Pose, Reach
from supple.solve.branches import Branches, _ClosedForm

UR5 = bench_skeleton(mechanisms.ur5())


def line(skeleton, first, last, frames):
    """Frames of the tip along a line in space between the frames of two joint vectors."""
    T = Pose(skeleton, np.array([first, last])).frames[:, skeleton.index("tip")]
    t = np.linspace(0.0, 1.0, frames)
    turns = supple.rotations.from_matrix(T[:, :3, :3])
    path = np.repeat(np.eye(4)[None], frames, axis=0)
    path[:, :3, :3] = supple.rotations.to_matrix(supple.rotations.slerp(turns[0], turns[1], t))
    path[:, :3, 3] = T[0, :3, 3] + t[:, None] * (T[1, :3, 3] - T[0, :3, 3])
    return path


def planar(x, y):
    """The two answers of an arm of two bones of length 1 in the plane."""
    bent = (x * x + y * y - 2.0) / 2.0
    if abs(bent) > 1.0:
        return []
    return [
        (np.arctan2(y, x) - np.arctan2(np.sin(b), 1.0 + np.cos(b)), b)
        for b in (np.arccos(bent), -np.arccos(bent))
    ]


def test_all_answers_of_a_closed_form_are_found():
    """As many as sampling finds, and the sampled ones among them."""
    generator = np.random.default_rng(3)
    ik = supple.prepare(UR5, Reach("tip", pose=supple.OPEN))
    form = _ClosedForm.of(ik.problem)
    assert form is not None
    for q in generator.uniform(-np.pi, np.pi, (6, 6)):
        T = Pose(UR5, q).frames[UR5.index("tip")]
        batch, _, _ = ik.batch((T,), None)
        every = form.answers(batch)
        assert 1 <= len(every) <= 8
        assert np.allclose(Pose(UR5, every).frames[:, UR5.index("tip")], T, atol=1e-8)
        assert np.abs(every - q).max(axis=1).min() < 1e-6
        sampled = ik.solve(np.repeat(T[None], 200, 0), start=ik.seeds(UR5.rest, 200))
        for one in sampled.pose.coordinates[sampled.reached]:
            turns = (one - every) / (2.0 * np.pi)
            assert np.abs(turns - np.round(turns)).max(axis=1).min() < 1e-3


def test_whole_turns_are_answers_of_their_own():
    wide = UR5.with_joints({"j5": Hinge("y", (-2.0 * np.pi, 2.0 * np.pi))})
    ik = supple.prepare(wide, Reach("tip", pose=supple.OPEN))
    T = Pose(wide, [0.3, -1.2, 1.6, -1.9, -1.5, 0.2]).frames[wide.index("tip")]
    batch, _, _ = ik.batch((T,), None)
    narrow = supple.prepare(UR5, Reach("tip", pose=supple.OPEN))
    form, other = _ClosedForm.of(ik.problem), _ClosedForm.of(narrow.problem)
    assert form is not None and other is not None
    assert len(form.answers(batch)) == 2 * len(other.answers(narrow.batch((T,), None)[0]))


def test_a_path_that_a_branch_holds_needs_no_reconfiguration():
    """The last joint goes from 3 to 4 rad, beyond the end of its range that the nearest answer is at."""
    limits = {"j5": Hinge("y", (-3.5, 3.5))}
    arm = UR5.with_joints(limits)
    first = np.array([0.3, -1.2, 1.6, -1.9, -1.5, 3.0])
    t = np.linspace(0.0, 1.0, 60)[:, None]
    there = first + t * (0.2, 0.1, 0.1, -0.1, 0.2, 1.0)
    path = Pose(UR5.with_joints({"j5": Hinge("y")}), there).frames[:, UR5.index("tip")]
    goal = [Reach("tip", pose=path)]
    track = supple.track(arm, goal, start=Pose(arm, first), branches="all")
    assert track.reached and track.reconfigurations == []
    assert np.abs(np.diff(track.poses.coordinates, axis=0)).max() < 0.5
    assert track.poses.violations().max() <= 1e-12
    nearest = supple.track(arm, goal, start=Pose(arm, first), restarts=True)
    assert np.abs(np.diff(nearest.poses.coordinates, axis=0)).max() > 0.5


def test_a_reconfiguration_that_must_be_is_said_with_its_frame():
    """A turn of 4 rad about one axis that ends 1 rad after every whole turn allowed."""
    arm = supple.chain([1.0, 1.0], joint=Hinge("z", limits=(-3.0, 3.0)))
    angle = np.linspace(0.0, 2.0 * np.pi, 120)
    path = np.stack([1.5 * np.cos(angle), 1.5 * np.sin(angle), 0.0 * angle], axis=-1)
    track = supple.track(arm, {"tip": path}, branches="all", jump=0.4)
    assert track.reached
    alive, count = None, 0
    for x, y, _ in path:
        every = [
            q for a, b in planar(x, y) for n in (-1, 0, 1)
            if abs((q := np.array([a + 2.0 * np.pi * n, b]))[0]) <= 3.0 and abs(q[1]) <= 3.0
        ]  # fmt: skip
        going = every if alive is None else [
            q for q in every if any(np.abs(q - p).max() <= 0.4 for p in alive)
        ]  # fmt: skip
        count += not going
        alive = going or every
    assert len(track.reconfigurations) == count == 1
    (frame,) = track.reconfigurations
    steps = np.abs(np.diff(track.poses.coordinates, axis=0)).max(axis=1)
    assert np.flatnonzero(steps > 0.4).tolist() == [frame - 1]
    assert f"1 reconfiguration, at frame {frame}" in track.reason


@pytest.mark.parametrize("seed", range(3))
def test_random_lines_need_as_few_as_the_closed_form_allows(seed):
    """No way through the answers of a sampling has fewer."""
    generator = np.random.default_rng(seed)
    track = None
    while track is None or not track.reached:
        path = line(UR5, *generator.uniform(-2.5, 2.5, (2, 6)), 40)
        track = supple.track(UR5, Reach("tip", pose=path), branches="all")
    ik = supple.prepare(UR5, Reach("tip", pose=supple.OPEN))
    alive, count = None, 0
    for T in path:
        found = ik.solve(np.repeat(T[None], 150, 0), start=ik.seeds(UR5.rest, 150))
        every = found.pose.coordinates[found.reached]
        going = every
        if alive is not None:
            near = np.abs(every[:, None] - alive[None]).max(axis=2) <= 0.5
            going = every[near.any(axis=1)]
        count += not len(going)
        alive = going if len(going) else every
    assert len(track.reconfigurations) <= count


def test_arms_without_a_closed_form_are_sampled():
    panda = bench_skeleton(mechanisms.panda())
    first = np.array([0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.8])
    path = line(panda, first, first + 0.3, 30)
    problem = supple.prepare(panda, Reach("tip", pose=supple.OPEN)).problem
    assert _ClosedForm.of(problem) is None
    start = Pose(panda, first)
    track = supple.track(panda, Reach("tip", pose=path), start=start, branches="all")
    assert track.reached and track.reconfigurations == []
    assert track.largest_step < 0.5


def test_balls_and_frames_out_of_reach():
    snake = supple.chain([1.0, 1.0, 1.0])
    x = np.concatenate([np.linspace(2.0, 4.0, 20), np.linspace(4.0, 2.0, 20)])
    path = np.stack([x, 0.5 + 0.0 * x, 0.0 * x], axis=-1)
    track = supple.track(snake, {"tip": path}, branches="all")
    assert track.reconfigurations == []
    assert 0 < track.solution.reached.sum() < len(path)
    assert len(track.left) == 1


def test_the_same_path_gives_the_same_bits():
    path = line(UR5, [0.3, -1.2, 1.6, -1.9, -1.5, 0.2], [1.0, -1.0, 1.2, -1.0, -1.0, 1.2], 20)
    problem = supple.prepare(UR5, Reach("tip", pose=supple.OPEN))
    batch, _ = problem._path((path,), None)
    one, other = (
        Branches(problem.problem).follow(batch, UR5.rest.coordinates, 0.5) for _ in range(2)
    )
    assert np.array_equal(one.rows, other.rows) and one.jumps == other.jumps


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"branches": "every"}, "branches"),
        ({"branches": "all", "jump": 0.0}, "jump: expected a positive number"),
        ({"branches": "all", "dt": 0.1}, "cannot jump"),
        ({"branches": "all", "max_speed": 1.0}, "cannot jump"),
    ],
)
def test_bad_input(options, message):
    arm = supple.chain([1.0, 1.0])
    with pytest.raises(supple.SuppleError, match=message):
        supple.track(arm, {"tip": np.ones((3, 3))}, **options)


def test_only_such_a_path_has_reconfigurations():
    track = supple.track(supple.chain([1.0, 1.0]), {"tip": np.ones((3, 3))})
    with pytest.raises(supple.SuppleError, match='branches="all"'):
        _ = track.reconfigurations
