"""The platforms that kernels are compiled for."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Target:
    """A platform.

    Attributes:
        name: What it is called here, such as "linux-x86_64".
        triple: What LLVM calls it.
        cpu: The oldest CPU it runs on, as LLVM calls it.
        zig: What Zig calls it, with the oldest C library.
        library: The file of kernels.
        border: The file of the extension for Python; empty if there is none.
        tag: The platform's tag in the name of a wheel.
        small: Prefer small code to quick code.
        whole: Optimise all units together, so that what they share is in the library once.
        wide: Features of newer CPUs. Units of `WIDE` are compiled for them as well, and the library
            chooses when it is loaded.
    """

    name: str
    triple: str
    cpu: str
    zig: str
    library: str
    border: str
    tag: str
    small: bool = False
    whole: bool = False
    wide: str = ""

    @property
    def in_browser(self) -> bool:
        """True if it is a WASM module."""
        return self.triple.startswith("wasm32")

    @property
    def manifest(self) -> str:
        """The file that says what the library was built from."""
        return f"{self.name}.json" if self.in_browser else "manifest.json"

    def draft(self) -> Target:
        """The same platform, with code that is small and soon compiled."""
        return replace(self, small=True, wide="")


WIDE = (
    "solvers.two_bone",
    "solvers.clip",
)  # what works on several targets at once, and gains from wide registers
AVX = "+avx,+avx2"
TWIN = "_wide"  # what the symbol of the other version ends with


def twins(target: Target, symbols: list[str]) -> list[str]:
    """The symbols that have a version for newer CPUs."""
    starts = tuple("supple_" + unit.replace(".", "_") + "_" for unit in WIDE)
    return [symbol for symbol in symbols if target.wide and symbol.startswith(starts)]


TARGETS = {
    target.name: target
    for target in (
        Target("linux-x86_64", "x86_64-unknown-linux-gnu", "x86-64", "x86_64-linux-gnu.2.17",
               "libkernels.so", "border.abi3.so", "manylinux_2_17_x86_64", wide=AVX),
        Target("linux-aarch64", "aarch64-unknown-linux-gnu", "generic", "aarch64-linux-gnu.2.17",
               "libkernels.so", "border.abi3.so", "manylinux_2_17_aarch64"),
        Target("macos-arm64", "arm64-apple-macosx11.0", "apple-m1", "aarch64-macos.11.0",
               "libkernels.dylib", "border.abi3.so", "macosx_11_0_arm64"),
        Target("macos-x86_64", "x86_64-apple-macosx11.0", "penryn", "x86_64-macos.11.0",
               "libkernels.dylib", "border.abi3.so", "macosx_11_0_x86_64", wide=AVX),
        Target("windows-x86_64", "x86_64-pc-windows-gnu", "x86-64", "x86_64-windows-gnu",
               "kernels.dll", "border.pyd", "win_amd64", wide=AVX),
        Target("wasm", "wasm32-unknown-unknown", "generic", "wasm32-wasi",
               "supple.wasm", "", "", small=True, whole=True),
        Target("wasm-clips", "wasm32-unknown-unknown", "generic", "wasm32-wasi",
               "supple_clips.wasm", "", "", small=True, whole=True),
    )
}  # fmt: skip

IN_BROWSERS = [target for target in TARGETS.values() if target.in_browser]

_MACHINES = {"amd64": "x86_64", "x86-64": "x86_64", "arm64": "aarch64"}


def of_this_machine() -> Target | None:
    """The platform at hand; None if it is not among the targets."""
    machine = platform.machine().lower()
    machine = _MACHINES.get(machine, machine)
    if sys.platform == "linux" and platform.libc_ver()[0] == "glibc":
        return TARGETS.get(f"linux-{machine}")
    if sys.platform == "darwin":
        return TARGETS.get(f"macos-{'arm64' if machine == 'aarch64' else machine}")
    if sys.platform == "win32":
        return TARGETS.get(f"windows-{machine}")
    return None
