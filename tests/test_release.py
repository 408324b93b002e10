"""What a release says of itself: one version, dependencies that are what was tried, a lock for every platform."""

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

import supple

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


@pytest.fixture
def tools(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    yield
    for name in [
        name for name in sys.modules if name.partition(".")[0] in ("release", "compile_ahead")
    ]:
        del sys.modules[name]


def test_there_is_one_version():
    page = json.loads((ROOT / "web" / "package.json").read_text())
    cited = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited
    assert supple.__version__ == PROJECT["version"] == page["version"] == cited[1]
    assert f"## [{supple.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_the_lock_has_the_packages_of_every_platform():
    packages = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]
    for name, package in packages.items():
        for other in package.get("optionalDependencies", {}):
            assert f"node_modules/{other}" in packages, f"{name} lacks {other}"
        assert "resolved" not in package, "addresses of registries are not kept"


def test_everything_is_in_all():
    extras = PROJECT["optional-dependencies"]
    listed = set(extras["all"][0].removeprefix("supple[").removesuffix("]").split(","))
    assert listed == set(extras) - {"all", "build", "docs", "dev"}


def test_every_extra_is_tried(tools):
    from release.smoke import EXTRAS

    assert set(EXTRAS) == set(PROJECT["optional-dependencies"]) - {"all", "build", "docs", "dev"}


def test_oldest_pins_each_requirement_to_its_lower_bound(tools):
    from release.environments import oldest

    given = [
        "numpy>=1.26; python_version < '3.13'",
        "typer>=0.16,!=0.28.*",
        "pip[all]>=2",
        "six==1",
    ]
    assert oldest(given) == ["numpy==1.26 ; python_version < '3.13'", "typer==0.16", "pip==2"]
    stated = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["robot"]]
    assert len(oldest(stated)) == len(stated)


def test_a_clean_environment_has_none_of_our_variables(tools, monkeypatch):
    from release.environments import without_our_variables

    for name in ("PYTHONPATH", "VIRTUAL_ENV", "SUPPLE_JIT", "NUMBA_CACHE_DIR"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("PIP_CERT", "kept")
    kept = without_our_variables()
    assert kept["PIP_CERT"] == "kept"
    assert not {"PYTHONPATH", "VIRTUAL_ENV", "SUPPLE_JIT", "NUMBA_CACHE_DIR"} & set(kept)
