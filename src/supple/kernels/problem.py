"""A lowered problem as kernels read it: named views of two packed arrays.

`supple.problem.lowering.Problem` packs a skeleton, its goals and a solver's options into one array of integers
and one of floats; `unpack` names their parts once, at the top of a kernel. The columns of the tables
are in `layout`.
"""

from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels.cache import leaf
from supple.kernels.views import grid, part


class Problem(NamedTuple):
    """What a solve is given, but for its targets and its start. Nothing of it changes."""

    active: Any  # (A, ACTIVE_INTS) joints on the way to an effector
    active_f: Any  # (A, JOINT_FLOATS)
    moving: Any  # (M, MOVING_INTS) of these, the joints this solve may move, parents first
    moving_f: Any  # (M, JOINT_FLOATS)
    blocks: Any  # (G, BLOCK_INTS) residual blocks: a position, an orientation, a look, a pole
    blocks_f: Any  # (G, BLOCK_FLOATS)
    touch: Any  # (D, G) 1 where a freedom moves a block
    options: Any  # the solver's options
    rest: Any  # (Q,) the rest posture
    weight: Any  # (D,) 1 - stiffness of each freedom
    coordinates: int  # Q
    freedoms: int  # D
    rows: int  # R, residual rows of the primary blocks
    length: float  # characteristic length: the longest chain of any goal
    radian: float  # what one radian of orientation error counts, in characteristic lengths
    rest_weight: float
    has_rest: bool  # whether a rest posture is asked for
    has_poles: bool
    keep: bool  # whether the start is given back where the goals are out of reach


@leaf
def unpack(ints, floats):
    """The problem in a packed pair of arrays."""
    na, nm, ng = ints[layout.H_ACTIVE], ints[layout.H_MOVING], ints[layout.H_BLOCKS]
    nq, nd = ints[layout.H_COORDS], ints[layout.H_DOFS]
    moving = layout.HEADER_INTS + na * layout.ACTIVE_INTS
    blocks = moving + nm * layout.MOVING_INTS
    touch = blocks + ng * layout.BLOCK_INTS
    active_f = layout.HEADER_FLOATS
    moving_f = active_f + na * layout.JOINT_FLOATS
    blocks_f = moving_f + nm * layout.JOINT_FLOATS
    options = blocks_f + ng * layout.BLOCK_FLOATS
    rest = options + ints[layout.H_OPTIONS]
    return Problem(
        grid(ints, layout.HEADER_INTS, na, layout.ACTIVE_INTS),
        grid(floats, active_f, na, layout.JOINT_FLOATS),
        grid(ints, moving, nm, layout.MOVING_INTS),
        grid(floats, moving_f, nm, layout.JOINT_FLOATS),
        grid(ints, blocks, ng, layout.BLOCK_INTS),
        grid(floats, blocks_f, ng, layout.BLOCK_FLOATS),
        grid(ints, touch, nd, ng),
        part(floats, options, ints[layout.H_OPTIONS]),
        part(floats, rest, nq),
        part(floats, rest + nq, nd),
        nq,
        nd,
        ints[layout.H_ROWS],
        floats[layout.F_LENGTH],
        floats[layout.F_TURN],
        floats[layout.F_REST],
        ints[layout.H_REST] == 1,
        ints[layout.H_POLES] > 0,
        ints[layout.H_KEEP] == 1,
    )


@leaf
def has_secondary(problem):
    """Whether a problem has secondary goals: a rest posture or poles."""
    return problem.has_rest or problem.has_poles
