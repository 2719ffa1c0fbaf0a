# SPDX-License-Identifier: Apache-2.0
"""A user signs in with a browser, on the pages of an OpenID provider that others wrote (scripts/with-provider)."""

from __future__ import annotations

import os

import pytest
from running_provider import Machine

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


def test_the_user_signs_in_on_the_providers_own_pages(machine, browser):
    app = machine.start("browse", "--browser", "system", "--redirect-uri", os.environ["PROVIDER_REDIRECT_URI"],
                        "--scopes", "profile email", "--response-mode", "query", BROWSER=str(browser.program))
    browser.attach(app)
    browser.type("//input[@id='username']", USER)
    browser.type("//input[@id='password']", PASSWORD)
    browser.click("//button[@id='loginbut']")
    browser.click("//button[normalize-space()='Continue']")
    assert app.finish()[-1]["source"] == "interactive"
    assert "You can close this page" in browser.text
    renewed = machine.run("silent", "--scopes", "profile email", "--force", "yes")
    assert renewed["source"] == "renewal", renewed
