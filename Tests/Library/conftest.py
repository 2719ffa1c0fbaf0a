# SPDX-License-Identifier: Apache-2.0
"""The installed library, and what a token endpoint answers."""

from __future__ import annotations

import base64
import json
import os
import pathlib
import sys
import time

import pytest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = PROJECT / "Examples" / "Library"
PREFIX = pathlib.Path(os.environ["TOKEN_CACHE_LIBRARY"])
sys.path.insert(0, str(EXAMPLES))


def environment(root: pathlib.Path, **others: str) -> dict[str, str]:
    """That of a program whose groups, by default too, are in this folder."""
    return {"PATH": os.environ["PATH"], "HOME": str(root), "LD_LIBRARY_PATH": str(PREFIX / "lib"),
            "TOKEN_CACHE_LIBRARY": str(PREFIX), **others}


def segment(value: dict) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def response(access_token: str, refresh_token: str) -> bytes:
    claims = {"oid": "uid", "tid": "utid", "sub": "subject", "preferred_username": "ada@contoso.com", "name": "Ada",
              "iss": "https://login.microsoftonline.com/utid/v2.0", "aud": "client", "iat": int(time.time()), "exp": 4102444800}
    return json.dumps({
        "token_type": "Bearer", "scope": "User.Read", "expires_in": 3600, "access_token": access_token,
        "refresh_token": refresh_token, "id_token": f"{segment({'alg': 'none'})}.{segment(claims)}.x",
        "client_info": segment({"uid": "uid", "utid": "utid"}),
    }).encode()


@pytest.fixture
def root(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "root"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def responses(tmp_path: pathlib.Path) -> list[str]:
    paths = [tmp_path / "signed-in.json", tmp_path / "renewed.json"]
    for path, length in zip(paths, (1000, 2000)):
        path.write_bytes(response("A" * length, "R" * (length + 1)))
    return [str(path) for path in paths]
