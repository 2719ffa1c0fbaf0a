# SPDX-License-Identifier: Apache-2.0
"""A user signs in with a browser, on the pages of an OpenID provider that others wrote (scripts/with-provider)."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import urllib.parse

import pytest
import requests
import secret_search
from running_provider import PROGRAMS, Machine

from chromium import Chromium
from test_public_provider import history
from test_secrets import Watch

ROOTS, USER, PASSWORD = (os.environ[f"PROVIDER_{name}"] for name in ("ROOTS", "USER", "PASSWORD"))


class RealProvider:
    """What a machine has to know of it."""

    authority = os.environ["PROVIDER_ISSUER"]
    #: Without the user's own secrets, which nobody who is tested has to know.
    environment = {name: value for name, value in os.environ.items() if name not in ("PROVIDER_USER", "PROVIDER_PASSWORD")} | {
        "SSL_CERT_FILE": ROOTS}


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
        output, self.errors = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, self.errors
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


def parameters(url: str) -> dict[str, str]:
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


def test_with_a_query_the_history_has_what_the_documentation_says_and_nothing_else_shows_it(tmp_path, browser):
    client, redirect_uri = os.environ["PROVIDER_CLIENT_ID"], os.environ["PROVIDER_REDIRECT_URI"]
    watch = Watch()
    try:
        command = Command(tmp_path, browser, "sign-in", "--client", client, "--scopes", "profile email", "--authority",
                          RealProvider.authority, "--redirect-uri", redirect_uri, "--response-mode", "query")
        browser.attach(command)
        sign_in(browser)
        said = [command.finish(), command.errors.replace("alice@example.com is signed in", "")]
        titles = [browser.title]
        browser.close()
    finally:
        seen = [each.decode(errors="replace") for each in watch.end()]
    for process in "cachetool-sign-in\0sign-in", str(browser.profile):
        assert any(process in each for each in seen), process
    elsewhere = [*said, *titles, *history(browser, "title"), *(each for each in seen if f"PROVIDER_PASSWORD={PASSWORD}" not in each)]
    visited = history(browser, "url", whole=True)

    # What a server has to be told by a URL, and tells by one, is in the history.
    request = next(parameters(each) for each in visited if each.startswith(f"{RealProvider.authority}/auth?"))
    [(callback, response)] = [(each, parameters(each)) for each in visited if each.startswith(f"{redirect_uri}?")]
    shown = [request["state"], request["nonce"], request["code_challenge"], response["code"]]
    assert response["state"] == request["state"] and [each for each in visited if response["code"] in each] == [callback]
    for text in elsewhere:
        assert not any(each in text for each in shown), text
    # Not even the browser has what makes the code worth something, or what it was worth.
    cache = json.loads(Command(tmp_path, browser, "export", "-").finish())
    tokens = [entry["secret"] for kind in ("AccessToken", "RefreshToken", "IdToken") for entry in cache[kind].values()]
    assert len(tokens) == 3
    for text in [*elsewhere, *visited]:
        assert not any(each in text for each in [*tokens, USER, PASSWORD]), text
        assert not secret_search.has_verifier(text.encode(), {request["code_challenge"]}), text
    # Whoever reads the history gets no token for it.
    form = {"grant_type": "authorization_code", "client_id": client, "redirect_uri": redirect_uri, "code": response["code"]}
    with requests.Session() as session:
        session.trust_env, session.verify = False, ROOTS
        for guess in {}, {"code_verifier": request["code_challenge"]}:
            refused = session.post(f"{RealProvider.authority}/token", form | guess, timeout=20)
            assert refused.status_code in (400, 403) and "access_token" not in refused.text, refused.text
