# SPDX-License-Identifier: Apache-2.0
"""Counts what operations cost, and compares that with the thresholds. See Benchmarks/check."""

import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import counting
import ratios
import system_calls
from findings import Findings
from thresholds import Thresholds

SIZES = (10, 10_000)
LARGE = 100_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="Benchmarks/check")
    parser.add_argument("program", type=Path)
    parser.add_argument("--update", action="store_true", help="write what was counted as the new thresholds")
    arguments = parser.parse_args()
    scratch = Path(tempfile.mkdtemp(prefix="token-cache-check.", dir="/var/tmp"))
    try:
        return check(arguments.program, scratch, arguments.update)
    finally:
        shutil.rmtree(scratch)


def check(program: Path, scratch: Path, updates: bool) -> int:
    stripped = scratch / "gate"
    # Valgrind 3.19 does not read all that Swift writes for debuggers.
    subprocess.run(["objcopy", "--strip-debug", program, stripped], check=True)
    folders = {size: scratch / str(size) for size in (*SIZES, LARGE)}
    findings = Findings()
    for folder in folders.values():
        folder.mkdir()

    def fill(size: int) -> None:
        subprocess.run([program, "fill", folders[size], str(size)], check=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        say("Filling caches")
        list(pool.map(fill, folders))
        say("Counting instructions and allocations")
        counted = list(pool.map(lambda size: counting.count(stripped, folders[size], size, scratch), SIZES))
    costs = counting.Costs(dict(zip(SIZES, counted, strict=True)))
    thresholds = Thresholds(Path(__file__).parent.parent / "thresholds.csv")
    if updates:
        thresholds.write(costs)
    thresholds.compare(costs, findings)
    counting.check_hits(costs, stripped, findings)
    counting.check_secrets(costs, findings)
    say("Tracing system calls")
    system_calls.check_hits(stripped, folders[SIZES[0]], SIZES[0], findings)
    system_calls.check_saves(stripped, folders[SIZES[0]], SIZES[0], findings)
    say("Timing beside floors")
    ratios.check(program, {size: folders[size] for size in (SIZES[0], LARGE)}, findings)
    return findings.report()


def say(text: str) -> None:
    print(f"==> {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
