"""Shapes that grow by rules: `supple.apps.grammar` by its public name."""

import sys

from supple.apps import grammar
from supple.apps.grammar import *  # noqa: F403 (what type checkers see)

sys.modules[__name__] = grammar
