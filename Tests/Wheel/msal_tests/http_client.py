# SPDX-License-Identifier: Apache-2.0
"""What MSAL's tests of the application need of an HTTP client."""

import requests


class MinimalResponse:
    """An answer that a test makes up."""

    def __init__(self, status_code=None, text=None, headers=None):
        self.status_code, self.text, self.headers = status_code, text, headers or {}

    def raise_for_status(self):
        if self.status_code is None or self.status_code >= 400:
            raise requests.HTTPError(f"status {self.status_code}")


class MinimalHttpClient(requests.Session):
    """One that conftest.py answers."""
