# SPDX-License-Identifier: Apache-2.0
"""Looks for clear text in files: tokens, names, tenants and client ids, in every encoding that strings turn up in."""

from __future__ import annotations

import base64
import pathlib
import subprocess
from collections.abc import Iterator

# A leaked run of at least 2 * WINDOW - 1 bytes of any of the secrets is found, wherever it starts.
WINDOW = 12


def needles(document: dict) -> set[str]:
    """Every text that must not be readable: what identifies somebody or something, and all tokens."""
    found: set[str] = set()
    fields = ("secret", "home_account_id", "client_id", "realm", "username", "local_account_id", "target", "name",
              "environment", "key_id", "ext_cache_key")
    for section in document.values():
        if isinstance(section, dict):
            for key, entry in section.items():
                found.add(key)
                if isinstance(entry, dict):
                    found |= {value for name in fields if isinstance(value := entry.get(name), str)}
    return {text for text in found if len(text.encode()) >= 8}


def spellings(text: str) -> Iterator[bytes]:
    """As UTF-8, lowercased, UTF-16 and UTF-32 in both orders, hexadecimal, and base64 in all three alignments."""
    plain = text.encode()
    yield plain
    yield text.lower().encode()
    for encoding in ("utf-16-le", "utf-16-be", "utf-32-le"):
        yield text.encode(encoding)
    yield plain.hex().encode()
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + plain)
        yield encoded[(4 if shift else 0):len(encoded) // 4 * 4 - 4]


def windows(document: dict) -> dict[bytes, int]:
    """Pieces of every spelling, by the number of the text that they come from."""
    made: dict[bytes, int] = {}
    for number, text in enumerate(sorted(needles(document))):
        for spelled in spellings(text):
            if len(spelled) < WINDOW:
                continue
            for start in range(0, min(len(spelled), 600) - WINDOW + 1, WINDOW):
                made.setdefault(spelled[start:start + WINDOW], number)
    # Padding and other runs of one byte say nothing.
    return {piece: number for piece, number in made.items() if len(set(piece)) > 3}


def leaks(root: pathlib.Path, document: dict) -> list[str]:
    """Where clear text stands under `root`, in contents or names. Empty when nothing leaks."""
    pieces = windows(document)
    found = []
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if any(text in name for text in needles(document)):
            found.append(f"{name}: the name itself")
        if path.is_file():
            data = path.read_bytes()
            for offset in range(len(data) - WINDOW + 1):
                if data[offset:offset + WINDOW] in pieces:
                    found.append(f"{name}: clear text at byte {offset}")
                    break
    return found


def readable_strings(root: pathlib.Path) -> str:
    """What `strings` shows of every file, in 8-bit, 16-bit and 32-bit characters."""
    shown = []
    for path in (path for path in root.rglob("*") if path.is_file()):
        for encoding in ("S", "l", "b", "L"):
            done = subprocess.run(["strings", "-a", "-n", "6", "-e", encoding, path], capture_output=True, check=True)
            shown.append(done.stdout.decode(errors="replace"))
    return "\n".join(shown)
