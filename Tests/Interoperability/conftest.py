# SPDX-License-Identifier: Apache-2.0
"""What the tests share: one invented cache, scratch roots, and the sizes to test at."""

from __future__ import annotations

import collections.abc
import dataclasses
import os
import pathlib
import subprocess
import time

import pytest

from caches import document, numbers
from cachetool import PROJECT, Cachetool

SEED = int(os.environ.get("TOKEN_CACHE_TEST_SEED", time.time_ns() // 1_000_000 % 1_000_000))
RELEASE = os.environ.get("TOKEN_CACHE_TEST_SCALE") == "release"


@pytest.fixture(scope="session")
def seed() -> int:
    """Another one in each run; TOKEN_CACHE_TEST_SEED repeats one."""
    return SEED


def pytest_report_header() -> str:
    scale = "release" if RELEASE else "everyday"
    return f"seed: {SEED}; scale: {scale}; programs: {os.environ.get('TOKEN_CACHE_PROGRAMS', 'found')}"


@pytest.fixture(scope="session")
def cache(seed: int) -> dict:
    return document.make(seed=seed, now=int(time.time()))


@pytest.fixture(scope="session")
def text(cache: dict) -> str:
    return numbers.write(cache)


@pytest.fixture
def tool(tmp_path: pathlib.Path) -> Cachetool:
    root = tmp_path / "root"
    root.mkdir(mode=0o700)
    # Patient, because other tests run beside: what waits is waited for elsewhere.
    return Cachetool(root, "interop", "--timeout", "30")


@pytest.fixture(scope="session")
def release() -> bool:
    return RELEASE


@dataclasses.dataclass
class Keyring:
    """A gnome-keyring of its own on a session bus of its own, which cachetool finds by its environment."""

    environment: dict[str, str]

    def lock(self) -> None:
        subprocess.run(["gdbus", "call", "--session", "-d", "org.freedesktop.secrets", "-o", "/org/freedesktop/secrets",
                        "-m", "org.freedesktop.Secret.Service.Lock", "['/org/freedesktop/secrets/collection/login']"],
                       env=self.environment, check=True, capture_output=True, timeout=20)

    def item_count(self) -> int:
        found = subprocess.run(["gdbus", "call", "--session", "-d", "org.freedesktop.secrets",
                                "-o", "/org/freedesktop/secrets/collection/login", "-m", "org.freedesktop.DBus.Properties.Get",
                                "org.freedesktop.Secret.Collection", "Items"],
                               env=self.environment, check=True, capture_output=True, text=True, timeout=20)
        return found.stdout.count("/org/freedesktop/secrets/collection/login/")


@pytest.fixture
def keyring(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> collections.abc.Iterator[Keyring]:
    told = tmp_path / "environment"
    session = subprocess.Popen([PROJECT / "scripts" / "with-keyring", "bash", "-c", f"env -0 > {told}.new; "
                                f"mv {told}.new {told}; cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not told.exists():
        assert session.poll() is None, "the keyring did not start"
        assert time.monotonic() < end, "the keyring does not come up"
        time.sleep(0.05)
    pairs = (pair.split("=", 1) for pair in told.read_text().split("\0") if "=" in pair)
    keyring = Keyring(dict(pairs))
    for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME"):
        monkeypatch.setenv(name, keyring.environment[name])
    yield keyring
    session.stdin.close()
    session.wait(timeout=30)
