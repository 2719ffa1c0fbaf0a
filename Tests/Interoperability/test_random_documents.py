# SPDX-License-Identifier: Apache-2.0
"""Lookups in random documents agree with those of MSAL, except where a row of Documentation/Behaviour.md says otherwise."""

from __future__ import annotations

import pathlib

from cachetool import PROJECT
from random_documents import ROWS, compare


def test_every_lookup_in_a_random_document_agrees_with_msal_or_differs_by_a_row_of_behaviour_md(
    seed: int, tmp_path: pathlib.Path, release: bool
) -> None:
    report = compare(tmp_path, documents=20_000 if release else 150, seed=seed)
    print(report.describe())
    assert not report.unexplained, report.describe()
    assert report.without_row > report.questions / 3, "too few questions have to be answered alike"
    assert len(report.decisions) == 3
    if release:
        assert max(report.differences.values()) <= report.questions / 20, report.describe()


def test_each_difference_that_is_allowed_is_a_row_of_behaviour_md() -> None:
    rows = {line.split("|")[1].strip() for line in (PROJECT / "Documentation" / "Behaviour.md").read_text().splitlines()
            if line.startswith("| ")}
    assert set(ROWS) <= rows, set(ROWS) - rows
