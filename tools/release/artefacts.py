"""Open wheels and the source archive, and check what is inside."""

from __future__ import annotations

import email
import json
import tarfile
import tomllib
import zipfile
from email.message import Message
from pathlib import Path

from compile_ahead.targets import TARGETS, Target

ROOT = Path(__file__).resolve().parents[2]
LARGEST_WHEEL = 5_000_000  # bytes; 3.9 MB today
IN_EVERY_WHEEL = (
    "supple/__init__.py",
    "supple/py.typed",
    "supple/compiled/supple.wasm",
    "supple/compiled/wasm.json",
    "supple/compiled/supple_clips.wasm",
    "supple/compiled/wasm-clips.json",
    "supple/compiled/manifest.json",
    "supple/apps/viewer/page/index.html",
)
IN_THE_SOURCE = (
    "pyproject.toml",
    "hatch_build.py",
    "README.md",
    "LICENSE",
    "tools/compile_ahead/build.py",
    "web/package-lock.json",
    "src/supple/__init__.py",
)


class DefectError(Exception):
    """What is wrong with an artefact."""


def check(folder: Path) -> list[Path]:
    """The wheels and the source archive in a folder, all checked.

    Raises:
        DefectError: One is missing, there is one too many, or something is wrong inside.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stem = f"{project['name']}-{project['version']}"
    platforms = {f"{stem}-cp311-abi3-{one.tag}.whl": one for one in TARGETS.values() if one.tag}
    source = f"{stem}.tar.gz"
    found = {path.name: path for path in folder.iterdir()}
    if missing := {*platforms, source} - set(found):
        raise DefectError(f"missing in {folder.name}: {', '.join(sorted(missing))}")
    if more := set(found) - {*platforms, source}:
        raise DefectError(f"not expected in {folder.name}: {', '.join(sorted(more))}")
    for name, target in platforms.items():
        _check_wheel(found[name], target, project)
    _check_source(found[source], stem, project)
    return [found[name] for name in (*platforms, source)]


def _check_wheel(path: Path, target: Target, project: dict) -> None:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        twice = sorted({name for name in names if names.count(name) > 1})
        _expect(not twice, path, f"each file once, got twice: {', '.join(twice)}")
        broken = archive.testzip()
        _expect(broken is None, path, f"no broken file, got {broken}")
        own = {f"supple/compiled/{name}" for name in (target.library, target.border)}
        lacking = sorted({*IN_EVERY_WHEEL, *own} - set(names))
        _expect(not lacking, path, f"in it: {', '.join(lacking)}")
        compiled = {name for name in names if name.startswith("supple/compiled/")}
        usual = {name for name in IN_EVERY_WHEEL if name.startswith("supple/compiled/")}
        others = sorted(compiled - own - usual)
        _expect(not others, path, f"kernels of one platform, got also {', '.join(others)}")
        manifest = json.loads(archive.read("supple/compiled/manifest.json"))
        _expect(manifest["target"] == target.name, path,
                f"kernels for {target.name}, got {manifest['target']}")  # fmt: skip
        size = archive.getinfo(f"supple/compiled/{target.library}").file_size
        _expect(
            manifest["size"] == size, path, f"a library of {manifest['size']} bytes, got {size}"
        )
        stray = [
            name for name in names if not name.startswith(("supple/", path.name.split("-cp")[0]))
        ]
        _expect(not stray, path, f"nothing outside supple/, got {', '.join(stray)}")
        info = next(name.rpartition("/")[0] for name in names if name.endswith("/METADATA"))
        tags = email.message_from_bytes(archive.read(f"{info}/WHEEL"))
        _expect(tags["Tag"] == f"cp311-abi3-{target.tag}", path,
                f"the tag cp311-abi3-{target.tag}, got {tags['Tag']}")  # fmt: skip
        _expect(tags["Root-Is-Purelib"] == "false", path, "Root-Is-Purelib: false")
        _expect(f"{info}/licenses/LICENSE" in names, path, "the licence")
        _check_metadata(path, email.message_from_bytes(archive.read(f"{info}/METADATA")), project)
    size = path.stat().st_size
    _expect(size < LARGEST_WHEEL, path, f"at most {LARGEST_WHEEL} bytes, got {size}")


def _check_source(path: Path, stem: str, project: dict) -> None:
    with tarfile.open(path) as archive:
        names = archive.getnames()
        lacking = [name for name in IN_THE_SOURCE if f"{stem}/{name}" not in names]
        _expect(not lacking, path, f"in it: {', '.join(lacking)}")
        built = ("/compiled/", "/node_modules/", "/viewer/page/", "/__pycache__/", "/.venv/")
        stray = [name for name in names if any(part in f"{name}/" for part in built)]
        _expect(not stray, path, f"nothing that was built, got {', '.join(stray[:5])}")
        unsafe = [name for name in names if not name.startswith(f"{stem}/") and name != stem]
        _expect(not unsafe, path, f"everything below {stem}/, got {', '.join(unsafe[:5])}")
        opened = archive.extractfile(f"{stem}/PKG-INFO")
        assert opened is not None
        _check_metadata(path, email.message_from_bytes(opened.read()), project)


def _check_metadata(path: Path, metadata: Message, project: dict) -> None:
    for field, expected in (
        ("Name", project["name"]),
        ("Version", project["version"]),
        ("Requires-Python", project["requires-python"]),
        ("License-Expression", project["license"]),
        ("Description-Content-Type", "text/markdown"),
    ):
        _expect(metadata[field] == expected, path, f"{field}: {expected}, got {metadata[field]}")
    urls = {line.partition(", ")[0] for line in metadata.get_all("Project-URL", [])}
    _expect(
        urls == set(project["urls"]), path, f"the project's URLs, got {', '.join(sorted(urls))}"
    )
    extras = set(metadata.get_all("Provides-Extra", []))
    wanted = set(project["optional-dependencies"])
    _expect(
        extras == wanted,
        path,
        f"the extras {', '.join(sorted(wanted))}, got {', '.join(sorted(extras))}",
    )


def _expect(holds: bool, path: Path, what: str) -> None:
    if not holds:
        raise DefectError(f"{path.name}: expected {what}")
