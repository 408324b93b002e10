"""Stiffness and damping: how much of a joint's change one iteration keeps."""

import math

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.cache import kernel, leaf
from supple.kernels.joint import has_quaternion, number_count, project_joint


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
    count = number_count(kind)
    for i in range(at, at + count):
        change = weight * (q[i] - before[i])
        q[i] = before[i] + min(max(change, -cap), cap)
    if has_quaternion(kind):
        old = quat.take4(before, at + count)
        turn = quat.log(quat.mul(quat.take4(q, at + count), quat.conj(old)))
        size = quat.norm(turn)
        if size > 0.0:
            turn = quat.scale(turn, min(weight, cap / size))
            quat.put4(q, at + count, quat.normalized(quat.mul(quat.exp(turn), old)))
    project_joint(kind, moving_f, k, q, at)
