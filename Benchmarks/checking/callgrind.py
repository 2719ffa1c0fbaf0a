# SPDX-License-Identifier: Apache-2.0
"""Reads what Callgrind wrote: instructions by address, and how often functions were called."""

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ALLOCATORS = {"malloc", "calloc", "realloc", "memalign", "posix_memalign", "aligned_alloc", "mmap"}

_NAME = re.compile(r"(c?)(ob|fn|fi|fe|fl)=\((\d+)\)(?: (.*))?")


@dataclass
class Profile:
    """What happened between two marks."""

    instructions: int = 0
    # By the object file: the addresses of the instructions that were executed, and how often each was.
    executed: dict[str, Counter[int]] = field(default_factory=dict)
    calls: Counter[str] = field(default_factory=Counter)

    @property
    def allocations(self) -> int:
        return sum(count for name, count in self.calls.items() if name in ALLOCATORS)

    @property
    def waiting_calls(self) -> list[str]:
        """Functions that take a lock or wait for one."""
        pattern = re.compile(r"pthread_(mutex|rwlock|spin|cond)_(?!unlock|init|destroy)|lll_lock|futex|lockSlow")
        return sorted(name for name in self.calls if pattern.search(name))

    @property
    def starting_calls(self) -> list[str]:
        """Functions that start a thread."""
        return sorted(name for name in self.calls if re.search(r"pthread_create|\bclone3?\b", name))

    @property
    def opening_calls(self) -> list[str]:
        """Functions of libsodium that open a sealed box."""
        return sorted(name for name in self.calls if re.search(r"crypto_(aead|secretbox)_\w*(decrypt|open)", name))


class Reader:
    """Names are written out once and stand for themselves in every later part."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}

    def read(self, path: Path) -> Profile:
        profile = Profile()
        executed: Counter[int] = Counter()
        called = ""
        address = 0
        is_call_cost = False
        for line in path.read_text().splitlines():
            if match := _NAME.match(line):
                prefix, kind, number, name = match.groups()
                name = self._name(kind, number, name)
                if kind == "ob" and not prefix:
                    executed = profile.executed.setdefault(name, Counter())
                elif kind == "fn" and prefix:
                    called = name
            elif line.startswith("calls="):
                profile.calls[called.partition("@@")[0]] += int(line[6:].split()[0])
                is_call_cost = True
            elif line.startswith("summary:"):
                profile.instructions = int(line.split()[1])
            elif line[:1] in "+-*0" and line:
                fields = line.split()
                address = _moved(address, fields[0])
                if not is_call_cost:
                    executed[address] += int(fields[2])
                is_call_cost = False
        return profile

    def _name(self, kind: str, number: str, name: str | None) -> str:
        key = ("file" if kind in ("fi", "fe", "fl") else kind, number)
        if name is not None:
            self._names[key] = name
        return self._names[key]


def _moved(address: int, text: str) -> int:
    match text[0]:
        case "*":
            return address
        case "+":
            return address + int(text[1:], 0)
        case "-":
            return address - int(text[1:], 0)
        case _:
            return int(text, 16)
