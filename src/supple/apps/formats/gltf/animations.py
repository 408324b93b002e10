"""Read animations: channels, each with its own keys, become a motion with a frame at every key time.

glTF interpolates linearly and with slerp between keys, and so does a `Motion`: frames at the union of
all key times are exact. A STEP becomes two frames a moment apart. A CUBICSPLINE gets extra frames, so
close that interpolation stays within 1e-4 of it. The channels of such motions are kept, and written
again if the motion has not been changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.character.motion import Motion
from supple.apps.formats.gltf import accessors
from supple.apps.formats.gltf.document import Document, Item
from supple.apps.formats.gltf.nodes import POSE, Tree, coordinates_of, role
from supple.apps.formats.gltf.placements import FLOAT32_TOLERANCE
from supple.apps.formats.source import distinct
from supple.model.coordinates import blocks
from supple.model.skeleton import Pose
from supple.rotations import conjugate, multiply, slerp

Floats = NDArray[np.float64]

WIDTHS = {"translation": 3, "rotation": 4, "scale": 3}
DEFAULT_FPS = 30.0  # frame rate of a motion with a single frame [1/s]


@dataclass(frozen=True)
class BakeRules:
    """How the keys of channels become the frames of a motion.

    Attributes:
        curve_error: Largest error of a curve read as frames: in a quaternion, or relative to the value
            range; not tuned.
        most_intervals: Most intervals between two keys of a curve, whatever its error; not tuned.
        step_seconds: Duration of a STEP at time 0; it grows with time, as float32 gets coarser [s].
        same_time: Keys nearer than this times (1 + time) are merged: float32 rounding [s].
    """

    curve_error: float = 1e-4
    most_intervals: int = 128
    step_seconds: float = 1e-5
    same_time: float = 4e-7


BAKE = BakeRules()


@dataclass
class Channel:
    """The keys of one path of one node.

    Attributes:
        node: The node; for morph weights, the node with the mesh.
        path: "translation", "rotation", "scale" or "weights".
        mode: "LINEAR", "STEP" or "CUBICSPLINE".
        times: Increasing [s], shape (K,).
        values: Shape (K, width); quaternions are wxyz, of unit length except in curves.
        tangents: In and out tangents of each key, per second, shape (2, K, width); of curves only.
    """

    node: int
    path: str
    mode: str
    times: Floats
    values: Floats
    tangents: Floats | None = None


@dataclass
class Curves:
    """The channels that a motion was read from, each with the name of its joint or mesh."""

    motion: Motion
    channels: list[tuple[str, Channel]]


def read_motions(
    document: Document, tree: Tree, mesh_names: dict[int, list[str]]
) -> dict[str, Motion]:
    """The motions of a file, by name.

    Args:
        document: The file.
        tree: Its skeleton.
        mesh_names: The meshes with morph targets, by the node they are on.
    """
    # An animation that supple adds for other programs holds the pose, which the nodes have too.
    items = [item for item in document.table("animations") if role(item) != POSE]
    given = [item.text("name").strip() or f"animation {k}" for k, item in enumerate(items)]
    names = distinct(given, document.source, what="animation")
    motions = {}
    kept = document.cache["curves"] = {}
    for name, item in zip(names, items, strict=True):
        channels = _channels(document, tree, item, mesh_names)
        if channels:
            motions[name] = _motion(document, tree, name, item, channels, mesh_names)
            if any(channel.mode != "LINEAR" for channel in channels):
                moved = [
                    mesh_names[one.node][0] if one.path == "weights" else str(tree.names[one.node])
                    for one in channels
                ]
                kept[name] = Curves(motions[name], list(zip(moved, channels, strict=True)))
        else:
            document.source.warn(f"animation {name!r} moves nothing that is read: left out")
    return motions


def _channels(
    document: Document, tree: Tree, animation: Item, mesh_names: dict[int, list[str]]
) -> list[Channel]:
    """The channels of joints and morph weights, one per node and path."""
    samplers = animation.items("samplers")
    found: dict[tuple[int, str], Channel] = {}
    for channel in animation.items("channels"):
        target = channel.item("target")
        node = target.reference("node", "nodes") if target is not None else None
        if target is None or node is None:
            continue  # belongs to an extension; the specification says to ignore it
        path = target.text("path")
        moves = node in tree.joints if path in WIDTHS else path == "weights" and node in mesh_names
        if not moves:
            continue
        index = channel.whole("sampler")
        if index >= len(samplers):
            channel.fail("sampler", f"an index into the {len(samplers)} samplers")
        if (node, path) in found:
            document.source.warn(f"{channel.where}: {path} of nodes[{node}] again: left out")
            continue
        found[node, path] = _keys(document, samplers[index], node, path)
    return list(found.values())


def _keys(document: Document, sampler: Item, node: int, path: str) -> Channel:
    """The keys of a sampler."""
    mode = sampler.text("interpolation", "LINEAR")
    if mode not in ("LINEAR", "STEP", "CUBICSPLINE"):
        sampler.fail("interpolation", "LINEAR, STEP or CUBICSPLINE")
    at, of = (sampler.reference(key, "accessors") for key in ("input", "output"))
    if at is None or of is None:
        document.fail(sampler.where, "expected an input and an output")
    times, order = _times(document, sampler, at)
    kind = {"rotation": "VEC4", "weights": "SCALAR"}.get(path, "VEC3")
    values = accessors.floats(document, of, (kind,))
    if not accessors.is_float(document, of):
        values = _fractions(document, of, values)
    parts = 3 if mode == "CUBICSPLINE" else 1
    count = len(times)
    width = WIDTHS.get(path) or (values.size // (count * parts) if count else 0)
    if not count or values.size != count * parts * width or not width:
        document.fail(
            sampler.where, f"expected {parts} values for each of {count} keys, got {len(values)}"
        )
    values = values.reshape(count, parts, width)
    if order is not None:
        values, times = values[order], times[order]
    if path == "rotation":
        values = values[..., [3, 0, 1, 2]]
    middle = values[:, parts // 2]
    tangents = None
    if mode == "CUBICSPLINE":
        tangents = np.stack([values[:, 0], values[:, 2]])
    elif path == "rotation":
        middle = _unit(document, sampler, middle)
    return Channel(node, path, mode, times, middle, tangents)


def _times(document: Document, sampler: Item, index: int) -> tuple[Floats, NDArray[Any] | None]:
    """The key times of a sampler, and the order that sorts them, or None if they are sorted."""
    key = ("times", index)
    if key not in document.cache:
        times = accessors.floats(document, index, ("SCALAR",))[:, 0]
        order = None
        if np.any(np.diff(times) <= 0):
            order = np.unique(times, return_index=True)[1]
            document.source.warn(f"{sampler.where}: key times that do not rise are put in order")
        document.cache[key] = times, order
    return document.cache[key]


def _fractions(document: Document, index: int, values: Floats) -> Floats:
    """Scale integers of animations to fractions, even if not flagged as normalized."""
    item = document.table("accessors")[index]
    if item.flag("normalized"):
        return values
    limit = {5120: 127.0, 5121: 255.0, 5122: 32767.0, 5123: 65535.0}
    return np.maximum(values / limit.get(item.whole("componentType"), 1.0), -1.0)


def _unit(document: Document, sampler: Item, turns: Floats) -> Floats:
    size = np.sqrt(np.einsum("ki,ki->k", turns, turns))[:, None]
    if size.min() < 1e-6:
        document.fail(sampler.where, "expected rotations, got a quaternion of zeros")
    return np.where(np.abs(size - 1.0) < 2e-15, turns, turns / size)


# Frames -------------------------------------------------------------------------------------------


def _motion(
    document: Document,
    tree: Tree,
    name: str,
    item: Item,
    channels: list[Channel],
    mesh_names: dict[int, list[str]],
) -> Motion:
    """A motion with a frame at every key of its channels."""
    skeleton = tree.skeleton
    times = _frame_times(channels)
    frames, count = len(times), len(skeleton)
    paths = {channel.path for channel in channels}
    shifting = bool(paths & {"translation"}) or tree.pose.translations is not None
    scaling = "scale" in paths or tree.pose.scales is not None
    width = skeleton.freedom_table.coordinate_count + 3 * count * (shifting + scaling)
    document.charge(8 * frames * width * 2, item.where)
    q = _repeated(tree.pose.coordinates, frames)
    offsets = _repeated(tree.pose._full_translations(), frames) if shifting else None
    scales = _repeated(tree.pose._full_scales(), frames) if scaling else None
    tracks: dict[str, Floats] = {}
    moved: dict[int, dict[str, Floats]] = {}
    for channel in channels:
        values = sampled(channel, times)
        if channel.path == "weights":
            tracks |= {f"morphs:{mesh}": values for mesh in mesh_names[channel.node]}
        else:
            moved.setdefault(channel.node, {})[channel.path] = values
    _put(tree, moved, q, offsets, scales)
    if offsets is not None and _still(offsets, skeleton.offsets):
        offsets = None
    if scales is not None and np.abs(scales - 1.0).max() <= FLOAT32_TOLERANCE:
        scales = None
    own = item.own()
    stated = max(own.number("fps", DEFAULT_FPS), 1e-3) if own is not None and "fps" in own else None
    fps, even = _rate(times, stated)
    if own is not None:
        tracks |= _own_tracks(own, frames)
    if any(channel.mode == "CUBICSPLINE" for channel in channels):
        document.source.warn(
            f"animation {name!r}: curves are read as {frames} frames, which follow them within "
            f"{BAKE.curve_error:g}; they are written again as curves unless the motion is changed"
        )
    return Motion(
        name,
        Pose(skeleton, q, offsets, scales),
        fps=fps,
        loop=own is not None and own.data.get("loop") is True,
        times=None if even else times,
        tracks=tracks,
    )


def _repeated(values: Floats, count: int) -> Floats:
    """Values along a new first axis of a length."""
    out = np.empty((count, *values.shape))
    out[...] = values
    return out


def _put(
    tree: Tree,
    moved: dict[int, dict[str, Floats]],
    q: Floats,
    offsets: Floats | None,
    scales: Floats | None,
) -> None:
    """Write the sampled channels of each node into coordinates, offsets and scales of the frames."""
    skeleton, frames = tree.skeleton, len(q)
    turns_here, places_here = tree.pose.local_rotations, tree.pose.local_translations
    balls: dict[int, Floats] = {}
    for node, values in moved.items():
        j, above = tree.joints[node], tree.parents[node]
        places = values.get("translation")
        if places is not None and above >= 0:
            places = places * tree.factors[above]
        turns = values.get("rotation")
        if skeleton.joints[j].has_quaternion and not skeleton.joints[j].scalars:
            if turns is not None:
                balls[j] = turns
        elif turns is not None or places is not None:
            turns = np.broadcast_to(turns_here[j], (frames, 4)) if turns is None else turns
            places = np.broadcast_to(places_here[j], (frames, 3)) if places is None else places
            places = coordinates_of(skeleton, j, turns, places, q)
        if offsets is not None and places is not None:
            offsets[:, j] = places
        if scales is not None and "scale" in values:
            scales[:, j] = values["scale"] / tree.baked[node]
    if balls:  # most joints are balls: one call for all of them, in some frames
        joints = np.array(list(balls))
        at = skeleton.freedom_table.joints.quaternion[joints][:, None] + np.arange(4)
        rest = conjugate(skeleton.rotations[joints])
        for some in blocks(frames, 4 * len(joints)):
            turns = np.stack([values[some] for values in balls.values()], axis=1)
            q[some, at] = multiply(rest, turns)


def _own_tracks(own: Item, frames: int) -> dict[str, Floats]:
    """Tracks that supple wrote into the extras: extra values per frame."""
    given = own.item("tracks")
    found = {}
    for name, values in (given.data if given is not None else {}).items():
        try:
            track = np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            continue
        if track.ndim in (1, 2) and len(track) == frames and np.isfinite(track).all():
            found[name] = track
    return found


def _still(offsets: Floats, own: Floats) -> bool:
    """True if offsets equal the skeleton's own within rounding."""
    most = FLOAT32_TOLERANCE * np.abs(own).max()
    return all(np.abs(offsets[some] - own).max() <= most for some in blocks(len(offsets), own.size))


def _frame_times(channels: list[Channel]) -> Floats:
    """Frame times: all keys, a moment before each STEP, and extra times along curves."""
    parts = {id(channel.times): channel.times for channel in channels}
    times = _merged(np.concatenate(list(parts.values())))
    extra = [_curve_times(channel) for channel in channels if channel.tangents is not None]
    extra += [_jump_times(channel, times) for channel in channels if channel.mode == "STEP"]
    return _merged(np.concatenate([times, *extra])) if extra else times


def _merged(times: Floats) -> Floats:
    times = np.unique(times)
    apart = np.diff(times, prepend=-np.inf) > BAKE.same_time * (1.0 + np.abs(times))
    return times[apart]


def _jump_times(channel: Channel, times: Floats) -> Floats:
    jumps = channel.times[1:][np.any(np.diff(channel.values, axis=0) != 0, axis=1)]
    # Stay after the preceding frame, however close it is.
    place = np.searchsorted(times, jumps - BAKE.same_time * (1.0 + np.abs(jumps)))
    before = times[np.maximum(place - 1, 0)]
    moment = np.minimum(BAKE.step_seconds * (1.0 + np.abs(jumps) / 8.0), 0.5 * (jumps - before))
    return jumps - moment


def _curve_times(channel: Channel) -> Floats:
    """Times between the keys of a curve at which linear interpolation follows it within `BAKE.curve_error`."""
    times, values = channel.times, channel.values
    if len(times) < 2 or channel.tangents is None:
        return times[:0]
    step = np.diff(times)[:, None]
    leave, arrive = channel.tangents[1, :-1] * step, channel.tangents[0, 1:] * step
    rise = np.diff(values, axis=0)
    # The second derivative of a cubic is linear, so its greatest value is at an end.
    bend = np.maximum(
        np.abs(6 * rise - 4 * leave - 2 * arrive), np.abs(-6 * rise + 2 * leave + 4 * arrive)
    ).max(axis=1)
    range_ = 1.0 if channel.path == "rotation" else max(np.ptp(values, axis=0).max(), 1e-12)
    pieces = np.ceil(
        np.sqrt(np.minimum(bend / (8 * BAKE.curve_error * range_), BAKE.most_intervals**2))
    )
    pieces = np.clip(pieces, 1, BAKE.most_intervals).astype(int)
    return np.concatenate(
        [
            start + size * np.arange(1, n) / n
            for start, size, n in zip(times[:-1], step[:, 0], pieces, strict=True)
        ]
    )


def sampled(channel: Channel, times: Floats) -> Floats:
    """Sample a channel at some times, shape (F, width); constant before and after its keys."""
    keys, values = channel.times, channel.values
    if channel.tangents is None and np.array_equal(keys, times):
        return values
    if channel.path == "rotation" and channel.tangents is None and (values == values[0]).all():
        return np.broadcast_to(values[0], (len(times), 4))  # as slerp between equal keys does
    before = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 1)
    after = np.minimum(before + 1, len(keys) - 1)
    # A frame that merges several keys takes the value of the last of them.
    near = np.abs(keys[after] - times) <= BAKE.same_time * (1.0 + np.abs(times))
    before = np.where(near, after, before)
    if channel.mode == "STEP":
        return values[before]
    gap = np.where(after > before, keys[after] - keys[before], 1.0)
    t = np.clip((times - keys[before]) / gap, 0.0, 1.0)
    if channel.tangents is None:
        if channel.path == "rotation":
            return slerp(values[before], values[after], t)
        t = t[:, None]
        return values[before] * (1.0 - t) + values[after] * t
    t, gap = t[:, None], gap[:, None]
    arrive, leave = channel.tangents
    result = (
        (2 * t**3 - 3 * t**2 + 1) * values[before]
        + (t**3 - 2 * t**2 + t) * gap * leave[before]
        + (3 * t**2 - 2 * t**3) * values[after]
        + (t**3 - t**2) * gap * arrive[after]
    )
    if channel.path != "rotation":
        return result
    size = np.linalg.norm(result, axis=1, keepdims=True)
    return np.where(size > 1e-9, result / np.where(size > 1e-9, size, 1.0), (1.0, 0.0, 0.0, 0.0))


def _rate(times: Floats, stated: float | None) -> tuple[float, bool]:
    """The frame rate, and True if the frames are evenly spaced by it, starting at 0.

    Key times are float32: a rate fits if it reproduces them within that rounding. Tried in order: the
    rate stated in the file, a whole number, an NTSC rate, and the median rate.
    """
    if len(times) < 2:
        return stated or DEFAULT_FPS, times[0] == 0
    fps = 1.0 / float(np.median(np.diff(times)))
    mean = (len(times) - 1) / float(times[-1] - times[0])
    if abs(mean - fps) < 1e-3 * fps:
        fps = mean
    usual = [float(round(fps)), round(fps * 1.001) / 1.001]
    near = [one for one in usual if abs(one - fps) <= 1e-4 * fps]
    rates = [min(max(one, 1e-3), 1e5) for one in (*near, fps)]
    rates = rates if stated is None else [stated, *rates]
    frames, slack = np.arange(len(times)), 1e-6 + BAKE.same_time * np.abs(times)
    for rate in rates:
        if np.all(np.abs(times - frames / rate) <= slack):
            return rate, True
    return rates[0], False
