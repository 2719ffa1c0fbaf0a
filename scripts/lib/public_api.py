# SPDX-License-Identifier: Apache-2.0
"""Lists the public declarations of a module from its symbol graphs, one a line, and compares them with a list in a file.

usage: public_api.py SYMBOL-GRAPHS MODULE LIST [--beyond OTHER-LIST] [--update]

With --beyond, only of declarations that the other list does not have: for a build with a trait.

Also fails if options have a property that no parameter of their initializer sets.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys

# What a type inherits from these is the compiler's, or says nothing of its own.
UNNAMED_PROTOCOLS = {"Copyable", "Escapable", "SendableMetatype"}


def declared(symbol: dict) -> str:
    """The declaration as it is written, on one line."""
    text = "".join(part["spelling"] for part in symbol["declarationFragments"])
    return " ".join(text.split())


def lines_of(folder: pathlib.Path, module: str) -> list[str]:
    """Every public declaration under its full name, and every conformance that a type of the module declares."""
    found = set()
    for path in sorted(folder.glob(f"{module}*.symbols.json")):
        graph = json.loads(path.read_text(encoding="utf-8"))
        names = {}
        for symbol in graph["symbols"]:
            name = ".".join(symbol["pathComponents"])
            names[symbol["identifier"]["precise"]] = name
            found.add(f"{name}: {declared(symbol)}")
        for relation in graph["relationships"]:
            if relation["kind"] != "conformsTo" or relation["source"] not in names:
                continue
            protocol = relation["targetFallback"].rpartition(".")[2] if "targetFallback" in relation else names.get(
                relation["target"], relation["target"])
            if protocol not in UNNAMED_PROTOCOLS:
                found.add(f"{names[relation['source']]}: conforms to {protocol}")
    return sorted(found)


def unset_options(lines: list[str]) -> list[str]:
    """The settable properties of options that their initializer does not set. Options are the types whose initializer has a
    default for every parameter; the initializers of other types may have only what every caller needs."""
    labels, variables = {}, []
    for line in lines:
        if initializer := re.match(r"(\S+)\.init\(([^)]+):\): init(.*)", line):
            names = initializer[2].split(":")
            if initializer[3].count(" = ") >= len(names):
                labels.setdefault(initializer[1], set()).update(names)
        elif variable := re.match(r"(\S+)\.(\w+): (?:@\w+ )*var (?!.* \{ get \}$)", line):
            variables.append((variable[1], variable[2]))
    return [f"{name}.{variable}" for name, variable in variables if name in labels and variable not in labels[name]]


def main() -> None:
    folder, module, path = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    options = sys.argv[4:]
    now = lines_of(folder, module)
    unset = unset_options(now)
    for name in unset:
        print(f"{name}: no parameter of the initializer sets it", file=sys.stderr)
    if "--beyond" in options:
        other = pathlib.Path(options[options.index("--beyond") + 1]).read_text(encoding="utf-8").splitlines()
        now = sorted(set(now) - set(other))
    if not now:
        sys.exit(f"{module} has no public declarations: are its symbol graphs in {folder}?")
    if "--update" in options:
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(now) + "\n", encoding="utf-8")
        print(f"{path} lists {len(now)} declarations")
        sys.exit(1 if unset else 0)
    listed = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    removed, added = sorted(set(listed) - set(now)), sorted(set(now) - set(listed))
    for line in removed:
        print(f"{path}: changed or removed: {line}", file=sys.stderr)
    for line in added:
        print(f"{path}: not listed yet: {line}", file=sys.stderr)
    print(f"{len(now)} public declarations of {module}: {len(removed)} changed or removed, {len(added)} not listed yet")
    sys.exit(1 if removed or added or unset else 0)


if __name__ == "__main__":
    main()
