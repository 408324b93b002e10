"""Joint vectors and `qpos`: `supple.apps.robot` by its public name."""

import sys

from supple.apps import robot
from supple.apps.robot import *  # noqa: F403 (what type checkers see)

sys.modules[__name__] = robot
