"""Figures: `supple.apps.plot` by its public name."""

import sys

from supple.apps import plot
from supple.apps.plot import *  # noqa: F403 (what type checkers see)

sys.modules[__name__] = plot
