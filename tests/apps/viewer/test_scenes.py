"""What can be on the stage."""

import numpy as np
import pytest

import supple
from supple.apps.viewer import scenes


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
