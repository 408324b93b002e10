"""Files that many clips share: meshes of the ground."""

import numpy as np
import pytest

import supple
from supple.apps.clips import models
from supple.errors import SuppleError

CORNERS = np.array([[-1.0, 0, -1], [1, 0, -1], [1, 0.5, 1], [-1, 0.5, 1]])


def test_ground_is_the_same_from_an_obj_and_from_a_character(tmp_path):
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS)
    (tmp_path / "slope.obj").write_text(text + "f 1/1 2/2 3/3 4/4\n")
    skeleton = supple.Skeleton([supple.Node("ground", None, (0, 0.25, 0))])
    slope = supple.Mesh("slope", CORNERS - [0, 0.25, 0], [[0, 1, 2], [0, 2, 3]], joint="ground")
    supple.save(supple.Character(skeleton, meshes=[slope]), tmp_path / "slope.glb")
    one, two = (models.mesh(str(tmp_path / f"slope.{ending}")) for ending in ("obj", "glb"))
    assert np.allclose(one.positions[one.faces], two.positions[two.faces], atol=1e-6)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("v 0 0 0\n", "bad.obj: expected a mesh with triangles, got none"),
        ("v 0 0 0\nf 1 2 9\n", "bad.obj:2: expected points 1 to 1 for a face, got 9"),
        ("v 0 0 up\n", "bad.obj:1: expected a point or a face"),
    ],
)
def test_bad_meshes_are_said_with_their_file(tmp_path, text, words):
    (tmp_path / "bad.obj").write_text(text)
    with pytest.raises(SuppleError, match=words):
        models.mesh(str(tmp_path / "bad.obj"))
