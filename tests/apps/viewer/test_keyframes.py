"""Keyframes and the motions through them."""

import numpy as np
import pytest

AT = (2.0, 4.0, 1.5)
FAR = (30.0, 0.0, 0.0)


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
