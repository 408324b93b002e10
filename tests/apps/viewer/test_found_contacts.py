"""Contacts that are found for the timeline and the onion skin."""

import numpy as np

import supple
from supple.apps.viewer.found_contacts import found_contacts


def test_feet_stand_where_they_are_low_and_slow():
    legs = supple.Skeleton(
        [("hips", None, (0, 2, 0), supple.Free()), ("foot.L", "hips", (1, -2, 0)), ("foot.R", "hips", (-1, -2, 0))]
    )  # fmt: skip
    up = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    rise = [legs.pose({"hips": (0, y, 0, 1, 0, 0, 0)}) for y in up]
    found = found_contacts(supple.Motion("hop", rise, fps=10), up="y")
    assert found is not None and found.joints == ("foot.L", "foot.R")
    assert found["foot.L"] == found["foot.R"] == ((0, 3),)


def test_a_walk_on_the_spot_stands_though_its_feet_slide():
    walk = supple.humanoid().motions["walk"]
    assert not any(supple.contacts(walk)[name] for name in ("foot.L", "foot.R"))
    found = found_contacts(walk, up="y")
    assert found is not None and found["foot.L"] and found["foot.R"]
    assert found["hand.L"] == found["hand.R"] == (), "hands are listed, and touch nothing"


def test_without_feet_there_are_no_contacts():
    snake = supple.chain([1, 1, 1])
    motion = supple.Motion("still", [snake.rest] * 3, fps=10)
    assert found_contacts(motion, up="y") is None
