# SPDX-License-Identifier: Apache-2.0
"""A strict provider in a process of its own, and applications that sign in there."""

from __future__ import annotations

import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading

import requests

from hostile_server import listen, proxy_to

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "SignIn/.build/debug"


class RunningProvider:
    """strict_provider.py, which can be killed and started again with what it knew."""

    def __init__(self, folder: pathlib.Path, address: str = "127.0.0.1") -> None:
        self._folder, self._address = folder, address
        self.port = 0
        self.start()
        self.roots = str(folder / "roots.pem")
        #: Leads every https host to the provider.
        self.proxy = f"http://127.0.0.1:{listen(proxy_to(self.port, None))}"
        self.authority = f"https://localhost:{self.port}/contoso"
        self._session = requests.Session()
        self._session.trust_env, self._session.verify = False, self.roots

    def start(self) -> None:
        self.process = subprocess.Popen([sys.executable, HERE / "strict_provider.py", self._folder, str(self.port), self._address],
                                        stdout=subprocess.PIPE, text=True)
        word, port = self.process.stdout.readline().split()
        assert word == "ready"
        self.port = int(port)

    def end(self, with_signal: int = signal.SIGTERM) -> None:
        self.process.send_signal(with_signal)
        self.process.wait()
        self.process.stdout.close()

    def close(self) -> None:
        self._session.close()
        self.end()

    def control(self, name: str, **request) -> None:
        self._session.post(f"https://localhost:{self.port}/control/{name}", json=request, timeout=20).raise_for_status()

    def policy(self, **change) -> None:
        self.control("policy", **change)

    def fault(self, endpoint: str = "token", **fault) -> None:
        self.control("fault", endpoint=endpoint, **fault)

    def decide(self, user_code: str, user: str | None = "alice") -> None:
        self.control("decide", user_code=user_code, user=user)

    def answer(self, user: str | None = "alice") -> None:
        """The user signs in where a browser waits, or declines if nil."""
        self.control("answer", user=user)

    def log(self, event: str | None = None, **facts) -> list[dict]:
        """The lines of an event with these facts."""
        records = [json.loads(line) for line in (self._folder / "log.jsonl").read_text().splitlines()]
        return [each for each in records if event in (None, each["event"]) and facts.items() <= each.items()]

    @property
    def environment(self) -> dict[str, str]:
        """What a client needs to reach it; hosts that are not this machine's by the proxy."""
        names = {name: value for name, value in os.environ.items()
                 if not name.lower().endswith("_proxy") and not name.startswith(("DBUS_", "XDG_"))}
        return {**names, "SSL_CERT_FILE": self.roots, "REQUESTS_CA_BUNDLE": self.roots, "HTTPS_PROXY": self.proxy}


class App:
    """A program of Tests/SignIn: its reports are read as they come."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        self.reports: list[dict] = []
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.output, self.errors = b"", b""
        self._unread: queue.Queue[dict] = queue.Queue()
        self._readers = [threading.Thread(target=each, daemon=True) for each in (self._read, self._read_errors)]
        for reader in self._readers:
            reader.start()

    def _read(self) -> None:
        with self.process.stdout:
            for line in self.process.stdout:
                self.output += line
                if line.endswith(b"\n"):
                    report = json.loads(line)
                    self.reports.append(report)
                    self._unread.put(report)

    def _read_errors(self) -> None:
        with self.process.stderr:
            self.errors = self.process.stderr.read()

    def next_report(self) -> dict:
        return self._unread.get(timeout=60)

    def finish(self, timeout: float = 60) -> list[dict]:
        """Ends its standard input, waits for the end, and returns its reports."""
        self.process.stdin.close()
        self.process.wait(timeout)
        for reader in self._readers:
            reader.join(timeout)
        return self.reports

    def kill(self, number: int = signal.SIGKILL) -> None:
        self.process.send_signal(number)
        self.finish()


class Machine:
    """A user's machine: one group, which two applications share."""

    def __init__(self, folder: pathlib.Path, provider: RunningProvider) -> None:
        self.root, self.provider = folder, provider
        self.client, self.authority, self.options = "6c051b1e-0000-4000-8000-00000000000a", provider.authority, []
        #: All that ran, for whoever searches what they left.
        self.apps: list[App] = []

    def start(self, *arguments: str, program: str = "calendar-app", client: str | None = None, **environment: str) -> App:
        command, *options = arguments
        app = App([str(PROGRAMS / program), command, "--root", str(self.root), "--client-id", client or self.client,
                   "--authority", self.authority, *self.options, *options], self.provider.environment | environment)
        self.apps.append(app)
        return app

    def run(self, *arguments: str, **more) -> dict:
        """What a program reported last."""
        reports = self.start(*arguments, **more).finish()
        return reports[-1] if reports else {}

    def sign_in(self, *options: str, user: str | None = "alice", **more) -> dict:
        """Signs in with a device code, which the user approves at once, or declines if nil."""
        app = self.start("sign-in", *options, **more)
        first = app.next_report()
        if first["event"] == "prompt":
            self.provider.decide(first["user_code"], user)
        return app.finish()[-1]
