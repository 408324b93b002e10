// What times every solver in JavaScript: `node adapter.mjs problem.json result.json variant seconds`.
//
// An adapter calls main(make). make(problem) gives { solve(target, k), answer() }: a call that is timed,
// of the k-th target's position [x, y, z], and the points of joints and tip; or { skip: why }.
import fs from "node:fs";

const WARM_UP = 300; // ms

export function main(make) {
  const [problemFile, resultFile, , budget] = process.argv.slice(2);
  const problem = JSON.parse(fs.readFileSync(problemFile));
  const solver = make(problem);
  const result = solver.skip ? solver : drive(solver, problem, Number(budget));
  fs.writeFileSync(resultFile, JSON.stringify(result));
}

function drive({ solve, answer }, problem, budget) {
  const targets = problem.targets.map(([frame]) => [0, 1, 2].map((i) => frame[i][3]));
  const result = { seconds: [], answers: [] };
  let stop = performance.now() + WARM_UP;
  for (let k = 0; performance.now() < stop; k = (k + 1) % targets.length) solve(targets[k], k);
  stop = performance.now() + 1e3 * budget;
  for (let k = 0; k < targets.length; k++) {
    const began = performance.now();
    solve(targets[k], k);
    const ended = performance.now();
    result.seconds.push((ended - began) / 1e3);
    result.answers.push(answer());
    if (ended > stop) break;
  }
  return result;
}
