"""The recursion limit."""

import gc
import sys

import supple


def test_the_recursion_limit_is_as_before():
    before = sys.getrecursionlimit()
    supple.grow("f(n) = case n <= 0 : 0 else : 1 + f(n - 1)\nA --> extrude(f(300))")
    assert sys.getrecursionlimit() == before


def test_cyclic_collection_resumes_afterwards():
    assert gc.isenabled()
    supple.grow("A --> B")
    assert gc.isenabled()
    gc.disable()
    try:
        supple.grow("A --> B")
        assert not gc.isenabled()
    finally:
        gc.enable()
