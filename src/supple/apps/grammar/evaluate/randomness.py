"""Reproducible random numbers.

Random numbers come from splitmix64 (Steele, Lea & Flood 2014, "Fast splittable pseudorandom number
generators"). Each shape has its own seed, derived from its parent's seed and its index among the
children. So the same rules and seed give the same shapes on every machine, whatever else is derived
before.
"""

from __future__ import annotations

MASK_64_BITS = (1 << 64) - 1
SPLITMIX_INCREMENT = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio, as splitmix64 has it
DRAW_STREAM = 0x5851F42D4C957F2D  # separates the stream of draws from the stream of children


def mixed(seed: int, index: int) -> int:
    """The 64-bit number at an index of the stream of a seed (splitmix64)."""
    z = (seed + SPLITMIX_INCREMENT * (index + 1)) & MASK_64_BITS
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK_64_BITS
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK_64_BITS
    return z ^ (z >> 31)


def fraction(seed: int, index: int) -> float:
    """The number in [0, 1) at an index of the stream of draws of a seed."""
    return (mixed(seed ^ DRAW_STREAM, index) >> 11) * 2.0**-53


def seed_of(text: str, seed: int) -> int:
    """A seed derived from a string (FNV-1a) and another seed."""
    found = 0xCBF29CE484222325
    for byte in text.encode():
        found = ((found ^ byte) * 0x100000001B3) & MASK_64_BITS
    return mixed(found ^ seed, 0)
