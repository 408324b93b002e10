"""Write what the page needs to run compiled kernels as TypeScript: columns, signatures, words.

`python -m supple.apps.viewer.typescript_kernels FILE` writes the file; a test checks that it is up to date.
"""

from __future__ import annotations

import json
import sys

from supple.apps.viewer import limits
from supple.files import write
from supple.kernels import decorators, forward, layout, skinning
from supple.solve import execute, lowered
from supple.solve.outcome import REASONS, Status

HEAD = (
    "// Written by `python -m supple.apps.viewer.typescript_kernels`; change src/supple/kernels/layout.py, "
    "src/supple/solve/outcome.py, lowered.py or src/supple/apps/viewer/limits.py.\n"
)
CALLED = tuple(f"{one.__name__.removeprefix('supple.')}." for one in (forward, skinning))
STATUSES = tuple(Status)
COLUMNS = {
    "a joint's integer row": ("KIND", "Q", "NQ", "STRETCH_Q", "MIMIC", "JOINT_INTS"),
    "a joint's float row": ("LIMITS", "AXIS", "MIMIC_MUL", "MIMIC_ADD", "TILTS", "JOINT_FLOATS"),
    "bits of a joint's kind": ("SLIDES", "ANGLE", "QUATERNION", "SWING_TWIST", "QUADRANTS"),
    "a step of a trace": ("V_ITERATION", "V_KIND", "V_JOINT", "V_CHANGE", "EVENT", "PLACED"),
    "why a solver stopped": ("STOP_HELD",),
    "statuses": tuple(status.name for status in STATUSES),
}


def typescript() -> str:
    """The file `kernels/constants.ts`."""
    parts = [
        HEAD,
        "/** The first bytes of a lowered problem. */",
        f"export const SIGNATURE = {json.dumps(lowered.SIGNATURE.decode())};",
        f"export const VERSION = {lowered.FORMAT_VERSION};\n",
        "/** Problems of another stamp are packed by other columns. */",
        f"export const LAYOUT = {json.dumps(lowered.layout_stamp())};\n",
        "/** A later solver's answer that is not reached must cost less than this fraction. */",
        f"export const BETTER = {execute.BETTER_COST_RATIO!r};\n",
        "/** Greatest distance to a limit that counts as being at it [rad, or model units]. */",
        f"export const AT_LIMIT = {limits.AT_LIMIT!r};\n",
        "/** What entries take: a letter and, for an array, its number of axes. */",
        f"export const SOLVE = {json.dumps(decorators.SOLVE)};",
        "export const SIGNATURES = {",
        *(
            f"  {json.dumps(name)}: {json.dumps(signature)},"
            for name, signature in sorted(decorators.ENTRIES.items())
            if name.startswith(CALLED)
        ),
        "} as const;\n",
        "// Vertices in a row of work of skinning.",
        f"export const SKINNING_BLOCK = {skinning.BLOCK_VERTICES};\n",
    ]
    for title, names in COLUMNS.items():
        parts.append(f"// {title[0].upper()}{title[1:]}.")
        parts += [f"export const {name} = {getattr(layout, name)};" for name in names]
        parts.append("")
    words = ", ".join(json.dumps(status.words) for status in STATUSES)
    parts += [
        "/** Statuses in words, by their numbers. */",
        f"export const STATUS_WORDS = [{words}] as const;\n",
        "/** Why a solve ended, in words. */",
        "export const REASONS = {",
        *(f"  {key}: {json.dumps(text)}," for key, text in REASONS.items()),
        "} as const;",
        "",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    write(sys.argv[1], typescript(), "constants")
