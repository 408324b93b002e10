// Written by `python -m supple.apps.viewer.typescript`; change src/supple/apps/viewer/messages/.

export type GoalKind = "reach" | "pose" | "look" | "pole" | "hold" | "target";

export type LoopKind = "connect" | "weld";

export type AttributeKind = "number" | "flag" | "choice" | "text" | "color" | "numbers";

export type SaveFormat = "glb" | "bvh" | "smd" | "json" | "trace" | "page";

/** A solid box in the world, along its axes: its center, and its size from side to side. */
export interface BoxSetup {
  center: [number, number, number];
  size: [number, number, number];
}

/** Avoided collisions. */
export interface AvoidSetup {
  on: boolean;
  margin: number;
  ground: boolean;
  boxes: BoxSetup[];
}

/** Balance as a constraint. */
export interface BalanceSetup {
  on: boolean;
  margin: number;
  feet: string[];
}

/** Two bones that are held together at a point, or rigidly. */
export interface LoopSetup {
  kind: LoopKind;
  a: string;
  b: string;
  point_a: [number, number, number];
  point_b: [number, number, number];
  rotation: [number, number, number, number];
}

/** What is kept in every solve, before the goals. */
export interface BodiesSetup {
  avoid: AvoidSetup;
  balance: BalanceSetup;
  loops: LoopSetup[];
}

/** A capsule that stands for a bone: its joint's index, its ends in the joint's frame, its radius. */
export interface CapsuleInfo {
  joint: number;
  a: [number, number, number];
  b: [number, number, number];
  radius: number;
}

/** What a bone weighs [kg]: its joint's index, and the centre of mass in the joint's frame. */
export interface MassInfo {
  joint: number;
  mass: number;
  center: [number, number, number];
}

/** A point of a sole: the index of the joint that carries it, and its position in the joint's frame. */
export interface SoleInfo {
  joint: number;
  place: [number, number, number];
}

/** Changes to a joint; None keeps the value of the scene. */
export interface JointEdit {
  lock: boolean;
  damping: number | null;
  stiffness: number | null;
  limits: ([number | null, number | null] | null)[] | null;
  swing: number | null;
  tilts: [number, number, number, number] | null;
  twist: [number | null, number | null] | null;
}

/** A solver by name, with options that differ from its defaults. */
export interface SolverChoice {
  name: string;
  options: Record<string, boolean | number | string | null>;
}

/** A goal without its position. */
export interface GoalSetup {
  id: string;
  kind: GoalKind;
  effector: string;
  depth: number;
  axis: "x" | "y" | "z" | "-x" | "-y" | "-z";
  on: string;
  point: [number, number, number];
}

/** The position of a goal in world, and its orientation wxyz if it has one. */
export interface GoalPlace {
  id: string;
  position: [number, number, number];
  orientation: [number, number, number, number] | null;
}

/** A keyframe: its time [s] and the coordinates of the pose. */
export interface Key {
  time: number;
  coordinates: number[];
}

/** The settings to grow rules with; others are the rules' own. */
export interface Grown {
  start: string;
  seed: number;
  attributes: Record<string, boolean | number | string | number[]>;
  targets: Record<string, [number, number, number]>;
}

/** Everything a user can set that affects solving. */
export interface Setup {
  scene: string;
  links: number;
  lengths: number[] | null;
  flat: boolean;
  solver: SolverChoice;
  compare: SolverChoice | null;
  race: boolean;
  limits: boolean;
  damping: number | null;
  stretch: number | null;
  joints: Record<string, JointEdit>;
  goals: GoalSetup[];
  tolerance: number | null;
  unreachable: "approach" | "keep";
  start: "previous" | "rest";
  motion: string | null;
  correct: boolean;
  keys: Key[];
  grown: Grown;
  edits: Record<string, MotionEdits>;
  retarget: Retargeting | null;
  bodies: BodiesSetup | null;
}

/** What is changed in a motion before it plays. */
export interface MotionEdits {
  contacts: Record<string, [number, number][]> | null;
  plant: boolean;
  repair: boolean;
}

/** The motion of another scene, retargeted onto the body of this one. */
export interface Retargeting {
  source: string;
  motion: string;
  edits: MotionEdits;
  source_map: Record<string, string[]>;
  target_map: Record<string, string[]>;
}

/** Check the motion that plays; answered by `CheckReport`. */
export interface CheckWanted {
  type: "check";
}

/** How fast a foot slides while it stands, before and after planting [model units a second]. */
export interface SlideInfo {
  foot: string;
  before: number;
  after: number;
}

/** The contacts of the motion that plays. */
export interface ContactsInfo {
  frames: number;
  joints: Record<string, [number, number][]>;
  edited: boolean;
  slides: SlideInfo[];
}

/** The joints that play a part of the body; none where it has no such part. */
export interface RoleInfo {
  role: string;
  needed: boolean;
  source: string[];
  target: string[];
}

/** What retargeting made. */
export interface RetargetInfo {
  motion: string;
  source: string;
  roles: RoleInfo[];
  source_joints: string[];
  scale: number;
  seconds: number;
  frames: number;
  notes: string[];
}

/** A fault of a motion. */
export interface FaultInfo {
  kind: string;
  joint: number;
  label: string;
  start: number;
  stop: number;
  frame: number;
  value: string;
}

/** The faults of a kind. */
export interface FaultKind {
  kind: string;
  meaning: string;
  count: number;
  before: number | null;
  worst: string;
  reason: string;
}

/** What is wrong with a motion. */
export interface CheckReport {
  type: "checked";
  motion: string;
  frames: number;
  kinds: FaultKind[];
  faults: FaultInfo[];
  total: number;
  repaired: boolean;
}

/** The session has begun something that may take seconds; the answer to what it was asked ends it. */
export interface Working {
  type: "working";
  what: string;
}

/** The head of a packet with the source of a retargeted motion, to be drawn beside the target. */
export interface SourceHead {
  kind: "source";
  motion: string;
  title: string;
  parents: number[];
  duration: number;
}

/** The complete setup, sent after every change and after connecting. */
export interface SetupSent {
  type: "setup";
  seq: number;
  setup: Setup;
}

/** The positions of the goals, and the time; at most one per frame, only the latest is solved. */
export interface Want {
  type: "want";
  seq: number;
  revision: number;
  goals: GoalPlace[];
  time: number;
}

/** The pose that the page has solved for and shows, sent when it is at rest and before orders. */
export interface PoseShown {
  type: "shown";
  seq: number;
  revision: number;
  goals: GoalPlace[];
  time: number;
  coordinates: number[][];
}

/** Solve again with a trace, and send it. */
export interface TraceWanted {
  type: "trace";
  rest: boolean;
  quiet: boolean;
}

/** Send the poses after every step of an iteration of the trace. */
export interface StepsWanted {
  type: "steps";
  iteration: number;
}

/** Send the coordinates of the current pose, for a keyframe at a time [s]. */
export interface KeyWanted {
  type: "key";
  time: number;
}

/** Send the capsules and masses of the bones, to be drawn; answered by `Bodies`. */
export interface BodiesWanted {
  type: "bodies";
}

/** Return to the initial pose. */
export interface ResetWanted {
  type: "reset";
}

/** Send what is shown, as a file. */
export interface SaveWanted {
  type: "save";
  format: SaveFormat;
}

/** Check the connection; answered by `Pong`. */
export interface Ping {
  type: "ping";
}

/** An option of a solver: its name, kind, default, choices, and a line about it. */
export interface OptionInfo {
  name: string;
  kind: "number" | "whole" | "flag" | "choice";
  default: boolean | number | string | null;
  optional: boolean;
  choices: string[];
  about: string;
}

/** A solver: its name, a line about it, its options. */
export interface SolverInfo {
  name: string;
  about: string;
  options: OptionInfo[];
}

/** A scene that can be chosen. */
export interface SceneInfo {
  name: string;
  title: string;
}

/** The first message: available scenes, solvers and file formats. */
export interface Hello {
  type: "hello";
  version: string;
  scene: string;
  scenes: SceneInfo[];
  solvers: SolverInfo[];
  upload_limit: number;
  most_files: number;
  formats: string[];
  kernels: string;
}

/** A joint of the edited skeleton. */
export interface JointInfo {
  kind: string;
  labels: string[];
  limits: ([number | null, number | null] | null)[];
  axes: [number, number, number][];
  slides: number;
  swings: boolean;
  swing: number | null;
  tilts: [number, number, number, number] | null;
  up: [number, number, number];
  rest: [number, number, number, number];
  bone: [number, number, number];
  moves: boolean;
  damping: number | null;
  stiffness: number;
}

/** A motion: its name, length [s], frames a second and number of frames. */
export interface MotionInfo {
  name: string;
  duration: number;
  fps: number;
  frames: number;
}

/** An attribute of rules that can be edited. */
export interface AttributeField {
  name: string;
  kind: AttributeKind;
  value: boolean | number | string | number[];
  least: number | null;
  greatest: number | null;
  step: number | null;
  choices: (boolean | number | string)[];
  group: string;
  about: string;
}

/** The target of an IK rule: the id of its goal, and the attribute that sets it, or "". */
export interface TargetInfo {
  id: string;
  effector: string;
  attribute: string;
}

/** The result of growing rules. */
export interface GrownInfo {
  starts: string[];
  start: string;
  seed: number;
  fields: AttributeField[];
  targets: TargetInfo[];
  shapes: number;
  leaves: number;
  seconds: number;
  printed: string[];
}

/** A solver, and why it cannot take the scene; "" if it can. */
export interface SolverUse {
  name: string;
  why: string;
}

/** The scene to draw, sent after every setup. */
export interface Scene {
  type: "scene";
  seq: number;
  revision: number;
  key: string;
  title: string;
  names: string[];
  parents: number[];
  limbs: number[];
  joints: JointInfo[];
  slots: number;
  goals: GoalSetup[];
  places: GoalPlace[];
  center: [number, number, number];
  size: number;
  box: [[number, number, number], [number, number, number]];
  ground: number;
  up: "y" | "z";
  flat: boolean;
  pedestal: boolean;
  motions: MotionInfo[];
  motion: string | null;
  meshes: number;
  notes: string[];
  tolerance: number;
  unit: number | null;
  solvers: SolverUse[];
  grown: GrownInfo | null;
  contacts: ContactsInfo | null;
  retargeted: RetargetInfo | null;
  bodies: BodiesSetup;
  loops: LoopSetup[];
  switches: ("avoid" | "balance")[];
  feet: string[];
  about: string;
  front: "x" | null;
}

/** Capsules, masses and soles of a figure's bones. */
export interface Bodies {
  type: "bodies";
  key: string;
  capsules: CapsuleInfo[];
  masses: MassInfo[];
  soles: SoleInfo[];
  up: [number, number, number];
}

/** A setup like a refused one that would work, and how it differs, in words. */
export interface Offer {
  label: string;
  setup: Setup;
}

/** A message failed; what is shown does not change. */
export interface Refused {
  type: "refused";
  seq: number;
  text: string;
  offers: Offer[];
}

/** The keyframe that `KeyWanted` asked for. */
export interface KeyTaken {
  type: "key";
  key: Key;
}

/** The answer to `Ping`. */
export interface Pong {
  type: "pong";
}

/** Costs of a solution relative to the start pose: turns [rad], path of the tip. */
export interface Costs {
  sum_of_turns: number;
  largest_turn: number;
  tip_path: number;
}

/** How a solve ended: the tail of a pose frame. */
export interface Report {
  status: string;
  reason: string;
  solver: string;
  active: number[];
  costs: Costs | null;
  morphs: Record<string, number[]>;
  touching: string[];
}

/** A step of an iteration; `joint` is -1 if an effector was placed at a point. */
export interface StepInfo {
  iteration: number;
  joint: number;
  placed: boolean;
  change: number[];
}

/** The head of a trace packet: arrays `frames` (iterations + 1, N, 7) and `errors`. */
export interface TraceHead {
  kind: "trace";
  solver: string;
  effector: number;
  goal: [number, number, number] | null;
  status: string;
  reason: string;
  steps: StepInfo[];
}

/** The head of a packet with `frames` (steps, N, 7): the poses after each rotation step. */
export interface StepsHead {
  kind: "steps";
  iteration: number;
}

/** The head of a mesh packet. */
export interface MeshHead {
  kind: "mesh";
  revision: number;
  index: number;
  name: string;
  joints: number[];
  joint: number;
  color: [number, number, number, number];
  roughness: number;
  metallic: number;
  double_sided: boolean;
  alpha: "OPAQUE" | "MASK" | "BLEND";
  cutoff: number;
  emissive: [number, number, number];
  texture_type: string;
  normal_map_type: string;
  morphs: string[];
  weights: number[];
}

/** The head of a packet with a motion for the onion skin. */
export interface MotionHead {
  kind: "motion";
  name: string;
  duration: number;
  feet: number[];
}

/** The head of a packet with what the page needs to solve by itself. */
export interface ProblemHead {
  kind: "problem";
  revision: number;
  slot: number;
  problems: number;
  clip: number;
}

/** The head of a packet with a motion, as samples at even times. */
export interface ClipHead {
  kind: "clip";
  number: number;
  name: string;
  duration: number;
  turns: number[];
  morphs: Record<string, number[][]>;
}

/** The head of a packet with a file to save, its bytes in `data`. */
export interface FileHead {
  kind: "file";
  name: string;
}

export type FromPage = SetupSent | Want | PoseShown | TraceWanted | StepsWanted | KeyWanted | BodiesWanted | ResetWanted | SaveWanted | CheckWanted | Ping;

export type FromSession = Hello | Scene | Bodies | Refused | KeyTaken | CheckReport | Working | Pong;

export type PacketHead = TraceHead | StepsHead | MeshHead | MotionHead | SourceHead | ProblemHead | ClipHead | FileHead;

/** What a value has to be like. */
export type Shape =
  | { kind: "flag" | "null" }
  | { kind: "number"; whole: boolean; least: number; greatest: number }
  | { kind: "text"; most: number }
  | { kind: "choice"; of: string[] }
  | { kind: "list"; of: Shape; least: number; most: number }
  | { kind: "tuple"; of: Shape[] }
  | { kind: "record"; of: Shape; most: number }
  | { kind: "either"; of: Shape[] }
  | ObjectShape;

/** An object; a field without a default must be there. */
export interface ObjectShape {
  kind: "object";
  fields: Record<string, Shape>;
  defaults: Record<string, unknown>;
}

export const SETUP: ObjectShape = {
  kind: "object",
  fields: {
    scene: {"kind": "text", "most": 1000},
    links: {"kind": "number", "whole": true, "least": 1, "greatest": 200},
    lengths: {"kind": "either", "of": [{"kind": "list", "of": {"kind": "number", "whole": false, "least": 1e-09, "greatest": 1000000000.0}, "least": 0, "most": 200}, {"kind": "null"}]},
    flat: {"kind": "flag"},
    solver: {"kind": "object", "fields": {"name": {"kind": "text", "most": 1000}, "options": {"kind": "record", "of": {"kind": "either", "of": [{"kind": "flag"}, {"kind": "number", "whole": true, "least": -100000, "greatest": 100000}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "text", "most": 1000}, {"kind": "null"}]}, "most": 100000}}, "defaults": {"name": "auto", "options": {}}},
    compare: {"kind": "either", "of": [{"kind": "object", "fields": {"name": {"kind": "text", "most": 1000}, "options": {"kind": "record", "of": {"kind": "either", "of": [{"kind": "flag"}, {"kind": "number", "whole": true, "least": -100000, "greatest": 100000}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "text", "most": 1000}, {"kind": "null"}]}, "most": 100000}}, "defaults": {"name": "auto", "options": {}}}, {"kind": "null"}]},
    race: {"kind": "flag"},
    limits: {"kind": "flag"},
    damping: {"kind": "either", "of": [{"kind": "number", "whole": false, "least": 0.0, "greatest": 1000000000.0}, {"kind": "null"}]},
    stretch: {"kind": "either", "of": [{"kind": "number", "whole": false, "least": 1.0, "greatest": 1000.0}, {"kind": "null"}]},
    joints: {"kind": "record", "of": {"kind": "object", "fields": {"lock": {"kind": "flag"}, "damping": {"kind": "either", "of": [{"kind": "number", "whole": false, "least": 0.0, "greatest": 1000000000.0}, {"kind": "null"}]}, "stiffness": {"kind": "either", "of": [{"kind": "number", "whole": false, "least": 0.0, "greatest": 1.0}, {"kind": "null"}]}, "limits": {"kind": "either", "of": [{"kind": "list", "of": {"kind": "either", "of": [{"kind": "tuple", "of": [{"kind": "either", "of": [{"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "null"}]}, {"kind": "either", "of": [{"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "null"}]}]}, {"kind": "null"}]}, "least": 0, "most": 6}, {"kind": "null"}]}, "swing": {"kind": "either", "of": [{"kind": "number", "whole": false, "least": 0.0, "greatest": 1000000000.0}, {"kind": "null"}]}, "tilts": {"kind": "either", "of": [{"kind": "tuple", "of": [{"kind": "number", "whole": false, "least": 0.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": 0.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": 0.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": 0.0, "greatest": 1000000000.0}]}, {"kind": "null"}]}, "twist": {"kind": "either", "of": [{"kind": "tuple", "of": [{"kind": "either", "of": [{"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "null"}]}, {"kind": "either", "of": [{"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "null"}]}]}, {"kind": "null"}]}}, "defaults": {"lock": false, "damping": null, "stiffness": null, "limits": null, "swing": null, "tilts": null, "twist": null}}, "most": 100000},
    goals: {"kind": "list", "of": {"kind": "object", "fields": {"id": {"kind": "text", "most": 1000}, "kind": {"kind": "choice", "of": ["reach", "pose", "look", "pole", "hold", "target"]}, "effector": {"kind": "text", "most": 1000}, "depth": {"kind": "number", "whole": true, "least": 0, "greatest": 4294967295}, "axis": {"kind": "choice", "of": ["x", "y", "z", "-x", "-y", "-z"]}, "on": {"kind": "text", "most": 1000}, "point": {"kind": "tuple", "of": [{"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}]}}, "defaults": {"kind": "reach", "depth": 0, "axis": "x", "on": "", "point": [0.0, 0.0, 0.0]}}, "least": 0, "most": 1000},
    tolerance: {"kind": "either", "of": [{"kind": "number", "whole": false, "least": 0.0, "greatest": 1000000000.0}, {"kind": "null"}]},
    unreachable: {"kind": "choice", "of": ["approach", "keep"]},
    start: {"kind": "choice", "of": ["previous", "rest"]},
    motion: {"kind": "either", "of": [{"kind": "text", "most": 1000}, {"kind": "null"}]},
    correct: {"kind": "flag"},
    keys: {"kind": "list", "of": {"kind": "object", "fields": {"time": {"kind": "number", "whole": false, "least": 0.0, "greatest": 3600.0}, "coordinates": {"kind": "list", "of": {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, "least": 0, "most": 100000}}, "defaults": {}}, "least": 0, "most": 100000},
    grown: {"kind": "object", "fields": {"start": {"kind": "text", "most": 1000}, "seed": {"kind": "number", "whole": true, "least": 0, "greatest": 4294967295}, "attributes": {"kind": "record", "of": {"kind": "either", "of": [{"kind": "flag"}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "text", "most": 1000}, {"kind": "list", "of": {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, "least": 0, "most": 1000}]}, "most": 100000}, "targets": {"kind": "record", "of": {"kind": "tuple", "of": [{"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}]}, "most": 100000}}, "defaults": {"start": "", "seed": 0, "attributes": {}, "targets": {}}},
    edits: {"kind": "record", "of": {"kind": "object", "fields": {"contacts": {"kind": "either", "of": [{"kind": "record", "of": {"kind": "list", "of": {"kind": "tuple", "of": [{"kind": "number", "whole": true, "least": 0, "greatest": 4294967295}, {"kind": "number", "whole": true, "least": 0, "greatest": 4294967295}]}, "least": 0, "most": 100000}, "most": 100000}, {"kind": "null"}]}, "plant": {"kind": "flag"}, "repair": {"kind": "flag"}}, "defaults": {"contacts": null, "plant": false, "repair": false}}, "most": 100000},
    retarget: {"kind": "either", "of": [{"kind": "object", "fields": {"source": {"kind": "text", "most": 1000}, "motion": {"kind": "text", "most": 1000}, "edits": {"kind": "object", "fields": {"contacts": {"kind": "either", "of": [{"kind": "record", "of": {"kind": "list", "of": {"kind": "tuple", "of": [{"kind": "number", "whole": true, "least": 0, "greatest": 4294967295}, {"kind": "number", "whole": true, "least": 0, "greatest": 4294967295}]}, "least": 0, "most": 100000}, "most": 100000}, {"kind": "null"}]}, "plant": {"kind": "flag"}, "repair": {"kind": "flag"}}, "defaults": {"contacts": null, "plant": false, "repair": false}}, "source_map": {"kind": "record", "of": {"kind": "list", "of": {"kind": "text", "most": 1000}, "least": 0, "most": 100000}, "most": 100000}, "target_map": {"kind": "record", "of": {"kind": "list", "of": {"kind": "text", "most": 1000}, "least": 0, "most": 100000}, "most": 100000}}, "defaults": {"motion": "", "edits": {"contacts": null, "plant": false, "repair": false}, "source_map": {}, "target_map": {}}}, {"kind": "null"}]},
    bodies: {"kind": "either", "of": [{"kind": "object", "fields": {"avoid": {"kind": "object", "fields": {"on": {"kind": "flag"}, "margin": {"kind": "number", "whole": false, "least": 0.0, "greatest": 1000000000.0}, "ground": {"kind": "flag"}, "boxes": {"kind": "list", "of": {"kind": "object", "fields": {"center": {"kind": "tuple", "of": [{"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}]}, "size": {"kind": "tuple", "of": [{"kind": "number", "whole": false, "least": 1e-09, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": 1e-09, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": 1e-09, "greatest": 1000000000.0}]}}, "defaults": {}}, "least": 0, "most": 16}}, "defaults": {"on": false, "margin": 0.0, "ground": false, "boxes": []}}, "balance": {"kind": "object", "fields": {"on": {"kind": "flag"}, "margin": {"kind": "number", "whole": false, "least": 0.0, "greatest": 1000000000.0}, "feet": {"kind": "list", "of": {"kind": "text", "most": 1000}, "least": 0, "most": 16}}, "defaults": {"on": false, "margin": 0.0, "feet": []}}, "loops": {"kind": "list", "of": {"kind": "object", "fields": {"kind": {"kind": "choice", "of": ["connect", "weld"]}, "a": {"kind": "text", "most": 1000}, "b": {"kind": "text", "most": 1000}, "point_a": {"kind": "tuple", "of": [{"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}]}, "point_b": {"kind": "tuple", "of": [{"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}]}, "rotation": {"kind": "tuple", "of": [{"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}]}}, "defaults": {"kind": "connect", "point_a": [0.0, 0.0, 0.0], "point_b": [0.0, 0.0, 0.0], "rotation": [1.0, 0.0, 0.0, 0.0]}}, "least": 0, "most": 64}}, "defaults": {"avoid": {"on": false, "margin": 0.0, "ground": false, "boxes": []}, "balance": {"on": false, "margin": 0.0, "feet": []}, "loops": []}}, {"kind": "null"}]},
  },
  defaults: {"scene": "snake", "links": 8, "lengths": null, "flat": false, "solver": {"name": "auto", "options": {}}, "compare": null, "race": false, "limits": false, "damping": null, "stretch": null, "joints": {}, "goals": [], "tolerance": null, "unreachable": "approach", "start": "previous", "motion": null, "correct": true, "keys": [], "grown": {"start": "", "seed": 0, "attributes": {}, "targets": {}}, "edits": {}, "retarget": null, "bodies": null},
};

export const PLACE: ObjectShape = {
  kind: "object",
  fields: {
    id: {"kind": "text", "most": 1000},
    position: {"kind": "tuple", "of": [{"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}]},
    orientation: {"kind": "either", "of": [{"kind": "tuple", "of": [{"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}, {"kind": "number", "whole": false, "least": -1000000000.0, "greatest": 1000000000.0}]}, {"kind": "null"}]},
  },
  defaults: {"orientation": null},
};
