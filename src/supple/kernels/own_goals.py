"""Custom goals: residual rows that a function outside the kernels computes from world frames.

The function is the only callable that kernels take, as an address in the problem's table. `supple.goals.own_function`
makes it. It is called as

    void function(int64 frames, int64 values, double step, double *frames, double *values, double *out)

with world transforms (frames, 4, 4) and the goal's own values. If the step is 0 it fills its residual,
shape (rows,). Otherwise it fills the derivatives of the residual, shape (rows, frames, 6): by each frame's world
translation, then by its rotation about the world axes through its own origin. Without a known Jacobian it uses
differences, and the step is how far a frame is moved in model units. Entries that it does not write are NaN.

The kernels multiply these derivatives with how each freedom moves each frame, so the function is called
once for a residual and once for a Jacobian, whatever the number of joints.
"""

import ctypes
import math

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import cold, generated, inlined, kernel, leaf
from supple.kernels.workspace import part

# How far frames are moved for differences [characteristic lengths, rad]; rounding.
FRAME_STEP = 2e-8
FRAME_FLOATS = 16  # of a 4x4 frame
FRAME_FREEDOMS = 6  # three translations, three rotations

PROTOTYPE = ctypes.CFUNCTYPE(
    None,
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.c_double,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
)
"""The function's type in ctypes."""


@generated
def call_function(address, frames, values, step, numbers, given, out):
    """Call the function at an address; numbers, given and out are arrays with one axis."""
    where = (array.ctypes.data for array in (numbers, given, out))
    PROTOTYPE(int(address))(int(frames), int(values), step, *where)


@leaf
def unit_of(problem, g):
    """The factor of the rows of block g: its weight, times the scale of its unit."""
    weight = problem.blocks_f[g, layout.B_WEIGHT]
    kind = problem.blocks[g, layout.B_KIND]
    if kind == layout.OWN_LENGTH:
        return weight / problem.length
    return weight * problem.radian if kind == layout.OWN_ANGLE else weight


# Their workspace follows the errors of the blocks: the values of all goals, one after the other; then for one goal
# at a time its frames, and the output of its function.


@cold
def room(problem):
    """How many floats of workspace custom goals need."""
    blocks = problem.blocks
    values = most = 0
    for g in range(blocks.shape[0]):
        count = blocks[g, layout.B_FRAMES]
        values += blocks[g, layout.B_VALUES]
        most = max(most, count * (FRAME_FLOATS + FRAME_FREEDOMS * blocks[g, layout.B_ROWS]))
    return values + most


@cold
def set_values(problem, frames, targets):
    """Copy the values of all custom goals from a row of targets."""
    blocks, at = problem.blocks, problem.blocks.shape[0]
    for g in range(blocks.shape[0]):
        for i in range(blocks[g, layout.B_VALUES]):
            frames.errors[at] = targets[blocks[g, layout.B_TARGET] + i]
            at += 1


@kernel
def _call(problem, frames, g, given, step, size):
    """Have the goal of block g fill `size` floats; returns their first index in the errors.

    Its values begin at `given` among those of all goals.
    """
    blocks, room = problem.blocks, frames.errors
    count, values = blocks[g, layout.B_FRAMES], blocks[g, layout.B_VALUES]
    first = blocks.shape[0]  # of all values
    at = first
    for h in range(blocks.shape[0]):
        at += blocks[h, layout.B_VALUES]
    for i in range(count):
        _put_frame(frames, blocks[g, layout.B_FRAME] + i, at + FRAME_FLOATS * i)
    out = at + FRAME_FLOATS * count
    for i in range(out, out + size):
        room[i] = math.nan
    call_function(
        blocks[g, layout.B_FUNCTION],
        count,
        values,
        step,
        part(room, at, FRAME_FLOATS * count),
        part(room, first + given, values),
        part(room, out, size),
    )
    return out


@leaf
def _put_frame(frames, g, at):
    """Write the world transform of effector g, row by row."""
    room = frames.errors
    turn = quat.load4(frames.effectors, g, layout.E_WROT)
    for column in range(3):
        axis = quat.rotate(turn, quat.letter_axis(column))
        for row in range(3):
            room[at + 4 * row + column] = axis[row]
    for row in range(3):
        room[at + 4 * row + 3] = frames.effectors[g, layout.E_POS + row]
        room[at + 12 + row] = 0.0
    room[at + 15] = 1.0


@cold
def fill_rows(problem, frames):
    """Fill the residual rows and the errors of all custom goals; returns their cost.

    The error of a goal is the length of its residual, in its unit.
    """
    blocks, errors = problem.blocks, frames.errors
    cost, given = 0.0, 0
    for g in range(blocks.shape[0]):
        if blocks[g, layout.B_FUNCTION] == 0:
            continue
        count = blocks[g, layout.B_ROWS]
        at = _call(problem, frames, g, given, 0.0, count)
        given += blocks[g, layout.B_VALUES]
        unit, square = unit_of(problem, g), 0.0
        padded = 3 * ((count + 2) // 3)
        for i in range(padded):
            value = errors[at + i] if i < count else 0.0
            square += value * value
            frames.residual[blocks[g, layout.B_ROW] + i] = unit * value
        for h in range(g, g + padded // 3):
            errors[h] = math.sqrt(square)
        cost += 0.5 * unit * unit * square
    return cost


@inlined
def derivatives(problem, frames, g, given):
    """The derivatives of the goal of block g, as one flat array; its values begin at `given`."""
    size = FRAME_FREEDOMS * problem.blocks[g, layout.B_FRAMES] * problem.blocks[g, layout.B_ROWS]
    return part(frames.errors, _fill_derivatives(problem, frames, g, given, size), size)


@kernel
def _fill_derivatives(problem, frames, g, given, size):
    """Have the goal of block g fill its derivatives; returns their first index in the errors.

    If one is NaN or infinite the goal's error becomes NaN, so that the report shows it.
    """
    at = _call(problem, frames, g, given, FRAME_STEP * problem.length, size)
    for i in range(at, at + size):
        if not math.isfinite(frames.errors[i]):
            frames.errors[g] = math.nan
    return at
