# SPDX-License-Identifier: Apache-2.0
"""Caches that the real ADAL for Python wrote: its people are found, and its refresh tokens are the last choice."""

from __future__ import annotations

import collections
import json
import pathlib

import pytest

from cachetool import Cachetool
from caches.adal_service import AZURE_CLI, GRAPH, MANAGEMENT, AdalService
from sealed_files import readable_strings

ANN, BEA, APP = "Ann@Contoso.example", "bea@contoso.example", "0a7f52dd-260e-432f-94de-b47828c3f372"


@pytest.fixture
def service() -> AdalService:
    service = AdalService()
    service.sign_in(ANN, APP)
    service.renew(ANN, APP, MANAGEMENT)
    service.sign_in(BEA, AZURE_CLI, MANAGEMENT)
    service.sign_in(BEA, APP, several=False)
    service.app_token(APP)
    return service


@pytest.fixture
def path(service: AdalService, tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "accessTokens.json"
    path.write_text(service.text())
    return path


def lookup(tool: Cachetool, user: str, client: str, scopes: str, *more: str) -> dict:
    return tool.attempt("lookup", "--json", "--account", user, "--client", client, "--scopes", scopes, *more).document


def entries(tool: Cachetool) -> list[dict]:
    return tool.run("list", "--json").document["entries"]


def newest_refresh_token(service: AdalService, user: str, client: str) -> str:
    tokens = [item["refreshToken"] for item in service.items()
              if item.get("userId") == user and item["_clientId"] == client]
    return max(tokens)


def test_everything_is_taken_and_listed_by_username(service: AdalService, path: pathlib.Path, tool: Cachetool) -> None:
    report = tool.import_file(path, "--from", "adal")
    assert report["kinds"] == [{"kind": "LegacySingleResourceToken", "new": len(service.items()), "replaced": 0,
                                "unchanged": 0, "older": 0, "signed_out": 0}]
    listed = collections.Counter((entry["username"], entry["client_id"]) for entry in entries(tool))
    assert listed == collections.Counter((item.get("userId"), item["_clientId"]) for item in service.items())
    accounts = tool.run("accounts", "--json", "--client", APP).document["accounts"]
    assert sorted(account["username"] for account in accounts if account["signed_in"]) == [ANN, BEA]


@pytest.mark.parametrize("name", ["adal", "azure-cli"])
def test_a_username_leads_to_the_refresh_token(name: str, service: AdalService, path: pathlib.Path,
                                               tool: Cachetool) -> None:
    tool.import_file(path, "--from", name)
    for user in (ANN, ANN.upper()):
        answer = lookup(tool, user, APP, "User.Read Mail.Read")
        assert answer["decision"] == "renew"
        assert answer["environment"] == "login.microsoftonline.com"
    revealed = {tool.run("inspect", entry["id"], "--reveal", "--yes", "--json").document.get("secret")
                for entry in entries(tool) if entry["username"] == ANN}
    assert revealed == {newest_refresh_token(service, ANN, APP)}


def test_a_token_for_one_resource_is_spent_for_that_one_only(path: pathlib.Path, tool: Cachetool) -> None:
    tool.import_file(path, "--from", "adal")
    assert lookup(tool, BEA, APP, f"{GRAPH}.default")["decision"] == "renew"
    assert lookup(tool, BEA, APP, f"{MANAGEMENT}.default")["decision"] == "interaction"
    assert lookup(tool, BEA, AZURE_CLI, f"{MANAGEMENT}/.default")["decision"] == "renew"
    assert lookup(tool, ANN, AZURE_CLI, "User.Read")["decision"] == "interaction"


def test_importing_twice_changes_nothing_and_an_old_copy_changes_nothing(
    service: AdalService, path: pathlib.Path, tool: Cachetool
) -> None:
    old = path.read_text()
    for item in (items := service.items()):
        item["expiresOn"] = "2099-01-01 00:00:00.000000"
        item["accessToken"] += "-newer"
    path.write_text(json.dumps(items))
    assert tool.import_file(path, "--from", "adal")["changed"] is True
    assert tool.import_file(path, "--from", "adal")["changed"] is False
    path.write_text(old)
    report = tool.import_file(path, "--from", "adal")
    assert report["changed"] is False
    assert report["kinds"][0]["older"] == len(items)


def test_nothing_of_it_is_exported_or_legible(service: AdalService, path: pathlib.Path, tool: Cachetool) -> None:
    tool.import_file(path, "--from", "adal")
    assert tool.export() == b"{}"
    shown = readable_strings(tool.root)
    for item in service.items():
        for value in (item["accessToken"], item.get("refreshToken"), item.get("userId"), item["_clientId"]):
            assert value is None or value[:12] not in shown


def test_what_the_azure_cli_kept_for_service_principals_is_sealed_and_never_used(
    service: AdalService, path: pathlib.Path, tool: Cachetool
) -> None:
    principal = {"servicePrincipalId": "http://robot", "servicePrincipalTenant": "contoso", "accessToken": "robot secret"}
    path.write_text(json.dumps([principal, *service.items()]))
    assert tool.import_file(path, "--from", "azure-cli")["bad"] == 0
    assert "robot secret" not in tool.run("list", "--json").output.decode()
    done = tool.attempt("lookup", "--json", "--client", "http://robot", "--tenant", "contoso", "--scopes", "a")
    assert done.document["decision"] == "interaction"


CORRUPT, FAILURE, NOT_FOUND = 7, 1, 3


@pytest.mark.parametrize(("content", "status"), [
    ("", CORRUPT), ("{}", CORRUPT), ("[", CORRUPT), ("[1]", CORRUPT), ("[{}]", CORRUPT), ("[{}] []", CORRUPT),
    ('[{"accessToken": 31415926}]', CORRUPT), ('[{"accessToken": "31415926", "_clientId": "c"}]', CORRUPT),
    ('[{"a": 1, "a": 31415926}]', CORRUPT), ("[" * 100, CORRUPT),
    ('[{"accessToken": "' + "31415926" * (1 << 17) + '"}]', FAILURE),
])
def test_bad_files_are_refused_whole_without_showing_content(
    content: str, status: int, path: pathlib.Path, tool: Cachetool
) -> None:
    path.write_text(content)
    done = tool.attempt("import", "--from", "adal", str(path))
    assert done.exit_code == status, done.messages
    assert done.messages and "31415926" not in done.messages
    # A group that the import would have made is not left behind.
    assert tool.attempt("list").exit_code == NOT_FOUND


def test_a_cache_of_msal_is_not_taken_for_one_of_adal(path: pathlib.Path, tool: Cachetool) -> None:
    assert tool.attempt("import", str(path)).exit_code != 0
    path.write_text('{"AccessToken": {}}')
    assert tool.attempt("import", "--from", "adal", str(path)).exit_code != 0
