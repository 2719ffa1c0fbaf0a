# SPDX-License-Identifier: Apache-2.0
"""Searches what processes left for secrets. All tokens, codes and user names of the strict provider contain one word."""

from __future__ import annotations

import base64
import hashlib
import pathlib
import re
import urllib.parse

WORD = b"canary"


def _forms(text: bytes) -> list[bytes]:
    """The text as it is, in hexadecimal, and in base64 wherever it begins in a group of three bytes."""
    forms = []
    for word in (text, text.capitalize(), text.upper()):
        forms += [word, word.hex().encode(), word.hex(" ").encode(), word.hex().upper().encode()]
        forms += [word.decode().encode("utf-16-le")]
        # Without the characters at both ends that depend on the bytes beside the word.
        for before in range(3):
            whole = (before + len(word)) // 3 * 3
            forms.append(base64.b64encode((b"\0" * before + word)[:whole])[before and before + 1:])
    return forms


FORMS = _forms(WORD)


def has_secret(data: bytes) -> bool:
    return any(form in data for form in FORMS)


def has(data: bytes, secret: str) -> bool:
    """Whether data that may have other secrets has this one, as it is or as forms encode it."""
    texts = {secret, urllib.parse.quote(secret, safe=""), urllib.parse.quote_plus(secret)}
    return any(form in data for text in texts for form in _forms(text.encode()))


def has_verifier(data: bytes, challenges: set[str]) -> bool:
    """Whether there is a verifier of PKCE, which nobody but the application knows: it is recognised by its challenge."""
    for run in re.findall(rb"[A-Za-z0-9._~-]{43,}", data):
        for start in range(len(run) - 42):
            found = base64.urlsafe_b64encode(hashlib.sha256(run[start:start + 43]).digest()).rstrip(b"=")
            if found.decode() in challenges:
                return True
    return False


def processes(pids: list[int]) -> list[str]:
    """Which of these processes show a secret in their arguments or environment."""
    found = []
    for pid in pids:
        for name in ("cmdline", "environ"):
            try:
                data = pathlib.Path(f"/proc/{pid}/{name}").read_bytes()
            except OSError:
                continue  # it has ended
            if has_secret(data):
                found.append(f"{name} of {pid}")
    return found


def files(folder: pathlib.Path) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.is_file() and has_secret(path.read_bytes())]
