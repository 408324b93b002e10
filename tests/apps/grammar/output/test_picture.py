"""Pictures."""

import pytest

import supple
import supple.apps.data


@pytest.mark.parametrize("height", [1, 20, 1000, 1e6])
def test_pictures_of_tall_shapes_are_drawn_no_larger_than_they_are_shown(height: float) -> None:
    figure = supple.grow("Lot --> extrude(h)\nattr h = 1", attributes={"h": height}).picture()
    (image,) = figure.axes[0].get_images()
    tall, wide = image.get_array().shape[:2]
    shown = figure.get_size_inches() * 110
    assert wide <= shown[0] + 1 and tall <= shown[1] + 1
    assert max(wide / shown[0], tall / shown[1]) > 0.98, "and no smaller"
