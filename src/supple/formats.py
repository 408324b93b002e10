"""Files in and out: `supple.apps.formats` by its public name."""

import sys

from supple.apps import formats
from supple.apps.formats import *  # noqa: F403 (what type checkers see)

sys.modules[__name__] = formats
