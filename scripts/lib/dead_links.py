# SPDX-License-Identifier: Apache-2.0
"""Reads names of Markdown files from standard input; says which of their relative links lead nowhere."""

from __future__ import annotations

import pathlib
import re
import sys

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)|^\[[^\]]+\]:\s+(\S+)", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.*?) *#*$", re.MULTILINE)


def anchors(text: str) -> set[str]:
    """The fragments that GitHub makes out of headings."""
    made: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", text)):
        plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        while anchor in made:
            anchor += "-1"
        made.add(anchor)
    return made


def main() -> None:
    problems = []
    for name in sys.stdin.read().split("\n"):
        path = pathlib.Path(name)
        if not name or not path.is_file():
            continue
        for groups in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
            target = next(group for group in groups if group).strip("<>")
            if re.match(r"[a-z][a-z+.-]*:", target):
                continue
            file, _, fragment = target.partition("#")
            there = path.parent / file if file else path
            if not there.exists():
                problems.append(f"{name}: {target} is not there")
            elif fragment and there.suffix == ".md" and fragment not in anchors(there.read_text(encoding="utf-8")):
                problems.append(f"{name}: {target} has no such heading")
    if problems:
        print("\n".join(problems), file=sys.stderr)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
