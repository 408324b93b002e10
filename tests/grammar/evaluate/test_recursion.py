"""The recursion limit."""

import sys

import supple


def test_the_recursion_limit_is_as_before():
    before = sys.getrecursionlimit()
    supple.grow("f(n) = case n <= 0 : 0 else : 1 + f(n - 1)\nA --> extrude(f(300))")
    assert sys.getrecursionlimit() == before
