# SPDX-License-Identifier: Apache-2.0
"""Traces which system calls operations make."""

import re
import subprocess
from collections import Counter
from pathlib import Path

from findings import Findings

# How often a cache asks whether its store was replaced, in seconds.
PROBE_INTERVAL = 0.25
# What it looks at each time: the page that holds the revision, the journal, and the group's folder by its path.
PROBED_FILES = 3


def check_hits(program: Path, folder: Path, size: int, findings: Findings) -> None:
    """Repeated lookups enter the kernel for one thing only, four times a second."""
    calls, output = _trace(program, "hits", folder, size)
    _, lookups, seconds = output.split()
    most = int(float(seconds) / PROBE_INTERVAL) + 1
    allowed = PROBED_FILES * most
    # The last transaction, and where the next one would begin: who overwrites either may leave no other trace.
    glances = calls.pop("pread64", 0)
    probes = calls.pop("newfstatat", 0) + calls.pop("fstatat", 0) + calls.pop("statx", 0)
    print(
        f"{lookups} repeated lookups in {float(seconds):.1f} s: {probes + glances} system calls,"
        f" at most {allowed + 2 * most} allowed"
    )
    findings.expect(int(lookups) > 100_000, f"repeated lookups: only {lookups}, which proves little")
    # A thread asks for its number once in its life, before it first takes a lock: the check takes one, and so does whoever
    # waits for the end of the run.
    if calls["gettid"] <= 2:
        del calls["gettid"]
    findings.expect(not calls, f"repeated lookups: system calls {_listed(calls)}, where only statx and pread may be")
    findings.expect(probes <= allowed, f"repeated lookups: {probes} calls of statx, {allowed} allowed")
    findings.expect(glances <= 2 * most, f"repeated lookups: {glances} calls of pread, {2 * most} allowed")


def check_saves(program: Path, folder: Path, size: int, findings: Findings) -> None:
    """A save waits for the disk once."""
    calls, output = _trace(program, "saves", folder, size)
    saves = int(output.split()[1])
    waits = sum(calls[name] for name in ("fdatasync", "fsync", "sync_file_range, waiting", "syncfs", "msync"))
    others = sum(calls.values()) - waits
    print(f"{saves} saves: {waits} waits for the disk, {others / saves:.1f} other system calls each ({_listed(calls)})")
    findings.expect(waits == saves, f"saves: {waits} waits for the disk in {saves} saves, where each has one")
    # From Linux 6.13 on, where ext4 has no journal, to ask for times has the inode be written at the next sync. Only what a
    # save never writes to is asked for its own: the state file, the lock file and the group's folder.
    times = sum(calls[name] for name in ("fstat", "newfstatat", "fstatat"))
    findings.expect(
        times <= 3 * saves, f"saves: {times} calls that ask for the times of a file, where each save has three"
    )


def _trace(program: Path, command: str, folder: Path, size: int) -> tuple[Counter[str], str]:
    trace = folder / "trace"
    run = subprocess.run(
        ["strace", "--follow-forks", f"--output={trace}", program, command, folder, str(size)],
        check=True,
        capture_output=True,
        text=True,
    )
    lines = trace.read_text().splitlines()
    begin = next(index for index, line in enumerate(lines) if "/gate/begins" in line)
    end = next(index for index, line in enumerate(lines) if "/gate/ends" in line)
    calls: Counter[str] = Counter()
    for line in lines[begin + 1 : end]:
        if match := re.match(r"\d+ +(\w+)\(", line):
            # Alone it starts a write, and does not wait for it.
            calls[match[1] + (", waiting" if "SYNC_FILE_RANGE_WAIT" in line else "")] += 1
    return calls, run.stdout


def _listed(calls: Counter[str]) -> str:
    return ", ".join(f"{count} x {name}" for name, count in calls.most_common())
