# SPDX-License-Identifier: Apache-2.0
"""Runs MSAL's tests offline, with SharedTokenCache in place of its caches unless TOKEN_CACHE_FORM is `own`: each in a group of its own in
TOKEN_CACHE_ROOT. With `mirror`, without the native path to an access token."""

import itertools
import json
import os
import re
import urllib.parse

import msal
import msal.application
import msal.token_cache
import requests

FORM = os.environ["TOKEN_CACHE_FORM"]
CLOUD = ["login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net"]


def answer(url: str) -> dict:
    """What the servers that MSAL asks before it asks for a token say."""
    parts = urllib.parse.urlsplit(url)
    base = f"https://{parts.netloc}/{parts.path.split('/')[1]}"
    if parts.path.endswith("/discovery/instance"):
        return {"tenant_discovery_endpoint": "https://login.microsoftonline.com/common/v2.0/.well-known/openid-configuration",
                "metadata": [{"preferred_network": CLOUD[0], "preferred_cache": CLOUD[1], "aliases": CLOUD}]}
    if parts.path.endswith("/.well-known/openid-configuration"):
        return {"issuer": f"{base}/v2.0", "authorization_endpoint": f"{base}/oauth2/v2.0/authorize",
                "token_endpoint": f"{base}/oauth2/v2.0/token", "device_authorization_endpoint": f"{base}/oauth2/v2.0/devicecode"}
    if re.search("/userrealm/", parts.path, re.IGNORECASE):
        return {"account_type": "Managed", "cloud_instance_name": "microsoftonline.com"}
    raise requests.ConnectionError(f"no test asks {url}")


def send(_adapter, request, **_options) -> requests.Response:
    response = requests.Response()
    response.status_code, response.url, response.request = 200, request.url, request
    response._content = json.dumps(answer(request.url)).encode()
    return response


requests.adapters.HTTPAdapter.send = send

if FORM != "own":
    from swift_token_cache import SharedTokenCache

    numbers = itertools.count()

    class StandIn(SharedTokenCache):
        """A shared cache that is made without saying where, and has what MSAL's own serializable cache has."""

        has_state_changed = False

        def __init__(self) -> None:
            super().__init__(f"group-{next(numbers)}", "client", root=os.environ["TOKEN_CACHE_ROOT"], storage="file")
            # Opened now, because tests compare times.
            assert self._cache

        def add(self, event, now=None) -> None:
            super().add(event, now=now)
            self.has_state_changed = True

        def serialize(self) -> str:
            return json.dumps(self._cache)

        def deserialize(self, state: str) -> None:
            self._cache.update(json.loads(state))

    if FORM == "mirror":
        StandIn._token = lambda self, target, query: None
    for module in (msal, msal.application, msal.token_cache):
        module.TokenCache = StandIn
    for module in (msal, msal.token_cache):
        module.SerializableTokenCache = StandIn
