# SPDX-License-Identifier: Apache-2.0
"""Redirect URIs with a scheme of the application's own: the desktop starts a process for them, which finds the one that waits."""

from __future__ import annotations

import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pytest
import secret_search
from running_provider import HERE, PROGRAMS
from test_command_line import CLIENT, Shell

SCHEME = "msauth.com.example.app"
URI = f"{SCHEME}://auth"
#: The desktop file of the documentation.
PAGE = HERE.parent.parent / "Sources/TokenAcquisition/TokenAcquisition.docc/CustomSchemes.md"


class Desktop:
    """A user's folders, in which a desktop file leads the scheme to the program."""

    def __init__(self, folder: pathlib.Path, opener: str) -> None:
        self.run = folder / "run"
        self.run.mkdir(mode=0o700)
        applications = folder / "data/applications"
        applications.mkdir(parents=True)
        (folder / "config").mkdir()
        [text] = re.findall(r"```\n(\[Desktop Entry\]\n.*?)```", PAGE.read_text(), re.S)
        (applications / "com.example.app.desktop").write_text(text)
        self.environment = {
            "XDG_DATA_HOME": str(folder / "data"), "XDG_CONFIG_HOME": str(folder / "config"), "XDG_RUNTIME_DIR": str(self.run),
            "XDG_STATE_HOME": str(folder / "state"), "PATH": f"{PROGRAMS}:{os.environ['PATH']}", "DISPLAY": ":99", "OPENER": opener,
        }
        subprocess.run(["xdg-mime", "default", "com.example.app.desktop", f"x-scheme-handler/{SCHEME}"], check=True,
                       env=os.environ | self.environment)

    def sockets(self) -> list[pathlib.Path]:
        return [path for path in self.run.rglob("*") if path.is_socket()]


@pytest.fixture
def desktop(tmp_path, request):
    return Desktop(tmp_path, getattr(request, "param", "xdg-open"))


@pytest.fixture
def shell(tmp_path, provider, desktop):
    made = Shell(tmp_path, provider)
    made.environment |= desktop.environment
    return made


def handle(shell, url: str) -> subprocess.CompletedProcess:
    return subprocess.run([PROGRAMS / "cachetool-sign-in", "handle-redirect", url], env=shell.environment, capture_output=True,
                          text=True, timeout=60)


def waiting(shell, provider) -> subprocess.Popen:
    """A sign-in whose user is on the server's page."""
    asked = len(provider.log("authorize"))
    process = shell.start_with_browser("--redirect-uri", URI)
    while len(provider.log("authorize")) == asked:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    return process


@pytest.mark.parametrize("desktop", ["xdg-open", "gio open"], indirect=True)
def test_the_desktop_starts_a_process_that_hands_the_response_to_the_one_that_waits(shell, provider, desktop):
    done = shell.sign_in_with_browser("--redirect-uri", URI)
    assert done.returncode == 0, done.stderr
    [asked] = provider.log("authorize")
    assert (asked["redirect_uri"], asked["method"]) == (URI, "GET")
    assert json.loads(shell.token("--json").stdout)["source"] == "cache"
    assert not desktop.sockets()


def test_without_a_runtime_folder_the_two_processes_meet_all_the_same(shell, desktop):
    del shell.environment["XDG_RUNTIME_DIR"]
    done = shell.sign_in_with_browser("--redirect-uri", URI)
    assert done.returncode == 0, done.stderr
    assert not desktop.sockets()


def test_a_form_is_not_asked_for_although_the_server_offers_it(shell, provider):
    provider.fault("metadata", patch={"response_modes_supported": ["query", "form_post"]})
    refused = shell.finish(shell.start_with_browser("--redirect-uri", URI, "--response-mode", "form_post"))
    assert refused.returncode == 2 and "a browser cannot post a form" in refused.stderr, refused.stderr
    done = shell.sign_in_with_browser("--redirect-uri", URI)
    assert done.returncode == 0, done.stderr


def test_a_user_who_declines_ends_the_wait(shell, desktop):
    done = shell.sign_in_with_browser("--redirect-uri", URI, user=None)
    assert done.returncode == 1 and "declined" in done.stderr, done.stderr
    assert not desktop.sockets() and not shell.left()


def test_a_session_in_the_browser_is_ended_by_the_same_way(shell, provider):
    name = json.loads(shell.sign_in("--json").stdout)["username"]
    done = shell.run("sign-out", name, "--client", CLIENT, "--browser", "--redirect-uri", URI, "--yes")
    assert done.returncode == 0 and "The session in the browser has ended." in done.stderr, done.stderr
    assert len(provider.log("ended-session")) == 1


def test_a_response_that_nobody_waits_for_is_refused_without_its_secrets(shell, provider, desktop):
    url = f"{URI}?code=canary-forged&state=canary-guess"
    alone = handle(shell, url)
    process = waiting(shell, provider)
    foreign = handle(shell, url)
    for done in alone, foreign, handle(shell, "not a URL"), handle(shell, "x" * 100_000):
        assert done.returncode == 3 and "No app waits for this response." in done.stderr, done.stderr
        assert "canary" not in done.stdout + done.stderr
    provider.answer("alice")
    assert shell.finish(process).returncode == 0
    assert handle(shell, url).returncode == 3
    assert not provider.log("answer", endpoint="token", status=400)


def test_until_the_response_comes_no_argument_and_no_variable_has_anything_of_the_sign_in(shell, provider):
    process = waiting(shell, provider)
    programs = shell.programs()
    [browser] = [each for each in programs.values() if "browser.py" in each]
    assert re.search(r"browser\.py http://localhost:[0-9]+/start/[^?&=]*$", browser.strip()), browser
    assert not secret_search.processes(list(programs)), programs
    provider.answer("alice")
    assert shell.finish(process).returncode == 0


def test_a_process_that_is_killed_or_stopped_while_it_waits_is_in_nobodys_way(shell, provider, desktop):
    killed = waiting(shell, provider)
    killed.kill()
    killed.wait()
    [left] = desktop.sockets()
    assert handle(shell, f"{URI}?state=x").returncode == 3
    # The browser of the one that was killed gets this answer, and leads nowhere with it.
    provider.answer("alice")
    killed.communicate(timeout=60)
    stopped = waiting(shell, provider)
    assert not left.exists()
    stopped.send_signal(signal.SIGSTOP)
    # Another group, so that the two do not wait for each other.
    shell.root = shell.root.with_name("other")
    process = waiting(shell, provider)
    for _ in range(2):
        provider.answer("alice")
    assert shell.finish(process).returncode == 0
    stopped.kill()
    shell.finish(stopped)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_sign_in_leaves_no_socket(shell, provider, desktop, number):
    process = waiting(shell, provider)
    process.send_signal(number)
    assert process.wait(timeout=20) == -number
    assert not desktop.sockets()
    provider.answer("alice")
    process.communicate(timeout=20)
