"""Compile supple's kernels when it is built, for Python and for the browser.

    sources ── lower ──> bitcode of each unit ── emit ──> objects of a target ── link ──> library

A unit is a file of `supple.solvers` with entries, or all of `supple.kernels` together; it is lowered
and emitted again only when it, or a kernel source that it imports, has changed. Run
``python -m compile_ahead --help`` with ``tools`` on the path.
"""
