import json
import math
import threading
import time

import numpy as np
import pytest

import supple
from supple import CCD, costs
from supple.viewer import model, scenes
from supple.viewer.contacts import contacts
from supple.viewer.messages import Setup
from supple.viewer.session import Session

AT = (2.0, 4.0, 1.5)
FAR = (30.0, 0.0, 0.0)


def test_a_scene_answers_a_setup(page):
    scene = page.set_up(scene="snake", links=5)
    assert scene["names"] == ["j0", "j1", "j2", "j3", "j4", "tip"]
    assert scene["parents"] == [-1, 0, 1, 2, 3, 4]
    assert [g["effector"] for g in scene["goals"]] == ["tip"]
    pose = page.until(lambda: page.poses and page.poses[0])
    assert pose["count"] == 6 and pose["stride"] == 7
    # The goal begins where the tip is.
    assert np.allclose(pose["values"][5, :3], scene["places"][0]["position"], atol=1e-6)


def test_goals_are_solved_and_the_pose_is_python_s(page):
    scene = page.set_up(scene="snake")
    pose = page.want(("tip", AT))
    assert pose["reached"] and pose["status"] == "reached" and pose["solver"] == "LM"
    assert np.linalg.norm(pose["values"][-1, :3] - AT) <= scene["tolerance"] * 1.001
    assert pose["micros"] > 0 and "tip is" in pose["reason"]
    shown = page.session.poses[0]
    assert np.allclose(pose["values"][:, :3], shown.positions, atol=1e-5)
    assert np.allclose(pose["values"][:, 3:], shown.rotations, atol=1e-6)


def test_out_of_reach_is_said_in_words(page):
    page.set_up(scene="snake")
    pose = page.want(("tip", FAR))
    assert not pose["reached"] and pose["status"] == "too far"
    assert np.allclose(pose["values"][-1, :3], (8, 0, 0), atol=0.05), "as near as it can"


def test_kept_when_out_of_reach(page):
    page.set_up(scene="snake")
    before = page.want(("tip", AT))
    page.set_up(scene="snake", unreachable="keep")
    pose = page.want(("tip", FAR))
    assert pose["status"] == "too far"
    assert np.allclose(pose["values"], before["values"], atol=1e-6)


@pytest.mark.parametrize(
    "solver", ["CCD", "TargetTriangle", "FABRIK", "Jacobian", "LM", "Optimize"]
)
def test_every_solver_can_be_chosen(page, solver):
    page.set_up(scene="snake", solver={"name": solver})
    pose = page.want(("tip", AT))
    assert pose["reached"] and pose["solver"] == solver


def test_options_reach_the_solver(page):
    page.set_up(scene="snake", solver={"name": "CCD", "options": {"max_iterations": 1}})
    assert page.session.model.prepared[0].solvers == (CCD(max_iterations=1),)
    assert page.want(("tip", AT))["iterations"] == 1


def test_a_setup_that_does_not_go_together_is_refused_and_changes_nothing(page):
    page.set_up(scene="snake")
    page.want(("tip", AT))
    before = page.session.model
    refused = page.set_up(scene="snake", solver={"name": "TwoBone"})
    assert refused["type"] == "refused" and "exactly two" in refused["text"]
    assert page.session.model is before
    assert page.want(("tip", AT))["reached"]


@pytest.mark.parametrize(
    "setup",
    [
        {"scene": "snak"},
        {"scene": "file:000000000000"},
        {"scene": "snake", "links": 0},
        {"scene": "snake", "lengths": [1, -1]},
        {"scene": "snake", "solver": {"name": "CCD", "options": {"damp": 1}}},
        {"scene": "snake", "motion": "walk"},
    ],
)
def test_bad_setups_are_refused(page, setup):
    assert page.set_up(**setup)["type"] == "refused"


def test_a_broken_message_is_answered(page):
    page.session.receive("not json")
    assert page.messages[0]["type"] == "refused" and "JSON" in page.messages[0]["text"]


# Joints -------------------------------------------------------------------------------------------


def test_limits_can_be_switched_and_edited(page):
    scene = page.set_up(scene="arm", flat=True)
    assert [j["limits"] for j in scene["joints"]] == [[None]] * 5
    scene = page.set_up(scene="arm", flat=True, limits=True)
    degrees = [math.degrees(j["limits"][0][1]) for j in scene["joints"]]
    assert degrees[1:3] == pytest.approx([120, 90])
    edit = {"j1": {"limits": [[-0.2, 0.3]]}}
    scene = page.set_up(scene="arm", flat=True, limits=True, joints=edit)
    assert scene["joints"][1]["limits"] == [[-0.2, 0.3]]
    page.want(("tip", (2.0, 1.0, 0.0)))
    angle = page.session.poses[0].angles[1]
    assert -0.2 <= angle <= 0.3


def test_a_cone_is_made_of_a_ball_and_active_limits_are_told(page):
    joints = {f"j{k}": {"swing": 0.2} for k in range(1, 4)}
    scene = page.set_up(scene="snake", links=4, limits=True, joints=joints)
    assert scene["joints"][1]["kind"] == "Cone" and scene["joints"][1]["swing"] == 0.2
    pose = page.want(("tip", (0.5, 1.0, 0.0)))
    assert not pose["reached"]
    assert set(pose["active"]) >= {1, 2, 3}, "all bent as far as they go"


def test_damping_stiffness_and_stretch_reach_the_joints(page):
    joints = {"j1": {"damping": 0.5, "stiffness": 0.7}, "j2": {"damping": 0}}
    page.set_up(scene="snake", damping=0.1, stretch=2.0, joints=joints)
    made = page.session.model.skeleton.joints
    assert [j.damping for j in made[:4]] == [0.1, 0.5, None, 0.1]
    assert made[1].stiffness == 0.7 and made[0].stretch == (1.0, 2.0)
    assert page.want(("tip", (12.0, 3.0, 0.0)))["reached"], "stretched to what is out of reach"


def test_a_locked_joint_stays(page):
    page.set_up(scene="snake", joints={"j3": {"lock": True}})
    before = page.session.poses[0].local_rotations[3]
    page.want(("tip", AT))
    after = page.session.poses[0].local_rotations
    assert np.array_equal(after[3], before) and not np.allclose(after[2], before)


def test_the_pose_goes_on_through_changes_of_the_setup(page):
    page.set_up(scene="snake")
    before = page.want(("tip", AT))["values"]
    page.set_up(scene="snake", stretch=1.5)
    page.set_up(scene="snake", limits=False)
    last = page.until(lambda: page.poses[-1] if page.poses[-1]["revision"] == 3 else None)
    assert np.allclose(last["values"], before, atol=1e-5)


def test_flat_chains_stay_in_their_plane(page):
    page.set_up(scene="snake", flat=True)
    pose = page.want(("tip", (3.0, 4.0, 0.0)))
    assert pose["reached"] and np.allclose(pose["values"][:, 2], 0)


def test_lengths_are_taken(page):
    page.set_up(scene="snake", lengths=[3, 2, 1])
    assert page.session.model.skeleton.length("tip", root="j0") == 6


# Goals --------------------------------------------------------------------------------------------


def test_several_goals_and_kinds(page):
    goals = [
        {"id": "a", "kind": "pose", "effector": "tip"},
        {"id": "b", "kind": "look", "effector": "j3", "axis": "x", "depth": 4},
    ]
    scene = page.set_up(scene="snake", goals=goals)
    assert [p["id"] for p in scene["places"]] == ["a", "b"]
    turn = (math.cos(0.5), 0.0, math.sin(0.5), 0.0)
    pose = page.want(("a", (3.0, 3.0, 0.5), turn), ("b", (2.0, 8.0, 0.0)))
    assert pose["reached"], pose["reason"]
    assert abs(np.dot(pose["values"][-1, 3:], turn)) == pytest.approx(1, abs=1e-4)


def test_depth_frees_only_so_many_joints(page):
    scene = page.set_up(scene="snake", goals=[{"id": "g", "effector": "tip", "depth": 3}])
    assert [j["moves"] for j in scene["joints"]] == [False] * 5 + [True] * 3


def test_goals_of_another_skeleton_are_left_out(page):
    scene = page.set_up(scene="snake", goals=[{"id": "g", "effector": "R Hand"}])
    assert scene["goals"][0]["effector"] == "tip"


def test_start_from_rest_is_the_same_whatever_came_before(page):
    page.set_up(scene="snake", start="rest")
    first = page.want(("tip", AT))["values"]
    page.want(("tip", (-4.0, 2.0, 3.0)))
    assert np.array_equal(page.want(("tip", AT))["values"], first)


def test_reset_goes_back(page):
    first = page.set_up(scene="snake")
    begin = page.session.poses[0]
    page.want(("tip", AT))
    page.send("reset")
    page.until(lambda: page.session.revision == 2 and page.messages[-1]["type"] == "scene")
    assert page.session.poses[0] == begin
    assert page.messages[-1]["places"] == first["places"]


# Latest wins --------------------------------------------------------------------------------------


def test_while_a_solve_runs_only_the_latest_goal_is_kept(page, monkeypatch):
    page.set_up(scene="snake")
    page.want(("tip", AT))
    inside, go_on, solved = threading.Event(), threading.Event(), []

    def slow(self):
        solved.append(self.want.seq)
        inside.set()
        go_on.wait(10)

    monkeypatch.setattr(Session, "_solve", slow)
    send = lambda: page.send(  # noqa: E731
        "want", revision=page.session.revision, goals=[{"id": "tip", "position": list(AT)}]
    )
    first = send()
    assert inside.wait(10)
    later = [send() for _ in range(20)]
    go_on.set()
    page.until(lambda: len(solved) == 2)
    time.sleep(0.05)
    assert solved == [first, later[-1]]


def test_goals_of_an_older_scene_are_dropped(page):
    page.set_up(scene="snake")
    count = len(page.poses)
    page.send("want", revision=99, goals=[{"id": "tip", "position": list(AT)}])
    page.set_up(scene="snake", limits=True)
    assert page.session.want is None
    assert all(pose["seq"] == 0 for pose in page.poses[count:])


def test_two_pages_do_not_disturb_each_other(new_page):
    one, two = new_page(), new_page()
    one.set_up(scene="snake")
    two.set_up(scene="arm", solver={"name": "CCD"})
    a = one.want(("tip", AT))
    b = two.want(("tip", (10.0, 20.0, 5.0)))
    assert a["count"] == 9 and b["count"] == 6
    assert one.session.setup.solver.name == "auto" and two.session.setup.solver.name == "CCD"
    assert np.allclose(one.session.poses[0].position("tip"), AT, atol=1e-3)


# Compare and understand ---------------------------------------------------------------------------


def test_two_solvers_side_by_side_with_costs(page):
    page.set_up(scene="arm", solver={"name": "CCD"}, compare={"name": "TargetTriangle"})
    first = page.want(("tip", (15.0, 20.0, 5.0)))
    second = page.until(
        lambda: next((p for p in page.poses if p["seq"] == first["seq"] and p["slot"] == 1), None)
    )
    assert (first["solver"], second["solver"]) == ("CCD", "TargetTriangle")
    assert first["reached"] and second["reached"]
    session = page.session
    rest = model.carried(session.subject.start, session.model.skeleton)
    for pose, told in zip(session.poses, (first, second), strict=True):
        assert told["costs"]["sum_of_turns"] == pytest.approx(float(costs.sum_of_turns(rest, pose)))
        assert told["costs"]["tip_path"] == pytest.approx(float(costs.tip_path(rest, pose, "tip")))
    assert first["costs"] != second["costs"]


def test_a_trace_shows_what_python_s_does(page):
    page.set_up(scene="snake", solver={"name": "CCD"})
    page.want(("tip", AT))
    page.send("trace")
    told = page.packet("trace")
    start = page.session.subject.start
    skeleton = page.session.model.skeleton
    answer = supple.solve(
        skeleton, {"tip": AT}, start=model.carried(start, skeleton), solver="CCD", trace=True
    )
    trace = answer.trace
    assert told["head"]["solver"] == "CCD" and told["head"]["status"] == "reached"
    assert np.allclose(told["frames"][..., :3], trace.poses.positions, atol=1e-5)
    assert np.allclose(told["errors"], trace.errors, atol=1e-5)
    assert len(told["head"]["steps"]) == len(trace.steps)
    page.send("steps", iteration=1)
    inside = page.packet("steps")
    walked = [pose.positions for step, pose in trace.walk() if step.iteration == 1]
    assert np.allclose(inside["frames"][..., :3], walked, atol=1e-5)


def test_a_trace_is_saved_and_replayed(page, new_page, tmp_path):
    page.set_up(scene="snake", solver={"name": "FABRIK"})
    page.want(("tip", AT))
    page.send("trace")
    told = page.packet("trace")
    page.send("save", format="trace")
    file = page.packet("file")
    path = tmp_path / file["head"]["name"]
    path.write_bytes(file["data"].tobytes())
    other = new_page()
    number = other.library.open_file(path)
    other.set_up(scene=f"file:{number}")
    again = other.packet("trace")
    assert again["head"]["solver"] == "FABRIK"
    assert np.array_equal(again["frames"], told["frames"])


def test_a_trace_must_be_there_to_be_saved(page):
    page.set_up(scene="snake")
    page.send("save", format="trace")
    page.until(lambda: page.messages[-1]["type"] == "refused")
    assert "record one first" in page.messages[-1]["text"]


def test_the_pose_is_saved_as_json(page):
    page.set_up(scene="snake")
    page.want(("tip", AT))
    page.send("save", format="json")
    data = json.loads(page.packet("file")["data"].tobytes())
    assert supple.Pose.from_json(data) == page.session.poses[0]


# Keyframes and motions ----------------------------------------------------------------------------


def key(page, time):
    page.send("key", time=time)

    def taken():
        keys = [m["key"] for m in page.messages if m["type"] == "key"]
        return next((one for one in keys if one["time"] == time), None)

    return page.until(taken)


def test_keyframes_make_a_motion_that_goals_correct(page):
    page.set_up(scene="snake")
    page.want(("tip", AT))
    keys = [key(page, 0.0)]
    page.want(("tip", (5.0, 3.0, -2.0)))
    keys.append(key(page, 1.0))
    scene = page.set_up(scene="snake", keys=keys, motion="keyframes", correct=False)
    assert scene["motions"][0]["duration"] == pytest.approx(1.0)
    assert page.packet("motion")["positions"].shape[1:] == (9, 3)
    shown = page.want(("tip", FAR), time=1.0)
    assert shown["status"] == "" and np.allclose(shown["values"][-1, :3], (5, 3, -2), atol=1e-3)
    goal = (4.0, 4.0, 0.0)
    page.set_up(scene="snake", keys=keys, motion="keyframes", correct=True)
    for at in np.linspace(0, 1, 7):
        pose = page.want(("tip", goal), time=float(at))
        assert pose["reached"] and np.allclose(pose["values"][-1, :3], goal, atol=1e-3)


def test_one_keyframe_is_too_few(page):
    page.set_up(scene="snake")
    refused = page.set_up(scene="snake", keys=[key(page, 0.0)], motion="keyframes")
    assert refused["type"] == "refused" and "at least two" in refused["text"]


# The model ----------------------------------------------------------------------------------------


def test_nothing_edited_is_the_same_skeleton():
    skeleton = supple.chain([1, 1])
    assert model.edited(skeleton, Setup()) is skeleton


def test_carrying_a_pose_over_edits_keeps_what_it_shows():
    skeleton = supple.chain([1, 2, 3], joint=supple.Cone(2.0))
    pose = skeleton.pose({"j0": (0.1, 0.5, 0.3), "j1": (0.0, 0.2, 1.0)})
    for setup in (Setup(stretch=2.0), Setup(limits=True), Setup(limits=True, stretch=1.2)):
        moved = model.carried(pose, model.edited(skeleton, setup))
        assert np.allclose(moved.positions, pose.positions, atol=1e-12)
        back = model.carried(moved, skeleton)
        assert np.allclose(back.coordinates, pose.coordinates)


def test_limbs_end_where_the_body_branches():
    body = supple.Skeleton(
        [("hips", None), ("spine", "hips", (0, 1, 0)), ("neck", "spine", (0, 1, 0)),
         ("arm", "spine", (1, 0, 0)), ("elbow", "arm", (1, 0, 0)), ("hand", "elbow", (1, 0, 0))],
        [("finger", "hand", (1, 0, 0))],
    )  # fmt: skip
    assert scenes.limb_depth(body, "hand") == 2
    assert scenes.limb_depth(body, "finger") == 3
    assert scenes.limb_depth(body, "arm") == 0, "fewer than two: all"
    assert scenes.limb_depth(supple.chain([1, 1, 1]), "tip") == 0


def test_what_cannot_move_is_shown_all_the_same(page):
    stone = supple.Skeleton(
        [("base", None, (0, 0, 0), supple.Fixed())], [("top", "base", (0, 1, 0))]
    )
    number = page.library.open_object(stone)
    scene = page.set_up(scene=f"file:{number}")
    assert scene["type"] == "scene" and scene["goals"] == []
    pose = page.want()
    assert pose["status"] == "" and np.allclose(pose["values"][1, :3], (0, 1, 0))
    page.send("trace")
    page.until(lambda: page.messages[-1]["type"] == "refused")


def test_feet_stand_where_they_are_low_and_slow():
    legs = supple.Skeleton(
        [("hips", None, (0, 2, 0), supple.Free()), ("foot.L", "hips", (1, -2, 0)), ("foot.R", "hips", (-1, -2, 0))]
    )  # fmt: skip
    up = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    rise = [legs.pose({"hips": (0, y, 0, 1, 0, 0, 0)}) for y in up]
    feet, standing = contacts(supple.Motion("hop", rise, fps=10), up=1)
    assert [legs.names[k] for k in feet] == ["foot.L", "foot.R"]
    assert standing[:, 0].tolist() == [True, True, True, False, False, False, False, False]


def test_our_character_has_a_skin_motions_and_goals(page):
    scene = page.set_up(scene="humanoid", limits=True)
    assert [goal["effector"] for goal in scene["goals"]] == ["hand.R", "hand.L", "head"]
    assert [one["name"] for one in scene["motions"]] == ["walk", "wave", "reach-ready"]
    mesh = page.packet("mesh")
    hero = supple.humanoid()
    assert np.allclose(mesh["positions"], hero.meshes[0].positions, atol=1e-6)
    assert np.array_equal(mesh["weight"], hero.meshes[0].skin.weight.astype("f4"))
    assert mesh["head"]["texture_type"].startswith("image/") and len(mesh["texture"]) > 1000
    page.set_up(scene="humanoid", limits=True, motion="walk")
    feet = page.packet("motion")
    assert feet["contacts"].any() and not feet["contacts"].all()
    pose = page.want(("hand.R", (-0.3, 1.3, 0.3)), time=0.4)
    hand = scene["names"].index("hand.R")
    assert pose["reached"] and np.allclose(pose["values"][hand, :3], (-0.3, 1.3, 0.3), atol=1e-3)


def test_what_a_grammar_grew_is_shown(page, tmp_path):
    rules = tmp_path / "stick.cga"
    rules.write_text("Lot --> extrude(3) Tower\nTower --> color(1, 0, 0)\n")
    number = page.library.open_file(rules)
    scene = page.set_up(scene=f"file:{number}")
    assert scene["title"] == "stick.cga" and scene["meshes"] == 1
    assert page.packet("mesh")["positions"][:, 1].max() == pytest.approx(3)


def test_scales_travel_as_matrices(page):
    skeleton = supple.chain([1, 1])
    pose = supple.Pose(skeleton, skeleton.rest.coordinates, None, [(2, 1, 1), (1, 1, 1)])
    page.set_up(scene=f"file:{page.library.open_object(pose)}")
    frame = page.until(lambda: page.poses and page.poses[-1])
    assert frame["stride"] == 12
    assert np.allclose(frame["values"].reshape(-1, 3, 4), pose.frames[:, :3], atol=1e-6)
    shown = page.want(("goal", (1, 1, 0)))
    assert shown["status"] == "" and np.allclose(shown["values"], frame["values"])
    assert "even scales only" in page.until(lambda: page.messages[-1].get("text"))
