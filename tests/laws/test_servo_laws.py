"""Laws of ticks: limits and margins hold in every one, for any targets and any sequence of dt."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import supple
from supple import Avoid, Ball, Capsule, Cone, Connect, Hinge, Pose, Reach, Slider

ROUNDING = 1.0 + 1e-6
SECONDS = st.floats(1e-3, 0.2)
RATES = st.tuples(st.floats(0.1, 10.0), st.floats(0.3, 50.0))
TARGET = st.tuples(*[st.floats(-2.0, 2.0)] * 3)
TICKS = st.lists(
    st.tuples(TARGET, st.lists(SECONDS, min_size=4, max_size=8)), min_size=1, max_size=3
)


def run(ik, start, ticks):
    """Every tick of a control loop: (dt, velocity before, solution)."""
    pose, v = start, np.zeros(len(start.skeleton.freedoms))
    for target, lengths in ticks:
        for dt in lengths:
            s = ik(target, start=pose, velocity=v, dt=dt)
            yield dt, v, s
            pose, v = s.pose, s.velocity


@settings(max_examples=40)
@given(RATES, TICKS)
def test_hinges_and_sliders_keep_all_limits(rates, ticks):
    speed, acceleration = rates
    joints = [Slider("x", limits=(-0.2, 0.3)), Hinge("z", limits=(-0.5, 0.7)), Hinge("y")]
    skeleton = supple.chain([0.5, 1.0, 0.7], joint=joints)
    ik = supple.prepare(skeleton, Reach("tip"), max_speed=speed, max_acceleration=acceleration)
    for dt, before, s in run(ik, skeleton.rest, ticks):
        assert np.abs(s.velocity).max() <= speed * ROUNDING
        assert np.abs(s.velocity - before).max() <= acceleration * dt * ROUNDING + 1e-9
        assert s.pose.violations().max() == 0.0


@settings(max_examples=40)
@given(RATES, TICKS)
def test_balls_keep_their_speed_and_acceleration_and_cones_their_speed(rates, ticks):
    speed, acceleration = rates
    skeleton = supple.chain([1.0, 0.7], joint=[Ball(), Cone(0.4, twist=0.2, axis="x")])
    ik = supple.prepare(skeleton, Reach("tip"), max_speed=speed, max_acceleration=acceleration)
    for dt, before, s in run(ik, skeleton.rest, ticks):
        sizes = np.linalg.norm(s.velocity.reshape(2, 3), axis=1)
        assert sizes.max() <= speed * ROUNDING + 1e-6
        change = np.linalg.norm((s.velocity - before)[:3])
        assert change <= acceleration * dt * ROUNDING + 1e-6
        assert s.pose.violations().max() < 1e-9


@settings(max_examples=30)
@given(RATES, TICKS)
def test_margins_are_kept(rates, ticks):
    speed, acceleration = rates
    skeleton = supple.chain([1.0, 1.0], joint=Hinge("z", limits=(-3.0, 3.0)))
    bone = Capsule((0, 0, 0), (1, 0, 0), 0.05)
    post = Capsule((1.5, 0, -1), (1.5, 0, 1), 0.1)
    goals = [Reach("tip"), Avoid(0.01, obstacles=[post], capsules={"j0": bone, "j1": bone})]
    ik = supple.prepare(skeleton, goals, max_speed=speed, max_acceleration=acceleration)
    for _, _, s in run(ik, skeleton.pose({"j0": 0.8}), ticks):
        assert s.collision_depth == 0.0 and s.status is not supple.Status.COLLIDES
        assert np.abs(s.velocity).max() <= speed * ROUNDING
        assert s.pose.violations().max() == 0.0


@settings(max_examples=15)
@given(RATES, TICKS)
def test_loops_stay_closed_within_all_limits(rates, ticks):
    """A crank that drives a slider, which ends before the crank has gone round."""
    speed, acceleration = rates
    skeleton = supple.Skeleton(
        [
            ("crank", None, (0, 0, 0), Hinge("z")),
            ("rod", "crank", (1, 0, 0), Hinge("z")),
            ("piston", None, (0, 0, 0), Slider("x", limits=(1.5, 2.9))),
        ],
        [("end", "rod", (2, 0, 0))],
    )
    # The piston at cos c + sqrt(4 - sin^2 c) for a crank at c.
    crank = 1.0
    rod = -crank - np.arcsin(np.sin(crank) / 2.0)
    start = Pose(skeleton, [crank, rod, np.cos(crank) + np.sqrt(4.0 - np.sin(crank) ** 2)])
    goals = [Reach("rod"), Connect("end", "piston")]
    ik = supple.prepare(skeleton, goals, max_speed=speed, max_acceleration=acceleration)
    for dt, before, s in run(ik, start, ticks):
        assert np.linalg.norm(s.position("end") - s.position("piston")) <= 3.0 * 1e-7
        assert s.status is not supple.Status.OPEN_LOOP
        assert np.abs(s.velocity).max() <= speed * ROUNDING
        assert np.abs(s.velocity - before).max() <= acceleration * dt * ROUNDING + 1e-9
        assert s.pose.violations().max() == 0.0
