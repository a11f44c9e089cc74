"""Headless Chromium controlled through its debugging pipe (Chrome DevTools Protocol), by the standard library."""

import base64
import io
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from matplotlib.image import imread

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu",
    "--enable-unsafe-swiftshader", "--hide-scrollbars", "--no-first-run",
    "--disable-background-networking", "--disable-dev-shm-usage", "--window-size=1280,800",
)  # fmt: skip  # no graphics card: SwiftShader draws WebGL by the processor
OWN_DRAWING = (
    "GPU stall due to ReadPixels"  # the browser warns itself when it fetches WebGL's picture without a card
)
STANDS = """new Promise((done) => {
  const look = () => (femMbd.view.stage.fine ? done(true) : requestAnimationFrame(look));
  requestAnimationFrame(look);
})"""
SECONDS = 60.0


def find_browser() -> str | None:
    """Path of the program, None where there is none; the environment variable CHROMIUM overrides it."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One page in a browser of its own.

    Attributes
    ----------
    errors : errors of its console and its scripts
    requests : addresses requested by the page
    """

    def __init__(self, program: str, profile: Path) -> None:
        self.errors: list[str] = []
        self.requests: list[str] = []
        self._count, self._rest, self._session = 0, b"", ""
        to_browser, from_browser = os.pipe(), os.pipe()
        self._out, self._in = to_browser[1], from_browser[0]
        # the browser reads commands from descriptor 3 and writes answers to 4
        shell = f'exec "$0" "$@" 3<&{to_browser[0]} 4>&{from_browser[1]}'
        self._process = subprocess.Popen(
            ["bash", "-c", shell, program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(to_browser[0], from_browser[1]), stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser[0])
        os.close(from_browser[1])
        page = next(t for t in self.send("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=page["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and return its answer."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return dict(answer["result"])
            self._note(answer)

    def open(self, page: Path, fragment: str = "") -> None:
        """Load a file, and wait until its script has started."""
        self.send("Page.navigate", url=page.as_uri() + fragment)
        end = time.monotonic() + SECONDS
        while not self.value("typeof femMbd !== 'undefined' && document.readyState === 'complete'"):
            if time.monotonic() > end:
                raise TimeoutError(f"{page}: it did not start; {self.errors}")
            time.sleep(0.05)

    def value(self, expression: str) -> Any:
        """Value of a JavaScript expression; promises are awaited."""
        given = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in given:
            raise RuntimeError(f"{expression}: {given['exceptionDetails']}")
        return given["result"].get("value")

    def picture(self, file: Path | None = None) -> np.ndarray:
        """(rows, columns, channels) of the rendered page when it no longer changes; also written to ``file``."""
        self.value(STANDS)
        data = base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])
        if file is not None:
            file.write_bytes(data)
        return np.asarray(imread(io.BytesIO(data), format="png"))

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], SECONDS)[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self._in, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self._rest += piece
        message, self._rest = self._rest.split(b"\0", 1)
        return dict(json.loads(message))

    def _note(self, event: dict[str, Any]) -> None:
        """Record requests and errors of the page."""
        method, about = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(str(about["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning"):
            self.errors.append(str(about["args"]))
        elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            if OWN_DRAWING not in about["entry"]["text"]:
                self.errors.append(str(about["entry"]))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        os.close(self._out)
        os.close(self._in)
        self._process.terminate()
        self._process.wait(SECONDS)
