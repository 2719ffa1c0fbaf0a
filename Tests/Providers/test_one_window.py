# SPDX-License-Identifier: Apache-2.0
"""Processes of one group that find no account at once ask the user one at a time."""

from __future__ import annotations

import contextlib
import pathlib
import signal
import time

import crowd
import secret_search

PROCESSES = 20
#: Seconds: after those a process that was silent is not waited for. A waiting one looks at a note for five before it believes it.
SILENCE, GRACE = 300, 5


def begin(machine, count: int = PROCESSES, *options: str) -> list:
    """Starts processes that sign in, and returns when all have begun and one has opened a window."""
    apps = [machine.start("browse", *options) for _ in range(count)]
    for app in apps:
        assert app.next_report()["event"] == "begin"
    wait_for_windows(machine.provider, 1)
    wait_until_all_wait(apps)
    return apps


def wait_until_all_wait(apps: list) -> None:
    """Returns when no process has had anything to do for a second: on a busy machine it takes a while until each has looked
    at the cache."""
    end, idle = time.monotonic() + 60, 0
    while idle < 10:
        assert time.monotonic() < end, "the processes do not come to rest"
        time.sleep(0.1)
        idle = 0 if any(is_running(app.process.pid) for app in apps) else idle + 1


def is_running(process: int) -> bool:
    """Whether a thread runs, could run, or waits for a disk."""
    for thread in pathlib.Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if thread.joinpath("stat").read_text().rpartition(")")[2].split()[0] in "RD":
                return True
    return False


def wait_for_windows(provider, count: int, timeout: float = 20) -> None:
    end = time.monotonic() + timeout
    while len(provider.log("authorize")) < count:
        assert time.monotonic() < end, f"{len(provider.log('authorize'))} of {count} windows"
        time.sleep(0.02)


def last_reports(apps: list) -> list[dict]:
    return [app.finish()[-1] for app in apps]


def holder(apps: list):
    """The process that opened a window."""
    [found] = [app for app in apps if any(report["event"] == "window" for report in list(app.reports))]
    return found


def test_twenty_processes_open_one_window(machine, provider):
    apps = begin(machine)
    assert not secret_search.processes([app.process.pid for app in apps])
    provider.answer("alice")
    reports = last_reports(apps)
    assert [report["event"] for report in reports] == ["token"] * PROCESSES, reports
    assert len({report["token"] for report in reports}) == 1
    assert sorted(report["source"] for report in reports) == ["cache"] * (PROCESSES - 1) + ["interactive"]
    assert len(provider.log("authorize")) == len(provider.log("tokens")) == 1
    crowd.assert_no_secrets(machine, provider)


def test_a_user_who_declines_answers_all_twenty(machine, provider):
    apps = begin(machine)
    provider.answer(None)
    reports = last_reports(apps)
    assert {report.get("code") for report in reports} == {"declinedByUser"}, reports
    assert len(provider.log("authorize")) == 1 and not provider.log("tokens")
    # Who comes later asks again.
    [later] = begin(machine, 1)
    provider.answer("alice")
    assert later.finish()[-1]["source"] == "interactive"


def test_a_process_that_cancels_its_window_answers_all_twenty(machine, provider):
    [first] = begin(machine, 1, "--cancel", "at-end")
    others = [machine.start("browse") for _ in range(PROCESSES - 1)]
    for app in others:
        assert app.next_report()["event"] == "begin"
    wait_until_all_wait(others)
    assert not any(app.reports[1:] for app in others)
    first.process.stdin.close()
    assert first.finish()[-1]["code"] == "cancelled"
    reports = last_reports(others)
    assert {report.get("code") for report in reports} == {"cancelled"}, reports
    assert len(provider.log("authorize")) == 1 and not provider.log("tokens")


def test_a_killed_process_lets_the_next_one_ask_at_once(machine, provider):
    apps = begin(machine, 3)
    first = holder(apps)
    killed = time.monotonic()
    first.kill()
    wait_for_windows(provider, 2)
    assert time.monotonic() - killed < 2
    # The first answer would go to the browser of the killed process, which is gone.
    provider.answer("alice")
    provider.answer("alice")
    reports = last_reports([app for app in apps if app is not first])
    assert sorted(report["source"] for report in reports) == ["cache", "interactive"]
    assert len(provider.log("authorize")) == 2


def test_a_stopped_process_is_waited_for_no_longer_than_the_time_of_the_request(machine, provider):
    [first] = begin(machine, 1)
    first.process.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        waiting = [machine.start("browse", "--timeout", "4") for _ in range(PROCESSES - 1)]
        reports = last_reports(waiting)
        assert {(report.get("code"), report.get("process")) for report in reports} == \
            {("interactionBusy", str(first.process.pid))}, reports
        assert time.monotonic() - began < 4 + 16
    finally:
        first.process.send_signal(signal.SIGCONT)
    # It goes on where it was.
    provider.answer("alice")
    assert first.finish()[-1]["source"] == "interactive"
    assert len(provider.log("authorize")) == 1


def test_a_process_that_was_stopped_for_five_minutes_is_not_waited_for(machine, provider):
    [first] = begin(machine, 1)
    first.process.send_signal(signal.SIGSTOP)
    try:
        began = time.monotonic()
        report = machine.run("browse", "--timeout", "300", "--ahead", str(SILENCE + 1))
        assert (report.get("code"), report.get("process")) == ("interactionBusy", str(first.process.pid)), report
        assert GRACE <= time.monotonic() - began < GRACE + 10
    finally:
        first.process.send_signal(signal.SIGCONT)
