"""Lowered problems as data."""

import json
import struct
from dataclasses import dataclass

import numpy as np
import pytest

import supple
from supple import OPEN, Hinge, Pose, Reach, Solver, SuppleError
from supple.kernels import layout
from supple.solvers import EVERYTHING, clip


def read(data):
    """The header and the arrays of a lowered problem."""
    assert data[:8] == b"SUPPLEIK"
    version, size = struct.unpack_from("<2I", data, 8)
    assert version == 1 and size % 8 == 0
    head = json.loads(data[16 : 16 + size])
    arrays = {}
    for one in head["arrays"]:
        assert one["offset"] % 8 == 0
        count = int(np.prod(one["shape"]))
        start = 16 + size + one["offset"]
        dtype = {"i8": "<i8", "f8": "<f8"}[one["type"]]
        arrays[one["name"]] = np.frombuffer(data, dtype, count, start).reshape(one["shape"])
    return head, arrays


CHAIN = supple.chain([1.0, 2.0, 0.5], joint=Hinge("z", limits=(-2.0, 2.0)))


def test_it_holds_what_the_kernel_takes():
    prepared = supple.prepare(CHAIN, {"tip": OPEN}, solver="CCD")
    head, arrays = read(prepared.to_bytes())
    ints, floats = prepared.executor.packed
    np.testing.assert_array_equal(arrays["ints_0"], ints)
    np.testing.assert_array_equal(arrays["floats_0"], floats)
    np.testing.assert_array_equal(arrays["start"], CHAIN.rest.coordinates)
    assert np.isnan(arrays["targets"]).all() and arrays["targets"].shape == (3,)
    assert head["names"] == list(CHAIN.names) and head["coordinates"] == 3
    assert head["solvers"][0]["kernel"] == "solvers.ccd.solve_range"
    assert head["asked"]["moving"] == list(CHAIN.joint_names)


def test_a_report_is_read_by_its_columns():
    prepared = supple.prepare(CHAIN, {"tip": OPEN})
    head, _ = read(prepared.to_bytes())
    solution = prepared([2.0, 1.0, 0.0])
    batch, _, _ = prepared.batch([[2.0, 1.0, 0.0]], None)
    row = np.zeros((1, head["width"]))
    prepared.executor.run(batch, row, 0, 1)
    assert row[0, head["report"]["status"]] == layout.REACHED == solution.status
    assert row[0, head["report"]["error"]] == solution.error
    assert row[0, head["report"]["iterations"]] == solution.iterations
    errors = row[0, head["errors"] : head["pressed"]]
    np.testing.assert_array_equal(errors, solution.errors)
    assert head["width"] - head["pressed"] == len(head["asked"]["moving"])


def test_solvers_come_in_the_order_in_which_they_are_tried():
    prepared = supple.prepare(supple.chain([1.0, 1.0]), {"tip": OPEN})
    head, arrays = read(prepared.to_bytes())
    assert [one["name"] for one in head["solvers"]] == ["TwoBone", "LM"]
    assert {"ints_0", "floats_0", "ints_1", "floats_1"} <= set(arrays)


def test_it_says_where_open_targets_go_and_holds_the_others():
    turn = supple.rotations.from_axis_angle([0, 0, 1], 0.5)
    goals = [Reach("tip", OPEN, orientation=turn), Reach("j2", [1.0, 2.0, 0.0])]
    head, arrays = read(supple.prepare(CHAIN, goals).to_bytes())
    (one,) = head["arguments"]
    assert (one["goal"], one["slot"], one["effector"]) == (0, "target", "tip")
    assert one["orientation"] is None
    assert np.isnan(arrays["targets"]).nonzero()[0].tolist() == [
        one["target"] + k for k in range(3)
    ]
    assert sorted(arrays["targets"][~np.isnan(arrays["targets"])].tolist()) == sorted(
        [*turn.tolist(), 1.0, 2.0, 0.0]
    )


def test_a_transform_has_two_places():
    head, _ = read(supple.prepare(CHAIN, [Reach("tip", pose=OPEN)]).to_bytes())
    (one,) = head["arguments"]
    assert one["slot"] == "pose"
    assert sorted([one["target"], one["orientation"]]) == [0, 3]


def test_a_start_keeps_its_own_translations_and_scales():
    moved = CHAIN.offsets + [0.0, 0.1, 0.0]
    start = Pose(CHAIN, [0.1, 0.2, 0.3], moved, np.full((3, 3), 2.0))
    prepared = supple.prepare(CHAIN, {"tip": OPEN})
    _, arrays = read(prepared.to_bytes(start=start))
    np.testing.assert_array_equal(arrays["start"], start.coordinates)
    np.testing.assert_array_equal(arrays["translations"], moved)
    np.testing.assert_array_equal(arrays["scales"], np.full((3, 3), 2.0))
    np.testing.assert_array_equal(arrays["offsets"], prepared.problem.offsets(start))


def test_the_same_problem_has_the_same_bytes():
    made = [supple.prepare(CHAIN, {"tip": OPEN}).to_bytes() for _ in range(2)]
    assert made[0] == made[1]


@dataclass(frozen=True, kw_only=True)
class Mine(Solver):
    """A solver in plain Python."""

    name = "Mine"
    takes = EVERYTHING

    def solve(self, search):
        """Do nothing."""


@pytest.mark.parametrize("solver", ["Optimize", Mine()])
def test_a_solver_in_python_cannot_be_sent(solver):
    prepared = supple.prepare(CHAIN, {"tip": OPEN}, solver=solver)
    with pytest.raises(SuppleError, match=r"(Optimize|Mine) runs in Python; expected .* LM"):
        prepared.to_bytes()


def test_batches_cannot_be_sent():
    prepared = supple.prepare(CHAIN, [Reach("tip", np.zeros((4, 3)))])
    with pytest.raises(SuppleError, match="single targets and a single start"):
        prepared.to_bytes()
    starts = Pose(CHAIN, np.zeros((2, 3)))
    with pytest.raises(SuppleError, match="single targets and a single start"):
        supple.prepare(CHAIN, {"tip": OPEN}).to_bytes(start=starts)


def test_a_clip_is_solved_from_the_bytes_alone():
    goals = [Reach("tip"), supple.goals.Smooth(0.1, velocity=0.02)]
    prepared = supple.prepare(CHAIN, goals)
    head, arrays = read(prepared.to_bytes())
    assert head["clip"]["relax"] == "solvers.clip.relax"
    frames, turn = 6, np.linspace(0.4, 1.2, 6)
    targets = np.stack([2.0 * np.cos(turn), 2.0 * np.sin(turn), 0.0 * turn], axis=-1)
    ints, floats, smooth = (
        arrays["ints_0"].copy(),
        arrays["floats_0"].copy(),
        arrays["smooth"].copy(),
    )
    rows = np.zeros((frames, 3 + 2 + 3))  # targets, a weight and no robust error, strengths
    rows[:, :3], rows[:, 3], rows[:, 5:] = targets, 1.0, (1.0, 1.0, 0.03)
    poses = np.tile(arrays["start"], (frames, 1))
    out = np.zeros((frames, head["width"]))
    given = [ints, floats, arrays["offsets"][None].copy(), rows, smooth, np.zeros((0, 3)), poses]
    given.append(np.zeros((frames, clip.ENDED)))
    for name, iterations, bands, passes in (
        ("begin", 0, 0, 4), ("relax", 50, 0, 4), ("relax", 50, 2, 1), ("judge", 0, 0, 4),
    ):  # fmt: skip
        settings = np.array([iterations, 1e-2, 1e-8, frames if bands else 1, bands, passes, 1.0])
        work = np.zeros(1)
        kernel = getattr(clip, name)
        kernel(*given, settings, out, work, 0, 0)
        kernel(*given, settings, out, np.zeros(int(work[0])), 0, frames)
    found = prepared.clip(targets)
    np.testing.assert_array_equal(poses, found.poses.coordinates)
    np.testing.assert_array_equal(out[:, head["report"]["status"]], found.solution.status)
