"""The freedoms of poses: numbers as they stand, quaternions as rotation vectors."""

import math

from supple.kernels.cache import entry, kernel
from supple.kernels.quaternion import load4


@kernel
def rotation_vector(q):
    """The rotation vector of a quaternion, the short way: no longer than pi."""
    w, x, y, z = q
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    largest = max(abs(x), abs(y), abs(z))
    if not largest > 0.0:
        return (2.0 * x, 2.0 * y, 2.0 * z)
    # Scaled, so that squares neither overflow nor underflow.
    a, b, c = x / largest, y / largest, z / largest
    sine = largest * math.sqrt(a * a + b * b + c * c)
    factor = 2.0 * math.atan2(sine, w) / sine
    return (x * factor, y * factor, z * factor)


@entry("i1 i1 i2 i2 f2 f2")
def angles_batch(number_at, number_freedom, turn_at, turn_freedom, coordinates, out):
    """The freedoms of every pose.

    Args:
        number_at: Coordinates that are freedoms as they stand, shape (K,).
        number_freedom: Which freedoms they are, shape (K,).
        turn_at: Coordinates of each quaternion, shape (L, 4).
        turn_freedom: The freedoms of its rotation vector, shape (L, 3).
        coordinates: Shape (B, Q).
        out: Out: shape (B, D).
    """
    for b in range(coordinates.shape[0]):
        for k in range(number_at.shape[0]):
            out[b, number_freedom[k]] = coordinates[b, number_at[k]]
        for k in range(turn_at.shape[0]):
            vector = rotation_vector(load4(coordinates, b, turn_at[k, 0]))
            for i in range(3):
                out[b, turn_freedom[k, i]] = vector[i]
