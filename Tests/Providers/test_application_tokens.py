# SPDX-License-Identifier: Apache-2.0
"""cachetool token for an application itself, beside the strict provider."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest
import secret_search
from provider_log import digest
from running_provider import PROGRAMS
from test_client_secrets import CLIENT, SECRET, assert_nothing_shows_a_secret, secret, shell, written  # noqa: F401


def application(shell, provider, *options: str) -> subprocess.Popen:
    return shell.start("token", "--application", "--authority", provider.authority, "--client", CLIENT, "--scopes", "files.read",
                       *options)


def test_a_secret_comes_from_a_descriptor_which_the_command_does_not_inherit(shell, provider, secret):
    with secret.open("rb") as file:
        os.set_inheritable(file.fileno(), True)
        number = str(file.fileno())
        process = subprocess.Popen(
            [PROGRAMS / "cachetool", "token", "--application", "--authority", provider.authority, "--client", CLIENT,
             "--scopes", "files.read", "--client-secret-fd", number, "--group", "sign-in", "--root", str(shell.root), "--",
             "python3", "-c", "import os; print(*os.listdir('/proc/self/fd'))"],
            env=shell.environment, pass_fds=[file.fileno()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        done = shell.finish(process)
    assert done.returncode == 0, done.stderr
    assert {int(each) for each in done.stdout.split()} <= {0, 1, 2, 3, 4} and len(done.stdout.split()) == 5
    closed = shell.finish(application(shell, provider, "--client-secret-fd", "77"))
    assert closed.returncode == 2 and "--client-secret-fd 3 3<FILE" in closed.stderr, closed.stderr
    shared = shell.finish(application(shell, provider, "--client-secret-fd", "0", "--passphrase-fd", "0"))
    assert shared.returncode == 2 and "two descriptors" in shared.stderr, shared.stderr
    empty = shell.finish(application(shell, provider, "--client-secret-fd", "0"))
    assert empty.returncode == 2 and "client secret is empty" in empty.stderr, empty.stderr


def test_what_cannot_be_combined_is_a_usage_error(shell, provider, secret):
    by_file = ["--client-secret-file", str(secret)]
    for options in ([], [*by_file, "--client-assertion-file", str(secret)], [*by_file, "--account", "adele"]):
        done = shell.finish(application(shell, provider, *options))
        assert done.returncode == 2, done.stderr
    assert shell.token("--application", *by_file).returncode == 2
    assert not shell.left() and not provider.log("answer")


def cores(pids: list[int], folder: pathlib.Path) -> list[pathlib.Path]:
    """Core files of these processes, as root can make them of any."""
    subprocess.run(["gcore", "-o", folder / "core", *map(str, pids)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return list(folder.glob("core.*"))


def test_twenty_processes_make_one_request_and_the_secret_is_nowhere(shell, provider, secret, tmp_path):
    provider.fault("token", delay=15)
    # All begin with no group, and one creates it.
    options = ["--client-secret-file", str(secret), "--json", "--timeout", "60"]
    processes = [application(shell, provider, *options) for _ in range(20)]
    end = time.monotonic() + 60
    while not provider.log("answer", endpoint="token"):
        assert time.monotonic() < end
        assert all(each.poll() is None for each in processes), [each.communicate() for each in processes if each.poll() is not None]
        time.sleep(0.01)
    # One request is in the air, and everybody waits for it.
    for each in processes:
        shell.look_at(each.pid)
    dumped = tmp_path / "cores"
    dumped.mkdir()
    if os.geteuid() == 0 and shutil.which("gcore"):
        # The provider answers after fifteen seconds, so that one after another is caught.
        found = cores([each.pid for each in processes if each.poll() is None], dumped)
        assert found and all(b"libc.so" in core.read_bytes() for core in found)
        assert not [core for core in found if secret_search.has_secret(core.read_bytes())]
    done = [shell.finish(each) for each in processes]
    assert all(each.returncode == 0 for each in done), [each.stderr for each in done]
    sources = [json.loads(each.stdout)["source"] for each in done]
    assert sources.count("renewal") == 1 and sources.count("cache") == 19
    assert len(provider.log("tokens")) == len(provider.log("answer", endpoint="token")) == 1
    assert_nothing_shows_a_secret(shell)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_request_says_that_its_group_stays(shell, provider, secret, number):
    provider.fault("token", delay=20)
    first = application(shell, provider, "--client-secret-file", str(secret))
    while not provider.log("answer", endpoint="token"):
        assert first.poll() is None, first.communicate()
        time.sleep(0.01)
    first.send_signal(number)
    done = shell.finish(first)
    assert done.returncode == -number and "Interrupted. No token was saved. Group sign-in stays." in done.stderr, done.stderr
    assert shell.left()


def test_a_kill_of_the_process_that_asks_lets_another_one_ask(shell, provider, secret):
    provider.fault("token", delay=20)
    first = application(shell, provider, "--client-secret-file", str(secret))
    while not provider.log("answer", endpoint="token"):
        assert first.poll() is None
        time.sleep(0.01)
    second = application(shell, provider, "--client-secret-file", str(secret), "--json")
    first.send_signal(signal.SIGKILL)
    assert json.loads(shell.finish(second).stdout)["source"] == "renewal"
    shell.finish(first)


def test_a_wrong_secret_is_refused_once_for_all_until_it_is_corrected(shell, provider, secret):
    written(secret, "canary wrong")
    for _ in range(3):
        done = shell.finish(application(shell, provider, "--client-secret-file", str(secret)))
        assert done.returncode == 1 and "invalid_client" in done.stderr and "sign in" not in done.stderr, done.stderr
    assert len(provider.log("answer", endpoint="token")) == 1
    written(secret, SECRET)
    done = shell.finish(application(shell, provider, "--client-secret-file", str(secret), "--force-refresh"))
    assert done.returncode == 0, done.stderr
    assert_nothing_shows_a_secret(shell)


def test_an_assertion_is_read_anew_for_each_request(shell, provider, tmp_path):
    file = written(tmp_path / "assertion", "canary.first.jwt")
    for text in "canary.first.jwt", "canary.second.jwt":
        written(file, text)
        provider.policy(secrets={CLIENT: [digest(text)]})
        done = shell.finish(application(shell, provider, "--client-assertion-file", str(file), "--force-refresh", "--json"))
        assert done.returncode == 0, done.stderr
    assert_nothing_shows_a_secret(shell)
