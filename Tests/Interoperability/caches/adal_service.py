# SPDX-License-Identifier: Apache-2.0
"""Lets the real ADAL for Python sign people in against a token endpoint in memory, and gives what it writes."""

from __future__ import annotations

import base64
import contextlib
import json
import time
import unittest.mock
import urllib.parse
import warnings

import requests

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import adal

GRAPH = "https://graph.windows.net/"
MANAGEMENT = "https://management.core.windows.net/"
AZURE_CLI = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"


class AdalService:
    """A tenant with people, who sign in to apps through ADAL. Every token has its own name."""

    def __init__(self, authority: str = "https://login.microsoftonline.com/contoso.example") -> None:
        self.authority = authority
        self.cache = adal.TokenCache()
        self.count = 0

    def context(self, authority: str | None = None) -> adal.AuthenticationContext:
        return adal.AuthenticationContext(authority or self.authority, validate_authority=False, cache=self.cache,
                                          api_version=None)

    def sign_in(self, user: str, client: str, resource: str = GRAPH, *, several: bool = True) -> None:
        """A person signs in. Without `several` the service gives a refresh token for this resource alone."""
        with self.endpoint(user, several):
            self.context().acquire_token_with_authorization_code("code", "https://app", resource, client)

    def renew(self, user: str, client: str, resource: str) -> None:
        """ADAL spends the person's refresh token for another resource."""
        with self.endpoint(user, True):
            self.context().acquire_token(resource, user, client)

    def app_token(self, client: str, resource: str = GRAPH) -> None:
        """An app gets a token of its own."""
        with self.endpoint(None, False):
            self.context().acquire_token_with_client_credentials(resource, client, "app password")

    def items(self) -> list[dict]:
        return json.loads(self.text())

    def text(self) -> str:
        """The file, as an app that uses ADAL keeps it."""
        return self.cache.serialize()

    @contextlib.contextmanager
    def endpoint(self, user: str | None, several: bool):
        def post(url: str, data=None, **_) -> requests.Response:
            response = requests.Response()
            response.status_code = 200
            response._content = json.dumps(self.answer(user, several, urllib.parse.parse_qs(data))).encode()
            return response

        with unittest.mock.patch("adal.oauth2_client.requests.post", post):
            yield

    def answer(self, user: str | None, several: bool, form: dict[str, list[str]]) -> dict:
        self.count += 1
        answer = {"token_type": "Bearer", "access_token": f"adal-access-{self.count:05}-{'a' * 40}",
                  "expires_in": "3599", "expires_on": str(int(time.time()) + 3599)}
        if user is None:
            return answer | {"resource": form["resource"][0]}
        claims = {"upn": user, "oid": f"oid-of-{user}", "tid": "contoso-tenant-id", "given_name": "Ann",
                  "family_name": "Müller", "sub": user[::-1]}
        body = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
        answer |= {"refresh_token": f"adal-refresh-{self.count:05}-{'r' * 40}", "id_token": f"e30.{body}."}
        return answer | {"resource": form["resource"][0]} if several else answer
