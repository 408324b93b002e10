"""Stiffness and damping: how much of a joint's change one iteration keeps."""

import math

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.cache import kernel, leaf
from supple.kernels.limits import project_joint


@kernel
def undamped(problem, cap):
    """True if no joint is stiff or damped and there is no cap: `damp` then changes nothing."""
    moving_f = problem.moving_f
    for k in range(moving_f.shape[0]):
        if moving_f[k, layout.WEIGHT] != 1.0 or min(cap, moving_f[k, layout.DAMPING]) < math.inf:
            return False
    return True


@leaf
def damp(problem, k, before, cap, q):
    """Shorten the change of moving joint k from `before` to q as its stiffness and damping ask.

    `cap` is the greatest change that the solver allows any joint [rad], infinity for any.
    """
    moving, moving_f = problem.moving, problem.moving_f
    weight = moving_f[k, layout.WEIGHT]
    cap = min(cap, moving_f[k, layout.DAMPING])
    if weight == 1.0 and cap == math.inf:
        return
    kind, at = moving[k, layout.M_KIND], moving[k, layout.M_Q]
    if kind == layout.BALL or kind == layout.CONE:
        old = quat.take4(before, at)
        turn = quat.log(quat.mul(quat.take4(q, at), quat.conj(old)))
        size = quat.norm(turn)
        if size > 0.0:
            turn = quat.scale(turn, min(weight, cap / size))
            quat.put4(q, at, quat.normalized(quat.mul(quat.exp(turn), old)))
    else:
        for i in range(moving[k, layout.M_NQ]):
            change = weight * (q[at + i] - before[at + i])
            q[at + i] = before[at + i] + min(max(change, -cap), cap)
    project_joint(kind, moving[k, layout.M_ORDER], moving_f, k, q, at)
