"""The result of `supple.grow`: shapes, skeleton, pose, IK results, meshes and files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.apps.grammar.articulation.ik import Touch
from supple.apps.grammar.articulation.posed import PosedShapes
from supple.apps.grammar.evaluate.attributes import AttributeInfo, attributes_of
from supple.apps.grammar.evaluate.modules import Module
from supple.apps.grammar.evaluate.run import Run
from supple.apps.grammar.output import meshes as leaf_meshes
from supple.apps.grammar.output.shapes import Shapes
from supple.errors import SuppleError, flag, whole
from supple.files import as_path
from supple.goals import Goal
from supple.model.mesh import Mesh, Skin
from supple.model.skeleton import Pose, Skeleton

if TYPE_CHECKING:
    from supple.apps.character.character import Character
    from supple.apps.character.motion import Motion

Floats = NDArray[np.float64]
STEPS_PER_SECOND = 6.0  # of the motion of iteration steps: slow enough to watch; not tuned
MOST_POSABLE_LEAVES = 3_000  # a GLB of more is instanced by default; not tuned


class Growth:
    """The result of `supple.grow`.

    Attributes:
        skeleton: One skeleton with all joints; its fixed root has the name of the start rule.
        pose: The pose after IK.
        touches: The result of each IK rule, in the order of derivation.
        reports: Values collected by `report`, by name.
        printed: Lines written by `print`.
        store: The shapes as arrays.
        figure: The joints as the rules define them.
        source: The rule file's path.
        notes: What stands in for missing assets, one line per file.
        incomplete: What missing rule files leave out, one line each; empty for a complete result.
    """

    def __init__(
        self,
        run: Run,
        module: Module,
        posed: PosedShapes,
        touches: list[Touch],
        steps: list[Pose],
        package: Any = None,
    ) -> None:
        self.skeleton: Skeleton = posed.skeleton
        self.pose: Pose = posed.pose
        self.touches = tuple(touches)
        self.reports: dict[str, list[Any]] = run.reports
        self.printed: tuple[str, ...] = tuple(run.printed)
        self.store = posed.store
        self.figure = posed.figure
        self.source = module.path
        self.notes: tuple[str, ...] = tuple(run.notes)
        self.incomplete: tuple[str, ...] = tuple(run.incomplete)
        self._package = package  # holds the unpacked files, which images are read from
        self._posed = posed
        self._assets = run.assets
        self._steps = steps
        self._most_triangles = run.limits.triangles
        self._module = module

    # The tree of shapes -----------------------------------------------------------------------------

    @property
    def shapes(self) -> Shapes:
        """All shapes in the order of derivation; the first is the root of the (first lot's) tree."""
        return Shapes(self._posed, range(len(self.store)))

    @property
    def roots(self) -> Shapes:
        """The initial shapes, one per lot."""
        return Shapes(self._posed, np.flatnonzero(self.store.integers("parents") < 0))

    @property
    def leaves(self) -> Shapes:
        """The leaves of the shape tree: the terminal shapes."""
        return Shapes(self._posed, np.flatnonzero(self.store.leaf_array))

    @property
    def attributes(self) -> tuple[AttributeInfo, ...]:
        """The attributes of the rules with their values and annotations."""
        return attributes_of(self._module)

    @property
    def starts(self) -> tuple[str, ...]:
        """The possible start rules: those without parameters."""
        return tuple(name for name, count in self._module.definitions.rules if count == 0)

    # The figure -------------------------------------------------------------------------------------

    @property
    def reached(self) -> bool:
        """True if every IK rule's effector touches its target."""
        return all(touch.reached for touch in self.touches)

    @property
    def goals(self) -> tuple[Goal, ...]:
        """The goals of the IK rules, as `supple.solve` takes them."""
        return tuple(touch.goal for touch in self.touches)

    @property
    def steps(self) -> Pose | None:
        """The iteration poses as a batch; None unless an IK rule has `steps = true`."""
        return Pose.stack(self._steps) if self._steps else None

    @property
    def motion(self) -> Motion | None:
        """The iteration poses as a motion of six per second; None without steps."""
        from supple.apps.character.motion import Motion

        steps = self.steps
        return None if steps is None else Motion("steps", steps, fps=STEPS_PER_SECOND)

    # Meshes -----------------------------------------------------------------------------------------

    def meshes(self, pose: Pose | None = None) -> tuple[Mesh, ...]:
        """One mesh per material, in world.

        Args:
            pose: A pose of the skeleton; by default the one after IK.

        Raises:
            SuppleError: The leaves have more triangles than `Limits(triangles=...)` of the growth allows.
        """
        place = _placing(self._posed.displacements(pose))
        return tuple(
            leaf_meshes.mesh(
                material, vertices, leaf_meshes.mesh_material(material, self._assets.image_path)
            )
            for material, vertices, _ in leaf_meshes.by_material(
                self.store, place, self._most_triangles
            )
        )

    def character(self) -> Character:
        """The figure as a character: its skeleton, and one rigidly skinned mesh per material.

        Its pose is the one after IK, and the iteration steps are its motion. Shapes that IK
        stretched keep their length.
        """
        from supple.apps.character.character import Character

        rest = self._posed.rest_frames()
        stretched = rest @ self._posed.stretches() @ np.linalg.inv(rest) if len(rest) else rest
        found = []
        for material, vertices, joints in leaf_meshes.by_material(
            self.store, _placing(stretched), self._most_triangles
        ):
            skin = self._skin(joints, rest)
            made_of = leaf_meshes.mesh_material(material, self._assets.image_path)
            found.append(leaf_meshes.mesh(material, vertices, made_of, skin=skin))
        motion = self.motion
        return Character(
            self.skeleton,
            tuple(found),
            {} if motion is None else {"steps": motion},
            self.pose,
            unit="m",
            up="y",
            source=self.source,
        )

    def _skin(self, joints: NDArray[np.int64], rest: Floats) -> Skin:
        """A rigid skin: every vertex on the joint of its shape."""
        used, which = np.unique(joints, return_inverse=True)
        names = [self._posed.joint_name(k) for k in used]
        binds = np.stack([np.eye(4) if k < 0 else np.linalg.inv(rest[k]) for k in used])
        count = len(joints)
        return Skin(tuple(names), binds, np.arange(count + 1), which.reshape(-1), np.ones(count))

    # Files ------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], *, instanced: bool | None = None) -> None:
        """Write a .glb, .gltf, .obj, .html, .png or .svg file, by the extension.

        Args:
            path: The file.
            instanced: For .glb: True to write repeated geometry once and place it by instancing,
                which other programs show but do not pose; False for a rigidly skinned figure. By
                default True for more than 3,000 leaves, or for more triangles than the limit of the
                growth allows to be written out.

        Raises:
            SuppleError: The extension is another one, the file cannot be written, or the leaves have more
                triangles written out than `Limits(triangles=...)` of the growth allows.
        """
        path = as_path("path", path)
        if instanced is not None:
            flag("instanced", instanced)
        suffix = path.suffix.lower()
        if suffix in (".png", ".svg"):
            from supple.apps import plot

            plot.save(self.picture(), path)
        elif suffix == ".html":
            from supple.apps.grammar.output.page import PageText, write_page

            title = f"{self.shapes[0].name} of {Path(self.source).name}"
            write_page(
                self._posed,
                path,
                text=PageText(title, self._summary()),
                steps=self.steps,
                targets=[touch.target for touch in self.touches],
            )
        elif suffix == ".glb" and (self._is_large() if instanced is None else instanced):
            from supple.apps.grammar.output.glb import write_glb

            write_glb(self._posed, path, self._assets.image_path, self._most_triangles)
        elif suffix in (".glb", ".gltf"):
            from supple.apps.formats import save

            save(self.character(), path)
        elif suffix == ".obj":
            from supple.apps.grammar.output.obj import write_obj
            from supple.files import write

            library = path.with_suffix(".mtl")
            text, materials = write_obj(self.meshes(), library.name)
            write(library, materials, "materials")
            write(path, text, "meshes")
        else:
            raise SuppleError(
                f"{path}: expected a .glb, .gltf, .obj, .html, .png or .svg file, "
                f"got {suffix or 'no extension'}"
            )

    def _is_large(self) -> bool:
        """True if a GLB is instanced by default."""
        if len(self.leaves) > MOST_POSABLE_LEAVES:
            return True
        written_out = leaf_meshes.triangle_count(leaf_meshes.leaf_groups(self.store))
        return written_out > self._most_triangles

    def picture(self, **options: Any) -> Any:
        """A Matplotlib figure; see `supple.apps.grammar.output.picture.picture` for the options."""
        from supple.apps.grammar.output.picture import picture

        return picture(self, **options)

    # Showing ----------------------------------------------------------------------------------------

    def tree(self, *, depth: int = 4, most: int = 60) -> str:
        """The tree of shapes as text.

        Args:
            depth: Maximum depth.
            most: Maximum number of lines.
        """
        return "\n".join(self._lines(whole("depth", depth), whole("most", most)))

    def _lines(self, depth: int, most: int) -> Iterator[str]:
        waiting, count = [(root, 0) for root in reversed(list(self.roots))], 0
        while waiting:
            shape, level = waiting.pop()
            if count == most:
                yield "..."
                return
            count += 1
            size = " x ".join(f"{length:.4g}" for length in shape.size)
            yield f"{'  ' * level}{shape.name}  {size}{f'  [{shape.joint}]' if shape.joint else ''}"
            if level < depth:
                waiting += [(child, level + 1) for child in reversed(shape.children)]

    def _summary(self) -> str:
        parts = [f"{len(self.store):,} shapes", f"{len(self.leaves):,} leaves"]
        if self.figure.joints:
            count = len(self.figure.joints)
            parts.append(f"{count:,} joint{'s' * (count != 1)}")
        if self.touches:
            met = sum(touch.reached for touch in self.touches)
            parts.append(f"{met} of {len(self.touches)} IK rules reached")
        if self.incomplete:
            parts.append("incomplete")
        return f"{self.shapes[0].name}: {', '.join(parts)}"

    def __repr__(self) -> str:
        return f"Growth({self._summary()})"


def _placing(moves: Floats) -> leaf_meshes.Placing:
    """Moves the vertices of leaves by the maps of their joints, world to world, shape (J, 4, 4)."""

    def place(
        group: leaf_meshes.LeafGroup, vertices: leaf_meshes.Vertices
    ) -> tuple[Floats, Floats]:
        if group.joint < 0:
            return vertices.positions, vertices.normals
        T = moves[group.joint]
        return vertices.positions @ T[:3, :3].T + T[:3, 3], _turned(vertices.normals, T)

    return place


def _turned(normals: Floats, T: Floats) -> Floats:
    """Unit normals under an affine map that may stretch."""
    out = normals @ np.linalg.inv(T[:3, :3])
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-300)
