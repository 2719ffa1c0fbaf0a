# SPDX-License-Identifier: Apache-2.0
"""What is wrong, in lines that say what grew by how much."""


class Findings:
    def __init__(self) -> None:
        self._lines: list[str] = []
        self._checks = 0

    def expect(self, holds: bool, otherwise: str) -> None:
        self._checks += 1
        if not holds:
            self._lines.append(otherwise)

    def report(self) -> int:
        for line in self._lines:
            print(f"FAILED: {line}")
        print(f"{self._checks} checks, {len(self._lines)} failed")
        return 1 if self._lines else 0
