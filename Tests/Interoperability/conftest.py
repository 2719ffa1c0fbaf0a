"""What the tests share: one invented cache, scratch roots, and the sizes to test at."""

from __future__ import annotations

import os
import pathlib
import time

import pytest

from caches import document, numbers
from cachetool import Cachetool

RELEASE = os.environ.get("TOKEN_CACHE_TEST_SCALE") == "release"


@pytest.fixture(scope="session")
def seed() -> int:
    """The same cache every day, another one in each release run; TOKEN_CACHE_TEST_SEED names one."""
    return int(os.environ.get("TOKEN_CACHE_TEST_SEED", time.time_ns() // 1_000_000 % 1_000_000 if RELEASE else 11))


def pytest_report_header() -> str:
    return f"scale: {'release' if RELEASE else 'everyday'}; programs: {os.environ.get('TOKEN_CACHE_PROGRAMS', 'found')}"


@pytest.fixture(scope="session")
def cache(seed: int) -> dict:
    print(f"seed {seed}")
    return document.make(seed=seed, now=int(time.time()))


@pytest.fixture(scope="session")
def text(cache: dict) -> str:
    return numbers.write(cache)


@pytest.fixture
def tool(tmp_path: pathlib.Path) -> Cachetool:
    root = tmp_path / "root"
    root.mkdir(mode=0o700)
    return Cachetool(root)


@pytest.fixture(scope="session")
def release() -> bool:
    return RELEASE
