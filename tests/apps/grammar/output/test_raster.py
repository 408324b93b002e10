"""The software renderer."""

import numpy as np


def test_a_picture_shows_what_is_in_front() -> None:
    from supple.apps.grammar.output.raster import Triangles, rendered

    near = [[(0, 0, 1), (4, 0, 1), (0, 4, 1)]]
    far = [[(0, 0, 0), (4, 0, 0), (0, 4, 0)]]
    corners = np.array([*near, *far], float)
    normals = np.tile((0.0, 0.0, 1.0), (2, 3, 1))
    colours = np.array([(1.0, 0, 0, 1), (0, 1.0, 0, 1)])
    for order in ([0, 1], [1, 0]):
        one = Triangles(corners[order], normals, colours[order])
        image = rendered(one, np.zeros(2), np.full(2, 4.0), 40)
        assert image.shape == (40, 40, 4)
        r, g, b, a = image[30, 10]
        assert r > 0.5 and g == b == 0 and a == 1
        assert image[5, 35, 3] == 0  # beyond the triangle
