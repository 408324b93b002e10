"""Frame Time of a BVH file: the frame rate that rounded seconds stand for.

Files write 0.033333 for 30 frames a second, of which the inverse is 30.0003. The rate is taken to be a whole number or
an NTSC rate, if its frame time gives the seconds of the file in as many digits.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np

TELEVISION_RATES = tuple(n * 1000.0 / 1001.0 for n in (24, 30, 60, 120))
"""Frames a second of NTSC: 23.976, 29.97, 59.94, 119.88."""

LARGEST_ROUNDING = 0.0025
"""Largest relative rounding of a frame time: with fewer digits the rate is ambiguous.

0.0167 for 60 frames a second is 0.002 off and is read as 60; 0.033 for 30 is 0.01 off and is not.
"""


def rate_of(text: str) -> float:
    """The frame rate [1/s] that a Frame Time stands for.

    Args:
        text: Seconds as written, above 0.
    """
    written = Decimal(text).normalize()
    value = float(written)
    unit = 10.0 ** int(written.as_tuple().exponent)
    nearest = float(round(1.0 / value))
    whole = [rate for rate in (nearest - 1, nearest, nearest + 1) if rate >= 1]
    fitting = [rate for rate in whole if _fits(rate, value, unit)]
    if len(fitting) == 1:
        return fitting[0]
    for rate in TELEVISION_RATES:
        if _fits(rate, value, unit):
            return rate
    return 1.0 / value


def _fits(rate: float, value: float, unit: float) -> bool:
    """Whether a value [s] is the frame time of a rate: rounded or cut off at a decimal `unit`, or as a float32."""
    exact = 1.0 / rate
    if abs(value * rate - 1.0) > LARGEST_ROUNDING:
        return False
    return -0.5 * unit <= exact - value < unit or bool(np.float32(exact) == np.float32(value))


def frame_time(fps: float) -> str:
    """The fewest digits of seconds that `rate_of` reads as the same frame rate."""
    for digits in range(6, 18):
        text = f"{1.0 / fps:.{digits}g}"
        if rate_of(text) == fps:
            break
    return text  # pyright: ignore[reportPossiblyUnboundVariable]
