"""glTF 2.0: .glb, and .gltf with its .bin, read and written without other libraries.

Reading: `document` opens the container, `extensions` says which extensions a file may require,
`accessors` and `meshopt` decode arrays, `nodes` and `placements` build the skeleton, `meshes`,
`instancing`, `texture_sets` and `materials` the meshes, `animations` the motions; `read` calls them.
Writing: `buffers` packs arrays, `write_nodes`, `write_meshes`, `write_bones`, `write_materials` and
`write_motions` fill the tables; `write` calls them.
"""

from supple.apps.formats.format import Format


def _looks(head: bytes) -> bool:
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith(b"glTF") or (text.startswith(b"{") and b'"asset"' in head)


FORMAT = Format(
    name="gltf",
    title="glTF 2.0",
    extensions=(".glb", ".gltf"),
    also_reads=(".vrm", ".vrma"),  # GLB with the extensions of VRM, which are not written
    reader="supple.apps.formats.gltf.read:read",
    writer="supple.apps.formats.gltf.write:write",
    looks=_looks,
    keeps=frozenset(
        {
            "motion",
            "motions",
            "offsets",
            "rotations",
            "scales",
            "tips",
            "limits",
            "meshes",
            "skins",
            "materials",
            "textures",
            "colors",
            "morphs",
            "tracks",
            "loops",
        }
    ),
)
