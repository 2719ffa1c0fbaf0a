# SPDX-License-Identifier: Apache-2.0
"""A provider on the internet sends the user's browser back to this machine."""

from __future__ import annotations

import pathlib
import re
import sqlite3

import pytest
import secret_search

from chromium import wait_for

#: The strict provider's alice, as the application knows her.
HINT = "canary-alice@contoso.example"


def browse(machine, browser, *options: str):
    """An application that opens the browser."""
    app = machine.start("browse", "--browser", "system", "--redirect-uri", "http://localhost/callback", *options,
                        BROWSER=str(browser.program))
    assert app.next_report()["event"] == "begin"
    browser.attach(app)
    return app


def spaces(events: list[dict]) -> dict[str, str]:
    """From which kind of address each page came, by its URL without a query."""
    urls = {each["params"]["requestId"]: each["params"]["request"]["url"].partition("?")[0] for each in events
            if each["method"] == "Network.requestWillBeSent"}
    return {urls[each["params"]["requestId"]]: each["params"]["resourceIPAddressSpace"] for each in events
            if each["method"] == "Network.responseReceivedExtraInfo" and each["params"]["requestId"] in urls}


SIGN_IN = "//button[text()='Sign in']"


def sign_in(browser) -> None:
    browser.click(SIGN_IN)


def history(browser, column: str, whole: bool = False) -> list[str]:
    """What the browser remembers of the pages that it visited; without ports and tickets, unless whole."""
    database = sqlite3.connect(browser.profile / "Default/History")
    found = [value for value, in database.execute(f"SELECT {column} FROM urls")]
    database.close()
    return found if whole else [re.sub(r"(?<=localhost):\d+|(?<=/start)/[\w-]{22}$", "", each) for each in found]


@pytest.mark.parametrize("mode", ["form_post", "query"])
def test_a_page_of_the_internet_returns_to_this_machine_without_a_warning(machine, browser, mode):
    app = browse(machine, browser, "--response-mode", mode)
    sign_in(browser)
    assert app.finish()[-1]["source"] == "interactive"
    assert "You can close this page" in browser.text
    assert browser.url.startswith("http://localhost:")
    # The browser knew what came from where, and had nothing to say about it.
    found = spaces(browser.events())
    assert found.pop(browser.url.partition("?")[0]) == "Loopback" and set(found.values()) == {"Public"}, found
    assert [each for each in browser.messages() if "favicon" not in each] == []


@pytest.mark.parametrize("mode", ["form_post", "query"])
def test_a_user_who_declines_reads_in_the_browser_that_the_sign_in_failed(machine, provider, browser, mode):
    provider.policy(pages=False)
    provider.answer(None)
    app = browse(machine, browser, "--response-mode", mode)
    assert app.finish()[-1]["code"] == "declinedByUser", app.reports
    text = wait_for("the last page", lambda: browser.text)
    # The provider's own words may name the user.
    assert "Signing in or out failed" in text and not secret_search.has_secret(f"{text}{browser.title}".encode() + app.output + app.errors)


def test_with_a_form_the_code_is_nowhere_and_the_users_name_only_in_the_history(machine, provider, browser, tmp_path):
    hint = tmp_path / "hint"
    hint.write_text(HINT)
    app = browse(machine, browser, "--hint-file", str(hint))
    browser.find(SIGN_IN)
    assert not secret_search.processes([int(each.name) for each in pathlib.Path("/proc").iterdir() if each.name.isdigit()])
    sign_in(browser)
    assert app.finish()[-1]["source"] == "interactive"
    assert not secret_search.has_secret(app.output + app.errors)
    [asked] = provider.log("authorize")
    assert (asked["method"], asked["names_user"]) == ("GET", True)
    titles = [browser.title]
    browser.close()
    visited = {each.partition("?")[0] for each in history(browser, "url")}
    assert visited == {"http://localhost/callback", "http://localhost/start", "https://idp.test/contoso/authorize"}
    titles += history(browser, "title")
    assert not any(secret_search.has_secret(each.encode()) for each in titles), titles
    text = " ".join(history(browser, "url", whole=True))
    assert "login_hint=canary" in text and "code-" not in text


def test_with_a_query_the_history_has_what_the_documentation_says(machine, provider, browser, tmp_path):
    hint = tmp_path / "hint"
    hint.write_text(HINT)
    app = browse(machine, browser, "--hint-file", str(hint), "--response-mode", "query")
    sign_in(browser)
    assert app.finish()[-1]["source"] == "interactive"
    [asked] = provider.log("authorize")
    assert (asked["method"], asked["names_user"]) == ("GET", True)
    browser.close()
    text = " ".join(history(browser, "url", whole=True))
    assert "login_hint=canary" in text and "code=code-" in text


def test_firefox_returns_to_this_machine_with_a_form_whose_code_its_history_does_not_have(machine, provider, firefox, tmp_path):
    provider.policy(pages=False)
    provider.answer("alice")
    # Nothing maps its ports.
    machine.authority = f"https://idp.test:{provider.port}/contoso"
    hint = tmp_path / "hint"
    hint.write_text(HINT)
    app = machine.start("browse", "--browser", "system", "--redirect-uri", "http://localhost/callback", "--hint-file", str(hint),
                        "--timeout", "60", BROWSER=str(firefox.program))
    assert app.finish()[-1].get("source") == "interactive", app.reports
    [asked] = provider.log("authorize")
    assert (asked["method"], asked["names_user"]) == ("GET", True)

    def history() -> bytes:
        return b"".join(each.read_bytes() for each in firefox.profile.glob("places.sqlite*"))
    wait_for("the visits in the history", lambda: b"/start/" in history())
    assert b"code-" not in history()
