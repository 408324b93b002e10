"""Frames solved one after the other: each from its own pose with the change of the frame before."""

import numpy as np
import pytest

import supple
from supple import Cone, Hinge, Node, Reach, Skeleton, Tip
from supple.kernels import layout
from supple.rotations import conjugate, from_axis_angle, multiply
from supple.solve.following import better_rows, follow

FRAMES = 90


@pytest.fixture(scope="module")
def swing():
    """An arm of three joints that sways, and a path for its hand that leaves its reach."""
    nodes = [
        Node("arm", None, (0.2, 0, 0), Cone(2.0)),
        Node("elbow", "arm", (0.3, 0, 0), Hinge("z", limits=(0, 2.5))),
        Node("wrist", "elbow", (0.3, 0, 0), supple.Ball()),
    ]
    skeleton = Skeleton(nodes, [Tip("hand", "wrist", (0.1, 0, 0))])
    t = np.arange(FRAMES) / 30.0
    turn = {"arm": from_axis_angle("y", -0.6 + 0.3 * np.sin(2 * t)), "elbow": 0.6 + 0.3 * np.sin(t)}
    poses = skeleton.rest.with_(turn)
    path = poses.position("hand") + np.linspace((-0.2, 0.1, 0), (0.3, 0.5, 0.4), FRAMES)
    return poses, path


def test_each_frame_is_solved_from_the_change_of_the_one_before(swing):
    """Held against the same written frame by frame; some frames are out of reach."""
    poses, path = swing
    skeleton = poses.skeleton
    problem = supple.prepare(skeleton, [Reach("hand")])
    found = follow(problem, [path], poses)
    assert 0 < np.count_nonzero(found.reached) < FRAMES
    start = poses[0]
    for f in range(FRAMES):
        best = problem.solve(path[f], start=start)
        if not best.reached and f > 0:
            other = problem.solve(path[f], start=poses[f])
            best = other if other.reached or other.error < 0.99 * best.error else best
        for name in ("arm", "elbow", "wrist"):
            j = skeleton.index(name)
            same = abs(found.pose[f].local_rotations[j] @ best.pose.local_rotations[j])
            assert same == pytest.approx(1.0, abs=1e-9)
        assert found.status[f] == best.status
        if f + 1 < FRAMES:
            made = {}
            for name in ("arm", "wrist"):
                j = skeleton.index(name)
                now, then = poses[f].local_rotations[j], best.pose.local_rotations[j]
                made[name] = multiply(
                    poses[f + 1].local_rotations[j], multiply(conjugate(now), then)
                )
            at = skeleton.packed_ints[skeleton.index("elbow"), layout.Q]
            change = best.pose.coordinates[at] - poses[f].coordinates[at]
            start = poses[f + 1].with_({**made, "elbow": change + poses[f + 1].coordinates[at]})


def test_progress_is_told_frame_by_frame(swing):
    poses, path = swing
    told = []
    follow(
        supple.prepare(poses.skeleton, [Reach("hand")]), [path], poses, lambda *x: told.append(x)
    )
    assert told == [(k + 1, FRAMES) for k in range(FRAMES)]


def test_what_is_reached_or_clearly_nearer_is_better(swing):
    poses, _ = swing
    problem = supple.prepare(poses.skeleton, [Reach("hand")])
    hand = poses[0].position("hand")
    met = problem.solve(hand, start=poses[0])._rows[None]
    near, far = (problem.evaluate(poses[0], hand + (x, 0, 0))._rows[None] for x in (0.1, 0.2))
    for better, worse in ((met, near), (near, far)):
        assert np.array_equal(better_rows(problem, worse, better), better)
        assert np.array_equal(better_rows(problem, better, worse), better)
    about = problem.evaluate(poses[0], hand + (0.0999, 0, 0))._rows[None]
    assert np.array_equal(better_rows(problem, near, about), near)  # not clearly
