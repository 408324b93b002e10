"""Writing clips after a plan."""

import json

import supple
from supple.apps.clips.one_clip import write


def test_a_clip_of_a_posed_character_is_played_in_a_glb(tmp_path):
    """Not its pose: what was asked for is the motion."""
    skeleton = supple.chain([1, 1])
    poses = [skeleton.pose({"j1": (0, 0, 0.1 * k)}) for k in range(3)]
    motions = {name: supple.Motion(name, poses, fps=10) for name in ("walk", "wave")}
    character = supple.Character(skeleton, motions=motions).posed(poses[2])
    write(character, ["wave"], tmp_path / "a.gltf")
    found = json.loads((tmp_path / "a.gltf").read_text())["animations"]
    assert [one["name"] for one in found] == ["wave", "walk"]
