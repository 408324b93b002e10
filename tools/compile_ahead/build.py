"""Build the library of kernels of one or more targets, anew only what has changed."""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path

from compile_ahead.link import BuildError, Rows, link
from compile_ahead.targets import Target
from compile_ahead.units import Unit, find_units, load_sources, shares

FORMAT = 1  # of the manifest, see supple/kernels/library.py
WHOLE = "all"  # the object of all units in one
TOOLS = Path(__file__).resolve().parent
# Whole clips are a module of their own, which pages that need it load later.
CLIPS = ("wasm-clips", "solvers.clip.")
# What a page has no use for: SciPy's methods and solvers of one's own are Python's, and so are files.
NOT_IN_PAGES = ("solvers.optimize.", "solvers.own.", CLIPS[1])
KERNELS_IN_PAGES = ("kernels.forward.", "kernels.skinning.")
Say = Callable[[str], None]


def build(
    root: Path,
    targets: list[Target],
    *,
    out: Path | None = None,
    jobs: int = 2,
    draft: bool = False,
    say: Say = print,
) -> dict[str, list[Path]]:
    """Build what is not up to date.

    Args:
        root: The checkout.
        targets: What to build for.
        out: A folder for each target's files in place of ``build/ahead/<target>``.
        jobs: How many processes compile at a time.
        draft: True to be content with code that is small rather than quick, which is there in half of the
            time. A library that was built in full is left alone; a later build in full replaces a draft.
        say: Called with a line of progress.

    Returns:
        The files of each target, by its name.

    Raises:
        BuildError: A tool is missing, or something cannot be compiled.
    """
    package, folder = root / "src" / "supple", root / "build" / "ahead"
    _check_tools()
    sources, tools = load_sources(package).fingerprint(package), _salt()
    built: dict[str, list[Path]] = {}
    with _alone(folder, say):
        units = find_units(package, _salt("lower.py"))
        for target in targets:
            place = out or folder / target.name
            if _is_current(place, target, sources, tools, draft=draft):
                built[target.name] = _files(place, target)
        missing = [target for target in targets if target.name not in built]
        if draft:
            missing = [target.draft() for target in missing]

        def finish(target: Target) -> None:
            say(f"linking for {target.name}")
            place = out or folder / target.name
            built[target.name] = _link(target, units, folder, place, sources, tools, draft=draft)

        if missing:
            _lower(units, folder, package, jobs, say)
            _emit(units, missing, folder, jobs, finish, say)
        _prune(folder, units)
    return built


def _check_tools() -> None:
    for name in ("numba", "llvmlite", "ziglang"):
        if importlib.util.find_spec(name) is None:
            raise BuildError(
                f"compiling the kernels ahead needs the package {name!r} (pip install numba ziglang); "
                "without, supple[jit] compiles them on first use"
            )


def _salt(*files: str) -> str:
    """Hash of what is not sources but changes what is built: tools, all or some, and versions."""
    digest = hashlib.sha256()
    for path in sorted((*TOOLS.glob("*.py"), *TOOLS.glob("*.c"))):
        if not files or path.name in files:
            digest.update(path.read_bytes())
    versions = [version(name) for name in ("numba", "llvmlite", "ziglang")]
    digest.update(repr((versions, sys.version_info[:2])).encode())
    return digest.hexdigest()


# The stages ---------------------------------------------------------------------------------------


def _lower(units: list[Unit], folder: Path, package: Path, jobs: int, say: Say) -> None:
    todo = [unit for unit in units if not _bitcode(folder, unit).exists()]
    parts = shares(todo, jobs)
    began = time.monotonic()

    def run(share: list[Unit]) -> None:
        scratch = folder / f"lower-{os.getpid()}-{share[0].name}"
        scratch.mkdir(parents=True, exist_ok=True)
        listed = [f"{unit.name}={','.join(unit.modules)}" for unit in share]
        process = subprocess.Popen(
            [sys.executable, "-m", "compile_ahead.lower", str(scratch), *listed],
            env=_environment(package.parent, TOOLS.parent),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None and process.stderr is not None
        for line in process.stdout:
            say(f"compiled {line.strip()} ({time.monotonic() - began:.0f} s)")
        error = process.stderr.read()
        if process.wait():
            raise BuildError(
                f"compiling {', '.join(u.name for u in share)} failed:\n{error.strip()}"
            )
        for unit in share:
            for end in (".txt", ".bc"):  # the bitcode last: it says that both are there
                (scratch / (unit.name + end)).replace(_bitcode(folder, unit).with_suffix(end))
        shutil.rmtree(scratch)

    if todo:
        say(f"compiling {len(todo)} of {len(units)} units of kernels, {len(parts)} at a time")
    _all(run, [(share,) for share in parts], jobs)


def _environment(*folders: Path) -> dict[str, str]:
    """Environment of a subprocess that imports from more folders.

    PYTHONPATH is extended, never replaced: pip's build isolation brings the compiler through it.
    """
    inherited = os.environ.get("PYTHONPATH", "")
    paths = [*map(str, folders), *([inherited] if inherited else [])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def _emit(
    units: list[Unit],
    targets: list[Target],
    folder: Path,
    jobs: int,
    finish: Callable[[Target], None],
    say: Say,
) -> None:
    """Write the objects of targets; call `finish` with each whose objects are all there."""
    calls = []
    for target in targets:
        if target.whole:
            some = _wanted(units, folder, target)
            calls.append((target, some, _object(folder, target, some)))
        else:
            calls += [(target, [unit], _object(folder, target, [unit])) for unit in units]
    calls = [call for call in calls if not call[2].exists()]
    calls.sort(key=lambda call: -sum(unit.weight for unit in call[1]))
    left = Counter(call[0].name for call in calls)
    counting = threading.Lock()
    began = time.monotonic()

    def run(target: Target, some: list[Unit], out: Path) -> None:
        bitcode = [str(_bitcode(folder, unit)) for unit in some]
        symbols = [row[2] for unit in some for row in _rows(folder, unit, target)]
        fresh = out.with_name(f"{out.name}.{os.getpid()}.tmp")
        how = ["--small"] if target.small else []
        done = subprocess.run(
            [sys.executable, "-m", "compile_ahead.emit", target.name, str(fresh), *bitcode, *how,
             "--", *symbols],
            env=_environment(TOOLS.parent),
            capture_output=True,
            text=True,
        )  # fmt: skip
        if done.returncode:
            raise BuildError(f"{target.name}: {done.stderr.strip()}")
        fresh.replace(out)
        what = some[0].name if len(some) == 1 else "all units"
        say(f"optimised {what} for {target.name} ({time.monotonic() - began:.0f} s)")
        with counting:
            left[target.name] -= 1
            last = not left[target.name]
        if last:
            finish(target)

    for target in targets:
        if not left[target.name]:
            finish(target)
    _all(run, calls, jobs)


def _link(
    target: Target,
    units: list[Unit],
    folder: Path,
    place: Path,
    sources: str,
    tools: str,
    *,
    draft: bool,
) -> list[Path]:
    units = _wanted(units, folder, target)
    groups = [units] if target.whole else [[unit] for unit in units]
    objects = [_object(folder, target, group) for group in groups]
    rows = [row for unit in units for row in _rows(folder, unit, target)]
    fresh = folder / f"link-{os.getpid()}-{target.name}"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    try:
        files = link(target, objects, rows, fresh, folder / "zig")
        content = files[0].read_bytes()
        manifest = {
            "format": FORMAT,
            "target": target.name,
            "sources": sources,
            "tools": tools,
            "draft": draft,
            "library": files[0].name,
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "entries": [list(row) for row in rows],
        }
        place.mkdir(parents=True, exist_ok=True)
        # The manifest last, with a checksum: half of a new library is not taken for the whole.
        for path in files:
            path.replace(place / path.name)
        manifest_file = fresh / target.manifest
        manifest_file.write_text(json.dumps(manifest, indent=1) + "\n")
        manifest_file.replace(place / manifest_file.name)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return _files(place, target)


def _files(place: Path, target: Target) -> list[Path]:
    names = (target.manifest, target.library, target.border)
    return [place / name for name in names if name]


def _is_current(place: Path, target: Target, sources: str, tools: str, *, draft: bool) -> bool:
    """True if what is built is up to date, in full or, if a draft will do, as a draft."""
    try:
        manifest = json.loads((place / target.manifest).read_text())
        content = (place / target.library).read_bytes()
    except (OSError, ValueError):
        return False
    return (
        manifest.get("format") == FORMAT
        and manifest.get("target") == target.name
        and manifest.get("sources") == sources
        and manifest.get("tools") == tools
        and (draft or not manifest.get("draft"))
        and manifest.get("sha256") == hashlib.sha256(content).hexdigest()
        and all(path.is_file() for path in _files(place, target))
    )


# Files of the build -------------------------------------------------------------------------------


def _bitcode(folder: Path, unit: Unit) -> Path:
    return folder / f"{unit.name}-{unit.stamp}.bc"


def _has(target: Target, entry: str) -> bool:
    """True if a target has an entry, by its name."""
    if not target.in_browser:
        return True
    if target.name == CLIPS[0]:
        return entry.startswith(CLIPS[1])
    if entry.startswith("kernels."):
        return entry.startswith(KERNELS_IN_PAGES)
    return not entry.startswith(NOT_IN_PAGES)


def _wanted(units: list[Unit], folder: Path, target: Target) -> list[Unit]:
    """The units of which a target has an entry."""
    return [unit for unit in units if _rows(folder, unit, target)]


def _rows(folder: Path, unit: Unit, target: Target) -> Rows:
    """The entries of a unit that a target has."""
    text = _bitcode(folder, unit).with_suffix(".txt").read_text()
    rows = [(name, codes, symbol) for name, codes, symbol in map(str.split, text.splitlines())]
    return [row for row in rows if _has(target, row[0])]


def _object(folder: Path, target: Target, units: list[Unit]) -> Path:
    tools = _salt("emit.py", "targets.py")
    if len(units) == 1:
        stamp = f"{units[0].stamp}-{tools[:8]}"
        how = "draft.o" if target.small else "o"
        return folder / f"{units[0].name}-{stamp}.{target.name}.{how}"
    entries = [row[0] for unit in units for row in _rows(folder, unit, target)]
    parts = (*(unit.stamp for unit in units), *entries, tools)
    stamp = hashlib.sha256(" ".join(parts).encode()).hexdigest()[:24]
    return folder / f"{WHOLE}-{stamp}.{target.name}.o"


def _prune(folder: Path, units: list[Unit]) -> None:
    """Remove what older sources left, a day after it was last written."""
    kept = {unit.stamp for unit in units}
    for path in folder.glob("*-*.*"):
        is_old = time.time() - path.stat().st_mtime > 86400
        if path.is_file() and is_old and not any(stamp in path.name for stamp in kept):
            path.unlink(missing_ok=True)


def _all(run: Callable[..., None], calls: list[tuple], jobs: int) -> None:
    """Call several at a time; the first failure is raised when those under way have ended."""
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        waiting = [pool.submit(run, *call) for call in calls]
        try:
            for one in as_completed(waiting):
                one.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


@contextlib.contextmanager
def _alone(folder: Path, say: Say) -> Iterator[None]:
    """Let one process build at a time; another waits, and finds the work done."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "a+b") as lock:
        try:
            _lock(lock.fileno(), wait=False)
        except OSError:
            say("another process is building the kernels: waiting for it")
            _lock(lock.fileno(), wait=True)
        yield


def _lock(descriptor: int, *, wait: bool) -> None:
    """Lock a file until it is closed.

    Raises:
        OSError: Another process holds it, and this one is not to wait.
    """
    if os.name == "nt":
        import msvcrt

        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
                return
            except OSError:
                if not wait:
                    raise
                time.sleep(1)
    import fcntl

    fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
