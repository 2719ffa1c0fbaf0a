# SPDX-License-Identifier: Apache-2.0
"""Debian's Chromium, without a display: an application opens it, and a test uses it by its WebDriver."""

from __future__ import annotations

import json
import os
import pathlib
import re
import signal
import subprocess
import time

import requests

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the name of references to elements in WebDriver
TIMEOUT = 60


def wait_for(what: str, condition):
    """What `condition` returns once that is true."""
    end = time.monotonic() + TIMEOUT
    while not (found := condition()):
        assert time.monotonic() < end, f"{what}: not within {TIMEOUT} s"
        time.sleep(0.05)
    return found


class Chromium:
    """A browser with a profile of its own, which trusts `roots`."""

    def __init__(self, folder: pathlib.Path, roots: str, hosts: dict[str, str] | None = None) -> None:
        folder.mkdir()
        self.profile, self._folder, self._driver, self._session = folder / "profile", folder, None, ""
        self._http = requests.Session()
        self._http.trust_env = False
        store = folder / "home/.pki/nssdb"
        store.mkdir(parents=True)
        for command in ["-N", "--empty-password"], ["-A", "-n", "test", "-t", "C,,", "-i", roots]:
            subprocess.run(["certutil", "-d", f"sql:{store}", *command], check=True)
        rules = ",".join(f"MAP {name} {address}" for name, address in (hosts or {}).items())
        options = ["--headless=new", f"--user-data-dir={self.profile}", "--remote-debugging-port=0", "--no-proxy-server",
                   "--no-first-run", "--disable-dev-shm-usage", "--disable-gpu", f"--host-resolver-rules={rules}"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")
        #: For $BROWSER. What the browser writes is kept.
        self.program = folder / "browser"
        self.program.write_text(f"""#!/bin/sh
echo $$ >"{folder}/pid"
HOME="{folder}/home" exec chromium {' '.join(f"'{option}'" for option in options)} "$1" >"{folder}/output" 2>&1
""")
        self.program.chmod(0o755)

    def attach(self, app) -> None:
        """Takes control of the browser that an application has opened."""
        def port():
            assert app.process.poll() is None or self.profile.exists(), app.finish()
            return self._port()
        port = wait_for("the browser's port", port)
        self._base = f"http://127.0.0.1:{wait_for('the port of the driver', self._start_driver)}/session"
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"debuggerAddress": f"127.0.0.1:{port}"},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self._session = self._call("POST", "", capabilities={"alwaysMatch": wanted})["sessionId"]

    def _start_driver(self) -> str | None:
        """The port of a driver; nil where it found one that is free at only one of the loopback addresses."""
        self._driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self._driver.stdout:
            if found := re.search(r"started successfully on port (\d+)", line):
                return found[1]
        self._end_driver()
        return None

    def _end_driver(self) -> None:
        self._driver.terminate()
        self._driver.wait()
        self._driver.stdout.close()
        self._driver = None

    def _port(self) -> str | None:
        file = self.profile / "DevToolsActivePort"
        return file.read_text().splitlines()[0] if file.exists() and file.read_text() else None

    @property
    def pid(self) -> int:
        return int((self._folder / "pid").read_text())

    def _call(self, method: str, path: str, **body):
        address = self._base + (f"/{self._session}" if self._session else "") + path
        response = self._http.request(method, address, json=body if method == "POST" else None, timeout=TIMEOUT).json()
        if isinstance(response["value"], dict) and "error" in response["value"]:
            raise LookupError(response["value"]["message"])
        return response["value"]

    @property
    def url(self) -> str:
        return self._call("GET", "/url")

    @property
    def title(self) -> str:
        return self._call("GET", "/title")

    def script(self, text: str):
        return self._call("POST", "/execute/sync", script=text, args=[])

    @property
    def text(self) -> str:
        return self.script("return document.body ? document.body.innerText : ''")

    def find(self, xpath: str) -> str:
        """An element that can be seen, once it is there."""
        def visible():
            for each in self._call("POST", "/elements", using="xpath", value=xpath):
                if self._call("GET", f"/element/{each[ELEMENT]}/displayed"):
                    return each[ELEMENT]
        return wait_for(xpath, visible)

    def click(self, xpath: str) -> None:
        self._call("POST", f"/element/{self.find(xpath)}/click")

    def type(self, xpath: str, text: str) -> None:
        self._call("POST", f"/element/{self.find(xpath)}/value", text=text)

    def command(self, name: str, **parameters):
        """A command of the DevTools protocol."""
        return self._call("POST", "/goog/cdp/execute", cmd=name, params=parameters)

    def messages(self) -> list[str]:
        """What the browser warns about: lines of its console since the last call."""
        return [entry["message"] for entry in self._call("POST", "/se/log", type="browser")]

    def events(self) -> list[dict]:
        """What happened in the network since the last call."""
        return [json.loads(entry["message"])["message"] for entry in self._call("POST", "/se/log", type="performance")]

    def close(self) -> None:
        """Closes it as a user does, so that it writes its history."""
        try:
            if self._session:
                try:
                    self.command("Browser.close")
                except (LookupError, requests.RequestException):
                    pass  # it is gone before it answers
                self._session = ""
                wait_for("the end of the browser", self._has_ended)
        finally:
            if (self._folder / "pid").exists():
                try:
                    os.killpg(self.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if self._driver:
                self._end_driver()
            self._http.close()
            # So that it can be opened again.
            (self.profile / "DevToolsActivePort").unlink(missing_ok=True)

    def _has_ended(self) -> bool:
        try:
            # Whoever started it may not have looked yet.
            return pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except FileNotFoundError:
            return True

    def files(self) -> list[pathlib.Path]:
        return [path for path in self.profile.rglob("*") if path.is_file()]
