"""cachetool and MSAL agree on silent lookups, except where a listed rule says otherwise."""

from __future__ import annotations

import pathlib

from lookup_oracle import compare


def test_random_questions_get_the_same_answers_or_a_listed_reason(
    cache: dict, seed: int, tmp_path: pathlib.Path, release: bool
) -> None:
    report = compare(cache, tmp_path, queries=20_000 if release else 1_000, seed=seed)
    print(report.describe())
    assert not report.unexplained, report.describe()
    assert report.decisions["hit"] > 100 and report.decisions["interaction"] > 100, "the questions are one-sided"
