# SPDX-License-Identifier: Apache-2.0
"""Checks that a reader finds every public declaration of a module from the pages of its DocC catalogue: the landing page lists
every type, and the page of a type lists what the type has, each once. A catalogue without a folder for such pages leaves that to
DocC.

usage: documented_topics.py SYMBOL-GRAPHS MODULE CATALOGUE
"""

from __future__ import annotations

import json
import pathlib
import re
import sys

# What conformances bring along, which DocC lists by itself.
CONFORMANCES = {"description", "customMirror", "==(_:_:)", "<(_:_:)", "hash(into:)"}


def listed(page: pathlib.Path) -> list[str]:
    """The names in the lists of topics of a page, without what tells overloads apart."""
    topics = page.read_text(encoding="utf-8").partition("\n## Topics\n")[2] if page.exists() else ""
    return [re.sub(r"\)-.*", ")", name) for name in re.findall(r"^- ``([^`]+)``$", topics, re.MULTILINE)]


def main() -> None:
    folder, module, catalogue = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    members: dict[str, set[str]] = {}
    for path in folder.glob(f"{module}*.symbols.json"):
        for symbol in json.loads(path.read_text(encoding="utf-8"))["symbols"]:
            # What is an extension of another module's type has no page in this one; synthesised symbols have no place.
            if path.name != f"{module}.symbols.json" or "location" not in symbol:
                continue
            *owner, name = symbol["pathComponents"]
            if symbol["kind"]["identifier"] in ("swift.struct", "swift.class", "swift.enum", "swift.protocol"):
                members.setdefault("-".join([*owner, name]), set())
            if name not in CONFORMANCES:
                members.setdefault("-".join(owner), set()).add(name)
    has_pages = (catalogue / "Types").is_dir()
    faults = []
    for owner, names in sorted(members.items()):
        if owner and not has_pages:
            continue
        page = catalogue / (f"Types/{owner}.md" if owner else f"{module}.md")
        found = listed(page)
        faults += [f"{page} does not list {name}" for name in sorted(names - set(found))]
        faults += [f"{page} lists {name}, which is not there" for name in sorted(set(found) - names - CONFORMANCES)]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(members) - 1} public types " +
          ("have a page that lists all that they have" if has_pages else f"and their members are found from {module}.md"))
    sys.exit(1 if faults or len(members) < 2 else 0)


if __name__ == "__main__":
    main()
