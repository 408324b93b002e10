"""`BodyMap`: which joints of a skeleton are hips, spine, neck, head, arms and legs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from supple import toml
from supple.apps.motion.feet import find_feet
from supple.apps.motion.retargeting.names import LIMBS, MIDDLE, called, listed, side_and_stem
from supple.errors import SuppleError, brief, instance, mapping, one_of, text
from supple.files import as_path, write
from supple.model.skeleton import Pose, Skeleton

Floats = NDArray[np.float64]

SIDES = ("left", "right")
PARTS = ("clavicle", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
ROLES = ("hips", "spine", "neck", "head", *(f"{side}_{part}" for side in SIDES for part in PARTS))
LEG, ARM = ("thigh", "shin", "foot"), ("upper_arm", "forearm")  # what a limb must have
NEEDED = tuple(f"{side}_{part}" for side in SIDES for part in (*LEG, *ARM))
FORMAT = "supple-body-map"
LONGEST_ORIGIN_CHARS = 1000  # of where a map comes from, in messages

# Least upward part of the direction from the hips to the shoulders of an upright trunk. Humans at rest have 0.97 or
# more; the Fox of Khronos 0.1, Spot and ANYmal 0.
UPRIGHT_TRUNK = 0.5
# Least height of hands above the feet [share of the shoulders' height]. In those animals it is at most 0.05,
# in humans with hanging arms 0.4 or more.
HANDS_OVER_FEET = 0.2

# The bones of VRM, 0.x and 1.0, by role.
VRM = {
    "hips": "hips", "neck": "neck", "head": "head",
    **{f"{side}{bone}": f"{side}_{part}" for side in SIDES for bone, part in (
        ("UpperLeg", "thigh"), ("LowerLeg", "shin"), ("Foot", "foot"), ("Toes", "toe"), ("Shoulder", "clavicle"),
        ("UpperArm", "upper_arm"), ("LowerArm", "forearm"), ("Hand", "hand"))},
}  # fmt: skip
VRM_SPINE = ("spine", "chest", "upperChest")


@dataclass(frozen=True)
class BodyMap:
    """Which joints of a skeleton play which part of a body.

    Roles are hips, spine, neck, head and, for left and right, clavicle, upper_arm, forearm, hand, thigh, shin, foot
    and toe, such as "left_upper_arm". A robot's joint of several hinges, such as a hip of pitch, roll and yaw, has
    all of them, from the trunk outwards; the last one carries the limb.

    Args:
        joints: For each role that the skeleton has, its joint or joints.

    Raises:
        SuppleError: A role is unknown, or has no joint.
    """

    joints: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        given: dict[str, tuple[str, ...]] = {}
        for role, names in mapping("body map", self.joints, "{role: joint}").items():
            one_of("role of a body map", role, ROLES)
            group = (
                (names,)
                if isinstance(names, str)
                else tuple(names)
                if isinstance(names, (list, tuple))
                else ()
            )
            if not group or not all(isinstance(name, str) for name in group):
                raise SuppleError(
                    f"body map: expected a joint or a list of joints for {role!r}, got {brief(names)}"
                )
            given[role] = group
        ordered = {role: given[role] for role in ROLES if role in given}
        object.__setattr__(self, "joints", MappingProxyType(ordered))

    @classmethod
    def recognize(
        cls,
        skeleton: Skeleton,
        *,
        up: str = "y",
        poses: Pose | None = None,
        bones: Mapping[str, str] | None = None,
    ) -> BodyMap:
        """Find the parts of a body by name, or by position where names do not tell.

        Args:
            skeleton: Of a character or robot with two arms and two legs.
            up: The axis that points up: "y", "z", "-x", ...
            poses: A batch of poses, shape (F,), by which limbs of other names are found; the rest pose by default.
            bones: VRM's humanoid bones, {"leftUpperLeg": joint, ...}; they override names.

        Raises:
            SuppleError: An arm or a leg is not found; the message lists the joints there are.
        """
        if poses is not None and instance("poses", poses, Pose).skeleton != skeleton:
            raise SuppleError("poses: expected those of the skeleton, got those of another")
        bones = {} if bones is None else mapping("bones", bones, "{bone of VRM: joint}")
        return _recognized(instance("skeleton", skeleton, Skeleton), up, poses, bones)

    @property
    def legs(self) -> tuple[str, ...]:
        """The sides that have a leg."""
        return tuple(side for side in SIDES if all(f"{side}_{part}" in self for part in LEG))

    @property
    def arms(self) -> tuple[str, ...]:
        """The sides that have an arm."""
        return tuple(side for side in SIDES if all(f"{side}_{part}" in self for part in ARM))

    @property
    def whole(self) -> bool:
        """True if there are two arms and two legs."""
        return len(self.legs) == 2 and len(self.arms) == 2

    def checked(self, skeleton: Skeleton) -> BodyMap:
        """This map, if all its joints are in a skeleton and its limbs are whole: two legs, arms, or both.

        Raises:
            SuppleError: A joint does not exist, there is no limb, one lacks a part, or there is one leg.
        """
        for role, group in self.joints.items():
            for name in group:
                one_of(f"joint of {role!r}", name, skeleton.joint_names)
        started = [
            [f"{side}_{part}" for part in limb]
            for limb in (LEG, ARM)
            for side in SIDES
            if any(f"{side}_{part}" in self for part in limb)
        ]
        if len(self.legs) == 1:
            started += [[f"{side}_{part}" for part in LEG] for side in SIDES]
        missing = [role for role in NEEDED if role not in self.joints]
        if started:
            asked = {role for limb in started for role in limb}
            missing = [role for role in missing if role in asked]
        if missing:
            raise SuppleError(
                f"body map: expected joints for {', '.join(missing)}, got none; give them in a map, of the joints "
                f"{listed(skeleton.joint_names)}"
            )
        return self

    # Files --------------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: str | Path) -> BodyMap:
        """Read a map from a TOML file, as `save` writes it.

        Raises:
            SuppleError: The file cannot be read, is not TOML, or has an unknown role.
        """
        path = as_path("body map", path)
        return cls.from_data(toml.read(path).data, str(path))

    @classmethod
    def from_data(cls, data: Mapping[str, Any], where: str = "body map") -> BodyMap:
        """The map in a table of TOML: {"joints": {role: joint or [joint, ...]}}."""
        if len(text("where", where)) > LONGEST_ORIGIN_CHARS:
            where = brief(where)
        joints = mapping(where, data, '{"joints": {role: joint}}').get("joints")
        if not isinstance(joints, Mapping):
            raise SuppleError(f"{where}: expected a table [joints] of roles, got {brief(joints)}")
        try:
            return cls(dict(joints))
        except SuppleError as error:
            raise SuppleError(f"{where}: {error}") from None

    def save(self, path: str | Path) -> None:
        """Write the map as TOML, which can be edited; the file is replaced atomically."""
        write(path, self.to_toml(), "body map")

    def to_toml(self) -> str:
        """The map as the text of a TOML file."""
        lines = [
            "# Which joints play which part of a body. A list goes from the trunk outwards.",
            f"# Roles: {', '.join(('hips', 'spine', 'neck', 'head'))}; left_ and right_ {', '.join(PARTS)}.",
            f'format = "{FORMAT}"', "", "[joints]",
        ]  # fmt: skip
        for role, group in self.joints.items():
            value = json.dumps(group[0] if len(group) == 1 else list(group), ensure_ascii=False)
            lines.append(f"{role} = {value}")
        return "\n".join(lines) + "\n"

    def __getitem__(self, role: str) -> tuple[str, ...]:
        """The joints of a role; () if there are none."""
        return self.joints.get(one_of("role", role, ROLES), ())

    def __contains__(self, role: object) -> bool:
        return role in self.joints

    def __hash__(self) -> int:
        return hash(tuple(self.joints.items()))

    def __reduce__(self) -> Any:
        return BodyMap, (dict(self.joints),)


# Recognition --------------------------------------------------------------------------------------


def _recognized(
    skeleton: Skeleton, up: str, poses: Pose | None, bones: Mapping[str, str]
) -> BodyMap:
    tree = _Tree(skeleton, up, poses)
    found: dict[str, tuple[str, ...]] = {}
    known = {
        bone[:1].lower() + bone[1:]: joint
        for bone, joint in bones.items()
        if joint in skeleton.joint_names
    }
    for bone, role in VRM.items():
        if bone in known:
            found[role] = (known[bone],)
    spine = tuple(known[bone] for bone in VRM_SPINE if bone in known)
    if spine:
        found["spine"] = spine
    for parts, last in (
        (("thigh", "shin", "foot", "toe"), "foot"),
        (("clavicle", "upper_arm", "forearm", "hand"), "forearm"),
    ):
        for side in SIDES:
            if all(f"{side}_{part}" in found for part in parts[:3]):
                continue
            named = _limb_by_names(tree, side, parts, last)
            if named is not None:
                found |= {f"{side}_{part}": group for part, group in named.items()}
    if any(f"{side}_{part}" not in found for side in SIDES for part in ("thigh", "shin", "foot")):
        found |= _legs_by_place(tree, up)
    if any(f"{side}_{part}" not in found for side in SIDES for part in ("upper_arm", "forearm")):
        found |= _arms_by_place(tree, found)
    missing = [role for role in NEEDED if role not in found]
    if missing:
        raise SuppleError(
            f"body: expected two arms and two legs, got none for {', '.join(missing)}; give a map (source_map=, "
            "target_map=), which may have legs or arms alone, of the joints "
            f"{listed(skeleton.joint_names)}"
        )
    _refuse_animals(tree, found)
    _middle(tree, found)
    return BodyMap(found)


def _refuse_animals(tree: _Tree, found: Mapping[str, tuple[str, ...]]) -> None:
    """Refuse a body that stands on four or more legs.

    A human's trunk is upright, or the hands are above the feet, at rest or in some pose; neither is true here.
    """
    skeleton = tree.skeleton
    frames = [skeleton.rest.positions[None]]
    if tree.poses is not None:
        frames.append(tree.poses.positions)
    ends = {
        role: [skeleton.index(name) for name in (found[role][-1], *tree.below(found[role][-1]))]
        + [skeleton.index(tip.name) for tip in skeleton.tips if found[role][-1] in (tip.joint, *tree.paths[tip.joint])]
        for role in (f"{side}_{part}" for side in SIDES for part in ("forearm", "foot"))
    }  # fmt: skip
    tops = {
        part: [skeleton.index(found[f"{side}_{part}"][0]) for side in SIDES]
        for part in ("thigh", "upper_arm")
    }
    for positions in frames:
        height = positions @ tree.up
        hands, feet = (
            np.mean([height[:, ends[f"{side}_{part}"]].min(axis=1) for side in SIDES], axis=0)
            for part in ("forearm", "foot")
        )
        hips, shoulders = (positions[:, tops[part]].mean(axis=1) for part in ("thigh", "upper_arm"))
        trunk = shoulders - hips
        rises = (trunk @ tree.up) > UPRIGHT_TRUNK * np.linalg.norm(trunk, axis=1)
        above = hands - feet > HANDS_OVER_FEET * (shoulders @ tree.up - feet)
        if np.any(rises | above):
            return
    arms = ", ".join(repr(found[f"{side}_upper_arm"][0]) for side in SIDES)
    legs = ", ".join(repr(found[f"{side}_thigh"][0]) for side in SIDES)
    raise SuppleError(
        f"body: expected one that stands on two legs, got one that stands on four or more: the limbs of {arms} and of "
        f"{legs} all end on the ground; say with a map (source_map=, target_map=) which are arms and which are legs"
    )


class _Tree:
    """A skeleton with the data for recognition: sides, stems, paths and positions."""

    def __init__(self, skeleton: Skeleton, up: str, poses: Pose | None) -> None:
        from supple.apps.motion.feet import up_vector

        self.skeleton, self.names = skeleton, skeleton.joint_names
        said = [side_and_stem(name) for name in self.names]
        self.sides = dict(zip(self.names, (side for side, _ in said), strict=True))
        self.stems = dict(zip(self.names, (stem for _, stem in said), strict=True))
        self.paths = {name: skeleton.path(None, name) for name in self.names}
        self.up = up_vector(up)
        self.poses = poses
        rest = skeleton.rest.positions if poses is None else np.median(poses.positions, axis=0)
        self.places = dict(zip(skeleton.names, rest, strict=True))

    def single(self, name: str) -> bool:
        return self.skeleton.joints[self.skeleton.index(name)].single

    def below(self, name: str) -> list[str]:
        return [one for one in self.names if name in self.paths[one] and one != name]

    def apart(self, a: str, b: str) -> str:
        """The last joint that two paths have in common."""
        common = [x for x, y in zip(self.paths[a], self.paths[b], strict=False) if x == y]
        return common[-1] if common else self.paths[a][0]


def _limb_by_names(
    tree: _Tree, side: str, parts: Sequence[str], last: str
) -> dict[str, tuple[str, ...]] | None:
    """The joints of one limb, if their names say which they are."""
    mine = [name for name in tree.names if tree.sides[name] == side]
    ends = [name for name in mine if called(tree.stems[name], LIMBS[last][0])]
    if not ends:
        return None
    ends = [name for name in ends if not set(tree.paths[name][:-1]) & set(ends)]  # topmost
    end = max(ends, key=lambda name: len(tree.paths[name]))
    further = [name for name in tree.below(end)]
    chain = [name for name in tree.paths[end] if tree.sides[name] == side]
    line = [*chain, *further]
    out: dict[str, tuple[str, ...]] = {}
    first = 0
    for k, part in enumerate(parts):
        sure, maybe = LIMBS[part]
        here = [n for n, name in enumerate(line) if n >= first and called(tree.stems[name], sure)]
        certain = bool(here)
        if not here and maybe and (part != "clavicle" or _sure(tree, line, "upper_arm")):
            rest = (
                line if k + 1 == len(parts) else line[: _start(tree, line, parts[k + 1 :], first)]
            )
            here = [
                n for n, name in enumerate(rest) if n >= first and called(tree.stems[name], maybe)
            ]
        if not here:
            continue
        group = [here[0]]
        while tree.single(line[group[-1]]) and group[-1] + 1 in here:
            group.append(group[-1] + 1)
        if part in ("thigh", "upper_arm") and not tree.single(line[group[0]]):
            # "LeftUpLeg" and "LeftLeg", not "LeftHip" above them; but of "LHipJoint" and "LeftHip" the lower
            same = [n for n in here if tree.stems[line[n]] == tree.stems[line[here[0]]]]
            group = same[-1:] if certain else here[-1:]
        out[part] = tuple(line[n] for n in group)
        first = group[-1] + 1
    if not all(part in out for part in ("thigh", "shin", "foot") if part in parts):
        return None
    if "forearm" in parts and not all(part in out for part in ("upper_arm", "forearm")):
        return None
    return out


def _sure(tree: _Tree, line: Sequence[str], part: str) -> bool:
    return any(called(tree.stems[name], LIMBS[part][0]) for name in line)


def _start(tree: _Tree, line: Sequence[str], parts: Sequence[str], first: int) -> int:
    """The index at which one of the next parts begins, by a certain name; the end of the line if there is none."""
    for part in parts:
        here = [
            n
            for n, name in enumerate(line)
            if n >= first and called(tree.stems[name], LIMBS[part][0])
        ]
        if here:
            return here[0]
    return len(line)


def _legs_by_place(tree: _Tree, up: str) -> dict[str, tuple[str, ...]]:
    """Legs as the two limbs that end lowest, see `find_feet`."""
    skeleton = tree.skeleton
    poses = tree.poses if tree.poses is not None else Pose.stack([skeleton.rest])
    try:
        feet = find_feet(skeleton, poses=poses, up=tree.up)
    except SuppleError:
        return {}
    if len(feet) != 2:
        return {}
    out: dict[str, tuple[str, ...]] = {}
    for foot, side in zip(
        feet,
        _sided(tree, [foot.leg for foot in feet], [foot.toe or foot.ankle for foot in feet]),
        strict=True,
    ):
        chain = skeleton.path(foot.leg, foot.ankle)
        if len(chain) < 3:
            return {}
        if all(tree.single(name) for name in chain):
            chain = (*_hinges_above(tree, foot.leg), *chain)
            thigh, shin, ankle = _by_bones(tree, [*chain, *_next_hinges(tree, foot.ankle)])
            out |= {f"{side}_thigh": thigh, f"{side}_shin": shin, f"{side}_foot": ankle}
            continue
        out[f"{side}_thigh"], out[f"{side}_shin"] = (chain[0],), (_half(tree, chain),)
        out[f"{side}_foot"] = (foot.ankle,)
        if foot.toe is not None and foot.toe in tree.names:
            out[f"{side}_toe"] = (foot.toe,)
    return out


def _by_bones(tree: _Tree, chain: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The hinges of a limb in three groups, before, between and after its two longest bones."""
    points = np.array([tree.skeleton.rest.position(name) for name in chain])
    bones = np.linalg.norm(np.diff(points, axis=0), axis=1)
    first, second = sorted(np.argsort(-bones, kind="stable")[:2].tolist())
    return (
        tuple(chain[: first + 1]),
        tuple(chain[first + 1 : second + 1]),
        tuple(chain[second + 1 :]),
    )


def _hinges_above(tree: _Tree, name: str) -> list[str]:
    """The hinges of a limb above a joint, starting below the joint at which limbs branch."""
    out: list[str] = []
    while (above := tree.skeleton.parent(name)) is not None and tree.single(above):
        if len([one for one in tree.skeleton.children(above) if one in tree.names]) > 1:
            break
        out.insert(0, above)
        name = above
    return out


def _next_hinges(tree: _Tree, name: str) -> list[str]:
    """The hinges that follow a joint without a branch, such as the roll of an ankle."""
    out: list[str] = []
    while True:
        below = [one for one in tree.skeleton.children(name) if one in tree.names]
        if len(below) != 1 or not tree.single(below[0]):
            return out
        name = below[0]
        out.append(name)


def _half(tree: _Tree, chain: Sequence[str]) -> str:
    """The joint between the ends of a chain that is nearest to half its length."""
    points = np.array([tree.skeleton.rest.position(name) for name in chain])
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    return chain[1 + int(np.argmin(np.abs(along[1:-1] - along[-1] / 2)))]


def _sided(tree: _Tree, tops: Sequence[str], toes: Sequence[str]) -> tuple[str, str]:
    """The sides of two legs: by name, or by the direction of the toes."""
    said = [tree.sides[name] for name in tops]
    if set(said) == {"left", "right"}:
        return said[0], said[1]  # type: ignore[return-value]
    forward = sum(
        (tree.places[toe] - tree.places[top] for top, toe in zip(tops, toes, strict=True)),
        np.zeros(3),
    )
    left = np.cross(tree.up, forward)
    first = float((tree.places[tops[0]] - tree.places[tops[1]]) @ left) >= 0
    return ("left", "right") if first else ("right", "left")


def _arms_by_place(tree: _Tree, found: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Arms as the two longest similar limbs above the legs, one on each side."""
    legs = {
        name
        for side in SIDES
        for top in found.get(f"{side}_thigh", ())[:1]
        for name in (top, *tree.below(top))
    }
    hips = [found[f"{side}_thigh"][0] for side in SIDES if f"{side}_thigh" in found]
    if len(hips) != 2:
        return {}
    left = tree.places[hips[0]] - tree.places[hips[1]]
    left = left / max(float(np.linalg.norm(left)), 1e-12)
    middle = (tree.places[hips[0]] + tree.places[hips[1]]) / 2
    best: tuple[float, str, str, str] | None = None
    for fork in tree.names:
        if fork in legs:
            continue
        branches = [
            name
            for name in tree.skeleton.children(fork)
            if name in tree.names and not legs & {name, *tree.below(name)}
        ]
        for i, a in enumerate(branches):
            for b in branches[i + 1 :]:
                tips = [
                    max([one, *tree.below(one)], key=lambda x: tree.skeleton.length(x, root=fork))
                    for one in (a, b)
                ]
                sizes = [tree.skeleton.length(tip, root=fork) for tip in tips]
                across = [float((tree.places[tip] - middle) @ left) for tip in tips]
                even = abs(sizes[0] - sizes[1]) < 0.2 * max(sizes) and across[0] * across[1] < 0
                if (
                    even
                    and len(tree.paths[tips[0]]) - len(tree.paths[fork]) >= 3
                    and (best is None or min(sizes) > best[0])
                ):
                    first, second = (tips[0], tips[1]) if across[0] > 0 else (tips[1], tips[0])
                    best = (min(sizes), fork, first, second)
    if best is None:
        return {}
    out: dict[str, tuple[str, ...]] = {}
    for side, tip in zip(SIDES, best[2:], strict=True):
        chain = tree.skeleton.path(best[1], tip)[1:]
        points = np.array([tree.skeleton.rest.position(name) for name in chain])
        bones = np.linalg.norm(np.diff(points, axis=0), axis=1)
        if len(bones) < 2:
            return {}
        if all(tree.single(name) for name in chain):
            upper, fore, hand = _by_bones(tree, chain)
            out |= {f"{side}_upper_arm": upper, f"{side}_forearm": fore, f"{side}_hand": hand[:1]}
            continue
        k = int(np.argmax(bones[:-1] + bones[1:]))
        out[f"{side}_upper_arm"], out[f"{side}_forearm"] = (chain[k],), (chain[k + 1],)
        out[f"{side}_hand"] = (chain[k + 2],)
        if k:
            out[f"{side}_clavicle"] = (chain[k - 1],)
    return out


def _middle(tree: _Tree, found: dict[str, tuple[str, ...]]) -> None:
    """Hips, spine, neck and head, from the joints at which legs and arms branch; completes `found`."""
    skeleton = tree.skeleton
    legs = tree.apart(found["left_thigh"][0], found["right_thigh"][0])
    arms = tree.apart(found["left_upper_arm"][0], found["right_upper_arm"][0])
    found.setdefault("hips", (legs,))
    hips = found["hips"][-1]
    if "spine" not in found:
        # A robot with the trunk as root has no spine: its waist is the joint that carries the legs.
        spine = skeleton.path(hips, arms)[1:] if hips in tree.paths[arms] else ()
        if spine:
            found["spine"] = tuple(spine)
    chest = arms
    for side in SIDES:
        between = skeleton.path(chest, found[f"{side}_upper_arm"][0])[1:-1]
        if f"{side}_clavicle" not in found and between and not tree.single(between[0]):
            found[f"{side}_clavicle"] = (between[-1],)
    limbs = {
        name for side in SIDES for top in ("thigh", "upper_arm") for name in found[f"{side}_{top}"]
    }
    for role in ("neck", "head"):
        if role in found:
            continue
        here = [name for name in tree.names if tree.sides[name] is None and called(tree.stems[name], MIDDLE[role])
                and not limbs & set(tree.paths[name])]  # fmt: skip
        if here:
            group = here[:1]
            while tree.single(group[-1]) and (
                more := [n for n in here if skeleton.parent(n) == group[-1]]
            ):
                group.append(more[0])
            found[role] = tuple(group)
    if "head" not in found and "neck" not in found:
        above = [
            name
            for name in tree.below(chest)
            if not limbs & set(tree.paths[name])
            and not {n for side in SIDES for n in found.get(f"{side}_clavicle", ())}
            & set(tree.paths[name])
        ]
        if above:
            top = max(above, key=lambda name: float(tree.places[name] @ tree.up))
            if float((tree.places[top] - tree.places[chest]) @ tree.up) > 0:
                found["head"] = (top,)
    if "hips" in found and found["hips"][-1] in found.get("spine", ()):
        found["spine"] = tuple(name for name in found["spine"] if name != found["hips"][-1])
