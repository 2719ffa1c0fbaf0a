# SPDX-License-Identifier: Apache-2.0
"""Says which tests that tables of documents name do not exist, and which rows name none.

named_tests.py TESTS DOCUMENT...: a table counts where the last of its columns is headed "test" or "tests".
"""

from __future__ import annotations

import pathlib
import re
import sys

TEST = re.compile(r'@Test\(\s*"([^"]*)"')
SUITE = re.compile(r'@Suite\(\s*"([^"]*)"')
SENTENCE = re.compile(r"\bfunc `([^`]+)`\(")
FUNCTION = re.compile(r"^def (test_\w+)\(", re.MULTILINE)


def known_tests(folder: pathlib.Path) -> set[str]:
    """The sentences of Swift tests, and the names of Python ones."""
    names: set[str] = set()
    for path in folder.rglob("*.swift"):
        text = path.read_text(encoding="utf-8").replace('\\"', "'")
        tests = TEST.findall(text)
        names.update(tests)
        names.update(SENTENCE.findall(text))
        names.update(f"{suite} › {test}" for suite in SUITE.findall(text) for test in tests)
    for path in folder.rglob("test_*.py"):
        names.update(FUNCTION.findall(path.read_text(encoding="utf-8")))
    return names


def last_cell(line: str) -> str:
    return line.rstrip(" |").rpartition(" | ")[2]


def problems(document: pathlib.Path, tests: set[str]) -> list[str]:
    """What is wrong with the tables of one document."""
    found: list[str] = []
    lines = document.read_text(encoding="utf-8").splitlines()
    rows, counts = 0, False
    for number, line in enumerate(lines):
        if not line.startswith("| "):
            counts = False
        elif line.startswith("| ---"):
            counts = last_cell(lines[number - 1]) in ("test", "tests")
        elif counts:
            rows += 1
            named = re.findall(r"`([^`]+)`", last_cell(line))
            if not named:
                found.append(f"{document}:{number + 1}: the row names no test")
            found += [f"{document}:{number + 1}: there is no test “{name}”" for name in named if name not in tests]
    if rows == 0:
        found.append(f"{document}: no table with tests was found")
    return found


def main() -> None:
    tests = known_tests(pathlib.Path(sys.argv[1]))
    found = [problem for document in sys.argv[2:] for problem in problems(pathlib.Path(document), tests)]
    if found:
        print("\n".join(found), file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
