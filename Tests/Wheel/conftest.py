# SPDX-License-Identifier: Apache-2.0
"""Folders for groups, and what a token endpoint answers. Runs in an environment in which the wheel is installed."""

from __future__ import annotations

import base64
import json
import pathlib
import time

import pytest

from swift_token_cache import SharedTokenCache

HOST, CLIENT, OTHER = "login.microsoftonline.com", "client", "other-client"


def segment(value: dict) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def event(uid: str = "uid", token: str = "A", client: str = CLIENT, scopes: tuple[str, ...] = ("User.Read",), **others) -> dict:
    """What MSAL passes to its cache when a user has signed in."""
    claims = {"oid": uid, "tid": "utid", "sub": uid, "preferred_username": f"{uid}@contoso.com", "exp": int(time.time()) + 3600}
    response = {
        "token_type": "Bearer", "expires_in": 3600, "access_token": token, "refresh_token": f"refresh-{token}",
        "id_token": f"{segment({'alg': 'none'})}.{segment(claims)}.x", "client_info": segment({"uid": uid, "utid": "utid"}),
    }
    response.update(others.pop("response", {}))
    return {"client_id": client, "scope": list(scopes), "environment": HOST, "grant_type": "authorization_code",
            "token_endpoint": f"https://{HOST}/utid/oauth2/v2.0/token", "response": response, **others}


def query(uid: str = "uid", client: str = CLIENT) -> dict:
    return {"home_account_id": f"{uid}.utid", "environment": HOST, "client_id": client, "realm": "utid"}


def tokens(cache: SharedTokenCache, uid: str = "uid", client: str = CLIENT, scopes: tuple[str, ...] = ("User.Read",)) -> list[str]:
    return [entry["secret"] for entry in cache.search("AccessToken", list(scopes), query(uid, client))]


def secrets(cache: SharedTokenCache, kind: str) -> list[str]:
    return sorted(entry["secret"] for entry in cache.search(kind))


def accounts(cache: SharedTokenCache) -> list[str]:
    return sorted(entry["username"] for entry in cache.search("Account"))


class Answering:
    """An HTTP client for MSAL that knows where the endpoints are, and nothing else."""

    def get(self, url: str, **_options: object) -> object:
        base = f"https://{HOST}/utid"
        text = f'{{"issuer": "{base}/v2.0", "authorization_endpoint": "{base}/a", "token_endpoint": "{base}/oauth2/v2.0/token"}}'
        return type("Answer", (), {"status_code": 200, "text": text, "headers": {}, "raise_for_status": lambda self: None})()

    def post(self, url: str, **_options: object) -> object:
        raise AssertionError(f"no test asks {url}")

    def close(self) -> None:
        pass


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "root"
    folder.mkdir(mode=0o700)
    return folder


def opened(root: pathlib.Path, client: str = CLIENT, group: str = "com.contoso.sso") -> SharedTokenCache:
    return SharedTokenCache(group, client, root=str(root), storage="file", timeout=60)
