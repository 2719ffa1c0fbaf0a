# SPDX-License-Identifier: Apache-2.0
"""Facts and payloads. See Documentation/Formats/Entries.md."""

from __future__ import annotations

import dataclasses
import functools
import re

from .cursor import Cursor, FormatError, UnsupportedVersion

OPAQUE = 127
SECTIONS = {1: "AccessToken", 2: "RefreshToken", 3: "IdToken", 4: "Account", 5: "AppMetadata",
            6: "AccessToken_With_AuthScheme", 7: "AccountMetadataMap"}
PLAIN_SECTION, ESCAPED_SECTION = 254, 255
NO_KEY = 0
SECRET, RAW, PLAIN, ESCAPED = range(4)


@dataclasses.dataclass(frozen=True)
class Entry:
    kind: int
    #: Its place among the entries of its transaction.
    position: int
    #: Names are contents of JSON strings; the key is None where there is none.
    section: str
    key: str | None
    #: The JSON text of the whole entry.
    json: str


@functools.cache
def names(page: str) -> dict[int, str]:
    """The numbered names, read from the table of the page itself."""
    return {int(number): name for number, name in re.findall(r"\| (\d+) `(\w+)`", page)}


def varint(cursor: Cursor) -> int:
    number = 0
    for shift in range(0, 35, 7):
        byte = cursor.u8()
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number
    raise FormatError("a varint of more than five bytes")


def text(cursor: Cursor, length: int) -> str:
    return cursor.take(length).decode()


def values(payload: bytes) -> list[str]:
    if not payload:
        return []
    cursor = Cursor(payload)
    if cursor.u8() != 1:
        raise UnsupportedVersion("payload")
    count, token = cursor.u8(), cursor.u8()
    cursor.zero(1)
    if count > 16 or token not in {*range(count), 255}:
        raise FormatError("counts that do not fit")
    lengths = [cursor.u32() for _ in range(count)]
    found = [text(cursor, length) for length in lengths]
    if not cursor.at_end:
        raise FormatError("something follows the last value")
    return found


def read(facts: bytes, payload: bytes, page: str) -> Entry:
    cursor = Cursor(facts)
    version = cursor.u8()
    if version not in (1, 2):
        raise UnsupportedVersion("facts")
    position = cursor.u32() if version == 2 else 0
    kind, section = cursor.u8(), cursor.u8()
    section_name = text(cursor, varint(cursor)) if section in (PLAIN_SECTION, ESCAPED_SECTION) else SECTIONS[section]
    key = text(cursor, varint(cursor)) if cursor.u8() != NO_KEY else None
    secrets = iter(values(payload))
    members = [member(cursor, secrets, names(page)) for _ in range(varint(cursor))]
    if not cursor.at_end:
        raise FormatError("something follows the last member")
    json = next(secrets) if kind == OPAQUE else "{" + ",".join(members) + "}"
    if next(secrets, None) is not None:
        raise FormatError("more secrets than members for them")
    return Entry(kind, position, section_name, key, json)


def member(cursor: Cursor, secrets, known: dict[int, str]) -> str:
    number = cursor.u8()
    name = known[number] if number else text(cursor, varint(cursor) >> 1)
    head = varint(cursor)
    value, form = text(cursor, head >> 2), head & 3
    if form == SECRET:
        value = next(secrets)
    elif form in (PLAIN, ESCAPED):
        value = f'"{value}"'
    return f'"{name}":{value}'
