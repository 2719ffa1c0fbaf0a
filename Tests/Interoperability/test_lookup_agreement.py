# SPDX-License-Identifier: Apache-2.0
"""cachetool and MSAL agree on silent lookups, except where a listed rule says otherwise."""

from __future__ import annotations

import pathlib
import time

from cachetool import Cachetool
from caches import document, numbers
from lookup_oracle import compare


def test_random_questions_get_the_same_answers_or_a_listed_reason(
    cache: dict, seed: int, tmp_path: pathlib.Path, release: bool
) -> None:
    report = compare(cache, tmp_path, queries=20_000 if release else 1_000, seed=seed)
    print(report.describe())
    assert not report.unexplained, report.describe()
    assert min(report.decisions[word] for word in ("hit", "renew", "interaction")) > 100, "the questions are one-sided"


def test_an_account_id_that_begins_with_a_hyphen_is_asked_for_like_any_other(tool: Cachetool) -> None:
    cache = document.make(seed=24511, now=int(time.time()))
    entry = next(entry for entry in cache["RefreshToken"].values() if (entry["home_account_id"] or "").startswith("-"))
    tool.run("import", "-", stdin=numbers.write(cache).encode())
    outcome = tool.attempt("lookup", "--json", "--account", entry["home_account_id"], "--client", entry["client_id"],
                           "--environment", entry["environment"], "--scopes", "any.scope")
    assert outcome.document["decision"] == "renew", outcome.messages
