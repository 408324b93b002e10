"""CCD against Target Triangle on the chain 9-9-9-9-4, free (A) and with limits (B).

Follows Song & Hu 2011, section 4, with thousands of targets in place of one and CCD undamped, at
most 100 sweeps. What holds is checked; the table, ratios to CCD's costs, also shows what does not.
"""

import sys
from pathlib import Path

import numpy as np

import supple
from supple import plot
from supple.apps.cli.random_targets import random_poses

A = supple.chain([9, 9, 9, 9, 4])
B = A.with_joints({"j1": supple.Cone(np.radians(120)), "j2": supple.Cone(np.radians(90))})
CASES = ("A disc", A, 2), ("A ball", A, 3), ("B disc", B, 2), ("B ball", B, 3)
SOLVERS = supple.TargetTriangle(), supple.CCD(accelerate=False, restarts=0)
ONE_PASS = SOLVERS[0], supple.CCD(accelerate=False, restarts=0, max_iterations=1)
VISIT = 3 * 9 + 31, 9 + 31  # multiplications, 3n + r and n + r: a turn is found in n and made in r
COSTS = "sum of turns [°]", "gross turning [°]", "tip path", "multiplications", "largest turn [°]"


def run(chain, k, targets, start):
    """Which targets are reached (count,), what that costs (count, 5), and the poses (count,)."""
    ik = supple.prepare(chain, [supple.Reach("tip")], solver=ONE_PASS[k])
    turned = np.tri(6, 5, -1, dtype=bool)[:, :: 1 - 2 * k].repeat(4, axis=1)  # after 0..5 visits
    last, hits, gross, path, passes = start, None, 0.0, 0.0, 0
    for _ in range((1, 100)[k]):
        answer = ik.solve(targets, start=last)
        visits = np.where(turned, answer.pose.coordinates[:, None], last.coordinates[:, None])
        turns = answer.pose.turns(last)[:, :: 1 - 2 * k]
        steps = np.linalg.norm(np.diff(supple.Pose(chain, visits).position("tip"), axis=1), axis=-1)
        gross, path = gross + turns, path + steps / np.sinc(turns / 2 / np.pi)  # arcs, not chords
        last, hits, passes = answer.pose, answer.reached, passes + answer.iterations
    net, gross = np.degrees(last.turns(start)), np.degrees(gross)
    costs = net.sum(1), np.sum(gross, 1), np.sum(path, 1), 5 * VISIT[k] * passes, net.max(1)
    return hits, np.stack(costs, axis=1), last


def main(folder, count=10_000):
    folder.mkdir(parents=True, exist_ok=True)
    answers, measures, goal = {}, {cost: {} for cost in COSTS[:4]}, {"tip": (6, 24, 0)}
    print("chain, targets, start; reached by both; ratios (how often below 1) and p99 of", *COSTS)
    for name, chain, axes in CASES:
        rng = np.random.default_rng(1)
        ways = rng.normal(size=(2, count, 3)) * (np.arange(3) < axes)
        ways /= np.linalg.norm(ways, axis=-1, keepdims=True)
        targets = 40 * ways[0] * rng.random((count, 1)) ** (1 / axes)
        bent = random_poses(chain, list(chain.joint_names), count=count, rng=rng)
        own = [bent.with_({joint: (1, 0, 0, 0) for joint in chain.joint_names})] * 2
        near = targets + 0.4 * ways[1], bent.position("tip") + 2 * ways[1]
        starts = {"straight": targets, "drag 1%": near[0], "random": targets, "5% away": near[1]}
        for start, to in starts.items():
            begin = own if start in ("straight", "drag 1%") else [bent, bent]
            to = to * np.minimum(1, 40 / np.linalg.norm(to, axis=1, keepdims=True))
            hits, costs, own = zip(*(run(chain, k, to, begin[k]) for k in (0, 1)), strict=True)
            both = hits[0] & hits[1]
            ratio = costs[0][both] / costs[1][both]
            told = (f"{np.median(x):6.2f} ({np.mean(x < 1):4.0%})" for x in ratio.T)
            most = (f"{np.percentile(x[both, 4], 99):4.0f}" for x in costs)
            print(f"{name} {start:8}", *(f"{x.mean():7.2%}" for x in hits), *told, *most)
            assert chain is B or costs[0][:, 3].max() == 5 * VISIT[0], "a link turned twice"
            if start == "straight":
                assert hits[0].mean() >= (1 if chain is A else 0.999)
                assert np.median(ratio[:, 0]) <= 0.65 and np.mean(ratio[:, 0] < 1) >= 0.9
                for k, who in enumerate((f"Target Triangle {name[0]}", f"CCD {name[0]}")):
                    answers[who] = supple.solve(chain, goal, solver=SOLVERS[k])
                    for i, cost in enumerate(measures):
                        measures[cost][who] = np.median(costs[k][both, i])
    told = f"Free (A) and with limits (B). Below: medians over {count:,} targets in the ball."
    title = "Target Triangle against CCD, from straight"
    figure = plot.compare(answers, goals=goal, measures=measures, title=title, detail=told)
    plot.save(figure, folder / "05_target_triangle.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "out")
