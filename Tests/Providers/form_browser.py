#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""form_browser.py URL: a browser whose user signs in on the pages of a provider of scripts/with-provider, and agrees.

Follows redirects and fills in forms, as a browser without scripts does, until it is back at this machine's redirect URI.
Reads the PROVIDER_ variables of that script.
"""

from __future__ import annotations

import html.parser
import os
import sys
import urllib.parse

import requests

NAMES, PASSWORDS = ("username", "login", "user_name"), ("password",)
#: The names of the buttons that agree, or their values.
AGREEING = frozenset({"allow", "accept", "answer"})


class Forms(html.parser.HTMLParser):
    """The forms of a page, with their fields and buttons."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[dict] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.found.append({"action": values.get("action", ""), "method": values.get("method", "get").lower(),
                               "fields": {}, "buttons": []})
        elif self.found and "name" in values and tag in ("input", "button"):
            kind = values.get("type", "submit" if tag == "button" else "text")
            if kind == "submit":
                self.found[-1]["buttons"].append((values["name"], values.get("value", "")))
            elif kind not in ("checkbox", "radio") or "checked" in values:
                self.found[-1]["fields"][values["name"]] = values.get("value", "")


def filled(form: dict) -> dict[str, str]:
    """The fields of a form, as the user fills them in and submits it."""
    fields = dict(form["fields"])
    for names, variable in ((NAMES, "PROVIDER_USER"), (PASSWORDS, "PROVIDER_PASSWORD")):
        fields.update({name: os.environ[variable] for name in names if name in fields})
    agreeing = [button for button in form["buttons"] if AGREEING.intersection(button) and button[1] not in ("logout", "deny", "no")]
    fields.update(agreeing[:1])
    return fields


def is_at_home(url: str) -> bool:
    return urllib.parse.urlsplit(url).scheme == "http"


def main() -> None:
    session = requests.Session()
    session.trust_env, session.verify = False, os.environ["PROVIDER_ROOTS"]
    answer = session.get(sys.argv[1], timeout=20)
    for _ in range(8):
        answer.raise_for_status()
        page = Forms()
        page.feed(answer.text)
        wanted = [form for form in page.found if form["method"] == "post"]
        if not wanted:
            return
        form = wanted[0]
        target = urllib.parse.urljoin(answer.url, form["action"])
        answer = session.post(target, data=filled(form), headers={"Referer": answer.url}, timeout=20)
        if is_at_home(answer.url) or is_at_home(target):
            return
    sys.exit(f"there is no way back from {answer.url}")


if __name__ == "__main__":
    main()
