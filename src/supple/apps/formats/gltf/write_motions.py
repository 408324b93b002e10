"""Write motions: a channel for everything that moves, with a key at every frame; or as read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.character import Character
from supple.apps.character.motion import Motion
from supple.apps.formats.gltf.animations import Curves
from supple.apps.formats.gltf.buffers import Builder
from supple.apps.formats.gltf.nodes import POSE
from supple.apps.formats.gltf.write_nodes import Nodes

Floats = NDArray[np.float64]

POSE_SECONDS = 1.0  # duration of the animation of a pose; not 0, which players divide by [s]
CHANGE_TOLERANCE = 1e-9  # rounding: of a quaternion, or of an offset relative to the largest


def turned_joints(character: Character) -> set[str]:
    """The joints that some motion rotates relative to the character's pose."""
    skeleton = character.skeleton
    here = character.pose.local_rotations
    found: set[str] = set()
    for motion in character.motions.values():
        off = np.abs(_aligned(motion.poses.local_rotations, here) - here).max(axis=(0, 2))
        found |= {skeleton.joint_names[j] for j in np.flatnonzero(off > CHANGE_TOLERANCE)}
    if not found and character.motions:  # a motion must move something: see `_channels`
        found.add(skeleton.joint_names[0])
    return found


def write_motions(
    builder: Builder,
    nodes: Nodes,
    character: Character,
    mesh_nodes: dict[str, int],
    *,
    show_pose: bool,
) -> None:
    """Add all motions to the table of animations.

    Args:
        builder: The file to add to.
        nodes: Its joints.
        character: The character.
        mesh_nodes: The node of each mesh, by name.
        show_pose: True to add an animation of the character's pose before the motions, if there are any.
    """
    show_pose = show_pose and bool(character.motions)
    at = _add_pose(builder, character) if show_pose else 0
    for name, motion in character.motions.items():
        item: dict[str, Any] = {"name": name, "channels": [], "samplers": []}
        if not _as_read(builder, nodes, character, name, mesh_nodes, item):
            _frames(builder, item, _channels(nodes, motion, mesh_nodes), rising(motion.times))
        own: dict[str, Any] = {"fps": motion.fps}
        if motion.loop:
            own["loop"] = True
        others = {k: v.tolist() for k, v in motion.tracks.items() if _mesh_of(k) not in mesh_nodes}
        if others:
            own["tracks"] = others
        item["extras"] = {"supple": own}
        builder.add("animations", item)
    if show_pose:
        _hold_pose(builder, nodes, at)


def _add_pose(builder: Builder, character: Character) -> int:
    """Add an animation of the pose, still without channels; return its index."""
    name = POSE
    while name in character.motions:
        name += "'"
    item = {"name": name, "channels": [], "samplers": [], "extras": {"supple": {"role": POSE}}}
    return builder.add("animations", item)


def _hold_pose(builder: Builder, nodes: Nodes, index: int) -> None:
    """Fill the animation of the pose: two equal keys for every node that other animations move.

    Programs that play the first animation then show the pose.
    """
    rows = builder.tables["animations"]
    still = {
        "rotation": nodes.rotations[:, [1, 2, 3, 0]],
        "translation": nodes.translations,
        "scale": nodes.scales,
    }
    joint = {nodes.index[name]: j for j, name in enumerate(nodes.skeleton.joint_names)}
    moved = dict.fromkeys(
        (channel["target"]["node"], channel["target"]["path"])
        for item in rows
        for channel in item["channels"]
        if channel["target"]["path"] in still
    )
    moved = moved or {(min(joint), "rotation"): None}  # an animation must have a channel
    channels = [(node, path, still[path][[joint[node]] * 2]) for node, path in moved]
    _frames(builder, rows[index], channels, np.array([0.0, POSE_SECONDS]))


def _frames(
    builder: Builder,
    item: dict[str, Any],
    channels: list[tuple[int, str, Floats]],
    times: Floats,
) -> None:
    """Add channels with a key at every frame to an animation."""
    inputs: dict[int, int] = {}
    moving = any(len(values) > 1 for _, _, values in channels)
    for node, path, values in channels:
        # A constant channel needs one key, if another one has the frame times.
        if moving and len(values) > 1 and path != "weights" and not np.any(np.ptp(values, axis=0)):
            whole = any(np.any(np.ptp(v, axis=0)) for _, _, v in channels)
            values = values[:1] if whole else values
        count = len(values)
        if count not in inputs:
            inputs[count] = builder.array(times[:count], bounds=True)
        output = builder.array(values.reshape(-1) if path == "weights" else values)
        _sample(item, node, path, {"input": inputs[count], "output": output})


def _sample(item: dict[str, Any], node: int, path: str, sampler: dict[str, Any]) -> None:
    item["samplers"].append(sampler)
    target = {"node": node, "path": path}
    item["channels"].append({"sampler": len(item["samplers"]) - 1, "target": target})


def _as_read(
    builder: Builder,
    nodes: Nodes,
    character: Character,
    name: str,
    mesh_nodes: dict[str, int],
    item: dict[str, Any],
) -> bool:
    """Write the channels that a motion was read from, if it has not changed; True if so."""
    own = character.extras.get("gltf")
    curves = own.get("curves", {}).get(name) if isinstance(own, Mapping) else None
    if not isinstance(curves, Curves) or curves.motion != character.motions[name]:
        return False
    targets = [
        mesh_nodes.get(whom) if one.path == "weights" else nodes.index.get(whom)
        for whom, one in curves.channels
    ]
    if None in targets or min(one.times[0] for _, one in curves.channels) < 0:
        return False
    for node, (_, one) in zip(targets, curves.channels, strict=True):
        values = one.values[:, None]
        if one.tangents is not None:
            values = np.stack([one.tangents[0], one.values, one.tangents[1]], axis=1)
        values = values.reshape(-1, values.shape[-1])
        if one.path == "rotation":
            values = np.roll(values, -1, axis=-1)
        sampler: dict[str, Any] = {
            "input": builder.array(one.times, bounds=True, source=one.times),
            "output": builder.array(values.reshape(-1) if one.path == "weights" else values),
        }
        if one.mode != "LINEAR":
            sampler["interpolation"] = one.mode
        _sample(item, int(node or 0), one.path, sampler)
    return True


def _channels(
    nodes: Nodes, motion: Motion, mesh_nodes: dict[str, int]
) -> list[tuple[int, str, Floats]]:
    """Node, path and values of everything in a motion that differs from the nodes."""
    names, poses = nodes.skeleton.joint_names, motion.poses
    turns = _aligned(poses.local_rotations, nodes.rotations)
    places = nodes.in_file(poses.local_translations)
    scales = None if poses.scales is None else poses._full_scales() * nodes.baked
    far = CHANGE_TOLERANCE * max(1e-12, float(np.abs(nodes.translations).max(initial=0.0)))
    found: list[tuple[int, str, Floats]] = []
    for j in nodes.skeleton.file_order.tolist():
        node = nodes.index[names[j]]
        if np.abs(turns[:, j] - nodes.rotations[j]).max() > CHANGE_TOLERANCE:
            found.append((node, "rotation", np.roll(turns[:, j], -1, axis=-1)))
        if np.abs(places[:, j] - nodes.translations[j]).max() > far:
            found.append((node, "translation", places[:, j]))
        scaled = nodes.baked[j] if scales is None else scales[:, j]
        if np.abs(scaled - nodes.scales[j]).max() > CHANGE_TOLERANCE:
            found.append((node, "scale", np.broadcast_to(scaled, (len(motion), 3))))
    done: set[int] = set()
    for key, values in motion.tracks.items():
        at = mesh_nodes.get(_mesh_of(key))
        if at is not None and at not in done:
            done.add(at)
            found.append((at, "weights", values.reshape(len(motion), -1)))
    if not found:
        found.append((nodes.index[names[0]], "rotation", np.roll(turns[:, 0], -1, axis=-1)))
    return found


def _mesh_of(track: str) -> str:
    """The mesh whose morph weights a track stores; "" for other tracks."""
    return track.removeprefix("morphs:") if track.startswith("morphs:") else ""


def _aligned(turns: Floats, first: Floats) -> Floats:
    """Flip signs of quaternions (F, N, 4) for continuity, starting from `first` (N, 4)."""
    all_ = np.concatenate([first[None], turns])
    flips = np.sum(all_[1:] * all_[:-1], axis=-1) < 0
    signs = np.where(np.logical_xor.accumulate(flips, axis=0), -1.0, 1.0)
    return turns * signs[..., None]


def rising(times: Floats) -> Floats:
    """Shift times to start at 0 or later, and keep them increasing after rounding to float32."""
    rounded = (times - min(0.0, float(times[0]))).astype(np.float32)
    for k in np.flatnonzero(np.diff(rounded) <= 0).tolist():
        rounded[k + 1] = np.nextafter(rounded[k], np.float32(np.inf))
    return rounded.astype(np.float64)
