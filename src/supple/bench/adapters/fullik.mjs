// Fullik: FABRIK in JavaScript, with balls in space or hinges in the plane. Timed as drive.py does.
import fs from "node:fs";
import * as FIK from "@aminere/fullik/build/fik.module.js";

const WARM_UP = 300; // ms
const [problemFile, resultFile, , budget] = process.argv.slice(2);
const problem = JSON.parse(fs.readFileSync(problemFile));

function finish(result) {
  fs.writeFileSync(resultFile, JSON.stringify(result));
}

function make() {
  const { motion, limits } = problem.model.parts[0];
  const flat = motion === "z";
  const vector = (p) => (flat ? new FIK.V2(p[0], p[1]) : new FIK.V3(...p));
  const degrees = limits.length ? (limits[0][1] * 180) / Math.PI : 180;
  const start = problem.start_points.map(vector);
  const chain = flat ? new FIK.Chain2D() : new FIK.Chain3D();
  for (let i = 0; i + 1 < start.length; i++) {
    chain.addBone(
      flat
        ? new FIK.Bone2D(start[i], start[i + 1], undefined, 1, degrees, degrees)
        : new FIK.Bone3D(start[i], start[i + 1]),
    );
  }
  if (flat) {
    chain.setBaseboneConstraintType(FIK.GLOBAL_ABSOLUTE);
    chain.setBaseboneConstraintUV(new FIK.V2(1, 0));
  }
  chain.maxIteration = 500;
  chain.solveDistanceThreshold = problem.tolerance;
  chain.minIterationChange = 1e-9;
  chain.precision = 1e-9;
  return {
    solve(target) {
      chain.resetTarget();
      chain.bones.forEach((bone, i) => {
        bone.start.copy(start[i]);
        bone.end.copy(start[i + 1]);
      });
      chain.lastTargetLocation.set(1e9, 1e9, 1e9);
      chain.solveForTarget(vector(target));
    },
    answer: () =>
      [chain.bones[0].start, ...chain.bones.map((bone) => bone.end)].map((p) => [p.x, p.y, p.z ?? 0]),
  };
}

function drive({ solve, answer }) {
  const targets = problem.targets.map(([frame]) => [0, 1, 2].map((i) => frame[i][3]));
  const result = { seconds: [], answers: [] };
  let stop = performance.now() + WARM_UP;
  for (let k = 0; k < targets.length && performance.now() < stop; k++) solve(targets[k]);
  stop = performance.now() + 1e3 * budget;
  for (const target of targets) {
    const began = performance.now();
    solve(target);
    const ended = performance.now();
    result.seconds.push((ended - began) / 1e3);
    result.answers.push(answer());
    if (ended > stop) break;
  }
  return result;
}

finish(problem.kind === "chain" ? drive(make()) : { skip: "chains only" });
