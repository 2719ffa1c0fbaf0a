# SPDX-License-Identifier: Apache-2.0
"""What other programs of the session see of a group in the keyring: that it is there, and nothing of whom it is about."""

from __future__ import annotations

import base64
import collections.abc
import contextlib
import pathlib
import re
import subprocess
import time

import pytest
import secretstorage

from caches import document, numbers
from cachetool import Cachetool
from conftest import Keyring
from sealed_files import leaks, needles

SCHEMA = {"xdg:schema": "swift-token-cache"}


@pytest.fixture
def small_cache(seed: int) -> dict:
    return document.make(seed=seed, now=int(time.time()), accounts=8, with_foreign=False)


@pytest.fixture
def filled(keyring: Keyring, small_cache: dict, tool: Cachetool) -> Cachetool:
    """A group in the keyring with new keys."""
    tool.run("import", "--storage", "keyring", "-", stdin=numbers.write(small_cache).encode())
    tool.run("rekey")
    return tool


@pytest.fixture
def collection(keyring: Keyring) -> collections.abc.Iterator[secretstorage.Collection]:
    with contextlib.closing(secretstorage.dbus_init()) as connection:
        yield secretstorage.get_default_collection(connection)


def items(collection: secretstorage.Collection) -> list[secretstorage.Item]:
    return list(collection.search_items(SCHEMA))


def test_secretstorage_sees_items_with_one_label_and_blinded_attributes(
    filled: Cachetool, collection: secretstorage.Collection, small_cache: dict
) -> None:
    found = items(collection)
    assert len(found) > 10
    assert {item.get_label() for item in found} == {"swift-token-cache"}
    attributes = [item.get_attributes() for item in found]
    assert {frozenset(one) for one in attributes} == {frozenset({"xdg:schema", "group", "role", "tag"})}
    assert {one["role"] for one in attributes} == {"key", "partition"}
    assert len({one["group"] for one in attributes}) == 1
    values = {one[name] for one in attributes for name in ("group", "tag")}
    assert all(re.fullmatch(r"[0-9a-f]{32}|[0-9a-f-]{36}", value) for value in values)
    everything = repr(attributes).lower()
    assert not [text for text in needles(small_cache) if text.lower() in everything]
    assert filled.group not in everything


def test_what_the_items_hold_shows_nothing(
    filled: Cachetool, collection: secretstorage.Collection, small_cache: dict, tmp_path: pathlib.Path
) -> None:
    folder = tmp_path / "contents"
    folder.mkdir()
    for number, item in enumerate(items(collection)):
        assert item.get_secret_content_type().startswith("text/plain")
        (folder / f"{number}.text").write_bytes(item.get_secret())
        (folder / f"{number}.bytes").write_bytes(base64.b64decode(item.get_secret(), validate=True))
    assert leaks(folder, small_cache) == []


def test_secret_tool_finds_them_and_shows_nothing(
    filled: Cachetool, collection: secretstorage.Collection, small_cache: dict
) -> None:
    done = subprocess.run(["secret-tool", "search", "--all", "xdg:schema", SCHEMA["xdg:schema"]], check=True,
                          capture_output=True, timeout=60)
    shown = (done.stdout + done.stderr).decode()
    assert shown.count("label = swift-token-cache\n") == len(items(collection))
    assert not [text for text in needles(small_cache) if text in shown]


def test_no_file_of_the_keyring_or_of_the_group_holds_anything_in_clear(
    filled: Cachetool, keyring: Keyring, small_cache: dict
) -> None:
    folder = pathlib.Path(keyring.environment["KEYRING_FOLDER"])
    assert (folder / ".local/share/keyrings/login.keyring").stat().st_size > 10_000
    assert leaks(folder, small_cache) == []
    assert leaks(filled.root, small_cache) == []


def test_an_item_of_somebody_else_in_between_changes_nothing(
    filled: Cachetool, collection: secretstorage.Collection
) -> None:
    before = filled.export()
    partition = next(item.get_attributes() for item in items(collection) if item.get_attributes()["role"] == "partition")
    collection.create_item("swift-token-cache", {**partition, "more": "x", "tag": "0" * 32}, b"hello", replace=False)
    collection.create_item("swift-token-cache", {**partition, "role": "key", "tag": "x"}, b"hello", replace=False)
    assert filled.export() == before
