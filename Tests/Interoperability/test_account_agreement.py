# SPDX-License-Identifier: Apache-2.0
"""cachetool and MSAL agree on accounts, on the refresh token to spend and on sign-out, except where a rule says otherwise."""

from __future__ import annotations

import pathlib

from account_oracle import RULES, compare


def test_accounts_refresh_tokens_and_sign_out_agree_or_have_a_listed_reason(
    seed: int, tmp_path: pathlib.Path, release: bool
) -> None:
    report = compare(tmp_path, caches=5_000 if release else 200, seed=seed)
    print(report.describe())
    assert not report.unexplained, report.describe()
    assert all(count >= 50 for count in report.questions.values()) and len(report.questions) == 3, report.describe()
    assert sum(report.differences.values()) > 20, f"the questions are one-sided: {report.describe()}"
    assert not release or all(report.differences[rule] for rule in RULES), f"the questions are one-sided: {report.describe()}"
