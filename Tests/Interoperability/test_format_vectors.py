# SPDX-License-Identifier: Apache-2.0
"""The second reader agrees with the vectors, so the format pages say all that one needs."""

from __future__ import annotations

import json
import uuid

import pytest

from cachetool import PROJECT
from formats import sealing
from formats.cursor import FormatError

VECTORS = PROJECT / "Tests" / "Vectors" / "Sealing"
KINDS = {"keyring": sealing.KEYRING, "keyFile": sealing.KEY_FILE, "passphrase": sealing.PASSPHRASE}
LABELS = {"record": ("record", 16), "accountPartition": ("account", 16), "usernamePartition": ("username", 16),
          "appOnlyPartition": ("app", 16), "groupPartition": ("group", 16), "usernameSearch": ("search", 8)}


def load(name: str) -> dict:
    return json.loads((VECTORS / name).read_text())


def named(cases: list[dict]) -> list:
    return [pytest.param(case, id=case["name"]) for case in cases]


@pytest.mark.parametrize("case", named(load("key-slots.json")["blocks"]))
def test_every_secret_of_a_key_slot_block_opens_it(case: dict) -> None:
    for secret in case["secrets"]:
        keys = sealing.KeySlots(bytes.fromhex(case["block"])).unlock(KINDS[secret["kind"]], bytes.fromhex(secret["secret"]))
        assert keys == sealing.Keys(uuid.UUID(case["group"]).bytes, case["epoch"], bytes.fromhex(case["rootKey"]),
                                    bytes.fromhex(case["tagKey"]))


@pytest.mark.parametrize("case", named(load("key-slots.json")["refusals"]))
def test_a_bad_key_slot_block_is_refused_for_the_same_reason(case: dict) -> None:
    secret = case["secret"]
    with pytest.raises(FormatError) as caught:
        sealing.KeySlots(bytes.fromhex(case["block"])).unlock(KINDS[secret["kind"]], bytes.fromhex(secret["secret"]))
    assert caught.value.code == case["error"]


def record_keys() -> sealing.Keys:
    document = load("records.json")
    return sealing.Keys(uuid.UUID(document["group"]).bytes, document["epoch"], bytes.fromhex(document["rootKey"]), bytes(32))


def open_case(case: dict) -> bytes:
    return record_keys().open_record_box(case["role"], bytes.fromhex(case["box"]), tag=bytes.fromhex(case["tag"]),
                                         kind=case["kind"], sequence=case["sequence"])


@pytest.mark.parametrize("case", named(load("records.json")["boxes"]))
def test_record_boxes_open(case: dict) -> None:
    assert open_case(case) == bytes.fromhex(case["plaintext"])


@pytest.mark.parametrize("case", named(load("records.json")["refusals"]))
def test_bad_record_boxes_are_refused(case: dict) -> None:
    with pytest.raises(FormatError) as caught:
        open_case(case)
    assert caught.value.code == case["error"]


def test_tags_agree() -> None:
    document = load("tags.json")
    keys = sealing.Keys(bytes(16), 1, bytes(32), bytes.fromhex(document["tagKey"]))
    for case in document["tags"]:
        label, size = LABELS[case["what"]]
        tag = keys.tag(label, *(bytes.fromhex(part) for part in case["parts"]))[:size]
        assert tag.hex() == case["tag"], case
