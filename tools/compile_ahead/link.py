"""From objects to a library, by the linker that comes with Zig (the package ``ziglang``)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from compile_ahead.targets import TWIN, Target, twins

_HERE = Path(__file__).resolve().parent


class BuildError(Exception):
    """Why the library could not be built."""


Rows = list[tuple[str, str, str]]
"""The entries: name, codes, symbol."""


def link(target: Target, objects: list[Path], rows: Rows, folder: Path, cache: Path) -> list[Path]:
    """Link the library of a target, and its border for Python.

    Args:
        target: What to link for.
        objects: What `emit` wrote.
        rows: The entries.
        folder: Where the files go.
        cache: Where Zig keeps what it has built of the C library.

    Returns:
        The files.
    """
    with tempfile.TemporaryDirectory(prefix="supple-link-") as scratch:
        if target.in_browser:
            return [_link_wasm(target, objects, rows, folder, cache)]
        table = Path(scratch, "table.c")
        table.write_text(_table(rows, target))
        library = folder / target.library
        flags = ["-shared", "-O2", "-g0", "-fvisibility=hidden", "-s"]
        libm = ["-lm"] if target.name.startswith("linux") else []
        _zig(target, cache, *flags, str(table), *map(str, objects), *libm, "-o", str(library))
        border = folder / target.border
        _zig(target, cache, *flags, str(_HERE / "border.c"), *_python(target, scratch, cache),
             "-o", str(border))  # fmt: skip
        for left in (*folder.glob("*.lib"), *folder.glob("*.pdb")):
            left.unlink()  # what only Windows' own linker wants
        return [library, border]


def _table(rows: Rows, target: Target) -> str:
    """The C source of the table of entries."""
    symbols = [symbol for _, _, symbol in rows]
    wide = twins(target, symbols)
    declared = "\n".join(
        f"void {symbol}(int64_t *);" for symbol in (*symbols, *(one + TWIN for one in wide))
    )
    listed = "\n".join(f'    {{"{name}", "{codes}", {symbol}}},' for name, codes, symbol in rows)
    chosen = "\n".join(
        f"        supple_entries[{symbols.index(one)}].call = {one}{TWIN};" for one in wide
    )
    return f"""#include <stdint.h>
#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
{declared}
typedef struct {{ const char *name, *codes; void (*call)(int64_t *); }} Row;
EXPORT const int64_t supple_entry_count = {len(rows)};
EXPORT Row supple_entries[] = {{
{listed}
}};
{_CHOICE % chosen if wide else ""}"""


# Whether the CPU has AVX2, and the system keeps its registers.
_CHOICE = """
#include <cpuid.h>
static int has_avx2(void) {
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & (3u << 27)) != (3u << 27))
        return 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    if ((low & 6) != 6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return 0;
    return (b >> 5) & 1;
}
__attribute__((constructor)) static void choose(void) {
    if (has_avx2()) {
%s
    }
}
"""


def _python(target: Target, scratch: str, cache: Path) -> list[str]:
    """How the border finds Python's functions."""
    if target.name.startswith("macos"):
        return ["-Wl,-undefined,dynamic_lookup"]
    if not target.name.startswith("windows"):
        return []  # they are in the process already
    source = (_HERE / "border.c").read_text()
    names = re.findall(r"^API .*?(Py\w+)(?=[(;])", source, re.MULTILINE)
    definition, library = Path(scratch, "python3.def"), Path(scratch, "libpython3.a")
    data = {"PyExc_TypeError"}
    lines = [f"    {name}{' DATA' if name in data else ''}" for name in names]
    definition.write_text("LIBRARY python3.dll\nEXPORTS\n" + "\n".join(lines) + "\n")
    _run(cache, "dlltool", "-m", "i386:x86-64", "-d", str(definition), "-l", str(library))
    return [str(library)]


def _link_wasm(target: Target, objects: list[Path], rows: Rows, folder: Path, cache: Path) -> Path:
    module = folder / target.library
    exports = [f"-Wl,--export={symbol}" for _, _, symbol in rows]
    _zig(target, cache, "-mexec-model=reactor", "-nostartfiles", "-O2", "-s", *map(str, objects), "-lm",
         "-Wl,--no-entry", "-Wl,--export=__heap_base", "-Wl,--gc-sections", *exports,
         "-o", str(module))  # fmt: skip
    return module


def _zig(target: Target, cache: Path, *arguments: str) -> None:
    _run(cache, "cc", "-target", target.zig, *arguments)


def _run(cache: Path, *arguments: str) -> None:
    places = {"ZIG_LOCAL_CACHE_DIR": str(cache)}
    places["ZIG_GLOBAL_CACHE_DIR"] = os.environ.get("ZIG_GLOBAL_CACHE_DIR", str(cache))
    done = subprocess.run(
        [sys.executable, "-m", "ziglang", *arguments],
        env={**os.environ, **places},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BuildError(f"`zig {' '.join(arguments[:3])} …` failed:\n{done.stderr.strip()}")
