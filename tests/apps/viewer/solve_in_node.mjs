// Solve lowered problems with supple.wasm: node solve_in_node.mjs KERNELS.js SUPPLE.wasm JOBS.json
// JOBS: [{problem: base64, targets: [[[...], ...], ...], starts: [[...], ...] | null, trace: bool}].

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [script, module, file] = process.argv.slice(2);
const { Kernels, Problem } = await import(pathToFileURL(script).href);
const kernels = await Kernels.load(readFileSync(module));
const answers = JSON.parse(readFileSync(file, "utf8")).map((job) => {
  const problem = new Problem(kernels, new Uint8Array(Buffer.from(job.problem, "base64")));
  const rest = problem.start.slice();
  return job.targets.map((targets, k) => {
    problem.start.set(job.starts?.[k] ?? rest);
    targets.forEach((values, argument) => problem.setTarget(argument, values));
    const { solution, trace } = job.trace ? problem.solveTraced() : { solution: problem.solve(), trace: null };
    const frames = problem.forward(solution.coordinates);
    return {
      status: solution.status,
      word: solution.word,
      reason: solution.reason,
      solver: solution.solver,
      error: solution.error,
      orientationError: solution.orientationError,
      iterations: solution.iterations,
      limited: solution.limited,
      collision: solution.collision,
      offBalance: solution.offBalance,
      coordinates: [...solution.coordinates],
      row: [...solution.row],
      positions: [...frames.positions],
      rotations: [...frames.rotations],
      localRotations: [...problem.localRotations(solution.coordinates)],
      poses: trace && [...trace.poses],
      events: trace && [...trace.events],
    };
  });
});
process.stdout.write(JSON.stringify(answers));
