"""`supple.page`: one HTML file that needs no server, with the scene, the kernels and the script in it.

Everything that comes from a model is in the data, compressed and in base64, except the title, which is
escaped. The page's own policy allows only the script, and no requests.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from supple import files
from supple.apps.character.motion import Motion
from supple.apps.viewer.baked import NAME, bake, page_goals
from supple.apps.viewer.library import Library, subject_of
from supple.apps.viewer.subject import Subject
from supple.errors import SuppleError, listed, text
from supple.kernels import library, sources
from supple.model.skeleton import Skeleton

BUILT = Path(__file__).with_name("page")
SCRIPT, STYLE = "standalone.js", "standalone.css"
NOT_BUILT = (
    "the script of the page has not been built: install supple again where the npm registry can be "
    "reached, or run `npm install && npm run build` in web/ and copy web/dist to src/supple/apps/viewer/page"
)
# Modules for browsers, each with its manifest. Whole clips are solved by one of their own.
WASM, CLIPS_WASM = ("supple.wasm", "wasm.json"), ("supple_clips.wasm", "wasm-clips.json")
LABEL = "The scene. Drag an orange goal; drag empty space to turn the view."
ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cpath d='M6 26 "
    "13 13l11-3' fill='none' stroke='%2359b8ee' stroke-width='5' stroke-linecap='round' "
    "stroke-linejoin='round'/%3E%3Ccircle cx='25' cy='9' r='5' fill='%23ff8a1f'/%3E%3C/svg%3E"
)


def page(
    value: Any,
    path: str | os.PathLike[str],
    *,
    goals: Iterable[str] | None = None,
    motions: Iterable[Any] = (),
    title: str | None = None,
) -> Path:
    """Write one HTML file in which a figure can be dragged: no server, no network, no Python.

    The file holds the figure, its meshes and motions, the solvers (`supple.wasm`) and the script. It opens
    from a disk, a mail or a web server. Goals can be dragged, limits switched off, solvers switched, motions
    played, solves stepped through.

    Args:
        value: A character, skeleton, pose, solution, motion or growth, or the path of a file.
        path: Where to write the page.
        goals: Names of the joints and tips that have a goal; by default a hand and the one opposite, or
            the tip that is farthest from the root.
        motions: Further motions of the same skeleton: `Motion`, or what `correct` and `plant_feet` gave.
        title: The title of the page.

    Returns:
        The path of the page.

    Raises:
        SuppleError: It cannot be shown or written, or the page's script or kernels have not been built.
    """
    path = files.check_writable(path, "page")
    if title is not None:
        text("title", title)
    subject = _subject(value, title)
    played = dict(subject.motions)
    for one in listed("motions", motions, "a list of motions"):
        motion = _motion(one, subject.skeleton)
        same = motion.name in played
        played[f"{motion.name}, corrected" if same else motion.name] = motion
    subject = replace(subject, motions=played)
    subject = replace(subject, goals=page_goals(subject, goals), notes=(), trace=None)
    if not subject.goals:
        raise SuppleError(
            f"page: expected something with a joint that can move, got {subject.title}"
        )
    files.write(path, page_text(subject), "page")
    return path


def page_text(subject: Subject) -> str:
    """The text of a page.

    Args:
        subject: What is shown, with at least one goal.

    Raises:
        SuppleError: It cannot be solved, or the page's script or kernels have not been built.
    """
    script, style, kernels = _built(SCRIPT), _built(STYLE), kernels_wasm()
    return _html(subject.title, bake(subject, kernels), script, style)


def _subject(value: Any, title: str | None) -> Subject:
    """What is shown, with goals of its own: growing anew for other targets would need Python."""
    if isinstance(value, (str, os.PathLike)):
        file = files.as_path("value", value)
        if not file.is_file():
            raise SuppleError(f"{file}: there is no such file")
        if file.suffix.lower() == ".cga":
            from supple.apps.grammar import grow  # the grammar, which few pages need

            return subject_of(grow(file), key=NAME, title=title or file.name)
        opened = Library()
        subject = opened.subject(opened.open_file(file))
        return replace(subject, key=NAME, title=title or subject.title)
    subject = subject_of(value, key=NAME, title=title)
    return replace(subject, title=title or subject.title)


def _motion(value: Any, skeleton: Skeleton) -> Motion:
    motion = value if isinstance(value, Motion) else getattr(value, "motion", None)
    if not isinstance(motion, Motion):
        raise SuppleError(
            f"motions: expected a Motion, Correction or Planted, got a {type(value).__name__}"
        )
    return motion.on(skeleton)


def _built(name: str) -> str:
    try:
        return (BUILT / name).read_text(encoding="utf-8")
    except OSError:
        raise SuppleError(NOT_BUILT) from None


def _html(title: str, data: bytes, script: str, style: str) -> str:
    # What would end the element, or begin a comment in it, stands in strings only.
    script = script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    policy = (
        f"default-src 'none'; script-src {_hash(script)} 'wasm-unsafe-eval'; style-src {_hash(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="dark light">
<title>{html.escape(title)}</title>
<link rel="icon" href="{ICON}">
<style>{style}</style>
</head>
<body>
<main id="stage">
<canvas id="canvas" tabindex="0" aria-label="{LABEL}"></canvas>
<div id="labels" aria-hidden="true"></div>
<p id="loading">Loading&hellip;</p>
</main>
<script type="application/octet-stream" id="data">{base64.b64encode(data).decode()}</script>
<script>{script}</script>
</body>
</html>
"""


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def kernels_wasm(module: tuple[str, str] = WASM) -> bytes:
    """The kernels compiled for browsers.

    Args:
        module: The file and that of its manifest: `WASM` for all solvers, `CLIPS_WASM` for whole clips.

    Raises:
        SuppleError: They are missing, damaged, or were built from other sources.
    """
    path = library.FOLDER / module[0]
    build = f"python -m compile_ahead --target {module[1].removesuffix('.json')}"
    try:
        manifest = json.loads((library.FOLDER / module[1]).read_bytes())
        content = path.read_bytes()
    except (OSError, ValueError):
        if _are_being_compiled():
            raise SuppleError(
                "the kernels for browsers are still being compiled; reload the page in a minute"
            ) from None
        raise SuppleError(
            f"the kernels for browsers ({module[0]}) are missing; install a wheel of supple, or build "
            f"them in a checkout ({build}, with tools on the path)"
        ) from None
    if manifest.get("sha256") != hashlib.sha256(content).hexdigest():
        raise SuppleError(f"{path}: expected what was built; the file is damaged, install it again")
    built_from = sources.fingerprint(library.FOLDER.parent)
    if built_from and manifest.get("sources") != built_from:
        raise SuppleError(
            f"{path}: kernels were edited since it was built; build it again "
            f"({build}, with tools on the path)"
        )
    return content


def _are_being_compiled() -> bool:
    """True if the library is a draft, behind which `make demo` compiles everything in full."""
    try:
        manifest = json.loads((library.FOLDER / library.MANIFEST).read_bytes())
        return bool(manifest["draft"])
    except (OSError, ValueError, KeyError, TypeError):
        return False
