// supple's kernels in the browser or in Node: load `supple.wasm` and lowered problems, solve, read.
//
//   const kernels = await Kernels.load(bytesOfSuppleWasm);
//   const problem = new Problem(kernels, bytesOfPreparedToBytes);
//   problem.setTarget(0, [1, 2, 3]);
//   const solution = problem.solve(); // stands until the next solve; solution.kept() lasts
//   solution.word; // "reached"
//   problem.start.set(solution.coordinates);
//   problem.forward(solution.coordinates).positions;

export * from "./constants";
export { type Instance, Kernels, type Placed } from "./instance";
export type { Cone, JointRow } from "./freedoms";
export { type Head, readLowered } from "./lowered";
export { type Frames, Problem, type Trace } from "./problem";
export { type Collision, Solution, threeDigits } from "./solution";
export { posesInside } from "./steps";
