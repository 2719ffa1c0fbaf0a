# SPDX-License-Identifier: Apache-2.0
"""Keys, boxes and tags. See Documentation/Formats/KeySlots.md and SealedRecords.md."""

from __future__ import annotations

import dataclasses
import hashlib
import hmac

import nacl.bindings
import nacl.exceptions
import nacl.pwhash.argon2id

from .cursor import Cursor, DoesNotVerify, FormatError, Rejected, UnsupportedKDF, UnsupportedVersion

SUITE = b"\x01"
SUBKEYS = {"header": (1, b"tcs-head"), "index": (2, b"tcs-indx"), "frame": (3, b"tcs-fram"), "lead": (4, b"tcs-lead"),
           "boxes": (5, b"tcs-boxh"), "record": (6, b"tcs-recd"), "tag key": (7, b"tcs-tagw"), "slots": (8, b"tcs-slot"),
           "name": (10, b"tcs-name")}
ROLES = {"facts": (1, 32), "secret": (2, 256)}
TAG_LABELS = {"record": b"tcs.record-tag.1", "account": b"tcs.part-acct..1", "username": b"tcs.part-user..1",
              "app": b"tcs.part-app...1", "group": b"tcs.part-group.1", "search": b"tcs.find-user..1"}
KEYRING, KEY_FILE, PASSPHRASE = 1, 2, 3


def le(number: int, size: int) -> bytes:
    return number.to_bytes(size, "little")


def keyed_hash(key: bytes, message: bytes, size: int) -> bytes:
    return hashlib.blake2b(message, digest_size=size, key=key).digest()


def open_box(key: bytes, associated: bytes, box: bytes) -> bytes:
    try:
        return nacl.bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(box[24:], associated, box[:24], key)
    except (nacl.exceptions.CryptoError, ValueError) as error:
        raise DoesNotVerify("a box does not verify") from error


def unpad(padded: bytes, bucket: int) -> bytes:
    if not padded or len(padded) % bucket:
        raise FormatError("not padded to its bucket")
    plain = padded.rstrip(b"\0")
    if not plain.endswith(b"\x80") or len(padded) - len(plain) >= bucket:
        raise FormatError("malformed padding")
    return plain[:-1]


@dataclasses.dataclass(frozen=True)
class Keys:
    """The keys of one epoch of a group."""

    group: bytes
    epoch: int
    root_key: bytes
    tag_key: bytes

    def subkey(self, purpose: str) -> bytes:
        return _subkey(self.root_key, purpose)

    def open_record_box(self, role: str, box: bytes, *, tag: bytes, kind: int, sequence: int) -> bytes:
        number, bucket = ROLES[role]
        associated = b"".join([b"tcs.record-box.1", SUITE, le(number, 1), le(kind, 1), b"\0", le(self.epoch, 4),
                               le(sequence, 8), self.group, tag])
        return unpad(open_box(self.subkey("record"), associated, box), bucket)

    def name_hash(self, name: str) -> bytes:
        return keyed_hash(_subkey(self.tag_key, "name"), name.encode(), 32)

    def tag(self, label: str, *parts: bytes) -> bytes:
        message = TAG_LABELS[label] + b"".join(le(len(part), 4) + part for part in parts)
        return keyed_hash(self.tag_key, message, 16)


def _subkey(root_key: bytes, purpose: str) -> bytes:
    number, context = SUBKEYS[purpose]
    return hashlib.blake2b(b"", digest_size=32, key=root_key, salt=le(number, 8) + bytes(8),
                           person=context + bytes(8)).digest()


@dataclasses.dataclass(frozen=True)
class Slot:
    """One way to open a group."""

    kind: int
    kdf: int
    slot_id: bytes
    passes: int
    memory_kib: int
    salt: bytes
    commitment: bytes
    sealed_root_key: bytes
    header: bytes

    @staticmethod
    def parse(data: bytes) -> Slot | None:
        """None for a slot of a kind that this reader does not know."""
        cursor = Cursor(data, 2)
        kind, kdf, slot_id = cursor.u8(), cursor.u8(), cursor.take(16)
        if kind not in (KEYRING, KEY_FILE, PASSPHRASE):
            return None
        passes, memory, salt = cursor.u32(), cursor.u32(), cursor.take(16)
        if kdf == 0 and (passes or memory or any(salt)):
            raise FormatError("cost without a key derivation")
        return Slot(kind, kdf, slot_id, passes, memory, salt, cursor.take(32), cursor.take(72), data[2:44])

    def key_encryption_key(self, secret: bytes, group: bytes) -> bytes:
        return hashlib.blake2b(b"tcs.slot-kek...1" + group + self.header, digest_size=64,
                               key=self._from_secret(secret)).digest()

    def _from_secret(self, secret: bytes) -> bytes:
        match self.kind, self.kdf:
            case (1, 0):
                return secret
            case (2, 0):
                return hashlib.blake2b(b"tcs.key-file...1" + secret, digest_size=32).digest()
            case (3, 1):
                if not (3 <= self.passes <= 10 and 65_536 <= self.memory_kib
                        and self.passes * self.memory_kib <= 1_572_864):
                    raise UnsupportedKDF("a passphrase slot asks for too much or too little")
                return nacl.pwhash.argon2id.kdf(32, secret, self.salt, opslimit=self.passes,
                                                memlimit=self.memory_kib * 1024)
        raise UnsupportedKDF("a key derivation that does not belong here")


class KeySlots:
    """The block that gives the keys of a group to whoever holds one of its secrets."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        cursor = Cursor(data)
        if cursor.take(8) != b"tcsslots":
            raise FormatError("not key slots")
        if cursor.u8() != 1:
            raise UnsupportedVersion("another major version")
        self.minor_version = cursor.u8()
        if cursor.take(1) != SUITE:
            raise UnsupportedVersion("another cipher suite")
        count, self.epoch, self.group, length = cursor.u8(), cursor.u32(), cursor.take(16), cursor.u16()
        cursor.zero(6)
        if length != len(data) or not 1 <= count <= 8 or not self.epoch or length > 3584:
            raise FormatError("malformed key slots")
        self.sealed_tag_key = cursor.take(72)
        self.slots = []
        for _ in range(count):
            size = int.from_bytes(data[cursor.position:cursor.position + 2], "little")
            self.slots.append(Slot.parse(cursor.take(size)))
        while cursor.position < length - 32:
            kind, size = cursor.u16(), cursor.u16()
            if cursor.position + size > length - 32:
                raise FormatError("a field that does not end")
            if kind >= 0x8000:
                raise UnsupportedVersion("a field that must be understood")
            cursor.skip(size)
        self.authenticator = cursor.take(32)

    def unlock(self, kind: int, secret: bytes) -> Keys:
        for slot in self.slots:
            if slot is None or slot.kind != kind:
                continue
            derived = slot.key_encryption_key(secret, self.group)
            associated = b"".join([b"tcs.slot-wrap..1", SUITE, bytes(3), le(self.epoch, 4), self.group, slot.header])
            commitment = keyed_hash(derived[32:], b"tcs.slot-commit1" + slot.sealed_root_key + associated, 32)
            if hmac.compare_digest(commitment, slot.commitment):
                return self._open(open_box(derived[:32], associated, slot.sealed_root_key))
        raise Rejected

    def _open(self, root_key: bytes) -> Keys:
        associated = b"".join([b"tcs.tagkey-wrap1", SUITE, bytes(3), le(self.epoch, 4), self.group])
        tag_key = open_box(_subkey(root_key, "tag key"), associated, self.sealed_tag_key)
        expected = keyed_hash(_subkey(root_key, "slots"), b"tcs.slot-block.1" + self.data[:-32], 32)
        if not hmac.compare_digest(expected, self.authenticator):
            raise DoesNotVerify("the key slots do not verify")
        return Keys(self.group, self.epoch, root_key, tag_key)
