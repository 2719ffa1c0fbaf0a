# SPDX-License-Identifier: Apache-2.0
"""Kills of applications and of the provider: the user signs in again only where an answer was lost.

TOKEN_CACHE_TEST_SEED repeats the random numbers of a run.
"""

from __future__ import annotations

import os
import random
import signal
import time

import crowd
import secret_search
from crowd import DURATION, LIFETIME, MARGIN, PROCESSES, PROGRAMS, WORKER

SEED = int(os.environ.get("TOKEN_CACHE_TEST_SEED") or random.randrange(1 << 31))


def test_kills_cost_no_more_sign_ins_than_answers_that_were_lost(machine, provider):
    print(f"TOKEN_CACHE_TEST_SEED={SEED}")
    chance = random.Random(SEED)
    # The delay gives kills the time to lose answers.
    provider.policy(lifetime=LIFETIME, delay=1)
    machine.sign_in()
    start = time.monotonic()
    apps = crowd.start(machine)
    kills = 0
    while time.monotonic() < start + DURATION:
        time.sleep(chance.uniform(0, 0.25))
        if chance.random() < 0.05:
            provider.end(signal.SIGKILL)
            time.sleep(chance.uniform(0, 0.3))
            provider.start()
        else:
            victim = chance.randrange(PROCESSES)
            apps[victim].kill(chance.choice([signal.SIGHUP, signal.SIGTERM, signal.SIGKILL]))
            apps[victim] = machine.start(*WORKER, program=PROGRAMS[victim % 2])
        kills += 1
        assert not secret_search.processes([app.process.pid for app in apps])
        # The user is asked where an application says that nothing else is left.
        last = [app.reports[-1] for app in apps if app.reports]
        if any(report.get("code") == "interactionRequired" for report in last):
            if machine.run("silent", "--margin", str(MARGIN)).get("code") == "interactionRequired":
                assert machine.sign_in()["event"] == "token"
    crowd.end(apps)
    machine.run("silent", "--margin", str(MARGIN))

    renewals = provider.log("tokens", grant="refresh_token")
    spent = {each["spent"] for each in renewals + provider.log("reused")}
    had = crowd.tokens(machine)
    # A rotation was committed if its successor was presented, or its access token handed out.
    lost = [each for each in renewals if each["access"] not in had and each["refresh"]["id"] not in spent]
    reused, prompts = len(provider.log("reused")), len(provider.log("device")) - 1
    print(f"{kills} kills, {len(renewals)} renewals, {len(lost)} lost answers, {reused} revocations, {prompts} prompts")
    assert lost, "no kill hit a renewal"
    assert reused <= len(lost) and prompts <= len(lost)
    codes = {report["code"] for app in machine.apps for report in app.reports if report["event"] == "error"}
    assert codes <= {"interactionRequired", "networkFailed", "renewalBusy", "serverUnavailable"}, codes
    crowd.assert_no_secrets(machine, provider)


def test_a_kill_between_answer_and_save_costs_one_sign_in(machine, provider):
    machine.sign_in()
    doomed = machine.start("silent", "--force", "yes", "--kill", "after-response")
    doomed.finish()
    assert doomed.process.returncode == -signal.SIGKILL and len(provider.log("tokens")) == 2
    # The access token is still good; to renew it now is to use the refresh token for the second time.
    assert machine.run("silent")["source"] == "cache"
    refused = machine.run("silent", "--force", "yes", program="mail-app")
    assert refused["code"] == "interactionRequired" and len(provider.log("reused")) == 1
    machine.sign_in()
    for program in PROGRAMS:
        assert machine.run("silent", "--force", "yes", program=program)["source"] == "renewal"
    assert len(provider.log("reused")) == 1 and len(provider.log("device")) == 2
