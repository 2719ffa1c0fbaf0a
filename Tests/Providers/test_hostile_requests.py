# SPDX-License-Identifier: Apache-2.0
"""What other programs send to the port on which a sign-in waits for the browser."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import threading
import time
import urllib.parse

import pytest
import requests

import hostile_requests
from hostile_requests import Attack

#: How much the peak of a process's memory may grow: 64 connections with a form of 64 KiB each, twice over for what the
#: network has not yet been asked for, and what the allocator keeps.
MEMORY = 24 << 20
REQUESTS = 10_000
NOBODY = 65534


class SignIn:
    """A sign-in whose browser is this test, which goes where it is sent."""

    def __init__(self, machine, folder: pathlib.Path, *options: str) -> None:
        opened, program = folder / "opened", folder / "browser"
        program.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {opened}.new && mv {opened}.new {opened}\n')
        program.chmod(0o755)
        self.provider = machine.provider
        self.app = machine.start("browse", "--browser", "system", "--redirect-uri", "http://localhost/callback", *options,
                                 BROWSER=str(program))
        assert self.app.next_report()["event"] == "begin"
        self.session = requests.Session()
        self.session.trust_env, self.session.verify = False, machine.provider.roots
        while not opened.exists():
            assert self.app.process.poll() is None, self.app.finish()
        self.url = opened.read_text()
        self.port = urllib.parse.urlsplit(self.url).port

    def authorize(self) -> str:
        """Follows the start URL to the server, where the user signs in; returns where that leads."""
        authorization = self.session.get(self.url, allow_redirects=False).headers["Location"]
        self.provider.answer("alice")
        return self.session.get(authorization, allow_redirects=False).headers["Location"]

    @property
    def peak(self) -> int:
        lines = pathlib.Path(f"/proc/{self.app.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))


@pytest.fixture
def sign_in(machine, tmp_path):
    made = SignIn(machine, tmp_path)
    yield made
    made.session.close()


def test_ten_thousand_hostile_requests_end_no_sign_in_and_fill_no_memory(sign_in):
    answer = sign_in.authorize()
    before = sign_in.peak
    start = time.monotonic()
    attack = Attack(sign_in.port, REQUESTS)
    while attack.left > 500:
        time.sleep(0.05)
    # Before the answer, after which the process may already have ended.
    grown, duration = sign_in.peak - before, time.monotonic() - start
    # While the last ones come.
    page = sign_in.session.get(answer)
    attack.join()
    assert page.status_code == 200
    assert sign_in.app.finish()[-1]["source"] == "interactive"
    print(f"{REQUESTS} requests in {duration:.0f} s, {grown >> 10} KiB: {json.dumps(attack.statuses)}")
    assert grown < MEMORY
    # Each kind was refused for what is wrong with it, or lost its answer: with the rest of a long request, or with the port.
    expected = {name: status for name, (status, _) in hostile_requests.kinds("", "").items()} | {"a megabyte": 413}
    for name, statuses in attack.statuses.items():
        assert set(statuses) <= {expected.get(name, 0), 0}, (name, statuses)
        assert name not in expected or statuses[expected[name]] > statuses.total() / 2, (name, statuses)


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes another user")
def test_another_user_without_the_state_changes_nothing(sign_in):
    answer = sign_in.authorize()
    [state] = urllib.parse.parse_qs(urllib.parse.urlsplit(answer).query)["state"]
    program = pathlib.Path(hostile_requests.__file__).read_text()
    other = subprocess.run(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "/usr/bin/python3", "-",
                            str(sign_in.port), "100", state + "x"], input=program, capture_output=True, text=True, cwd="/")
    assert json.loads(other.stdout) == {"right query": {"400": 100}, "right form": {"400": 100}}, other.stderr
    assert sign_in.session.get(answer).status_code == 200
    assert sign_in.app.finish()[-1]["source"] == "interactive"


def test_of_answers_that_come_at_once_one_counts(sign_in):
    answer = sign_in.authorize()
    port, target = sign_in.port, answer.partition("/callback")[2]
    request = hostile_requests.get(f"/callback{target}", f"localhost:{port}")
    statuses = []
    threads = [threading.Thread(target=lambda: statuses.append(hostile_requests.exchange(port, request))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses.count(200) == 1 and set(statuses) <= {200, 400, 0}, statuses
    assert sign_in.app.finish()[-1]["source"] == "interactive"
    assert len(sign_in.provider.log("answer", endpoint="token")) == 1


def test_a_code_by_query_where_a_form_was_asked_for_is_not_redeemed(machine, tmp_path):
    machine.provider.fault("metadata", patch={"response_modes_supported": ["query", "form_post"]})
    sign_in = SignIn(machine, tmp_path)
    authorization = sign_in.session.get(sign_in.url, allow_redirects=False).headers["Location"]
    asked = urllib.parse.parse_qs(urllib.parse.urlsplit(authorization).query)
    assert asked["response_mode"] == ["form_post"]
    sign_in.session.get(f"{asked['redirect_uri'][0]}?code=canary-forged&state={asked['state'][0]}")
    sign_in.session.close()
    assert sign_in.app.finish()[-1]["code"] == "responseRejected"
    assert not sign_in.provider.log("answer", endpoint="token")


def test_a_browser_that_never_returns_ends_the_wait_and_what_comes_later_meets_nobody(machine, tmp_path):
    sign_in = SignIn(machine, tmp_path, "--timeout", "3")
    answer = sign_in.authorize()
    assert sign_in.app.finish()[-1]["code"] == "timeout"
    with pytest.raises(requests.ConnectionError):
        sign_in.session.get(answer)
    sign_in.session.close()
    assert not sign_in.provider.log("tokens")
