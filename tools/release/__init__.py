"""``make release``: build every artefact, enter by every door, and list what to publish.

- `dist` builds the wheels and the source (``make dist``).
- `artefacts` opens each of them and checks what is inside.
- `environments` makes empty environments, with the oldest or the newest dependencies.
- `smoke` runs in such an environment and uses supple as a newcomer would.
"""
