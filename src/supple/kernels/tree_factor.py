"""Damped least squares on a branching tree in time linear in its joints and goals, without a Jacobian matrix.

A step minimises |J delta - e|^2 + damping * sum(delta^2 / weight). A block of residual rows sees the freedoms
only through the twist (linear and angular velocity) of the joint that carries its effector, and a joint's twist
is that of its parent plus what its own freedoms add. So the normal equations have the shape of a tree, and are
solved like the motion of a branched mechanism by articulated bodies (Featherstone 1983, "The calculation of
robot dynamics using articulated-body inertias"). From the leaves to the roots every joint gets the 6 x 6 matrix
of the cost of all that it carries, as a function of its twist, and its freedoms are eliminated from that matrix one
by one. From the roots to the leaves the twists and the freedoms are then recovered. Featherstone's inertias are
here sums of a a^T over residual rows a, his forces are residuals, and damping / weight is the inertia of a rotor.

A stretch moves the children of its joint differently, each along its own bone: it is one more unknown beside
the twist until it is eliminated.

Some freedoms move blocks that are not below them: those of joints that others copy, and those of loops. They do
not fit the tree and form its *border*: the tree is solved for each of them, and a small dense system remains
(block elimination; the border comes last).

Twists and wrenches are about the joint's origin, in world directions: three linear components, then three angular
ones. `linear.tree` is their memory, `tree_of` names its parts, and `supple.kernels.jacobian.linearize` fills
those that depend on the pose.
"""

from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel, leaf
from supple.kernels.linear_algebra import factor, solve_factored
from supple.kernels.workspace import grid, row_at

# Columns of `Tree.joints`: the vector from the parent's origin to the joint's, and its derivative by the parent's
# stretch; of the 7 x 7 matrix of the cost of all that the joint carries, by its twist and stretch, the column of the
# stretch; a wrench and the force on the stretch; a twist; the 6 x 6 matrix of the twist, row by row.
ARM, PER_STRETCH, COUPLING, WRENCH, TWIST, COST = 0, 3, 6, 13, 20, 26
JOINT = 62
# Columns of `Tree.rows`: the derivative of the row by the twist of the block's joint, and by its stretch.
BY_STRETCH = 6
ROW = 7
# Columns of `Tree.motions`: the motion of a freedom, and 0 if it slides, 3 if it turns.
SLIDES_OR_TURNS = 3
MOTION = 4
# Columns of `Tree.freedoms`: matrix times motion, the pivot, the right side at the elimination.
ACROSS, PIVOT, SIDE = 0, 6, 7
FREEDOM = 8
# Rows of `Tree.by_row` and `Tree.by_freedom`. Rows for the border follow: in the first its columns of J, in the
# second its columns of J^T J, and then the solutions of the tree for these.
CHANGE, RESIDUAL = range(2)  # J delta; the rows that count, with loops
INNER, PULL, SPARE = range(3)  # `free` of the last factors, 0 in the border; J^T of the residual
ROWS_BEFORE, FREEDOMS_BEFORE = 2, 3


class Tree(NamedTuple):
    """The linear problem as a tree, and the buffers to solve it."""

    moving: Any  # (M, MOVING_INTS) those of the problem
    blocks: Any  # (G, BLOCK_INTS)
    border: Any  # (B,)
    joints: Any  # (M, JOINT)
    motions: Any  # (D + M, MOTION) of the freedoms, then of the mimic joints
    rows: Any  # (E R, ROW) of the blocks' own ends; then, if there are carriers, of these
    freedoms: Any  # (D, FREEDOM)
    by_row: Any  # (ROWS_BEFORE + B, R)
    by_freedom: Any  # (FREEDOMS_BEFORE + 2 B, D)
    small: Any  # (B + 1, B) the factored system of the border, and its right side


@leaf
def tree_size(problem):
    """How many floats a tree takes."""
    nm, nd, nr = problem.moving.shape[0], problem.freedoms, problem.rows
    nb, ends = problem.border.shape[0], 2 if problem.has_carriers else 1
    each = JOINT * nm + MOTION * (nd + nm) + ROW * ends * nr + FREEDOM * nd
    return each + (ROWS_BEFORE + nb) * nr + (FREEDOMS_BEFORE + 2 * nb) * nd + (nb + 1) * nb


@leaf
def uses_tree(linear):
    """True if the linear problem is a tree, and has no matrix of columns."""
    return linear.tree.shape[0] > 0


@kernel
def tree_of(problem, linear):
    """The tree of a linear problem that is one."""
    nm, nd, nr = problem.moving.shape[0], problem.freedoms, problem.rows
    nb, ends = problem.border.shape[0], 2 if problem.has_carriers else 1
    motions = JOINT * nm
    rows = motions + MOTION * (nd + nm)
    freedoms = rows + ROW * ends * nr
    by_row = freedoms + FREEDOM * nd
    by_freedom = by_row + (ROWS_BEFORE + nb) * nr
    small = by_freedom + (FREEDOMS_BEFORE + 2 * nb) * nd
    return Tree(
        problem.moving,
        problem.blocks,
        problem.border,
        grid(linear.tree, 0, nm, JOINT),
        grid(linear.tree, motions, nd + nm, MOTION),
        grid(linear.tree, rows, ends * nr, ROW),
        grid(linear.tree, freedoms, nd, FREEDOM),
        grid(linear.tree, by_row, ROWS_BEFORE + nb, nr),
        grid(linear.tree, by_freedom, FREEDOMS_BEFORE + 2 * nb, nd),
        grid(linear.tree, small, nb + 1, nb),
    )


# Freedoms, and the ends of blocks -------------------------------------------------------------------


@leaf
def _freedom(tree, k, i):
    """Freedom i of joint k, not its stretch: its index, 0 if it slides or 3 if it turns, and its motion.

    The index of a mimic joint's is that of the freedom it copies.
    """
    moving = tree.moving
    source = moving[k, layout.M_MIMIC]
    d = moving[k if source < 0 else source, layout.M_DOF] + i
    n = d if source < 0 else tree.freedoms.shape[0] + k
    return d, int(tree.motions[n, SLIDES_OR_TURNS]), quat.load3(tree.motions, n, 0)


@leaf
def _end(tree, g, which):
    """The moving joint of an end of block g, 0 its own, 1 its carrier's; -1 if it has none or no rows."""
    blocks = tree.blocks
    if blocks[g, layout.B_ROW] < 0:
        return -1
    if which == 0:
        return blocks[g, layout.B_MOVE]
    carrier = blocks[g, layout.B_CARRIER]
    return blocks[carrier, layout.B_MOVE] if carrier >= 0 else -1


# J^T y and J delta ----------------------------------------------------------------------------------


@kernel
def pulled(tree, y, out):
    """Fill out, shape (D,), with J^T y: how much the rows y, shape (R,), pull on each freedom."""
    moving, joints, rows, size = tree.moving, tree.joints, tree.rows, y.shape[0]
    _clear_wrenches(tree)
    for d in range(out.shape[0]):
        out[d] = 0.0
    for which in range(rows.shape[0] // size):
        for g in range(tree.blocks.shape[0]):
            k = _end(tree, g, which)
            if k >= 0:
                row = tree.blocks[g, layout.B_ROW]
                for r in range(row, row + 3):
                    for i in range(ROW):
                        joints[k, WRENCH + i] += y[r] * rows[which * size + r, i]
    for k in range(moving.shape[0] - 1, -1, -1):
        for i in range(moving[k, layout.M_NDOF]):
            d, first, motion = _freedom(tree, k, i)
            out[d] += quat.dot(motion, quat.load3(joints, k, WRENCH + first))
        if moving[k, layout.M_STRETCH_DOF] >= 0:
            out[moving[k, layout.M_STRETCH_DOF]] = joints[k, WRENCH + BY_STRETCH]
        _hand_up_wrench(tree, k)


@kernel
def _clear_wrenches(tree):
    for k in range(tree.joints.shape[0]):
        for i in range(WRENCH, TWIST):
            tree.joints[k, i] = 0.0


@kernel
def _hand_up_wrench(tree, k):
    """Add the wrench on joint k to that on its parent, and its force on the parent's stretch."""
    joints, parent = tree.joints, tree.moving[k, layout.M_PARENT]
    if parent < 0:
        return
    force = quat.load3(joints, k, WRENCH)
    turn = quat.cross(quat.load3(joints, k, ARM), force)
    for i in range(3):
        joints[parent, WRENCH + i] += force[i]
        joints[parent, WRENCH + 3 + i] += joints[k, WRENCH + 3 + i] + turn[i]
    # 0 where the parent has no stretch.
    joints[parent, WRENCH + BY_STRETCH] += quat.dot(quat.load3(joints, k, PER_STRETCH), force)


@kernel
def changed_rows(tree, delta, out):
    """Fill out, shape (R,), with J delta: how much a step, shape (D,), shrinks each residual row."""
    joints, rows, size = tree.joints, tree.rows, out.shape[0]
    _spread(tree, delta, False)
    for r in range(size):
        out[r] = 0.0
    for which in range(rows.shape[0] // size):
        for g in range(tree.blocks.shape[0]):
            k = _end(tree, g, which)
            if k < 0:
                continue
            row, stretch = tree.blocks[g, layout.B_ROW], tree.moving[k, layout.M_STRETCH_DOF]
            for r in range(row, row + 3):
                for i in range(6):
                    out[r] += rows[which * size + r, i] * joints[k, TWIST + i]
                if stretch >= 0:
                    out[r] += rows[which * size + r, BY_STRETCH] * delta[stretch]


@kernel
def _spread(tree, delta, solving):
    """Fill the twists of all joints for a step, shape (D,); if `solving`, recover the step from the elimination."""
    moving, joints, inner = tree.moving, tree.joints, row_at(tree.by_freedom, INNER)
    for k in range(moving.shape[0]):
        parent = moving[k, layout.M_PARENT]
        slide, spin = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if parent >= 0:
            spin = quat.load3(joints, parent, TWIST + 3)
            turned = quat.cross(spin, quat.load3(joints, k, ARM))
            slide = quat.add(quat.load3(joints, parent, TWIST), turned)
            stretch = moving[parent, layout.M_STRETCH_DOF]
            if stretch >= 0:
                slide = quat.axpy(slide, delta[stretch], quat.load3(joints, k, PER_STRETCH))
        for i in range(moving[k, layout.M_NDOF]):
            d, first, motion = _freedom(tree, k, i)
            if solving:
                if moving[k, layout.M_MIMIC] >= 0:
                    continue  # the joint it copies is in the border
                delta[d] = _recovered(tree, d, slide, spin) if inner[d] > 0.0 else 0.0
            if first == 0:
                slide = quat.axpy(slide, delta[d], motion)
            else:
                spin = quat.axpy(spin, delta[d], motion)
        stretch = moving[k, layout.M_STRETCH_DOF]
        if solving and stretch >= 0:
            delta[stretch] = _recovered(tree, stretch, slide, spin) if inner[stretch] > 0.0 else 0.0
        quat.store3(joints, k, TWIST, slide)
        quat.store3(joints, k, TWIST + 3, spin)


@kernel
def _recovered(tree, d, slide, spin):
    """The value of an eliminated freedom once the twist of its joint before it is known."""
    known = quat.dot(quat.load3(tree.freedoms, d, ACROSS), slide)
    known += quat.dot(quat.load3(tree.freedoms, d, ACROSS + 3), spin)
    return (tree.freedoms[d, SIDE] - known) / tree.freedoms[d, PIVOT]


# The tree without its border ------------------------------------------------------------------------


@kernel
def _add_blocks(tree):
    """Fill the matrices of the joints with the cost of their blocks, except blocks with two ends."""
    blocks, joints, rows = tree.blocks, tree.joints, tree.rows
    for k in range(joints.shape[0]):
        for i in range(COUPLING, WRENCH):
            joints[k, i] = 0.0
        for i in range(COST, JOINT):
            joints[k, i] = 0.0
    for g in range(blocks.shape[0]):
        k = _end(tree, g, 0)
        if k < 0 or blocks[g, layout.B_CARRIER] >= 0:
            continue
        row = blocks[g, layout.B_ROW]
        for r in range(row, row + 3):
            for i in range(ROW):
                joints[k, COUPLING + i] += rows[r, BY_STRETCH] * rows[r, i]
            for i in range(6):
                for j in range(6):
                    joints[k, COST + 6 * i + j] += rows[r, i] * rows[r, j]


@kernel
def _hand_up_cost(tree, k):
    """Add the matrix of joint k, as a function of its parent's twist and stretch, to that of its parent.

    With r the arm, the twist (v, w) of the parent is (v + w x r, w) at joint k.
    """
    joints, parent = tree.joints, tree.moving[k, layout.M_PARENT]
    if parent < 0:
        return
    arm, way = quat.load3(joints, k, ARM), quat.load3(joints, k, PER_STRETCH)
    for i in range(6):
        at = COST + 6 * i
        linear = quat.load3(joints, k, at)
        turned = quat.cross(arm, linear)
        for j in range(3):
            joints[k, at + 3 + j] += turned[j]
        joints[k, COUPLING + i] = quat.dot(linear, way)
    joints[k, COUPLING + BY_STRETCH] = quat.dot(quat.load3(joints, k, COUPLING), way)
    # The columns: six of the matrix, and that of the parent's stretch, which is 0 if it has none.
    for j in range(7):
        at, step = (COST + j, 6) if j < 6 else (COUPLING, 1)
        top = (joints[k, at], joints[k, at + step], joints[k, at + 2 * step])
        turned = quat.cross(arm, top)
        for i in range(3):
            joints[parent, at + i * step] += top[i]
            joints[parent, at + (3 + i) * step] += joints[k, at + (3 + i) * step] + turned[i]
    joints[parent, COUPLING + BY_STRETCH] += joints[k, COUPLING + BY_STRETCH]


@kernel
def _eliminate(tree, k, d, damping):
    """Eliminate freedom d of joint k, whose column is known, from the joint's matrix; False if its pivot is not > 0.

    A freedom that is not free stays. With a negative damping all stay, and all pivots are squared columns of J.
    """
    freedoms, joints, weight = tree.freedoms, tree.joints, tree.by_freedom[INNER, d]
    if damping < 0.0 or weight == 0.0:
        return True
    freedoms[d, PIVOT] += damping / weight
    if not freedoms[d, PIVOT] > 0.0:
        return False
    inverse = 1.0 / freedoms[d, PIVOT]
    for i in range(6):
        x = freedoms[d, ACROSS + i] * inverse
        for j in range(6):
            joints[k, COST + 6 * i + j] -= x * freedoms[d, ACROSS + j]
    return True


@kernel
def _factor_inner(tree, damping):
    """Factor the tree without its border; False if a pivot is not positive. See `_eliminate` for the damping."""
    moving, joints, freedoms = tree.moving, tree.joints, tree.freedoms
    _add_blocks(tree)
    for k in range(moving.shape[0] - 1, -1, -1):
        stretch = moving[k, layout.M_STRETCH_DOF]
        if stretch >= 0:
            for i in range(7):
                freedoms[stretch, ACROSS + i] = joints[k, COUPLING + i]
            if not _eliminate(tree, k, stretch, damping):
                return False
        for i in range(moving[k, layout.M_NDOF] - 1, -1, -1):
            if moving[k, layout.M_MIMIC] >= 0:
                continue  # the joint it copies is in the border
            d, first, motion = _freedom(tree, k, i)
            for j in range(6):
                across = quat.load3(joints, k, COST + 6 * j + first)
                freedoms[d, ACROSS + j] = quat.dot(across, motion)
            freedoms[d, PIVOT] = quat.dot(quat.load3(freedoms, d, ACROSS + first), motion)
            if not _eliminate(tree, k, d, damping):
                return False
        _hand_up_cost(tree, k)
    return True


@kernel
def _solve_inner(tree, side, out):
    """Solve the tree without its border for a right side, shape (D,); 0 for the border. Both may be the same array."""
    moving, joints, freedoms = tree.moving, tree.joints, tree.freedoms
    _clear_wrenches(tree)
    for k in range(moving.shape[0] - 1, -1, -1):
        stretch = moving[k, layout.M_STRETCH_DOF]
        if stretch >= 0:
            freedoms[stretch, SIDE] = side[stretch] + joints[k, WRENCH + BY_STRETCH]
            _eliminate_side(tree, k, stretch)
        for i in range(moving[k, layout.M_NDOF] - 1, -1, -1):
            if moving[k, layout.M_MIMIC] < 0:
                d, first, motion = _freedom(tree, k, i)
                force = quat.load3(joints, k, WRENCH + first)
                freedoms[d, SIDE] = side[d] + quat.dot(motion, force)
                _eliminate_side(tree, k, d)
        _hand_up_wrench(tree, k)
    _spread(tree, out, True)


@kernel
def _eliminate_side(tree, k, d):
    """Eliminate freedom d of joint k, whose right side is known, from the joint's wrench, if it is free."""
    if tree.by_freedom[INNER, d] > 0.0:
        x = tree.freedoms[d, SIDE] / tree.freedoms[d, PIVOT]
        for i in range(6):
            tree.joints[k, WRENCH + i] -= x * tree.freedoms[d, ACROSS + i]


# The tree with its border ---------------------------------------------------------------------------


@kernel
def fill_border(tree):
    """Fill the columns of J and of J^T J of the freedoms in the border, at the present pose."""
    step = row_at(tree.by_freedom, SPARE)
    for n in range(tree.border.shape[0]):
        for d in range(step.shape[0]):
            step[d] = 0.0
        step[tree.border[n]] = 1.0
        changed_rows(tree, step, row_at(tree.by_row, ROWS_BEFORE + n))
        side = row_at(tree.by_freedom, FREEDOMS_BEFORE + n)
        pulled(tree, row_at(tree.by_row, ROWS_BEFORE + n), side)


@kernel
def factor_tree(tree, free, damping):
    """Factor J^T J + damping / free over the freedoms whose `free`, shape (D,), is not 0.

    False if a pivot is not positive.
    """
    border, inner, small = tree.border, row_at(tree.by_freedom, INNER), tree.small
    count, table = border.shape[0], tree.by_freedom
    for d in range(inner.shape[0]):
        inner[d] = free[d]
    for n in range(count):
        inner[border[n]] = 0.0
    if not _factor_inner(tree, damping):
        return False
    for n in range(count):
        side = row_at(table, FREEDOMS_BEFORE + n)
        _solve_inner(tree, side, row_at(table, FREEDOMS_BEFORE + count + n))
    for n in range(count):
        side, weight = row_at(table, FREEDOMS_BEFORE + n), free[border[n]]
        for m in range(n + 1):
            if weight == 0.0 or free[border[m]] == 0.0:
                small[n, m] = 1.0 if n == m else 0.0
                continue
            solved = row_at(table, FREEDOMS_BEFORE + count + m)
            small[n, m] = side[border[m]] + (damping / weight if n == m else 0.0)
            for d in range(side.shape[0]):
                small[n, m] -= side[d] * solved[d]
    return factor(small, count, small)


@kernel
def solve_tree(tree, free, side, out):
    """Fill out, shape (D,), with the solution for a right side, shape (D,), after `factor_tree`; 0 where `free` is."""
    _solve_inner(tree, side, out)
    border, count = tree.border, tree.border.shape[0]
    if count == 0:
        return
    left = row_at(tree.small, count)
    for n in range(count):
        solved = row_at(tree.by_freedom, FREEDOMS_BEFORE + count + n)
        left[n] = 0.0
        if free[border[n]] > 0.0:
            left[n] = side[border[n]]
            for d in range(out.shape[0]):
                left[n] -= solved[d] * side[d]
    solve_factored(tree.small, count, left, left)
    for n in range(count):
        solved = row_at(tree.by_freedom, FREEDOMS_BEFORE + count + n)
        for d in range(out.shape[0]):
            out[d] -= left[n] * solved[d]
        out[border[n]] = left[n]


@kernel
def column_squares(tree, out):
    """Fill out, shape (D,), with the squared length of each column of J."""
    _factor_inner(tree, -1.0)
    for d in range(out.shape[0]):
        out[d] = tree.freedoms[d, PIVOT]
    for n in range(tree.border.shape[0]):
        column, square = row_at(tree.by_row, ROWS_BEFORE + n), 0.0
        for r in range(column.shape[0]):
            square += column[r] * column[r]
        out[tree.border[n]] = square
