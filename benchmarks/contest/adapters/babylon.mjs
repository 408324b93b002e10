// Babylon.js: its closed form for two bones and a pole, on a skeleton without a screen.
import { NullEngine } from "@babylonjs/core/Engines/nullEngine.js";
import { Scene } from "@babylonjs/core/scene.js";
import { Bone } from "@babylonjs/core/Bones/bone.js";
import { BoneIKController } from "@babylonjs/core/Bones/boneIKController.js";
import { Skeleton } from "@babylonjs/core/Bones/skeleton.js";
import { Matrix } from "@babylonjs/core/Maths/math.vector.js";
import { TransformNode } from "@babylonjs/core/Meshes/transformNode.js";
import { main } from "./drive.mjs";

const QUARTERS = [0, Math.PI / 2, Math.PI, -Math.PI / 2];

main((problem) => {
  const { parts, tips } = problem.model;
  const scene = new Scene(new NullEngine());
  const body = new TransformNode("body", scene);
  const skeleton = new Skeleton("limb", "limb", scene);
  const bones = [];
  for (const { name, offset } of [...parts, ...tips]) {
    // Its bones point along their own Y.
    bones.push(new Bone(name, skeleton, bones.at(-1) ?? null, Matrix.Translation(0, offset[0], 0)));
  }
  body.computeWorldMatrix(true);
  const limb = new BoneIKController(body, bones[1], {});

  const solve = (target, k) => {
    limb.targetPosition.set(...target);
    limb.poleTargetPosition.set(...problem.poles[k]);
    limb.update();
  };
  const answer = () => {
    skeleton.computeAbsoluteMatrices(true);
    return bones.map((bone) => bone.getAbsolutePosition(body).asArray());
  };

  // To which side a limb bends is a property of its rig, which its owner sets once: the quarter turn
  // whose elbow comes nearest to the pole.
  const miss = (angle) => {
    limb.poleAngle = angle;
    solve(problem.targets[0][0].slice(0, 3).map((row) => row[3]), 0);
    const elbow = answer()[1];
    return Math.hypot(...problem.poles[0].map((x, i) => x - elbow[i]));
  };
  const misses = QUARTERS.map(miss);
  limb.poleAngle = QUARTERS[misses.indexOf(Math.min(...misses))];
  return { solve, answer };
});
