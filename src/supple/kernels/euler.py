"""A turn as three angles about an Axes joint's letters: of all such angles those nearest to its own.

R = R_i(a) R_j(b) R_k(c). Entries of R give a, up to half a turn; with R_i(-a) taken off, the rest
gives b and c in their full range. At gimbal lock, where only a + c or a - c can be told, a stays.
"""

import math

from supple.kernels.cache import kernel
from supple.kernels.joint import TURN
from supple.kernels.quaternion import conj, letter_axis, mul, rotate, turn_about_letter

LOCKED = 1e-9  # gimbal lock: the sine or cosine of b is below this


@kernel
def _near(angle, here):
    """The angle, whole turns added, nearest to here."""
    return angle + TURN * math.floor((here - angle) / TURN + 0.5)


@kernel
def put_axes(order, turn, q, at):
    """Give an Axes joint of three letters a turn: of its angles those nearest to the present ones.

    The turn is a unit quaternion; the angles stand in q from `at` on.
    """
    i, j, k = order & 3, (order >> 2) & 3, (order >> 4) & 3
    third = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    if i == k:
        column = rotate(turn, letter_axis(i))
        y, x = column[j], -sign * column[third]
    else:
        column = rotate(turn, letter_axis(k))
        y, x = -sign * column[j], column[k]
    first = math.atan2(y, x) if math.hypot(x, y) > LOCKED else q[at]
    least = math.inf
    a0, b0, c0 = q[at], q[at + 1], q[at + 2]
    for flip in range(2):
        a = _near(first + math.pi * flip, a0)
        rest = mul(turn_about_letter(i, -a), turn)
        row = rotate(conj(rest), letter_axis(j))
        if i == k:
            column = rotate(rest, letter_axis(i))
            b = math.atan2(-sign * column[third], column[i])
            c = math.atan2(-sign * row[third], row[j])
        else:
            column = rotate(rest, letter_axis(k))
            b = math.atan2(sign * column[i], column[k])
            c = math.atan2(sign * row[i], row[j])
        b, c = _near(b, b0), _near(c, c0)
        change = abs(a - a0) + abs(b - b0) + abs(c - c0)
        if change < least:
            least = change
            q[at], q[at + 1], q[at + 2] = a, b, c
