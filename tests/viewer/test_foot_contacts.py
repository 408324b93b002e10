"""Feet that stand."""

import numpy as np

import supple
from supple.viewer.foot_contacts import contacts


def test_feet_stand_where_they_are_low_and_slow():
    legs = supple.Skeleton(
        [("hips", None, (0, 2, 0), supple.Free()), ("foot.L", "hips", (1, -2, 0)), ("foot.R", "hips", (-1, -2, 0))]
    )  # fmt: skip
    up = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    rise = [legs.pose({"hips": (0, y, 0, 1, 0, 0, 0)}) for y in up]
    feet, standing = contacts(supple.Motion("hop", rise, fps=10), up=1)
    assert [legs.names[k] for k in feet] == ["foot.L", "foot.R"]
    assert standing[:, 0].tolist() == [True, True, True, False, False, False, False, False]
