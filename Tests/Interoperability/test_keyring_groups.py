# SPDX-License-Identifier: Apache-2.0
"""Groups whose records, or whose key, are in the keyring."""

from __future__ import annotations

import subprocess

import pytest

from cachetool import PROJECT, Cachetool
from conftest import Keyring


SMALL = (PROJECT / "Samples" / "msal-cache.json").read_bytes()


def levels(outcome: dict, topic: str) -> list[str]:
    return [finding["level"] for finding in outcome["findings"] if finding["topic"] == topic]


def test_the_keyring_gets_a_new_group_and_doctor_says_why(keyring: Keyring, tool: Cachetool) -> None:
    tool.run("import", "--json", "-", stdin=SMALL)
    assert tool.run("stats", "--json").document["storage"] == "keyring"
    told = tool.run("doctor", "--probe-write", "--json").document
    assert told["healthy"]
    assert levels(told, "keyring") == levels(told, "round_trip") == levels(told, "store") == ["fine"]


def test_a_keyring_that_the_group_needs_and_that_is_gone_is_a_problem(
    keyring: Keyring, tool: Cachetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool.run("import", "--json", "-", stdin=SMALL)
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    monkeypatch.delenv("XDG_RUNTIME_DIR")
    outcome = tool.attempt("doctor", "--json")
    assert outcome.exit_code == 1
    assert levels(outcome.document, "keyring") == levels(outcome.document, "opening") == ["problem"]


def test_a_locked_keyring_is_a_problem_only_where_the_group_needs_it(keyring: Keyring, tool: Cachetool) -> None:
    tool.run("import", "--json", "--storage", "file", "-", stdin=SMALL)
    keyring.lock()
    told = tool.run("doctor", "--json").document
    assert levels(told, "keyring") == ["note"]


def test_a_round_trip_leaves_no_item_behind(keyring: Keyring, tool: Cachetool) -> None:
    tool.run("import", "--json", "-", stdin=SMALL)
    tool.run("doctor", "--probe-write")
    found = subprocess.run(["gdbus", "call", "--session", "-d", "org.freedesktop.secrets", "-o", "/org/freedesktop/secrets",
                            "-m", "org.freedesktop.Secret.Service.SearchItems", "{'role': 'canary'}"],
                           env=keyring.environment, check=True, capture_output=True, text=True, timeout=20)
    assert found.stdout.strip() == "(@ao [], @ao [])"
