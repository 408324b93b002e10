"""Retargeting: motions brought to other bodies.

`names` and `body_map` recognize the parts of a body, `body` measures it, `performance` says what a source
does, `guide`, `footsteps` and `touch` where a target's parts are to go. `onto_character` poses characters in closed
form, `onto_robot` says what is asked of the core's clip solver for robots, `balance` when they keep their balance.
"""

from supple.motion.retargeting.body_map import BodyMap
from supple.motion.retargeting.retarget import Retargeted, retarget

__all__ = ["BodyMap", "Retargeted", "retarget"]
