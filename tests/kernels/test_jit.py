"""The cache is about processes, so most of these tests start some, on a copy of the package."""

from __future__ import annotations

import ast
import json
import logging
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.patience import PATIENCE

from supple.kernels import decorators, jit, sources, user_cache

SOURCE = Path(decorators.__file__)

PROBE = """
    from supple.kernels.decorators import kernel
    from supple.kernels.inner import double

    @kernel
    def outer(x):
        return double(x) + 1.0
"""

INNER = """
    from supple.kernels.decorators import kernel

    @kernel
    def double(x):
        return 2.0 * x
"""

RUN = """
    import json, logging, sys
    logging.basicConfig(level=logging.DEBUG, filename=sys.argv[1])
    logging.getLogger("numba").setLevel(logging.WARNING)
    {before}
    from supple.kernels.decorators import announce
    from supple.kernels.jit import cache_folder
    from supple.solvers.probe import outer
    announce("test solver", outer, seconds=3)
    result = outer(3.0)
    announce("test solver", outer, seconds=3)
    hits = sum(outer.stats.cache_hits.values()) if hasattr(outer, "stats") else None
    print(json.dumps({{"result": result, "hits": hits, "folder": str(cache_folder())}}))
"""


class Package:
    """A copy of the package that holds two small kernels, one of which calls the other."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.outer = root / "supple/solvers/probe.py"
        self.inner = root / "supple/kernels/inner.py"
        for path, text in ((self.outer, PROBE), (self.inner, INNER)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
            (path.parent / "__init__.py").touch()
        (root / "supple/__init__.py").touch()
        for name in ("decorators", "jit", "library", "sources", "user_cache"):
            shutil.copy(SOURCE.with_name(f"{name}.py"), root / "supple/kernels")
        shutil.copy(SOURCE.parents[1] / "errors.py", root / "supple")

    def start(self, before: str = "", **environment: str) -> subprocess.Popen[str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA", "SUPPLE"))}
        # Sources are rewritten within a second, where Python would trust its own .pyc files.
        kept |= {"PYTHONPATH": str(self.root), "PYTHONDONTWRITEBYTECODE": "1"}
        kept |= {"SUPPLE_CACHE_DIR": str(self.home)} | environment
        code = textwrap.dedent(RUN.format(before=before))
        return subprocess.Popen(
            [sys.executable, "-c", code, str(self.root / "log")],
            env=kept,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self, process: subprocess.Popen[str]) -> dict:
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
        log = self.root / "log"
        lines = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        warnings = [line for line in lines if line.startswith("WARNING")]
        notices = [line for line in lines if "compiling the" in line]
        return json.loads(out) | {"warnings": warnings, "notices": notices, "stderr": err}

    def run(self, before: str = "", **environment: str) -> dict:
        return self.finish(self.start(before, **environment))

    def entries(self) -> list[Path]:
        return sorted(self.home.rglob("*.bin"))


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return Package(tmp_path)


def test_compiles_once_and_notices_an_edit_in_a_callee(package: Package):
    first = package.run()
    assert (first["result"], first["hits"], first["warnings"]) == (7.0, 0, [])
    assert first["notices"] == [
        "INFO:supple:compiling the test solver (first use, about 3 s; kept for later runs)"
    ]
    assert len(package.entries()) == 2
    assert package.home.stat().st_mode & 0o777 == 0o700
    assert Path(first["folder"]).stat().st_mode & 0o777 == 0o700
    assert not list(package.home.rglob("*.tmp"))

    os.utime(package.inner, (0, 0))  # times do not matter, contents do
    second = package.run()
    assert (second["result"], second["hits"], second["notices"]) == (7.0, 1, [])
    assert second["folder"] == first["folder"]

    package.inner.write_text(package.inner.read_text().replace("2.0", "5.0"))
    third = package.run()
    assert (third["result"], third["hits"], len(third["notices"])) == (16.0, 0, 1)
    assert len(package.entries()) == 4


def test_an_edit_elsewhere_changes_nothing(package: Package):
    package.run()
    (package.root / "supple/kernels/other.py").write_text("a = 1")
    assert package.run()["hits"] == 1


def test_damaged_entries_are_compiled_anew(package: Package):
    package.run()
    inner, outer = package.entries()
    inner.write_bytes(b"garbage")
    outer.write_bytes(outer.read_bytes()[:-100])
    broken = package.run()
    assert (broken["result"], broken["hits"]) == (7.0, 0)
    assert len(broken["warnings"]) == 1 and len(broken["notices"]) == 1
    mended = package.run()
    assert (mended["hits"], mended["warnings"]) == (1, [])


def test_every_damage_is_seen_before_it_is_run(tmp_path: Path):
    path = tmp_path / "entry.bin"
    payload = bytes(range(256))
    jit._write_checked(path, payload)
    assert jit._read_checked(path) == payload
    assert list(tmp_path.iterdir()) == [path]
    whole = path.read_bytes()
    for damaged in (b"", whole[:10], whole[:-1], whole + b"x", whole[:100] + b"x" + whole[101:]):
        path.write_bytes(damaged)
        with pytest.raises(OSError, match="damaged"):
            jit._read_checked(path)


def test_processes_may_compile_at_the_same_time(package: Package):
    for done in [package.start() for _ in range(3)]:
        assert package.finish(done)["result"] == 7.0
    assert len(package.entries()) == 2
    assert package.run()["hits"] == 1


def test_without_a_safe_folder_nothing_is_kept_and_one_warning_given(package: Package):
    package.home.mkdir()
    package.home.chmod(0o777)
    open_to_all = package.run()
    assert (open_to_all["result"], open_to_all["folder"]) == (7.0, "None")
    assert len(open_to_all["warnings"]) == 1 and "SUPPLE_CACHE_DIR" in open_to_all["warnings"][0]
    assert open_to_all["notices"] == [
        "INFO:supple:compiling the test solver (first use, about 3 s)"
    ]
    assert package.entries() == []


def test_a_numba_with_other_insides_is_used_uncached(package: Package):
    before = "import numba; del numba.core.compiler.CompileResult._reduce"
    changed = package.run(before)
    assert (changed["result"], package.entries()) == (7.0, [])
    assert len(changed["warnings"]) == 1


def test_a_dispatcher_without_a_cache_is_used_as_it_is(monkeypatch, caplog):
    class Dispatcher:
        signatures: list = []

    monkeypatch.setattr(jit, "_njit", lambda **options: lambda function: Dispatcher())
    monkeypatch.setattr(jit, "_logged", set())
    with caplog.at_level(logging.INFO, logger="supple"):
        first, second = jit.compiled(len_of, "kernel"), jit.compiled(len_of, "kernel")
        jit.announce("test solver", first, 3)
    assert isinstance(second, Dispatcher)
    levels = [record.levelname for record in caplog.records]
    assert levels == ["WARNING", "INFO"]


def len_of(x):
    return len(x)


def test_sources_edited_after_import_are_not_kept(package: Package):
    before = f"import supple.solvers.probe; open({str(package.inner)!r}, 'a').write('# edited')"
    assert package.run(before)["result"] == 7.0
    assert package.entries() == []


@pytest.mark.parametrize("name", ["SUPPLE_DISABLE_JIT", "NUMBA_DISABLE_JIT"])
def test_plain_python(package: Package, name: str):
    plain = package.run(**{name: "1"})
    assert (plain["result"], plain["hits"], plain["notices"]) == (7.0, None, [])
    assert package.entries() == []


def test_the_terminal_is_told_unless_the_log_is_shown(monkeypatch, capsys, caplog):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    jit._say("compiling the test solver (first use, about 3 s)")
    assert capsys.readouterr().err == "supple: compiling the test solver (first use, about 3 s)\n"
    with caplog.at_level(logging.INFO, logger="supple"):
        jit._say("compiling the test solver (first use, about 3 s)")
    assert capsys.readouterr().err == ""
    assert len(caplog.records) == 1


def test_home_by_platform(monkeypatch):
    for name in ("SUPPLE_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setattr(sys, "platform", "linux")
    assert user_cache.home() == Path("/home/me/.cache/supple")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert user_cache.home() == Path("/home/me/.cache/supple")
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert user_cache.home() == Path("/elsewhere/supple")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert user_cache.home() == Path("/home/me/Library/Caches/supple")
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert user_cache.home() == Path("/local/supple")
    monkeypatch.setenv("SUPPLE_CACHE_DIR", "~/mine")
    assert user_cache.home() == Path("/home/me/mine")


@pytest.mark.skipif(os.name != "posix", reason="owners and modes are POSIX")
def test_only_a_private_folder_is_trusted(tmp_path: Path, monkeypatch):
    mine = tmp_path / "deep/mine"
    user_cache.make_private(mine)
    assert mine.stat().st_mode & 0o777 == 0o700
    user_cache.make_private(mine)
    for mode in (0o770, 0o702):
        mine.chmod(mode)
        with pytest.raises(OSError, match="other users"):
            user_cache.make_private(mine)
    mine.chmod(0o755)
    user_cache.make_private(mine)

    (tmp_path / "link").symlink_to(mine)
    with pytest.raises(OSError, match="link"):
        user_cache.make_private(tmp_path / "link")
    (tmp_path / "file").touch()
    with pytest.raises(OSError):
        user_cache.make_private(tmp_path / "file")
    monkeypatch.setattr(os, "geteuid", lambda: mine.stat().st_uid + 1)
    with pytest.raises(OSError, match="another user"):
        user_cache.make_private(mine)


def test_old_folders_are_removed_and_nothing_else(tmp_path: Path):
    folders = [tmp_path / f"kernels-{i:020x}" for i in range(5)]
    bystander = tmp_path / "kernels-of-mine"
    for age, folder in enumerate([*folders, bystander]):
        folder.mkdir()
        (folder / "entry.bin").touch()
        os.utime(folder, (1000 - age, 1000 - age))
    jit._prune(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([*folders[:3], bystander])


def test_old_entries_of_a_kernel_are_removed(package: Package):
    package.run()
    for entry in package.entries():  # as if the sources had been edited often since
        for k in range(jit._ENTRIES_KEPT + 2):
            name, _, end = entry.name.removesuffix(".bin").rpartition(".")
            older = entry.with_name(f"{name}.{k:0{len(end)}x}.bin")
            shutil.copy(entry, older)
            os.utime(older, (1000 + k, 1000 + k))
    kept = set(package.entries())
    package.inner.write_text(textwrap.dedent(INNER).replace("2.0", "5.0"))
    assert package.run()["result"] == 16.0
    assert len(package.entries()) == 2 * jit._ENTRIES_KEPT
    oldest = min(entry.stat().st_mtime for entry in package.entries())
    assert oldest == 1000 + (jit._ENTRIES_KEPT + 2) - (jit._ENTRIES_KEPT - 2)
    assert len(set(package.entries()) - kept) == 2, "the new ones are there"


def test_settings_are_in_the_key(monkeypatch):
    before = jit._key()
    assert before == jit._key()
    monkeypatch.setattr(jit.config, "BOUNDSCHECK", 0 if jit.config.BOUNDSCHECK else 1)
    assert jit._key() != before


def test_every_import_of_a_kernel_source_is_followed():
    package = sources.PACKAGE
    listed = [package / name for name, _, _ in jit._SOURCES_AT_IMPORT]
    assert SOURCE in listed
    for path in listed:
        wanted = set()
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in getattr(node, "names", [])]
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path
                names = [str(node.module), *(f"{node.module}.{name}" for name in names)]
            elif not isinstance(node, ast.Import):
                continue
            wanted |= {package.parent / (name.replace(".", "/") + ".py") for name in names}
        assert sources.imports(path) == wanted & set(listed), path


def test_a_kernel_from_elsewhere_is_stamped_with_its_own_file(tmp_path: Path):
    stamps = set()
    for k, text in enumerate(["a = 1", "a = 2", "from supple.kernels import quaternion"]):
        path = tmp_path / str(k) / "script.py"
        path.parent.mkdir()
        path.write_text(text)
        stamps.add(jit._stamp(str(path)))
    assert len(stamps) == 3
    assert sources.imported(path) >= {SOURCE, SOURCE.parent / "quaternion.py"}
