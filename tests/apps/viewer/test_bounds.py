"""What is to be seen of what is on the stage."""

import pytest

import supple
from supple.apps.viewer import scenes
from supple.apps.viewer.bounds import bounds
from supple.apps.viewer.library import Library
from supple.apps.viewer.messages import Setup


def test_a_chain_has_room_to_swing():
    around = bounds(scenes.build(Setup(scene="arm"), Library()))
    assert around.size == 40 and around.ground == pytest.approx(-12)
    assert around.low[1] == around.ground and around.high[1] == pytest.approx(30)
    assert around.high[0] - around.low[0] == pytest.approx(48)


def test_everything_else_is_seen_as_large_as_it_is():
    hero = supple.humanoid()
    around = bounds(scenes.character_subject(hero, key="hero", title="hero"))
    places = hero.meshes[0].positions
    assert around.low == pytest.approx(places.min(axis=0), abs=0.05)
    assert around.high == pytest.approx(places.max(axis=0), abs=0.05)
    assert around.ground == around.low[1]
