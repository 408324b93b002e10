"""Slabs of solids."""

import pytest

from supple.apps.grammar.geometry.clipping import slab
from supple.apps.grammar.geometry.mesh import BOX, CYLINDER, SPHERE


@pytest.mark.parametrize("solid", [BOX, CYLINDER, SPHERE], ids=lambda one: one.name)
@pytest.mark.parametrize("axis", range(3))
def test_slabs_have_the_volume_of_the_whole(solid, axis: int) -> None:
    whole = solid.volume((1.0, 1.0, 1.0))
    parts = [slab(solid, axis, a, b) for a, b in ((0.0, 0.23), (0.23, 0.61), (0.61, 1.0))]
    assert all(part.closed for part, *_ in parts)
    volumes = [part.volume(tuple(size.tolist())) for part, _, size in parts]
    assert min(volumes) > 0 and sum(volumes) == pytest.approx(whole, rel=1e-9)
