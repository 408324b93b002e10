"""The playground: IK you can grab, in the browser.

`view(obj)` shows anything of supple's; `supple demo` and `supple view FILE` do the same from the
command line. The server is Starlette; the page is TypeScript, in `web/`, and holds no solver.
"""

from supple.viewer.browser import View, view

__all__ = ["View", "view"]
