"""Ticks: speed and acceleration limits hold, nothing freezes, joints stop in time, calls have no memory."""

import pickle

import numpy as np
import pytest
from contest import mechanisms
from contest.adapters.ours import skeleton as bench_skeleton

import supple
from supple import (
    OPEN,
    Ball,
    Connect,
    Free,
    Hinge,
    Mimic,
    Node,
    Pose,
    Reach,
    Skeleton,
    Slider,
    Tip,
    Weld,
)
from supple.solve.servo import fastest

ROUNDING = 1.0 + 1e-9


def loop(ik, path, start, dt, *, velocity=None, before=False):
    """The solutions of a control loop."""
    found, pose = [], start
    for k, target in enumerate(path):
        last = path[k - 1] if before and k else None
        s = ik(target, start=pose, velocity=velocity, dt=dt, before=last)
        pose, velocity = s.pose, s.velocity
        found.append(s)
    return found


def rates(found, dt, first=0.0):
    """Velocities and accelerations of a loop, shape (F, D)."""
    velocities = np.array([s.velocity for s in found])
    return velocities, np.diff(
        velocities, axis=0, prepend=np.full((1, velocities.shape[1]), first)
    ) / dt


@pytest.fixture
def hinge():
    return supple.chain([1.0], joint=Hinge("z", limits=(-2.0, 2.0)))


@pytest.fixture
def arm():
    return supple.chain([1.0, 1.0, 0.7], joint=Hinge("z", limits=(-2.5, 2.5)))


# How fast a joint may be --------------------------------------------------------------------------


@pytest.mark.parametrize("later", [0.02, 1e-3, 0.3])
@pytest.mark.parametrize("gap", [0.0, 1e-6, 0.004, 0.3, 2.0, 41.7])
@pytest.mark.parametrize("acceleration", [0.5, 8.0, 1e30])
def test_braking_from_the_fastest_velocity_ends_within_the_gap(gap, acceleration, later):
    """However long later ticks are; short ones use the whole gap."""
    v = float(fastest(np.array(gap), np.array(acceleration), 0.02))
    assert v * 0.02 + v * v / (2.0 * acceleration) == pytest.approx(gap, rel=1e-9)
    way, first = v * 0.02, v
    while v > 0.0:
        v = max(v - acceleration * later, 0.0)
        way += v * later
    assert way <= gap * ROUNDING
    assert way == pytest.approx(gap, abs=0.5 * first * later + 1e-15)


# Limits hold, nothing freezes ---------------------------------------------------------------------

PANDA = (
    bench_skeleton(mechanisms.panda()),
    [0.0, -0.3, 0.0, -2.2, 0.0, 2.0, 0.8],
    [2.175] * 4 + [2.61] * 3,
    [15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0],
)
UR5 = (
    bench_skeleton(mechanisms.ur5()),
    [0.3, -1.2, 1.6, -1.9, -1.5, 0.2],
    [3.14] * 6,
    [14.0] * 6,
)


@pytest.mark.parametrize("tracked", [True, False])
@pytest.mark.parametrize("oriented", [True, False])
@pytest.mark.parametrize("robot", [PANDA, UR5], ids=["Panda", "UR5"])
def test_a_circle_half_out_of_reach(robot, oriented, tracked):
    skeleton, angles, speed, acceleration = robot
    names, dt = skeleton.joint_names, 0.01
    start = Pose(skeleton, angles)
    T = start.frames[skeleton.index("tip")]
    angle = np.linspace(0.0, 2.0 * np.pi, 200)
    path = np.repeat(T[None], len(angle), axis=0)
    outward = T[:3, 3] * (1, 1, 0) / np.linalg.norm(T[:2, 3])
    path[:, :3, 3] += 0.4 * (1.0 - np.cos(angle))[:, None] * outward
    path[:, 2, 3] += 0.2 * np.sin(angle)
    path = path if oriented else path[:, :3, 3].copy()
    limits = {
        "max_speed": dict(zip(names, speed, strict=True)),
        "max_acceleration": dict(zip(names, acceleration, strict=True)),
    }
    goal = Reach("tip", pose=OPEN) if oriented else Reach("tip")
    ik = supple.prepare(skeleton, goal, **limits)
    options = {"start": start, "dt": dt}
    solution = ik.track(path, **options).solution if tracked else loop(ik, path, **options)
    poses = np.array([angles, *(s.pose.coordinates for s in solution)])
    velocities = np.diff(poses, axis=0) / dt
    accelerations = np.diff(velocities, axis=0, prepend=np.zeros((1, len(names)))) / dt
    assert np.all(np.abs(velocities) <= np.array(speed) * ROUNDING)
    assert np.all(np.abs(accelerations) <= np.array(acceleration) * ROUNDING)
    assert Pose(skeleton, poses).violations().max() == 0.0
    reached = np.array([s.reached for s in solution])
    assert 0 < reached.sum() < len(path)
    moved = np.abs(np.diff(poses, axis=0)).max(axis=1)
    assert np.all(moved[1:] > 1e-9)  # the target moves in every tick but the first


def test_a_straight_arm_follows_a_target_that_comes_back(arm):
    """Every pull on the joints is zero there, so that going downhill alone would stay for ever."""
    out = np.concatenate([np.linspace(2.7, 3.5, 40), np.linspace(3.5, 1.5, 100)])
    path = np.stack([out, 0 * out, 0 * out], axis=-1)
    ik = supple.prepare(arm, [Reach("tip")], max_speed=3.0, max_acceleration=20.0)
    found = loop(ik, path, arm.rest, 0.02)
    back = [s for s, x in zip(found, out, strict=True) if x < 2.69]
    assert all(np.abs(s.velocity).max() > 0.0 for s in back)
    assert found[-1].error < 0.1
    velocities, accelerations = rates(found, 0.02)
    assert np.abs(velocities).max() <= 3.0 * ROUNDING
    assert np.abs(accelerations).max() <= 20.0 * ROUNDING


def test_a_target_slower_than_the_tolerance_is_followed_in_every_tick(arm):
    start = Pose(arm, (0.3, 0.6, 0.4))
    steps = np.arange(1, 30)[:, None] * (1e-6, 0.0, 0.0)
    ik = supple.prepare(arm, [Reach("tip")], max_speed=1.0, max_acceleration=5.0)
    assert ik.problem.blocks[0].tolerance > 1e-4
    for s in loop(ik, start.position("tip") + steps, start, 0.001):
        assert s.reached and s.error < 1e-8 and np.abs(s.velocity).max() > 1e-5


def test_another_way_round_is_taken_within_the_limits():
    """The target is beyond the hinge's limit on this side, and inside on the other."""
    skeleton = supple.chain([1.0], joint=Hinge("z", limits=(-3.0, 2.0)))
    target = (np.cos(3.6), np.sin(3.6), 0.0)
    ik = supple.prepare(skeleton, [Reach("tip")], max_speed=2.0, max_acceleration=10.0)
    found = loop(ik, [target] * 300, Pose(skeleton, [1.9]), 0.02)
    assert found[-1].reached and found[-1].angles[0] == pytest.approx(3.6 - 2.0 * np.pi)
    assert np.abs(rates(found, 0.02)[0]).max() <= 2.0 * ROUNDING
    stuck = ik.with_solver("auto", restarts=False)
    assert not loop(stuck, [target] * 300, Pose(skeleton, [1.9]), 0.02)[-1].reached


# Stopping in time ---------------------------------------------------------------------------------


@pytest.mark.parametrize("told", [True, False])
def test_a_target_that_stands_is_met_at_rest_without_overshoot(hinge, told):
    """Untold that it stands, a joint may pass it by what two ticks of braking take."""
    ik = supple.prepare(hinge, [Reach("tip")], max_speed=1.5, max_acceleration=6.0)
    found = loop(ik, [(np.cos(1.2), np.sin(1.2), 0.0)] * 90, hinge.rest, 0.02, before=told)
    angles = np.array([s.angles[0] for s in found])
    assert angles.max() < 1.2 + (1e-9 if told else 2 * 6.0 * 0.02**2)
    assert found[-1].reached and abs(found[-1].velocity[0]) < 1e-6
    velocities, accelerations = rates(found, 0.02)
    assert velocities.max() == pytest.approx(1.5) and np.abs(accelerations).max() <= 6.0 * ROUNDING


def test_a_joint_brakes_before_its_limit(hinge):
    """The target is beyond: without braking in time the joint would hit its limit at full speed."""
    ik = supple.prepare(hinge, [Reach("tip")], max_speed=3.0, max_acceleration=4.0, restarts=False)
    path = [(np.cos(x), np.sin(x), 0.0) for x in np.linspace(0.0, 2.9, 60)]
    found = loop(ik, path + path[-1:] * 60, hinge.rest, 0.02)
    _, accelerations = rates(found, 0.02)
    assert np.abs(accelerations).max() <= 4.0 * ROUNDING
    angles = [s.angles[0] for s in found]
    assert max(angles) <= 2.0 and angles[-1] == pytest.approx(2.0)


@pytest.mark.parametrize("later", [0.02, 0.003, 0.5])
def test_a_loop_that_changes_its_rate_keeps_the_acceleration(later):
    """A tick may be shorter or longer than the one that was braked for."""
    hinge = supple.chain([1.0], joint=Hinge("z", limits=(-1.0, 1.0)))
    ik = supple.prepare(hinge, [Reach("tip")], max_speed=10.0, max_acceleration=1.0)
    pose, v = hinge.rest, 0.0
    for k in range(40):
        dt = 0.1 if k < 12 else later
        s = ik((np.cos(2.0), np.sin(2.0), 0.0), start=pose, velocity=[v], dt=dt)
        assert abs(s.velocity[0] - v) <= dt * ROUNDING
        assert s.angles[0] <= 1.0
        pose, v = s.pose, s.velocity[0]


def test_a_joint_limit_comes_before_the_acceleration(hinge):
    """Nothing can brake from 2 rad/s to 0 in 0.01 rad at 4 rad/s^2."""
    ik = supple.prepare(hinge, [Reach("tip")], max_speed=3.0, max_acceleration=4.0)
    s = ik((0.0, 1.0, 0.0), start=Pose(hinge, [1.99]), velocity=[2.0], dt=0.02)
    assert s.angles[0] == 2.0


@pytest.mark.filterwarnings("error")
def test_balls_without_a_limit_of_acceleration_meet_a_target_that_stands():
    snake = supple.chain([1.0, 1.0])
    ik = supple.prepare(snake, [Reach("tip")], max_speed=1.0)
    found = loop(ik, [(0.0, 5.0, 0.0)] * 200, snake.rest, 0.01)
    assert found[-1].status is supple.Status.TOO_FAR
    assert np.abs(found[-1].velocity).max() < 1e-6


def test_a_joint_that_is_given_too_high_a_speed_brakes(hinge):
    ik = supple.prepare(hinge, [Reach("tip")], max_speed=1.0, max_acceleration=10.0)
    s = ik((0.0, 1.0, 0.0), velocity=[2.0], dt=0.02)
    assert s.velocity[0] == pytest.approx(1.8)


def test_a_start_outside_the_limits_comes_back_at_the_speed_allowed(hinge):
    ik = supple.prepare(hinge, [Reach("tip")], max_speed=1.0)
    found = loop(ik, [(np.cos(1.9), np.sin(1.9), 0.0)] * 40, Pose(hinge, [2.3]), 0.02)
    assert found[0].angles[0] == pytest.approx(2.28)
    assert found[-1].reached


def test_kept_starts_brake(hinge):
    ik = supple.prepare(
        hinge, [Reach("tip")], unreachable="keep", max_speed=2.0, max_acceleration=10.0
    )
    found = loop(ik, [(5.0, 0.0, 0.0)] * 20, hinge.rest, 0.02, velocity=[1.0])
    assert found[0].velocity[0] == pytest.approx(0.8)
    assert found[-1].velocity[0] == pytest.approx(0.0, abs=1e-9)


# Moving targets -----------------------------------------------------------------------------------


def test_a_late_joint_catches_up_with_a_target_whose_velocity_it_is_told(hinge):
    """From rest behind a target that moves at 1 rad/s."""
    x = np.arange(1, 80) * 0.02 - 0.5
    path = [(np.cos(a), np.sin(a), 0.0) for a in x]
    ik = supple.prepare(hinge, [Reach("tip")], max_speed=2.0, max_acceleration=5.0)
    start = Pose(hinge, [-0.5])
    told = loop(ik, path, start, 0.02, before=True)
    assert told[-1].error < 1e-8 and told[-1].velocity[0] == pytest.approx(1.0)
    untold = loop(ik, path, start, 0.02)
    # Late by no more than the way to stop, v^2 / 2a, and a tick.
    assert 0.0 < untold[-1].error < 1.0 / (2.0 * 5.0) + 0.02
    for found in (told, untold):
        assert np.abs(rates(found, 0.02)[1]).max() <= 5.0 * ROUNDING


def test_a_target_within_the_limits_is_followed_exactly(arm):
    start = Pose(arm, (0.3, 0.6, 0.4))
    way = 0.5 * (1.0 - np.cos(np.linspace(0.0, np.pi, 150)))
    path = start.position("tip") + way[:, None] * (-0.6, 0.5, 0.0)
    track = supple.track(
        arm, {"tip": path}, start=start, dt=0.02, max_speed=2.0, max_acceleration=10.0
    )
    assert track.reached and track.solution.error.max() < 1e-8
    assert np.abs(track.velocities).max() < 2.0 and np.abs(track.accelerations).max() <= 10.0


def test_a_slow_joint_is_made_up_for_by_the_others(arm):
    """A redundant arm follows with the joints that can."""
    start = Pose(arm, (0.3, 1.2, 0.8))
    way = 0.5 * (1.0 - np.cos(np.linspace(0.0, np.pi, 150)))
    path = start.position("tip") + way[:, None] * (-0.3, 0.2, 0.0)
    free = supple.track(arm, {"tip": path}, start=start, dt=0.02)
    most = 0.5 * np.abs(free.velocities[:, 0]).max()
    track = supple.track(arm, {"tip": path}, start=start, dt=0.02, max_speed={"j0": most})
    assert track.reached
    assert np.abs(track.velocities[:, 0]).max() <= most * ROUNDING


def test_a_track_is_one_call_after_another(arm):
    path = [(2.0 + 0.02 * k, 0.5 + 0.01 * k, 0.0) for k in range(60)]
    ik = supple.prepare(arm, [Reach("tip")], max_speed=1.0, max_acceleration=5.0)
    start = Pose(arm, (0.3, 0.6, 0.4))
    track = ik.track(path, start=start, dt=0.02)
    for one, other in zip(track.solution, loop(ik, path, start, 0.02, before=True), strict=True):
        assert np.array_equal(one.pose.coordinates, other.pose.coordinates)
        assert np.array_equal(one.velocity, other.velocity)
    assert track.velocities.shape == track.accelerations.shape == (60, 3)


def test_a_tick_tells_of_collisions_and_balance():
    bar = supple.chain([1.0, 1.0], joint=[supple.Fixed(), Hinge("z", limits=(-0.1, 0.1))])
    post = supple.Capsule((1.5, 0, 0), (1.6, 0, 0), 0.3)
    goals = [Reach("tip"), supple.Avoid(obstacles=[post])]
    ik, plain = supple.prepare(bar, goals, max_speed=1.0), supple.prepare(bar, goals)
    s = ik((1.999, 0.05, 0.0), dt=0.1)
    for _ in range(3):
        s = ik((1.999, 0.05, 0.0), start=s.pose, velocity=s.velocity, dt=0.1)
    assert s.status is supple.Status.COLLIDES and s.collision.b == "obstacle 0 (Capsule)"
    assert s.collision.depth == pytest.approx(plain((1.999, 0.05, 0.0)).collision.depth, abs=1e-6)
    weighed = supple.chain([1.0, 1.0], joint=Hinge("z")).with_physics(
        masses={"j1": supple.Mass(1.0, (0.5, 0, 0))}
    )
    square = [(x, -1.0, z) for x, z in ((-3, -1), (-2, -1), (-2, 1), (-3, 1))]
    goals = [Reach("tip"), supple.Balance(support=square, up="y")]
    s = supple.prepare(weighed, goals, max_speed=0.1)((1.2, 0.5, 0), dt=0.1)
    assert s.status is supple.Status.UNBALANCED and s.off_balance > 1.0


def test_a_tick_stops_before_an_obstacle_and_names_it():
    """The way to the goal leads through a post."""
    skeleton = supple.chain([1.0, 1.0], joint=Hinge("z", limits=(-3.0, 3.0)))
    bone = supple.Capsule((0, 0, 0), (1, 0, 0), 0.05)
    post = supple.Capsule((1.5, 0, -1), (1.5, 0, 1), 0.1)
    avoid = supple.Avoid(0.01, obstacles=[post], capsules={"j0": bone, "j1": bone})
    ik = supple.prepare(skeleton, [Reach("tip"), avoid], max_speed=1.0, max_acceleration=10.0)
    target = (2.0 * np.cos(-0.8), 2.0 * np.sin(-0.8), 0.0)
    found = loop(ik, [target] * 150, skeleton.pose({"j0": 0.8}), 0.01)
    velocities, accelerations = rates(found, 0.01)
    assert max(s.collision_depth for s in found) == 0.0
    assert np.abs(accelerations).max() <= 10.0 * ROUNDING
    assert np.abs(velocities[-1]).max() < 1e-6
    assert found[-1].status is supple.Status.STALLED and found[-1].collision is None
    assert found[-1].reason.startswith("j1 and obstacle 0 (Capsule) must keep apart")


def test_a_tick_keeps_its_balance():
    weighed = supple.chain([1.0, 1.0], joint=Hinge("z")).with_physics(
        masses={"j1": supple.Mass(1.0, (0.5, 0, 0))}
    )
    square = [(x, -1.0, z) for x, z in ((0, -1), (2, -1), (2, 1), (0, 1))]
    goals = [Reach("tip"), supple.Balance(support=square, up="y")]
    ik = supple.prepare(weighed, goals, max_speed=1.0, max_acceleration=10.0)
    found = loop(ik, [(-1.5, 0.5, 0.0)] * 200, weighed.rest, 0.02)
    assert max(s.off_balance for s in found) == 0.0


# Loops --------------------------------------------------------------------------------------------


@pytest.fixture
def four_bar():
    return Skeleton(
        [
            ("crank", None, (0, 0, 0), Hinge("z")),
            ("coupler", "crank", (1, 0, 0), Hinge("z")),
            ("rocker", None, (2, 0, 0), Hinge("z")),
        ],
        [("end", "coupler", (1.5, 0, 0)), ("top", "rocker", (1.2, 0, 0))],
    )


def opening(solution):
    return np.linalg.norm(solution.position("end") - solution.position("top"))


def crank_turned(start, angle):
    """Where the end of the crank is when it has turned on."""
    x, y, _ = start.position("coupler")
    angle += np.arctan2(y, x)
    return (np.cos(angle), np.sin(angle), 0.0)


@pytest.mark.parametrize("acceleration", [20.0, None])
def test_a_mechanism_goes_to_its_target_with_its_loop_closed(four_bar, acceleration):
    closed = Connect("end", "top")
    start = supple.solve(four_bar, [closed]).pose
    ik = supple.prepare(
        four_bar, [Reach("coupler"), closed], max_speed=1.0, max_acceleration=acceleration
    )
    found = loop(ik, [crank_turned(start, 0.3)] * 130, start, 0.01)
    assert max(map(opening, found)) <= 2.5e-7  # 1e-7 of the longest chain, as in every solve
    velocities, accelerations = rates(found, 0.01)
    assert np.abs(velocities).max() <= 1.0 * ROUNDING
    assert np.abs(accelerations).max() <= (acceleration or np.inf) * ROUNDING
    assert found[-1].reached and np.abs(velocities[-1]).max() < 1e-3
    assert not found[5].reached
    assert found[5].reason.startswith("the speed and acceleration limits of crank, ")


def test_a_tick_stops_before_an_obstacle_with_its_loop_closed(four_bar):
    closed = Connect("end", "top")
    start = supple.solve(four_bar, [closed]).pose
    x, y, _ = np.multiply(1.06, crank_turned(start, 0.15))
    post = supple.Capsule((x, y, -1), (x, y, 1), 0.04)
    bone = supple.Capsule((0, 0, 0), (1, 0, 0), 0.02)
    goals = [
        Reach("coupler"),
        closed,
        supple.Avoid(0.01, obstacles=[post], capsules={"crank": bone}),
    ]
    ik = supple.prepare(four_bar, goals, max_speed=1.0, max_acceleration=20.0)
    found = loop(ik, [crank_turned(start, 0.4)] * 40, start, 0.02)
    assert max(map(opening, found)) <= 2.5e-7
    assert max(s.collision_depth for s in found) == 0.0
    assert np.abs(rates(found, 0.02)[1]).max() <= 20.0 * ROUNDING
    assert found[-1].reason.startswith("crank and obstacle 0 (Capsule) must keep apart")


def test_a_loop_that_is_open_at_the_start_is_closed_and_stays_so(four_bar):
    start = supple.solve(four_bar, [Connect("end", "top")]).pose
    target = crank_turned(start, 0.1)
    start = Pose(four_bar, start.coordinates + (0.1, 0.05, -0.05))
    goals = [Reach("coupler"), Connect("end", "top")]
    ik = supple.prepare(four_bar, goals, max_speed=1.0, max_acceleration=20.0)
    found = loop(ik, [target] * 120, start, 0.01)
    assert np.all(np.diff([opening(s) for s in found]) <= 2.5e-7)
    assert found[0].status is supple.Status.OPEN_LOOP and found[-1].reached
    velocities, accelerations = rates(found, 0.01)
    assert np.abs(velocities).max() <= 1.0 * ROUNDING
    assert np.abs(accelerations).max() <= 20.0 * ROUNDING


def test_balls_of_a_weld_move_together():
    nodes = [Node("chest", None, joint=supple.Fixed())]
    for side, y in (("l", 0.5), ("r", -0.5)):
        nodes += [
            Node(f"{side}0", "chest", (0, y, 0), Ball()),
            Node(f"{side}1", f"{side}0", (1, 0, 0), Ball()),
            Node(f"{side}2", f"{side}1", (1, 0, 0), Ball()),
        ]
    arms, weld = Skeleton(nodes), Weld("l2", "r2", rotation=(0.8, 0.0, 0.6, 0.0))
    start = supple.solve(arms, [weld, Reach("l2", (1.2, 0.1, 0.2))]).pose
    ik = supple.prepare(arms, [Reach("l2"), weld], max_speed=2.0, max_acceleration=30.0)
    found = loop(ik, [(1.2, 0.15, 0.25)] * 40, start, 0.02)
    assert max(s.errors[1:].max() for s in found) <= 2.5e-7
    velocities, accelerations = rates(found, 0.02)
    assert np.linalg.norm(velocities.reshape(40, 6, 3), axis=2).max() <= 2.0 * ROUNDING
    assert np.linalg.norm(accelerations.reshape(40, 6, 3), axis=2).max() <= 30.0 * ROUNDING
    assert found[-1].reached


# Calls --------------------------------------------------------------------------------------------


def test_calls_have_no_memory(arm):
    ik = supple.prepare(arm, [Reach("tip")], max_speed=1.0, max_acceleration=5.0)
    first = ik((1.0, 1.0, 0.0), dt=0.02)
    loop(ik, [(0.0, 2.0, 0.0)] * 5, arm.rest, 0.02)
    again = pickle.loads(pickle.dumps(ik))((1.0, 1.0, 0.0), dt=0.02)
    assert first == ik((1.0, 1.0, 0.0), dt=0.02) == again
    assert np.array_equal(first.velocity, again.velocity)


# Every kind of joint ------------------------------------------------------------------------------


def test_balls_are_limited_by_the_length_of_their_angular_velocity():
    snake = supple.chain([1.0, 1.0, 1.0])
    ik = supple.prepare(snake, [Reach("tip")], max_speed=1.0, max_acceleration=8.0)
    path = [(0.5, 1.0, 1.5)] * 150
    found = loop(ik, path, snake.rest, 0.02)
    velocities, accelerations = rates(found, 0.02)
    for k in range(3):
        one = slice(3 * k, 3 * k + 3)
        assert np.linalg.norm(velocities[:, one], axis=1).max() <= ROUNDING
        assert np.linalg.norm(accelerations[:, one], axis=1).max() <= 8.0 * ROUNDING
    assert found[-1].reached and np.abs(found[-1].velocity).max() < 1e-6
    # The velocity is that of the poses: q' = exp(v dt) q.
    before, after = found[3].pose, found[4].pose
    for k in range(3):
        turn = supple.rotations.from_rotation_vector(found[4].velocity[3 * k : 3 * k + 3] * 0.02)
        moved = supple.rotations.multiply(turn, before.coordinates[4 * k : 4 * k + 4])
        assert supple.rotations.angle_between(moved, after.coordinates[4 * k : 4 * k + 4]) < 1e-7


def test_cones_keep_their_speed_along_the_edge_of_their_limits():
    """The limits of swing and twist move a step that breaks them, by more than the step had."""
    dt, most = 0.05, 0.3
    cones = [supple.Cone(0.45, twist=0.2, axis="x"), supple.Cone(0.3, twist=0.3, axis="x")]
    skeleton = supple.chain([1.0, 0.7], joint=cones)
    ik = supple.prepare(skeleton, [Reach("tip")], max_speed=most, max_acceleration=0.5)
    for seed in range(8):
        targets = np.random.default_rng(seed).normal(size=(3, 3))
        found = loop(ik, np.repeat(targets, 25, axis=0), skeleton.rest, dt)
        velocities, _ = rates(found, dt)
        assert np.linalg.norm(velocities.reshape(-1, 2, 3), axis=2).max() <= most * ROUNDING
        assert max(s.pose.violations().max() for s in found) < 1e-9


def test_a_cone_that_starts_outside_its_limits_comes_back_at_the_speed_allowed():
    skeleton = supple.chain([1.0], joint=supple.Cone(0.3, axis="x"))
    start = skeleton.pose({"j0": supple.rotations.from_axis_angle("z", 0.9)})
    ik = supple.prepare(skeleton, [Reach("tip")], max_speed=0.5)
    found = loop(ik, [(1.0, 0.0, 0.0)] * 60, start, 0.1)
    assert np.linalg.norm([s.velocity for s in found], axis=1).max() <= 0.5 * ROUNDING
    assert found[-1].reached


def test_a_joint_that_slides_and_turns_takes_a_pair():
    body = Skeleton([Node("body", None, joint=Free())], [Tip("hand", "body", (1.0, 0.0, 0.0))])
    T = supple.rotations.to_matrix(supple.rotations.from_axis_angle("z", 2.0))
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = T, (3.0, 1.0, 0.0)
    ik = supple.prepare(body, Reach("hand", pose=OPEN), max_speed={"body": (0.5, 2.0)})
    s = ik(pose, dt=0.1)
    assert np.abs(s.velocity[:3]).max() == pytest.approx(0.5)
    assert np.linalg.norm(s.velocity[3:]) == pytest.approx(2.0)


def test_copies_limit_what_they_copy():
    skeleton = Skeleton(
        [
            Node("a", None, joint=Hinge("z")),
            Node("b", "a", (1.0, 0.0, 0.0), Hinge("z", mimic=Mimic("a", 2.0))),
        ],
        [Tip("tip", "b", (1.0, 0.0, 0.0))],
    )
    ik = supple.prepare(skeleton, [Reach("tip")], max_speed={"b": 1.0}, max_acceleration=4.0)
    target = Pose(skeleton, [0.8, 1.6]).position("tip")
    found = loop(ik, [target] * 150, Pose(skeleton, [0.1, 0.2]), 0.02)
    poses = np.array([s.pose.coordinates for s in found])
    assert np.allclose(poses[:, 1], 2.0 * poses[:, 0], rtol=0.0, atol=1e-15)
    velocities = np.diff(poses[:, 1]) / 0.02
    assert np.abs(velocities).max() <= 1.0 * ROUNDING
    assert np.abs(np.diff(velocities)).max() / 0.02 <= 4.0 * ROUNDING
    assert found[-1].reached


def test_sliders_and_fixed_joints():
    skeleton = Skeleton(
        [
            Node("rail", None, joint=Slider("x", limits=(0.0, 2.0))),
            Node("turn", "rail", joint=Hinge("z")),
        ],
        [Tip("tip", "turn", (1.0, 0.0, 0.0))],
    )
    ik = supple.prepare(skeleton, [Reach("tip")], max_speed=0.5, max_acceleration=2.0)
    found = loop(ik, [(2.0, 0.8, 0.0)] * 250, skeleton.rest, 0.02)
    velocities, accelerations = rates(found, 0.02)
    assert np.abs(velocities).max() <= 0.5 * ROUNDING
    assert np.abs(accelerations).max() <= 2.0 * ROUNDING
    assert found[-1].reached


# What is said -------------------------------------------------------------------------------------


def test_the_reason_names_the_joints_that_are_late(arm):
    ik = supple.prepare(arm, [Reach("tip")], max_speed={"j1": 0.1})
    s = ik((1.0, 1.0, 0.0), start=Pose(arm, (0.3, 0.6, 0.4)), dt=0.02)
    assert s.status is supple.Status.LIMITED and s.limited == ("j1",)
    assert s.reason.startswith("the speed and acceleration limits of j1 are in the way; tip is ")
    assert supple.solve(arm, {"tip": (1.0, 1.0, 0.0)}).reached


def test_a_target_out_of_reach_is_too_far_in_a_tick_too(arm):
    ik = supple.prepare(arm, [Reach("tip")], max_speed=0.1)
    assert ik((9.0, 1.0, 0.0), dt=0.02).status is supple.Status.TOO_FAR


def test_velocities_go_through_json_and_indices(arm):
    s = supple.prepare(arm, [Reach("tip")], max_speed=1.0)((1.0, 1.0, 0.0), dt=0.02)
    back = supple.Solution.from_json(s.to_json())
    assert back == s and np.array_equal(back.velocity, s.velocity)
    track = supple.track(arm, {"tip": [(2.0, 1.0, 0.0)] * 4}, dt=0.1, max_speed=1.0)
    assert np.array_equal(track[2].velocity, track.velocities[2])


def test_without_limits_a_tick_tells_the_velocity(arm):
    start = Pose(arm, (0.3, 0.6, 0.4))
    target = start.position("tip") + (0.01, 0.0, 0.0)
    s = supple.prepare(arm, [Reach("tip")])(target, start=start, dt=0.5)
    assert s.reached
    assert np.allclose(s.velocity, (s.pose.coordinates - start.coordinates) / 0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_speed": -1.0}, "max_speed: expected a positive number"),
        ({"max_speed": {"j9": 1.0}}, "unknown joint of max_speed 'j9'"),
        ({"max_speed": {"j1": "fast"}}, "max_speed of 'j1': expected a positive number"),
        ({"max_acceleration": 0.0}, "max_acceleration: expected a positive number"),
    ],
)
def test_bad_limits(arm, options, message):
    with pytest.raises(supple.SuppleError, match=message):
        supple.prepare(arm, [Reach("tip")], **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "dt: expected the seconds that a tick takes"),
        ({"dt": 0.0}, "dt: expected a positive number"),
        ({"dt": 0.1, "velocity": [1.0]}, "velocity: expected finite numbers of shape"),
        ({"dt": 0.1, "velocity": [1.0, np.nan, 0.0]}, "velocity: expected finite numbers"),
        ({"dt": 0.1, "before": (1.0, 2.0)}, "target of 'tip'"),
    ],
)
def test_bad_calls(arm, options, message):
    ik = supple.prepare(arm, [Reach("tip")], max_speed=1.0)
    with pytest.raises(supple.SuppleError, match=message):
        ik((1.0, 1.0, 0.0), **options)


def test_ticks_are_single(arm):
    ik = supple.prepare(arm, [Reach("tip")], max_speed=1.0)
    with pytest.raises(supple.SuppleError, match="a tick is a single solve"):
        ik(np.zeros((4, 3)), dt=0.1)
    with pytest.raises(supple.SuppleError, match="limits of speed or acceleration"):
        ik.solve(np.zeros((4, 3)), threads=1)
    with pytest.raises(supple.SuppleError, match="cannot be written"):
        ik.to_bytes()
    with pytest.raises(supple.SuppleError, match="expected a call with dt="):
        _ = supple.solve(arm, {"tip": (1.0, 1.0, 0.0)}).velocity
    with pytest.raises(supple.SuppleError, match="dt: expected the seconds"):
        supple.track(arm, {"tip": np.zeros((4, 3))}, max_speed=1.0)


def test_balls_start_at_rest_where_no_velocity_is_given():
    snake = supple.chain([1.0, 1.0], joint=Ball())
    ik = supple.prepare(snake, [Reach("tip")], max_acceleration=2.0)
    s = ik((0.0, 1.5, 0.0), dt=0.1)
    assert np.linalg.norm(s.velocity[:3]) == pytest.approx(0.2)
