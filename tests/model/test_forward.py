"""Forward kinematics of a part of a skeleton."""

import numpy as np
import pytest

from supple.model.forward import some_world_frames, world_frames
from supple.model.joints import Axes, Ball, Fixed, Free, Hinge, Slider
from supple.model.skeleton import Node, Pose, Skeleton, Tip


@pytest.fixture
def rig():
    turned = (0.8, 0.6, 0, 0)
    return Skeleton(
        [
            Node("root", None, (0, 0, 0), Free()),
            Node("hip", "root", (0, 1, 0), Ball(stretch=(0.5, 2)), turned),
            Node("rail", "root", (1, 0, 0), Slider("x")),
            Node("knee", "hip", (0, -2, 0), Hinge("x")),
            Node("other", None, (3, 0, 0), Fixed()),
            Node("ankle", "knee", (0, -2, 0), Axes("xz")),
        ],
        [
            Tip("end", "rail", (1, 0, 0)),
            Tip("toe", "ankle", (0, -1, 1), turned),
            Tip("side", "hip", (1, 0, 0)),
        ],
    )


@pytest.mark.parametrize(
    "names",
    [["toe"], ["knee", "toe", "knee"], ["side", "end", "root"], ["other", "ankle"], []],
    ids=lambda names: "-".join(names),
)
@pytest.mark.parametrize("batch", [(), (7,), (2, 3)])
@pytest.mark.parametrize("extras", ["none", "one for all", "each"])
def test_some_frames_are_those_of_the_whole_to_the_last_bit(rig, names, batch, extras):
    rng = np.random.default_rng(4)
    q = Pose.from_angles(rig, rng.uniform(0.1, 0.9, (*batch, len(rig.freedoms)))).coordinates
    q = np.array(q)
    shape = (len(rig), 3) if extras == "one for all" else (*batch, len(rig), 3)
    places = None if extras == "none" else rng.normal(size=shape)
    for scales in (None, None if extras == "none" else rng.uniform(0.5, 2.0, shape)):
        which = [rig.index(name) for name in names]
        whole = world_frames(rig, q, places, scales)
        for some, every in zip(
            some_world_frames(rig, which, q, places, scales), whole, strict=True
        ):
            assert (some is None) == (every is None)
            if some is not None and every is not None:
                assert np.array_equal(some, np.take(every, which, axis=len(batch)))
