# SPDX-License-Identifier: Apache-2.0
"""Reads a journal: header, snapshot and frames, and the records that they leave. See Documentation/Formats/Journal.md."""

from __future__ import annotations

import dataclasses
import hmac
from collections.abc import Callable, Iterator

from .cursor import Cursor, DoesNotVerify, FormatError, UnsupportedVersion
from .sealing import Keys, keyed_hash, open_box

MAGIC = b"\x89STCJ\r\n\x1a"
PIECE = 65_536
OVERHEAD = 40


@dataclasses.dataclass(frozen=True)
class Record:
    """A stored record, its boxes still sealed. `secret` is None where it has none, and zeros where it was erased."""

    tag: bytes
    partition: bytes
    kind: int
    sequence: int
    facts: bytes
    secret: bytes | None
    search_tags: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Header:
    """The plain header of a journal."""

    major_version: int
    minor_version: int
    group: bytes
    journal_id: bytes
    epoch: int
    key_slots: bytes
    base_sequence: int
    blocks_at: int
    index_at: int
    index_size: int
    frames_at: int
    dead_bytes: int
    optional_fields: dict[int, bytes]

    @staticmethod
    def parse(data: bytes) -> Header:
        cursor = Cursor(data[:4096])
        if cursor.take(8) != MAGIC:
            raise FormatError("not a journal")
        major = cursor.u16()
        if major not in (1, 2):
            raise UnsupportedVersion("another major version")
        minor = cursor.u16()
        if cursor.u8() != 1:
            raise UnsupportedVersion("another cipher suite")
        cursor.skip(3)
        group, journal_id, epoch, slots_size = cursor.take(16), cursor.take(16), cursor.u32(), cursor.u32()
        base, blocks, index, index_size, frames, dead = (cursor.u64() for _ in range(6))
        optional_size = cursor.u32()
        cursor.skip(20)
        if 128 + slots_size + optional_size > 4064:
            raise FormatError("the header is fuller than it can be")
        slots = cursor.take(slots_size)
        fields, optional = Cursor(cursor.take(optional_size)), {}
        while not fields.at_end:
            kind, size = fields.u16(), fields.u16()
            optional[kind] = fields.take(size)
        return Header(major, minor, group, journal_id, epoch, slots, base, blocks, index, index_size, frames, dead, optional)


class Journal:
    """An opened journal. `records` holds what is stored, by tag."""

    def __init__(self, data: bytes, unlock: Callable[[bytes], Keys]) -> None:
        self.data = data
        self.header = Header.parse(data)
        self.keys = unlock(self.header.key_slots)
        if (self.keys.group, self.keys.epoch) != (self.header.group, self.header.epoch):
            raise FormatError("header and key slots are of different groups or epochs")
        expected = keyed_hash(self.keys.subkey("header"), data[:4064], 32)
        if not hmac.compare_digest(expected, data[4064:4096]):
            raise DoesNotVerify("the header does not verify")
        if data[self.header.frames_at - 4096:self.header.frames_at] != data[:4096]:
            raise FormatError("the copy of the header differs")
        self.records: dict[bytes, Record] = {}
        self.sequence = self.header.base_sequence
        self._read_snapshot()
        self._read_frames()

    # Sealed chunks.

    def _open_chunks(self, key: bytes, label: bytes, place: int, size: int, sealed: bytes) -> bytes:
        count = max(1, -(-len(sealed) // (PIECE + OVERHEAD)))
        plain = b""
        for number in range(count):
            piece = sealed[number * (PIECE + OVERHEAD):(number + 1) * (PIECE + OVERHEAD)]
            associated = b"".join([
                label, self.header.journal_id, self.header.epoch.to_bytes(4, "little"), bytes(4),
                place.to_bytes(8, "little"), size.to_bytes(8, "little"), number.to_bytes(4, "little"),
                count.to_bytes(4, "little"),
            ])
            plain += open_box(key, associated, piece)
        return plain

    # The snapshot.

    def _read_snapshot(self) -> None:
        header = self.header
        sealed = self.data[header.index_at:header.index_at + header.index_size]
        index = Cursor(self._open_chunks(self.keys.subkey("index"), b"stc.indx", header.index_at, header.index_size,
                                         sealed))
        partitions, searches, records = index.u32(), index.u32(), index.u64()
        previous = (-1, -1)
        rows = []
        for _ in range(partitions):
            tag, place, size, count = index.take(16), index.u64(), index.u32(), index.u32()
            order = _order(tag)
            if order <= previous:
                raise FormatError("partition rows are out of order")
            previous = order
            rows.append((tag, place, size, count))
        for _ in range(searches):
            _, row = index.u64(), index.u32()
            if row >= partitions:
                raise FormatError("a search row points nowhere")
        if not index.at_end:
            raise FormatError("bytes behind the index")
        for tag, place, size, count in rows:
            self._read_block(tag, place, size, count)
        if len(self.records) != records:
            raise FormatError("the index counts other records than there are")

    def _read_block(self, partition: bytes, place: int, size: int, count: int) -> None:
        block = Cursor(self.data[place:place + size])
        if block.take(4) != b"STCB":
            raise FormatError("no block where the index says")
        head_size, length = block.u32(), block.u32()
        block.skip(4)
        if length != size or length % 8:
            raise FormatError("a block has another length than the index says")
        head = Cursor(self._open_chunks(self.keys.subkey("index"), b"stc.blck", place, length, block.take(head_size)))
        if head.take(16) != partition or head.u32() != count:
            raise FormatError("a block is of another partition")
        head.skip(4)
        rows = []
        for _ in range(count):
            tag, sequence, secret_at, secret_size, facts_size = head.take(16), head.u64(), head.u64(), head.u32(), head.u32()
            facts_hash, secret_hash, kind, searches = head.take(16), head.take(16), head.u8(), head.u8()
            head.skip(6)
            rows.append((tag, sequence, secret_at, secret_size, facts_size, facts_hash, secret_hash, kind, searches))
        for tag, sequence, secret_at, secret_size, facts_size, facts_hash, secret_hash, kind, searches in rows:
            facts = self._checked(block.take(facts_size), facts_hash)
            secret = self._checked(self.data[secret_at:secret_at + secret_size], secret_hash) if secret_at else None
            tags = tuple(head.u64() for _ in range(searches))
            self.records[tag] = Record(tag, partition, kind, sequence, facts, secret, tags)
        if not head.at_end:
            raise FormatError("bytes behind a block's head")

    def _checked(self, box: bytes, expected: bytes) -> bytes:
        erased = bool(box) and not any(box)
        if not erased and keyed_hash(self.keys.subkey("boxes"), box, 16) != expected:
            raise DoesNotVerify("a box does not have its hash")
        return box

    # The frames.

    def _read_frames(self) -> None:
        place = self.header.frames_at
        while place < len(self.data):
            frame = self.data[place:]
            length = self._lead(frame)
            if length is None or length > len(frame):
                break  # A torn tail: nothing of it counts.
            if self.header.major_version > 1:
                trailer = frame[length - 48:length]
                if trailer[4:32] != frame[4:32] or not self._is_edge(b"STCT", trailer):
                    raise DoesNotVerify("the end of a frame does not verify")
            self._apply(frame[:length], place)
            place += length
        self.end = place
        mark = self._lead_hash(b"STCMARK\x00" + self.sequence.to_bytes(8, "little"))
        self.is_acknowledged = self.data[place:place + 16] == mark

    def _lead_hash(self, message: bytes) -> bytes:
        bound = self.header.journal_id + self.header.epoch.to_bytes(4, "little") + message
        return keyed_hash(self.keys.subkey("lead"), bound, 16)

    def _is_edge(self, magic: bytes, edge: bytes) -> bool:
        return len(edge) == 48 and edge[:4] == magic and self._lead_hash(edge[:32]) == edge[32:48]

    def _lead(self, frame: bytes) -> int | None:
        if not self._is_edge(b"STCF", frame[:48]):
            return None
        if int.from_bytes(frame[16:24], "little") != self.sequence + 1:
            raise FormatError("a frame is out of sequence")
        return int.from_bytes(frame[8:16], "little")

    def _apply(self, frame: bytes, place: int) -> None:
        lead = Cursor(frame, 4)
        head_size, length, sequence, secrets_at = lead.u32(), lead.u64(), lead.u64(), lead.u64()
        head = Cursor(self._open_chunks(self.keys.subkey("frame"), b"stc.fram", sequence, length,
                                        frame[48:48 + head_size]))
        fixed = head.u16()
        head.skip(2)
        operations = head.u32()
        head.skip(fixed - 8)
        facts, secrets = Cursor(frame, 48 + head_size), Cursor(frame, secrets_at)
        for number in range(operations):
            self._apply_operation(head, facts, secrets, sequence, is_first=number == 0)
        if not head.at_end:
            raise FormatError("bytes behind a frame's head")
        self.sequence = sequence

    def _apply_operation(self, head: Cursor, facts: Cursor, secrets: Cursor, sequence: int, *, is_first: bool) -> None:
        match head.u8():
            case 1:
                kind, searches = head.u8(), head.u8()
                head.skip(1)
                facts_size, secret_size = head.u32(), head.u32()
                head.skip(4)
                tag, partition, facts_hash, secret_hash = (head.take(16) for _ in range(4))
                tags = tuple(head.u64() for _ in range(searches))
                facts_box = self._checked(facts.take(facts_size), facts_hash)
                secret_box = self._checked(secrets.take(secret_size), secret_hash) if secret_size else None
                self.records[tag] = Record(tag, partition, kind, sequence, facts_box, secret_box, tags)
            case 2:
                head.skip(1)
                places = head.u16()
                head.skip(4)
                tag = head.take(16)
                head.skip(16 + 16 * places)
                self.records.pop(tag, None)
            case 3:
                head.skip(7)
                if not is_first:
                    raise FormatError("remove all in the middle of a frame")
                self.records.clear()
            case code:
                raise UnsupportedVersion(f"operation {code} is from a newer version")

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records.values())


def _order(tag: bytes) -> tuple[int, int]:
    return int.from_bytes(tag[:8], "little"), int.from_bytes(tag[8:], "little")
