# SPDX-License-Identifier: Apache-2.0
"""Many processes of two applications that use one sign-in."""

from __future__ import annotations

import os

import secret_search

#: Seconds: a minute every day, ten before a release; and where one way to share is tested as another one.
DURATION, SHORT_DURATION = (600, 60) if os.environ.get("TOKEN_CACHE_TEST_SCALE") == "release" else (60, 20)
PROCESSES, LIFETIME, MARGIN = 20, 5, 1
PROGRAMS = ("calendar-app", "mail-app")
WORKER = ("silent", "--interval", "150", "--margin", str(MARGIN))


def start(machine, *options: str) -> list:
    return [machine.start(*WORKER, *options, program=PROGRAMS[each % 2]) for each in range(PROCESSES)]


def end(apps: list) -> None:
    for app in apps:
        app.process.stdin.close()
    for app in apps:
        app.finish()


def tokens(machine) -> set[str]:
    """All access tokens that any application had in its hands."""
    return {report["token"] for app in machine.apps for report in list(app.reports) if report["event"] == "token"}


def assert_no_secrets(machine, provider) -> None:
    for app in machine.apps:
        assert not secret_search.has_secret(app.output + app.errors), app.output + app.errors
    assert not secret_search.files(machine.root)
    assert not secret_search.has_secret((machine.root.parent / "provider/log.jsonl").read_bytes())
