"""What is solved, apart from sessions."""

import numpy as np

import supple
from supple.apps.viewer import model
from supple.apps.viewer.messages import Setup


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
