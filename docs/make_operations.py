"""Write docs/operations.md: the operations of the grammar against the CGA reference, read off the table."""

import inspect
import re
from pathlib import Path

from supple.apps.grammar.operations.table import LEFT_OUT, OPERATIONS, SECTIONS

PAGE = Path(__file__).with_name("operations.md")

REFERENCE = """
    extrude envelope taper roofGable roofHip roofPyramid roofRidge roofShed i insertAlongUV primitiveQuad
    primitiveDisk primitiveCube primitiveSphere primitiveCylinder primitiveCone innerRect offset footprint
    split splitArea splitAndSetbackPerimeter comp innerRectangle setback setbackPerEdge setbackToArea shapeL
    shapeU shapeO scatter cleanupGeometry convexify deleteHoles reverseNormals setNormals softenNormals mirror
    rectify reduceGeometry resetGeometry trim modify tag deleteTags setTagsFromEdgeAttrs inline union subtract
    intersect texture setupProjection projectUV translateUV scaleUV normalizeUV tileUV rotateUV deleteUV copyUV
    t translate s r rotate center alignScopeToAxes alignScopeToGeometry alignScopeToGeometryBBox rotateScope
    setPivot mirrorScope color set setMaterial resetMaterial label print report
""".split()  # noqa: SIM905
"""The operations of the CGA reference (CityEngine 2025.0); `[`, `]` and `NIL` are syntax here."""

CLASSIC = ("Roof", "Subdiv", "Repeat", "Comp")

HEAD = """# Operations of the grammar

`docs/make_operations.py` generates this page from the table of operations; a test keeps it current.
{have} of the {all} operations of the CGA reference (CityEngine 2025.0) are supported, {out} are left out, and
{own} are supple's own. An operation that is left out is refused by its name, with file, line and column.

"""


def described(name: str) -> tuple[str, str]:
    """How an operation is written, and what it does, from its docstring."""
    text = inspect.cleandoc(OPERATIONS[name].build.__doc__ or "")
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    written = [part for part in paragraphs[1:2] if re.match(r"\w+\(", part)]
    told = [part for part in paragraphs if part not in written]
    usage = written[0] if written else f"{name}(...)"
    return f"`{usage}`".replace("|", "\\|"), " ".join(told).replace("|", "\\|")


def sections() -> dict[str, list[str]]:
    """The names of the operations of each section, in the order of the table."""
    starts = {first: title for title, first in SECTIONS.items()}
    found: dict[str, list[str]] = {}
    title = ""
    for name in OPERATIONS:
        title = starts.get(name, title)
        found.setdefault(title, []).append(name)
    return found


def page() -> str:
    """The whole page."""
    have = [name for name in REFERENCE if name in OPERATIONS]
    out = [name for name in REFERENCE if name in LEFT_OUT]
    own = [name for name in OPERATIONS if name not in REFERENCE]
    text = HEAD.format(have=len(have), all=len(REFERENCE), out=len(out), own=len(own))
    for title, names in sections().items():
        text += f"## {title}\n\n| operation | written | what it does |\n|---|---|---|\n"
        for name in names:
            usage, told = described(name)
            mark = "" if name in REFERENCE else " (supple's own)"
            text += f"| `{name}`{mark} | {usage} | {told} |\n"
        text += "\n"
    text += "## Left out\n\n| operation | why, or what to use instead |\n|---|---|\n"
    for name, why in LEFT_OUT.items():
        mark = " (classic form)" if name in CLASSIC else ""
        reason = why.replace("|", "\\|")
        text += f"| `{name}`{mark} | {reason} |\n"
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
