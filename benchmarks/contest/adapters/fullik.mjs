// Fullik: FABRIK in JavaScript, with balls in space or hinges in the plane.
import * as FIK from "@aminere/fullik/build/fik.module.js";
import { main } from "./drive.mjs";

main((problem) => {
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
});
