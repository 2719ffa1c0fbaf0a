#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how long the calls of the library and the commands of cachetool wait where nobody answers.

Claim: 95 of 100 return within 100 ms of their timeout, and all within a second. Key stretching and a flush that had begun
do not count; no scene here has either.

Runs are made in series of up to ten on one group, which is made before the trouble begins; a call of the library is made by
one process for the whole series. What changes the group ends its series. Runs are nearly all waiting, so many lanes run at
once, each with a bus, a daemon and a home folder of its own; a run that came late is repeated alone, as often as it takes to
tell a loaded machine from a late call. The programs are taken from the folder that TOKEN_CACHE_PROGRAMS names.

Prints a table: n, and how late the median, the 95th of a hundred and the last were, in milliseconds after the timeout. A
negative number came before it. Exit status 1 where the claim does not hold.
"""

import argparse
import fcntl
import json
import os
import pathlib
import queue
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

PROJECT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("TOKEN_CACHE_PROGRAMS", PROJECT / ".build/programs/release"))
FAKE = PROJECT / "Tests/SecretServiceStorageTests/Fake/fake_secret_service.py"
CLIENT = "6c052f15-3b7d-4f0a-9b3e-0d1c5a7e2b44"
TENANT = "3f0c1a5e-8a0d-4b7e-9c52-6a4d1be2f7a1"
PERSON = f"writer0-account0.{TENANT}"
TEN_TEBIBYTES = 10 << 40
# What the system has to start a process, and Python to see it end.
PATIENCE = 90

COMMANDS = {
    "groups": [],
    "accounts": [],
    "status": [],
    "list": [],
    "inspect": ["0000"],
    "lookup": ["--account", PERSON, "--client", CLIENT, "--scopes", "User.Read"],
    "stats": [],
    "verify": [],
    "doctor": [],
    "doctor --probe-write": [],
    "export": ["-", "--all"],
    "import": ["-"],
    "compact": [],
    "rekey": ["--yes"],
    "repair --dry-run": [],
    "repair": ["--yes"],
    "slots list": [],
    "slots add": ["--new-key-file", "OTHER"],
    "slots remove": ["0000", "--yes"],
    "migrate --to file": [],
    "migrate --to keyring": [],
    "sign-out": [PERSON, "--client", CLIENT, "--yes"],
    "clear --all --dry-run": [],
    "clear": ["--all", "--yes"],
    "groups remove": ["--yes"],
    "unlock": [],
}
DOCUMENT = b'{"AppMetadata":{}}'
SERIES = 10
# What leaves another group behind where it succeeds.
CHANGING = {
    "sign-out", "wipe", "clear", "refusal", "repair", "rekey", "slots add", "slots remove", "migrate --to file",
    "migrate --to keyring", "groups remove",
}


class Failed(Exception):
    """The scene could not be set up."""


class NotOpened(Failed):
    """The group could not be opened in the time that the call gets: the machine was busy."""


class Lane:
    """A keyring of its own, a home folder, and one run after the other in it."""

    def __init__(self, daemon):
        shell = (
            'printf "%s\\n" "$DBUS_SESSION_BUS_ADDRESS" "$KEYRING_FOLDER"\n'
            'while IFS= read -r line; do eval "$line" </dev/null >/dev/null 2>&1; echo $?; done'
        )
        self.process = subprocess.Popen(
            [PROJECT / "scripts/with-keyring", "sh", "-c", shell],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.address = self.process.stdout.readline().strip()
        self.folder = pathlib.Path(self.process.stdout.readline().strip())
        if not self.address:
            raise Failed("no keyring could be started")
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="deadlines."))
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "DBUS_SESSION_BUS_ADDRESS": self.address,
        }
        self.count = 0
        self.log = self.folder / "fake.log"
        if daemon == "fake":
            self.shell('kill -KILL "$(cat "$KEYRING_FOLDER/daemon.pid")"; sleep 0.2')
            # It takes KWallet's name too, and answers each call late as soon as the file is there.
            self.shell(
                f"/usr/bin/python3 '{FAKE}' later-slow '{self.log}' & "
                'echo $! >"$KEYRING_FOLDER/daemon.pid"; gdbus wait --session --timeout 30 org.freedesktop.secrets'
            )

    def shell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        if self.process.stdout.readline().strip() != "0":
            raise Failed(line)

    def signal_daemon(self, name):
        self.shell(f'kill -{name} "$(cat "$KEYRING_FOLDER/daemon.pid")"')

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def worker(self, verb, *options):
        return [PROGRAMS / "group-worker", verb, "--group", self.group, *options]

    def make_group(self, storage):
        self.count += 1
        self.group = f"g{self.count}"
        done = subprocess.run(
            self.worker("save", "--storage", storage, "--count", "2"),
            env=self.environment,
            capture_output=True,
            timeout=PATIENCE,
        )
        if done.returncode != 0:
            raise Failed(done.stderr.decode())
        return self.home / ".local/share/swift-token-cache" / self.group


class Scene:
    """What is wrong, and where the group has its records meanwhile."""

    daemon = "gnome-keyring"
    series = SERIES

    def __init__(self, name, storage):
        self.name, self.storage = name, storage

    def begin(self, lane, folder):
        raise NotImplementedError

    def end(self, lane):
        pass


class StoppedDaemon(Scene):
    def begin(self, lane, folder):
        lane.signal_daemon("STOP")

    def end(self, lane):
        lane.signal_daemon("CONT")


class HeldLock(Scene):
    def begin(self, lane, folder):
        # A descriptor of its own: the lock is that descriptor's, whatever process it is in.
        lane.lock = os.open(folder / "lock", os.O_RDWR)
        whole = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0)
        for attempt in range(200):
            try:
                fcntl.fcntl(lane.lock, fcntl.F_OFD_SETLK, whole)
                return
            except BlockingIOError:
                # The call before may still be giving it back.
                time.sleep(0.02)
        os.close(lane.lock)
        raise Failed("the lock is held by another one")

    def end(self, lane):
        os.close(lane.lock)


class SlowService(Scene):
    daemon = "fake"

    def begin(self, lane, folder):
        pathlib.Path(f"{lane.log}.on").touch()

    def end(self, lane):
        pathlib.Path(f"{lane.log}.on").unlink()


class LongTail(Scene):
    # No file system has room for another tail behind it.
    series = 1

    def begin(self, lane, folder):
        # As after a new start of the machine: nothing tells where the last transaction ends.
        (folder / "revision").unlink(missing_ok=True)
        journal = folder / "journal"
        os.truncate(journal, journal.stat().st_size + TEN_TEBIBYTES)
        with open(journal, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"\1")


SCENES = [
    StoppedDaemon("stopped daemon, records in it", "keyring"),
    StoppedDaemon("stopped daemon, key in it", "file-with-keyring"),
    HeldLock("held lock, file", "file"),
    HeldLock("held lock, keyring", "keyring"),
    SlowService("slow service, records in it", "keyring"),
    SlowService("slow service, key in it", "file-with-keyring"),
    LongTail("tail of 10 TiB", "file"),
]


def library_calls(lane, scene, call, timeout, count):
    """Makes up to so many calls; of each, how many microseconds it took and how it ended."""
    process = subprocess.Popen(
        lane.worker("call", "--call", call, "--storage", scene.storage, "--timeout", str(timeout)),
        env=lane.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        if process.stdout.readline().strip() != "ready":
            raise NotOpened(process.stderr.read())
        for _ in range(count):
            begun = False
            try:
                scene.begin(lane, lane.path)
                begun = True
                process.stdin.write("go\n")
                process.stdin.flush()
                words = process.stdout.readline().split()
            finally:
                if begun:
                    scene.end(lane)
            if len(words) != 2:
                raise Failed(f"{call}: {process.stderr.read()}")
            yield float(words[0]), words[1]
            if call in CHANGING and words[1] == "done":
                return
    finally:
        process.kill()
        process.communicate()


def commands(lane, scene, name, timeout, count):
    """As library_calls, of a command, in a process each."""
    for _ in range(count):
        took, code = command(lane, scene, name, timeout)
        yield took, code
        if name in CHANGING and code == "0" or name in {"clear", "groups remove"} and code == "9":
            return


def command(lane, scene, name, timeout):
    words = name.split() + [str(lane.home / "other.key") if word == "OTHER" else word for word in COMMANDS[name]]
    (lane.home / "other.key").unlink(missing_ok=True)
    scene.begin(lane, lane.path)
    try:
        begun = time.monotonic()
        done = subprocess.run(
            [PROGRAMS / "cachetool", *words, "--group", lane.group, "--no-prompt", "--timeout", str(timeout / 1000)]
            if name != "groups"
            else [PROGRAMS / "cachetool", "groups"],
            env=lane.environment,
            input=DOCUMENT if name == "import" else b"",
            capture_output=True,
            timeout=PATIENCE,
        )
        return (time.monotonic() - begun) * 1e6, str(done.returncode)
    finally:
        scene.end(lane)


def measure(lane, series, results):
    """Makes the runs of a series, and begins anew with another group until there are so many."""
    (scene, kind, name, timeout), count = series
    how = library_calls if kind == "library" else commands
    attempts_left = 30
    while count > 0:
        lane.path = lane.make_group(scene.storage)
        try:
            for took, end in how(lane, scene, name, timeout, count):
                results.add(series[0], took / 1000 - timeout, end)
                count -= 1
        except NotOpened:
            attempts_left -= 1
            if attempts_left == 0:
                raise
        finally:
            shutil.rmtree(lane.path, ignore_errors=True)


class Results:
    def __init__(self):
        self.lock = threading.Lock()
        self.late = {}
        self.ends = {}
        self.troubles = []

    def add(self, run, late, end):
        key = (run[0].name, run[1], run[2], run[3])
        with self.lock:
            self.late.setdefault(key, []).append(late)
            self.ends.setdefault(key, {}).setdefault(end, 0)
            self.ends[key][end] += 1


def work(lanes_daemon, runs, results):
    lane = Lane(lanes_daemon)
    try:
        while True:
            try:
                run = runs.get_nowait()
            except queue.Empty:
                return
            try:
                measure(lane, run, results)
            except (Failed, subprocess.TimeoutExpired, OSError) as error:
                scene, _, name, timeout = run[0]
                with results.lock:
                    results.troubles.append(f"{scene.name}, {name}, {timeout} ms: {error}")
    finally:
        lane.close()


def in_lanes(chosen, run_count, lane_count, results):
    """Makes so many runs of each that was chosen."""
    for daemon in ("gnome-keyring", "fake"):
        runs = queue.Queue()
        own = [
            (run, min(run[0].series, run_count - made))
            for run in chosen
            if run[0].daemon == daemon
            for made in range(0, run_count, run[0].series)
        ]
        random.shuffle(own)
        for run in own:
            runs.put(run)
        threads = [
            threading.Thread(target=work, args=(daemon, runs, results)) for _ in range(min(lane_count, len(own)))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part / 100))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--timeouts", type=int, nargs="+", default=[100, 1000, 10000], help="in milliseconds")
    parser.add_argument("--lanes", type=int, default=40)
    parser.add_argument("--scenes", default="", help="only those whose name has this in it")
    parser.add_argument("--calls", default="", help="only those whose name has this in it")
    parser.add_argument("--kind", choices=["library", "command"], help="only the one kind")
    parser.add_argument("--json", help="write every number to this file")
    options = parser.parse_args()

    names = subprocess.run([PROGRAMS / "group-worker", "calls"], capture_output=True, text=True, check=True)
    calls = [("library", name) for name in names.stdout.split()] + [("command", name) for name in COMMANDS]
    chosen = [
        (scene, kind, name, timeout)
        for scene in SCENES
        for kind, name in calls
        for timeout in options.timeouts
        if options.scenes in scene.name and options.calls in name and options.kind in (None, kind)
    ]
    results = Results()
    begun = time.monotonic()
    in_lanes(chosen, options.runs, options.lanes, results)

    # Alone, what came late beside many others shows whether it is late.
    again = Results()
    late = [run for run in chosen if percentile(results.late.get((run[0].name, *run[1:]), [0]), 95) > 100
            or max(results.late.get((run[0].name, *run[1:]), [0])) > 1000]
    # By themselves, and as few at a time as keep the machine idle.
    in_lanes(late, min(options.runs, 20), max(2, min(options.timeouts) // 500), again)
    for key, values in again.late.items():
        results.late[key] = values
        results.ends[key] = again.ends[key]

    held = not results.troubles and not again.troubles
    print(f"{'scene':32}{'call':36}{'timeout':>8}{'n':>6}{'p50':>9}{'p95':>9}{'max':>9}  ends")
    for scene, kind, name, timeout in chosen:
        key = (scene.name, kind, name, timeout)
        values = results.late.get(key, [])
        if not values:
            continue
        holds = percentile(values, 95) <= 100 and max(values) <= 1000
        held = held and holds
        ends = " ".join(f"{end}:{count}" for end, count in sorted(results.ends[key].items()))
        mark = ("alone" if key in again.late else "") + ("" if holds else " LATE")
        print(
            f"{scene.name:32}{kind + ' ' + name:36}{timeout:>8}{len(values):>6}{statistics.median(values):>9.1f}"
            f"{percentile(values, 95):>9.1f}{max(values):>9.1f}  {ends} {mark}"
        )
    for trouble in results.troubles[:10] + again.troubles[:10]:
        print(f"could not be measured: {trouble}", file=sys.stderr)
    if options.json:
        with open(options.json, "w") as file:
            json.dump([[*key, values, results.ends[key]] for key, values in results.late.items()], file)
    total = sum(len(values) for values in results.late.values())
    print(f"{total} runs in {time.monotonic() - begun:.0f} s: the claim {'holds' if held else 'does NOT hold'}")
    sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
