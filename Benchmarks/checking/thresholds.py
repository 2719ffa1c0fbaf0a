# SPDX-License-Identifier: Apache-2.0
"""What operations may cost: the file that is committed."""

import csv
from pathlib import Path

from counting import Costs
from findings import Findings

# How much more than the threshold counts as a regression. What changes files depends on their names and on time a bit.
TOLERANCE = {"save-response": 0.10, "foreign-change": 0.10, "open-to-first-token": 0.10}
USUAL_TOLERANCE = 0.05


class Thresholds:
    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, costs: Costs) -> None:
        with self._path.open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["operation", "accounts", "instructions", "allocations"])
            for name, size, cost in costs.rows():
                writer.writerow([name, size, round(cost.instructions), f"{cost.allocations:.3g}"])

    def compare(self, costs: Costs, findings: Findings) -> None:
        with self._path.open(newline="") as file:
            limits = {(row["operation"], int(row["accounts"])): row for row in csv.DictReader(file)}
        counted = set()
        print(f"{'operation':28}{'accounts':>9}{'instructions':>14}{'threshold':>11}{'allocations':>13}{'threshold':>11}")
        for name, size, cost in costs.rows():
            counted.add((name, size))
            limit = limits.get((name, size))
            findings.expect(limit is not None, f"{name} at {size} accounts: no threshold, run Benchmarks/check --update")
            if limit is None:
                continue
            tolerance = TOLERANCE.get(name, USUAL_TOLERANCE)
            instructions, allocations = int(limit["instructions"]), float(limit["allocations"])
            print(
                f"{name:28}{size:9}{cost.instructions:14.0f}{instructions:11}{cost.allocations:13.3g}{allocations:11.3g}"
            )
            _compare(f"{name} at {size} accounts", "instructions", cost.instructions, instructions, tolerance, findings)
            _compare(f"{name} at {size} accounts", "allocations", cost.allocations, allocations, tolerance, findings)
        for name, size in limits.keys() - counted:
            findings.expect(False, f"{name} at {size} accounts: has a threshold and was not counted")


def _compare(where: str, what: str, now: float, limit: float, tolerance: float, findings: Findings) -> None:
    growth = f"{now / limit - 1:+.1%}" if limit else "from none"
    findings.expect(
        now <= limit * (1 + tolerance), f"{where}: {what} grew {growth}, {limit:g} to {now:g}; {tolerance:.0%} allowed"
    )
