# SPDX-License-Identifier: Apache-2.0
"""A reader written from the format pages alone finds in a journal what cachetool exports."""

from __future__ import annotations

import pathlib

import pytest

from cachetool import Cachetool
from caches import identities, numbers
from formats import sealing
from formats.cursor import FormatError
from read_journal import document, read
from roundtrip import differences


def journal_of(tool: Cachetool) -> pathlib.Path:
    return tool.root / tool.group / "journal"


def key_of(tool: Cachetool) -> bytes:
    (key,) = (path for path in (tool.root / ".keys").iterdir() if path.is_file())
    return key.read_bytes()


def as_the_second_reader_sees(tool: Cachetool) -> dict:
    return document(read(journal_of(tool).read_bytes(), kind=sealing.KEY_FILE, secret=key_of(tool)))


def test_an_imported_cache_reads_as_it_was(tool: Cachetool, text: str) -> None:
    tool.run("import", "--json", "-", stdin=text.encode())
    assert list(differences(numbers.read(text), as_the_second_reader_sees(tool))) == []


def test_after_changes_it_reads_as_cachetool_exports(tool: Cachetool, text: str, cache: dict) -> None:
    tool.run("import", "--json", "-", stdin=text.encode())
    accounts = [entry["home_account_id"] for entry in cache["Account"].values()
                if entry.get("home_account_id") and entry.get("environment") == identities.PUBLIC_CLOUD][:3]
    for step, account in enumerate(accounts):
        tool.run("sign-out", account, "--client", identities.DESKTOP, "--yes")
        if step == 1:
            tool.run("compact")
        assert list(differences(numbers.read(tool.export()), as_the_second_reader_sees(tool))) == []


def test_the_header_has_the_hash_of_the_groups_name(tool: Cachetool, text: str) -> None:
    tool.run("import", "--json", "-", stdin=text.encode())
    for step in ([], ["compact"], ["rekey", "--yes"]):
        if step:
            tool.run(*step)
        journal = read(journal_of(tool).read_bytes(), kind=sealing.KEY_FILE, secret=key_of(tool))
        assert journal.header.optional_fields[1] == journal.keys.name_hash(tool.group)


def test_after_a_rekey_the_old_key_opens_nothing(tool: Cachetool, text: str) -> None:
    tool.run("import", "--json", "-", stdin=text.encode())
    before, old = as_the_second_reader_sees(tool), key_of(tool)
    tool.run("rekey", "--yes")
    assert list(differences(before, as_the_second_reader_sees(tool))) == []
    with pytest.raises(FormatError):
        read(journal_of(tool).read_bytes(), kind=sealing.KEY_FILE, secret=old)
