# SPDX-License-Identifier: Apache-2.0
"""Compares times with lower bounds measured alternately with them."""

import subprocess
from pathlib import Path

from findings import Findings

# A repeated lookup beside a probe of a dictionary with ready-made keys, accounts in random order.
MOST_PROBES = 3.0
# A save beside the appending of as many bytes and one fdatasync.
MOST_APPENDS = 3.0
# Other work on the machine can spoil a run, so the check fails only if every run is too slow.
ATTEMPTS = 3


def check(program: Path, folders: dict[int, Path], findings: Findings) -> None:
    for attempt in range(1, ATTEMPTS + 1):
        lines, failures = _measure(program, folders)
        # Print every attempt, so that an operation that is slow in two of three is noticed.
        for line in lines:
            print(line if attempt == 1 else f"{line} (attempt {attempt})")
        if not failures:
            break
    for failure in failures:
        findings.expect(False, failure)
    findings.expect(bool(lines), "no times were measured")


def _measure(program: Path, folders: dict[int, Path]) -> tuple[list[str], list[str]]:
    lines, failures = [], []
    for size, folder in folders.items():
        run = subprocess.run([program, "ratios", folder, str(size)], check=True, capture_output=True, text=True)
        for name, own, floor in (line.split() for line in run.stdout.splitlines()):
            ratio = float(own) / float(floor)
            most = {"hit": MOST_PROBES, "save": MOST_APPENDS}[name]
            beside = {"hit": "a dictionary's probe", "save": "a raw append and fdatasync"}[name]
            text = f"{name} at {size} accounts: {float(own):.0f} ns, {ratio:.2f} x {beside}"
            lines.append(text)
            if ratio > most:
                failures.append(f"{text}, at most {most:g} x allowed")
    return lines, failures
