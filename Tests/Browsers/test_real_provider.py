# SPDX-License-Identifier: Apache-2.0
"""A user signs in with a browser, on the pages of an OpenID provider that others wrote (scripts/with-provider)."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import pytest
from running_provider import PROGRAMS, Machine

from chromium import Chromium

ROOTS, USER, PASSWORD = (os.environ[f"PROVIDER_{name}"] for name in ("ROOTS", "USER", "PASSWORD"))


class RealProvider:
    """What a machine has to know of it."""

    authority = os.environ["PROVIDER_ISSUER"]
    environment = {**os.environ, "SSL_CERT_FILE": ROOTS}


@pytest.fixture
def machine(tmp_path):
    started = Machine(tmp_path / "groups", RealProvider())
    started.client = os.environ["PROVIDER_CLIENT_ID"]
    yield started
    for app in started.apps:
        if app.process.poll() is None:
            app.kill()


@pytest.fixture
def browser(tmp_path):
    made = Chromium(tmp_path / "chromium", ROOTS)
    yield made
    made.close()


CONTINUE = "//button[normalize-space()='Continue']"


def sign_in(browser) -> None:
    browser.type("//input[@id='username']", USER)
    browser.type("//input[@id='password']", PASSWORD)
    browser.click("//button[@id='loginbut']")
    browser.click(CONTINUE)


class Command:
    """cachetool on one group, with the user's browser."""

    def __init__(self, folder: pathlib.Path, browser, name: str, *options: str) -> None:
        group = ["--group", "sign-in", "--root", str(folder / "groups")]
        self.process = subprocess.Popen([PROGRAMS / "cachetool", name, *options, *group], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=RealProvider.environment | {"BROWSER": str(browser.program)})

    def finish(self) -> str:
        output, errors = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, errors
        return output


def test_the_command_signs_in_on_the_providers_own_pages_and_another_renews_the_token(tmp_path, browser):
    client = ["--client", os.environ["PROVIDER_CLIENT_ID"], "--scopes", "profile email"]
    # The provider encodes its issuer once too often in a form.
    command = Command(tmp_path, browser, "sign-in", *client, "--authority", RealProvider.authority, "--redirect-uri",
                      os.environ["PROVIDER_REDIRECT_URI"], "--response-mode", "query")
    browser.attach(command)
    sign_in(browser)
    command.finish()
    assert "You can close this page" in browser.text
    renewed = Command(tmp_path, browser, "token", *client, "--force-refresh", "--json").finish()
    assert json.loads(renewed)["source"] == "renewal"


def test_the_user_signs_in_on_the_providers_own_pages(machine, browser):
    app = machine.start("browse", "--browser", "system", "--redirect-uri", os.environ["PROVIDER_REDIRECT_URI"],
                        "--scopes", "profile email", "--response-mode", "query", BROWSER=str(browser.program))
    browser.attach(app)
    sign_in(browser)
    assert app.finish()[-1]["source"] == "interactive"
    assert "You can close this page" in browser.text
    renewed = machine.run("silent", "--scopes", "profile email", "--force", "yes")
    assert renewed["source"] == "renewal", renewed


def test_a_sign_out_ends_the_providers_own_session(tmp_path, browser):
    client = ["--client", os.environ["PROVIDER_CLIENT_ID"]]
    way_back = ["--redirect-uri", os.environ["PROVIDER_REDIRECT_URI"]]

    def command(name: str, *options: str) -> Command:
        started = Command(tmp_path, browser, name, *client, *way_back, *options)
        browser.attach(started)
        return started

    def begin_sign_in() -> Command:
        return command("sign-in", "--scopes", "profile email", "--authority", RealProvider.authority, "--response-mode", "query")

    started = begin_sign_in()
    sign_in(browser)
    started.finish()
    browser.close()
    # The browser remembers the session, and nobody asks for the password.
    started = begin_sign_in()
    browser.click(CONTINUE)
    started.finish()
    browser.close()
    [account] = json.loads(Command(tmp_path, browser, "accounts", "--json").finish())["accounts"]
    started = command("sign-out", account["home_account_id"], "--browser", "--yes", "--json")
    browser.click("//button[normalize-space()='Logout']")
    assert json.loads(started.finish())["browser_session"] == "done"
    assert "You can close this page" in browser.text
    browser.close()
    started = begin_sign_in()
    browser.find("//input[@id='password']")
    started.process.terminate()
    started.process.communicate(timeout=60)
