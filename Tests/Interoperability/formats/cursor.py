# SPDX-License-Identifier: Apache-2.0
"""Takes little-endian numbers and bytes off the front of a byte string."""

from __future__ import annotations


class FormatError(Exception):
    """The bytes are not what the format page says."""

    code = "malformed"


class DoesNotVerify(FormatError):
    """The bytes have the right form, but not under this key."""

    code = "authenticationFailed"


class UnsupportedVersion(FormatError):
    """Written by a newer version."""

    code = "unsupportedVersion"


class UnsupportedKDF(FormatError):
    """A passphrase slot that asks for a key derivation outside the bounds."""

    code = "unsupportedKDF"


class Rejected(FormatError):
    """No slot opens with the secret that was given."""

    code = "keyRejected"


class Cursor:
    """A position in bytes that cannot run past their end."""

    def __init__(self, data: bytes, position: int = 0) -> None:
        self.data = data
        self.position = position

    def take(self, count: int) -> bytes:
        end = self.position + count
        if count < 0 or end > len(self.data):
            raise FormatError(f"{count} bytes wanted at {self.position}, {len(self.data) - self.position} are left")
        taken = self.data[self.position:end]
        self.position = end
        return taken

    def number(self, size: int) -> int:
        return int.from_bytes(self.take(size), "little")

    def u8(self) -> int:
        return self.number(1)

    def u16(self) -> int:
        return self.number(2)

    def u32(self) -> int:
        return self.number(4)

    def u64(self) -> int:
        return self.number(8)

    def skip(self, count: int) -> None:
        self.take(count)

    def zero(self, count: int) -> None:
        if any(self.take(count)):
            raise FormatError("something where zeros belong")

    @property
    def at_end(self) -> bool:
        return self.position == len(self.data)
