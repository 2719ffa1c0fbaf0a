# SPDX-License-Identifier: Apache-2.0
"""A sign-in and a sign-out with Chromium, by an application and by the command, show nothing secret and nobody's name where others
look: in arguments, environments, outputs, events and page titles."""

from __future__ import annotations

import json
import pathlib
import subprocess
import threading

import pytest
import secret_search
from running_provider import PROGRAMS

from chromium import Chromium, wait_for
from conftest import PUBLIC
from test_public_provider import HINT, SIGN_IN, history

CLIENT = "notes"


class Watch:
    """Looks at the arguments and the environment of every process of the namespace, again and again, until it is ended."""

    def __init__(self) -> None:
        self._is_over = threading.Event()
        self.seen: set[bytes] = set()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._is_over.wait(0.01):
            for folder in pathlib.Path("/proc").glob("[0-9]*"):
                for name in ("cmdline", "environ"):
                    try:
                        self.seen.add((folder / name).read_bytes())
                    except OSError:
                        continue  # it has ended

    def end(self) -> set[bytes]:
        self._is_over.set()
        self._thread.join()
        return self.seen


class Application:
    """An application that uses the library, and writes what its events, results and errors say of themselves."""

    def __init__(self, machine, folder: pathlib.Path) -> None:
        self._machine, self._hint = machine, folder / "hint"
        self._hint.write_text(HINT)

    def sign_in(self, browser):
        return self._start(browser, "browse", "--hint-file", str(self._hint))

    def sign_out(self, browser):
        return self._start(browser, "sign-out")

    def finish(self, app) -> bytes:
        last = app.finish()[-1]
        assert last.get("source") == "interactive" or last.get("browser_session") == "done", app.reports
        assert any(each["event"] == "event" for each in app.reports)
        return app.output + app.errors

    def _start(self, browser, command: str, *options: str):
        return self._machine.start(command, "--browser", "system", "--redirect-uri", "http://localhost/callback", "--events", "yes",
                                   *options, BROWSER=str(browser.program))


class Command:
    """cachetool, which reads names from its standard input, and gets accounts by their ids."""

    class Running:
        def __init__(self, process: subprocess.Popen) -> None:
            self.process = process

        def finish(self) -> tuple[bytes, bytes]:
            return self.process.communicate(timeout=60)

    def __init__(self, machine, folder: pathlib.Path) -> None:
        self._machine = machine
        self._group = ["--group", "sign-in", "--root", str(machine.root)]

    def _start(self, browser, *words: str) -> Command.Running:
        environment = self._machine.provider.environment | {"BROWSER": str(browser.program) if browser else ""}
        return Command.Running(subprocess.Popen([PROGRAMS / "cachetool", *words, *self._group], env=environment,
                                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE))

    def sign_in(self, browser) -> Command.Running:
        started = self._start(browser, "sign-in", "--authority", self._machine.authority, "--client", CLIENT, "--scopes",
                              "openid offline_access files.read", "--redirect-uri", "http://localhost/callback", "--login-hint", "-")
        started.process.stdin.write(HINT.encode() + b"\n")
        started.process.stdin.flush()
        return started

    def sign_out(self, browser) -> Command.Running:
        [account] = json.loads(self._start(None, "accounts", "--json").finish()[0])["accounts"]
        return self._start(browser, "sign-out", account["home_account_id"], "--client", CLIENT, "--redirect-uri",
                           "http://localhost/callback", "--browser", "--revoke", "--yes")

    def finish(self, started: Command.Running) -> bytes:
        output, errors = started.finish()
        assert started.process.returncode == 0, errors
        # Who signs in is for the eyes of that person, on a terminal.
        return (output + errors).replace(HINT.encode(), b"")


@pytest.mark.parametrize("kind", [Application, Command])
def test_a_sign_in_and_a_sign_out_show_no_secret_and_no_name(machine, provider, browser, tmp_path, kind):
    watch, by = Watch(), kind(machine, tmp_path)
    second = Chromium(tmp_path / "second", provider.roots, {"idp.test:443": f"{PUBLIC}:{provider.port}"})
    try:
        signing_in = by.sign_in(browser)
        browser.attach(signing_in)
        browser.find(SIGN_IN)
        # The provider's page repeats what it was asked.
        request = browser.script("return Object.fromEntries(new FormData(document.forms[0]))")
        browser.click(SIGN_IN)
        said = [by.finish(signing_in)]
        signing_out = by.sign_out(second)
        second.attach(signing_out)
        said.append(by.finish(signing_out))
        wait_for("the last page", lambda: "You can close this page" in second.text)
        titles = [each.title.encode() for each in (browser, second)]
        browser.close()
    finally:
        second.close()
        seen = watch.end()

    [asked] = provider.log("authorize")
    assert (asked["method"], asked["names_user"]) == ("GET", True)
    assert [each["agrees"] for each in provider.log("ended-session")] == [True]
    assert any(b"/start/" in each for each in seen), "the watch saw no browser"
    titles += [text.encode() for each in (browser, second) for text in history(each, "title")]
    visited = [text.encode() for text in history(browser, "url", whole=True)]
    assert any(b"/contoso/authorize" in each for each in visited)
    # The documentation says that the URLs name the user, and the history has them.
    left = [text.encode() for text in history(second, "url", whole=True)]
    assert any(b"logout_hint=canary" in each for each in left) and any(b"login_hint=canary" in each for each in visited)
    shown = [request[name].encode() for name in ("state", "nonce", "code_challenge")]
    assert not any(b"code-" in each for each in visited)
    for text in [*said, *seen, *titles]:
        assert not secret_search.has_secret(text), text
        assert not any(each in text for each in shown), text
    for text in [*said, *seen, *titles, *visited, *left, *(path.read_bytes() for path in machine.root.rglob("*") if path.is_file())]:
        assert not secret_search.has_verifier(text, {asked["challenge"]}), text
    assert not secret_search.files(machine.root)


@pytest.mark.parametrize(("error", "status", "sentence"), [
    ("access_denied", 1, "cachetool: The user declined (access_denied). Ask again only if the user wants it."),
    ("server_error", 6, "cachetool: The server has a problem (server_error). Try again later."),
])
def test_the_command_says_what_the_server_refused_and_the_browser_that_it_failed(machine, provider, browser, tmp_path, error, status, sentence):
    provider.policy(pages=False)
    provider.fault("authorize", patch={"error": error})
    provider.answer(None)
    started = Command(machine, tmp_path).sign_in(browser)
    browser.attach(started)
    output, errors = started.finish()
    assert (started.process.returncode, output, errors.decode().splitlines()[-1]) == (status, b"", sentence)
    text = wait_for("the last page", lambda: browser.text)
    assert "Signing in or out failed" in text and "the application shows the reason" in text
    # The server's own words may name the user.
    assert not secret_search.has_secret(errors + f"{text}{browser.title}".encode())
    assert not [path for path in machine.root.rglob("*") if path.is_file()]
