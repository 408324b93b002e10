"""The XML of an MJCF model, reduced to what is read, with all files that it names.

MuJoCo would open includes, meshes, textures and models anywhere. So it gets a document that names only files
that were read here, through `Source.beside`, from the model's own folder or the one given to `load`. Includes
are replaced by their elements. What does not affect kinematics, contact or masses is left out: textures,
materials, skins, height fields, actuators, sensors, cameras, plug-ins. What does and cannot be read (soft
bodies, shapes that plug-ins make) is replaced by a placeholder, so that its mass counts as unknown.

Every element is written on a line of its own, so that the lines that MuJoCo reports can be traced to files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from xml.sax.saxutils import quoteattr

from supple.apps.character.character import Note
from supple.apps.formats.source import Source, shown
from supple.apps.formats.xml import parsed, tag
from supple.errors import SuppleError

LARGEST_MESH_BYTES = 256 << 20  # size limit of a mesh file [B]
DEEPEST_ELEMENT = 256  # levels of elements, with those of includes; as libxml2 allows in a file
DEEPEST_FILES = 16  # levels of files that include or attach others; not tuned
FILE_BYTES = 100_000  # memory of a file that is included, besides its elements [B]
ELEMENT_BYTES = 2000  # memory of an element while the model is compiled [B]
MESHES = (".stl", ".obj", ".msh")  # mesh files that MuJoCo reads

NOT_FOUND = "~not~found"
"""End of the names of meshes whose file was not found; a tetrahedron takes their place."""
PLACEHOLDER = {"vertex": "0 0 0 1 0 0 0 1 0 0 0 1", "scale": "1 1 1"}
SOFT = "~soft" + NOT_FOUND
"""End of the name of the mesh of geoms that take the place of soft bodies, for their masses."""
FIELD = "~field" + NOT_FOUND
"""The same of height fields."""
SOFT_MASS = "1"  # of a flexcomp that states none, as in MuJoCo [kg]

LEFT_OUT = {
    "mujoco": {
        *("option", "size", "visual", "statistic", "custom", "extension", "deformable"),
        *("sensor", "actuator"),
    },
    "asset": {"texture", "material", "hfield", "skin"},
    "default": {"material", "texture", "camera", "light", "pair"},
    "body": {"camera", "light", "plugin", "flexcomp"},
    "composite": {"skin", "plugin"},
    "contact": {"pair"},
    "equality": {"flex", "flexvert", "flexstrain", "distance"},
    "tendon": {"spatial"},
    "compiler": {"lengthrange"},
    "mesh": {"plugin"},
    "geom": {"plugin"},
}
"""Elements that are not read, by the element that they are in."""
BODIES = ("worldbody", "frame", "replicate")  # where the elements of a body may stand
PATHS = ("assetdir", "meshdir", "texturedir", "strippath")
COMPILER_LEFT_OUT = {*PATHS, "discardvisual", "fusestatic", "usethread"}
KEY = ("name", "time", "qpos")


@dataclass
class Left:
    """What is left out of a model, but named elsewhere in it.

    Attributes:
        tendons: Names of spatial tendons.
        soft: Names of soft bodies, `flexcomp`.
        made: Names of meshes that plug-ins make.
        equalities: Kinds of equalities, and the line of the first.
    """

    tendons: set[str] = field(default_factory=set)
    soft: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    equalities: dict[str, int] = field(default_factory=dict)

    def holds_body(self, name: str | None) -> bool:
        """True for a body that MuJoCo makes of a soft body: NAME_1, NAME_0_1_2."""
        return name is not None and re.sub(r"(_\d+)+$", "", name) in self.soft


class Line(NamedTuple):
    """An element: its file and line, its level, name and attributes."""

    path: Path
    line: int
    depth: int
    name: str
    attributes: dict[str, str]


@dataclass
class Document:
    """A model that names no other files than those it comes with.

    Attributes:
        xml: The text for MuJoCo.
        models: Models that it attaches, by the names that it uses for them.
        meshes: Mesh files, by the names that it uses for them.
        lines: For each line of the texts, the file and its line.
        name: The model's name.
        soft: True if soft bodies are left out, so that keyframes do not fit.
    """

    xml: str = ""
    models: dict[str, bytes] = field(default_factory=dict)
    meshes: dict[str, bytes] = field(default_factory=dict)
    lines: list[tuple[Path, int]] = field(default_factory=list)
    name: str = ""
    soft: bool = False

    def place(self, line: int) -> tuple[Path, int] | None:
        """The file and line of a line of the texts, counted from 1."""
        return self.lines[line - 1] if 0 < line <= len(self.lines) else None


def needs() -> SuppleError:
    """The error if a package is missing."""
    return SuppleError("reading MJCF needs mujoco 3.3.2 or later: pip install 'supple[robot]'")


def document(source: Source) -> Document:
    """Read a model with all files that it names.

    Raises:
        SuppleError: A file cannot be parsed, an include is missing or outside the folder, or files
            include each other.
    """
    made = Document()
    mesh_names: dict[str, str] = {}
    made.xml = _model(source, source, made, mesh_names, ())
    return made


def _model(
    main: Source, source: Source, made: Document, meshes: dict[str, str], above: tuple[Path, ...]
) -> str:
    """The text of a model; adds the files that it names to `made`."""
    if len(above) > DEEPEST_FILES:
        main.error(None, f"expected models attached at most {DEEPEST_FILES} deep, got more")
    above = (*above, source.path.resolve())
    root = _root(main, source, ("mujoco",))
    if not made.name:
        made.name = (root.get("model") or "").strip()
    left = Left()
    elements = list(_elements(main, source, root, above, left))
    made.soft = made.soft or bool(left.soft)
    if left.soft or any(_is_field(line) for line in elements):
        asset = Line(source.path, 0, 2, "asset", {})
        shapes = [{"name": name, **PLACEHOLDER} for name in (SOFT, FIELD)]
        elements += [
            asset,
            *(asset._replace(depth=3, name="mesh", attributes=one) for one in shapes),
        ]
    folders = _folders(elements)
    missing = _missing_meshes(main, source, elements, folders, made, meshes, left)
    models = {}
    for line in elements:
        if line.name == "model" and line.attributes.get("file"):
            name = line.attributes["file"]
            other = _opened(main, source, name, above, line)
            text = _model(main, other, made, meshes, above)
            models[id(line)] = key = f"model{len(made.models)}.xml"
            made.models[key] = text.encode()
    before = len(made.lines)
    out = ["\n" * before] if before else []
    stack: list[Line] = []
    for line in elements:
        while stack and stack[-1].depth >= line.depth:
            out[-1] = out[-1].rstrip("\n") + f"</{stack.pop().name}>\n"
        given = _attributes(main, line, missing, left, models, soft=made.soft)
        if given is None:
            continue
        words = "".join(f" {key}={quoteattr(value)}" for key, value in given.items())
        out.append(f"<{line.name}{words}>\n")
        made.lines.append((line.path, line.line))
        stack.append(line)
    while stack:
        out[-1] = out[-1].rstrip("\n") + f"</{stack.pop().name}>\n"
    return "".join(out)


def _root(main: Source, source: Source, names: tuple[str, ...] = ()) -> Any:
    root = parsed(source, what="an MJCF file", needs=needs)
    if names and tag(root) not in names:
        found = root.tag.rpartition("}")[2] if isinstance(root.tag, str) else root.tag
        hint = "; load the model that includes it" if found == "mujocoinclude" else ""
        main_path = source.where(root.sourceline)
        raise SuppleError(f"{main_path}: expected the element 'mujoco', got {shown(found)}{hint}")
    return root


def _opened(
    main: Source, source: Source, name: str, above: tuple[Path, ...], line: Line | None
) -> Source:
    """Open another XML file: beside the model, or else beside the file that names it."""
    where = f"{line.path}:{line.line}" if line else str(source.path)
    folder = main.path.parent.resolve()
    beside = os.path.relpath(source.path.parent.resolve() / name, folder)
    found = SuppleError("")
    for one in dict.fromkeys((_slashes(name), beside)):
        try:
            data = main.beside(one)
        except SuppleError as error:
            found = error
            continue
        path = main.path.parent / one
        if path.resolve() in above:
            raise SuppleError(f"{where}: {shown(name)} includes itself")
        if len(above) > DEEPEST_FILES:
            raise SuppleError(f"{where}: expected files at most {DEEPEST_FILES} deep, got more")
        return Source(path, data, main.home)
    raise SuppleError(f"{where}: cannot include {shown(name)}: {found}")


def _slashes(name: str) -> str:
    return name.replace("\\", "/")


def _elements(
    main: Source, source: Source, root: Any, above: tuple[Path, ...], left: Left
) -> Iterator[Line]:
    """The elements of a model in order, with those of includes.

    Adds what is left out and named elsewhere to `left`.
    """
    flexible: dict[str, int] = {}
    stack: list[tuple[Any, str, int, int, Source, tuple[Path, ...]]]
    stack = [(root, "", 1, 1, source, above)]
    while stack:
        element, parent, depth, copies, own, files = stack.pop()
        name = tag(element)
        if name is None or name in LEFT_OUT.get(parent, ()):
            if name == "flexcomp":
                flexible.setdefault(name, element.sourceline)
                left.soft.add(element.get("name", ""))
                soft = {"type": "mesh", "mesh": SOFT, "mass": element.get("mass", SOFT_MASS)}
                yield Line(own.path, element.sourceline or 0, depth, "geom", soft)
            elif name == "deformable":
                flexible.setdefault(name, element.sourceline)
            elif name == "spatial":
                left.tendons.add(element.get("name", ""))
            elif name == "plugin" and parent == "mesh":
                left.made.add(element.getparent().get("name", ""))
            elif parent == "equality" and name is not None:
                left.equalities.setdefault(name, element.sourceline)
            continue
        place = (own.path, element.sourceline or 0)
        if depth > DEEPEST_ELEMENT:
            raise SuppleError(
                f"{place[0]}:{place[1]}: expected at most {DEEPEST_ELEMENT} levels of elements"
            )
        given = {key: value for key, value in element.attrib.items() if "}" not in key}
        if name in ("replicate", "composite"):
            copies *= _count(given.get("count", ""))
        main.charge(ELEMENT_BYTES * copies, f"{copies:,} copies of {name}", line=place[1])
        line = Line(*place, depth, name, given)
        within = "body" if name in BODIES else "default" if parent == "default" else name
        if name == "default":
            within = "default"
        if name == "include":
            if not given.get("file"):
                raise SuppleError(f"{place[0]}:{place[1]}: include: expected a file, got none")
            main.charge(FILE_BYTES, f"an include of {shown(given['file'])}", line=place[1])
            other = _opened(main, own, given["file"], files, line)
            inner = _root(main, other)
            deeper = (*files, other.path.resolve())
            context = "body" if parent in BODIES else parent
            stack.extend((one, context, depth, copies, other, deeper) for one in reversed(inner))
            continue
        yield line
        stack.extend((one, within, depth + 1, copies, own, files) for one in reversed(element))
    for what, number in flexible.items():
        main.warn(f"{what}: soft bodies are not read: left out", line=number)
    for what, number in left.equalities.items():
        main.warn(f"equalities of the kind {what!r} are not read: left out", line=number)


def _count(text: str) -> int:
    """The product of the whole numbers in a text; 1 if there are none: MuJoCo reports what is wrong."""
    product = 1
    for word in text.split():
        try:
            product *= max(1, int(float(word)))
        except (ValueError, OverflowError):
            continue
    return product


def _folders(elements: list[Line]) -> dict[str, str]:
    """The folders and `strippath` of the compiler elements; the last one counts."""
    found: dict[str, str] = {}
    for line in elements:
        if line.name == "compiler":
            found |= {key: line.attributes[key] for key in PATHS if key in line.attributes}
    return found


def _missing_meshes(
    main: Source,
    source: Source,
    elements: list[Line],
    folders: dict[str, str],
    made: Document,
    names: dict[str, str],
    left: Left,
) -> set[str]:
    """Read the mesh files; return the names of the meshes that are left out, with one note."""
    missing: dict[str, str] = {}
    linked = main.path.is_symlink()  # then files are looked for beside its target too
    own, start = main.path.parent.resolve(), source.path.parent.resolve()
    included = {
        path: os.path.relpath(path.parent.resolve(), start)
        for path in {one.path for one in elements}
    }
    folder = folders.get("meshdir", folders.get("assetdir", ""))
    for k, line in enumerate(elements):
        given = line.attributes
        if line.name != "mesh" or elements[k].depth < 3:
            continue
        if not given.get("file"):
            if given.get("name") in left.made and not {"vertex", "builtin"} & given.keys():
                missing[given["name"]] = "a plug-in makes it, and plug-ins are not run"
            continue
        file = PurePosixPath(_slashes(given["file"]))
        name = given.get("name") or file.stem
        given["name"] = name
        if folders.get("strippath") == "true":
            file = PurePosixPath(file.name)
        # As in MuJoCo: from the model's folder, or else below it, by the relative path of the included file.
        tried = [
            os.path.relpath(start / _slashes(folder) / between / file, own)
            for between in dict.fromkeys((".", included[line.path]))
        ]
        if file.suffix.lower() not in MESHES:
            missing[name] = f"{shown(str(file))}: expected one of {', '.join(MESHES)}"
            continue
        for where in tried:
            if where not in names:
                if missing and not linked and not os.path.lexists(os.path.join(own, where)):
                    missing.setdefault(name, "there is no such file")  # only the first is reported
                    continue
                try:
                    data = main.beside(where, most=LARGEST_MESH_BYTES)
                except SuppleError as error:
                    missing.setdefault(name, str(error))
                    continue
                names[where] = f"mesh{len(names)}{file.suffix.lower()}"
                made.meshes[names[where]] = data
            missing.pop(name, None)
            given["file"] = names[where]
            break
    if missing:
        count = len(missing)
        what = f"{count} meshes were not read" if count > 1 else "a mesh was not read"
        name, reason = next(iter(missing.items()))
        owner = "their" if count > 1 else "its"
        main.warn(f"{what}, and {owner} geoms are left out; {shown(name)}: {reason}")
    return set(missing)


def _is_field(line: Line) -> bool:
    given = line.attributes
    return line.name == "geom" and ("hfield" in given or given.get("type") == "hfield")


def _note(main: Source, line: Line, text: str) -> None:
    main.notes.append(Note(text, line.line, str(line.path)))


def _attributes(
    main: Source,
    line: Line,
    missing: set[str],
    left: Left,
    models: dict[int, str],
    *,
    soft: bool,
) -> dict[str, str] | None:
    """The attributes to write for an element; None to leave the element out."""
    given = dict(line.attributes)
    given.pop("material", None)
    if line.name == "compiler":
        return {key: value for key, value in given.items() if key not in COMPILER_LEFT_OUT}
    if line.name == "key":
        if soft and "qpos" in given:
            name = shown(given.get("name", ""))
            _note(main, line, f"keyframe {name} has numbers of soft bodies: left out")
            return None
        return {key: given[key] for key in KEY if key in given}
    if line.name == "mesh" and given.get("name") in missing:
        return {"name": given["name"] + NOT_FOUND, **PLACEHOLDER}
    if _is_field(line):
        _note(main, line, "a geom is a height field, which is not read: left out")
        given.pop("hfield", None)
        given |= {"type": "mesh", "mesh": FIELD}
    if given.get("mesh") in missing:
        given["mesh"] += NOT_FOUND
        if line.name == "geom":  # nothing is fitted to the placeholder
            given["type"] = "mesh"
    elif line.name == "geom" and given.get("type") == "sdf":
        if "mesh" in given:  # not in a default
            _note(main, line, "a geom is a signed distance field: read as its mesh")
        given["type"] = "mesh"
    if line.name == "tendon" and (left.tendons & {given.get("tendon1"), given.get("tendon2")}):
        _note(main, line, "an equality of spatial tendons is not read: left out")
        return None
    if line.name in ("connect", "weld", "exclude") and any(
        left.holds_body(given.get(key)) for key in ("body1", "body2")
    ):
        _note(main, line, f"{line.name} of a soft body: left out")
        return None
    if line.name == "model":
        given["file"] = models.get(id(line), "")
    elif line.name != "mesh":  # no other element has a file that is read
        given = {key: value for key, value in given.items() if not key.startswith("file")}
    return given
