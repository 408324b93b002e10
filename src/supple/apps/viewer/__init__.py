"""The playground: interactive IK in the browser.

`view(value)` shows a character, skeleton, pose, solution, motion or trace; `supple demo` and `supple view
FILE` do the same from the command line. The server is Starlette; the page is TypeScript, in `web/`.
`page(value, path)` writes a file that does the same without a server: `standalone` writes it, `baked` is
the data in it, and the page solves with `supple.wasm`.

To serve: `browser` opens it, `server` runs uvicorn, `http_protocol` closes slow connections, `app` has the
routes, `assets` the built files, `security` checks requests, `token` is what they need, `uploads` receives
files. To show: `library` opens files, `subject` is what is shown, `scenes` are the
built-in ones, `grammar_rules` grows shapes. To solve: `session` handles the messages of a page, `model`
turns a setup into prepared problems, `export` saves. To work on motions: `found_contacts`, `motion_edits`,
`retargeted` and its `source`. To send: `describe`, `meshes`, `bounds`, `limits`, `solvers` and `motion_report` fill the
messages that `messages` defines; `typescript` writes their types for the page, `typescript_kernels` what it
calls the kernels by.
"""

from supple.apps.viewer.browser import View, view
from supple.apps.viewer.standalone import page

__all__ = ["View", "page", "view"]
