# SPDX-License-Identifier: Apache-2.0
"""Runs operations under Callgrind."""

import os
import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from callgrind import Profile, Reader
from findings import Findings

# How much more a hit may cost in a large cache than in a small one.
FLATNESS = 0.05


@dataclass
class Cost:
    """Of one round."""

    instructions: float
    allocations: float
    # Every attempt's, for what must not happen in any of them.
    profile: Profile


class Costs:
    """By the number of accounts and the name of the operation."""

    def __init__(self, by_size: dict[int, dict[str, Cost]]) -> None:
        self.by_size = by_size

    def rows(self) -> list[tuple[str, int, Cost]]:
        names = next(iter(self.by_size.values()))
        return [(name, size, costs[name]) for name in names for size, costs in self.by_size.items()]


def count(program: Path, folder: Path, size: int, scratch: Path) -> dict[str, Cost]:
    """The cost of each operation, in the order in which the program does them."""
    output = scratch / f"callgrind.{size}"
    run = subprocess.run(
        [
            "valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={output}", "--dump-instr=yes",
            "--zero-before=gate_begins", "--dump-before=gate_ends", program, "count", folder, str(size),
        ],
        check=True,
        capture_output=True,
        text=True,
        # The same tables in every run, and no symbol looked up in the midst of what is counted.
        env=os.environ | {"SWIFT_DETERMINISTIC_HASHING": "1", "LD_BIND_NOW": "1"},
    )  # fmt: skip
    costs: dict[str, list[Cost]] = {}
    reader = Reader()
    for part, line in enumerate(run.stdout.splitlines(), start=1):
        name, rounds = line.split()
        profile = reader.read(Path(f"{output}.{part}"))
        cost = Cost(profile.instructions / int(rounds), profile.allocations / int(rounds), profile)
        costs.setdefault(name, []).append(cost)
    return {name: _least(attempts) for name, attempts in costs.items()}


def _least(attempts: list[Cost]) -> Cost:
    return min(attempts, key=lambda cost: cost.instructions)


def check_hits(costs: Costs, program: Path, findings: Findings) -> None:
    """A lookup by a query that was asked before allocates nothing, locks nothing, and costs the same at any size. So does
    the renewal of a token that is good; it starts no thread either."""
    locks = _locking_instructions(program)
    for name, size, cost in costs.rows():
        if not _is_lookup(name):
            continue
        where = f"{name} at {size} accounts"
        findings.expect(cost.allocations == 0, f"{where}: {cost.allocations:g} allocations, where there must be none")
        waiting = cost.profile.waiting_calls
        findings.expect(not waiting, f"{where}: takes a lock by {', '.join(waiting)}")
        starting = cost.profile.starting_calls
        findings.expect(not starting, f"{where}: starts a thread by {', '.join(starting)}")
        own = cost.profile.executed.get(str(program), Counter())
        taken = sum(own[address] for address in locks)
        findings.expect(bool(own), f"{where}: nothing of the program itself was counted")
        findings.expect(taken == 0, f"{where}: {taken} compare-and-exchange instructions, by which locks are taken")
    small, large = min(costs.by_size), max(costs.by_size)
    for name, cost in costs.by_size[large].items():
        if _is_lookup(name):
            growth = cost.instructions / costs.by_size[small][name].instructions - 1
            findings.expect(
                abs(growth) <= FLATNESS,
                f"{name}: {growth:+.1%} instructions from {small} to {large} accounts, at most {FLATNESS:.0%} allowed",
            )


def check_secrets(costs: Costs, findings: Findings) -> None:
    """No lookup and no silent request opens a token before the application reads it. Reading it does, which shows that the
    calls would be seen."""
    seen = False
    for name, size, cost in costs.rows():
        opening = cost.profile.opening_calls
        seen = seen or bool(opening)
        if _is_lookup(name) or name.startswith("silent-"):
            findings.expect(not opening, f"{name} at {size} accounts: opens a token by {', '.join(opening)}")
    findings.expect(seen, "no operation was seen to open a token")


def _is_lookup(name: str) -> bool:
    return name.startswith(("hit-", "renew-valid"))


def _locking_instructions(program: Path) -> list[int]:
    """Where the program compares and exchanges: how a lock is taken as long as nobody holds it.

    The Swift runtime, which is linked in, does so too for its reference counts and for what it notes of a task: no other
    thread ever waits for these.
    """
    listing = subprocess.run(
        ["objdump", "--disassemble", "--no-show-raw-insn", program], check=True, capture_output=True, text=True
    )
    pattern = re.compile(r"^[0-9a-f]+ <(.+)>:$|^\s*([0-9a-f]+):\s+lock cmpxchg", re.MULTILINE)
    is_of_runtime = re.compile(r"_?swift_\w*([Rr]etain|[Rr]elease)|_ZNK?5swift.*(RefCount|9AsyncTask)")
    function, addresses = "", []
    for match in pattern.finditer(listing.stdout):
        if match[1]:
            function = match[1]
        elif not is_of_runtime.match(function):
            addresses.append(int(match[2], 16))
    return addresses
