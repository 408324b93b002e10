"""Evaluating a pose: its frames, its residual, its cost; and setting a problem up to be evaluated."""

from supple.kernels import layout
from supple.kernels.cache import kernel, leaf
from supple.kernels.joint import project
from supple.kernels.residual import residuals
from supple.kernels.tree import aim, fold, forward, place_effectors
from supple.kernels.views import copy


@kernel
def evaluate(problem, frames, q):
    """Frames, effectors and residuals of the pose q; returns its cost."""
    forward(problem, frames, q)
    place_effectors(problem, frames, q)
    return residuals(problem, frames)


@leaf
def holds(problem):
    """Whether any block is held where the start has it."""
    blocks = problem.blocks
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_HELD] == 1:
            return True
    return False


@leaf
def set_up(problem, frames, offsets, start, targets, q):
    """Set up one problem: q becomes its start, put into the limits. Nothing is placed yet."""
    copy(start, q)
    fold(problem, frames, offsets, q)
    take_aim(problem, frames, targets, q)


@leaf
def take_aim(problem, frames, targets, q):
    """Give the effectors of a folded problem their targets, and put its start q into the limits."""
    if holds(problem):
        # What is held stays where the start has it, before the start is put into the limits.
        forward(problem, frames, q)
        place_effectors(problem, frames, q)
    aim(problem, frames, targets)
    project(problem, q)


@leaf
def begin(problem, frames, offsets, start, targets, q):
    """Set up one problem and evaluate its start, put into the limits, in q; returns its cost."""
    set_up(problem, frames, offsets, start, targets, q)
    return evaluate(problem, frames, q)
