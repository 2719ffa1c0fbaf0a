# SPDX-License-Identifier: Apache-2.0
"""An identity service without a network: answers the HTTP requests that MSAL sends, from memory."""

from __future__ import annotations

import json
import urllib.parse

ALIASES = [
    {"preferred_network": "login.microsoftonline.com", "preferred_cache": "login.windows.net",
     "aliases": ["login.microsoftonline.com", "login.windows.net", "login.microsoft.com", "sts.windows.net"]},
    {"preferred_network": "login.partner.microsoftonline.cn", "preferred_cache": "login.partner.microsoftonline.cn",
     "aliases": ["login.partner.microsoftonline.cn", "login.chinacloudapi.cn"]},
    {"preferred_network": "login.microsoftonline.us", "preferred_cache": "login.microsoftonline.us",
     "aliases": ["login.microsoftonline.us", "login.usgovcloudapi.net"]},
]


class Response:
    """The little of an HTTP response that MSAL looks at."""

    def __init__(self, body: dict, status_code: int = 200) -> None:
        self.status_code = status_code
        self.text = json.dumps(body)
        self.headers: dict[str, str] = {}

    def raise_for_status(self) -> None:
        if self.status_code >= 400:
            raise RuntimeError(f"HTTP status {self.status_code}")


class IdentityService:
    """Answers discovery by itself and token requests with `answer`; without one it refuses every refresh."""

    def __init__(self) -> None:
        self.answer: dict | None = None
        self.spent_refresh_tokens: list[str] = []

    def get(self, url: str, params: dict | None = None, headers: dict | None = None, **_: object) -> Response:
        if "/discovery/instance" in url:
            endpoint = str((params or {}).get("authorization_endpoint", ""))
            return Response({"metadata": ALIASES, "tenant_discovery_endpoint": endpoint.replace(
                "/oauth2/v2.0/authorize", "/v2.0/.well-known/openid-configuration")})
        if url.endswith("/.well-known/openid-configuration"):
            return Response(self._configuration(url))
        if "/userrealm/" in url:
            return Response({"ver": "1.0", "account_type": "Managed"})
        return Response({"error": "not_found"}, 404)

    def post(self, url: str, params: dict | None = None, data: object = None,
             headers: dict | None = None, **_: object) -> Response:
        form = data if isinstance(data, dict) else dict(urllib.parse.parse_qsl(str(data or "")))
        if url.endswith("/devicecode"):
            return Response({"device_code": "device", "user_code": "ABCD-EFGH", "expires_in": 900, "interval": 1,
                             "verification_uri": "https://microsoft.com/devicelogin", "message": "sign in"})
        if form.get("grant_type") == "refresh_token":
            self.spent_refresh_tokens.append(form.get("refresh_token", ""))
        if self.answer is None:
            # Not 400: MSAL would remember the refusal for a minute and not ask again.
            return Response({"error": "invalid_grant", "error_description": "refused for the test"}, 401)
        return Response(self.answer)

    def close(self) -> None:
        pass

    @staticmethod
    def _configuration(url: str) -> dict:
        base = url.removesuffix("/.well-known/openid-configuration").removesuffix("/v2.0")
        version = "" if base.endswith("/adfs") else "/v2.0"
        return {"issuer": base + "/v2.0", "authorization_endpoint": f"{base}/oauth2{version}/authorize",
                "token_endpoint": f"{base}/oauth2{version}/token",
                "device_authorization_endpoint": f"{base}/oauth2{version}/devicecode"}
