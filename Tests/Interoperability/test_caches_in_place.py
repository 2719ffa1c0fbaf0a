# SPDX-License-Identifier: Apache-2.0
"""Caches that the real MSAL, msal-extensions and ADAL for Python wrote, shown where they are: no group, nothing written."""

from __future__ import annotations

import collections
import json
import os
import pathlib
import subprocess
import time

import pytest

import documents
from cachetool import Cachetool, Outcome, programs
from caches import document, numbers
from caches.adal_service import GRAPH, AdalService
from conftest import Keyring
from test_keyring_caches import entries, write

APP = "0a7f52dd-260e-432f-94de-b47828c3f372"


@pytest.fixture
def small() -> str:
    return numbers.write(document.make(seed=6, now=int(time.time()), accounts=6, with_foreign=False))


def show(command: str, *arguments: str) -> Outcome:
    done = subprocess.run([programs() / "cachetool", command, *arguments, "--json"], capture_output=True, check=False,
                          timeout=60)
    documents.check([command, "--json"], done.returncode, done.stdout.decode())
    return Outcome(done.returncode, done.stdout, done.stderr.decode(errors="replace"))


def identity(entry: dict) -> str:
    """An entry or account without what differs between groups: handles, and which tenant comes first."""
    kept = {name: value for name, value in entry.items() if name not in ("id", "account_handle")}
    if "tenants" in kept:
        kept["tenants"] = sorted(json.dumps(tenant, sort_keys=True) for tenant in kept["tenants"])
    return json.dumps(kept, sort_keys=True)


def expect_same_as_imported(tool: Cachetool, imported: list[str], *shown: str) -> None:
    tool.run("import", *imported)
    for command, members in (("list", "entries"), ("accounts", "accounts")):
        outcome = show(command, *shown)
        assert outcome.exit_code == 0, outcome.messages
        assert collections.Counter(map(identity, outcome.document[members])) == collections.Counter(
            map(identity, tool.run(command, "--json").document[members]))


def home_files() -> set[str]:
    return {str(path) for path in pathlib.Path(os.environ["HOME"]).rglob("*")}


def test_the_plain_file_of_msal_extensions(keyring: Keyring, small: str, tool: Cachetool, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plain.json"
    write(keyring, "msal_extensions_writer.py", "plain", str(path), text=small)
    before = (path.read_bytes(), path.stat().st_mtime_ns, home_files())
    expect_same_as_imported(tool, [str(path)], "--file", str(path))
    assert (path.read_bytes(), path.stat().st_mtime_ns, home_files()) == before


def test_the_keyring_item_of_msal_extensions(keyring: Keyring, small: str, tool: Cachetool, tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "signal.bin")
    written = write(keyring, "msal_extensions_writer.py", "defaults", path, text=small)
    expect_same_as_imported(tool, ["--from", "msal-extensions", path], "--from", "msal-extensions", "--file", path)
    # The item is as the library wrote it.
    again = Cachetool(tool.root, "again", "--timeout", "30")
    again.run("import", "--from", "msal-extensions", path)
    assert entries(again.export()) == entries(written)


def test_an_item_by_its_attributes(keyring: Keyring, small: str, tool: Cachetool, tmp_path: pathlib.Path) -> None:
    write(keyring, "msal_extensions_writer.py", "named", str(tmp_path / "signal"), "my_schema_name", "my_attr1=foo",
          "my_attr2=bar", text=small)
    item = ["--from", "keyring", "--schema", "my_schema_name", "--attribute", "my_attr1=foo"]
    expect_same_as_imported(tool, item, *item)


def test_the_file_of_adal(tool: Cachetool, tmp_path: pathlib.Path) -> None:
    service = AdalService()
    service.sign_in("Ann@Contoso.example", APP)
    service.app_token(APP)
    path = tmp_path / "accessTokens.json"
    path.write_text(service.text())
    expect_same_as_imported(tool, ["--from", "adal", str(path)], "--file", str(path))
    renewed = show("lookup", "--file", str(path), "--account", "ann@contoso.example", "--client", APP,
                   "--scopes", f"{GRAPH}/.default")
    assert renewed.document["decision"] == "renew", renewed.messages


def test_a_locked_keyring_is_said_to_be_locked(keyring: Keyring, small: str, tmp_path: pathlib.Path) -> None:
    path = str(tmp_path / "signal.bin")
    write(keyring, "msal_extensions_writer.py", "defaults", path, text=small)
    keyring.lock()
    outcome = show("list", "--from", "msal-extensions", "--file", path, "--no-prompt")
    assert outcome.exit_code == 4
    assert "locked" in outcome.messages


def test_the_keys_of_msal_python_are_those_that_it_wrote(keyring: Keyring, small: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "plain.json"
    written = entries(write(keyring, "msal_extensions_writer.py", "plain", str(path), text=small))
    keys = set()
    for entry in show("list", "--file", str(path)).document["entries"]:
        shown = show("inspect", entry["id"], "--file", str(path), "--keys").document["keys"]
        assert shown["python"] == shown["stored"]
        keys.add(shown["stored"])
    assert keys == {key for section in written.values() for key in section}
