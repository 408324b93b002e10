"""Use an installed supple as a newcomer would: ``python smoke.py README.md [extra …]``.

Standard library only, on any platform, in an empty folder. Every README line that is run is read from
the README, so that what it promises is what is tried. Ends with exit code 1 at the first thing that does
not hold.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

PATIENCE = 300  # s; nothing here takes longer, however busy the machine is
FILES = {
    "arm.urdf": """<robot name="arm"><link name="base"/><link name="fore"/>
<joint name="elbow" type="revolute"><parent link="base"/><child link="fore"/>
<origin xyz="1 0 0"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
</robot>""",
    "arm.xacro": """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:property name="length" value="${0.5 * 2}"/><link name="base"/><link name="fore"/>
<joint name="elbow" type="revolute"><parent link="base"/><child link="fore"/>
<origin xyz="${length} 0 0"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint>
</robot>""",
    "arm.xml": """<mujoco><worldbody><body name="base"><geom size="0.1"/>
<body name="fore" pos="1 0 0"><joint name="elbow" axis="0 0 1"/><geom size="0.1"/></body>
</body></worldbody></mujoco>""",
    "robots.py": """
import supple
for name in ("arm.urdf", "arm.xacro", "arm.xml"):
    skeleton = supple.load(name).skeleton
    found = skeleton.rest.position("elbow")
    assert list(found) == [1, 0, 0], (name, found)
""",
    "own_goal.py": """
import supple

@supple.goal(values=1, reason="the hands are {error} off level")
def level(frames, values, out):
    out[0] = frames[0, 2, 3] - frames[1, 2, 3] - values[0]

body = supple.humanoid().skeleton
s = supple.solve(body, [level(["hand.L", "hand.R"], 0.15)])
assert s.reached, s.reason
assert abs(s.position("hand.L")[2] - s.position("hand.R")[2] - 0.15) < 1e-3
""",
    "optimize.py": """
import supple
s = supple.solve(supple.chain([1, 1, 1]), {"tip": (1, 1, 0.5)}, solver="Optimize")
assert s.reached, s.reason
""",
    "two_clips.py": """
import supple
hero = supple.humanoid()
for name in ("a.bvh", "b.bvh"):
    supple.save(hero, name)
""",
    "cluster.py": """
import subprocess, sys
import distributed

if __name__ == "__main__":
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        command = [sys.executable, "-m", "supple.apps.cli", "correct", "a.bvh", "b.bvh", "--plant-feet",
                   "--out-dir", "planted", "--scheduler", cluster.scheduler_address]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
""",
}


def main(readme: Path, extras: Sequence[str]) -> None:
    """Run everything that an environment with these extras must be able to do."""
    text = readme.read_text("utf-8")
    for name, content in FILES.items():
        Path(name).write_text(content, "utf-8")
    version = importlib.metadata.version("supple")
    _expect("supple --version", supple("--version").strip() == f"supple {version}")
    _ten_lines(text)
    _commands(text)
    _help()
    for extra in extras:
        EXTRAS[extra](text)
    if "plot" not in extras:
        _expect("what a figure needs is said", "supple[plot]" in supple(
            *_readme_line(text, "supple reach chain:"), code=2))  # fmt: skip
    if "view" not in extras:
        _expect("what the playground needs is said", "supple[view]" in supple("demo", code=2))


def _ten_lines(readme: str) -> None:
    found = re.search(r"## Ten lines\n+```python\n(.*?)```", readme, re.DOTALL)
    _expect("the README has ten lines", found is not None)
    assert found is not None
    told = python("-c", found[1])
    _expect("they say REACHED", "REACHED" in told)
    _expect("they write reach.glb", Path("reach.glb").read_bytes()[:4] == b"glTF")


def _commands(readme: str) -> None:
    supple(*_readme_line(readme, "supple page humanoid"))
    _expect("the page is whole", "</html>" in Path("hero.html").read_text("utf-8")[-2000:])
    supple(*_readme_line(readme, "supple grow lamp"))
    _expect("the lamp is glTF", Path("lamp.glb").read_bytes()[:4] == b"glTF")
    told = json.loads(supple("reach", "chain:9,9,9,9,4", "-e", "tip", "--to", "12,18,6", "--json"))
    _expect("a target in reach is reached", told["status"] == "REACHED")
    _expect(
        "one out of reach gives 1",
        "too far" in supple("reach", "chain:1,1", "--to", "5,0,0", code=1),
    )
    supple("info", "reach.glb")
    supple("lint", "reach.glb")
    supple("convert", "reach.glb", "reach.bvh")
    supple("info", "nothing.bvh", code=2)
    supple("reach", "--nonsense", code=2)


def _help() -> None:
    listed = supple("--help")
    commands = re.findall(r"^\W*([a-z]+)  +\S", listed.partition("Commands")[2], re.MULTILINE)
    _expect(f"at least 12 commands are listed: {commands}", len(commands) >= 12)
    for command in commands:
        _expect(f"supple {command} --help", "--help" in supple(command, "--help"))


def _plot(readme: str) -> None:
    for start, figure in (
        ("supple reach chain:", "reach.png"),
        ("supple compare chain:", "compare.png"),
    ):
        supple(*_readme_line(readme, start))
        _expect(f"{figure} is a picture", Path(figure).read_bytes()[1:4] == b"PNG")


def _view(readme: str) -> None:
    del readme
    command = [
        sys.executable,
        "-m",
        "supple.apps.cli",
        "demo",
        "--no-browser",
        "--port",
        "0",
        "--json",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            told = ""
            while "}" not in told and (line := server.stdout.readline()):
                told += line
            page = urllib.request.urlopen(json.loads(told)["url"], timeout=PATIENCE).read()
            _expect("the playground is served", b"supple playground" in page)
        finally:
            server.kill()


def _cluster(readme: str) -> None:
    del readme
    python("two_clips.py")
    python("cluster.py")
    _expect("clips are planted on a cluster", Path("planted", "b.bvh").stat().st_size > 1000)


def _script(name: str) -> Callable[[str], None]:
    def run(readme: str) -> None:
        del readme
        python(name)

    return run


EXTRAS: dict[str, Callable[[str], None]] = {
    "plot": _plot,
    "view": _view,
    "robot": _script("robots.py"),
    "jit": _script("own_goal.py"),
    "optimize": _script("optimize.py"),
    "cluster": _cluster,
}


def _readme_line(readme: str, start: str) -> list[str]:
    """The words of a command that the README shows, without "supple" and the comment."""
    found = re.search(rf"^    ({re.escape(start)}[^#\n]*)", readme, re.MULTILINE)
    _expect(f"the README has a line that begins with {start!r}", found is not None)
    assert found is not None
    return found[1].split()[1:]


def supple(*arguments: str, code: int = 0) -> str:
    """Run the command; what it prints, on both streams."""
    return _run([sys.executable, "-m", "supple.apps.cli", *arguments], code)


def python(*arguments: str) -> str:
    """Run this Python."""
    return _run([sys.executable, *arguments], 0)


def _run(command: list[str], code: int) -> str:
    began = time.monotonic()
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
    )  # fmt: skip
    shown = " ".join(command[1:])[:90].replace("\n", " ")
    told = done.stdout + done.stderr
    _expect(f"{shown} ends with {code}, got {done.returncode}:\n{told}", done.returncode == code)
    _expect(f"{shown} shows no traceback:\n{told}", "Traceback" not in told)
    print(f"  {time.monotonic() - began:5.1f} s  {shown}", flush=True)
    return told


def _expect(what: str, holds: bool) -> None:
    if not holds:
        sys.exit(f"smoke: expected: {what}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
