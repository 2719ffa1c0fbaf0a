# SPDX-License-Identifier: Apache-2.0
"""What the strict provider did, as JSON lines; and what follows from them: who may redeem what.

The log is the provider's only memory. A line is written before the response that it describes is sent, so a provider that was
killed goes on where it was, and a test can count what was answered. Secrets stand in it as hashes. Each token has a public part
before its first dot, the id by which the lines name it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import pathlib
import secrets
import threading
import time


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def new_secret(kind: str) -> tuple[str, str]:
    """The public part and the whole of a new token. All secrets contain one word, so that tests can search for them."""
    public = f"{kind}-{secrets.token_hex(6)}"
    return public, f"{public}.canary{secrets.token_hex(16)}"


@dataclasses.dataclass
class Device:
    """A device code (RFC 8628)."""

    id: str
    user_code: str
    client: str
    scope: str
    address: str
    expires: float
    interval: int
    user: str | None = None
    declined: bool = False
    spent: bool = False
    polled: float = 0


@dataclasses.dataclass
class Refresh:
    """A refresh token. All that came from one sign-in are a chain, which ends as a whole."""

    id: str
    chain: str
    client: str
    family: str | None
    scope: str
    address: str
    user: str
    target: dict[str, str] = dataclasses.field(default_factory=dict)
    spent: bool = False


class ProviderLog:
    """Lines, and the state that they make. Callers hold `lock` from a decision to the line that records it."""

    def __init__(self, path: pathlib.Path) -> None:
        self.lock = threading.RLock()
        self.devices: dict[str, Device] = {}
        self.refresh: dict[str, Refresh] = {}
        self.ended: set[str] = set()
        self.policy: dict = {}
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        for line in lines:
            self._apply(json.loads(line))
        # A kill in the middle of a line, which was then not answered.
        if path.exists():
            os.truncate(path, sum(len(line.encode()) + 1 for line in lines))
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, event: str, **facts) -> None:
        record = {"event": event, "time": round(time.time(), 3), **facts}
        with self.lock:
            os.write(self._file, (json.dumps(record) + "\n").encode())
            self._apply(record)

    def _apply(self, record: dict) -> None:
        match record["event"]:
            case "policy":
                self.policy.update(record["change"])
            case "device":
                self.devices[record["hash"]] = Device(**record["device"])
            case "decided":
                device = next(each for each in self.devices.values() if each.id == record["device"])
                device.user, device.declined = record["user"], record["user"] is None
            case "tokens":
                if device := self.devices.get(record.get("device_hash", "")):
                    device.spent = True
                if spent := self.refresh.get(record.get("spent_hash", "")):
                    spent.spent = record["rotates"]
                if "refresh" in record:
                    self.refresh[record["hash"]] = Refresh(**record["refresh"])
            case "reused" | "revoked":
                self.ended.add(record["chain"])
