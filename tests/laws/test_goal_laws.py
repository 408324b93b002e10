"""Laws of the goals that whole machines need: loops, moving targets, what is avoided, balance, goals of one's own.

Random figures with two arms are asked for a random choice of them. Everything is measured on the poses, without
the kernels.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from drawing import SOLVERS, examples, solver_of
from hypothesis import given
from hypothesis import strategies as st

import supple
from supple import Avoid, Balance, Connect, LookAt, On, Reach, Weld
from supple import rotations as rot
from supple.bodies.distances import segment_distances
from supple.model.masses import Mass
from supple.problem.lowering import LENGTHS_PER_RADIAN

LIMIT = 1e-9  # the most by which an answer may be outside a limit [rad]
MARGIN, RADIUS, EDGE = 0.02, 0.06, 0.45
SUPPORT = [(-EDGE, -EDGE, 0), (EDGE, -EDGE, 0), (EDGE, EDGE, 0), (-EDGE, EDGE, 0)]
SOLVER = supple.LM(max_iterations=80, restarts=2)


def aside_slopes(frames, values, out):
    out[:] = 0.0
    out[0, 0, 1], out[0, 1, 1] = 1.0, -1.0


@supple.goal(values=1)
def level(frames, values, out):
    out[0] = frames[0, 2, 3] - frames[1, 2, 3] - values[0]


@supple.goal(values=1, jacobian=aside_slopes)
def aside(frames, values, out):
    out[0] = frames[0, 1, 3] - frames[1, 1, 3] - values[0]


@supple.goal(rows=4, unit="angle", compiled=False)
def alike(frames, values, out):
    """Both frames turned alike, half of what is missing on each axis, and a row that says nothing."""
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        out[k] = 0.5 * (frames[0, :3, i] @ frames[1, :3, j] - frames[0, :3, j] @ frames[1, :3, i])
    out[3] = 0.0


@dataclass(frozen=True)
class Figure:
    """A skeleton, goals, a row of arguments for each problem, and starts inside the limits."""

    skeleton: supple.Skeleton
    goals: tuple
    targets: tuple  # an array for each goal, None for those that take nothing
    start: supple.Pose

    def solved(self, order=None, rows=slice(None), **settings):
        """The answers, with the goals in another order if one is given."""
        order = range(len(self.goals)) if order is None else order
        ik = supple.prepare(
            self.skeleton, [self.goals[i] for i in order], solver=SOLVER, **settings
        )
        given = [self.targets[i][rows] for i in order if self.targets[i] is not None]
        return ik.solve(*given, start=self.start[rows], threads=1)


def draw_joint(rng, axis):
    """A joint of a random kind, which may have limits, with its bone along an axis."""
    turn = rng.uniform(0.3, 1.5)
    return [
        supple.Ball(),
        supple.Hinge(rng.normal(size=3)),
        supple.Hinge(rng.normal(size=3), limits=(-turn, turn)),
        supple.Cone(turn, twist=(-0.7, 0.5), axis=axis),
        supple.Cone(rng.uniform(0.2, 1.5, 4), twist=(-0.7, 0.5), axis=axis),
        supple.Axes("zyx", limits={"y": (-turn, turn)}),
    ][rng.integers(6)]


def draw_skeleton(rng):
    """Hips and a chest on a foot, two arms of three joints, with capsules and masses."""
    nodes = [
        supple.Node("foot", None, joint=supple.Fixed()),
        supple.Node("hips", "foot", (0, 0, 0.6), draw_joint(rng, "z")),
        supple.Node("chest", "hips", (0, 0, 0.5), draw_joint(rng, "z")),
    ]
    capsules = {"hips": supple.Capsule((0, 0, 0), (0, 0, 0.5), 0.12)}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for n in range(3):
            offset = (0, 0.25 * sign, 0.1) if n == 0 else (0.3, 0, 0)
            name, parent = f"{side}{n}", f"{side}{n - 1}" if n else "chest"
            nodes.append(supple.Node(name, parent, offset, draw_joint(rng, "x")))
            capsules[name] = supple.Capsule((0, 0, 0), (0.3, 0, 0), RADIUS)
    tips = [supple.Tip(f"hand.{side}", f"{side}2", (0.3, 0, 0)) for side in "LR"]
    skeleton = supple.Skeleton(nodes, tips)
    masses = {name: Mass(rng.uniform(0.5, 4.0)) for name in skeleton.joint_names}
    return skeleton.with_physics(capsules=capsules, masses=masses)


def draw_goals(rng, skeleton, rows):
    """A reach, and some of the goals of whole machines, with their arguments."""
    turn = rot.from_rotation_vector(rng.normal(0.0, 0.4, 3))
    loop = [
        Connect("hand.L", "hand.R", point_a=(0, 0.05, 0)),
        Weld("L2", "R2", point_a=(0.1, 0.1, 0), rotation=turn),
    ][rng.integers(2)]
    point = rng.normal(0.0, 0.1, 3)
    offered = [
        (loop, None),
        (Reach("hand.R", On("L1", point), weight=0.5), None),
        (LookAt("chest", On("hand.L", point), axis=rng.normal(size=3), depth=0), None),
        (Avoid(MARGIN), None),
        (Balance(support=SUPPORT), None),
        (level(["hand.L", "hand.R"], weight=2.0), rng.uniform(-0.3, 0.3, (rows, 1))),
        (aside(["hand.L", "hand.R"]), rng.uniform(0.1, 0.8, (rows, 1))),
        (alike(["hand.L", "hand.R"], weight=0.3), None),
    ]
    some = rng.permutation(len(offered))[: rng.integers(1, 4)]
    near = skeleton.rest.position("hand.L") + rng.normal(0.0, 0.4, (rows, 3))
    chosen = [(Reach("hand.L"), near), *(offered[i] for i in sorted(some))]
    return tuple(goal for goal, _ in chosen), tuple(given for _, given in chosen)


@st.composite
def figures(draw, rows=3):
    """A figure with goals and a batch of problems."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    skeleton = draw_skeleton(rng)
    goals, targets = draw_goals(rng, skeleton, rows)
    ik = supple.prepare(skeleton, [Reach("hand.L"), Reach("hand.R")])
    start = ik.seeds(skeleton.rest, rows).clamped()
    return Figure(skeleton, goals, targets, start)


# Measuring ----------------------------------------------------------------------------------------


def on(pose, target):
    """Where a target on a bone is."""
    return pose.position(target.effector) + rot.rotate(pose.rotation(target.effector), target.point)


def misses(figure, b, pose):
    """For every demand on problem b, how far a pose is from it, as `errors` of a solution has them."""
    for goal, arguments in zip(figure.goals, figure.targets, strict=True):
        if isinstance(goal, Reach):
            target = on(pose, goal.target) if isinstance(goal.target, On) else arguments[b]
            yield np.linalg.norm(pose.position(goal.effector) - target)
        elif isinstance(goal, Connect):
            ends = [on(pose, On(goal.a, goal.point_a)), on(pose, On(goal.b, goal.point_b))]
            yield np.linalg.norm(ends[0] - ends[1])
            if isinstance(goal, Weld):
                turned = rot.multiply(pose.rotation(goal.a), goal.rotation)
                yield rot.angle_between(turned, pose.rotation(goal.b))
        elif isinstance(goal, LookAt):
            seen = rot.rotate(pose.rotation(goal.effector), goal.axis)
            way = on(pose, goal.target) - pose.position(goal.effector)
            yield np.arctan2(np.linalg.norm(np.cross(seen, way)), seen @ way)
        elif goal.kinds == ("own",):
            frames = pose.frames[[figure.skeleton.index(name) for name in goal.frames]]
            out = np.zeros(goal.function.rows)
            goal.function.residual(frames, np.zeros(0) if arguments is None else arguments[b], out)
            yield from [np.linalg.norm(out)] * -(-len(out) // 3)


def depth(figure, pose, pairs):
    """How deep the deepest pair is inside the margin, 0 if none is."""
    ends = {
        name: [pose.position(name) + rot.rotate(pose.rotation(name), end) for end in (one.a, one.b)]
        for name, (one,) in figure.skeleton.capsules.items()
    }
    radius = {name: one.radius for name, (one,) in figure.skeleton.capsules.items()}
    gaps = [
        float(segment_distances(*ends[a], *ends[b])) - radius[a] - radius[b] - MARGIN
        for a, b in pairs
    ]
    return max([0.0, *(-gap for gap in gaps)])


def topple(figure, pose):
    """How far the centre of mass is outside its support; 0 if balance is not asked for."""
    if not any(isinstance(goal, Balance) for goal in figure.goals):
        return 0.0
    x, y, _ = pose.center_of_mass
    return max(0.0, float(max(abs(x), abs(y))) - EDGE)


def standing(figure, b, pose, answer):
    """What is wrong with a pose, in the documented order: loops, pairs, balance, the cost of the goals."""
    length = supple.prepare(figure.skeleton, figure.goals).problem.length
    opening, cost = 0.0, 0.0
    for demand, miss in zip(answer.asked.demands, misses(figure, b, pose), strict=True):
        if demand.kind in ("meeting", "alignment"):
            opening = max(opening, miss / demand.tolerance)
    for goal, miss in zip(
        [figure.goals[d.goal] for d in answer.asked.demands], misses(figure, b, pose), strict=True
    ):
        if isinstance(goal, Reach) or goal.kinds == ("own",) and goal.function.unit == "length":
            cost += 0.5 * goal.weight * (miss / length) ** 2
        elif isinstance(goal, LookAt):
            cost += 0.5 * goal.weight * (2.0 * LENGTHS_PER_RADIAN * np.sin(0.5 * miss)) ** 2
        elif goal.kinds == ("own",):
            cost += 0.25 * goal.weight * (LENGTHS_PER_RADIAN * miss) ** 2  # `alike` has two blocks
    opening = opening if opening > 1.0 else 0.0
    return opening, depth(figure, pose, answer.asked.pairs), topple(figure, pose), cost


# Laws ---------------------------------------------------------------------------------------------


@examples(25)
@given(figure=figures())
def test_answers_are_what_they_say(figure):
    """Errors are distances, reached means all of it, limits hold, and no answer is worse than its start."""
    answers = figure.solved()
    assert answers.pose.violations().max() <= LIMIT
    for b, answer in enumerate(answers):
        mine = np.array(list(misses(figure, b, answer.pose)))
        assert np.allclose(answer.errors, mine, rtol=0.0, atol=1e-7)
        within = mine <= [demand.tolerance + 1e-9 for demand in answer.asked.demands]
        after = standing(figure, b, answer.pose, answer)
        sound = after[1] <= 1e-9 and after[2] <= 1e-9
        assert answer.reached == (within.all() and sound)
        if not answer.reached:
            before = standing(figure, b, figure.start[b], answer)
            slack = (1e-3, 1e-9, 1e-9, 1e-9)
            worse = next(
                (
                    x > y
                    for x, y, s in zip(after, before, slack, strict=True)
                    if abs(x - y) > s * (1 + y)
                ),
                False,
            )
            assert not worse, (after, before)


@examples(15)
@given(figure=figures(), seed=st.integers(0, 99))
def test_the_order_of_goals_does_not_matter(figure, seed):
    order = np.random.default_rng(seed).permutation(len(figure.goals)).tolist()
    one, other = figure.solved(), figure.solved(order)
    assert one.pose.coordinates.tobytes() == other.pose.coordinates.tobytes()
    assert np.array_equal(one.status, other.status)


@examples(15)
@given(figure=figures())
def test_a_batch_gives_the_bits_of_single_solves(figure):
    batch = figure.solved()
    for b in range(len(figure.start)):
        single = figure.solved(rows=slice(b, b + 1))
        assert single.pose.coordinates.tobytes() == batch.pose.coordinates[b : b + 1].tobytes()


@examples(10)
@given(figure=figures())
def test_what_is_kept_is_untouched(figure):
    kept = figure.solved(unreachable="keep")
    missed = np.flatnonzero(~kept.reached)
    start = figure.start.coordinates[missed]
    assert kept.pose.coordinates[missed].tobytes() == start.tobytes()


@pytest.mark.parametrize(
    "name", [n for n in SOLVERS if n == "auto" or "Cone" in solver_of(n).takes.joints]
)
@examples(12)
@given(seed=st.integers(0, 2**32))
def test_four_half_angles_hold_exactly_in_every_solver(name, seed):
    """Wide and narrow quadrants, one of them shut; starts on the rim, targets near and far."""
    rng = np.random.default_rng(seed)
    swing = rng.uniform(0.05, 2.5, 4)
    swing[rng.integers(4)] *= rng.integers(2)
    cone = supple.Cone(swing, twist=(-rng.uniform(0.0, 2.0), rng.uniform(0.0, 2.0)))
    arm = supple.chain(rng.uniform(0.3, 1.0, 2 if name == "TwoBone" else 4), joint=cone)
    rows = 2 if name == "Optimize" else 6
    turns = rot.normalize(rng.normal(size=(rows, len(arm.joints), 4)))
    start = supple.Pose(arm, turns.reshape(rows, -1)).clamped()
    targets = rng.normal(0.0, 0.5 * len(arm.joints) * 0.65, (rows, 3))
    answer = supple.prepare(arm, [Reach("tip")], solver=name).solve(targets, start=start, threads=1)
    assert start.violations().max() <= 1e-12
    assert answer.pose.violations().max() <= LIMIT
    before = np.linalg.norm(start.position("tip") - targets, axis=-1)
    assert np.all(answer.error <= before * (1.0 + 1e-9) + 1e-12)
