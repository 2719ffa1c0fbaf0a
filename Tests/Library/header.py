# SPDX-License-Identifier: Apache-2.0
"""What tokencache.h declares: functions with their parameters, structures with their members, numbers."""

from __future__ import annotations

import dataclasses
import pathlib
import re

PROJECT = pathlib.Path(__file__).resolve().parents[2]
TEXT = re.sub(r"/\*.*?\*/", "", (PROJECT / "Sources/CTokenCache/include/tokencache.h").read_text(), flags=re.S)


@dataclasses.dataclass(frozen=True)
class Parameter:
    """A parameter of a function or a member of a structure: its type without the name, such as `const char *`."""

    type: str
    name: str


def _parameters(text: str, separator: str) -> list[Parameter]:
    found = []
    for part in text.split(separator):
        if part.strip() in ("", "void"):
            continue
        for declared in re.findall(r"^\s*((?:const )?\w+ )(.+)$", part.strip(), flags=re.S):
            for name in declared[1].split(","):
                stars = name.count("*")
                found.append(Parameter((declared[0] + "*" * stars).strip(), re.sub(r"[*\s]|\[.*\]", "", name)))
    return found


FUNCTIONS = {
    name: (result, _parameters(parameters, ","))
    for result, name, parameters in re.findall(r"^(\w+) (tokencache_\w+)\(([^;]*)\);", TEXT, flags=re.M)
}
STRUCTURES = {
    name: _parameters(members, ";") for name, members in re.findall(r"typedef struct (\w+) \{([^}]*)\} \w+;", TEXT)
}
NUMBERS = {name: int(value) for name, value in re.findall(r"\b(TOKENCACHE_\w+) = (\d+)", TEXT)}
HANDLES = sorted(re.findall(r"typedef struct (\w+) \1;", TEXT))

if len(FUNCTIONS) < 20 or len(STRUCTURES) != 7 or len(HANDLES) != 5 or len(NUMBERS) < 80:
    raise ValueError("the header is not written as it was")
