# SPDX-License-Identifier: Apache-2.0
"""Reads what `swift package dump-package` says; holds what the files of each target import against what the target declares.

The compiler sees every module that was built before, and SwiftPM's own check takes what a dependency depends on for declared.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys

IMPORT = re.compile(r"^(?:@\w+(?:\(\w+\))? +)*(?:(?:public|package|internal|fileprivate|private) +)?import +(?:\w+ +)?(\w+)", re.M)


def declared(target: dict) -> set[str]:
    """The names of the modules that a target may import."""
    names = {target["name"]}
    for dependency in target["dependencies"]:
        for kind in ("byName", "target", "product"):
            if kind in dependency:
                names.add(dependency[kind][0])
    return names


def main() -> None:
    package = json.load(sys.stdin)
    own = {target["name"] for target in package["targets"]} | {"SystemPackage", "ArgumentParser"}
    problems, count = [], 0
    for target in package["targets"]:
        default = "Tests" if target["type"] == "test" else "Sources"
        folder = pathlib.Path(target.get("path") or f"{default}/{target['name']}")
        allowed, used = declared(target), set()
        for file in sorted(folder.rglob("*.swift")):
            found = set(IMPORT.findall(file.read_text(encoding="utf-8"))) & own
            used |= found
            count += len(found)
            problems += [f"{file}: imports {name}, which {target['name']} does not declare" for name in sorted(found - allowed)]
        if any(folder.rglob("*.swift")):
            programs = {other["name"] for other in package["targets"] if other["type"] == "executable"}
            problems += [f"Package.swift: {target['name']} declares {name}, which none of its files imports"
                         for name in sorted((allowed & own) - used - programs - {target["name"]})]
    for line in problems:
        print(line, file=sys.stderr)
    if not count:
        sys.exit("No import was found: are the sources where Package.swift says?")
    print(f"{count} imports are of modules that their targets declare" if not problems else f"{len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
