"""Limits learnt from clips hold the clips, no more, and are kept and obeyed like any others."""

import math

import numpy as np
import pytest

import supple
from supple import (
    Axes,
    Ball,
    Character,
    Cone,
    Hinge,
    Motion,
    Node,
    Pose,
    Skeleton,
    SuppleError,
    Tip,
    learn_limits,
)
from supple.rotations import from_axis_angle, from_euler, from_rotation_vector

BALLS = ("spine", "upper", "lower", "hand")


def arm(rest=(1.0, 0.0, 0.0, 0.0)):
    return Skeleton(
        [
            Node("root", None, (0, 1, 0)),
            Node("spine", "root", (0, 0.5, 0)),
            Node("upper", "spine", (0.2, 0.1, 0), Ball(stiffness=0.3), rest),
            Node("lower", "upper", (0.3, 0, 0)),
            Node("hand", "lower", (0.25, 0, 0)),
            Node("gripper", "hand", (0.1, 0, 0), Hinge("z", (-1, 1))),
        ],
        [Tip("finger", "gripper", (0.1, 0, 0))],
    )


def wiggle(skeleton, seed=0, frames=80, size=0.9):
    """Smooth random turns of every ball; the lower arm only about y."""
    random = np.random.default_rng(seed)
    t = np.linspace(0, 2 * np.pi, frames)[:, None]
    values = {}
    for name in ("root", *BALLS):
        phases, rates = random.uniform(0, 6, 3), random.integers(1, 4, 3)
        values[name] = from_rotation_vector(
            size * np.sin(rates * t + phases) * random.uniform(0.3, 1, 3)
        )
    values["lower"] = from_axis_angle("y", -1.0 - 0.8 * np.sin(t[:, 0]))
    return Motion(f"clip {seed}", skeleton.rest.with_(values), fps=30.0)


def clips(skeleton):
    return [wiggle(skeleton, seed) for seed in range(3)]


def outside(skeleton, motions):
    return max(float(one.on(skeleton).poses.violations().max()) for one in motions)


@pytest.mark.parametrize("kind", ["cone", "quadrants", "axes"])
@pytest.mark.parametrize("rest", [(1.0, 0.0, 0.0, 0.0), (0.5, -0.5, 0.5, 0.5)])
def test_limits_hold_the_clips_they_were_learnt_from(kind, rest):
    skeleton = arm(rest)
    motions = clips(skeleton)
    limited = learn_limits(skeleton, motions, kind=kind)
    wanted = Axes if kind == "axes" else Cone
    for name in BALLS:
        assert isinstance(limited.joints[limited.index(name)], wanted)
    assert outside(limited, motions) == 0
    for motion in motions:
        on = motion.on(limited)
        assert np.allclose(on.poses.positions, motion.poses.positions, atol=1e-12)
        assert on.poses.clamped() == on.poses
    assert limited.joints[limited.index("upper")].stiffness == 0.3


@pytest.mark.parametrize("kind", ["cone", "axes"])
def test_limits_are_tight(kind):
    """Each limit is reached: less by a thousandth of a radian, and some frame is outside."""
    skeleton = arm()
    motions = clips(skeleton)
    limited = learn_limits(skeleton, motions, kind=kind)
    less = 1e-3
    for name in BALLS:
        joint = limited.joints[limited.index(name)]
        if kind == "cone":
            (low, high), swing = joint.twist, joint.swing
            axis = joint.axis
            tighter = [Cone(max(swing - less, 0), (low, high), axis)]
            if high - low > 2 * less:
                tighter += [
                    Cone(swing, (low + less, high), axis),
                    Cone(swing, (low, high - less), axis),
                ]
        else:
            pairs = [list(pair) for pair in joint.limits]
            tighter = []
            for k, (low, high) in enumerate(pairs):
                if high - low > 2 * less:
                    for new in ((low + less, high), (low, high - less)):
                        tighter.append(Axes("xyz", [*pairs[:k], new, *pairs[k + 1 :]]))
        assert tighter
        for other in tighter:
            assert outside(limited.with_joints({name: other}), motions) > 0.5 * less


def test_a_quantile_leaves_out_what_is_rare_and_a_margin_adds_room():
    skeleton = arm()
    angles = np.append(np.linspace(-0.2, 0.2, 99), 2.0)
    motion = Motion("m", skeleton.rest.with_({"hand": from_axis_angle("y", angles)}), fps=30.0)
    k = skeleton.index("hand")
    whole = learn_limits(skeleton, motion).joints[k]
    most = learn_limits(skeleton, motion, quantile=0.9).joints[k]
    wider = learn_limits(skeleton, motion, quantile=0.9, margin=0.1).joints[k]
    assert whole.swing == pytest.approx(2.0, abs=1e-6)
    assert most.swing == pytest.approx(np.quantile(np.abs(angles), 0.9), abs=1e-6)
    assert wider.swing == pytest.approx(most.swing + 0.1, abs=1e-6)
    assert wider.twist == pytest.approx((-0.1, 0.1), abs=1e-6)
    box = learn_limits(skeleton, motion, kind="axes", quantile=0.9).joints[k]
    assert box.limits[1] == pytest.approx(tuple(np.quantile(angles, [0.05, 0.95])), abs=1e-6)


def test_a_twist_across_half_a_turn_has_a_short_range():
    skeleton = arm()
    twist = from_axis_angle("x", np.linspace(math.pi - 0.3, math.pi + 0.4, 50))
    motion = Motion("m", skeleton.rest.with_({"upper": twist}), fps=30.0)
    limited = learn_limits(skeleton, motion)
    low, high = limited.joints[limited.index("upper")].twist
    assert high - low == pytest.approx(0.7, abs=1e-6)
    assert outside(limited, [motion]) == 0


def test_a_bone_that_points_straight_back_and_any_twist_leave_the_twist_free():
    skeleton = arm()
    back = Motion("m", [skeleton.rest.with_({"upper": from_axis_angle("y", math.pi)})], fps=30.0)
    around = from_axis_angle("x", np.linspace(0, 2 * np.pi, 60))
    spin = Motion("m", skeleton.rest.with_({"upper": around}), fps=30.0)
    for motion in (back, spin):
        limited = learn_limits(skeleton, motion, margin=0.1)
        assert limited.joints[limited.index("upper")].twist == (-math.pi, math.pi)
        assert outside(limited, [motion]) == 0


def test_roots_and_other_joints_stay_and_hinges_are_made_where_asked():
    skeleton = arm()
    motions = clips(skeleton)
    limited = learn_limits(skeleton, motions)
    for name in ("root", "gripper"):
        assert limited.joints[limited.index(name)] == skeleton.joints[skeleton.index(name)]
    assert isinstance(limited.joints[limited.index("lower")], Cone)
    hinged = learn_limits(skeleton, motions, hinges=0.01)
    lower = hinged.joints[hinged.index("lower")]
    assert isinstance(lower, Hinge)
    assert np.allclose(np.abs(lower.axis), (0, 1, 0), atol=1e-9)
    assert lower.limits[1] - lower.limits[0] == pytest.approx(1.6, abs=1e-2)
    assert isinstance(hinged.joints[hinged.index("upper")], Cone)
    assert outside(hinged, motions) == 0
    named = learn_limits(skeleton, motions, joints=["root", "hand"])
    changed = [a != b for a, b in zip(named.joints, skeleton.joints, strict=True)]
    assert [n for n, c in zip(skeleton.joint_names, changed, strict=True) if c] == ["root", "hand"]
    again = learn_limits(named, motions, joints=["hand"], margin=0.2)  # a cone learns anew
    hand = skeleton.index("hand")
    assert again.joints[hand].swing == pytest.approx(named.joints[hand].swing + 0.2)


def test_clips_of_a_skeleton_with_the_same_names_count_from_this_rest():
    turned = arm((math.cos(0.2), 0.0, 0.0, math.sin(0.2)))
    motions = clips(arm())
    limited = learn_limits(turned, motions)
    assert outside(limited, motions) == 0
    assert limited.joints[2].swing != learn_limits(arm(), motions).joints[2].swing
    fewer = Skeleton([node for node in arm().nodes if node.name in ("root", "spine")])
    part = learn_limits(turned, wiggle_spine(fewer))
    assert isinstance(part.joints[1], Cone) and part.joints[2] == turned.joints[2]


def wiggle_spine(skeleton):
    turn = from_axis_angle("x", np.linspace(-0.3, 0.3, 20))
    return Motion("m", skeleton.rest.with_({"spine": turn}), fps=30.0)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("hero.glb", "cone"),
        ("hero.glb", "quadrants"),
        ("hero.glb", "axes"),
        ("hero.character", "axes"),
    ],
)
def test_limits_are_saved_with_the_skeleton(tmp_path, name, kind):
    skeleton = arm()
    motions = {one.name: one for one in clips(skeleton)}
    hero = Character(skeleton, motions=motions, unit="m", up="y")
    limited = learn_limits(hero, kind=kind, margin=0.05)
    assert isinstance(limited, Character) and set(limited.motions) == set(motions)
    supple.save(limited, tmp_path / name)
    again = supple.load(tmp_path / name)
    precise = 1e-6 if name.endswith(".character") else 1e-12
    for j in map(skeleton.index, BALLS):
        old, new = limited.skeleton.joints[j], again.skeleton.joints[j]
        assert type(old) is type(new)
        assert np.allclose(old.limit_rows, new.limit_rows, atol=precise)
    for motion in again.motions.values():
        assert motion.poses.violations().max() < 1e-5
    assert Skeleton.from_json(limited.skeleton.to_json()) == limited.skeleton


@pytest.mark.parametrize("kind", ["cone", "quadrants", "axes"])
def test_a_solve_stays_within_learnt_limits(kind):
    skeleton = arm()
    motions = clips(skeleton)
    limited = learn_limits(skeleton, motions, kind=kind, hinges=0.01)
    start = motions[0].on(limited)[10]
    target = motions[1].poses.position("finger")[40]
    random = np.random.default_rng(1)
    for goal in (target, *(random.uniform(-1, 1, (6, 3)) + (0.3, 1.6, 0))):
        reach = supple.Reach("finger", goal, root="spine")
        found = supple.solve(limited, [reach], start=start)
        assert found.pose.violations().max() < 1e-12
    whole = supple.Reach("finger", target)
    assert supple.solve(limited, [whole], start=start).reached


def test_a_joint_that_never_moves_is_held():
    skeleton = arm()
    motion = Motion("m", [skeleton.rest] * 5, fps=30.0)
    for axis in "xyz":
        turn = skeleton.rest.with_({"upper": from_axis_angle(axis, 0.5)})
        for kind in ("cone", "quadrants", "axes"):
            limited = learn_limits(skeleton, motion, kind=kind, margin=0.1)
            assert outside(limited, [motion]) == 0
            assert turn.on(limited).violations().max() == pytest.approx(0.4)
    bent = skeleton.rest.with_({"upper": from_euler("xyz", (0.3, 0.2, -0.4))})
    held = learn_limits(skeleton, Motion("m", [bent] * 5, fps=30.0), kind="axes")
    assert held.joints[2].limits == pytest.approx(
        np.array([(0.3, 0.3), (0.2, 0.2), (-0.4, -0.4)]), abs=1e-8
    )


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda s, m: learn_limits(m, m), "Skeleton or a supple.Character"),
        (lambda s, m: learn_limits(s), "a motion or more"),
        (lambda s, m: learn_limits(s, []), "a motion or more"),
        (lambda s, m: learn_limits(s, [s]), "motions: expected a supple.Motion"),
        (lambda s, m: learn_limits(s, m, kind="box"), "kind of limits"),
        (lambda s, m: learn_limits(s, m, kind="axes", order="xy"), "three letters"),
        (lambda s, m: learn_limits(s, m, quantile=0), "quantile"),
        (lambda s, m: learn_limits(s, m, quantile=95), "quantile"),
        (lambda s, m: learn_limits(s, m, margin=-0.1), "margin"),
        (lambda s, m: learn_limits(s, m, joints=["hnad"]), "hand"),
        (lambda s, m: learn_limits(s, m, joints="hand"), "list of names"),
        (lambda s, m: learn_limits(s, m, joints=["gripper"]), "ball or a cone, got a Hinge"),
        (lambda s, m: learn_limits(supple.chain([1, 1]), m), "that a motion has too"),
    ],
)
def test_what_cannot_be_learnt_is_refused(make, said):
    skeleton = arm()
    with pytest.raises(SuppleError, match=said):
        make(skeleton, Motion("m", Pose.stack([skeleton.rest] * 3), fps=30.0))


def test_quadrants_enclose_the_swings_more_tightly_than_a_cone():
    skeleton = supple.chain([1.0, 1.0])
    rng = np.random.default_rng(4)
    down, up, left, right = 0.1, 1.3, 0.4, 0.7
    size, around = np.sqrt(rng.uniform(size=3000)), rng.uniform(0, 2 * np.pi, 3000)
    a, b = size * np.cos(around), size * np.sin(around)
    a, b = a * np.where(a > 0, up, down), b * np.where(b > 0, right, left)
    turns = from_rotation_vector(np.stack([0 * a, -b, a], axis=1))  # the bone is +x, up is y
    rest = np.broadcast_to([1.0, 0.0, 0.0, 0.0], turns.shape)
    motion = Motion("m", supple.Pose(skeleton, np.concatenate([turns, rest], axis=1)), fps=30.0)
    learnt = learn_limits(skeleton, motion, joints=["j0"], kind="quadrants").joints[0]
    assert learnt.swing == pytest.approx((down, up, left, right), rel=0.03)
    some = learn_limits(skeleton, motion, joints=["j0"], kind="quadrants", quantile=0.5)
    held = motion.on(some).poses.violations()[:, 0] == 0
    assert held.mean() == pytest.approx(0.5, abs=0.01)
