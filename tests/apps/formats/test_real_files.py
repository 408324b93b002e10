"""Real files, if there are any: each loads, or is refused for a true reason."""

import logging
from pathlib import Path

import numpy as np
import pytest

import supple
from supple import Pose, SuppleError
from supple.apps.character.skinning import skin

DATA = Path(__file__).parents[3].parent / "shared" / "data"
BVH = sorted(DATA.glob("bvh/**/*.bvh"))
SMD = sorted(DATA.glob("smd/**/*.smd"))

pytestmark = pytest.mark.skipif(not BVH, reason="the real files are not at hand")


@pytest.fixture(autouse=True)
def _quiet():
    logging.getLogger("supple").setLevel(logging.ERROR)
    yield
    logging.getLogger("supple").setLevel(logging.NOTSET)


def by_hand(path):
    """Joint positions of the first and last frame, by the simplest possible reader of BVH."""
    text = path.read_text(errors="replace").replace("\r", "\n")
    head, _, tail = text.partition("MOTION")
    names, stack, channels, offsets, parents = [], [], [], [], []
    for line in head.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0].upper() in ("ROOT", "JOINT"):
            names.append(" ".join(words[1:]))
            parents.append(stack[-1] if stack else None)
            stack.append(len(names) - 1)
            channels.append([])
            offsets.append(np.zeros(3))
        elif words[0].upper() == "END":
            stack.append(None)
        elif words[0] == "}":
            stack.pop()
        elif words[0].upper() == "OFFSET" and stack[-1] is not None:
            offsets[stack[-1]] = np.array(words[1:4], float)
        elif words[0].upper() == "CHANNELS":
            channels[stack[-1]] = words[2 : 2 + int(words[1])]
    rows = [line.split() for line in tail.splitlines()[3:] if line.strip()]
    rows = [np.array(row, float) for row in rows if len(row) == sum(map(len, channels))]
    found = []
    for row in (rows[0], rows[-1]):
        at, frames, places = 0, [], []
        for j in range(len(names)):
            turn, place = np.eye(3), offsets[j].copy()
            for name in channels[j]:
                axis = "XYZ".index(name[0].upper())
                if name[1:].lower() == "position":
                    place[axis] = row[at]
                else:
                    c, s = np.cos(np.radians(row[at])), np.sin(np.radians(row[at]))
                    i, k = (axis + 1) % 3, (axis + 2) % 3
                    matrix = np.eye(3)
                    matrix[i, i] = matrix[k, k] = c
                    matrix[i, k], matrix[k, i] = -s, s
                    turn = turn @ matrix
                at += 1
            if parents[j] is None:
                frames.append(turn)
                places.append(place)
            else:
                above = frames[parents[j]]
                frames.append(above @ turn)
                places.append(places[parents[j]] + above @ place)
        found.append(np.array(places))
    return names, found


@pytest.mark.parametrize("path", BVH, ids=lambda path: path.name)
def test_bvh_positions_are_those_of_the_plainest_reader_and_come_back(path, tmp_path):
    character = supple.load(path)
    motion = next(iter(character.motions.values()))
    names, (first, last) = by_hand(path)
    order = [character.skeleton.index(name) for name in names]
    extent = max(character.extent, np.abs(first).max())
    assert np.abs(motion[0].positions[order] - first).max() < 1e-9 * extent
    assert np.abs(motion[-1].positions[order] - last).max() < 1e-9 * extent

    supple.save(character, tmp_path / "again.bvh")
    again = supple.load(tmp_path / "again.bvh")
    back = next(iter(again.motions.values()))
    assert again.skeleton == character.skeleton
    assert again.extras["bvh"]["channels"] == character.extras["bvh"]["channels"]
    assert back.fps == motion.fps
    same = Pose(character.skeleton, back.poses.coordinates)
    assert np.max(motion.poses.turns(same)) < 1e-6
    assert np.abs(motion.poses.positions - back.poses.positions).max() < 1e-6 * extent


@pytest.mark.parametrize("path", SMD, ids=lambda path: path.name)
def test_smd_loads_and_comes_back(path, tmp_path):
    if path.stat().st_size == 0:
        with pytest.raises(SuppleError, match="empty"):
            supple.load(path)
        return
    character = supple.load(path)
    for mesh in character.meshes:
        moved = skin(mesh, character.skeleton.rest)
        assert np.abs(moved - mesh.positions).max() < 1e-6 * character.extent
    supple.save(character, tmp_path / path.name)
    again = supple.load(tmp_path / path.name)
    assert again.skeleton.names == character.skeleton.names
    assert np.allclose(again.skeleton.rest.frames, character.skeleton.rest.frames, atol=1e-8)
    assert [mesh.name for mesh in again.meshes] == [mesh.name for mesh in character.meshes]
    for one, two in zip(character.meshes, again.meshes, strict=True):
        assert np.allclose(one.positions, two.positions, atol=1e-8)
        assert np.array_equal(one.faces, two.faces)
        assert np.array_equal(one.skin.joint, two.skin.joint)
    for one, two in zip(character.motions.values(), again.motions.values(), strict=True):
        assert np.allclose(one.poses.frames, two.poses.frames, atol=1e-7)
