"""Even scales folded into offsets, so that solvers see rigid bones."""

from supple.kernels.cache import entry
from supple.kernels.layout import PARENT

EVEN = 1e-6  # how far apart the three factors of an even scale may be, relatively


@entry("i2 f3 f3 -> i")
def scale_offsets(ints, scales, offsets):
    """Multiply every offset, shape (B, N, 3), by the scales of all joints above it, in place.

    Scales are used up.

    Returns the first joint with joints below it whose scale is not even, or -1.
    """
    for b in range(offsets.shape[0]):
        for j in range(offsets.shape[1]):
            parent = ints[j, PARENT]
            if parent < 0:
                continue
            for i in range(3):
                if abs(scales[b, parent, i] - scales[b, parent, 0]) > EVEN * abs(
                    scales[b, parent, 0]
                ):
                    return parent
            above = scales[b, parent, 0]
            for i in range(3):
                offsets[b, j, i] *= above
                scales[b, j, i] *= above
    return -1
