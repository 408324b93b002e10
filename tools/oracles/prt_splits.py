"""Run splits of one's own in CityEngine's engine, and write how often their repeats come.

    python tools/oracles/prt_splits.py PACKAGES/identity.rpk OUT.json --splits 63 --seed 77

A tool to run by hand with `pip install pyprt py7zr numpy` in an environment of its own: pyprt is free for
personal, educational and non-commercial use only. The engine runs compiled rules alone, and a compiled
rule is a Java class file. identity.rpk has the rule `Init --> X.`; its code is replaced by a split whose
parts are moved along z by their number, so that the faces of the model tell the parts. OUT.json has, by
split, rows [length, copies of R1, copies of R2, parts].
"""

from __future__ import annotations

import argparse
import json
import random
import re
import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import py7zr
import pyprt

ESRI = "com/esri/gc/"
NODE, SCALE, AXIS = (f"L{ESRI}{name};" for name in ("SplitNode", "Scale", "SplitAxis"))
SCALES = {"": "ABS", "~": "FLT", "'": "REL"}


def u16(value: int) -> bytes:
    """Two bytes, the highest first, as class files have them."""
    return struct.pack(">H", value)


class ClassFile:
    """A class file whose constants grow; `rest` is what follows the constants."""

    def __init__(self, data: bytes) -> None:
        self.head, at = data[:8], 10
        self.constants: list[bytes | None] = [None]
        while len(self.constants) < struct.unpack(">H", data[8:10])[0]:
            kind = data[at]
            size = {1: 3 + struct.unpack(">H", data[at + 1 : at + 3])[0], 5: 9, 6: 9, 7: 3, 8: 3}
            entry = data[at : at + size.get(kind, 5)]
            self.constants += [entry, None] if kind in (5, 6) else [entry]
            at += len(entry)
        self.rest = data[at:]

    def constant(self, entry: bytes) -> int:
        """The index of a constant, which is added if it is not there."""
        if entry not in self.constants:
            self.constants += [entry, None] if entry[0] in (5, 6) else [entry]
        return self.constants.index(entry)

    def text(self, value: str) -> int:
        """The index of a string constant."""
        data = value.encode()
        return self.constant(b"\x01" + u16(len(data)) + data)

    def number(self, value: float) -> int:
        """The index of a number constant."""
        return self.constant(b"\x06" + struct.pack(">d", value))

    def member(self, kind: int, owner: str, name: str, descriptor: str) -> bytes:
        """Index of a field (9) or method (10) as two bytes."""
        of = self.constant(b"\x07" + u16(self.text(owner)))
        what = self.constant(b"\x0c" + u16(self.text(name)) + u16(self.text(descriptor)))
        return u16(self.constant(bytes([kind]) + u16(of) + u16(what)))

    def data(self) -> bytes:
        """The whole file."""
        every = b"".join(entry for entry in self.constants if entry)
        return self.head + u16(len(self.constants)) + every + self.rest


class SplitRule:
    """Compiles a split into the class of identity.rpk."""

    def __init__(self, data: bytes) -> None:
        self.file = ClassFile(data)
        self.names: list[str] = []

    def call(self, name: str, descriptor: str) -> bytes:
        """Call a built-in operation."""
        return b"\xb8" + self.file.member(10, f"{ESRI}Builtins", name, descriptor)

    def number(self, value: float) -> bytes:
        """Push a number."""
        return b"\x14" + u16(self.file.number(value))

    def field(self, owner: str, name: str) -> bytes:
        """Push a keyword."""
        return b"\xb2" + self.file.member(9, f"{ESRI}{owner}", name, f"L{ESRI}{owner};")

    def node(self, scale: str, size: float, repeated: bool, parts: int) -> bytes:
        """Push a new part or block of a split."""
        code = self.field("Scale", scale) + self.number(size) + (b"\x04" if repeated else b"\x03")
        make = self.call("_$createSplitNode", f"({SCALE}DZI){NODE}")
        return code + b"\x10" + bytes([parts]) + make

    def parts(self, tokens: list[str], scale: str = "RATIO", repeated: bool = False) -> bytes:
        """The code of a block; takes its tokens."""
        children = []
        while tokens and tokens[0] != "}*":
            token = tokens.pop(0)
            if token == "{":
                children.append(self.parts(tokens, repeated=True))
                tokens.pop(0)
            elif token != "|":
                mark = token if token in SCALES else ""
                size = float(tokens.pop(0) if mark else token)
                tokens.pop(0)  # the colon
                self.names.append(tokens.pop(0))
                code = self.node(SCALES[mark], size, False, 0)
                method = self.file.member(10, "identity", self.method(len(self.names)), "()V")
                code += b"\x59\x11" + method + self.call("_$addOpSeq", f"({NODE}I)V")
                children.append(code)
        add = self.call("_$addSplitNode", f"({NODE}{NODE})V")
        return self.node(scale, 1.0, repeated, len(children)) + b"".join(
            b"\x59" + child + add for child in children
        )

    @staticmethod
    def method(number: int) -> str:
        """The name of the method of a part."""
        return f"Default$_$r_Init${number}"

    def code(self, body: bytes) -> bytes:
        """The attribute Code of a method without arguments."""
        names = u16(self.file.text("this")) + u16(self.file.text("Lidentity;"))
        local = u16(1) + u16(0) + u16(len(body)) + names + u16(0)
        table = u16(self.file.text("LocalVariableTable")) + struct.pack(">I", len(local)) + local
        inner = u16(60) + u16(1) + struct.pack(">I", len(body)) + body + u16(0) + u16(1) + table
        return u16(self.file.text("Code")) + struct.pack(">I", len(inner)) + inner

    def build(self, split: str) -> bytes:
        """The class file of `Init --> split(x){ ... }`."""
        tokens = re.findall(r"\{|\}\*|\||:|~|'|[\w.]+", split)
        made = self.parts(tokens)
        cache = "_$splitNode$Default$Init$1"
        kept = self.file.member(9, "identity", cache, NODE)
        made += b"\x59\xb3" + kept
        made = b"\xb2" + kept + b"\x59\xc7" + u16(4 + len(made)) + b"\x57" + made
        run = self.call("split", f"({AXIS}{NODE})V")
        first = self.field("SplitAxis", "x") + made + run + b"\xb1"
        methods = b""
        leaf = self.file.member(10, "identity", "Default$X$", "()V")
        for k in range(len(self.names)):
            move = [self.field("Scale", "ABS") + self.number(z) for z in (0.0, 0.0, k + 1.0)]
            body = b"".join(move) + self.call("t", f"({SCALE}D{SCALE}D{SCALE}D)V")
            body += b"\x2a\x11" + leaf + b"\x06"
            body += self.call("_$createShape", "(Ljava/lang/Object;II)V") + b"\xb1"
            name = u16(self.file.text(self.method(k + 1))) + u16(self.file.text("()V"))
            methods += u16(2) + name + u16(1) + self.code(body)
        field = u16(0x1A) + u16(self.file.text(cache)) + u16(self.file.text(NODE)) + u16(0)
        self._insert(field, methods, len(self.names), self.code(first))
        return self.file.data()

    def _insert(self, field: bytes, methods: bytes, count: int, first: bytes) -> None:
        """Add a field and methods, and replace the code of the start rule."""
        rest, start = self.file.rest, self.file.text("Default$Init")
        code = self.file.text("Code")

        def short(at: int) -> int:
            return struct.unpack(">H", rest[at : at + 2])[0]

        def attributes(at: int) -> list[tuple[int, int]]:
            """(start, end) of the attributes that begin with their number at a place."""
            found, end = [], at + 2
            for _ in range(short(at)):
                begin = end
                end += 6 + struct.unpack(">I", rest[end + 2 : end + 6])[0]
                found.append((begin, end))
            return found

        def after(at: int) -> int:
            return max([at + 8, *(end for _, end in attributes(at + 6))])

        at = fields = 8 + 2 * short(6)
        at += 2
        for _ in range(short(fields)):
            at = after(at)
        out = rest[:fields] + u16(short(fields) + 1) + rest[fields + 2 : at] + field
        out += u16(short(at) + count)
        total, at = short(at), at + 2
        for _ in range(total):
            end = after(at)
            if short(at + 2) == start:
                out += rest[at : at + 8]
                for begin, last in attributes(at + 6):
                    out += first if short(begin) == code else rest[begin:last]
            else:
                out += rest[at:end]
            at = end
        self.file.rest = out + methods + rest[at:]


def engine(package: Path, split: str, lengths: list[float]) -> list[list[str]]:
    """The names of the parts that the engine makes of a split, for each length."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "package"
        with py7zr.SevenZipFile(package) as archive:
            archive.extractall(root)
        compiled = root / "bin" / "identity.cgb"
        rule = SplitRule(compiled.read_bytes())
        compiled.write_bytes(rule.build(split))
        made = Path(folder) / "split.rpk"
        filters = [{"id": py7zr.FILTER_LZMA}]
        with py7zr.SevenZipFile(made, "w", filters=filters) as archive:
            archive.set_encoded_header_mode(False)
            for name in (".resolvemap.xml", "bin/identity.cgb", "rules/identity.cga"):
                archive.write(root / name, name)
        lots = [pyprt.InitialShape([0, 0, 1, w, 0, 1, w, 0, 0, 0, 0, 0]) for w in lengths]
        options = {"emitGeometry": True}
        models = pyprt.ModelGenerator(lots).generate_model(
            [{"seed": 0}] * len(lots), str(made), "com.esri.pyprt.PyEncoder", options
        )
    found: dict[int, list[str]] = {}
    for model in models:
        heights = np.array(model.get_vertices()).reshape(-1, 3)[:, 2]
        ends = np.cumsum(model.get_faces())
        faces = np.split(np.array(model.get_indices(), dtype=int), ends[:-1])
        names = [rule.names[round(float(heights[face].min())) - 1] for face in faces]
        found[model.get_initial_shape_index()] = names
    return [found[k] for k in range(len(lengths))]


def random_split(rng: random.Random) -> str:
    """Two repeats, with absolute and floating parts in them and beside them."""

    def part(floats: float, name: str = "P") -> str:
        size = rng.choice([0.3, 0.5, 1, 1.5, 2, 2.6, 3.55, round(rng.uniform(0.2, 4), 2)])
        return f"{'~' if rng.random() < floats else ''}{size} : {name}"

    def some() -> list[str]:
        return [part(0.3) for _ in range(rng.choice([0, 1, 1, 2]))]

    found = some()
    for k in (1, 2):
        inner = [part(0.7, f"R{k}"), *(part(0.5) for _ in range(rng.choice([0, 0, 1, 2])))]
        rng.shuffle(inner)
        found += ["{ " + " | ".join(inner) + " }*", *some()]
    return " | ".join(found)


def main(package: Path, out: Path, splits: int, seed: int) -> None:
    """Write the copies of the repeats of random splits."""
    rng = random.Random(seed)
    rows: dict[str, Any] = {}
    for _ in range(splits):
        split = random_split(rng)
        lengths = [round(rng.uniform(2, most), 2) for most in (40, 40, 40, 40, 40, 12, 12, 12)]
        rows[split] = [
            [length, names.count("R1"), names.count("R2"), len(names)]
            for length, names in zip(lengths, engine(package, split, lengths), strict=True)
        ]
    lines = [f"{json.dumps(split)}:\n  {json.dumps(found)}" for split, found in rows.items()]
    out.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{out}: {sum(len(found) for found in rows.values())} rows")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("package", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--splits", type=int, default=63)
    parser.add_argument("--seed", type=int, default=77)
    given = parser.parse_args()
    main(given.package, given.out, given.splits, given.seed)
