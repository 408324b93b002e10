"""The things that figures are made of: bones, joints, frames, limits, goals, reach, names.

Each is drawn on plain axes through a `View`. In space, bones and joints nearer to the eye are drawn
over those farther away.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.patches import Circle, Polygon
from matplotlib.patheffects import Normal, Stroke

from supple import rotations
from supple.apps.plot import style
from supple.apps.plot.view import Floats, View
from supple.model.capsules import Capsule
from supple.model.skeleton import Pose, Skeleton
from supple.model.sketch import limit_curves, swing_limit, swing_rim

# Layers; within one the nearer to the eye is higher by less than 1.
GROUND, SHADOW, REACH, LIMITS, GHOSTS, GOALS, BONES, FRAMES, JOINTS, NAMES = range(10)

MOST_SINGLE_BONES = 150  # with more, all bones are drawn as one collection of lines


def links(skeleton: Skeleton) -> list[tuple[int, int]]:
    """Pairs of indices in `skeleton.names`: a joint or tip, and its parent."""
    above = [*skeleton.parents.tolist(), *skeleton.packed_tips[0].tolist()]
    return [(k, a) for k, a in enumerate(above) if a >= 0]


def weight(skeleton: Skeleton) -> float:
    """How bold to draw: 1 for a few joints, less for many."""
    return float(np.clip(math.sqrt(14 / max(len(skeleton.names), 1)), 0.3, 1.0))


def _layer(view: View, layer: int, points: Floats) -> Floats:
    """Drawing order of points within a layer: 0.1 far to 0.9 near."""
    if view.flat or not len(points):
        return np.full(len(points), layer + 0.5)
    depth = view.depth(points)
    size = float(np.ptp(depth)) or 1.0
    return layer + 0.1 + 0.8 * (depth - depth.min()) / size


def bones(
    ax: Axes, view: View, pose: Pose, *, pressed: Iterable[str] = (), scale: float = 1.0
) -> None:
    """A pose: dark bones, light blue joints, tips as small diamonds; joints at a limit ringed."""
    skeleton, positions = pose.skeleton, pose.positions
    flat = view(positions)
    bold = scale * weight(skeleton)
    pairs = links(skeleton)
    middle = np.array([0.5 * (positions[k] + positions[a]) for k, a in pairs]).reshape(-1, 3)
    width = 4.2 * bold
    if len(pairs) > MOST_SINGLE_BONES:
        parts = [flat[[a, k]] for k, a in pairs]
        ax.add_collection(LineCollection(parts, colors=style.BONE, linewidths=width, zorder=BONES))
        pairs, middle = [], middle[:0]
    halo = Stroke(linewidth=width + 2.0, foreground="white", capstyle="butt")
    for (k, a), order in zip(pairs, _layer(view, BONES, middle), strict=True):
        (line,) = ax.plot(*flat[[a, k]].T, color=style.BONE, lw=width, zorder=order)
        line.set_path_effects([halo, Normal()])
    marked = set(pressed)
    if len(skeleton.names) > MOST_SINGLE_BONES:
        joints = flat[: len(skeleton.joints)]
        ax.plot(
            *joints.T, "o", ms=5 * bold, mfc=style.JOINT, mec=style.BONE, mew=0.5, zorder=JOINTS
        )
        return
    orders = _layer(view, JOINTS, positions)
    for k, name in enumerate(skeleton.names):
        joint = k < len(skeleton.joints)
        if not joint and np.array_equal(positions[k], pose.position(skeleton.parent(name) or name)):
            continue  # a frame on its joint, such as a robot's link
        ax.plot(
            *flat[k],
            marker="o" if joint else "D",
            ms=(10.5 if joint else 5.5) * bold,
            mfc=style.JOINT if joint else "white",
            mec=style.PRESSED if name in marked else style.BONE,
            mew=(2.2 if name in marked else 1.3) * max(bold, 0.6),
            zorder=orders[k],
        )


def ghost(
    ax: Axes,
    view: View,
    pose: Pose,
    *,
    fade: float = 0.0,
    colour: str = style.GHOST,
    scale: float = 1.0,
) -> None:
    """A pose in the background: thin and pale, paler for a larger `fade`."""
    skeleton = pose.skeleton
    flat = view(pose.positions)
    tint, bold = style.faded(colour, fade), scale * weight(skeleton)
    parts = [flat[[a, k]] for k, a in links(skeleton)]
    order = GHOSTS + 0.9 - 0.8 * fade
    ax.add_collection(
        LineCollection(parts, colors=tint, linewidths=2.6 * bold, capstyle="round", zorder=order)
    )
    joints = flat[: len(skeleton.joints)]
    ax.plot(*joints.T, "o", ms=5.5 * bold, mfc="white", mec=tint, mew=1.2 * bold, zorder=order)


def shadow(ax: Axes, view: View, pose: Pose, floor: float, *, scale: float = 1.0) -> None:
    """The shadow of the bones on the floor, which shows where in space they are."""
    on_floor = pose.positions.copy()
    on_floor[:, view.axes[2]] = floor
    flat = view(on_floor)
    parts = [flat[[a, k]] for k, a in links(pose.skeleton)]
    wide = 4.0 * scale * weight(pose.skeleton)
    ax.add_collection(
        LineCollection(parts, colors="#dde2e8", linewidths=wide, capstyle="round", zorder=SHADOW)
    )


def frames(ax: Axes, view: View, pose: Pose, size: float) -> None:
    """The axes of every joint's frame, red, green and blue for x, y and z."""
    origins = pose.positions[: len(pose.skeleton.joints)]
    turned = pose.rotations[: len(pose.skeleton.joints)]
    thin = 1.5 * max(weight(pose.skeleton), 0.5)
    for k, colour in enumerate(style.AXES):
        ends = origins + size * rotations.rotate(turned, np.eye(3)[k])
        parts = np.stack([view(origins), view(ends)], axis=1)
        ax.add_collection(
            LineCollection(
                list(parts), colors=colour, linewidths=thin, capstyle="round", zorder=FRAMES
            )
        )


def triad(ax: Axes, view: View, origin: Floats, turn: Floats, size: float) -> None:
    """One frame, such as the orientation that a goal asks for."""
    for k, colour in enumerate(style.AXES):
        ends = np.stack([origin, origin + size * rotations.rotate(turn, np.eye(3)[k])])
        ax.plot(*view(ends).T, color=colour, lw=2.2, zorder=GOALS)


def capsule_ends(pose: Pose, given: Mapping[str, Sequence[Capsule]]) -> list[tuple[Floats, float]]:
    """The ends (2, 3) in the world and the radius of every capsule of a pose."""
    found = []
    for name, some in given.items():
        k = pose.skeleton.index(name)
        at, turn = pose.positions[k], pose.rotations[k]
        for one in some:
            ends = rotations.rotate(turn, np.array([one.a, one.b])) + at
            found.append((ends, one.radius))
    return found


def capsules(
    ax: Axes,
    view: View,
    pose: Pose,
    given: Mapping[str, Sequence[Capsule]],
    *,
    pressed: Iterable[str] = (),
) -> None:
    """The outlines of capsules on the page, the nearest last; those of `pressed` joints red."""
    marked = set(pressed)
    parts = [
        (ends, radius, style.PRESSED if name in marked else style.LIMIT)
        for name, some in given.items()
        for ends, radius in capsule_ends(pose, {name: some})
    ]
    for ends, radius, colour in sorted(parts, key=lambda part: float(view.depth(part[0]).max())):
        capsule(ax, view, ends, radius, colour)


def capsule(ax: Axes, view: View, ends: Floats, radius: float, colour: str) -> None:
    """The outline of a capsule with ends (2, 3) in the world."""
    half = np.linspace(-np.pi / 2, np.pi / 2, 25)
    a, b = view(ends)
    along = float(np.arctan2(b[1] - a[1], b[0] - a[0]))
    round_b = b + radius * np.stack([np.cos(along + half), np.sin(along + half)], axis=1)
    back = along + np.pi + half
    round_a = a + radius * np.stack([np.cos(back), np.sin(back)], axis=1)
    outline = np.concatenate([round_b, round_a])
    strong = 2.0 if colour == style.PRESSED else 1.0
    fill = min(0.12 * strong, 1.0)
    ax.add_patch(Polygon(outline, fc=colour, ec="none", alpha=fill, zorder=LIMITS))
    ax.add_patch(Polygon(outline, fill=False, ec=colour, lw=0.7 * strong, alpha=0.6, zorder=LIMITS))


def limit_regions(view: View, pose: Pose) -> list[tuple[int, Floats, Floats]]:
    """The regions that limits allow: (joint, edge (K, 3), filled parts (P, 3, 3) or none), world.

    Fans for hinges and axes, segments for sliders; a cone is a sector if flat, else its mantle.
    """
    regions: list[tuple[int, Floats, Floats]] = []
    none = np.zeros((0, 3, 3))
    for curve in limit_curves(pose):
        if not pose.skeleton.joints[curve.joint].has_swing_limits:
            regions.append((curve.joint, curve.points, none))
    for j, joint in enumerate(pose.skeleton.joints):
        if joint.has_swing_limits:
            regions += _cone(view, pose, j)
    return regions


def limits(ax: Axes, view: View, pose: Pose, *, pressed: Iterable[str] = ()) -> None:
    """The limits of joints: fans, cones and segments; red for joints at their limit."""
    marked = set(pressed)
    for joint, edge, parts in limit_regions(view, pose):
        name = pose.skeleton.joint_names[joint]
        colour = style.PRESSED if name in marked else style.LIMIT
        line = view(edge)
        if len(parts):
            filled = PolyCollection(list(view(parts)), facecolors=colour, alpha=0.09, zorder=LIMITS)
            ax.add_collection(filled)
        elif len(line) > 2:
            ax.add_patch(Polygon(line, fc=colour, ec="none", alpha=0.13, zorder=LIMITS))
        ax.plot(*line.T, color=colour, lw=0.9, alpha=0.75, zorder=LIMITS + 0.5)


def _cone(view: View, pose: Pose, j: int) -> list[tuple[int, Floats, Floats]]:
    """The directions that a cone joint's axis may take."""
    skeleton = pose.skeleton
    parent = int(skeleton.parents[j])
    frame = skeleton.rotations[j]
    if parent >= 0:
        frame = rotations.multiply(pose.rotations[parent], frame)
    cone = skeleton.freedom_table.cones.of(j)
    axis = rotations.rotate(frame, cone.axis[0])
    origin, size = pose.positions[j], _bone_size(pose, j) / 3
    if view.flat:
        if abs(axis @ view.toward) > 1 - 1e-6:
            return []  # seen along its axis: all around
        about = rotations.rotate(rotations.conjugate(frame), view.toward)
        high, low = swing_limit(cone, about), -swing_limit(cone, -about)
        angles = np.linspace(low, high, max(3, math.ceil((high - low) / 0.08)))
        rim = rotations.rotate(rotations.from_axis_angle(view.toward, angles), axis)
        sector = np.concatenate([[origin], origin + size * rim, [origin]])
        return [(j, sector, np.zeros((0, 3, 3)))]
    rim = origin + size * rotations.rotate(frame, swing_rim(cone, 49))
    mantle = np.stack([np.broadcast_to(origin, (24, 3)), rim[:-1:2], rim[2::2]], axis=1)
    return [(j, rim, mantle)]


def _bone_size(pose: Pose, j: int) -> float:
    """Length of the first bone of a joint."""
    extent = float(np.max(np.ptp(pose.positions, axis=0), initial=0.0)) or 1.0
    for k, above in links(pose.skeleton):
        size = float(np.linalg.norm(pose.positions[k] - pose.positions[j]))
        if above == j and size > 1e-9 * extent:
            return size
    return 0.3 * extent


def goal(ax: Axes, view: View, point: Floats, *, shape: str = "disc", scale: float = 1.0) -> None:
    """The orange disc, ring, triangle or square of a goal; see `supple.goals.mark.SHAPES`."""
    x, y = view(point)
    if shape == "disc":
        halo = [Stroke(linewidth=5.0, foreground="white"), Normal()]
        (ring,) = ax.plot(
            x, y, "o", ms=20 * scale, mfc="none", mec=style.GOAL, mew=1.2, zorder=GOALS
        )
        ring.set_path_effects([Stroke(linewidth=3.2, foreground="white"), Normal()])
        (disc,) = ax.plot(x, y, "o", ms=12.5 * scale, color=style.GOAL, zorder=GOALS + 0.1)
        disc.set_path_effects(halo)
        return
    marker = {"ring": "o", "triangle": "^", "square": "s"}[shape]
    ax.plot(x, y, marker, ms=9 * scale, mfc="none", mec=style.GOAL, mew=1.8, zorder=GOALS)


def drop(ax: Axes, view: View, point: Floats, floor: float) -> None:
    """A thin line from a point down to the floor."""
    foot = np.array(point, dtype=float)
    foot[view.axes[2]] = floor
    ends = view(np.stack([point, foot]))
    ax.plot(*ends.T, color=style.GOAL, lw=0.8, ls=(0, (1, 2)), zorder=SHADOW + 0.5)
    ax.plot(*ends[1], "o", ms=3, color=style.faded(style.GOAL, 0.4), zorder=SHADOW + 0.5)


def gap(ax: Axes, view: View, tip: Floats, target: Floats, text: str) -> None:
    """A dashed line from an effector to the goal that it did not reach, and how long it is."""
    ends = view(np.stack([tip, target]))
    ax.plot(*ends.T, color=style.GOAL, lw=1.3, ls=(0, (4, 2.5)), zorder=GOALS - 0.1)
    along = ends[1] - ends[0]
    size = float(np.linalg.norm(along))
    along = along / size if size > 0 else np.array([0.0, 1.0])
    beyond = along * (16 + 12 * abs(along[0]), 18)
    write(ax, text, ends[1], beyond, colour=style.GOAL)


def reach(ax: Axes, view: View, centre: Floats, radius: float) -> None:
    """The circle, or the outline and equator of the sphere, at a distance of a chain's root."""
    dashes = (0, (5, 4))
    x, y = view(centre)
    ax.add_patch(
        Circle((x, y), radius, fill=False, ec=style.QUIET, lw=0.9, ls=dashes, zorder=REACH)
    )
    if not view.flat:
        angles = np.linspace(0, 2 * math.pi, 121)
        equator = np.zeros((121, 3))
        equator[:, view.axes[0]] = np.cos(angles)
        equator[:, view.axes[1]] = np.sin(angles)
        ax.plot(
            *view(centre + radius * equator).T,
            color=style.faded(style.QUIET, 0.45), lw=0.7, ls=dashes, zorder=REACH,
        )  # fmt: skip


def write(
    ax: Axes, text: str, at: Floats, shift: Floats, *, colour: str = style.QUIET, size: float = 8
) -> None:
    """Write text beside a point of the page, shifted by points (1/72 inch)."""
    words = ax.annotate(
        text, (float(at[0]), float(at[1])), xytext=(float(shift[0]), float(shift[1])),
        textcoords="offset points", ha="center", va="center", fontsize=size, color=colour,
        zorder=NAMES,
    )  # fmt: skip
    words.set_path_effects([Stroke(linewidth=2.2, foreground="white"), Normal()])


def names(
    ax: Axes, view: View, pose: Pose, shown: Sequence[str], busy: Mapping[str, Floats]
) -> None:
    """Names beside joints and tips, away from their bones and from goals `busy` (name: world)."""
    skeleton = pose.skeleton
    flat = view(pose.positions)
    for name in shown:
        k = skeleton.index(name)
        parent = skeleton.parent(name)
        others = [*([parent] if parent else []), *skeleton.children(name)]
        ends = [flat[skeleton.index(other)] for other in others]
        ends += [view(busy[name])] if name in busy else []
        write(ax, name, flat[k], 16 * _free_side(flat[k], ends))


def _free_side(at: Floats, ends: Sequence[Floats]) -> Floats:
    """The direction on the page, of length one, away from lines from a point to their ends."""
    units = [(end - at) / np.linalg.norm(end - at) for end in ends if np.any(end != at)]
    if not units:
        return np.array([0.0, 1.0])
    away = -np.sum(units, axis=0)
    if np.linalg.norm(away) < 0.25:  # straight through: beside it
        away = np.array([-units[0][1], units[0][0]])
    return away / np.linalg.norm(away)
