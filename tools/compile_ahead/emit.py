"""From bitcode to an object for a target: one optimisation of everything that a unit calls."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from compile_ahead.targets import TARGETS, TWIN, Target, twins

# The C library that kernels may call; anything else would call into Python.
LIBRARY = frozenset(
    (
        *(
            "acos",
            "asin",
            "atan",
            "atan2",
            "ceil",
            "copysign",
            "cos",
            "exp",
            "exp2",
            "fabs",
            "floor",
        ),
        *("fmod", "hypot", "log", "log2", "pow", "round", "sin", "sincos", "sqrt", "tan", "trunc"),
        *("memcpy", "memmove", "memset"),
    )
)

SMALL_INLINING = 225  # what may be inlined into small code, where nothing is forced


def emit(target: Target, bitcode: list[Path], symbols: list[str], out: Path) -> None:
    """Optimise units and write an object file.

    Args:
        target: What to compile for.
        bitcode: The files of one or more units, which become one object.
        symbols: The functions to keep: the entries.
        out: The object file.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(target.triple).create_target_machine(
        cpu=target.cpu, features="", opt=3, reloc="pic", codemodel="default"
    )
    module = llvm.parse_bitcode(bitcode[0].read_bytes())
    for path in bitcode[1:]:
        module.link_in(llvm.parse_bitcode(path.read_bytes()))
    text = str(module)
    module = _prepared(text, target, machine, set(symbols))
    if twins(target, symbols):
        module.link_in(_prepared(_twin(text, target, symbols), target, machine,
                                 {symbol + TWIN for symbol in symbols}))  # fmt: skip
    _optimise(module, target, machine)
    unknown = [
        one.name
        for one in (*module.functions, *module.global_variables)
        if one.is_declaration and not one.name.startswith("llvm.") and one.name not in LIBRARY
    ]
    if unknown:
        raise SystemExit(f"kernels may not call {', '.join(sorted(unknown))}")
    out.write_bytes(machine.emit_object(module))


def _twin(text: str, target: Target, symbols: list[str]) -> str:
    """A module's text for newer CPUs, with its entries renamed."""
    for symbol in symbols:
        text = re.sub(rf"@{symbol}\b", f"@{symbol}{TWIN}", text)
    features = f' "target-features"="{target.wide}" {{'
    return re.sub(r"^(define .*) \{$", lambda m: m[1] + features, text, flags=re.MULTILINE)


def _prepared(text: str, target: Target, machine: Any, keep: set[str]) -> Any:
    """A module for its target, of its text, with everything but the entries internal."""
    # Attributes of the machine that lowered it.
    text = re.sub(r'"(?:target-cpu|tune-cpu)"="[^"]*"', "", text)
    text = re.sub(r'"target-features"=""', "", text)
    text = re.sub(r"^target (?:triple|datalayout) = .*$", "", text, flags=re.MULTILINE)
    if target.small:
        text = text.replace("alwaysinline", "optsize")  # much is called from many places
    module = llvm.parse_assembly(text)
    module.triple = target.triple
    module.data_layout = str(machine.target_data)
    for function in module.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in keep else "internal"
            if function.name in keep:
                function.visibility = "hidden"
            if target.small:
                function.add_function_attribute("optsize")
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    return module


def _optimise(module: Any, target: Target, machine: Any) -> None:
    tuning = llvm.create_pipeline_tuning_options(speed_level=2 if target.small else 3)
    tuning.loop_vectorization = tuning.slp_vectorization = not target.small
    if target.small:
        tuning.inlining_threshold = SMALL_INLINING
    builder = llvm.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(module, builder)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("out", type=Path)
    parser.add_argument("bitcode", type=Path, nargs="+")
    parser.add_argument("--small", action="store_true")
    separator = sys.argv.index("--")
    given = parser.parse_args(sys.argv[1:separator])
    chosen = TARGETS[given.target]
    emit(
        chosen.draft() if given.small else chosen,
        given.bitcode,
        sys.argv[separator + 1 :],
        given.out,
    )
