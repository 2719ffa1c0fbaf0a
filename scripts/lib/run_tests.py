# SPDX-License-Identifier: Apache-2.0
"""Runs the Swift tests of a build, suites beside one another in processes of their own, and one test at a time in each.

    run_tests.py PROGRAM [--only REGEX] [--without REGEX] [--jobs N] [--limit SECONDS] [--log FILE]

PROGRAM is the test program that `swift build --build-tests` makes. The expressions are compared with `Module.Suite`. A test has its
process for itself while it runs, so its time is its own and nothing starves it; processes beside it use the cores while it waits.

Prints each failed suite's output, the ten slowest suites, and what was skipped and why. Exits 1 if a test failed, if a process did
not come to its end, or if no test ran.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

# Suites that wait for processes, daemons and kills take longest, so they go first and each in a process of its own.
SLOW_MODULES = ["ProcessTests", "SecretServiceStorageTests", "CacheAdministrationTests", "CachetoolTests", "FaultTests"]
# As many of the other suites share a process: to start one costs a fifth of a second.
SUITES_OF_A_PROCESS = 12


def listed_suites(program):
    """The suites of the program, in the order of their names: `Module.Suite`, `Module.Outer/Suite`, or `Module.test()`."""
    listed = subprocess.run(
        [program, "--testing-library", "swift-testing", "--list-tests"], check=True, capture_output=True, text=True
    )
    return sorted({line.rsplit("/", 1)[0] for line in listed.stdout.splitlines() if "." in line.split("/")[0]})


def parts_of(suites):
    """Lists of suites that share a process, those first that take longest."""
    parts, shared = [], collections.defaultdict(list)
    for suite in suites:
        module = suite.split(".")[0]
        if module in SLOW_MODULES:
            parts.append([suite])
        else:
            shared[module].append(suite)
    parts.sort(key=lambda part: SLOW_MODULES.index(part[0].split(".")[0]))
    for module in shared.values():
        parts += [module[start : start + SUITES_OF_A_PROCESS] for start in range(0, len(module), SUITES_OF_A_PROCESS)]
    return parts


class Run:
    def __init__(self, options):
        self.options = options
        suites = listed_suites(options.program)
        suites = [suite for suite in suites if re.search(options.only, suite)]
        if options.without:
            suites = [suite for suite in suites if not re.search(options.without, suite)]
        self.waiting = collections.deque(parts_of(suites))
        self.lock = threading.Lock()
        self.tests = 0
        self.failed = []
        self.times = []
        self.lines = []

    def work(self):
        while True:
            with self.lock:
                if not self.waiting:
                    return
                part = self.waiting.popleft()
            self.run(part)

    def run(self, part):
        pattern = "^(" + "|".join(re.escape(suite) for suite in part) + ")(/|$)"
        command = [self.options.program, "--testing-library", "swift-testing", "--no-parallel", "--filter", pattern]
        start = time.monotonic()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )
        # What a test started may hold the pipe open beyond the end of the process.
        chunks = []
        reader = threading.Thread(target=self.read, args=(process.stdout, chunks), daemon=True)
        reader.start()
        try:
            status = process.wait(self.options.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            status = f"took longer than {self.options.limit} s"
        reader.join(10)
        text = re.sub(r"\x1b\[[0-9;]*m", "", b"".join(chunks).decode(errors="replace"))
        lines = text.splitlines()
        taken = time.monotonic() - start
        with self.lock:
            self.lines += lines
            found = re.findall(r"^. Test run with (\d+) tests?.* (passed|failed) after", text, re.M)
            self.tests += sum(int(count) for count, _ in found)
            self.times += [
                (float(seconds), name.strip('"'), part[0].split(".")[0])
                for name, seconds in re.findall(r"^. Suite (.+?) (?:passed|failed) after ([0-9.]+) seconds", text, re.M)
            ]
            if status != 0 or not found:
                self.failed.append((part, status))
                print("\n".join(lines), flush=True)
                print(f"FAILED: {', '.join(part)}: {status}, after {taken:.0f} s", flush=True)

    @staticmethod
    def read(stream, chunks):
        while chunk := stream.read1(65536):
            chunks.append(chunk)

    def tell(self):
        print("The ten slowest suites:")
        for seconds, name, module in sorted(self.times, reverse=True)[:10]:
            print(f"{seconds:7.1f} s  {name} ({module})")
        # How much the random tests did.
        for line in self.lines:
            if re.search(r"^[^◇✔✘↳]*: .*\d+ (rounds|cases|sequences|calls|kills)\b", line):
                print(f"    {line}")
        skipped = set()
        for line in self.lines:
            if found := re.match(r"^. (?:Suite|Test) (\"[^\"]*\"|\S+) skipped[:.]? ?(.*)$", line):
                skipped.add(f"    {found[1]}: {found[2]}")
        print(f"{len(skipped)} tests or suites were skipped" + (":" if skipped else ""))
        print("\n".join(sorted(skipped)), end="\n" if skipped else "")
        ended = [line for line in self.lines if line.startswith("with-keyring: ")]
        if ended:
            print("A keyring daemon ended by itself: tests that failed beside it may have failed for that alone")
            print("\n".join(ended))
        needs_root = [line for line in skipped if re.search(r"needs (root|two users|mount)", line)]
        if os.environ.get("TOKEN_CACHE_REQUIRE_ROOT") == "1" and needs_root:
            print("TOKEN_CACHE_REQUIRE_ROOT is set, and tests that need root were skipped")
            return False
        return not any("ended by itself, by SIG" in line for line in ended)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--only", default="")
    parser.add_argument("--without", default="")
    # Most tests of programs wait: for daemons, locks and the disk. With more of them daemons answer too late.
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 2))
    parser.add_argument("--limit", type=float, default=1200)
    parser.add_argument("--log", type=pathlib.Path)
    run = Run(parser.parse_args())
    workers = [threading.Thread(target=run.work) for _ in range(run.options.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if run.options.log:
        run.options.log.write_text("\n".join(run.lines) + "\n")
    holds = run.tell()
    for part, status in run.failed:
        print(f"FAILED: {', '.join(part)}: {status}")
    print(f"Swift tests: {run.tests} run, {len(run.failed)} processes with failures")
    sys.exit(0 if holds and not run.failed and run.tests else 1)


main()
