"""Retargeting in the playground: the target with its new motion, the source beside it, the body maps."""

import numpy as np
import pytest

import supple
from supple.apps.viewer import retargeted


def asked(**more):
    return {"source": "humanoid", "motion": "walk", **more}


def roles(scene):
    return {one["role"]: one for one in scene["retargeted"]["roles"]}


def test_the_target_plays_the_motion_of_the_source_beside_it(page):
    scene = page.set_up(scene="human", motion="", retarget=asked())
    assert scene["type"] == "scene", scene
    info = scene["retargeted"]
    assert scene["motion"] == info["motion"] == "walk" and info["source"] == "Our character"
    thigh = roles(scene)["left_thigh"]
    assert thigh["needed"] and (thigh["source"], thigh["target"]) == (["thigh.L"], ["left hip"])
    made = page.session.model.motion
    expected = supple.retarget(
        supple.humanoid().motions["walk"], onto=page.session.subject.skeleton
    )
    assert np.allclose(made.poses.coordinates, expected.motion.poses.coordinates, atol=1e-6)
    source = page.packet("source")
    hero = supple.humanoid().motions["walk"]
    points = source["positions"]
    assert points.shape == (32, len(hero.skeleton.names), 3)
    assert source["head"]["motion"] == "walk" and len(source["head"]["parents"]) == points.shape[1]
    moved = hero.poses.positions * expected.scale
    assert np.allclose(points - points[0, 0], moved - moved[0, 0], atol=1e-5), "as in the source"
    low, high = np.array(scene["box"])
    assert (points.reshape(-1, 3) >= low - 1e-4).all() and (
        points.reshape(-1, 3) <= high + 1e-4
    ).all()
    apart = points[0, :, 0].max() - made.poses.positions[0, :, 0].min()
    assert apart < 0, "to the left of the target"
    assert [m["what"] for m in page.messages if m["type"] == "working"] == ["Retargeting"]


def test_a_body_map_is_edited_and_the_motion_made_anew(page):
    page.set_up(scene="human", motion="", retarget=asked())
    before = page.session.model.motion
    changes = {"neck": [], "left_hand": [], "right_foot": ["right ankle"]}
    scene = page.set_up(scene="human", motion="", retarget=asked(target_map=changes))
    assert roles(scene)["neck"]["target"] == [] != roles(scene)["neck"]["source"]
    assert roles(scene)["left_hand"]["target"] == []
    assert page.session.model.motion != before


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"target_map": {"left_hand": ["left wrst"]}}, "did you mean 'left wrist'"),
        ({"target_map": {"left_thigh": []}}, "expected joints for left_thigh"),
        (
            {"target_map": {"left_hand": ["left elbow"]}},
            "'left elbow' in left_forearm and left_hand",
        ),
        ({"source_map": {"tail": ["head"]}}, "role of the source's body map"),
        ({"motion": "wlk"}, "did you mean 'walk'"),
        ({"source": "snake"}, "has none"),
        ({"source": "file:gone"}, "no longer open"),
    ],
)
def test_what_cannot_be_retargeted_is_said_in_words(page, changes, told):
    refused = page.set_up(scene="human", motion="", retarget={**asked(), **changes})
    assert refused["type"] == "refused" and told in refused["text"]


def test_a_chain_is_no_body(page):
    refused = page.set_up(scene="snake", motion="", retarget=asked())
    assert refused["type"] == "refused" and "j0" in refused["text"]


def test_an_edited_source_is_retargeted_as_edited(page):
    edits = {"plant": True, "contacts": {"foot.L": [[5, 15]], "foot.R": [[20, 30]]}}
    page.set_up(scene="human", motion="", retarget=asked(edits=edits))
    ankle = page.session.model.motion.poses.position("left ankle")
    assert np.ptp(ankle[7:13], axis=0).max() < 0.02


def test_a_motion_of_the_same_name_is_kept(page):
    scene = page.set_up(scene="humanoid", motion="", retarget=asked())
    assert scene["motion"] == "walk (retargeted)"
    assert [one["name"] for one in scene["motions"]][:2] == ["walk (retargeted)", "walk"]


def test_the_result_is_saved_with_its_motion(page, tmp_path):
    page.set_up(scene="humanoid", motion="", retarget=asked(motion="wave"))
    page.send("save", format="glb")
    file = page.packet("file")
    path = tmp_path / "made.glb"
    path.write_bytes(file["data"].tobytes())
    assert "wave (retargeted)" in supple.load(path).motions


def test_a_source_with_another_up_axis_stands_upright(page):
    hero = supple.humanoid()
    made = supple.retarget(hero.motions["wave"], onto=hero)
    points = retargeted._beside(hero.motions["wave"], made, "y", "z")
    assert np.ptp(points[0, :, 2]) == pytest.approx(
        np.ptp(made.motion.poses.positions[0, :, 1]), rel=0.05
    )
