# SPDX-License-Identifier: Apache-2.0
"""browser.py URL: what a browser does with a user who presses the first button of every page. Stands in $BROWSER."""

from __future__ import annotations

import html.parser
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


def main() -> None:
    with requests.Session() as session:
        response = session.get(sys.argv[1], timeout=60)
        while (form := Form(response.text)).action:
            address = urllib.parse.urljoin(response.url, form.action)
            response = session.request(form.method, address, timeout=60,
                                       **{"params" if form.method == "get" else "data": form.fields})
        response.raise_for_status()


if __name__ == "__main__":
    main()
