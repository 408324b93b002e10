"""Joints, limits and IK rules."""

from itertools import combinations

import numpy as np
import pytest

import supple

ARM = """
attr target = [1.5, 2.5, 0.8]
attr depth = 0
Arm --> s(1, 1, 1) Part(0)
Part(k) --> s(1.2, 0.4, 0.4) joint("j" + k, 0, 0.5, 0.5) OPTIONS Rest(k)
Rest(k) --> case k == 3 : IK(target, depth = depth) Box else : [ Box ] t('1, 0, 0) Part(k + 1)
Box --> i("box")
"""


def arm(options: str = "", ik: str = "depth = depth", **attributes):
    rules = ARM.replace("OPTIONS", options).replace("depth = depth", ik)
    return supple.grow(rules, attributes=attributes)


def test_shapes_form_a_skeleton() -> None:
    grown = arm()
    skeleton = grown.skeleton
    assert skeleton.joint_names == ("Arm", "j0", "j1", "j2", "j3")
    assert [skeleton.parent(name) for name in skeleton.joint_names] == [
        None,
        "Arm",
        "j0",
        "j1",
        "j2",
    ]
    assert isinstance(skeleton.joints[0], supple.Fixed)
    assert skeleton.offsets[1].tolist() == pytest.approx([0, 0.2, 0.2])
    assert skeleton.offsets[2].tolist() == pytest.approx([1.2, 0, 0])
    assert skeleton.tip_names == ("Rest effector",)
    # The far corner of the last shape, seen from the middle of its near face.
    assert skeleton.tips[0].offset == pytest.approx((1.2, 0.2, 0.2))


def test_a_joint_has_the_axes_of_its_scope() -> None:
    grown = supple.grow(
        'A --> r(0, 90, 0) s(2, 1, 1) joint("a", 0.5, 1, 0) r(90, 0, 0) joint("b") B'
    )
    rest = grown.skeleton.rest
    assert rest.position("a").tolist() == pytest.approx([0, 1, -1])
    assert supple.rotations.rotate(rest.rotation("a"), (1, 0, 0)) == pytest.approx((0, 0, -1))
    assert rest.position("b").tolist() == pytest.approx([0, 0, 0])
    assert supple.rotations.rotate(rest.rotation("b"), (0, 1, 0)) == pytest.approx(
        (1, 0, 0), abs=1e-12
    )


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
def test_the_pose_is_that_of_ccd_on_the_same_skeleton(depth: int) -> None:
    grown = arm(depth=depth)
    (goal,) = grown.goals
    assert goal.depth == depth
    answer = supple.solve(
        grown.skeleton,
        [supple.Reach("Rest effector", (1.5, 2.5, 0.8), depth=depth)],
        solver=supple.CCD(max_iterations=50),
        tolerance=0.01,
    )
    assert np.array_equal(answer.pose.coordinates, grown.pose.coordinates)
    assert grown.touches[0].solution.iterations == answer.iterations
    assert grown.reached == answer.reached
    turned = answer.pose.turns(grown.skeleton.rest) > 0
    assert turned.sum() == (depth or 4)


def test_depths_1_2_3_and_0_give_four_poses() -> None:
    poses = [arm(depth=depth).pose.coordinates for depth in (1, 2, 3, 0)]
    for a, b in combinations(poses, 2):
        assert np.abs(a - b).max() > 0.05


def test_the_effector_touches_and_the_shapes_follow() -> None:
    grown = arm()
    assert grown.reached
    hand = grown.shapes.named("Part")[-1]
    assert np.linalg.norm(hand.point(1, 1, 1) - (1.5, 2.5, 0.8)) <= 0.01
    # Parts stay together: the end of each is the beginning of the next.
    parts = grown.shapes.named("Part")
    for a, b in zip(parts[:-1], parts[1:], strict=True):
        assert a.point(1, 0.5, 0.5) == pytest.approx(b.point(0, 0.5, 0.5), abs=1e-12)


def test_another_effector_threshold_and_budget() -> None:
    grown = arm(ik="effector = [1, 0.5, 0.5], threshold = 0.000001, iterations = 200")
    hand = grown.shapes.named("Part")[-1]
    assert np.linalg.norm(hand.point(1, 0.5, 0.5) - (1.5, 2.5, 0.8)) <= 1e-6
    short = arm(ik="iterations = 1, threshold = 0.000001")
    assert not short.reached and short.touches[0].solution.iterations == 1


def test_a_named_root_limits_the_chain_like_a_depth() -> None:
    by_root, by_depth = arm(ik='root = "j2"'), arm(depth=2)
    assert np.array_equal(by_root.pose.coordinates, by_depth.pose.coordinates)


def test_fixed_shapes_stay(refused) -> None:
    grown = arm(ik='fix = "j1"')
    turned = dict(
        zip(grown.skeleton.joint_names, grown.pose.turns(grown.skeleton.rest), strict=True)
    )
    assert turned["j1"] == 0.0 and turned["j0"] > 0 and turned["j2"] > 0
    grown = arm(ik='fix = ["j0", "j3"]')
    turned = dict(
        zip(grown.skeleton.joint_names, grown.pose.turns(grown.skeleton.rest), strict=True)
    )
    assert turned["j0"] == turned["j3"] == 0.0 and turned["j1"] > 0
    rules = 'A --> s(1, 1, 1) joint("a") fix() t(1, 0, 0) joint("b") B IK(1, 1, 0)\nB --> i("box")'
    grown = supple.grow(rules)
    assert grown.pose.turns(grown.skeleton.rest)[1] == 0.0
    assert "fix: there is no joint 'knee'" in refused(
        rules.replace("IK(1, 1, 0)", 'IK(1, 1, 0, fix = "knee")')
    )


LIMITS = [
    ("SetJointLimits(-20, 20, -5, 5, 0, 30)", supple.Axes),
    ("SetJointLimits(x = 20, y = 0, z = [-30, 10])", supple.Axes),
    ("SetJointLimits(hinge = z, limits = [-25, 40])", supple.Hinge),
    ("SetJointLimits(cone = 25, twist = 10, axis = x)", supple.Cone),
]


@pytest.mark.parametrize(("limits", "kind"), LIMITS)
def test_limits_hold_exactly(limits: str, kind: type) -> None:
    grown = arm(limits, target=(-1.0, 1.0, 2.0))
    assert all(isinstance(joint, kind) for joint in grown.skeleton.joints[1:])
    assert not grown.reached
    assert grown.pose.violations().max() <= 1e-15  # a cone's is found through an arctangent
    assert grown.pose.turns(grown.skeleton.rest).max() > 0.1


def test_limits_are_degrees_as_they_are_written() -> None:
    axes, hinge, cone = (arm(LIMITS[k][0]).skeleton.joints[1] for k in (1, 2, 3))
    assert np.degrees(axes.limit_rows).ravel() == pytest.approx([-20, 20, 0, 0, -30, 10])
    assert np.degrees(hinge.limits) == pytest.approx([-25, 40]) and hinge.axis == (0, 0, 1)
    assert np.degrees(cone.swing) == pytest.approx(25)
    assert np.degrees(cone.twist) == pytest.approx([-10, 10]) and cone.axis == (1, 0, 0)
    four = arm("SetJointLimits(cone = [5, 90, 10, 30], axis = x)", target=(-1.0, 1.0, 2.0))
    assert np.degrees(four.skeleton.joints[1].swing) == pytest.approx([5, 90, 10, 30])
    assert four.pose.violations().max() <= 1e-14
    slow = arm("SetJointLimits(damping = 5, stiffness = 0.5)").skeleton.joints[1]
    assert np.degrees(slow.damping) == pytest.approx(5) and slow.stiffness == 0.5


@pytest.mark.parametrize("solver", ["LM", "FABRIK", "Jacobian", "auto"])
def test_any_solver_can_solve_a_rule(solver: str) -> None:
    grown = arm(ik=f'solver = "{solver}", iterations = 200')
    assert grown.reached


def test_an_orientation_is_reached() -> None:
    grown = arm(ik='orientation = [0, 0, 90], solver = "LM", iterations = 100')
    assert grown.reached
    hand = grown.shapes.named("Part")[-1]
    assert hand.T_world_scope[:3, 0] == pytest.approx((0, 1, 0), abs=1e-3)


def test_steps_are_kept_as_a_motion() -> None:
    grown = arm(ik="steps = true")
    assert grown.steps is not None and grown.motion is not None
    assert len(grown.motion) == grown.touches[0].solution.iterations + 1
    assert np.array_equal(grown.steps[0].coordinates, grown.skeleton.rest.coordinates)
    assert np.array_equal(grown.steps[-1].coordinates, grown.pose.coordinates)
    assert arm().motion is None


def test_an_unreachable_target_is_reached_by_stretching() -> None:
    far = (7.0, 2.0, 0.0)
    assert not arm(target=far).reached
    grown = arm(ik="stretch = 2", target=far)
    assert grown.reached
    joints = dict(zip(grown.skeleton.joint_names, grown.skeleton.joints, strict=True))
    assert all(joints[f"j{k}"].stretch == (1.0, 2.0) for k in range(4))
    # The far corner is beside the axis that the last shape is stretched along.
    assert joints.keys() - {"Arm", "j0", "j1", "j2", "j3"} == {"Rest effector base"}
    # The mesh touches too: the last one has a corner at the target.
    points = np.concatenate([mesh.positions for mesh in grown.meshes()])
    assert np.linalg.norm(points - far, axis=1).min() < 0.02
    assert not arm(ik="stretch = [0.5, 1.1]", target=far).reached


@pytest.mark.parametrize(
    ("options", "effector"),
    [
        ("", (1, 1, 1)),
        ("effector = [0.5, 1, 0.5], ", (0.5, 1, 0.5)),
        ("effector = [0, 0.7, 1], ", (0, 0.7, 1)),
        ("depth = 1, ", (1, 1, 1)),
    ],
)
@pytest.mark.parametrize("joint", ["0.5, 0, 0.5", "0, 0, 0", "0.5, 1, 0.2", "0.5, 0.5, 0.5"])
def test_a_stretched_shape_stays_a_box(options: str, effector: tuple, joint: str) -> None:
    rules = (
        f'A --> s(0.5, 1.5, 0.5) joint("j", {joint}) IK(9, 9, 0, {options}stretch = 90) i("box")'
    )
    grown = supple.grow(rules)
    assert grown.reached
    shape = grown.leaves[0]
    corner = shape.point(0, 0, 0)
    edges = np.array([shape.point(*unit) - corner for unit in np.eye(3)])
    lengths = np.linalg.norm(edges, axis=1)
    cosines = edges @ edges.T / np.outer(lengths, lengths)
    assert cosines == pytest.approx(np.eye(3), abs=1e-9)
    assert shape.size == pytest.approx(lengths)
    assert np.sum(np.abs(shape.size - (0.5, 1.5, 0.5)) > 1e-9) == 1, "along one axis"
    frame = shape.T_world_scope[:3, :3]
    assert frame.T @ frame == pytest.approx(np.eye(3), abs=1e-9)
    # The mesh is that box, and it touches.
    (mesh,) = grown.meshes()
    local = (mesh.positions - corner) @ np.linalg.inv(edges)
    assert local.min() == pytest.approx(0, abs=1e-9) and local.max() == pytest.approx(1)
    assert shape.point(*effector) == pytest.approx((9, 9, 0), abs=0.011)


def test_a_stretched_shape_carries_the_joints_beside_its_axis() -> None:
    rules = """
    A --> s(0.4, 2, 0.4) joint("a", 0.5, 0, 0.5, stretch = 3) [ i("box") ] t('1, '1, '1) B
    B --> s(0.2, 1, 0.2) joint("b", 0, 0, 0) IK(3, 4, 1, effector = [0.5, 1, 0.5]) i("box")
    """
    grown = supple.grow(rules)
    assert grown.reached
    upper, lower = grown.leaves
    assert upper.size[1] > 2.0 and upper.size[[0, 2]] == pytest.approx((0.4, 0.4))
    assert upper.point(1, 1, 1) == pytest.approx(lower.point(0, 0, 0)), "they hang together"
    assert lower.size == pytest.approx((0.2, 1, 0.2))


def test_a_shape_with_children_along_several_axes_stretches_uniformly() -> None:
    rules = """
    A --> s(1, 1, 1) joint("a", 0.5, 0.5, 0.5, stretch = 4) [ i("box") ]
        [ t('1, '0.5, '0.5) Arm(6, 0, 0) ] [ t('0.5, '1, '0.5) Arm(0.5, 6, 0.5) ]
    Arm(x, y, z) --> s(0.1, 0.1, 0.1) IK(x, y, z, effector = [0, 0, 0], unreachable = approach) i("box")
    """
    size = supple.grow(rules).leaves[0].size
    assert size[0] > 1.5 and size == pytest.approx([size[0]] * 3)


def test_freedoms_limit_what_ik_changes() -> None:
    far = (9.0, 2.0, 0.0)
    moved = arm(ik='freedoms = "position", depth = 1', target=far)
    assert moved.reached
    assert moved.pose.turns(moved.skeleton.rest).max() == 0.0
    slid = arm(ik='freedoms = ["rotation", "position"], slide = 1', target=far)
    assert slid.reached and np.all(slid.pose.violations() == 0.0)
    sized = arm(ik='freedoms = "size"', target=(9.0, 0.5, 0.5))
    assert sized.pose.turns(sized.skeleton.rest).max() == 0.0
    assert sized.touches[0].solution.error < 3.0


def test_another_solution_still_touches() -> None:
    first, second = (arm(ik=f"solution = {k}, threshold = 0.001") for k in (1, 2))
    assert first.reached and second.reached
    assert first.pose.turns(second.pose).max() > 0.1


TWO = """
Body --> s(1, 2, 1) joint("spine", 0.5, 0, 0.5) [ i("box") ] t(0, '1, 0)
	[ Arm("left", [-1.2, 3, 0.5]) ] [ t('1, 0, 0) Arm("right", [2.4, 2.2, 0.5]) ]
Arm(side, goal) --> s(0.2, 1, 0.2) joint(side + " arm", 0.5, 0, 0.5) [ i("box") ]
	t(0, '1, 0) joint(side + " hand", 0.5, 0, 0.5) IK(goal DEPTH) i("box")
"""


def test_several_ik_rules_that_share_joints_all_touch() -> None:
    grown = supple.grow(TWO.replace("DEPTH", ""))
    assert len(grown.touches) == 2 and grown.reached
    assert grown.touches[0].solution is grown.touches[1].solution
    assert grown.pose.turns(grown.skeleton.rest)[1] > 0
    for touch in grown.touches:
        assert np.linalg.norm(grown.pose.position(touch.effector) - touch.target) <= 0.01


def test_ik_rules_without_common_joints_are_solved_in_order() -> None:
    grown = supple.grow(TWO.replace("DEPTH", ", depth = 2, iterations = 100"))
    assert grown.pose.turns(grown.skeleton.rest)[1] == 0.0
    start = grown.skeleton.rest
    for touch in grown.touches:
        answer = supple.solve(grown.skeleton, [touch.goal], start=start, **touch.options)
        start = answer.pose
    assert np.array_equal(start.coordinates, grown.pose.coordinates)


STREET = """
Street --> split(x){ ~4 : Plot }*
Plot --> [ t('rand(0.4, 0.9), 0, 0) Lamp(rand(1.5, 2.5)) ] Robot
Lamp(h) --> s(0.1, h, 0.1) i("cylinder")
Robot --> s(0.4, 1, 0.4) joint("body", 0.5, 0, 0.5) [ i("box") ] t(0, '1, 0) Part(1)
Part(k) --> s(0.3, 1.2, 0.3) joint("arm", 0.5, 0, 0.5) More(k)
More(k) --> case k == 3 : IK(shapePoint("Lamp", 0.5, 1, 0.5), iterations = 100) i("box")
	else : [ i("box") ] t(0, '1, 0) Part(k + 1)
"""


def test_each_figure_reaches_for_its_own_lamp() -> None:
    grown = supple.grow(STREET, size=(40, 0, 4), seed=5)
    lamps, bodies = grown.shapes.named("Lamp"), grown.shapes.named("Robot")
    assert len(lamps) == len(bodies) == len(grown.touches) == 10
    assert grown.reached
    for lamp, touch in zip(lamps, grown.touches, strict=True):
        assert touch.target == pytest.approx(lamp.point(0.5, 1, 0.5))
        assert np.linalg.norm(grown.pose.position(touch.effector) - touch.target) <= 0.01
    names = grown.skeleton.joint_names
    assert len(names) == len(set(names)) == 1 + 10 * 4
    # Solved separately, with the same pose as a solve of the whole skeleton.
    start = grown.skeleton.rest
    for touch in grown.touches[:3]:
        answer = supple.solve(grown.skeleton, [touch.goal], start=start, **touch.options)
        for name in touch.solution.skeleton.joint_names[1:]:
            k = grown.skeleton.index(name)
            assert answer.pose.rotations[k] == pytest.approx(grown.pose.rotations[k], abs=1e-9)


def test_a_target_may_be_on_a_figure_that_was_posed_before() -> None:
    rules = """
    Two --> [ One ] t(6, 0, 0) Other
    One --> s(1, 3, 1) joint("one", 0.5, 0, 0.5) IK([2, 2, 0.5]) Box
    Other --> s(1, 3, 1) joint("other", 0.5, 0, 0.5) [ Box ] t(0, '1, 0) joint("more", 0.5, 0, 0.5)
        IK(shapePoint("One", 1, 1, 1), iterations = 200) Box
    Box --> i("box")
    """
    grown = supple.grow(rules)
    moved = grown.shapes.named("One")[0].point(1, 1, 1)
    assert grown.touches[1].target == pytest.approx(moved)
    assert moved != pytest.approx((1, 3, 1))


def test_a_target_in_the_scope_of_the_shape() -> None:
    rules = 'A --> t(5, 0, 0) r(0, 90, 0) s(1, 2, 1) joint("a", 0.5, 0, 0.5) IK(2, 0, 0, space = scope) i("box")'
    assert supple.grow(rules).touches[0].target == pytest.approx((5, 0, -2))


def test_an_aim_points_an_axis_of_the_shape_at_the_target() -> None:
    rules = """
    A --> s(1, 1, 3) t(0, 2, 0) joint("head", 0.5, 0.5, 0)
        IK([3, 0, 4], aim = z, effector = [0.5, 0.5, 0]) i("box")
    """
    grown = supple.grow(rules)
    assert grown.reached
    head = grown.shapes[0]
    way = np.array([3, 0, 4]) - head.point(0.5, 0.5, 0)
    assert head.T_world_scope[:3, 2] == pytest.approx(way / np.linalg.norm(way), abs=1e-4)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("A --> IK(1, 2, 3) B", "IK: there is no joint here"),
        ("A --> SetJointLimits(x = 3) B", "SetJointLimits: there is no joint here"),
        ("A --> fix() B", "fix: there is no joint here"),
        ('A --> joint("a") IK(1, 2) B', "IK takes 1 or 3 arguments, got 2"),
        ('A --> joint("a") IK("x") B', "expected three numbers [x, y, z], got a string, 'x'"),
        ('A --> joint("a") IK([0, 0, 0], dept = 1) B', "unknown option of IK 'dept'"),
        ('A --> joint("a") IK([0, 0, 0], dept = 1) B', "did you mean 'depth'?"),
        ('A --> joint("a") IK([0, 0, 0], depth = 1, root = "a") B', "give root or depth, not both"),
        ('A --> joint("a") s(1, 1, 1) IK([0, 0, 0], root = "b") B', "no joint 'b' lies above"),
        ('A --> joint("a") s(1, 1, 1) IK([0, 0, 0], solver = "CDC") B', "unknown solver 'CDC'"),
        (
            'A --> joint("a") s(1, 1, 1) IK(shapePoint("Lmp")) B',
            "there is no shape named or labelled 'Lmp'",
        ),
        ('A --> joint("a") IK([0, 0, 0], freedoms = "colour") B', "unknown freedom 'colour'"),
        (
            'A --> joint("a") SetJointLimits(cone = 200) B',
            "expected degrees from 0 to 180, got 200",
        ),
        ('A --> joint("a") SetJointLimits(x = [30, -30]) B', "got min 30 above max -30"),
        (
            'A --> joint("a") SetJointLimits(limits = 3) B',
            "expected angles about x, y, z, or a hinge",
        ),
        (
            'A --> joint("a") SetJointLimits(hinge = x, cone = 3) B',
            "expected angles about x, y, z, or",
        ),
        ('A --> joint("") B', "joint: expected a name, got none"),
        ('A --> joint("a", 1, 2) B', "joint takes 1 or 4 arguments, got 3"),
        ('A --> joint("a") fix() s(1, 1, 1) IK(1, 1, 1) B', "nothing can move"),
        ('A --> t(shapePoint("B"), 0, 0) B', "can only be used as the target of IK"),
    ],
)
def test_invalid_ik_is_refused_by_name_and_line(refused, rules: str, message: str) -> None:
    said = refused(rules)
    assert said.startswith("<rules>:1:") and message in said, said


def test_the_number_of_joints_is_limited(refused) -> None:
    rules = 'A --> split(x){ ~0.01 : joint("j") B }*'
    limits = supple.grammar.Limits(joints=50)
    assert "there are more than 50 joints" in refused(rules, limits=limits)


# Reasons of each rule ---------------------------------------------------------------------------

FORK = """
attr one = [-1, 3, 0]
attr two = [1, 3, 0]
Trunk --> s(0.2, 2, 0.2) joint("trunk", 0.5, 0, 0.5) [ i("box") ] t('0.5, '1, '0.5)
    [ Twig(one, "one") ] [ Twig(two, "two") ]
Twig(target, name) --> s(0.1, 1.5, 0.1) joint(name, 0.5, 0, 0.5) label(name)
    IK(target, effector = [0.5, 1, 0.5]) i("box")
"""


def test_rules_solved_together_have_separate_reasons() -> None:
    near = supple.grow(FORK)
    assert near.reached
    for touch, name in zip(near.touches, ("one", "two"), strict=True):
        assert touch.reason == f"{name} effector is {touch.error:.3g} from its target"
        assert touch.error <= 0.01
    far = supple.grow(FORK, attributes={"two": (9.0, 9.0, 0.0)})
    one, two = far.touches
    assert one.solution is two.solution and not two.reached
    for touch in far.touches:
        tip = touch.solution.pose.position(touch.effector)
        assert touch.error == pytest.approx(np.linalg.norm(tip - touch.target))
        assert f"{touch.effector} is {touch.error:.3g} from its target" in touch.reason
        assert repr(touch) == f"Touch({touch.effector!r}: {touch.reason})"
    assert two.reason.startswith("the target of two effector is 12.")
    assert "two effector is" not in one.reason
    if not one.reached:
        assert one.reason.endswith(
            "it shares joints with two effector, whose target is out of reach"
        )


def test_a_rule_solved_alone_has_the_reason_of_its_solution() -> None:
    (touch,) = arm(target=(50.0, 0.0, 0.0)).touches
    assert touch.reason == touch.solution.reason
    assert touch.error == touch.solution.error


def test_only_limits_of_its_own_joints_are_a_reason_of_a_rule() -> None:
    rules = FORK.replace("label(name)", "SetJointLimits(hinge = z, limits = [-10, 10]) label(name)")
    rules = rules.replace(
        'joint("trunk", 0.5, 0, 0.5)',
        'joint("trunk", 0.5, 0, 0.5) SetJointLimits(hinge = z, limits = 5)',
    )
    for touch in supple.grow(
        rules, attributes={"one": (-1.4, 2.2, 0.0), "two": (1.4, 2.2, 0.0)}
    ).touches:
        other = {"one effector": "two", "two effector": "one"}[touch.effector]
        assert not touch.reached
        assert other not in touch.reason and touch.effector in touch.reason
