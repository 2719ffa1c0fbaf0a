# SPDX-License-Identifier: Apache-2.0
"""Refresh tokens that cachetool sign-out --revoke could not revoke, beside the strict provider."""

from __future__ import annotations

import json
import pathlib
import re
import shlex
import signal
import time

import pytest
import secret_search
from test_command_line import CLIENT, Shell
from test_signals import until_asked


@pytest.fixture
def shell(tmp_path, provider):
    return Shell(tmp_path, provider)


def sign_out(shell, name, *options):
    return shell.run("sign-out", name, "--client", CLIENT, "--yes", "--json", *options)


def keep(shell, provider) -> dict:
    """Signs in, and out while the provider is down: what the sign-in said."""
    account = json.loads(shell.sign_in("--json").stdout)
    provider.end(signal.SIGKILL)
    done = sign_out(shell, account["username"], "--revoke")
    provider.start()
    document = json.loads(done.stdout)
    assert done.returncode == 9 and document["revocation"] == "failed", done.stderr
    assert document["pending_revocations"] == 1 and document["discarded_revocations"] == 0
    assert abs(document["pending_until"] - time.time() - 86400) < 60
    assert "Until 20" in done.stderr and "--revoke-pending" in done.stderr and "--forget" in done.stderr
    assert not provider.log("revoked") and shell.token().returncode == 3
    return account


def pending(shell) -> list[str]:
    """What doctor says of pending revocations."""
    findings = json.loads(shell.run("doctor", "--json").stdout)["findings"]
    return [each["advice"] for each in findings if "could not be revoked" in each["description"]]


def advised(text: str, name: str) -> list[str]:
    """The words of the command that a text advises, as a user copies it."""
    [command] = re.findall(rf"cachetool ({name} .*?--revoke-pending)", text)
    return shlex.split(command)


def catches(process, number: signal.Signals) -> bool:
    """Whether a process has a handler for a signal."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return bool(int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16) >> number - 1 & 1)


@pytest.mark.parametrize("way", ["sign-out", "advice of doctor"])
def test_what_could_not_be_revoked_is_revoked_by_the_same_command_or_by_the_advised_one(shell, provider, way):
    account = keep(shell, provider)
    [advice] = pending(shell)
    if way == "sign-out":
        done = sign_out(shell, account["username"], "--revoke")
        document = json.loads(done.stdout)
        assert document["revocation"] == "done" and document["pending_revocations"] == 0 and document["pending_until"] is None
    else:
        words = [word for word in advised(advice, "doctor") if word not in ("--group", "sign-in", "--root", str(shell.root))]
        done = shell.run(*words, "--json")
        [report] = json.loads(done.stdout)["revocations"]
        assert (report["client_id"], report["revocation"], report["pending_until"]) == (CLIENT, "done", None)
        assert report["home_account_id"] == account["home_account_id"] and report["authority"] == provider.authority
    assert done.returncode == 0, done.stderr
    assert len(provider.log("revoked")) == 1
    assert not pending(shell)
    done = shell.run("doctor", "--revoke-pending")
    assert done.returncode == 0 and "No revocation is pending." in done.stderr
    assert len(provider.log("revoked")) == 1


def test_what_is_pending_stays_so_while_the_provider_is_down(shell, provider):
    keep(shell, provider)
    provider.end(signal.SIGKILL)
    done = shell.run("doctor", "--revoke-pending")
    provider.start()
    assert done.returncode == 9 and "pending until" in done.stdout and "1 revocation is still pending" in done.stderr
    assert pending(shell)


def test_a_revocation_endpoint_on_another_host_is_asked_with_the_advised_option(shell, provider):
    name = json.loads(shell.sign_in("--json").stdout)["username"]
    provider.fault("metadata", patch={"revocation_endpoint": "https://idp.test/contoso/revoke"}, count=100)
    done = sign_out(shell, name, "--revoke")
    assert done.returncode == 9 and "For that, use --endpoint-host idp.test." in done.stderr, done.stderr
    assert "repeat this command with that option. With --forget" in done.stderr, done.stderr
    refused = shell.run("doctor", "--revoke-pending", "--json")
    assert refused.returncode == 9 and "--revoke with --endpoint-host" in refused.stderr, refused.stderr
    assert [each["revocation"] for each in json.loads(refused.stdout)["revocations"]] == ["failed"]
    assert not provider.log("revoked")
    provider.fault("revoke", count=1, status=503)
    failed = sign_out(shell, name, "--revoke", "--endpoint-host", "idp.test")
    assert failed.returncode == 9 and "repeat this command" in failed.stderr and "doctor" not in failed.stderr, failed.stderr
    done = sign_out(shell, name, "--revoke", "--endpoint-host", "idp.test")
    assert done.returncode == 0 and len(provider.log("revoked")) == 1 and not pending(shell), done.stderr


def test_a_kill_before_the_provider_revokes_leaves_the_token_pending(shell, provider):
    name = json.loads(shell.sign_in("--json").stdout)["username"]
    provider.fault("revoke", count=1, status=503, delay=30)
    process = shell.start("sign-out", name, "--client", CLIENT, "--revoke", "--yes")
    end = time.monotonic() + 30
    while not provider.log("answer", endpoint="revoke"):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.01)
    process.kill()
    shell.finish(process)
    assert shell.token().returncode == 3 and not provider.log("revoked")
    assert pending(shell)
    assert shell.run("doctor", "--revoke-pending").returncode == 0
    assert len(provider.log("revoked")) == 1 and not pending(shell)


def test_a_revocation_whose_answer_is_lost_may_have_happened(shell, provider):
    name = json.loads(shell.sign_in("--json").stdout)["username"]
    provider.fault("revoke", count=2, tear=True)
    done = sign_out(shell, name, "--revoke")
    assert done.returncode == 9 and "Its refresh tokens may not have been revoked" in done.stderr, done.stderr
    assert provider.log("revoked")
    again = shell.run("doctor", "--revoke-pending")
    assert again.returncode == 9 and "may not have been revoked" in again.stdout, again.stdout
    assert shell.run("doctor", "--revoke-pending").returncode == 0 and not pending(shell)


@pytest.mark.parametrize(("status", "body", "outcome", "count"), [
    (400, {"error": "unsupported_token_type"}, "not_supported", 0), (401, {"error": "invalid_client"}, "failed", 1),
    (400, {"error": "invalid_request"}, "failed", 0), (503, {}, "failed", 1), (404, "<html>", "failed", 1),
])
def test_what_the_provider_refuses_to_revoke_is_not_kept(shell, provider, status, body, outcome, count):
    name = json.loads(shell.sign_in("--json").stdout)["username"]
    provider.fault("revoke", count=1, status=status, body=body)
    done = sign_out(shell, name, "--revoke")
    document = json.loads(done.stdout)
    assert done.returncode == 9 and (document["revocation"], document["pending_revocations"]) == (outcome, count)
    assert ("No refresh token is kept" in done.stderr) == (outcome == "failed" and count == 0), done.stderr
    assert len(pending(shell)) == count


def test_of_several_refresh_tokens_it_is_said_how_many_were_revoked(shell, provider):
    name = keep(shell, provider)["username"]
    shell.sign_in()
    provider.fault("revoke", count=1, status=503)
    done = sign_out(shell, name, "--revoke")
    document = json.loads(done.stdout)
    assert done.returncode == 9 and (document["revoked_tokens"], document["unrevoked_tokens"]) == (1, 1)
    assert "Of its 2 refresh tokens, 1 was revoked" in done.stderr, done.stderr


def test_a_renewal_that_outlasts_an_interrupted_sign_out_revokes_the_token_that_it_may_not_store(shell, provider):
    name = json.loads(shell.sign_in("--json").stdout)["username"]
    provider.fault(delay=10)
    renewal = shell.start("token", "--client", CLIENT, "--scopes", "files.read", "--force-refresh")
    while not provider.log("tokens", grant="refresh_token"):
        assert renewal.poll() is None, renewal.communicate()
        time.sleep(0.01)
    process = shell.start("sign-out", name, "--client", CLIENT, "--revoke", "--yes")
    # As it does while it waits. Before its own start, the runtime of Swift catches only the second one.
    while not (catches(process, signal.SIGINT) and catches(process, signal.SIGQUIT)):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    done = shell.finish(process)
    assert done.returncode == -signal.SIGINT and "is signed out" in done.stderr and pending(shell), done.stderr
    done = shell.finish(renewal)
    assert done.returncode == 3 and "(signedOut; its next refresh token was revoked)" in done.stderr, done.stderr
    assert len(provider.log("answer", endpoint="revoke")) == len(provider.log("revoked")) == 1 and not pending(shell)


def test_an_interrupted_doctor_counts_what_it_did_not_come_to(shell, provider):
    keep(shell, provider)
    assert shell.sign_in_with_browser("--client", "calendar").returncode == 0
    provider.end(signal.SIGKILL)
    name = f"alice-calendar@{provider.authority}"
    assert shell.run("sign-out", name, "--client", "calendar", "--revoke", "--yes").returncode == 9
    provider.start()
    provider.fault("revoke", delay=20)
    process = shell.start("doctor", "--revoke-pending")
    until_asked(provider, process, "revoke")
    process.send_signal(signal.SIGINT)
    done = shell.finish(process)
    assert done.returncode == -signal.SIGINT and "2 revocations are still pending" in done.stderr, done.stderr


@pytest.mark.parametrize("way", ["sign-out", "clear", "clear all"])
def test_what_is_pending_can_be_removed_without_the_provider(shell, provider, way):
    account = keep(shell, provider)
    if way == "sign-out":
        # Of the account nothing else is left.
        assert shell.run("clear", "--kind", "account", "--yes").returncode == 0
        done = sign_out(shell, account["home_account_id"], "--forget")
        assert json.loads(done.stdout)["forgotten_revocations"] == 1
    else:
        filters = ["--all"] if way == "clear all" else ["--account", account["username"]]
        planned = json.loads(shell.run("clear", *filters, "--dry-run", "--json").stdout)
        done = shell.run("clear", *filters, "--yes", "--json")
        assert planned["pending_revocations"] == json.loads(done.stdout)["pending_revocations"] == 1
    assert done.returncode == 0, done.stderr
    assert not pending(shell)
    assert json.loads(shell.run("doctor", "--revoke-pending", "--json").stdout)["revocations"] == []
    assert not provider.log("revoked")


def test_a_group_of_which_nothing_else_is_left_is_cleared(shell, provider):
    account = keep(shell, provider)
    assert shell.run("clear", "--kind", "account", "--yes").returncode == 0
    done = shell.run("clear", "--account", account["home_account_id"], "--yes")
    assert done.returncode == 0 and "1 refresh token that could not be revoked" in done.stderr, done.stderr
    assert not pending(shell)


def test_no_output_and_no_file_has_a_token_that_is_pending(shell, provider, tmp_path):
    keep(shell, provider)
    kinds = {each["kind"] for each in json.loads(shell.run("list", "--json").stdout)["entries"]}
    assert "refresh_token" not in {kind.lower() for kind in kinds} and kinds
    exported = tmp_path / "exported"
    assert shell.run("export", str(exported)).returncode == 0
    assert not re.search(rb"\brt-", exported.read_bytes())
    for command in (["doctor"], ["stats"], ["verify"], ["status"], ["doctor", "--revoke-pending", "--json"]):
        shell.run(*command)
    assert not re.search(rb"\b(at|rt|dc)-[0-9a-f]+\.", shell.said)
    assert not secret_search.files(shell.root)


def test_forgetting_and_revoking_at_once_is_refused(shell):
    done = shell.run("sign-out", "alice", "--client", CLIENT, "--revoke", "--forget")
    assert done.returncode == 2 and "Use either --revoke or --forget" in done.stderr
    done = shell.run("doctor", "--revoke-pending", "--full")
    assert done.returncode == 2 and "checks nothing" in done.stderr
