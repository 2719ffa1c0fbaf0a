# SPDX-License-Identifier: Apache-2.0
"""Measures, and writes what came out. See Benchmarks/compare."""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import time
from pathlib import Path

import plot
import promises
import table
from measuring import Measuring, keyring, say

# A keyring is written anew with every item: a thousand take minutes, ten thousand hours, and are more than it is for.
# A group in a keyring has room for 1,000 partitions, and one of them is no account's.
KEYRING_SIZES = (10, 100, 900)
RESULTS = Path(__file__).resolve().parent.parent / "Results"


def main() -> None:
    parser = argparse.ArgumentParser(prog="Benchmarks/compare")
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--full", action="store_true", help="100,000 accounts too")
    parser.add_argument("--sizes", help="other numbers of accounts, such as 10,1000")
    parser.add_argument("--keyring-only", action="store_true", help="only what is in a keyring, printed and not written")
    arguments = parser.parse_args()
    sizes = [int(size) for size in (arguments.sizes or "10,1000,10000").split(",")]
    if arguments.full:
        sizes.append(100_000)
    start = time.time()
    in_keyring = {size: keyring(arguments.scratch, size) for size in KEYRING_SIZES}
    if arguments.keyring_only:
        print("\n".join(keyring_section(in_keyring)))
        return
    measured = {size: Measuring(arguments.scratch, size).run() for size in sizes}
    for size in set(sizes) & set(KEYRING_SIZES):
        measured[size]["libsecret"] = in_keyring[size]["libsecret"]
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "comparison.md").write_text("\n".join(document(measured, in_keyring, start)))
    figures = measured | {"in a keyring": in_keyring}
    (RESULTS / "comparison.json").write_text(json.dumps(figures, indent=1) + "\n")
    title, contestants = table.COMPARISONS[0]
    (RESULTS / "comparison.svg").write_text(plot.svg(title, contestants, measured))
    say(f"Written: {RESULTS}/comparison.md, .svg and .json, after {time.time() - start:.0f} s")


def keyring_section(measured: table.Measured) -> list[str]:
    return [
        "## In a keyring",
        "",
        "The group is in a collection of gnome-keyring, beside one item for each account (a hundred at most) that libsecret's",
        "own calls keep there, with a secret as long as a response. Both were measured in turns.",
        "",
        *[line for title, contestants in table.IN_A_KEYRING for line in table.comparison(title, contestants, measured)],
        "### Beside the goals",
        "",
        *promises.table(measured, promises.IN_A_KEYRING),
    ]


def document(measured: table.Measured, in_keyring: table.Measured, start: float) -> list[str]:
    versions = {name: importlib.metadata.version(name) for name in ("msal", "msal-extensions")}
    packages = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Package} ${Version}, ", "libsqlite3-0", "libsqlcipher0",
         "libsecret-1-0", "gnome-keyring", "libsodium23"], capture_output=True, text=True, check=False).stdout
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=False).stdout.splitlines()[0]
    load = os.getloadavg()
    return [
        "# What it takes, and what else takes",
        "",
        f"{time.strftime('%Y-%m-%d', time.localtime(start))}, {processor()}, {os.cpu_count()} cores, {system()},"
        f" Linux {platform.release()}. {swift}; Python {platform.python_version()}, msal {versions['msal']},"
        f" msal-extensions {versions['msal-extensions']}; {packages.rstrip(', ')}.",
        f"Load when it ended: {load[2]:.1f} over 15 minutes. Command: `Benchmarks/compare"
        + (" --full`." if 100_000 in measured else "`."),
        "",
        "Every account has an access token of 2,008 bytes, a refresh token of 1,206, an id token of 1,359 and an account",
        "record. Figures are medians; everything ran one after another on the same machine. MSAL gets its metadata from",
        "memory. SQLite and SQLCipher hold all rows in their page cache; a lookup of theirs knows nothing of scopes, aliases",
        "or expiry. Only the saves of this cache, SQLite, SQLCipher and libsecret are durable. Compare ratios: absolute",
        "times are those of one machine.",
        "",
        "![](comparison.svg)",
        "",
        "## Beside others",
        "",
        *table.tables(measured),
        "## Beside the goals",
        "",
        "What misses its goal is bold. Instructions, allocations, locks and system calls are counted by `Benchmarks/check`.",
        "",
        *promises.table(measured),
        *keyring_section(in_keyring),
    ]


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def system() -> str:
    for line in Path("/etc/os-release").read_text().splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.partition("=")[2].strip('"')
    return "Linux"


if __name__ == "__main__":
    main()
