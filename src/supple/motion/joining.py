"""Motions one after the other, with or without a fade between them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.errors import SuppleError, number
from supple.motion.motion import Motion
from supple.motion.sampling import mixed
from supple.pose import Pose


def joined(first: Motion, second: Motion, *, blend: float, name: str | None) -> Motion:
    """One motion and then another, at the first one's fps; see `Motion.joined`."""
    if not isinstance(second, Motion):
        raise SuppleError(f"joined: expected a Motion, got {type(second).__name__}")
    if second.skeleton != first.skeleton:
        raise SuppleError("joined: expected motions of one skeleton; motion.on() matches them")
    blend = number("blend", blend, "0 or more seconds", lambda x: 0.0 <= x < np.inf)
    fps = first.fps
    called = name or f"{first.name} {second.name}"
    first = first if first.even else first.resampled(fps)
    second = second if second.even and second.fps == fps else second.resampled(fps)
    overlap = round(blend * fps) + 1 if blend > 0 else 0
    if overlap > min(len(first), len(second)):
        shortest = min(first.duration, second.duration)
        raise SuppleError(f"blend: expected at most {shortest:g} s, got {blend:g}")
    head, tail = len(first) - overlap, len(second) - overlap
    t = np.linspace(0.0, 1.0, overlap + 2)[1:-1]
    ramp = t * t * (3.0 - 2.0 * t)  # with no speed at the ends
    parts = [first.poses[:head]] if head else []
    if overlap:
        parts.append(first.poses[head:].interpolate(second.poses[:overlap], ramp))
    if tail:
        parts.append(second.poses[overlap:])
    tracks = {
        key: np.concatenate(
            [
                values[:head],
                mixed(values[head:], second.tracks[key][:overlap], ramp),
                second.tracks[key][overlap:],
            ]
        )
        for key, values in first.tracks.items()
        if key in second.tracks
    }
    return Motion(called, _concatenated(parts), fps=fps, tracks=tracks)


def _concatenated(parts: Sequence[Pose]) -> Pose:
    """Batches of poses of one skeleton, one after the other."""
    translations = scales = None
    if any(part.translations is not None for part in parts):
        translations = np.concatenate([part._full_translations() for part in parts])
    if any(part.scales is not None for part in parts):
        scales = np.concatenate([part._full_scales() for part in parts])
    q = np.concatenate([part.packed_coordinates for part in parts])
    return Pose._wrap(parts[0].skeleton, q, translations, scales)
