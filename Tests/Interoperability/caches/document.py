# SPDX-License-Identifier: Apache-2.0
"""A whole invented cache as MSAL holds it, with what strangers left in it."""

from __future__ import annotations

from . import foreign, numbers
from .identities import Inventor
from .scenarios import Scenarios


def make(*, seed: int, now: int, accounts: int = 330, with_foreign: bool = True) -> dict:
    inventor = Inventor(seed)
    scenarios = Scenarios(inventor, now)
    scenarios.run(accounts)
    document = numbers.read(scenarios.cache.serialize())
    assert isinstance(document, dict)
    if with_foreign:
        foreign.add(document, inventor, now)
    return document
