# SPDX-License-Identifier: Apache-2.0
"""Times of renewals at the strict provider, which runs on this machine. See Benchmarks/renewals.

They do not do the same: MSAL for Python keeps its connection, and its cache in memory; this package makes a TLS connection for
each renewal, and syncs the tokens to the disk before it returns; oidc-agent is asked by a command, whose own time is taken off.
"""

from __future__ import annotations

import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import msal
import requests
import running_provider
from running_provider import Machine, RunningProvider

SCOPES = ["files.read"]
# What MSAL and this package add to that.
RENEWED = "openid profile offline_access files.read"
# Each renews so often before another one has its turn, so that what else the machine does meets all of them.
TURN = 20


def milliseconds(work: Callable[[], None]) -> list[float]:
    times = []
    for _ in range(TURN):
        start = time.perf_counter_ns()
        work()
        times.append((time.perf_counter_ns() - start) / 1e6)
    return times


class Bare:
    """The request that every renewal makes, with a connection that is kept."""

    def __init__(self, provider: RunningProvider, machine: Machine) -> None:
        self.session = requests.Session()
        self.session.trust_env, self.session.verify = False, provider.roots
        self.url, self.client = f"{machine.authority}/token", machine.client
        self.token = sign_in(provider, machine)["refresh_token"]

    def renew(self) -> None:
        fields = {"grant_type": "refresh_token", "client_id": self.client, "refresh_token": self.token,
                  "scope": RENEWED}
        self.token = self.session.post(self.url, data=fields, timeout=20).json()["refresh_token"]

    def times(self) -> list[float]:
        return milliseconds(self.renew)


class Msal:
    def __init__(self, provider: RunningProvider, machine: Machine) -> None:
        self.app = application(provider, machine)
        sign_in(provider, machine, self.app)
        self.account = self.app.get_accounts()[0]

    def renew(self) -> None:
        answer = self.app.acquire_token_silent_with_error(SCOPES, self.account, force_refresh=True)
        assert "access_token" in answer, answer

    def times(self) -> list[float]:
        return milliseconds(self.renew)


class OIDCAgent:
    """`oidc-token` asks the agent, which renews if the token lives shorter than asked for. Without a process for each token: the
    time of `oidc-token` for a token that the agent has is taken off."""

    def __init__(self, provider: RunningProvider, machine: Machine, folder: pathlib.Path) -> None:
        (folder / "oidc").mkdir()
        self.environment = os.environ | {"OIDC_CONFIG_DIR": str(folder / "oidc"), "HOME": str(folder)}
        # The agent stays, and keeps a pipe open: its first lines go to a file.
        with (folder / "agent").open("w") as output:
            subprocess.run(["oidc-agent"], env=self.environment, check=True, stdout=output, stderr=output, timeout=20)
        names: dict[str, str] = {}
        while len(names) < 2:
            time.sleep(0.1)
            names = dict(re.findall(r"(OIDC_SOCK|OIDCD_PID)=([^;]+);", (folder / "agent").read_text()))
        self.environment |= names
        password = folder / "password"
        password.write_text("benchmark")
        token = sign_in(provider, machine)["refresh_token"]
        subprocess.run(
            ["oidc-gen", "bench", "--iss", machine.authority, "--client-id", machine.client, "--client-secret", "",
             "--rt", token, "--cp", provider.roots, "--scope", "openid offline_access files.read", "--flow", "refresh",
             "--prompt", "none", "--confirm-default", "--pw-file", str(password)],
            env=self.environment, check=True, stdin=subprocess.DEVNULL, timeout=60)  # fmt: skip

    def ask(self, lifetime: int) -> None:
        subprocess.run(["oidc-token", "--time", str(lifetime), "bench"], env=self.environment, check=True, capture_output=True)

    def times(self) -> list[float]:
        cached = statistics.median(milliseconds(lambda: self.ask(0)))
        return [each - cached for each in milliseconds(lambda: self.ask(10_000_000))]

    def close(self) -> None:
        os.kill(int(self.environment["OIDCD_PID"]), 15)


class Ours:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        machine.sign_in()

    def times(self) -> list[float]:
        # The first renewal asks for metadata and connects.
        app = self.machine.start("renew", "--force", "yes", "--count", str(TURN + 1))
        reports = app.finish()
        assert all(each.get("source") == "renewal" for each in reports), reports
        return [float(each["milliseconds"]) for each in reports[1:]]


def application(provider: RunningProvider, machine: Machine) -> msal.PublicClientApplication:
    session = requests.Session()
    session.trust_env, session.verify = False, provider.roots
    return msal.PublicClientApplication(machine.client, oidc_authority=machine.authority, http_client=session)


def sign_in(provider: RunningProvider, machine: Machine, app: msal.PublicClientApplication | None = None) -> dict:
    app = app or application(provider, machine)
    flow = app.initiate_device_flow(SCOPES)
    provider.decide(flow["user_code"])
    answer = app.acquire_token_by_device_flow(flow)
    assert "refresh_token" in answer, answer
    return answer


def main() -> None:
    programs, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    running_provider.PROGRAMS = programs
    with tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        folder = pathlib.Path(scratch)
        (folder / "provider").mkdir()
        provider = RunningProvider(folder / "provider")
        machine = Machine(folder / "groups", provider)
        agent = OIDCAgent(provider, machine, folder)
        contestants = {
            "a bare request": Bare(provider, machine), "swift-token-cache, saved durably": Ours(machine),
            "MSAL for Python, in memory": Msal(provider, machine), "oidc-agent": agent,
        }
        times: dict[str, list[float]] = {name: [] for name in contestants}
        try:
            for turn in range(count // TURN):
                print(f"turn {turn + 1} of {count // TURN}", file=sys.stderr, flush=True)
                for name, contestant in contestants.items():
                    times[name] += contestant.times()
        finally:
            agent.close()
            provider.close()
        floor = statistics.median(times["a bare request"])
        for name, all_times in times.items():
            median = statistics.median(all_times)
            print(f"{name}: {median:.2f} ms, {median / floor:.2f} x a bare request")


if __name__ == "__main__":
    main()
