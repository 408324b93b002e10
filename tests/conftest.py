"""Hypothesis draws the same examples every time, so that a run fails for what was changed."""

from hypothesis import settings
from hypothesis.internal.conjecture import providers

# Hypothesis also draws constants of the modules that happen to be imported: what else runs would count.
_none = getattr(providers, "_local_constants", None)
if _none is not None:
    providers._get_local_constants = lambda: _none

settings.register_profile("same", derandomize=True, database=None, deadline=None)
settings.load_profile("same")
