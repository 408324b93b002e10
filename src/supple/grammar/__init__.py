"""A CGA shape grammar with joints and IK.

    growth = supple.grow("figure.cga", start="Figure", seed=7, attributes={"height": 2})
    growth.shapes, growth.skeleton, growth.pose
    growth.save("figure.glb")

The language is described in docs/grammar.md. The packages, from low to high:

    geometry       polygons, solids, cuts, roofs, texture coordinates; knows nothing of rules
    language       rule files: grammar, syntax tree, definitions, errors with places
    evaluate       expressions, productions and the derivation of shapes
    operations     extrude, split, comp, ...; `operations.table` lists them all
    articulation   joints as a skeleton, IK
    output         the result, `Growth`, and its files
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supple.errors import SuppleError

if TYPE_CHECKING:
    from supple.grammar.evaluate.run import Limits
    from supple.grammar.output.growth import Growth

__all__ = ["Growth", "Limits", "grow"]


def grow(
    rules: str | os.PathLike[str],
    *,
    start: str | None = None,
    seed: int = 0,
    attributes: Mapping[str, Any] | None = None,
    style: str = "",
    size: Any = None,
    assets: Mapping[str, Any] | None = None,
    folder: str | os.PathLike[str] | None = None,
    targets: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Growth:
    """Derive shapes by CGA rules, and pose the figures among them by IK.

    The same rules and the same seed give the same shapes on every machine.

    Args:
        rules: The path of a rule file, or the rules themselves: a text of several lines or with an
            arrow.
        start: The start rule, such as "Lot" or "Tower(3, true)"; by default the one that the file
            marks, else its first.
        seed: The seed of all random numbers, a whole number from 0.
        attributes: Attribute values that replace those of the rules: numbers, strings, booleans and
            lists of numbers; {"Prefix.name": ...} for an import's.
        style: A style that the rules define.
        size: Size x, y, z of the initial shape, in the model's own unit: with y = 0 a rectangle on
            the ground, else a box. By default that of the start rule's annotation @Size(x, y, z),
            else (1, 0, 1).
        assets: Meshes that `i` finds by name: a `supple.Mesh`, a `supple.Character` or (points
            (V, 3), faces).
        folder: The folder that imports and assets must be in; by default the rule file's own.
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
    from supple.grammar.articulation.figure import Figure
    from supple.grammar.articulation.ik import solve_rules
    from supple.grammar.articulation.posed import PosedShapes
    from supple.grammar.evaluate.attributes import arrays_by_id
    from supple.grammar.evaluate.derivation import derive
    from supple.grammar.evaluate.run import Limits, Options
    from supple.grammar.language.files import read_rules
    from supple.grammar.language.parser import parsed
    from supple.grammar.operations.table import TABLE
    from supple.grammar.output.growth import Growth

    if not isinstance(rules, (str, os.PathLike)) or not str(rules):
        raise SuppleError(f"rules: expected the path of a rule file, or rules, got {rules!r}")
    if start is not None and not isinstance(start, str):
        raise SuppleError(f"start: expected the name of a rule, got {start!r}")
    if limits is not None and not isinstance(limits, Limits):
        raise SuppleError(f"limits: expected supple.grammar.Limits(...), got {limits!r}")
    if folder is not None and not Path(folder).is_dir():
        raise SuppleError(f"folder: expected a folder, got {str(folder)!r}")
    if isinstance(rules, str) and ("\n" in rules or "-->" in rules or "~>" in rules):
        own, file = None, parsed(rules)
    else:
        path = Path(rules)
        if not path.is_file():
            raise SuppleError(
                f"{path}: expected a rule file, got {'a folder' if path.is_dir() else 'none'}"
            )
        own, file = path.parent, parsed(read_rules(path), str(path))
    home = Path(folder) if folder is not None else own
    run, module = derive(
        file,
        own if own is not None else home,
        operations=TABLE,
        start=start,
        options=Options(
            home=home,
            seed=seed,
            attributes=attributes,
            style=style,
            size=size,
            assets=assets,
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
    return Growth(run, module, posed, touches, steps)


def __getattr__(name: str) -> Any:
    if name == "Growth":
        from supple.grammar.output.growth import Growth

        return Growth
    if name == "Limits":
        from supple.grammar.evaluate.run import Limits

        return Limits
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
