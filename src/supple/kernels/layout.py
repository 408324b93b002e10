"""Columns of the packed arrays that kernels work on.

Kernels take a few flat arrays, never objects. This file names every column once, for the Python code that
packs and for the kernels that read. Units: radians, and the model's length unit.
"""

# How a joint moves, its KIND: the sum of its parts. It has up to three scalar coordinates, slides first and then
# angles, each with its own axis; then possibly a quaternion.
SLIDE, ANGLE, QUATERNION = 1, 4, 16
SWING_TWIST = 32  # the quaternion has limits of swing and twist about the axis AXIS
LETTERS = 64  # the angles are about coordinate axes x, y, z, given by ORDER
QUADRANTS = 128  # the swing has four half-angles, TILTS, and AXIS also holds the direction of up
SLIDES = 3  # the bits of a kind that count its slides

# Kinds that have a fast path or a closed form somewhere. Any other sum is a valid joint, too.
FIXED = 0
HINGE, SLIDER, BALL, CONE = ANGLE, SLIDE, QUATERNION, QUATERNION + SWING_TWIST
CONE_BY_QUADRANTS = CONE + QUADRANTS

# A joint's integer row.
PARENT, KIND, Q, NQ, ORDER, FROZEN, STRETCH_Q, DOF, NDOF, MIMIC, STRETCH_DOF = range(11)
JOINT_INTS = 11

# A joint's float row: first column of each field.
REST = 0  # wxyz, rest rotation in the parent's frame
# A unit axis for each scalar coordinate, in the joint's rest frame; swing and twist: the axis, then up.
AXIS = 4
# Limits lo0, hi0, lo1, hi1, lo2, hi2 of these; swing and twist: 0, greatest swing, lo, hi.
LIMITS = 13
DAMPING = 19  # greatest change per iteration, inf if none
WEIGHT = 20  # 1 - stiffness
STRETCH_LO, STRETCH_HI = 21, 22
MIMIC_MUL, MIMIC_ADD = 23, 24
OFFSET = 25  # xyz, origin in the parent's frame at rest
WINDOW = 28  # half-width of the window that restarts search in an angle without limits [rad]; negative: and around 0
TILTS = 29  # half-angles down, up, left, right of a swing by quadrants [rad]; 0 for others
JOINT_FLOATS = 33

# The header of a problem's integers.
(
    H_ACTIVE,  # joints in the chain of an effector
    H_MOVING,  # of these, the joints this solve may move
    H_DOFS,  # their freedoms
    H_BLOCKS,  # goal blocks (see below)
    H_ROWS,  # residual rows of the primary blocks
    H_COORDS,  # coordinates of a whole pose
    H_TARGETS,  # floats in the targets of one problem
    H_OPTIONS,  # solver options
    H_REST,  # 1 if a rest posture is asked for
    H_POLES,  # how many pole blocks
    H_KEEP,  # 1: give the start back when the goals are out of reach
    H_POINTS,  # points on bones: ends of capsules, centres of mass, soles
    H_CAPSULES,
    H_PAIRS,  # pairs of capsules that may not overlap
    H_OBSTACLES,
    H_SOLES,  # points that stand on the ground, 0 if balance is not asked for
    H_TABLES,  # gaps of bones as tables over one or two coordinates
    H_GAPS,  # floats in all tables
    H_FRAMES,  # blocks that are frames of custom goals
    H_TREE,  # 1: steps are found on the tree (`supple.kernels.tree_factor`), without a dense Jacobian
    H_BORDER,  # freedoms in the border of that tree
    H_SPANS,  # spans, each with a carrier
    H_HULLS,  # points of the hulls in capsules
) = range(23)
HEADER_INTS = 23

# An active joint's integer row (its floats are the joint's float row).
A_PARENT, A_MOVE, A_KIND, A_Q, A_STRETCH_Q = range(5)
ACTIVE_INTS = 5

# A moving joint's integer row (its floats are the joint's float row).
(
    M_ACTIVE,
    M_PARENT,
    M_KIND,
    M_Q,
    M_NQ,
    M_ORDER,
    M_FROZEN,  # a bit for each scalar coordinate that does not move
    M_STRETCH_Q,  # the coordinate of its stretch factor, -1 if this solve does not free it
    M_DOF,
    M_NDOF,  # without the stretch
    M_STRETCH_DOF,
    M_MIMIC,  # the moving joint it copies, or -1
    M_JOINT,  # index in the skeleton
) = range(13)
MOVING_INTS = 13

HARD = 10.0  # how much stronger loops and constraints pull than goals

# Goal block kinds. A pole and a carrier have no residual rows. The target of MEET, ALIGN and WATCH moves: it is the
# effector of another block, a carrier. SPAN asks for a given vector from a carrier. The last three are rows of custom
# goals, by their unit.
POSITION, ORIENTATION, LOOKAT, POLE, MEET, ALIGN, WATCH, CARRIER = range(8)
SPAN = 8
OWN_LENGTH, OWN_ANGLE, OWN_NUMBER = range(9, 12)
OWN = OWN_LENGTH  # kinds from here on are rows of custom goals

# A goal block's integer row.
(
    B_KIND,
    B_JOINT,  # active joint carrying the effector
    B_MOVE,  # its nearest moving joint at or above, -1 if nothing moves it
    B_ROW,  # first residual row; -1 for secondary blocks
    B_TARGET,  # first column in the targets
    B_GOAL,  # index in the user's list of goals
    B_HELD,  # 1: the target is the effector's own pose at the start
    B_ROOT,  # pole: moving joint at the chain's root
    B_REACH,  # pole: the position block it serves
    B_CARRIER,  # the block whose effector is the target, -1 if that does not move
    B_HARD,  # 1: it closes a loop, which comes before all other goals
    B_FUNCTION,  # first block of a custom goal: address of its function, in this process; else 0
    B_ROWS,  # ... how many residual rows that fills; its other blocks follow
    B_FRAME,  # ... the carrier of its first frame; those of others follow
    B_FRAMES,  # ... how many frames
    B_VALUES,  # ... how many floats it is given, from B_TARGET on
) = range(16)
BLOCK_INTS = 16

# A goal block's float row.
B_ROTATION = 0  # wxyz, effector frame in the joint's frame
B_AXIS = 4  # xyz, look direction in the effector's frame
B_WEIGHT = 7  # square root of the goal's weight
B_TOLERANCE = 8  # length or radians
BLOCK_FLOATS = 9

# The head of a problem's floats.
F_LENGTH = 0  # characteristic length: the longest chain of any goal
F_RADIAN = 1  # weight of one radian of orientation error, in characteristic lengths
F_REST = 2  # weight of the rest posture
F_MARGIN = 3  # the least distance of capsules from each other and from obstacles
F_BALANCE = 4  # the least distance of the centre of mass from the edges of the support
F_UP = 5  # xyz, away from the ground
HEADER_FLOATS = 8

# A point on a bone: the active joint that carries it, -1 for the world, and its nearest moving joint at
# or above, -1 if nothing moves it. Its float is its mass.
P_JOINT, P_MOVE = range(2)
POINT_INTS = 2

# A capsule: the points at its ends; and, if it bounds the hull of some points, the first of these and how many, 0 if
# it is the shape itself. Its floats: radius, half its length, and the radius that thickens the hull. Points of hulls
# are in the frame of the capsule's joint, moved to the capsule's first end.
C_A, C_B, C_FIRST, C_COUNT = range(4)
CAPSULE_INTS = 4
C_RADIUS, C_HALF, C_ROUND = range(3)
CAPSULE_FLOATS = 3
HULL_FLOATS = 3

# A pair that may not overlap: a capsule, and another one or an obstacle (-1 - its number).
PAIR_INTS = 2

# A table of the gap between two bones: its first entry, and for each of its two axes the coordinate, the
# freedom that moves it, -1 if none does, and how many steps the grid has. Its floats, for each axis: the
# coordinate where the grid begins, its steps per unit of the coordinate, 1 if it is periodic over a full turn,
# and how far a unit of the freedom moves the coordinate.
T_FIRST, T_AXES = range(2)
T_COORDINATE, T_DOF, T_STEPS = range(3)
AXIS_INTS = 3
TABLE_INTS = 1 + 2 * AXIS_INTS
T_LOW, T_RATE, T_TURN, T_UNIT = range(4)
AXIS_FLOATS = 4
TABLE_FLOATS = 2 * AXIS_FLOATS

# An obstacle: a solid box, given by its half sizes and its pose in world; or the half space below a plane.
O_CENTER = 0  # xyz, of a plane a point on it
O_ROTATION = 3  # wxyz; a plane's normal is z
O_HALF = 7  # xyz, half sizes; all 0: a plane
OBSTACLE_FLOATS = 10

# A moving joint's state row (workspace).
S_PRE = 0  # wxyz, rotation from the moving parent to just before this joint
S_P0 = 4  # xyz, origin in the moving parent's frame, the part that does not stretch
S_P1 = 7  # xyz, the part multiplied by the parent's stretch
S_WPRE = 10  # wxyz, world rotation just before the joint
S_W = 14  # wxyz, world rotation of the joint
S_POS = 18  # xyz, world origin
STATE = 21

# An effector's state row (workspace).
E_P0 = 0
E_P1 = 3
E_ROT = 6
E_POS = 10
E_WROT = 13
E_TARGET = 17  # xyz or wxyz
EFFECTOR = 21

# What a solve reports after the coordinates, one row per solve.
(
    O_STOP,  # why the solver stopped
    O_STATUS,
    O_ITERATIONS,
    O_ERROR,  # largest distance of the counted goals
    O_TURN_ERROR,  # largest angle of the counted goals
    O_RESTARTS,
    O_TRACE,  # trace rows written
    O_EVENTS,  # events written
    O_COST,  # half the weighted sum of squares, in characteristic lengths
    O_BLOCK,  # the position block that is too far or too near, -1 if none
    O_REACH,  # the greatest or least distance its chain can reach
    O_GAP,  # how far its target is from the base of its chain
    O_OPEN,  # the block of the loop that is open the widest, -1 if all are closed
    O_PAIR,  # the pair that is deepest inside its margin, or with STOP_HELD the one in the way, -1 if there is none
    O_DEPTH,  # how deep, in model units
    O_TOPPLE,  # how far the centre of mass is outside its support and margin, 0 if it is inside
) = range(16)
REPORT = 16

# Why a solver stopped.
STOP_REACHED, STOP_STALLED, STOP_BUDGET = range(3)
STOP_HURRIED = 3  # limits of speed or acceleration cut this tick short
STOP_HELD = 4  # Avoid or Balance keeps the goals from coming closer: O_PAIR, -1 if it is Balance

# Statuses, the values of supple.Status.
REACHED, TOO_FAR, TOO_NEAR, LIMITED, STALLED, BUDGET, OPEN_LOOP, COLLIDES, UNBALANCED = range(9)

# An event: what a step inside an iteration did to one joint.
V_ITERATION, V_KIND, V_JOINT, V_CHANGE = range(4)
EVENT = 10  # V_CHANGE is followed by six more columns
TURNED, PLACED = range(2)  # joint coordinates changed by a tangent vector; joint put at a point
