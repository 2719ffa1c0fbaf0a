# SPDX-License-Identifier: Apache-2.0
"""browser.py URL: what a browser does with a user who presses the first button of every page. Stands in $BROWSER.

A URL of a scheme that is not the web's goes to the command in $OPENER, as browsers pass it to the desktop.
"""

from __future__ import annotations

import html.parser
import os
import subprocess
import sys
import urllib.parse

import requests


class Form(html.parser.HTMLParser):
    """The form of a page, as its first button sends it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.action, self.method, self.fields, self._has_button = None, "get", {}, False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if tag == "form":
            self.action, self.method = found["action"], found.get("method", "get")
        if tag == "input" or tag == "button" and not self._has_button:
            self._has_button = tag == "button"
            if "name" in found:
                self.fields[found["name"]] = found["value"]


class OtherScheme(Exception):
    """Where a browser is sent and cannot go by itself."""


class Session(requests.Session):
    def get_redirect_target(self, response) -> str | None:
        if (target := super().get_redirect_target(response)) and urllib.parse.urlsplit(target).scheme not in ("", "http", "https"):
            raise OtherScheme(target)
        return target


def main() -> None:
    try:
        browse()
    except OtherScheme as found:
        subprocess.run([*os.environ["OPENER"].split(), *found.args], check=True)


def browse() -> None:
    with Session() as session:
        response = session.get(sys.argv[1], timeout=60)
        while (form := Form(response.text)).action:
            address = urllib.parse.urljoin(response.url, form.action)
            response = session.request(form.method, address, timeout=60,
                                       **{"params" if form.method == "get" else "data": form.fields})
        response.raise_for_status()


if __name__ == "__main__":
    main()
