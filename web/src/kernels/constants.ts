// Written by `python -m supple.apps.viewer.typescript_kernels`; change src/supple/kernels/layout.py, src/supple/solve/outcome.py, lowered.py or src/supple/apps/viewer/limits.py.

/** The first bytes of a lowered problem. */
export const SIGNATURE = "SUPPLEIK";
export const VERSION = 1;

/** Problems of another stamp are packed by other columns. */
export const LAYOUT = "9c4dff4374f6af3c";

/** A later solver's answer that is not reached must cost less than this fraction. */
export const BETTER = 0.999999;

/** Greatest distance to a limit that counts as being at it [rad, or model units]. */
export const AT_LIMIT = 0.002;

/** What entries take: a letter and, for an array, its number of axes. */
export const SOLVE = "i1 f1 f3 f2 f2 f2 f1 f2 f2 i i";
export const SIGNATURES = {
  "kernels.forward.forward_batch": "i2 f2 i1 f2 f2 f2 f3 f3 f3 f3 f4",
  "kernels.forward.local_batch": "i2 f2 f2 f3 f3 f3",
  "kernels.forward.scale_offsets": "i2 f3 f3 -> i",
  "kernels.skinning.blend_range": "f3 i1 i1 f1 f2 f2 i i f3 f3",
  "kernels.skinning.dual_range": "f3 f3 i1 i1 f1 f2 f2 i i f3 f3",
} as const;

// Vertices in a row of work of skinning.
export const SKINNING_BLOCK = 256;

// A joint's integer row.
export const KIND = 1;
export const Q = 2;
export const NQ = 3;
export const STRETCH_Q = 6;
export const MIMIC = 9;
export const JOINT_INTS = 11;

// A joint's float row.
export const LIMITS = 13;
export const AXIS = 4;
export const MIMIC_MUL = 23;
export const MIMIC_ADD = 24;
export const TILTS = 29;
export const JOINT_FLOATS = 33;

// Bits of a joint's kind.
export const SLIDES = 3;
export const ANGLE = 4;
export const QUATERNION = 16;
export const SWING_TWIST = 32;
export const QUADRANTS = 128;

// A step of a trace.
export const V_ITERATION = 0;
export const V_KIND = 1;
export const V_JOINT = 2;
export const V_CHANGE = 3;
export const EVENT = 10;
export const PLACED = 1;

// Why a solver stopped.
export const STOP_HELD = 4;

// Statuses.
export const REACHED = 0;
export const TOO_FAR = 1;
export const TOO_NEAR = 2;
export const LIMITED = 3;
export const STALLED = 4;
export const BUDGET = 5;
export const OPEN_LOOP = 6;
export const COLLIDES = 7;
export const UNBALANCED = 8;

/** Statuses in words, by their numbers. */
export const STATUS_WORDS = ["reached", "too far", "too near", "limited", "stalled", "budget", "open loop", "collides", "unbalanced"] as const;

/** Why a solve ended, in words. */
export const REASONS = {
  position: "{effector} is {error} from its target",
  orientation: "{effector} is {error} rad from its orientation",
  direction: "{effector} looks {error} rad past its target",
  meeting: "{effector} are {error} apart",
  alignment: "{effector} are turned {error} rad from each other",
  unasked: "nothing is asked for",
  span: "{effector} is {error} from its vector",
  open_loop: "a loop is open: {opening}; {miss}",
  collides: "{a} and {b} are {depth} nearer than they may be; {miss}",
  unbalanced: "the centre of mass is {topple} outside its support; {miss}",
  kept: "{miss}; the start pose is kept",
  unmoved: "no free joint moves {effector}; {miss}",
  too_far: "the target of {effector} is {distance} from where its chain begins, which reaches no farther than {reach}; {miss}",
  too_near: "the target of {effector} is {distance} from where its chain begins, which reaches no nearer than {reach}; {miss}",
  limited: "the limits of {joints} are in the way; {miss}",
  held: "{a} and {b} must keep apart, which is in the way; {miss}",
  held_by_balance: "balance is in the way; {miss}",
  hurried: "the speed and acceleration limits of {joints} are in the way; {miss}",
  stalled: "no small change of the free joints helps; {miss}",
  budget_of_one: "1 iteration was not enough for a tolerance of {tolerance}; {miss}",
  budget: "{iterations} iterations were not enough for a tolerance of {tolerance}; {miss}",
  root_still: "{reason}; the root {root} is kept still, and free_root=True lets it move",
  root_moved: "{reason}; the root {root} moved by {distance}",
} as const;
