# SPDX-License-Identifier: Apache-2.0
"""Caches that other libraries keep in the keyring: found as they find them, read, and left as they are."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sysconfig
import time

import pytest

from caches import document, numbers
from cachetool import Cachetool
from conftest import Keyring

PEERS = pathlib.Path(__file__).parent / "peers"
IDENTITY = "Microsoft.Developer.IdentityService"


def write(keyring: Keyring, program: str, *arguments: str, text: str) -> str:
    # PyGObject is compiled for the Python of the system; what else is needed is of any Python.
    environment = {**keyring.environment, "PYTHONPATH": sysconfig.get_path("purelib")}
    done = subprocess.run(["/usr/bin/python3", PEERS / program, *arguments], input=text, env=environment, text=True,
                          capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def small() -> str:
    return numbers.write(document.make(seed=5, now=int(time.time()), accounts=20, with_foreign=False))


def entries(text: str | bytes) -> dict:
    return {section: value for section, value in json.loads(text).items() if value}


def test_what_msal_extensions_keeps_by_default_is_found_by_its_path(
    keyring: Keyring, small: str, tool: Cachetool, tmp_path: pathlib.Path
) -> None:
    path = str(tmp_path / "signal.bin")
    written = write(keyring, "msal_extensions_writer.py", "defaults", path, text=small)
    report = tool.run("import", "--json", "--from", "msal-extensions", path).document
    assert report["sources"] == [f"the item for {path} in the keyring"]
    assert entries(tool.export()) == entries(written) == entries(small)


def test_an_item_of_a_schema_and_attributes_of_its_own_is_found_by_them(
    keyring: Keyring, small: str, tool: Cachetool, tmp_path: pathlib.Path
) -> None:
    write(keyring, "msal_extensions_writer.py", "named", str(tmp_path / "signal"), "my_schema_name", "my_attr1=foo",
                  "my_attr2=bar", text=small)
    tool.run("import", "--from", "keyring", "--schema", "my_schema_name", "--attribute", "my_attr1=foo")
    assert entries(tool.export()) == entries(small)


def test_a_plain_file_of_msal_extensions_is_read_where_the_keyring_has_no_item(
    keyring: Keyring, small: str, tool: Cachetool, tmp_path: pathlib.Path
) -> None:
    path = str(tmp_path / "plain.json")
    write(keyring, "msal_extensions_writer.py", "plain", path, text=small)
    report = tool.run("import", "--json", "--from", "msal-extensions", path).document
    assert report["sources"] == [path]
    assert entries(tool.export()) == entries(small)


ROWS = [
    ("azure-identity", None, "plain", "MSALCache", "msal.cache.nocae", [f"MsalClientID={IDENTITY}"]),
    ("azure-identity", "mine", "plain", "MSALCache", "mine.cae", [f"MsalClientID={IDENTITY}"]),
    ("azure-identity", None, "base64", "msal.cache", "msal.cache", [f"MsalClientID={IDENTITY}", f"{IDENTITY}=1.0.0.0"]),
    ("azure-identity", None, "base64", "MSALCache.nocae", "msal.cache", [f"MsalClientID={IDENTITY}"]),
    ("azure-identity", None, "plain", f"{IDENTITY}/MSALCache", "org.freedesktop.Secret.Generic",
     [f"service={IDENTITY}", "account=MSALCache"]),
    ("git-credential-manager", None, "base64", "MSALCache", "msal.cache",
     [f"MsalClientID={IDENTITY}", f"{IDENTITY}=1.0.0.0"]),
    ("git-credential-manager", None, "base64", "AppCache", "app.cache",
     ["MsalClientID=GitCredentialManager.MSAL", "GitCredentialManager.MSAL=1.0.0.0"]),
    ("keytar", "my service/my account", "plain", "my service/my account", "org.freedesktop.Secret.Generic",
     ["service=my service", "account=my account"]),
    ("azure-cli", None, "plain", "", "my_schema_name", ["my_attr1=foo", "my_attr2=bar"]),
    ("azure-cli", None, "plain", "", "Microsoft Azure CLI", ["type=Token cache"]),
]


@pytest.mark.parametrize(("library", "name", "encoding", "label", "schema", "attributes"), ROWS)
def test_the_item_of_each_library_is_found_and_read(
    library: str, name: str | None, encoding: str, label: str, schema: str, attributes: list[str],
    keyring: Keyring, small: str, tool: Cachetool
) -> None:
    write(keyring, "item_writer.py", encoding, label, schema, *attributes, text=small)
    tool.run("import", "--from", library, *([name] if name else []))
    assert entries(tool.export()) == entries(small)


def test_where_there_is_no_item_the_places_are_named(keyring: Keyring, tool: Cachetool) -> None:
    outcome = tool.attempt("import", "--from", "git-credential-manager")
    assert outcome.exit_code == 3
    assert "the cache for users in the keyring; the cache for applications in the keyring" in outcome.messages


def test_a_locked_keyring_is_not_taken_for_an_empty_one(
    keyring: Keyring, small: str, tool: Cachetool
) -> None:
    write(keyring, "item_writer.py", *ROWS[0][2:5], *ROWS[0][5], text=small)
    keyring.lock()
    outcome = tool.attempt("import", "--from", "azure-identity", "--no-prompt")
    assert outcome.exit_code == 4
    assert "locked" in outcome.messages


def test_an_item_that_is_no_cache_is_an_error_that_says_so(keyring: Keyring, tool: Cachetool) -> None:
    write(keyring, "item_writer.py", "plain", "x", "org.freedesktop.Secret.Generic", "service=s", "account=a",
                  text="hello, this is no JSON")
    outcome = tool.attempt("import", "--from", "keytar", "s/a")
    assert outcome.exit_code == 7
    assert "hello" not in outcome.messages


def test_without_a_session_bus_the_error_says_what_is_missing(
    tool: Cachetool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", os.devnull)
    outcome = tool.attempt("import", "--from", "keytar", "s/a")
    assert outcome.exit_code == 5
    assert "bus" in outcome.messages
