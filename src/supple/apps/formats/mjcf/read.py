"""Read MJCF models through MuJoCo's compiler.

Every MJCF joint becomes a joint of the same name, in MuJoCo's order, with the frame of its body moved to its
anchor; a body without joints becomes a fixed joint of its name, every other body and every site a tip. The
coordinates of a pose are MuJoCo's qpos: a joint's `ref` goes into its rest rotation or offset, and a free
joint counts from the origin of the world.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from supple import rotations
from supple.apps.character.character import Character
from supple.apps.formats.mjcf.compiling import Compiled, compiled
from supple.apps.formats.mjcf.couplings import Coupled, coupled
from supple.apps.formats.mjcf.document import document
from supple.apps.formats.source import JOINT_BYTES, LARGEST_NUMBER, Source, shown
from supple.apps.robot import from_qpos
from supple.errors import SuppleError
from supple.model.geoms import Geom
from supple.model.joints import Ball, Fixed, Free, Hinge, Joint, Slider
from supple.model.loops import Loop
from supple.model.masses import Mass
from supple.model.mimics import with_fit_limits
from supple.model.physics import Physics
from supple.model.skeleton import Node, Pose, Skeleton, Tip

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
EQ_CONNECT, EQ_WELD = 0, 1  # mjtEq
OBJ_SITE = 6  # mjtObj
KINDS = {0: "plane", 2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}
COUNTS = {"plane": 2, "sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3, "mesh": 0}
CHECKED = {
    "body": ("pos", "quat", "mass", "ipos", "iquat", "inertia"),
    "jnt": ("pos", "axis"),
    "site": ("pos", "quat"),
    "geom": ("pos", "quat", "size"),
    "key": ("qpos",),
}
"""Arrays whose numbers must be finite, by what they describe."""
IDENTITY_ROTATION = (1.0, 0.0, 0.0, 0.0)  # wxyz


class Place(NamedTuple):
    """The joint that carries a body, and the body's origin in its frame; the axes are the same."""

    joint: str
    origin: np.ndarray


class Names(NamedTuple):
    """What joints, bodies and sites are called in the skeleton, in MuJoCo's order."""

    joints: list[str]
    bodies: list[str]
    sites: list[str]


def read(source: Source, *, meshes: bool = False) -> Character:
    """Read a model.

    Args:
        source: The file.
        meshes: True to have the geoms that MuJoCo shows (groups 0 to 2) as meshes too.
    """
    model = document(source)
    found = compiled(source, model)
    count = len(found.jnt_type) + len(found.body_mass) + len(found.site_bodyid)
    source.charge(count * JOINT_BYTES, f"{count:,} joints, bodies and sites")
    _check(source, found)
    names = _names(found)
    links = coupled(source, found, names.joints)
    try:
        nodes, places = _nodes(source, found, names, links)
    except SuppleError as error:
        source.error(None, str(error))
    tips = _tips(found, names, places)
    try:
        physics = Physics(
            geoms=_geoms(source, found, places),
            masses=_masses(source, found, places),
            loops=_loops(source, found, places),
            excludes=_excludes(found, places),
            contactless=_contactless(found, places),
        )
        nodes, unfit = with_fit_limits(nodes)
        skeleton = Skeleton(nodes, tips, physics=physics)
    except SuppleError as error:
        source.error(None, str(error))
    for why in unfit.values():
        source.warn(why)
    look: tuple[Any, ...] = ()
    if meshes:
        from supple.apps.formats.mjcf.meshes import visible

        look = visible(source, found, places)
    source.guess("MJCF lengths are metres and z is up, by convention")
    called = {
        what: {old: new for old, new in zip(found.names[what], some, strict=True) if old.strip()}
        for what, some in (("body", names.bodies), ("site", names.sites))
    }
    other = [f"{shown(o)} {n!r}" for some in called.values() for o, n in some.items() if o != n]
    if other:
        few = ", ".join(other[:3]) + (", ..." if len(other) > 3 else "")
        source.guess(
            f"{len(other)} bodies and sites share a name with something else: called {few}"
        )
    extras = {
        "mjcf": {
            "name": model.name or source.name,
            "joints": tuple(names.joints),
            "bodies": called["body"],
            "sites": called["site"],
        }
    }
    return Character(
        skeleton,
        look,
        pose=from_qpos(skeleton, found.qpos0),
        poses=_keys(source, found, skeleton),
        unit="m",
        up="z",
        extras=extras,
    )


def _check(source: Source, model: Compiled) -> None:
    """Refuse numbers that are not finite, or so large that products of them would not be."""
    for what, fields in CHECKED.items():
        for field in fields:
            values = getattr(model, f"{what}_{field}")
            good = np.abs(values) <= LARGEST_NUMBER
            bad = ~np.all(good, axis=tuple(range(1, good.ndim)))
            if bad.any():
                k = int(np.argmax(bad))
                name = model.names["joint" if what == "jnt" else what][k] or str(k)
                source.error(
                    None,
                    f"{field} of {what} {shown(name)}: expected numbers up to {LARGEST_NUMBER:g}",
                )
    if not np.all(np.abs(model.qpos0) <= LARGEST_NUMBER):
        source.error(None, f"qpos0: expected numbers up to {LARGEST_NUMBER:g}")


def _names(model: Compiled) -> Names:
    """Unique names: joints keep theirs, then bodies, then sites."""
    given = model.names
    bodies = [name if name.strip() else f"body {k}" for k, name in enumerate(given["body"])]
    bodies[0] = bodies[0] or "world"
    taken: set[str] = set()

    def called(name: str, fallback: str) -> str:
        new = name
        if not name.strip() or name in taken:
            new, number = fallback, 2
            while new in taken:
                new, number = f"{fallback} {number}", number + 1
        taken.add(new)
        return new

    taken |= {name for name in given["joint"] if name.strip()}
    joints = []
    for name, body in zip(given["joint"], model.jnt_bodyid.tolist(), strict=True):
        joints.append(name if name.strip() else called("", f"{bodies[body]} joint"))
    links = [called(name, f"{name} body") for name in bodies]
    sites = [
        called(name, f"{name} site" if name.strip() else f"{bodies[body]} site")
        for name, body in zip(given["site"], model.site_bodyid.tolist(), strict=True)
    ]
    return Names(joints, links, sites)


def _nodes(
    source: Source, model: Compiled, names: Names, links: Coupled
) -> tuple[list[Node], list[Place]]:
    """The skeleton's nodes in MuJoCo's order, and where each body is."""
    nodes = [Node(names.bodies[0], None, joint=Fixed())]
    places = [Place(names.bodies[0], np.zeros(3))]
    for b in range(1, len(model.body_parentid)):
        above = places[model.body_parentid[b]]
        offset, turn = above.origin + model.body_pos[b], model.body_quat[b]
        parent, anchor = above.joint, np.zeros(3)
        first = int(model.body_jntadr[b])
        count = int(model.body_jntnum[b])
        if not count:
            nodes.append(Node(names.bodies[b], parent, offset, Fixed(), turn))
            parent = names.bodies[b]
        for j in range(first, first + count):
            kind = int(model.jnt_type[j])
            if kind == FREE:
                offset, turn, own = np.zeros(3), IDENTITY_ROTATION, np.zeros(3)
            else:
                own = np.zeros(3) if kind == SLIDE else model.jnt_pos[j]
                offset = offset + rotations.rotate(turn, own - anchor)
            ref = float(model.qpos0[model.jnt_qposadr[j]]) if kind in (SLIDE, HINGE) else 0.0
            if ref and kind == HINGE:
                back = rotations.from_axis_angle(model.jnt_axis[j], -ref)
                turn = rotations.multiply(turn, back)
            elif ref:
                offset = offset - ref * rotations.rotate(turn, model.jnt_axis[j])
            joint = _joint(source, model, j, names.joints[j], links)
            nodes.append(Node(names.joints[j], parent, offset, joint, turn))
            parent, anchor = names.joints[j], own
            offset, turn = np.zeros(3), np.array(IDENTITY_ROTATION)
        places.append(Place(parent, -anchor))
    mocap = int(np.count_nonzero(model.body_mocapid >= 0))
    if mocap:
        source.warn(f"{mocap} mocap bod{'ies are' if mocap > 1 else 'y is'} read as fixed")
    return nodes, places


def _joint(source: Source, model: Compiled, j: int, name: str, links: Coupled) -> Joint:
    kind = int(model.jnt_type[j])
    limits = tuple(model.jnt_range[j].tolist()) if model.jnt_limited[j] else None
    if kind == FREE:
        return Free()
    if kind == BALL:
        if limits is not None:
            source.warn(
                f"ball joint {shown(name)}: its limit, {limits[1]:g} rad about any axis, is not kept"
            )
        return Ball()
    if j in links.locked:
        limits = (links.locked[j],) * 2
    cls = Slider if kind == SLIDE else Hinge
    return cls(tuple(model.jnt_axis[j].tolist()), limits, mimic=links.mimics.get(j))


def _tips(model: Compiled, names: Names, places: list[Place]) -> list[Tip]:
    """A tip for each body that is not a joint itself, and for each site."""
    tips = [
        Tip(name, place.joint, tuple(place.origin))
        for name, place in zip(names.bodies, places, strict=True)
        if name != place.joint
    ]
    for s, name in enumerate(names.sites):
        place = places[model.site_bodyid[s]]
        at = place.origin + model.site_pos[s]
        tips.append(Tip(name, place.joint, tuple(at), tuple(model.site_quat[s])))
    return tips


def _geoms(source: Source, model: Compiled, places: list[Place]) -> tuple[Geom, ...]:
    geoms = []
    shapes: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for g in np.flatnonzero(~model.lost).tolist():
        kind = KINDS.get(int(model.geom_type[g]))
        name = model.names["geom"][g]
        collides = model.geom_contype[g] or model.geom_conaffinity[g]
        if kind is None or (kind == "mesh" and not collides):
            continue  # meshes that are only seen are many and large
        place = places[model.geom_bodyid[g]]
        shape: tuple[Any, Any] = (None, None)
        if kind == "mesh":
            k = int(model.geom_dataid[g])
            if k not in shapes:
                shapes[k] = mesh_of(model, k)
            shape = shapes[k]
        try:
            geoms.append(
                Geom(
                    kind,
                    place.joint,
                    tuple(model.geom_size[g, : COUNTS[kind]].tolist()),
                    tuple(place.origin + model.geom_pos[g]),
                    tuple(model.geom_quat[g]),
                    name=name,
                    contype=int(model.geom_contype[g]) & 0xFFFFFFFF,
                    conaffinity=int(model.geom_conaffinity[g]) & 0xFFFFFFFF,
                    vertices=shape[0],
                    faces=shape[1],
                )
            )
        except SuppleError as error:
            source.warn(f"a geom is left out: {error}")
    return tuple(geoms)


def _contactless(model: Compiled, places: list[Place]) -> tuple[str, ...]:
    """The joints of bodies whose geoms, read or not, collide with nothing."""
    collides = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    owners = [places[b].joint for b in model.geom_bodyid.tolist()]
    solid = {joint for joint, on in zip(owners, collides.tolist(), strict=True) if on}
    return tuple(joint for joint in dict.fromkeys(owners) if joint not in solid)


def mesh_of(model: Compiled, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (V, 3) in the frame of the geoms that have a mesh, and faces (F, 3)."""
    first, count = int(model.mesh_vertadr[k]), int(model.mesh_vertnum[k])
    start, many = int(model.mesh_faceadr[k]), int(model.mesh_facenum[k])
    vertices = np.array(model.mesh_vert[first : first + count], float)
    faces = np.array(model.mesh_face[start : start + many], np.int64)
    vertices.flags.writeable = faces.flags.writeable = False
    return vertices, faces


def _masses(source: Source, model: Compiled, places: list[Place]) -> dict[str, Mass | None]:
    masses: dict[str, Mass | None] = {}
    R = rotations.to_matrix(model.body_iquat)
    inertias = (R * model.body_inertia[:, None, :]) @ np.swapaxes(R, -1, -2)
    for b in range(1, len(model.body_mass)):
        place = places[b]
        if model.unknown[b]:
            masses[place.joint] = None
        elif model.body_mass[b] > 0:
            masses[place.joint] = Mass(
                float(model.body_mass[b]), tuple(place.origin + model.body_ipos[b]), inertias[b]
            )
    unknown = [name for name, one in masses.items() if one is None]
    if unknown:
        few = ", ".join(map(shown, unknown[:4])) + (", ..." if len(unknown) > 4 else "")
        many = (
            f"the masses of {len(unknown)} bodies are"
            if len(unknown) > 1
            else "the mass of a body is"
        )
        source.warn(f"{many} not known, on {few}")
    return masses


def _loops(source: Source, model: Compiled, places: list[Place]) -> tuple[Loop, ...]:
    """Equalities that hold bodies together."""
    loops = []
    inactive = 0
    for e, kind in enumerate(model.eq_type.tolist()):
        if kind not in (EQ_CONNECT, EQ_WELD):
            continue
        if not model.eq_active0[e]:
            inactive += 1
            continue
        ids = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
        data = model.eq_data[e]
        if model.eq_objtype[e] == OBJ_SITE:
            bodies = [int(model.site_bodyid[s]) for s in ids]
            points = [model.site_pos[s] for s in ids]
            a, b = (model.site_quat[s] for s in ids)
            turn = rotations.multiply(a, rotations.conjugate(b))
        else:
            bodies = list(ids)
            points = [data[0:3], data[3:6]] if kind == EQ_CONNECT else [data[3:6], data[0:3]]
            turn = data[6:10] if kind == EQ_WELD else IDENTITY_ROTATION
        own, other = (places[b] for b in bodies)
        loops.append(
            Loop(
                "weld" if kind == EQ_WELD else "connect",
                own.joint,
                other.joint,
                tuple(own.origin + points[0]),
                tuple(other.origin + points[1]),
                rotations.normalize(turn) if kind == EQ_WELD else IDENTITY_ROTATION,
                name=model.names["equality"][e],
            )
        )
    if inactive:
        source.warn(f"{inactive} connect or weld equalities are inactive: left out")
    return tuple(loops)


def _excludes(model: Compiled, places: list[Place]) -> tuple[tuple[str, str], ...]:
    pairs = [(int(one) >> 16, int(one) & 0xFFFF) for one in model.exclude_signature]
    return tuple((places[a].joint, places[b].joint) for a, b in pairs)


def _keys(source: Source, model: Compiled, skeleton: Skeleton) -> dict[str, Pose]:
    """The keyframes as poses."""
    poses: dict[str, Pose] = {}
    for k, name in enumerate(model.names["key"]):
        name = name if name.strip() else f"key {k}"
        try:
            poses[name] = from_qpos(skeleton, model.key_qpos[k])
        except SuppleError as error:
            source.warn(f"keyframe {shown(name)} is left out: {error}")
    return poses
