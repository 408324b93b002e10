"""Damped least squares on a branching tree in time linear in its joints and goals, without a Jacobian matrix.

A step minimises |J delta - e|^2 + damping * sum(delta^2 / weight). A block of residual rows sees the freedoms
only through the twist (linear and angular velocity) of the joint that carries its effector, and a joint's twist
is that of its parent plus what its own freedoms add. So the normal equations have the shape of a tree, and are
solved like the motion of a branched mechanism by articulated bodies (Featherstone 1983, "The calculation of
robot dynamics using articulated-body inertias"): from the leaves to the roots every joint gets the 6 x 6 matrix
of the cost of all that it carries, by its own twist, and its freedoms are eliminated from that one after the
other; from the roots to the leaves the twists follow, and with them the freedoms. Featherstone's inertias are
here sums of a a^T over residual rows a, his forces residuals, and damping / weight is the inertia of a rotor.

A stretch moves the children of its joint differently, each along its own bone: it is one more unknown beside
the twist until it is eliminated.

Freedoms that move blocks which are not below them, as those of joints that others copy and those of loops, do
not fit the tree. They are its *border*: the tree is solved for each of them, and a small dense system remains
(block elimination; the border comes last).

Twists and wrenches are about the joint's origin, in world directions: three linear numbers, then three angular
ones. `linear.tree` holds everything; `supple.kernels.jacobian.linearize` fills what the pose decides.
"""

from typing import Any, NamedTuple

from supple.kernels import layout
from supple.kernels import quaternion as quat
from supple.kernels.decorators import kernel, leaf
from supple.kernels.joint import slides
from supple.kernels.linear_algebra import factor, solve_factored
from supple.kernels.workspace import matrix, row_at, vector, zero_rows

# Columns of `Tree.arms`: the origin as seen from the parent's, where the parent's stretch moves it per unit, and
# how fast a mimic joint follows the freedom that it copies.
ARM, WAY, GAIN = 0, 3, 6
ARMS = 7
# Columns of `Tree.rows`: what a block's joint does to the row by its twist, and by its stretch.
BY_STRETCH = 6
ROW = 7
# Columns of `Tree.joints`: of the 7 x 7 matrix of twist and stretch the column of the stretch; a wrench and the
# force on the stretch; a twist.
COUPLING, WRENCH, TWIST = 0, 7, 14
JOINT = 20
# Columns of `Tree.freedoms`: matrix times axis, what it is divided by, the right side when it was eliminated.
ACROSS, PIVOT, SIDE = 0, 6, 7
FREEDOM = 8


class Tree(NamedTuple):
    """The linear problem as a tree, and the buffers to solve it. All empty where the dense Jacobian is used."""

    arms: Any  # (M, ARMS)
    rows: Any  # (E R, ROW) of the blocks' own ends; then, if there are carriers, of these
    cost: Any  # (6 M, 6) what all that a joint carries costs, by its twist
    joints: Any  # (M, JOINT)
    freedoms: Any  # (D, FREEDOM)
    inner: Any  # (D,) `free` of the last factors, 0 in the border
    pull: Any  # (D,) J^T of the residual
    change: Any  # (R,) J delta
    residual: Any  # (R,) the rows that count, with loops
    spare: Any  # (D,)
    columns: Any  # (B, R) of the border: J
    sides: Any  # (B, D) ... J^T J
    solved: Any  # (B, D) ... and that, solved inside the border
    small: Any  # (B, B) the factored system of the border
    left: Any  # (B,) its right side


@leaf
def take_tree(problem, work, used):
    """Buffers for a tree; empty if not used."""
    nm = problem.moving.shape[0] if used else 0
    nd, nr = (problem.freedoms, problem.rows) if used else (0, 0)
    nb = problem.border.shape[0] if used else 0
    ends = 2 if problem.has_carriers else 1
    return Tree(
        matrix(work, nm, ARMS),
        matrix(work, ends * nr, ROW),
        matrix(work, 6 * nm, 6),
        matrix(work, nm, JOINT),
        matrix(work, nd, FREEDOM),
        vector(work, nd),
        vector(work, nd),
        vector(work, nr),
        vector(work, nr if problem.has_carriers else 0),
        vector(work, nd),
        matrix(work, nb, nr),
        matrix(work, nb, nd),
        matrix(work, nb, nd),
        matrix(work, nb, nb),
        vector(work, nb),
    )


@leaf
def uses_tree(linear):
    """True if the linear problem is a tree, and has no matrix of columns."""
    return linear.tree.arms.shape[0] > 0


# What a freedom is ----------------------------------------------------------------------------------


@leaf
def _freedom(problem, linear, k, i):
    """Freedom i of joint k without its stretch: its number, 0 if it slides and 3 if it turns, and its motion.

    That of a mimic joint is the freedom that it copies.
    """
    moving = problem.moving
    source = moving[k, layout.M_MIMIC]
    part = 0 if slides(moving[k, layout.M_KIND], i) else 3
    d = moving[k if source < 0 else source, layout.M_DOF] + i
    motion = quat.load3(linear.axes, d if source < 0 else problem.freedoms + k, 0)
    if part == 0:
        motion = quat.scale(motion, problem.length)
    if source >= 0:
        motion = quat.scale(motion, linear.tree.arms[k, GAIN])
    return d, part, motion


@leaf
def _own_freedoms(problem, k):
    """How many freedoms joint k has without its stretch, none if it copies another."""
    return problem.moving[k, layout.M_NDOF] if problem.moving[k, layout.M_MIMIC] < 0 else 0


@leaf
def _end(problem, g, which):
    """The moving joint of an end of block g: 0 its own, 1 that of its carrier; -1 if there is none."""
    blocks = problem.blocks
    if which == 0:
        return blocks[g, layout.B_MOVE]
    carrier = blocks[g, layout.B_CARRIER]
    return blocks[carrier, layout.B_MOVE] if carrier >= 0 else -1


@leaf
def _twist_above(problem, tree, k, delta):
    """Linear and angular part of the twist of joint k about its origin, as its parent moves it."""
    parent = problem.moving[k, layout.M_PARENT]
    if parent < 0:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    spin = quat.load3(tree.joints, parent, TWIST + 3)
    slide = quat.add(
        quat.load3(tree.joints, parent, TWIST), quat.cross(spin, quat.load3(tree.arms, k, ARM))
    )
    stretch = problem.moving[parent, layout.M_STRETCH_DOF]
    if stretch >= 0:
        slide = quat.axpy(slide, delta[stretch], quat.load3(tree.arms, k, WAY))
    return slide, spin


# J^T y and J delta ----------------------------------------------------------------------------------


@kernel
def pulled(problem, linear, y, out):
    """Fill out, shape (D,), with J^T y: how much the rows y, shape (R,), pull on each freedom."""
    moving, blocks, tree = problem.moving, problem.blocks, linear.tree
    joints, rows = tree.joints, tree.rows
    for k in range(moving.shape[0]):
        for i in range(WRENCH, TWIST):
            joints[k, i] = 0.0
    for d in range(problem.freedoms):
        out[d] = 0.0
    for which in range(rows.shape[0] // problem.rows):
        first = which * problem.rows
        for g in range(blocks.shape[0]):
            row, k = blocks[g, layout.B_ROW], _end(problem, g, which)
            if row < 0 or k < 0:
                continue
            for r in range(row, row + 3):
                for i in range(ROW):
                    joints[k, WRENCH + i] += y[r] * rows[first + r, i]
    for k in range(moving.shape[0] - 1, -1, -1):
        for i in range(moving[k, layout.M_NDOF]):
            d, part, motion = _freedom(problem, linear, k, i)
            out[d] += quat.dot(motion, quat.load3(joints, k, WRENCH + part))
        if moving[k, layout.M_STRETCH_DOF] >= 0:
            out[moving[k, layout.M_STRETCH_DOF]] = joints[k, WRENCH + BY_STRETCH]
        _hand_up_wrench(problem, tree, k)


@leaf
def _hand_up_wrench(problem, tree, k):
    """Add the wrench on joint k to that on its parent, and what it does to the parent's stretch."""
    parent = problem.moving[k, layout.M_PARENT]
    if parent < 0:
        return
    joints = tree.joints
    force = quat.load3(joints, k, WRENCH)
    turn = quat.add(
        quat.load3(joints, k, WRENCH + 3), quat.cross(quat.load3(tree.arms, k, ARM), force)
    )
    quat.store3(joints, parent, WRENCH, quat.add(quat.load3(joints, parent, WRENCH), force))
    quat.store3(joints, parent, WRENCH + 3, quat.add(quat.load3(joints, parent, WRENCH + 3), turn))
    if problem.moving[parent, layout.M_STRETCH_DOF] >= 0:
        joints[parent, WRENCH + BY_STRETCH] += quat.dot(quat.load3(tree.arms, k, WAY), force)


@kernel
def changed_rows(problem, linear, delta, out):
    """Fill out, shape (R,), with J delta: by how much a step, shape (D,), lets each residual row shrink."""
    moving, blocks, tree = problem.moving, problem.blocks, linear.tree
    joints, rows = tree.joints, tree.rows
    for k in range(moving.shape[0]):
        slide, spin = _twist_above(problem, tree, k, delta)
        for i in range(moving[k, layout.M_NDOF]):
            d, part, motion = _freedom(problem, linear, k, i)
            if part == 0:
                slide = quat.axpy(slide, delta[d], motion)
            else:
                spin = quat.axpy(spin, delta[d], motion)
        quat.store3(joints, k, TWIST, slide)
        quat.store3(joints, k, TWIST + 3, spin)
    for r in range(problem.rows):
        out[r] = 0.0
    for which in range(rows.shape[0] // problem.rows):
        first = which * problem.rows
        for g in range(blocks.shape[0]):
            row, k = blocks[g, layout.B_ROW], _end(problem, g, which)
            if row < 0 or k < 0:
                continue
            stretch = moving[k, layout.M_STRETCH_DOF]
            for r in range(row, row + 3):
                s = 0.0
                for i in range(6):
                    s += rows[first + r, i] * joints[k, TWIST + i]
                if stretch >= 0:
                    s += rows[first + r, BY_STRETCH] * delta[stretch]
                out[r] += s


# The factors ----------------------------------------------------------------------------------------


@leaf
def _add_blocks(problem, tree):
    """Fill the matrices of the joints with what the blocks at each of them cost, but for those of the border."""
    blocks, cost, joints, rows = problem.blocks, tree.cost, tree.joints, tree.rows
    zero_rows(cost)
    for k in range(joints.shape[0]):
        for i in range(COUPLING, WRENCH):
            joints[k, i] = 0.0
    for g in range(blocks.shape[0]):
        row, k = blocks[g, layout.B_ROW], blocks[g, layout.B_MOVE]
        if row < 0 or k < 0 or blocks[g, layout.B_CARRIER] >= 0:
            continue
        stretches = problem.moving[k, layout.M_STRETCH_DOF] >= 0
        for r in range(row, row + 3):
            for i in range(6):
                x = rows[r, i]
                for j in range(6):
                    cost[6 * k + i, j] += x * rows[r, j]
            if stretches:
                for i in range(ROW):
                    joints[k, COUPLING + i] += rows[r, BY_STRETCH] * rows[r, i]


@leaf
def _hand_up_cost(problem, tree, k):
    """Add the matrix of joint k, as a function of its parent's twist and stretch, to that of its parent.

    With r the arm, the twist (v, w) of the parent is (v + w x r, w) at joint k.
    """
    parent = problem.moving[k, layout.M_PARENT]
    if parent < 0:
        return
    cost, joints, at = tree.cost, tree.joints, 6 * k
    arm = quat.load3(tree.arms, k, ARM)
    if problem.moving[parent, layout.M_STRETCH_DOF] >= 0:
        way = quat.load3(tree.arms, k, WAY)
        force = (
            quat.dot(quat.load3(cost, at, 0), way),
            quat.dot(quat.load3(cost, at + 1, 0), way),
            quat.dot(quat.load3(cost, at + 2, 0), way),
        )
        turn = (
            quat.dot(quat.load3(cost, at + 3, 0), way),
            quat.dot(quat.load3(cost, at + 4, 0), way),
            quat.dot(quat.load3(cost, at + 5, 0), way),
        )
        turn = quat.add(turn, quat.cross(arm, force))
        for i in range(3):
            joints[parent, COUPLING + i] += force[i]
            joints[parent, COUPLING + 3 + i] += turn[i]
        joints[parent, COUPLING + BY_STRETCH] += quat.dot(way, force)
    for i in range(6):
        turn = quat.add(quat.load3(cost, at + i, 3), quat.cross(arm, quat.load3(cost, at + i, 0)))
        quat.store3(cost, at + i, 3, turn)
    up = 6 * parent
    for j in range(6):
        top = (cost[at, j], cost[at + 1, j], cost[at + 2, j])
        turn = quat.cross(arm, top)
        for i in range(3):
            cost[up + i, j] += top[i]
            cost[up + 3 + i, j] += cost[at + 3 + i, j] + turn[i]


@leaf
def _eliminate(tree, k, d):
    """Take freedom d of joint k, whose column and pivot are known, out of the joint's matrix."""
    cost, freedoms = tree.cost, tree.freedoms
    inverse = 1.0 / freedoms[d, PIVOT]
    for i in range(6):
        x = freedoms[d, ACROSS + i] * inverse
        for j in range(6):
            cost[6 * k + i, j] -= x * freedoms[d, ACROSS + j]


@kernel
def _factor_inner(problem, linear, damping):
    """Factor what is inside the border; False if a pivot is not positive."""
    moving, tree = problem.moving, linear.tree
    cost, joints, freedoms, free = tree.cost, tree.joints, tree.freedoms, tree.inner
    _add_blocks(problem, tree)
    for k in range(moving.shape[0] - 1, -1, -1):
        stretch = moving[k, layout.M_STRETCH_DOF]
        if stretch >= 0 and free[stretch] > 0.0:
            for i in range(6):
                freedoms[stretch, ACROSS + i] = joints[k, COUPLING + i]
            pivot = joints[k, COUPLING + BY_STRETCH] + damping / free[stretch]
            freedoms[stretch, PIVOT] = pivot
            if not pivot > 0.0:
                return False
            _eliminate(tree, k, stretch)
        for i in range(_own_freedoms(problem, k) - 1, -1, -1):
            d, part, motion = _freedom(problem, linear, k, i)
            if free[d] == 0.0:
                continue
            for j in range(6):
                freedoms[d, ACROSS + j] = quat.dot(quat.load3(cost, 6 * k + j, part), motion)
            pivot = quat.dot(quat.load3(freedoms, d, ACROSS + part), motion) + damping / free[d]
            freedoms[d, PIVOT] = pivot
            if not pivot > 0.0:
                return False
            _eliminate(tree, k, d)
        _hand_up_cost(problem, tree, k)
    return True


@kernel
def _solve_inner(problem, linear, side, out):
    """Solve what is inside the border; 0 elsewhere. The right side and the solution may be the same array."""
    moving, tree = problem.moving, linear.tree
    joints, freedoms, free = tree.joints, tree.freedoms, tree.inner
    for k in range(moving.shape[0]):
        for i in range(WRENCH, TWIST):
            joints[k, i] = 0.0
    for k in range(moving.shape[0] - 1, -1, -1):
        stretch = moving[k, layout.M_STRETCH_DOF]
        if stretch >= 0 and free[stretch] > 0.0:
            freedoms[stretch, SIDE] = side[stretch] + joints[k, WRENCH + BY_STRETCH]
            _eliminate_side(tree, k, stretch)
        for i in range(_own_freedoms(problem, k) - 1, -1, -1):
            d, part, motion = _freedom(problem, linear, k, i)
            if free[d] > 0.0:
                force = quat.load3(joints, k, WRENCH + part)
                freedoms[d, SIDE] = side[d] + quat.dot(motion, force)
                _eliminate_side(tree, k, d)
        _hand_up_wrench(problem, tree, k)
    for k in range(moving.shape[0]):
        slide, spin = _twist_above(problem, tree, k, out)
        for i in range(_own_freedoms(problem, k)):
            d, part, motion = _freedom(problem, linear, k, i)
            out[d] = 0.0
            if free[d] == 0.0:
                continue
            out[d] = _recovered(freedoms, d, slide, spin)
            if part == 0:
                slide = quat.axpy(slide, out[d], motion)
            else:
                spin = quat.axpy(spin, out[d], motion)
        stretch = moving[k, layout.M_STRETCH_DOF]
        if stretch >= 0:
            out[stretch] = 0.0
            if free[stretch] > 0.0:
                out[stretch] = _recovered(freedoms, stretch, slide, spin)
        quat.store3(joints, k, TWIST, slide)
        quat.store3(joints, k, TWIST + 3, spin)


@leaf
def _eliminate_side(tree, k, d):
    """Take freedom d of joint k, whose right side is known, out of the joint's wrench."""
    x = tree.freedoms[d, SIDE] / tree.freedoms[d, PIVOT]
    for i in range(6):
        tree.joints[k, WRENCH + i] -= x * tree.freedoms[d, ACROSS + i]


@leaf
def _recovered(freedoms, d, slide, spin):
    """The value of freedom d once the twist of its joint before it is known."""
    known = quat.dot(quat.load3(freedoms, d, ACROSS), slide)
    known += quat.dot(quat.load3(freedoms, d, ACROSS + 3), spin)
    return (freedoms[d, SIDE] - known) / freedoms[d, PIVOT]


# The border -----------------------------------------------------------------------------------------


@kernel
def fill_border(problem, linear):
    """Fill what the pose decides for the freedoms of the border: their columns of J and of J^T J."""
    tree, count = linear.tree, problem.border.shape[0]
    step = tree.spare
    for n in range(count):
        for d in range(problem.freedoms):
            step[d] = 0.0
        step[problem.border[n]] = 1.0
        changed_rows(problem, linear, step, row_at(tree.columns, n))
        pulled(problem, linear, row_at(tree.columns, n), row_at(tree.sides, n))


@kernel
def factor_tree(problem, linear, free, damping):
    """Factor J^T J + damping / free over the freedoms whose `free`, shape (D,), is not 0.

    False if a pivot is not positive.
    """
    tree, border = linear.tree, problem.border
    for d in range(problem.freedoms):
        tree.inner[d] = free[d]
    for n in range(border.shape[0]):
        tree.inner[border[n]] = 0.0
    if not _factor_inner(problem, linear, damping):
        return False
    for n in range(border.shape[0]):
        if free[border[n]] > 0.0:
            _solve_inner(problem, linear, row_at(tree.sides, n), row_at(tree.solved, n))
    for n in range(border.shape[0]):
        weight = free[border[n]]
        for m in range(n + 1):
            if weight == 0.0 or free[border[m]] == 0.0:
                tree.small[n, m] = 1.0 if n == m else 0.0
                continue
            s = tree.sides[n, border[m]] + (damping / weight if n == m else 0.0)
            for d in range(problem.freedoms):
                s -= tree.sides[n, d] * tree.solved[m, d]
            tree.small[n, m] = s
    return factor(tree.small, border.shape[0], tree.small)


@kernel
def solve_tree(problem, linear, free, side, out):
    """Fill out, shape (D,), with the solution of what was factored for a right side, shape (D,); 0 where `free` is."""
    tree, border = linear.tree, problem.border
    _solve_inner(problem, linear, side, out)
    count = border.shape[0]
    if count == 0:
        return
    left = tree.left
    for n in range(count):
        left[n] = 0.0
        if free[border[n]] > 0.0:
            left[n] = side[border[n]]
            for d in range(problem.freedoms):
                left[n] -= tree.solved[n, d] * side[d]
    solve_factored(tree.small, count, left, left)
    for n in range(count):
        if free[border[n]] > 0.0:
            for d in range(problem.freedoms):
                out[d] -= left[n] * tree.solved[n, d]
            out[border[n]] = left[n]


@kernel
def column_squares(problem, linear, out):
    """Fill out, shape (D,), with the squared length of each column of J."""
    moving, tree = problem.moving, linear.tree
    _add_blocks(problem, tree)
    for k in range(moving.shape[0] - 1, -1, -1):
        for i in range(_own_freedoms(problem, k)):
            d, part, motion = _freedom(problem, linear, k, i)
            at = 6 * k + part
            turned = (
                quat.dot(quat.load3(tree.cost, at, part), motion),
                quat.dot(quat.load3(tree.cost, at + 1, part), motion),
                quat.dot(quat.load3(tree.cost, at + 2, part), motion),
            )
            out[d] = quat.dot(turned, motion)
        if moving[k, layout.M_STRETCH_DOF] >= 0:
            out[moving[k, layout.M_STRETCH_DOF]] = tree.joints[k, COUPLING + BY_STRETCH]
        _hand_up_cost(problem, tree, k)
    for n in range(problem.border.shape[0]):
        column, square = row_at(tree.columns, n), 0.0
        for r in range(problem.rows):
            square += column[r] * column[r]
        out[problem.border[n]] = square
