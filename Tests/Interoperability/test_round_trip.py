# SPDX-License-Identifier: Apache-2.0
"""Nothing is lost between MSAL, the sealed cache and MSAL."""

from __future__ import annotations

import json

import pytest

from cachetool import Cachetool
from caches import document, numbers
from roundtrip import differences, round_trip


def test_everything_comes_back_equal(text: str, tool: Cachetool) -> None:
    assert round_trip(text, tool) == []


@pytest.mark.parametrize("text", [
    '{"Something": {}, "else": []}',
    '{"": {"": {"": {}}}, "x": null, "y": false, "z": "\\u0000"}',
    '{"AccessToken": {"": {"credential_type": "AccessToken", "secret": "s"}}}',
    '{"AccessToken": {"a": {"secret": "s", "home_account_id": null, "expires_on": 1.5e9, "x": {"y": [1.0, -0, 1E5]}}}}',
    '{"RefreshToken": {"no-home": {"credential_type": "RefreshToken", "secret": "r", "client_id": "c"}}}',
    '{"AccessToken": {"é": {"secret": "1"}, "e\\u0301": {"secret": "2"}}}',
])
def test_small_odd_documents_come_back_equal(text: str, tool: Cachetool) -> None:
    assert round_trip(text, tool) == []


@pytest.mark.parametrize("text, exit_code", [
    ("{}", 3),
    ('{"AccessToken": {}, "RefreshToken": {}, "IdToken": {}, "Account": {}, "AppMetadata": {}}', 9),
])
def test_documents_without_content_make_no_group(text: str, exit_code: int, tool: Cachetool) -> None:
    assert tool.attempt("import", "--json", "-", stdin=text.encode()).exit_code == exit_code
    assert not tool.root.joinpath(tool.group).exists()


def test_what_was_written_as_utf8_comes_back_equal(tool: Cachetool, cache: dict) -> None:
    assert round_trip(numbers.write(cache, ascii_only=False, indent=None), tool) == []


def test_a_second_export_of_an_export_changes_nothing(text: str, tool: Cachetool) -> None:
    round_trip(text, tool)
    first = tool.export()
    tool.run("import", "--json", "-", stdin=first)
    assert list(differences(numbers.read(first), numbers.read(tool.export()))) == []


def test_importing_the_same_file_twice_changes_nothing(text: str, tool: Cachetool) -> None:
    tool.run("import", "--json", "-", stdin=text.encode())
    before = journal(tool)
    tool.run("import", "--json", "-", stdin=text.encode())
    assert journal(tool) == before


def test_an_older_copy_never_puts_an_older_entry_over_a_newer_one(tool: Cachetool) -> None:
    old, new = (document.make(seed=3, now=now, accounts=60, with_foreign=False) for now in (1_800_000_000, 1_800_090_000))
    # The same seed makes the same accounts and other tokens under the same keys, a day apart.
    tool.run("import", "--json", "-", stdin=numbers.write(new).encode())
    tool.run("import", "--json", "-", stdin=numbers.write(old).encode())
    after = json.loads(tool.export())
    for section, time in (("AccessToken", "cached_at"), ("RefreshToken", "last_modification_time")):
        common = new[section].keys() & old[section].keys()
        assert len(common) > 50
        for key in common:
            newest = max(new[section][key], old[section][key], key=lambda entry: int(entry[time]))
            assert after[section][key]["secret"] == newest["secret"], f"{section} went back in time"


def test_replace_forces_the_older_copy(tool: Cachetool) -> None:
    old, new = (document.make(seed=3, now=now, accounts=60, with_foreign=False) for now in (1_800_000_000, 1_800_090_000))
    tool.run("import", "--json", "-", stdin=numbers.write(new).encode())
    tool.run("import", "--json", "--replace", "-", stdin=numbers.write(old).encode())
    after = json.loads(tool.export())
    assert all(after["AccessToken"][key]["secret"] == entry["secret"] for key, entry in old["AccessToken"].items())


def journal(tool: Cachetool) -> bytes:
    return (tool.root / tool.group / "journal").read_bytes()
