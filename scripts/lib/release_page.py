# SPDX-License-Identifier: Apache-2.0
"""Writes Documentation/ReleaseRun.md anew after some parts of scripts/release-tests: release_page.py PAGE LOGS PART...

LOGS is a folder with the output of each part that was run, and a file `results` with a line each: the part, `passed` or `FAILED`,
and its seconds. The parts are all that there are. What the page says of parts that were not run now stays.
"""

import datetime
import os
import pathlib
import re
import subprocess
import sys

# Lines that say how much a random test did, what was skipped, and what was measured.
FIGURES = re.compile(
    r"\d+ (rounds|cases from seed|sequences from seed|questions \(|calls, |acknowledged saves|renewals|queries|caches)|of 100 runs"
)
HEAD = """# The last release run

What `scripts/release-tests` found when each of its parts was last run, and at which commit. The script writes this page. The gate
leaves out a part that passed here, if nothing that it depends on has changed since that commit.

| part | result | commit | date | seed | minutes |
| --- | --- | --- | --- | --- | ---: |"""


def main() -> None:
    page, logs, names = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    rows, sections = read(page.read_text())
    commit = subprocess.run(["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    for line in (logs / "results").read_text().splitlines():
        part, result, seconds = line.split()
        rows[part] = (f"| {part} | {result} | `{commit}` | {datetime.date.today()} | {os.environ['TOKEN_CACHE_TEST_SEED']} "
                      f"| {int(seconds) // 60} |")
        sections[part] = figures((logs / part).read_text(errors="replace"))
    text = [HEAD, *(rows.get(name, f"| {name} | not run | – | – | – | – |") for name in names)]
    for name in names:
        if sections.get(name):
            text += [f"\n## {name}\n", *sections[name]]
    page.write_text("\n".join(text) + "\n")


def read(page: str) -> tuple[dict[str, str], dict[str, list[str]]]:
    """The rows of the table and the lines below each heading, by part."""
    rows = {found[1]: found[0] for found in re.finditer(r"^\| (\S+) \| (?:passed|FAILED) \|.*$", page, re.MULTILINE)}
    sections = {}
    for part in page.split("\n## ")[1:]:
        name, *lines = part.splitlines()
        sections[name] = [line for line in lines if line]
    return rows, sections


def figures(log: str) -> list[str]:
    lines = [re.sub(r"^[\s✔◇]+", "", line).strip() for line in log.splitlines() if FIGURES.search(line)]
    return [f"- {line}" for line in lines + [line.strip() for line in log.splitlines() if "tests or suites were skipped" in line]]


main()
