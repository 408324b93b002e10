"""Empty environments to install into, and what the oldest allowed dependencies are.

``python environments.py`` prints the names of environment variables that they are kept free of.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

OURS = ("SUPPLE_", "NUMBA_", "ZIG_", "PYTEST_", "HYPOTHESIS_", "XDG_")
ALSO = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "VIRTUAL_ENV")
# The lower bound of a requirement, with its extras and its marker: numpy>=1.26; python_version < '3.13'
_BOUND = re.compile(r"^(?P<name>[\w.-]+)(\[[^]]*\])?>=(?P<version>[\w.]+)")


def our_variables() -> list[str]:
    """The environment variables of this process that change how supple is built or run."""
    return [name for name in os.environ if name.startswith(OURS) or name in ALSO]


def without_our_variables() -> dict[str, str]:
    """The environment variables of this process, without those that change how supple is built or run.

    What the clients of package registries need (proxies, certificates, indexes) stays.
    """
    ours = our_variables()
    return {name: value for name, value in os.environ.items() if name not in ours}


@dataclass(frozen=True)
class Environment:
    """A virtual environment.

    Attributes:
        python: Its interpreter.
    """

    python: Path

    @classmethod
    def make(cls, folder: Path, *, interpreter: str | None = None) -> Environment:
        """An empty environment in a folder, in place of what was there.

        Args:
            folder: Where it goes.
            interpreter: The Python that it is for; None for the one at hand.
        """
        shutil.rmtree(folder, ignore_errors=True)
        if interpreter is None:
            venv.create(folder, with_pip=True)
        else:
            subprocess.run([interpreter, "-m", "venv", str(folder)], check=True)
        windows = os.name == "nt"
        return cls(
            folder / ("Scripts" if windows else "bin") / ("python.exe" if windows else "python")
        )

    def install(self, *requirements: str, constraints: Path | None = None) -> None:
        """Install packages by pip.

        Raises:
            subprocess.CalledProcessError: They cannot be installed.
        """
        limits = ["--constraint", str(constraints)] if constraints else []
        self.run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile",
                 *limits, *requirements, capture=True)  # fmt: skip

    def run(
        self,
        *arguments: str,
        cwd: Path | None = None,
        variables: dict[str, str] | None = None,
        capture: bool = False,
    ) -> str:
        """Run its Python; what it prints to its standard output, if that is captured.

        Raises:
            subprocess.CalledProcessError: It ends with another exit code than 0.
        """
        done = subprocess.run(
            [str(self.python), *arguments],
            cwd=cwd,
            env=without_our_variables() if variables is None else variables,
            stdout=subprocess.PIPE if capture else None,
            stderr=subprocess.PIPE if capture else None,
            text=True,
            check=True,
        )
        return done.stdout or ""


def interpreters(versions: tuple[str, ...]) -> dict[str, str]:
    """The Pythons of the machine, by version ("3.12"); those that do not start are left out.

    They are looked for on the path, and beside this Python, where pyenv and others put them.
    """
    beside = Path(sys.base_prefix).resolve().parent
    found = {}
    for version in versions:
        places = [shutil.which(f"python{version}"), *beside.glob(f"{version}*/bin/python{version}")]
        own = f"{sys.version_info.major}.{sys.version_info.minor}" == version
        for path in map(str, filter(None, [sys.executable if own else None, *places])):
            if _starts(path, version):
                found[version] = path
                break
    return found


def _starts(path: str, version: str) -> bool:
    asked = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([path, "-c", asked], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def oldest(requirements: list[str]) -> list[str]:
    """Constraints that pin each requirement to the oldest version that it allows.

    Args:
        requirements: As in pyproject.toml, such as "rich>=13".

    Returns:
        Lines such as "rich==13", with the requirement's marker.
    """
    lines = []
    for requirement in requirements:
        stated, _, marker = requirement.partition(";")
        bound = _BOUND.match(stated.replace(" ", ""))
        if bound:
            lines.append(f"{bound['name']}=={bound['version']}" + (f" ;{marker}" if marker else ""))
    return lines


if __name__ == "__main__":
    print(*our_variables(), sep="\n")
