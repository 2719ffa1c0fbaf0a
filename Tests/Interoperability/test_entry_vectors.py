# SPDX-License-Identifier: Apache-2.0
"""The second reader puts entries together from facts and payloads, so their page says all that one needs."""

from __future__ import annotations

import json
import re

import pytest

from cachetool import PROJECT
from formats import entries
from formats.cursor import FormatError

PAGE = (PROJECT / "Documentation" / "Formats" / "Entries.md").read_text()
VECTORS = json.loads((PROJECT / "Tests" / "Vectors" / "Entries" / "entries.json").read_text())["entries"]
CASES = [pytest.param(case, id=case["name"]) for case in VECTORS]

#: White space between the members of an entry is the only thing that is not kept.
SPACE = re.compile(r'("(?:[^"\\]|\\.)*")|\s+')


def read(case: dict) -> entries.Entry:
    return entries.read(bytes.fromhex(case["facts"]), bytes.fromhex(case["payload"]), PAGE)


def squeezed(text: str) -> str:
    return SPACE.sub(lambda found: found[1] or "", text)


@pytest.mark.parametrize("case", CASES)
def test_an_entry_comes_back(case: dict) -> None:
    entry = read(case)
    assert entry.kind == case["kind"]
    assert json.loads(f'"{entry.section}"') == case["section"]
    assert (None if entry.key is None else json.loads(f'"{entry.key}"')) == case["key"]
    assert squeezed(entry.json) == squeezed(case["json"])


@pytest.mark.parametrize("case", CASES)
def test_facts_hold_no_secret(case: dict) -> None:
    facts = bytes.fromhex(case["facts"])
    for value in entries.values(bytes.fromhex(case["payload"])):
        assert len(value) < 6 or value.strip('"').encode() not in facts


@pytest.mark.parametrize("case", CASES)
def test_a_part_of_an_entry_is_refused(case: dict) -> None:
    for end in range(len(case["facts"]) // 2):
        with pytest.raises((FormatError, KeyError, StopIteration)):
            read({**case, "facts": case["facts"][:2 * end]})
