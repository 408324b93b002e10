"""Prepared problems, call by call: arguments, the quick way and the general one, settings."""

import pickle

import numpy as np
import pytest

import supple
from supple import (
    LM,
    OPEN,
    Ball,
    Hinge,
    Hold,
    LookAt,
    Pole,
    Reach,
    Rest,
    Status,
    SuppleError,
    prepare,
    rotations,
    solve,
)

TURN = rotations.from_euler("xyz", (0.3, -0.4, 0.5))
FRAME = np.eye(4)
FRAME[:3, :3] = rotations.to_matrix(TURN)
FRAME[:3, 3] = (0.5, 1.2, 0.4)


def test_the_loop_of_the_readme(arm):
    ik = prepare(arm, [Reach("tip")])
    s = ik((1.2, 0.7, 0))
    assert s.reached
    s = ik((1.1, 0.8, 0), start=s.pose)
    assert s.reached
    np.testing.assert_allclose(s.position("tip"), (1.1, 0.8, 0), atol=2e-4)


def test_a_prepared_call_is_a_solve_to_the_bit(snake):
    start = snake.pose({"j1": TURN})
    target = (0.5, 1.2, 0.4)
    look = (3, 3, 3)
    cases = [
        ([Reach("tip")], [Reach("tip", target)], (target,)),
        ([Reach("tip", orientation=OPEN)], [Reach("tip", orientation=TURN)], (TURN,)),
        ([Reach("tip", pose=OPEN)], [Reach("tip", pose=FRAME)], (FRAME,)),
        (
            [Reach("tip", OPEN, orientation=OPEN)],
            [Reach("tip", target, orientation=TURN)],
            (target, TURN),
        ),
        (
            [Pole("j1"), LookAt("j1"), Hold("j1", position=False), Reach("tip"), Rest()],
            [Pole("j1", look), LookAt("j1", look), Hold("j1", position=False), Reach("tip", target), Rest()],
            (look, look, target),
        ),
    ]  # fmt: skip
    for opened, given, arguments in cases:
        for first in (None, start):
            expected = solve(snake, given, start=first)
            assert prepare(snake, opened)(*arguments, start=first) == expected
            assert prepare(snake, given)(start=first) == expected
            assert prepare(snake, opened).solve(*arguments, start=first) == expected


def test_the_quick_way_and_the_general_one_give_the_same_bits(snake):
    ik = prepare(snake, [Reach("tip"), LookAt("j2", OPEN)])
    start = snake.pose({"j1": TURN})
    given = ((0.5, 1, 0), (1.0, 2.0, 3))
    expected = ik.solve(*given, start=start)
    for kind in (
        tuple,
        list,
        np.array,
        lambda x: np.array(x, np.float32),
        lambda x: np.array(x)[::1],
    ):
        assert ik(kind(given[0]), kind(given[1]), start=start) == expected
    strided = np.repeat(given, 2, axis=1)[:, ::2]
    assert ik(*strided, start=start) == expected
    frozen = np.array(given, float)
    frozen.flags.writeable = False
    assert ik(*frozen, start=start) == expected
    assert ik(*(np.array(x, int) for x in ((1, 1, 0), (1, 2, 3)))) == ik((1, 1, 0), (1, 2, 3))


@pytest.mark.parametrize("kind", [
    tuple,
    list,
    lambda x: tuple(np.asarray(x)),
    lambda x: tuple(map(np.float32, x)) if np.ndim(x) == 1 else np.asarray(x, np.float32),
    lambda x: np.asarray(x, np.float32),
    lambda x: np.asarray(x, np.longdouble),
    lambda x: np.asarray(x, ">f8"),
    lambda x: np.asfortranarray(x),
    lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    lambda x: memoryview(np.array(x, float)),
], ids=[
    "tuple", "list", "tuple of rows", "float32 numbers", "float32", "longdouble", "big endian",
    "Fortran order", "strided", "memoryview",
])  # fmt: skip
@pytest.mark.parametrize("slot", ["target", "orientation", "pose"])
def test_whatever_holds_the_numbers_of_a_target_the_bits_are_the_same(snake, slot, kind):
    ik = prepare(snake, [Reach("tip", **{slot: OPEN})])
    value = {"target": (0.5, 1.25, -0.75), "orientation": tuple(TURN), "pose": FRAME.tolist()}[slot]
    given = kind(value)
    general = ik.solve(given, threads=1)
    assert ik(given) == general == solve(snake, Reach("tip", **{slot: given}))


BAD = [
    (10**30, 0, 0),
    (2**64, 0, 0),
    (1, 2),
    (1, 2, 3, 4),
    (1, 2, np.nan),
    (np.inf, 0, 0),
    (np.inf, -np.inf, 0),
    "abc",
    "123",
    None,
    3.0,
    {1: 1, 2: 2, 3: 3},
    {1.0, 2.0, 3.0},
    (True, True, True),
    ("1", "2", "3"),
    (1j, 0, 0),
    ((1,), (2,), (3,)),
    np.ones((3, 1)),
    np.ones(3, bool),
    np.array(["1", "2", "3"]),
    np.array([1, 2, np.nan]),
    [[1, 2, 3], [1, 2]],
    OPEN,
    object(),
]


@pytest.mark.parametrize("value", [
    np.ma.array(FRAME, mask=np.eye(4)),
    [np.ma.array(row, mask=(1, 0, 0, 0)) for row in FRAME],
    [[np.ma.array(x, mask=True) for x in row] for row in FRAME],
], ids=["array", "rows", "entries"])  # fmt: skip
def test_masked_transforms_are_refused_either_way(arm, value):
    ik = prepare(arm, [Reach("tip", pose=OPEN)])
    for call in (ik, lambda pose: ik.solve(pose, threads=1)):
        with pytest.raises(SuppleError, match="pose of 'tip': expected an array without masked"):
            call(value)


@pytest.mark.parametrize("target", BAD, ids=[str(i) for i in range(len(BAD))])
def test_bad_targets_are_the_same_error_either_way(arm, target):
    ik = prepare(arm, [Reach("tip")])
    with pytest.raises(SuppleError, match="target of 'tip'") as quick:
        ik(target)
    with pytest.raises(SuppleError) as general:
        ik.solve(target, threads=1)
    assert str(quick.value) == str(general.value)


def test_as_many_arguments_as_open_targets(arm):
    ik = prepare(arm, [Reach("tip"), LookAt("j1")])
    assert ik.arguments == ((0, "target"), (1, "target"))
    with pytest.raises(SuppleError, match=r"expected 2 \(target of 'tip', target of 'j1'\), got 1"):
        ik((1, 1, 0))
    with pytest.raises(SuppleError, match=r"expected 2 .* got 3"):
        ik((1, 1, 0), (1, 1, 0), (1, 1, 0))
    with pytest.raises(SuppleError, match=r"expected 0 \(none is open\), got 1"):
        prepare(arm, {"tip": (1, 1, 0)})((1, 1, 0))


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (supple.chain([1]).rest, "start: expected a pose of .* got one of "),
        ((0, 0), "start: expected a supple.Pose, got a tuple"),
        ("rest", "start: expected a supple.Pose, got a str"),
    ],
)
def test_a_start_is_a_pose_of_the_skeleton(arm, start, message):
    ik = prepare(arm, [Reach("tip")])
    for call in (ik, ik.solve):
        with pytest.raises(SuppleError, match=message):
            call((1, 1, 0), start=start)


def test_a_start_of_an_equal_skeleton_will_do(arm):
    ik = prepare(arm, [Reach("tip")])
    twin = supple.chain([1, 1], joint=Hinge("z", limits=(-2.6, 2.6)))
    start = {"j0": 0.3, "j1": 0.5}
    assert ik((1, 1, 0), start=twin.pose(start)) == ik((1, 1, 0), start=arm.pose(start))


def test_the_start_is_not_written_to(arm, random_targets):
    ik = prepare(arm, [Reach("tip")])
    start = arm.pose({"j0": 0.3, "j1": 3.0})
    before = start.coordinates.copy()
    ik((1, 1, 0), start=start)
    ik.solve(random_targets(5), start=start)
    np.testing.assert_array_equal(start.coordinates, before)
    target = np.array([1.0, 1.0, 0.0])
    ik(target)
    np.testing.assert_array_equal(target, (1, 1, 0))


def test_answers_do_not_share_memory(arm):
    ik = prepare(arm, [Reach("tip")])
    first = ik((1.2, 0.7, 0))
    kept = first.pose.coordinates.copy()
    late = ik((1.2, 0.7, 0))
    ik((-0.3, 0.7, 0))
    np.testing.assert_array_equal(first.pose.coordinates, kept)
    np.testing.assert_array_equal(late.pose.coordinates, kept)


def test_it_says_what_it_is(arm):
    text = repr(prepare(arm, [Reach("tip"), LookAt("j1")]))
    assert text == "Prepared(LM: position of tip, direction of j1; 2 freedoms)"


# Settings


def test_settings_are_those_of_solve(arm):
    ik = prepare(arm, [Reach("tip")], unreachable="keep", tolerance=0.1, lock=["j0"])
    s = ik((1, 1, 0))
    assert s.asked.demands[0].tolerance == 0.1
    assert s.asked.moving == ("j1",)
    assert ik((9, 0, 0)).pose == arm.rest
    assert s == solve(arm, {"tip": (1, 1, 0)}, unreachable="keep", tolerance=0.1, lock=["j0"])
    budget = prepare(arm, [Reach("tip")], solver=LM(max_iterations=0))
    assert budget((1, 1, 0)).status is Status.BUDGET
    assert prepare(arm, [Reach("tip")], solver="lm")((1, 1, 0)).reached


def test_goals_given_as_a_generator_and_locks_too(arm):
    ik = prepare(arm, (g for g in [Reach("tip")]), lock=(n for n in ["j0"]))  # type: ignore[arg-type]
    twin = pickle.loads(pickle.dumps(ik))
    assert twin((1, 1, 0)) == ik((1, 1, 0))
    assert ik((1, 1, 0)).asked.moving == ("j1",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unreachable": "kep"}, "unknown unreachable policy 'kep'.*did you mean 'keep'"),
        ({"tolerance": 0}, "tolerance: expected a positive number"),
        ({"lock": "j0"}, "lock: expected a list of joint names"),
        ({"solver": LM}, "solver: expected a solver, got the class LM"),
    ],
)
def test_bad_settings_say_what_is_wrong(arm, options, message):
    with pytest.raises(SuppleError, match=message):
        prepare(arm, [Reach("tip")], **options)


def test_seeds_are_spread_the_same_every_time_and_within_limits():
    rig = supple.chain([1, 1, 1], joint=[Ball(), Hinge("z", limits=(0, 1)), Hinge("y")])
    ik = prepare(rig, [Reach("tip")], lock=["j2"])
    start = rig.pose({"j2": 0.4})
    seeds = ik.seeds(start, 16)
    assert seeds == ik.seeds(start, 16)
    assert seeds.batch_shape == (16,)
    assert seeds.violations().max() <= 1e-9
    assert (seeds.coordinates[:, 5] == 0.4).all()
    assert np.ptp(seeds.coordinates[:, 4]) > 0.5


def test_a_character_in_place_of_its_skeleton_is_told_what_to_give():
    with pytest.raises(SuppleError, match=r"got a Character; give its \.skeleton"):
        supple.solve(supple.humanoid(), {"hand.R": (0.0, 1.0, 0.0)})


def test_an_answer_says_which_solver_gave_it(arm):
    limb = supple.prepare(arm, [Reach("tip")])
    assert [s.name for s in limb.solvers] == ["TwoBone", "LM"]
    near, far = (1.0, 0.5, 0.2), (9.0, 0.0, 0.0)
    for found in (limb(near), limb.solve(near), limb.solve(near, trace=True)):
        assert found.asked.solver == "TwoBone"
    for found in (limb(far), limb.solve(far, trace=True)):
        assert found.asked.solver in ("TwoBone", "LM")
        assert found.asked == limb(near).asked
    many = limb.solve(np.array([near, far]))
    assert many.asked.solver == "TwoBone then LM"
    assert many[0] == limb(near)
