"""Formats that are not read: what such a file is, and what to do instead.

`FOREIGN` is the one table of them. The registry, the command line and uploads of the page use it for their messages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from supple.apps.formats.format import begins_with, xml_root

BLENDER = "import it into Blender (File > Import) and export glTF 2.0 or BVH (File > Export)"
ADD_ON = "import it into Blender with an add-on for it and export glTF 2.0"
MARKERS = (
    "it holds markers, not joints: solve a skeleton from them in the program of the cameras, "
    "and export BVH or glTF"
)
NUMBERS = "save its arrays as .npz or .csv and load them as motions= of the robot"
PICKLES = f"reading it may run any program; in the project that it is from, {NUMBERS}"
TO_BVH = "convert ASF and AMC to BVH, for instance with amc2bvh; CMU's clips come as BVH too"
UNPACK = "unpack it and load the file inside"
ZIP, GZIP, ZSTANDARD = b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
PICKLE = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))


@dataclass(frozen=True)
class Foreign:
    """A format that is not read.

    Attributes:
        title: The name for people.
        extensions: File extensions in lower case, with the dot.
        instead: What to do with such a file.
        looks: True if the first bytes of a file are of this format; None if only its extension tells.
    """

    title: str
    extensions: tuple[str, ...]
    instead: str
    looks: Callable[[bytes], bool] | None = None

    @property
    def advice(self) -> str:
        """What it is and what to do, for a message."""
        return f"{self.title} is not read: {self.instead}"


def _starts(*beginnings: bytes) -> Callable[[bytes], bool]:
    return lambda head: head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(beginnings)


def _root(*names: str) -> Callable[[bytes], bool]:
    return lambda head: (
        head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and xml_root(head) in names
    )


FOREIGN: tuple[Foreign, ...] = (
    Foreign("FBX", (".fbx",), BLENDER, _starts(b"Kaydara FBX Binary", b"; FBX ")),
    Foreign("USD", (".usd", ".usda", ".usdc", ".usdz"), BLENDER, _starts(b"PXR-USDC", b"#usda")),
    Foreign(
        "a Blender file",
        (".blend",),
        "open it in Blender and export glTF 2.0 or BVH (File > Export)",
        _starts(b"BLENDER"),
    ),
    Foreign(
        "Alembic",
        (".abc",),
        "it holds vertices without a skeleton: export glTF 2.0 or BVH from the scene it was made of",
        _starts(b"Ogawa"),
    ),
    Foreign(
        "COLLADA",
        (".dae",),
        "convert it to glTF 2.0, for instance by assimp; only meshes of robots may be COLLADA",
        _root("COLLADA"),
    ),
    Foreign("C3D", (".c3d",), MARKERS),
    Foreign("TRC", (".trc",), MARKERS, _starts(b"PathFileType")),
    Foreign(
        "an OpenSim table",
        (".mot", ".sto"),
        "write its coordinates as a .csv table of qpos, angles in radians, and load it as motions= of "
        "the robot in URDF or MJCF",
        lambda head: b"\nendheader" in head,
    ),
    Foreign("an OpenSim model", (".osim",), "convert it to MJCF", _root("OpenSimDocument")),
    Foreign("ASF", (".asf",), TO_BVH, begins_with(rb":(?:version|name|units)\b")),
    Foreign("AMC", (".amc",), TO_BVH, begins_with(rb":(?:fully-specified|degrees|radians)\b")),
    Foreign("MVNX", (".mvnx", ".mvn"), "export BVH from the Xsens program", _root("mvnx")),
    Foreign("SDF", (".sdf",), "load the URDF it was made of, or convert it to URDF", _root("sdf")),
    Foreign("a pickle", (".pkl", ".pickle", ".joblib"), PICKLES, _starts(*PICKLE)),
    Foreign("a PyTorch file", (".pt", ".pth", ".ckpt"), PICKLES),
    Foreign("a NumPy array", (".npy",), NUMBERS, _starts(b"\x93NUMPY")),
    Foreign("HDF5", (".h5", ".hdf5"), NUMBERS, _starts(b"\x89HDF\r\n\x1a\n")),
    Foreign("a MATLAB file", (".mat",), NUMBERS, _starts(b"MATLAB 5.0 MAT-file")),
    Foreign(
        "a Maya scene",
        (".ma", ".mb"),
        "export FBX from Maya, and glTF 2.0 from Blender",
        _starts(b"//Maya ASCII"),
    ),
    Foreign("a 3ds Max scene", (".max",), "export glTF from 3ds Max"),
    Foreign(
        "MikuMikuDance",
        (".pmx", ".pmd", ".vmd"),
        ADD_ON,
        _starts(b"PMX ", b"Pmd", b"Vocaloid Motion Data"),
    ),
    Foreign("MD5", (".md5mesh", ".md5anim"), ADD_ON, _starts(b"MD5Version")),
    Foreign("PSK", (".psk", ".pskx", ".psa"), ADD_ON, _starts(b"ACTRHEAD", b"ANIMHEAD")),
    Foreign("DMX", (".dmx",), ADD_ON, _starts(b"<!-- dmx encoding")),
    Foreign("a compiled model", (".mdl",), "decompile it to SMD", _starts(b"IDST", b"IDSQ")),
    Foreign(
        "a .x file", (".x",), "convert it to glTF 2.0, for instance by assimp", _starts(b"xof 0")
    ),
    Foreign(
        "a mesh without a skeleton",
        (".stl", ".ply", ".3ds", ".off"),
        "load the URDF or MJCF that names it, or rig it in Blender and export glTF 2.0",
        _starts(b"ply\n", b"ply\r\n"),
    ),
)
"""Formats that are asked for and not read; the first one that fits counts."""

ARCHIVES: tuple[Foreign, ...] = (
    Foreign("a ZIP archive", (".zip",), UNPACK, _starts(ZIP)),
    Foreign("a compressed file", (".gz", ".zst", ".tgz"), UNPACK, _starts(GZIP, ZSTANDARD)),
    Foreign(
        "an archive",
        (".tar", ".7z", ".rar", ".xz", ".bz2"),
        UNPACK,
        _starts(b"7z\xbc\xaf\x27\x1c", b"Rar!", b"\xfd7zXZ", b"BZh"),
    ),
)
"""What may hold files of any format. Names of formats that are packed so (.npz, .usdz, .blend, .pt) count first."""


def by_content(head: bytes) -> Foreign | None:
    """The foreign format that the first bytes of a file are of, but for archives."""
    return next((one for one in FOREIGN if one.looks is not None and one.looks(head)), None)


def recognized(suffix: str, head: bytes = b"") -> Foreign | None:
    """The foreign format of a file.

    Args:
        suffix: Its extension in lower case, with the dot.
        head: Its first bytes; empty if they are not known.

    Returns:
        The format that the content tells, else the extension, else the archive that it is; None for others.
    """
    found = by_content(head)
    if found is not None:
        return found
    every = (*FOREIGN, *ARCHIVES)
    named = next((one for one in every if suffix in one.extensions), None)
    packed = (one for one in ARCHIVES if one.looks is not None and one.looks(head))
    return named or next(packed, None)
