"""A CGA shape grammar with joints and IK: rules grow shapes, and the shapes pose themselves.

    growth = supple.grow("figure.cga", start="Figure", seed=7, attributes={"height": 2})
    growth.shapes, growth.skeleton, growth.pose
    growth.save("figure.glb")

The language is on one page: docs/grammar.md.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from supple.errors import SuppleError

if TYPE_CHECKING:
    from supple.grammar.evaluate.derivation import Limits
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
    """Grow shapes by CGA rules, and pose the figures among them.

    The same rules and the same seed give the same shapes on every machine.

    Args:
        rules: The path of a rule file; or the rules themselves, a text of more than one line or
            with an arrow in it.
        start: The rule to start with, such as "Lot" or "Tower(3, true)"; by default the one that
            the file marks as its start, else its first.
        seed: What all chance begins with, a whole number from 0.
        attributes: Values in place of those that the rules give their attributes: numbers, texts,
            truth values, and lists of numbers; {"Prefix.name": ...} for an import's.
        style: A style that the rules define.
        size: Size of the first scope, x, y and z, in the model's own unit: with y = 0 a rectangle
            on the ground, else a box. By default what the first rule's annotation @Size(x, y, z)
            says, else (1, 0, 1).
        assets: Meshes that `i` finds by name: a `supple.Mesh`, a `supple.Character` or (points
            (V, 3), faces).
        folder: Imports and assets must lie below this folder; the rule file's own by default.
        targets: Points in place of the targets that IK rules give themselves, {effector: (x, y, z)}
            in world coordinates; the effectors are those of `growth.touches`.
        limits: How far the derivation may go.
        progress: Called with (what is being done, how much is done, of how much or 0).

    Returns:
        The shape tree, the skeleton with its pose, meshes and reports.

    Raises:
        SuppleError: The rules cannot be read, ask for something that is not supported or go beyond
            the limits; "path:line:column: rule: ...".
    """
    from supple.grammar.articulation.figure import Figure
    from supple.grammar.articulation.ik import posed
    from supple.grammar.evaluate.derivation import Limits, derived
    from supple.grammar.evaluate.modules import read
    from supple.grammar.language.parser import parsed
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
        own, file = path.parent, parsed(read(path), str(path))
    home = Path(folder) if folder is not None else own
    derivation = derived(
        start,
        file,
        folder=own if own is not None else home,
        home=home,
        seed=seed,
        attributes=attributes,
        style=style,
        size=size,
        assets=assets,
        limits=limits,
        progress=None if progress is None else lambda done: progress("deriving", done, 0),
    )
    figure = Figure(derivation.first.name, derivation.joints, derivation.wishes)
    skeleton = figure.skeleton()
    told = None if progress is None else lambda done, of: progress("posing", done, of)
    pose, touches, way = posed(
        figure,
        skeleton,
        derivation.store,
        told,
        elsewhere=targets,
        attributes=derivation.module.values_by_id(),
    )
    return Growth(derivation, figure, skeleton, pose, touches, way)


def __getattr__(name: str) -> Any:
    if name == "Growth":
        from supple.grammar.output.growth import Growth

        return Growth
    if name == "Limits":
        from supple.grammar.evaluate.derivation import Limits

        return Limits
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
