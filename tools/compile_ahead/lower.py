"""From kernels to LLVM bitcode: Numba types and lowers each, and leaves out everything after that.

A process of its own, because Numba is changed here: callees are neither optimised nor compiled by
themselves, which is two thirds of what just-in-time compilation takes; the whole unit is optimised
once, for its target, by `emit`.
"""

from __future__ import annotations

import gc
import importlib
import os
import re
import sys
from pathlib import Path
from typing import Any

os.environ.update(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="", SUPPLE_JIT="1")

import llvmlite.binding as llvm  # noqa: E402
from llvmlite import ir  # noqa: E402
from numba.core import codegen, cpu, types  # noqa: E402
from numba.np import arrayobj  # noqa: E402

_SCALARS = {"i": types.int64, "f": types.float64, "u": types.uint8, "b": types.boolean}
_SLOT = ir.IntType(64)

# Allocations between two collections of garbage. Numba keeps most of what it makes: with Python's own
# threshold a quarter of the time goes into looking through it (78 s of CPU for all units, 59 s with this
# one, at 640 MB in place of 490).
GC_THRESHOLD = 1_000_000

_libraries: list[Any] = []


def _finalize(library: Any) -> None:
    library._raise_if_finalized()
    library._finalized = True
    _libraries.append(library)


def lower(modules: list[str], folder: Path) -> None:
    """Write the entries of each unit to ``<name>.bc``.

    Args:
        modules: Units, each as "name=module,module".
        folder: Where the bitcode goes, with "<name>.txt": the table of its entries.
    """
    gc.set_threshold(GC_THRESHOLD)
    types.BaseFunction.get_call_type = _remembered(types.BaseFunction.get_call_type)
    codegen.CPUCodeLibrary.finalize = _finalize
    codegen.CPUCodeLibrary._optimize_functions = lambda *_: None
    # Numba tells compiled functions apart by their callable: each gets a new one, never called.
    cpu.CPUContext.get_executable = lambda *_: [].append

    from supple.kernels import decorators, jit

    jit.CACHED = False
    jit.OPTIONS.update(no_cpython_wrapper=True, no_cfunc_wrapper=True)
    # What `import supple` has decorated already is decorated again, without the cache.
    for name in [name for name in sys.modules if name.startswith(("supple.kernels.", "supple."))]:
        if not name.endswith(
            (".kernels.decorators", ".kernels.jit", ".kernels.library", ".errors")
        ):
            del sys.modules[name]
    decorators.ENTRIES.clear()

    for unit in modules:
        name, _, listed = unit.partition("=")
        rows = []
        parts: dict[int, Any] = {}
        for module in listed.split(","):
            loaded = importlib.import_module(module)
            inside = module.removeprefix("supple.")
            for entry, signature in sorted(decorators.ENTRIES.items()):
                if entry.rpartition(".")[0] != inside:
                    continue
                kernel = getattr(loaded, entry.rpartition(".")[2])
                rows.append(_entry(entry, signature, kernel, parts))
        merged = _merged(list(parts.values()))
        (folder / f"{name}.bc").write_bytes(merged.as_bitcode())
        (folder / f"{name}.txt").write_text("".join(f"{' '.join(row)}\n" for row in rows))
        print(name, flush=True)


def _remembered(get_call_type: Any) -> Any:
    """Make Numba type a call once for all calls of the same function and types, such as float + float."""

    def remembered(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            return get_call_type(self, context, args, kws)
        known = self.__dict__.setdefault("_remembered", {})
        found = known.get(args)
        if found is None:
            found = known[args] = get_call_type(self, context, args, kws)
        return found

    return remembered


def _entry(name: str, signature: str, kernel: Any, parts: dict[int, Any]) -> tuple[str, str, str]:
    """Compile one entry and its shim; everything that they are made of goes to `parts`."""
    takes, _, gives = signature.partition("->")
    arguments = tuple(_type(code) for code in takes.split())
    kernel.compile(arguments)
    compiled = kernel.overloads[arguments]
    wanted = [_SCALARS[code] for code in gives.split()]
    got = compiled.signature.return_type
    listed = [] if got is types.none else list(got.types) if _is_tuple(got) else [got]
    if listed != wanted:
        raise SystemExit(f"{name}: declared to return {gives.strip() or 'nothing'}, returns {got}")
    compiled.library._ensure_finalized()
    _collect(compiled.library, parts)
    symbol = "supple_" + name.replace(".", "_")
    shim = _shim(symbol, compiled)
    parts[id(shim)] = shim
    codes = "".join(
        code if len(code) == 1 else code[0].upper() + code[1] for code in takes.split()
    ) + (">" + "".join(gives.split()) if gives else "")
    return name, codes, symbol


def _type(code: str) -> Any:
    scalar = _SCALARS[code[0]]
    return scalar if len(code) == 1 else types.Array(scalar, int(code[1:]), "C")


def _is_tuple(value: Any) -> bool:
    return isinstance(value, types.BaseTuple)


def _collect(library: Any, parts: dict[int, Any]) -> None:
    """A library and all that it calls."""
    if id(library) not in parts:
        parts[id(library)] = library._final_module
        for used in library._linking_libraries:
            _collect(used, parts)


def _shim(symbol: str, compiled: Any) -> Any:
    """A function of one argument, the address of the slots, that calls an entry."""
    context, target = compiled.target_context, compiled.fndesc
    module = context.create_module(symbol)
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [ir.PointerType(_SLOT)]), symbol)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    (table,) = function.args
    next_slot = 1  # 0 is reserved

    def slot() -> Any:
        nonlocal next_slot
        place = builder.gep(table, [ir.Constant(_SLOT, next_slot)])
        next_slot += 1
        return place

    values = [_argument(context, builder, kind, slot) for kind in compiled.signature.args]
    callee = context.declare_function(module, target)
    _, result = context.call_conv.call_function(
        builder, callee, target.restype, target.argtypes, values
    )
    returned = compiled.signature.return_type
    if _is_tuple(returned):
        for i, kind in enumerate(returned.types):
            _store(builder, kind, builder.extract_value(result, i), slot())
    elif returned is not types.none:
        _store(builder, returned, result, slot())
    builder.ret_void()
    return llvm.parse_assembly(str(module))


def _argument(context: Any, builder: Any, kind: Any, slot: Any) -> Any:
    first = builder.load(slot())
    if not isinstance(kind, types.Array):
        return _loaded(context, builder, kind, first)
    item = context.get_data_type(kind.dtype)
    size = context.get_abi_sizeof(item)
    shape = [builder.load(slot()) for _ in range(kind.ndim)]
    strides = [ir.Constant(_SLOT, size)]
    for extent in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    made = arrayobj.make_array(kind)(context, builder)
    data = builder.inttoptr(first, ir.PointerType(item))
    arrayobj.populate_array(made, data, shape, strides, strides[-1], meminfo=None)
    return made._getvalue()


def _loaded(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    if kind is types.float64:
        return builder.bitcast(value, ir.DoubleType())
    if kind is types.boolean:
        return builder.icmp_signed("!=", value, ir.Constant(_SLOT, 0))
    return value


def _store(builder: Any, kind: Any, value: Any, place: Any) -> None:
    if kind is types.float64:
        value = builder.bitcast(value, _SLOT)
    elif value.type != _SLOT:
        value = builder.zext(value, _SLOT)
    builder.store(value, place)


# Numba counts the functions that a process has compiled, and has the number in their names.
_COUNTED = re.compile(r"(_ZN6supple\w*?)B\d+v\d+")


def _merged(modules: list[Any]) -> Any:
    """All modules in one; the definitions that several have are the same.

    Kernels are named without Numba's count: they have the same name in every unit, whatever was compiled before.
    """
    whole = None
    for module in modules:
        part = llvm.parse_assembly(_COUNTED.sub(r"\1", str(module)))
        for function in part.functions:
            if not function.is_declaration:
                function.linkage = "weak_odr"  # others are dropped if nothing calls them yet
        if whole is None:
            whole = part
        else:
            whole.link_in(part)
    return whole


if __name__ == "__main__":
    lower(sys.argv[2:], Path(sys.argv[1]))
