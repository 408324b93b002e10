"""Small pictures made of text: a skeleton as a tree, a pose as an SVG.

Bones are lines and joints light blue dots, in a three-quarter view with +Y up, or from the front
if everything lies in one XY plane. Joint frames are short red, green and blue lines for x, y and z;
limits are drawn in violet.
"""

import math
from html import escape
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.errors import whole
from supple.model.freedoms import Cones
from supple.model.joints import Joint
from supple.model.structure import Posed, Structure
from supple.rotations import conjugate, from_axis_angle, from_rotation_vector, multiply, rotate

Floats = NDArray[np.float64]

SVG_WIDTH, SVG_HEIGHT, SVG_MARGIN = 360, 240, 18  # [px]
AXIS_COLOURS = ("#d62728", "#2ca02c", "#1f77b4")
MOST_POSES = 12  # of a batch that are drawn
MOST_DETAILED_JOINTS = 200  # beyond which frames and limits would only be clutter


def skeleton_tree(skeleton: Structure, *, limit: int = 200) -> str:
    """The joints and tips as an indented tree, at most `limit` lines of it."""
    limit = whole("limit", limit, least=1)
    joints = dict(zip(skeleton.joint_names, skeleton.joints, strict=True))
    roots = [name for name in skeleton.joint_names if skeleton.parent(name) is None]
    lines: list[tuple[str, str]] = []
    stack = [(name, "", "") for name in reversed(roots)]
    while stack and len(lines) < limit:
        name, branch, indent = stack.pop()
        lines.append((branch + name, repr(joints[name]) if name in joints else "tip"))
        below = skeleton.children(name)
        for k in reversed(range(len(below))):
            last = k == len(below) - 1
            stack.append(
                (below[k], indent + ("└─ " if last else "├─ "), indent + ("   " if last else "│  "))
            )
    width = min(max(len(left) for left, _ in lines), 60)
    rows = [f"{left:<{width}}  {right}" for left, right in lines]
    hidden = len(skeleton.names) - len(lines)
    return "\n".join([*rows, f"... and {hidden} more"] if hidden else rows)


def skeleton_html(skeleton: Structure) -> str:
    """The rest pose and the tree, for a notebook."""
    tree = escape(skeleton_tree(skeleton, limit=40))
    style = "display:flex;gap:1em;align-items:center"
    return f'<div style="{style}">{pose_svg(skeleton.rest)}<pre>{tree}</pre></div>'


def captioned(pose: Posed, caption: str) -> str:
    """A pose, or some of a batch, with a line below, for a notebook."""
    return f"<figure>{pose_svg(pose)}<figcaption>{escape(caption)}</figcaption></figure>"


class Curve(NamedTuple):
    """A line that shows a limit of a joint."""

    joint: int
    points: Floats  # world, shape (K, 3)


def limit_curves(pose: Posed) -> list[Curve]:
    """World lines that show the limits of a single pose's joints.

    An angle is a fan from its lower to its upper limit, about the direction of its child at angle zero; a swing is
    the rim of a cone and its ribs; a slide is its range. Their size is a third of the bone.
    """
    skeleton = pose.skeleton
    parents, table = skeleton.parents, skeleton.freedom_table
    positions, rotations = pose.positions, pose.rotations
    along = _directions(pose)
    curves: list[Curve] = []
    for j, joint in enumerate(skeleton.joints):
        if not joint.limit_rows or all(math.isinf(hi - lo) for lo, hi in joint.limit_rows):
            continue
        rest = skeleton.rotations[j]
        frame = multiply(rotations[parents[j]], rest) if parents[j] >= 0 else rest
        direction, size = along[j]
        origin, size = positions[j], size / 3
        q = pose.coordinates[table.coordinates_of(j)]
        lines: list[Floats] = []
        if joint.has_swing_limits:
            lines = _cone(table.cones.of(j))
        before = np.array([1.0, 0.0, 0.0, 0.0])
        for k, one in enumerate(joint.scalars):
            if one.slides:
                continue
            axis = np.array(one.axis)
            if one.limits and not one.frozen and math.isfinite(sum(one.limits)):
                lines.append(rotate(before, _fan(axis, direction, one.limits)))
            before = multiply(before, from_axis_angle(axis, q[k]))
        if joint.slide_count:
            curves += _ranges(j, joint, frame, origin, q)
        curves += [Curve(j, origin + size * rotate(frame, line)) for line in lines]
    return curves


def _directions(pose: Posed) -> list[tuple[Floats, float]]:
    """For each joint the direction, in its own frame, and the distance of its first child or tip."""
    skeleton = pose.skeleton
    positions = pose.positions
    extent = float(np.max(np.ptp(positions, axis=0), initial=0.0)) or 1.0
    found = [(np.array([1.0, 0.0, 0.0]), 0.3 * extent)] * len(skeleton.joints)
    links = [*skeleton.parents.tolist(), *skeleton.packed_tips[0].tolist()]
    for k in reversed(range(len(links))):
        parent = links[k]
        if parent < 0:
            continue
        step = rotate(conjugate(pose.rotations[parent]), positions[k] - positions[parent])
        size = float(np.linalg.norm(step))
        if size > 1e-9 * extent:
            found[parent] = (step / size, size)
    return found


def _fan(axis: Floats, direction: Floats, limits: tuple[float, float]) -> Floats:
    """A unit fan about an axis, from the centre to one limit, around to the other, and back."""
    start = direction - (direction @ axis) * axis
    if np.linalg.norm(start) < 1e-6:
        start = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    lo, hi = (float(np.clip(x, -math.pi, math.pi)) if math.isinf(x) else x for x in limits)
    hi = min(hi, lo + 2 * math.pi)
    angles = np.linspace(lo, hi, max(2, math.ceil((hi - lo) / 0.15) + 1))
    arc = rotate(from_axis_angle(axis, angles), start / np.linalg.norm(start))
    return np.concatenate([np.zeros((1, 3)), arc, np.zeros((1, 3))])


def swing_rim(cone: Cones, count: int) -> Floats:
    """The outermost directions of a cone joint's axis, all around, in its rest frame (count, 3).

    Args:
        cone: The limits of one joint, from `Cones.of`.
        count: Number of directions; the first and the last are the same.
    """
    axis, around = cone.axis[0], np.linspace(0, 2 * math.pi, count)
    tilts = cone.half_angles[0]
    if not tilts.any():
        swing = cone.swing[0]
        side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
        side /= np.linalg.norm(side)
        edge = math.cos(swing) * axis + math.sin(swing) * side
        return rotate(from_axis_angle(axis, around), edge)
    down, up, left, right = tilts
    a, b = np.cos(around), np.sin(around)
    a, b = a * np.where(a >= 0, up, down), b * np.where(b >= 0, right, left)
    upward = cone.up[0]
    vectors = a[:, None] * np.cross(axis, upward) - b[:, None] * upward
    return rotate(from_rotation_vector(vectors), axis)


def swing_limit(cone: Cones, about: Floats) -> float:
    """The swing limit of one cone joint [rad] about the component of a direction (3,) perpendicular to its axis."""
    down, up, left, right = cone.half_angles[0]
    if not up:
        return float(cone.swing[0])
    axis, upward = cone.axis[0], cone.up[0]
    a, b = about @ np.cross(axis, upward), -(about @ upward)
    size = math.hypot(a, b)
    return float(size / math.hypot(a / (up if a >= 0 else down), b / (right if b >= 0 else left)))


def _cone(cone: Cones) -> list[Floats]:
    """The rim of a unit cone, and four ribs."""
    rim = swing_rim(cone, 37)
    ribs = [np.stack([rim[k], np.zeros(3), rim[k + 18]]) for k in (0, 9)]
    return [rim, *ribs]


def _ranges(j: int, joint: Joint, frame: Floats, origin: Floats, q: Floats) -> list[Curve]:
    """The range of one slide, or the outline of the ranges of two, if they are finite."""
    slides = [one for one in joint.scalars if one.slides]
    axes = [np.array(one.axis) for one in slides]
    limits = [one.limits or (-math.inf, math.inf) for one in slides]
    if len(axes) > 2 or any(math.isinf(x) for pair in limits for x in pair):
        return []
    zero = origin - rotate(frame, sum(v * a for v, a in zip(q, axes, strict=False)))
    lo, hi = limits[0]
    if len(axes) == 1:
        corners = [lo * axes[0], hi * axes[0]]
    else:
        low, high = limits[1]
        round_trip = ((lo, low), (hi, low), (hi, high), (lo, high), (lo, low))
        corners = [a * axes[0] + b * axes[1] for a, b in round_trip]
    return [Curve(j, zero + rotate(frame, np.array(corners)))]


def pose_svg(pose: Posed) -> str:
    """A pose, or up to a dozen of a batch with the last in front, as an inline SVG."""
    skeleton = pose.skeleton
    shape = (-1, len(skeleton.names), 3)
    all_positions = pose.positions.reshape(shape)
    chosen = np.unique(np.linspace(0, len(all_positions) - 1, MOST_POSES).astype(int))
    chosen = chosen if len(all_positions) else chosen[:0]
    groups = all_positions[chosen]
    curves: list[Curve] = []
    if not pose.batch_shape and len(skeleton.joints) <= MOST_DETAILED_JOINTS:
        curves = limit_curves(pose)
    everything = np.concatenate([groups.reshape(-1, 3), *(curve.points for curve in curves)])
    if not len(everything):
        everything = np.zeros((1, 3))
    flat = np.ptp(everything[:, 2]) <= 1e-9 * max(np.ptp(everything), 1e-300)
    view = _view(bool(flat))
    place = _fit(everything @ view.T)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SVG_WIDTH}" height="{SVG_HEIGHT}" '
        f'viewBox="0 0 {SVG_WIDTH} {SVG_HEIGHT}" role="img" style="background:white">'
        f"<title>{escape(repr(pose))}</title>"
    ]
    for curve in curves:
        d = _path(place(curve.points @ view.T))
        parts.append(f'<path d="{d}" fill="#9467bd" fill-opacity="0.12" stroke="#9467bd"/>')
    if not pose.batch_shape and len(skeleton.joints) <= MOST_DETAILED_JOINTS:
        parts += _triads(pose, view, place)
    for n, positions in enumerate(groups):
        opacity = 0.25 + 0.75 * (n + 1) / len(groups) if len(groups) > 1 else 1.0
        parts += _bones(skeleton, place(positions @ view.T), opacity)
    return "".join([*parts, "</svg>"])


def _view(flat: bool) -> Floats:
    """Right and up in the picture, as world directions, in rows."""
    yaw, pitch = (0.0, 0.0) if flat else (math.radians(35), math.radians(22))
    right = (math.cos(yaw), 0.0, -math.sin(yaw))
    up = (-math.sin(yaw) * math.sin(pitch), math.cos(pitch), -math.cos(yaw) * math.sin(pitch))
    return np.array([right, up])


def _fit(points: Floats):
    """A function from the view plane to the picture that fits all points into it."""
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.array([SVG_WIDTH - 2 * SVG_MARGIN, SVG_HEIGHT - 2 * SVG_MARGIN])
    size = high - low
    with np.errstate(divide="ignore"):
        scale = float(np.min(room / size))
    scale = scale if math.isfinite(scale) else 1.0
    middle = 0.5 * low + 0.5 * high

    def place(at: Floats) -> Floats:
        return (at - middle) * (scale, -scale) + (SVG_WIDTH / 2, SVG_HEIGHT / 2)

    return place


def _path(points: Floats) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def _triads(pose: Posed, view: Floats, place) -> list[str]:
    """The axes of every joint's frame."""
    origins = place(pose.positions @ view.T)
    drawn = []
    for k, colour in enumerate(AXIS_COLOURS):
        ends = origins + rotate(pose.rotations, np.eye(3)[k]) @ view.T * (12.0, -12.0)
        d = "".join(_path(np.stack(pair)) for pair in zip(origins, ends, strict=True))
        drawn.append(f'<path d="{d}" stroke="{colour}" stroke-width="1" fill="none"/>')
    return drawn


def _bones(skeleton: Structure, points: Floats, opacity: float) -> list[str]:
    """Bones as lines, joints as light blue dots, tips as small white ones."""
    links = [*skeleton.parents.tolist(), *skeleton.packed_tips[0].tolist()]
    d = "".join(_path(points[[a, b]]) for b, a in enumerate(links) if a >= 0)
    drawn = [f'<g opacity="{opacity:.2f}" stroke="#333"><path d="{d}" stroke-width="2.5"/>']
    for k, ((x, y), name) in enumerate(zip(points, skeleton.names, strict=True)):
        joint = k < len(skeleton.joints)
        size, fill = (4.5, "#87cefa") if joint else (3, "#fff")
        title = f"<title>{escape(name)}</title>" if opacity == 1.0 else ""
        drawn.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{fill}">{title}</circle>')
    return [*drawn, "</g>"]
