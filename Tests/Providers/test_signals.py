# SPDX-License-Identifier: Apache-2.0
"""Signals while the strict provider renews a token: what began is finished and saved, and the program says so."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time

import pytest
from test_command_line import CLIENT, Shell


@pytest.fixture
def shell(tmp_path, provider):
    made = Shell(tmp_path, provider)
    made.scopes += " mail.read"
    return made


RENEWAL = "token", "--client", CLIENT, "--scopes", "files.read mail.read", "--force-refresh"


def until_spent(provider, process: subprocess.Popen) -> None:
    """Waits until the provider has replaced the refresh token."""
    end = time.monotonic() + 30
    while not provider.log("tokens", grant="refresh_token"):
        assert time.monotonic() < end and process.poll() is None, process.communicate()
        time.sleep(0.01)


def until_asked(provider, process: subprocess.Popen, endpoint: str = "token") -> None:
    """Waits until the provider has begun to answer a request."""
    while not provider.log("answer", endpoint=endpoint):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def assert_saved(shell, provider) -> None:
    done = shell.token("--force-refresh")
    assert done.returncode in (0, 9) and not provider.log("reused"), done.stderr


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM])
@pytest.mark.parametrize("declined", [[], ["mail.read"]])
def test_a_renewal_is_finished_and_saved_and_the_command_does_not_start(shell, provider, number, declined):
    shell.sign_in()
    provider.policy(declined=declined)
    provider.fault(delay=3)
    process = shell.start(*RENEWAL, "--", "echo", "started")
    until_spent(provider, process)
    process.send_signal(number)
    done = shell.finish(process)
    assert done.returncode == -number and done.stderr == "cachetool: Interrupted. The token was renewed and saved.\n", done.stderr
    assert "started" not in done.stdout
    assert_saved(shell, provider)


def test_a_second_interruption_ends_a_renewal_at_once_and_says_what_may_be_lost(shell, provider):
    shell.sign_in()
    provider.fault(delay=30)
    process = shell.start(*RENEWAL)
    until_spent(provider, process)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=5) == -signal.SIGINT
    assert "the user has to sign in again" in shell.finish(process).stderr


def test_a_renewal_outlives_its_terminal(shell, provider):
    shell.sign_in()
    provider.fault(delay=3)
    process, terminal = shell.start_on_terminal(*RENEWAL)
    until_spent(provider, process)
    os.close(terminal)
    assert process.wait(timeout=20) == -signal.SIGHUP
    assert_saved(shell, provider)


@pytest.mark.parametrize(("fault", "said", "signed_in"), [
    ({"tear": True}, "No response arrived. If the authority replaced the refresh token, the user has to sign in again.", False),
    ({"claims": {"sub": "bob"}}, "The response was refused, and its access token was not saved.", None),
    ({"claims": {"aud": "another-client"}}, "The response was refused, and its access token was not saved.", None),
    ({"status": 503, "body": {}}, "The token was not renewed.", True),
])
def test_an_interrupted_renewal_that_fails_says_what_became_of_it(shell, provider, fault, said, signed_in):
    shell.sign_in()
    provider.fault(delay=3, **fault)
    process = shell.start(*RENEWAL)
    while not provider.log("answer", endpoint="token", fault=True):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    done = shell.finish(process)
    assert (done.returncode, done.stderr) == (-signal.SIGTERM, f"cachetool: Interrupted. {said}\n"), done.stderr
    if signed_in is not None:
        assert (shell.token("--force-refresh").returncode != 3) == signed_in


def test_an_interrupted_sign_in_with_fewer_scopes_is_not_said_to_have_changed_nothing(shell, provider):
    provider.policy(declined=["mail.read"])
    provider.answer()
    provider.fault(delay=3)
    process = shell.start_with_browser()
    until_asked(provider, process)
    process.send_signal(signal.SIGTERM)
    done = shell.finish(process)
    assert done.returncode == -signal.SIGTERM and "did not grant mail.read" in done.stderr, done.stderr
    assert "Nothing was changed" not in done.stderr and shell.token().returncode == 0


@pytest.mark.parametrize("again", [True, False])
def test_a_sign_in_that_is_given_up_leaves_no_group(shell, provider, again):
    provider.answer()
    provider.fault(delay=30)
    process = shell.start_with_browser()
    until_asked(provider, process)
    process.send_signal(signal.SIGINT)
    if again:
        time.sleep(0.5)
        assert process.poll() is None and shell.left()
        process.send_signal(signal.SIGINT)
    done = shell.finish(process)
    assert done.returncode == -signal.SIGINT and "Tokens that it may have issued are not stored" in done.stderr, done.stderr
    assert not shell.left()


def test_a_sign_in_that_is_given_up_leaves_the_new_group_to_another_one(shell, provider):
    provider.answer()
    provider.fault(delay=30)
    first = shell.start_with_browser()
    until_asked(provider, first)
    second = shell.start("sign-in", "--device-code", "--authority", provider.authority, "--client", CLIENT, "--scopes", shell.scopes)
    shown = b""
    while not (code := re.search(rb"^  ([A-Z]{8}) ", shown, re.M)):
        piece = second.stderr.readline()
        assert piece, shown
        shown += piece
    for _ in range(2):
        first.send_signal(signal.SIGINT)
        time.sleep(0.5)
    assert shell.finish(first).returncode == -signal.SIGINT
    provider.decide(code[1].decode())
    done = shell.finish(second)
    assert done.returncode == 0, done.stderr
    assert shell.token().returncode == 0
