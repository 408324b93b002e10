// supple.wasm as one of the solvers of a harness that drives each by a script over a `_lib` of its own.
//
// The variant is a folder with kernels.js, supple.wasm and the problem as `Prepared.to_bytes` wrote it, NAME.bin;
// benchmarks/javascript.py fills it. Poses are read as the points of joints and tip.

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { bench, skip } from './_lib.mjs';

const folder = process.argv[4];
const { Kernels, Problem } = await import(pathToFileURL(`${folder}/kernels.js`).href);
const kernels = await Kernels.load(readFileSync(`${folder}/supple.wasm`));

bench((p) => {
  if (p.kind !== 'chain' && p.kind !== 'twobone') throw skip('chains only');
  const problem = new Problem(kernels, readFileSync(`${folder}/${p.name}.bin`));
  const { poles } = p;
  const solve = poles
    ? (target, _, k) => {
        problem.setTarget(0, target);
        problem.setTarget(1, poles[k]);
        return problem.solve();
      }
    : (target) => {
        problem.setTarget(0, target);
        return problem.solve();
      };
  const extract = (solution) => {
    const { positions, count } = problem.forward(solution.coordinates);
    return Array.from({ length: count }, (_, k) => [...positions.subarray(3 * k, 3 * k + 3)]);
  };
  return { solve, extract };
});
