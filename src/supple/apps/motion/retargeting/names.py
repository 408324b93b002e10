"""Side and role of a joint by its name, in the conventions of files and robots.

CMU, Mixamo, LAFAN1, Biped, VRM, Unreal, Poser, ASF and SMPL names of characters; links and joints of robots, such as
`left_hip_pitch_joint`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SIDES = {"left": "left", "l": "left", "right": "right", "r": "right"}

# Words without a role: prefixes of exporters, kinds of objects, axes of robots' hinges.
_SILENT = frozenset([
        "mixamorig", "bip", "biped", "valve", "valvebiped", "j", "c", "b", "b", "def",
        "org", "jnt", "joint", "joints", "link", "bone", "sk", "cc", "base", "body",
        "character", "normal", "rig", "ctrl", "m", "sec", "pitch", "roll", "yaw", "x",
        "y", "z", "fe", "aa", "ie", "pd", "rx", "ry", "rz", "bot", "actor", "skel", "driven",
])  # fmt: skip
_OTHER = frozenset([
        "twist", "thumb", "index", "middle", "ring", "pinky", "little", "finger",
        "fingers", "metacarpal", "eye", "jaw", "ear", "breast", "hair", "skirt", "helper",
        "corrective", "carpal", "tongue", "muscle", "share", "ik", "pole", "target",
])  # fmt: skip

# For each role the stems that name it for certain, and those that name it if no other joint of the limb does.
LIMBS = {
    "thigh": (r"up(per)?leg|thigh|femur", r"hip|hipjoint|leg"),
    "shin": (r"leg|lo(w(er)?)?leg|calf|shin|tibia|shank|knee", r""),
    "foot": (r"foot|ankle|ankles|heel|anklecross", r""),
    "toe": (r"toes?(base)?|ball|foottoe|toefinger", r"foot"),
    "clavicle": (r"clavicle|collar|collarbone|scapula|shoulderblade", r"shoulder|shldr"),
    "upper_arm": (r"up(per)?arm|arm|humerus|bicep", r"shoulder|shldr"),
    "forearm": (r"forearm|fore|lo(w(er)?)?arm|elbow|radius|ulna", r""),
    "hand": (r"hand|wrist|palm", r""),
}
MIDDLE = {
    "hips": r"hips?|pelvis",
    "spine": r"(lower|upper|mid)?(spine|back|chest|torso|abdomen|waist|thorax)(lower|upper|mid)?",
    "neck": r"neck|(lower|upper)neck|headneck",
    "head": r"head|skull",
}


def side_and_stem(name: str) -> tuple[str | None, str]:
    """The side of a name, "left", "right" or None, and its other words joined, in lower case.

    The name of a joint without a role, such as a finger or a twist bone, has the stem "".
    """
    plain = name.rsplit(":", 1)[-1].rsplit("|", 1)[-1]
    words = [word.lower() for word in _PARTS.findall(plain)]
    words = [word for word in words if word != "end"] if words != ["end"] else words
    side = next((_SIDES[word] for word in words if word in _SIDES), None)
    said = [word for word in words if word not in _SIDES and word not in _SILENT]
    stem = "".join(said)
    if side is None and len(stem) > 3 and stem[0] in "lr" and _known(stem[1:]):
        side, stem = _SIDES[stem[0]], stem[1:]
    if _OTHER.intersection(words):
        return side, ""
    return side, stem


def _known(stem: str) -> bool:
    return any(
        re.fullmatch(pattern, stem) for pair in LIMBS.values() for pattern in pair if pattern
    )


def called(stem: str, pattern: str) -> bool:
    """True if a stem matches a pattern."""
    return bool(stem) and bool(pattern) and re.fullmatch(pattern, stem) is not None


def listed(names: Sequence[str], most: int = 40) -> str:
    """Names for a message."""
    more = f", ... ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more
