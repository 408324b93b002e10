"""A CGA shape grammar with joints and IK.

    growth = supple.grow("figure.cga", start="Figure", seed=7, attributes={"height": 2})
    growth.shapes, growth.skeleton, growth.pose
    growth.save("figure.glb")

The language is described in docs/grammar.md. The packages, from low to high:

    geometry       polygons, solids, cuts, roofs, texture coordinates; independent of rules
    language       rule files: grammar, syntax tree, definitions, errors with positions
    evaluate       expressions, productions and the derivation of shapes
    operations     extrude, split, comp, ...; `operations.table` lists them all
    articulation   joints as a skeleton, IK
    output         the result, `Growth`, and its files
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from supple.errors import SuppleError, brief, function, listed, mapping, text
from supple.files import as_path

if TYPE_CHECKING:
    from supple.apps.grammar.evaluate.lots import Lot
    from supple.apps.grammar.evaluate.run import Limits
    from supple.apps.grammar.language.folders import Folders
    from supple.apps.grammar.language.package import Package
    from supple.apps.grammar.language.syntax import RuleFile
    from supple.apps.grammar.output.growth import Growth

__all__ = ["Growth", "Limits", "Lot", "grow", "stub_text"]


def grow(
    rules: str | os.PathLike[str],
    *,
    start: str | None = None,
    seed: int = 0,
    attributes: Mapping[str, Any] | None = None,
    style: str = "",
    size: Any = None,
    lots: Sequence[Lot] | None = None,
    assets: Mapping[str, Any] | None = None,
    folder: str | os.PathLike[str] | None = None,
    workspace: str | os.PathLike[str] | None = None,
    missing: str = "error",
    stubs: str | os.PathLike[str] | None = None,
    targets: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Growth:
    """Derive shapes by CGA rules, and pose the figures among them by IK.

    The same rules and the same seed give the same shapes on every machine.

    Args:
        rules: The path of a rule file (.cga) or rule package (.rpk), or the rules themselves: a text of
            several lines or with an arrow.
        start: The start rule, such as "Lot" or "Tower(3, true)"; by default the one that the file
            marks, else its first.
        seed: The seed of all random numbers, a whole number from 0.
        attributes: Attribute values that replace those of the rules: numbers, strings, booleans and
            lists of numbers; {"Prefix.name": ...} for an import's.
        style: A style that the rules define.
        size: Size x, y, z of the initial shape, in the model's own unit: with y = 0 a rectangle on
            the ground, else a box. By default that of the start rule's annotation @Size(x, y, z),
            else (1, 0, 1).
        lots: Several initial shapes in place of one of that size: a town in one call, `growth.roots`. Lot k
            derives as it would alone with `seed + k`, but IK rules see the shapes of all lots.
        assets: Meshes that `i` finds by name: a `supple.Mesh`, a `supple.Character` or (points
            (V, 3), faces).
        folder: The folder that imports and assets must be in; by default the rule file's own, and the
            folders `assets`, `images`, `models` and `rules` of its project: beside and above it up to the
            folder that holds `rules`.
        workspace: The folder that workspace paths such as "/ESRI.lib/assets/tree.obj" begin in.
        missing: "error" to raise an error at a missing asset or import. With "stand-in" a box or a grey image takes
            the place of an asset (`growth.notes`), and the rules of a missing import leave their shapes as
            they are (`growth.incomplete`); its values come from `attributes` or `stubs`.
        stubs: A file of values for missing imports; `stub_text` writes one to fill in.
        targets: Targets that replace those of IK rules, {effector: (x, y, z)} in world; the
            effectors are those of `growth.touches`.
        limits: Limits of the derivation.
        progress: Called with (stage, amount done, total or 0).

    Returns:
        The shape tree, the skeleton with its pose, meshes and reports.

    Raises:
        SuppleError: The rules cannot be read, use something unsupported or exceed the limits;
            "path:line:column: rule: ...".
    """
    from supple.apps.grammar.articulation.figure import Figure
    from supple.apps.grammar.articulation.ik import solve_rules
    from supple.apps.grammar.articulation.posed import PosedShapes
    from supple.apps.grammar.evaluate.attributes import arrays_by_id
    from supple.apps.grammar.evaluate.derivation import derive
    from supple.apps.grammar.evaluate.run import Limits, Options
    from supple.apps.grammar.language.stubs import read_stubs
    from supple.apps.grammar.operations.table import TABLE
    from supple.apps.grammar.output.growth import Growth

    if not isinstance(rules, (str, os.PathLike)) or not str(rules):
        raise SuppleError(f"rules: expected the path of a rule file, or rules, got {brief(rules)}")
    if start is not None and not isinstance(start, str):
        raise SuppleError(f"start: expected the name of a rule, got {brief(start)}")
    if limits is not None and not isinstance(limits, Limits):
        raise SuppleError(f"limits: expected supple.grammar.Limits(...), got {brief(limits)}")
    text("style", style)
    if assets is not None:
        mapping("assets", assets, "{name: mesh}")
    if targets is not None:
        mapping("targets", targets, "{effector: (x, y, z)}")
    if progress is not None:
        function("progress", progress, "stage", "done", "total")
    source = _source(rules, folder, workspace)
    run, module = derive(
        source.file,
        source.rule_path,
        operations=TABLE,
        start=start,
        options=Options(
            folders=source.folders,
            seed=seed,
            attributes=attributes,
            style=style,
            size=size,
            lots=None if lots is None else _checked_lots(lots),
            assets=assets,
            missing=missing,
            stubs=None if stubs is None else read_stubs(as_path("stubs", stubs)),
            limits=limits,
            progress=None if progress is None else lambda done: progress("deriving", done, 0),
        ),
    )
    figure = Figure(run.first.name, run.joints, run.ik_rules)
    skeleton = figure.skeleton()
    pose, touches, steps = solve_rules(
        figure,
        skeleton,
        run.store,
        None if progress is None else lambda done, of: progress("posing", done, of),
        targets=targets,
        attributes=arrays_by_id(module),
    )
    posed = PosedShapes(run.store, figure, skeleton, pose)
    return Growth(run, module, posed, touches, steps, source.package)


def stub_text(
    rules: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    workspace: str | os.PathLike[str] | None = None,
) -> str:
    """A stub file for the values that rules use from missing rule files.

    Args:
        rules: As for `grow`.
        folder: As for `grow`.
        workspace: As for `grow`.

    Returns:
        CGA with a commented line for each value, to be filled in and given to `grow(stubs=...)`; "" if no
        value of a missing file is used.
    """
    from supple.apps.grammar.language.stubs import stub_text as text_of

    source = _source(rules, folder, workspace)
    return text_of(source.file, source.rule_path, source.folders)


def _checked_lots(lots: Sequence[Lot]) -> tuple[Lot, ...]:
    from supple.apps.grammar.evaluate.lots import Lot

    found = tuple(listed("lots", lots, "a list of supple.grammar.Lot(...)"))
    for one in found:
        if not isinstance(one, Lot):
            raise SuppleError(f"lots: expected supple.grammar.Lot(...), got {brief(one)}")
    if not found:
        raise SuppleError("lots: expected at least one lot, got none")
    return found


class _Source(NamedTuple):
    """The parsed rules, their file (None for a text), the folders to search, and their package."""

    file: RuleFile
    rule_path: Path | None
    folders: Folders
    package: Package | None


def _source(
    rules: str | os.PathLike[str],
    folder: str | os.PathLike[str] | None,
    workspace: str | os.PathLike[str] | None,
) -> _Source:
    from supple.apps.grammar.language.files import read_rules
    from supple.apps.grammar.language.folders import Folders
    from supple.apps.grammar.language.package import SUFFIX, Package
    from supple.apps.grammar.language.parser import parsed

    for name, value in (("folder", folder), ("workspace", workspace)):
        if value is not None and not as_path(name, value).is_dir():
            raise SuppleError(f"{name}: expected a folder, got {str(value)!r}")
    home = None if folder is None else Path(folder)
    space = None if workspace is None else Path(workspace)
    if isinstance(rules, str) and ("\n" in rules or "-->" in rules or "~>" in rules):
        return _Source(parsed(rules), None, Folders(home, workspace=space), None)
    path = as_path("rules", rules)
    if not path.is_file():
        raise SuppleError(
            f"{path}: expected a rule file, got {'a folder' if path.is_dir() else 'none'}"
        )
    if path.suffix.lower() == SUFFIX:
        package = Package(path)
        folders = Folders(package.folder, workspace=space, label=str(path))
        shown = folders.shown(package.rules)
        file = parsed(read_rules(package.rules, shown), shown)
        return _Source(file, package.rules, folders, package)
    folders = Folders(home or path.parent, given=home is not None, workspace=space)
    return _Source(parsed(read_rules(path), str(path)), path, folders, None)


def __getattr__(name: str) -> Any:
    if name == "Growth":
        from supple.apps.grammar.output.growth import Growth

        return Growth
    if name == "Limits":
        from supple.apps.grammar.evaluate.run import Limits

        return Limits
    if name == "Lot":
        from supple.apps.grammar.evaluate.lots import Lot

        return Lot
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
