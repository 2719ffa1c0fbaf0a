# SPDX-License-Identifier: Apache-2.0
"""Opens a journal with nothing but the format pages, and writes the unified JSON that is in it, tokens in clear.

    python read_journal.py --key-file ROOT/.keys/UUID ROOT/GROUP/journal
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys

from cachetool import PROJECT
from caches import numbers
from formats import entries, sealing
from formats.journal import Journal, Record

PAGE = (PROJECT / "Documentation" / "Formats" / "Entries.md").read_text(encoding="utf-8")
FIRST_KIND_OF_THE_ENGINE = 128


def read(journal: bytes, *, kind: int, secret: bytes) -> Journal:
    return Journal(journal, lambda slots: sealing.KeySlots(slots).unlock(kind, secret))


def entry(journal: Journal, record: Record) -> entries.Entry:
    """Opens both boxes of a record. Its tag must be the one that its section and key make."""
    named = {"tag": record.tag, "kind": record.kind, "sequence": record.sequence}
    facts = journal.keys.open_record_box("facts", record.facts, **named)
    payload = journal.keys.open_record_box("secret", record.secret, **named) if record.secret else b""
    found = entries.read(facts, payload, PAGE)
    section = json.loads(f'"{found.section}"').encode()
    parts = (b"\xff" + section, b"") if found.key is None else (section, json.loads(f'"{found.key}"').encode())
    assert journal.keys.tag("record", *parts) == record.tag, "a record stands under the tag of another"
    return found


def document(journal: Journal) -> dict:
    """All entries, as the unified JSON."""
    made: dict = {}
    for record in journal:
        if record.kind >= FIRST_KIND_OF_THE_ENGINE:
            continue
        found = entry(journal, record)
        section, value = json.loads(f'"{found.section}"'), numbers.read(found.json)
        if found.key is None:
            made[section] = value
        else:
            made.setdefault(section, {})[json.loads(f'"{found.key}"')] = value
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("journal", type=pathlib.Path)
    parser.add_argument("--key-file", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    journal = read(arguments.journal.read_bytes(), kind=sealing.KEY_FILE, secret=arguments.key_file.read_bytes())
    sys.stdout.write(numbers.write(document(journal)) + "\n")


if __name__ == "__main__":
    main()
