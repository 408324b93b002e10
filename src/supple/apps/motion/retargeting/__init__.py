"""Retargeting: transfer motions to other bodies.

`names` and `body_map` recognize the parts of a body, and `body` measures it. `performance` describes the source motion;
`guide`, `footsteps` and `touch` compute targets for the parts of the target body. `onto_character` poses characters in
closed form, `onto_robot` sets up the clip solver for robots, `balance` decides when they keep their balance.
"""

from supple.apps.motion.retargeting.body_map import BodyMap
from supple.apps.motion.retargeting.retarget import Retargeted, retarget

__all__ = ["BodyMap", "Retargeted", "retarget"]
