"""What holds for every test: the same draws in every run and every order, and Ctrl-C for children."""

import signal
import zlib

import numpy as np
import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

# Hypothesis also draws constants of the modules that happen to be imported: what else runs would count.
_none = getattr(providers, "_local_constants", None)
if _none is not None:
    providers._get_local_constants = lambda: _none

# Hypothesis draws the same examples every time, so that a run fails for what was changed.
settings.register_profile("same", derandomize=True, database=None, deadline=None)
settings.load_profile("same")

# A background job of a script ignores Ctrl-C, and so would every process that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

FIRST = ("test_torture.py", "test_same_bits.py", "test_jit.py", "test_kernels_module.py")
# They compile kernels of their own, after which kernels that Python calls are compiled just in time too.
LAST = ("test_banded.py", "test_looks.py", "test_serial.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run long files first, so that no process is left with one when the others are done."""

    def turn(item: pytest.Item) -> int:
        if item.path.name in FIRST or item.path.parent.name == "browser":
            return 0
        return 2 if item.path.name in LAST else 1

    items.sort(key=turn)


@pytest.fixture(autouse=True)
def draws_of_its_own(request: pytest.FixtureRequest) -> None:
    """Seed the `RNG` of a test's module with the test's name: what ran before it does not count."""
    rng = getattr(request.module, "RNG", None)
    if isinstance(rng, np.random.Generator):
        seed = zlib.crc32(request.node.name.encode())
        rng.bit_generator.state = np.random.default_rng(seed).bit_generator.state
