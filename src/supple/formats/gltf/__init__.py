"""glTF 2.0: .glb, and .gltf with its .bin, read and written by hand.

`document` holds the container, `accessors` the arrays, `nodes` and `placements` the skeleton, `meshes`
and `materials` the looks, `animations` the motions; `buffers` and `write_...` go the other way.
"""

from supple.formats.gltf.reading import read
from supple.formats.gltf.writing import write

__all__ = ["read", "write"]
