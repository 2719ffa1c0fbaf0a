# SPDX-License-Identifier: Apache-2.0
"""Reads the symbol graphs of a module; says which of its public declarations have no documentation comment."""

from __future__ import annotations

import json
import pathlib
import sys


def is_own_source(symbol: dict) -> bool:
    """Symbols without a place in the source were made by the compiler: ==, hash(into:), memberwise initializers."""
    return "location" in symbol


def main() -> None:
    folder, module = pathlib.Path(sys.argv[1]), sys.argv[2]
    declarations, bare = 0, []
    for path in sorted(folder.glob(f"{module}*.symbols.json")):
        graph = json.loads(path.read_text(encoding="utf-8"))
        documented_by_protocol = {relation["source"] for relation in graph["relationships"]
                                  if relation["kind"] in ("requirementOf", "overrides") or relation.get("sourceOrigin")}
        for symbol in graph["symbols"]:
            if not is_own_source(symbol):
                continue
            declarations += 1
            lines = symbol.get("docComment", {}).get("lines", [])
            if not any(line["text"].strip() for line in lines):
                if symbol["identifier"]["precise"] in documented_by_protocol:
                    continue
                place = symbol["location"]
                file = place["uri"].rpartition("/Sources/")[2]
                bare.append(f"Sources/{file}:{place['position']['line'] + 1}: {'.'.join(symbol['pathComponents'])}")
    for line in bare:
        print(f"{line} has no documentation comment", file=sys.stderr)
    print(f"{declarations - len(bare)} of {declarations} public declarations are documented")
    sys.exit(1 if bare or not declarations else 0)


if __name__ == "__main__":
    main()
