"""Shipped with supple: our character and rules: `supple.apps.data` by its public name."""

import sys

from supple.apps import data
from supple.apps.data import *  # noqa: F403 (what type checkers see)

sys.modules[__name__] = data
