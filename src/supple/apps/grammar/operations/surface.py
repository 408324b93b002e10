"""Operations on normals, holes, tags and the whole material; some have no effect on plain meshes."""

from __future__ import annotations

from typing import Any

from supple.apps.grammar.evaluate.arguments import Arguments
from supple.apps.grammar.evaluate.material import PLAIN
from supple.apps.grammar.evaluate.modules import Act, Environment
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.evaluate.shape import Shape
from supple.apps.grammar.evaluate.values import text, truth
from supple.apps.grammar.geometry.frames import placed
from supple.apps.grammar.geometry.mesh import Geometry
from supple.apps.grammar.language import syntax as s


def soften_normals(run: Run, shape: Shape, angle: float) -> None:
    """Let adjacent faces share normals; every edge is softened, whatever its angle.

    softenNormals(30)
    """
    _set_smooth(shape, True)


def set_normals(op: s.Operation, env: Environment) -> Act:
    """Let adjacent faces share normals, or not.

    setNormals(soft), setNormals(hard), setNormals(auto)
    """
    given = Arguments(op, env)
    given.count(1)
    kind = given.word(0, ("auto", "soft", "hard"))

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        _set_smooth(shape, kind == "soft")

    return act


def _set_smooth(shape: Shape, smooth: bool) -> None:
    old = shape.geometry
    if old.smooth != smooth and old.faces:
        shape.geometry = Geometry(
            old.name, old.points, old.faces, size=old.size, origin=old.origin, smooth=smooth,
            texcoords=old.texcoords,
        )  # fmt: skip


def reset_material(run: Run, shape: Shape) -> None:
    """Go back to the plain white material.

    resetMaterial()
    """
    shape.material = PLAIN


def set_material(run: Run, shape: Shape, material: Any) -> None:
    """Accepted without effect: material files are not read.

    setMaterial(readMaterial("brick.cgamat"))
    """


def reduce_geometry(run: Run, shape: Shape, share: float) -> None:
    """Accepted without effect: the geometry keeps all its faces.

    reduceGeometry(0.5)
    """


def delete_holes(run: Run, shape: Shape) -> None:
    """Accepted without effect: faces have no holes.

    deleteHoles()
    """


def tag(op: s.Operation, env: Environment) -> Act:
    """Accepted without effect: tags are not kept, and selectors by tag are refused.

    tag("wall"), tag("wall", f, all), deleteTags("wall"), setTagsFromEdgeAttrs("a", "b")
    """
    given = Arguments(op, env)
    given.count(*range(1, 8))
    name = given.checked(0, text)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        name(shape, args)

    return act


def mirror_scope(op: s.Operation, env: Environment) -> Act:
    """Mirror the scope along two axes, which turns it by 180 degrees; the geometry stays in place.

    mirrorScope(true, false, true)

    Scopes are right-handed here: one or three axes are refused.
    """
    given = Arguments(op, env)
    given.count(3)
    values = given.each(truth)

    def act(run: Run, shape: Shape, args: tuple[Any, ...]) -> None:
        axes = values(shape, args)
        if not any(axes):
            return
        if sum(axes) != 2:
            raise env.problem(op.at, "mirrorScope: expected two axes, a scope stays right-handed")
        R, size = shape.R, shape.s
        move = tuple(one if mirrored else 0.0 for one, mirrored in zip(size, axes, strict=True))
        shape.p = placed(shape.p, R, (move[0], move[1], move[2]))
        a, b, c = (-1.0 if mirrored else 1.0 for mirrored in axes)
        shape.R = (
            R[0] * a, R[1] * b, R[2] * c, R[3] * a, R[4] * b, R[5] * c, R[6] * a, R[7] * b, R[8] * c
        )  # fmt: skip
        old = shape.geometry
        points = old.points.copy()
        for k in range(3):
            if axes[k] and size[k] > 0:
                points[:, k] = 1.0 - points[:, k]
        if not old.fills:
            shape.geometry = Geometry(
                old.name, points, old.faces, size=old.size, origin=old.origin, smooth=old.smooth,
                texcoords=old.texcoords,
            )  # fmt: skip

    return act
