# SPDX-License-Identifier: Apache-2.0
"""What MSAL Python stores of people at two issuers of one host who have the same subject, and what comes back to it."""

from __future__ import annotations

import base64
import json
import pathlib

import msal
import pytest

from cachetool import Cachetool

CLIENT, ISSUERS = "6c051b1e-0000-4000-8000-00000000000a", {"a": "https://id.example/a", "b": "https://id.example/b"}


def id_token(issuer: str) -> str:
    parts = [{"alg": "none"}, {"iss": issuer, "sub": "1", "aud": CLIENT, "preferred_username": "alice"}]
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts) + ".c2ln"


@pytest.fixture
def cache() -> msal.SerializableTokenCache:
    cache = msal.SerializableTokenCache()
    for tenant, issuer in ISSUERS.items():
        cache.add({
            "client_id": CLIENT, "scope": ["mail.read"], "token_endpoint": f"{issuer}/token", "grant_type": "authorization_code",
            "response": {"access_token": f"at-{tenant}", "refresh_token": f"rt-{tenant}", "id_token": id_token(issuer),
                         "expires_in": 3600, "token_type": "Bearer", "scope": "mail.read"},
        })
    return cache


@pytest.fixture
def imported(cache: msal.SerializableTokenCache, tool: Cachetool, tmp_path: pathlib.Path) -> Cachetool:
    path = tmp_path / "msal.json"
    path.write_text(cache.serialize())
    tool.import_file(path)
    return tool


def lookup(tool: Cachetool, account: str, *more: str) -> dict:
    return tool.attempt("lookup", "--json", "--account", account, "--client", CLIENT, "--scopes", "mail.read", *more).document


def test_one_account_of_msal_is_two(imported: Cachetool) -> None:
    accounts = imported.run("accounts", "--json").document["accounts"]
    assert sorted((account["home_account_id"], account["issuer"]) for account in accounts if account["issuer"]) \
        == [("1", issuer) for issuer in ISSUERS.values()]
    for tenant, issuer in ISSUERS.items():
        found = lookup(imported, f"1@{issuer}")
        assert found["decision"] == "hit" and found["tenant"] == tenant, found
    for name in ("1", "alice"):
        found = lookup(imported, name)
        assert found["reason"] == "severalAccounts", found
        assert set(ISSUERS.values()) <= {account["issuer"] for account in found["accounts"]}


def test_msal_finds_everything_again_and_only_the_issuer_is_new(cache: msal.SerializableTokenCache, imported: Cachetool) -> None:
    exported = json.loads(imported.export())
    before = json.loads(cache.serialize())
    for section, entries in exported.items():
        for key, entry in entries.items():
            assert {name: value for name, value in entry.items() if name != "issuer"} == before[section][key]
    assert {section: set(entries) for section, entries in exported.items()} \
        == {section: set(entries) for section, entries in before.items()}
    again = msal.SerializableTokenCache()
    again.deserialize(json.dumps(exported))
    for kind in (cache.CredentialType.ACCESS_TOKEN, cache.CredentialType.ID_TOKEN):
        for tenant in ISSUERS:
            query = {"client_id": CLIENT, "realm": tenant, "home_account_id": "1", "environment": "id.example"}
            found = [[entry["secret"] for entry in one.search(kind, query=query)] for one in (cache, again)]
            assert found[0] == found[1] and len(found[0]) == 1


@pytest.fixture
def beside_an_older_entry(tool: Cachetool, tmp_path: pathlib.Path) -> Cachetool:
    """A person at an issuer, and one that was stored with the same subject and name by a program that knew no issuers."""
    document: dict[str, dict] = {"RefreshToken": {}, "Account": {}}
    for realm, more in {"x": {}, "a": {"issuer": ISSUERS["a"]}}.items():
        common = {"home_account_id": "1", "environment": "id.example", "realm": realm, **more}
        document["Account"][f"1-id.example-{realm}"] = {
            **common, "username": "alice", "authority_type": "Other", "local_account_id": "1"
        }
        document["RefreshToken"][f"1-id.example-refreshtoken-{CLIENT}-{realm}-"] = {
            **common, "credential_type": "RefreshToken", "client_id": CLIENT, "secret": f"rt-{realm}"
        }
    path = tmp_path / "older.json"
    path.write_text(json.dumps(document))
    tool.import_file(path)
    return tool


@pytest.mark.parametrize("verb", [["sign-out", "--client", CLIENT], ["clear", "--account"]])
def test_an_account_without_issuer_is_removed_by_its_handle(verb: list[str], beside_an_older_entry: Cachetool) -> None:
    tool = beside_an_older_entry
    refused = tool.attempt(*verb, "1", "--yes")
    assert refused.exit_code == 2 and "account_handle" in refused.messages, refused
    entries = tool.run("list", "--json").document["entries"]
    handle = next(entry["account_handle"] for entry in entries if entry["issuer"] is None)
    tool.run(*verb, handle, "--yes")
    left = {entry["secret"] for entry in json.loads(tool.export())["RefreshToken"].values()}
    assert left == {"rt-a"}


@pytest.mark.parametrize("subject", ["0123456789abcdef0123456789abcdef", "abcdefghijklmnop"])
def test_an_account_is_signed_out_by_its_subject_also_if_that_looks_like_a_handle(
    subject: str, tool: Cachetool, tmp_path: pathlib.Path
) -> None:
    common = {"home_account_id": subject, "environment": "id.example", "realm": "a", "issuer": ISSUERS["a"]}
    path = tmp_path / "one.json"
    path.write_text(json.dumps({
        "Account": {"account": {**common, "username": "alice", "authority_type": "Other", "local_account_id": subject}},
        "RefreshToken": {"token": {**common, "credential_type": "RefreshToken", "client_id": CLIENT, "secret": "rt"}},
    }))
    tool.import_file(path)
    tool.run("sign-out", "--client", CLIENT, subject, "--yes")
    assert "RefreshToken" not in json.loads(tool.export())
