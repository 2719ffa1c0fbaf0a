"""Says which tests that the table of behaviours names do not exist, and which rows name none."""

from __future__ import annotations

import pathlib
import re
import sys

TEST = re.compile(r'@Test\(\s*"([^"]*)"')
SUITE = re.compile(r'@Suite\(\s*"([^"]*)"')
FUNCTION = re.compile(r"^def (test_\w+)\(", re.MULTILINE)


def known_tests(folder: pathlib.Path) -> set[str]:
    """The sentences of Swift tests, and the names of Python ones."""
    names: set[str] = set()
    for path in folder.rglob("*.swift"):
        text = path.read_text(encoding="utf-8").replace('\\"', "'")
        tests = TEST.findall(text)
        names.update(tests)
        names.update(f"{suite} › {test}" for suite in SUITE.findall(text) for test in tests)
    for path in folder.rglob("test_*.py"):
        names.update(FUNCTION.findall(path.read_text(encoding="utf-8")))
    return names


def main() -> None:
    table, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    tests, problems, rows = known_tests(folder), [], 0
    for number, line in enumerate(table.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.startswith("| ") or line.startswith(("| ---", "| behaviour |")):
            continue
        rows += 1
        named = re.findall(r"`([^`]+)`", line.rstrip(" |").rpartition(" | ")[2])
        if not named:
            problems.append(f"{table}:{number}: the row names no test")
        problems += [f"{table}:{number}: there is no test “{name}”" for name in named if name not in tests]
    if rows == 0:
        problems.append(f"{table}: no table was found")
    if problems:
        print("\n".join(problems), file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
