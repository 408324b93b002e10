"""Retargeting: motions brought to other bodies.

`names` and `body_map` recognize the parts of a body, `body` measures it, `performance` says what a source
does, `guide`, `footsteps` and `touch` where a target's parts are to go. `onto_character` poses characters in closed
form, `onto_robot` and `whole_clip` robots by least squares; `self_collision` and `balance` say what must hold for them.
"""

from supple.motion.retargeting.body_map import BodyMap
from supple.motion.retargeting.retarget import Retargeted, retarget

__all__ = ["BodyMap", "Retargeted", "retarget"]
