# SPDX-License-Identifier: Apache-2.0
"""No file under the root shows whom it is about."""

from __future__ import annotations

import pathlib

import pytest

from cachetool import Cachetool
from caches import identities
from sealed_files import leaks, needles, readable_strings


@pytest.fixture
def busy_tool(tool: Cachetool, text: str, cache: dict) -> Cachetool:
    """A group with everything behind it that leaves traces: import, sign-out, compaction, rekey, a damaged import."""
    tool.run("import", "--json", "-", stdin=text.encode())
    account = next(entry["home_account_id"] for entry in cache["Account"].values() if entry.get("home_account_id"))
    tool.run("sign-out", account, "--client", identities.DESKTOP, "--yes")
    tool.run("compact")
    tool.run("rekey")
    tool.run("clear", "--client", identities.DESKTOP, "--yes")
    assert tool.attempt("import", "-", stdin=text.encode()[:-100]).exit_code != 0
    return tool


def test_no_file_holds_a_token_a_name_a_tenant_or_a_client(busy_tool: Cachetool, cache: dict) -> None:
    assert leaks(busy_tool.root, cache) == []


def test_strings_shows_nothing_either(busy_tool: Cachetool, cache: dict) -> None:
    shown = readable_strings(busy_tool.root)
    assert not [text for text in needles(cache) if text in shown]


def test_no_message_holds_a_secret(tool: Cachetool, text: str, cache: dict) -> None:
    outcome = tool.attempt("import", "-", stdin=text.encode()[:-100])
    outputs = [outcome.messages, tool.run("import", "-", stdin=text.encode()).messages]
    outputs += [tool.run(command, "--json").output.decode() for command in ("list", "accounts", "stats", "groups")]
    secrets = {entry["secret"] for name in ("AccessToken", "RefreshToken", "IdToken") for entry in cache[name].values()}
    assert not [secret for secret in secrets for output in outputs if secret in output]


def test_the_search_finds_what_leaks(tmp_path: pathlib.Path, cache: dict) -> None:
    import base64

    secret = next(iter(cache["RefreshToken"].values()))["secret"]
    planted = {
        "plain": secret.encode()[300:340], "wide": secret.encode("utf-16-le"), "hex": secret.encode().hex().encode(),
        "base64": b"xx" + base64.b64encode(b"??" + secret.encode()), "upn": identities.DESKTOP.encode(),
    }
    for name, content in planted.items():
        (tmp_path / name).write_bytes(b"\x01\x02\x03" + content)
    assert {line.split(":")[0] for line in leaks(tmp_path, cache)} == set(planted)
