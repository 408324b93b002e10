"""i: insert an asset."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.modules import Act, Environment, located
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.geometry.frames import placed
from supple.apps.grammar.language import syntax as s
from supple.apps.grammar.operations.trim import trim_inserted


def insert(op: s.Operation, env: Environment) -> Act:
    """Insert an asset in the scope.

    i("box"), i("tree.obj"), i("tree.obj", zUp, keepSizeAndPosition)

    zUp is for assets whose z axis points up; keepSizeAndPosition keeps the asset's own size. Sizes of
    0 follow from the others in proportion; if all are 0 the asset keeps its own size.
    """
    given = Arguments(op, env)
    count = given.count(1, 2, 3)
    name = given.text(0)
    z_up = count > 1 and given.word(1, ("yUp", "zUp")) == "zUp"
    modes = ("alignSizeAndPosition", "keepSizeAndPosition")
    keeps = count > 2 and given.word(2, modes) == "keepSizeAndPosition"
    find = located(env, op.at, lambda run, path: run.assets.get(path, env.module.folder, z_up=z_up))

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        asset = find(run, name(shape, args))
        natural = asset.size
        size = [0.0, 0.0, 0.0] if keeps else list(shape.s)
        known = [k for k in range(3) if size[k] > 0]
        if len(known) < 3:
            ratios = [size[k] / natural[k] for k in known if natural[k] > 0]
            ratio = sum(ratios) / len(ratios) if ratios else 1.0
            if len(known) < 2:
                move = [0.0 if k in known else asset.origin[k] * ratio for k in range(3)]
                shape.p = placed(shape.p, shape.R, (move[0], move[1], move[2]))
            for k in range(3):
                if k not in known:
                    size[k] = natural[k] * ratio
        shape.s = (size[0], size[1], size[2])
        shape.geometry = asset
        shape.made = True
        if shape.trim is not None:
            trim_inserted(shape)

    return act
