"""Writing what grew, in the format that the file's name asks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from supple.errors import SuppleError

if TYPE_CHECKING:
    from supple.grammar.output.growth import Growth

MANY = 3_000  # leaves beyond which a GLB is instanced


def write_growth(growth: Growth, path: Path, *, instanced: bool | None) -> None:
    """Write what grew; see `Growth.save`."""
    suffix = path.suffix.lower()
    if suffix in (".png", ".svg"):
        from supple import plot

        plot.save(growth.picture(), path)
    elif suffix == ".html":
        from supple.grammar.output.page import write_page

        write_page(growth, path)
    elif suffix == ".glb" and (instanced or (instanced is None and len(growth.leaves) > MANY)):
        from supple.grammar.output.glb import write_glb

        write_glb(growth, path)
    elif suffix in (".glb", ".gltf"):
        from supple.formats import save

        save(growth.character(), path)
    elif suffix == ".obj":
        from supple.files import write
        from supple.grammar.output.obj import write_obj

        library = path.with_suffix(".mtl")
        text, colours = write_obj(growth.meshes(), library.name)
        write(library, colours, "materials")
        write(path, text, "meshes")
    else:
        raise SuppleError(
            f"{path}: expected a .glb, .gltf, .obj, .html, .png or .svg file, "
            f"got {suffix or 'no extension'}"
        )
