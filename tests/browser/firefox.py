"""Just enough of WebDriver BiDi, which Firefox speaks by itself, to try the page in it.

Firefox gets no WebGL without a display; where there is none, Xvfb is one.
"""

import base64
import itertools
import json
import os
import re
import shutil
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE
from websockets.sync.client import connect

FIREFOX = next(filter(None, map(shutil.which, ("firefox-esr", "firefox"))), None)
XVFB = shutil.which("Xvfb")
PREFERENCES = {"webgl.force-enabled": True, "remote.active-protocols": 1}


class Firefox:
    """A Firefox of its own, with one page; `with` ends it."""

    def __init__(self, profile: Path) -> None:
        lines = [f'user_pref("{name}", {json.dumps(v)});' for name, v in PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines))
        self.profile = profile
        self.failed: list[str] = []
        self._numbers = itertools.count(1)
        self._open = ExitStack()

    def __enter__(self) -> "Firefox":
        try:
            self._begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused: object) -> None:
        self._open.close()

    def _begin(self) -> None:
        environment = {**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"}
        if "DISPLAY" not in environment:
            environment["DISPLAY"] = f":{self._display()}"
        told = self.profile / "told"
        with told.open("w") as file:
            command = [str(FIREFOX), "--no-remote", "--profile", str(self.profile)]
            command += ["--remote-debugging-port", "0"]
            process = self._start(command, env=environment, stderr=file)
        found = None
        began = time.monotonic()
        while found is None:
            time.sleep(0.05)
            if process.poll() is not None or time.monotonic() - began > PATIENCE:
                raise RuntimeError(f"Firefox did not start: {told.read_text()}")
            found = re.search(r"BiDi listening on (ws://\S+)", told.read_text())
        self._line = self._open.enter_context(
            connect(f"{found[1]}/session", max_size=None, open_timeout=PATIENCE)
        )
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self._page = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def _display(self) -> str:
        process = self._start(
            [str(XVFB), "-displayfd", "1", "-screen", "0", "1000x700x24"], stderr=subprocess.DEVNULL
        )
        assert process.stdout is not None
        return process.stdout.readline().strip()

    def _start(self, command: list[str], **more: Any) -> "subprocess.Popen[str]":
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **more)
        self._open.enter_context(process)  # waits for its end
        self._open.callback(process.terminate)
        return process

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer."""
        number = next(self._numbers)
        self._line.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            got = json.loads(self._line.recv(timeout=PATIENCE))
            if got.get("method") == "log.entryAdded" and got["params"]["level"] == "error":
                self.failed.append(got["params"]["text"])
            if got.get("id") == number:
                if got["type"] == "error":
                    raise RuntimeError(got["message"])
                return got["result"]

    def prepare(self, script: str) -> None:
        """Run a script before those of every page."""
        self.call(
            "script.addPreloadScript",
            functionDeclaration=f"() => {{ if (location.host) {{ {script} }} }}",
        )

    def open(self, address: str, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self.call("browsingContext.setViewport", context=self._page, viewport=size)
        self.call("browsingContext.navigate", context=self._page, url=address, wait="complete")

    def ask(self, script: str) -> Any:
        """What a script gives."""
        told = self.call(
            "script.evaluate",
            expression=f"Promise.resolve({script}).then((it) => JSON.stringify(it ?? null))",
            target={"context": self._page},
            awaitPromise=True,
        )
        if told["type"] != "success":
            raise RuntimeError(told["exceptionDetails"]["text"])
        return json.loads(told["result"]["value"])

    def drag(self, start: tuple[float, float], way: tuple[float, float], steps: int = 8) -> None:
        """Press the mouse, move it in steps, let it go."""
        places = [
            (round(start[0] + way[0] * k / steps), round(start[1] + way[1] * k / steps))
            for k in range(steps + 1)
        ]
        moves = [{"type": "pointerMove", "x": x, "y": y} for x, y in places]
        moves.insert(1, {"type": "pointerDown", "button": 0})
        moves.append({"type": "pointerUp", "button": 0})
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}}
        self.call("input.performActions", context=self._page, actions=[mouse | {"actions": moves}])

    def picture(self) -> bytes:
        """What the page shows, as PNG."""
        told = self.call("browsingContext.captureScreenshot", context=self._page)
        return base64.b64decode(told["data"])
