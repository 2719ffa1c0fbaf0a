# SPDX-License-Identifier: Apache-2.0
"""Prints the page about the last run of scripts/release-tests: release_page.py LOGS PART...

LOGS is a folder with the output of each part that was run, and a file `results` with a line each: the part, `passed` or `FAILED`,
and its seconds. The parts are all that there are: those without a result are named as left out. The commit stands on a line of
its own, which the gate reads, only if all parts passed.
"""

import datetime
import os
import pathlib
import re
import subprocess
import sys

# Lines that say how much a random test did, what was skipped, and what was measured.
FIGURES = re.compile(r"\d+ (rounds|cases from seed|sequences from seed|calls, |acknowledged saves|renewals|queries|caches)|of 100 runs")


def main():
    logs, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    results = {}
    for line in (logs / "results").read_text().splitlines():
        part, result, seconds = line.split()
        results[part] = (result, int(seconds))
    commit = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    is_whole = all(results.get(name, ("", 0))[0] == "passed" for name in names)
    print("# The last release run\n")
    print("What `scripts/release-tests` found when it last ran, and how it ended. It writes this page; the gate runs again what changed")
    print("since the commit of a run that passed as a whole.\n")
    print(f"- date: {datetime.date.today()}")
    print(f"- commit: `{commit}`" if is_whole else f"- of `{commit[:12]}`, not as a whole")
    print(f"- seed: `TOKEN_CACHE_TEST_SEED={os.environ['TOKEN_CACHE_TEST_SEED']}`\n")
    print("| part | result | minutes |\n| --- | --- | ---: |")
    for name in names:
        result, seconds = results.get(name, ("not run", 0))
        print(f"| {name} | {result} | {seconds // 60 if name in results else '–'} |")
    for name in results:
        lines = (logs / name).read_text(errors="replace").splitlines()
        figures = [re.sub(r"^[\s✔◇]+", "", line) for line in lines if FIGURES.search(line)]
        skipped = [line for line in lines if "tests or suites were skipped" in line]
        if figures or skipped:
            print(f"\n## {name}\n")
            for line in figures + skipped:
                print(f"- {line.strip()}")


main()
