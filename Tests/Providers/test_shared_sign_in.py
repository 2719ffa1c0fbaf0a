# SPDX-License-Identifier: Apache-2.0
"""Twenty processes of two applications share one sign-in, at a provider that revokes it when a refresh token is reused."""

from __future__ import annotations

import math
import signal
import time

import crowd
import secret_search
from crowd import DURATION, LIFETIME, MARGIN, SHORT_DURATION
from protected_api import serving
from test_command_line import Shell


def assert_shared(machine, provider, duration, *options) -> None:
    """Twenty processes get tokens for so many seconds: one renewal at a time, and nothing is reused."""
    start = time.monotonic()
    apps = crowd.start(machine, *options)
    while time.monotonic() < start + duration:
        assert not secret_search.processes([app.process.pid for app in apps])
        time.sleep(0.5)
    crowd.end(apps)
    duration = time.monotonic() - start

    errors = [report for app in apps for report in app.reports if report["event"] == "error"]
    assert not errors
    assert not provider.log("reused") and not provider.log("revoked")
    renewals = provider.log("tokens", grant="refresh_token")
    limit = math.ceil(duration / (LIFETIME - MARGIN)) + 1
    print(f"{len(renewals)} renewals in {duration:.0f} s, of {limit} that may be needed")
    # Fewer than half would mean that processes went without a valid token.
    assert limit / 2 <= len(renewals) <= limit
    # All of them get along with the same tokens.
    assert all(len({report["token"] for report in app.reports if report["event"] == "token"}) >= limit / 3 for app in apps)
    assert {each["access"] for each in renewals} <= crowd.tokens(machine) <= {each["access"] for each in provider.log("tokens")}
    crowd.assert_no_secrets(machine, provider)


def test_twenty_processes_share_one_sign_in(machine, provider):
    provider.policy(lifetime=LIFETIME)
    assert machine.sign_in()["source"] == "deviceCode"
    assert_shared(machine, provider, DURATION)
    assert len(provider.log("device")) == 1


def test_twenty_processes_share_the_sign_in_for_an_address(machine, provider, tmp_path):
    provider.policy(lifetime=LIFETIME)
    shell = Shell(tmp_path, provider)
    with serving(tmp_path / "provider/provider.crt", [provider.authority], ["files.read", "offline_access"], lambda _: None) as api:
        provider.answer()
        assert shell.run("sign-in", "--for", api.address, "--storage", "file").returncode == 0
    # The API is gone: what was kept suffices.
    assert_shared(machine, provider, SHORT_DURATION, "--for", api.address)
    assert len(provider.log("registered")) == len(provider.log("authorize")) == 1
    assert all(each["target"] == {"resource": api.address} for each in provider.log("tokens"))


def test_a_crash_shows_no_secret(machine, provider):
    machine.sign_in()
    app = machine.start("crash", SWIFT_BACKTRACE="enable=yes,color=no")
    app.finish()
    assert app.process.returncode in (-signal.SIGILL, -signal.SIGTRAP)
    assert b"a crash with a header of" in app.errors and b"Backtrace took" in app.errors, app.errors
    crowd.assert_no_secrets(machine, provider)
