// three-ik: FABRIK in JavaScript on bones of three.js; a call is one pass, so it is called until the tip is near.
import * as THREE from "three";
import { IK, IKBallConstraint, IKChain, IKJoint } from "three-ik/build/three-ik.module.js";
import { main } from "./drive.mjs";

const PASSES = 500;

main((problem) => {
  const points = problem.start_points.map((p) => new THREE.Vector3(...p));
  const limits = problem.model.parts[0].limits;
  const bones = points.map(() => new THREE.Bone());
  const target = new THREE.Object3D();

  // It takes a bone's own Z for its direction: every bone's frame has Z along the bone at the start.
  const forward = new THREE.Vector3(0, 0, 1);
  const root = new THREE.Object3D();
  root.quaternion.setFromUnitVectors(forward, new THREE.Vector3(1, 0, 0));
  const world = points.map((p, i) => {
    const along = i + 1 < points.length ? points[i + 1].clone().sub(p) : p.clone().sub(points[i - 1]);
    return new THREE.Quaternion().setFromUnitVectors(forward, along.normalize());
  });
  const turns = world.map((q, i) => (world[i - 1] ?? root.quaternion).clone().conjugate().multiply(q));
  bones.forEach((bone, i) => {
    (bones[i - 1] ?? root).add(bone);
    if (i) bone.position.set(0, 0, points[i].distanceTo(points[i - 1]));
  });
  const reset = () => {
    bones.forEach((bone, i) => bone.quaternion.copy(turns[i]));
    root.updateMatrixWorld(true);
  };
  reset();

  const degrees = limits.length ? (2 * limits[0][1] * 180) / Math.PI : 0;
  const chain = new IKChain();
  bones.forEach((bone, i) => {
    const constraints = degrees ? [new IKBallConstraint(degrees)] : [];
    const last = i === bones.length - 1;
    chain.add(new IKJoint(bone, { constraints }), last ? { target } : undefined);
  });
  const ik = new IK();
  ik.add(chain);
  const place = (bone) => new THREE.Vector3().setFromMatrixPosition(bone.matrixWorld);
  const tip = new THREE.Vector3();
  const end = bones.at(-1);

  return {
    solve(wanted) {
      reset();
      target.position.set(...wanted);
      target.updateMatrixWorld(true);
      for (let pass = 0; pass < PASSES; pass++) {
        tip.setFromMatrixPosition(end.matrixWorld);
        if (tip.distanceTo(target.position) < problem.tolerance) break;
        ik.solve();
        root.updateMatrixWorld(true);
      }
    },
    answer: () => bones.map((bone) => place(bone).toArray()),
  };
});
