# SPDX-License-Identifier: Apache-2.0
"""Runs the programs that do the work, and keeps what they print."""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]

Figures = dict[str, float]


def say(text: str) -> None:
    print(f"==> {time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def lines(*command: object) -> Figures:
    """What a program prints: lines of a name and a number."""
    run = subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True)
    return {name: float(number) for name, number in (line.split() for line in run.stdout.splitlines())}


def keyring(scratch: Path, accounts: int) -> dict[str, Figures]:
    """A group in a keyring of its own, and libsecret's own calls beside it."""
    say(f"{accounts:,} accounts in a keyring: this cache and libsecret, in turns")
    folder = scratch / f"keyring-{accounts}"
    folder.mkdir(mode=0o700)
    found = lines(PROJECT / "scripts/with-keyring", scratch / "gate", "keyring", folder, accounts)
    sources: dict[str, Figures] = {"keyring": {}, "libsecret": {}}
    for name, figure in found.items():
        source, _, what = name.partition("-")
        sources[source][what] = figure
    return sources


class Measuring:
    """Everything for one number of accounts. Figures are nanoseconds, but where their name says otherwise."""

    def __init__(self, scratch: Path, accounts: int) -> None:
        self.scratch = scratch
        self.accounts = accounts
        self.folder = scratch / str(accounts)
        self.folder.mkdir()
        self.figures: dict[str, Figures] = {}

    def run(self) -> dict[str, Figures]:
        steps = [
            ("this cache", self._ours), ("cachetool", self._programs), ("two writers", self._writers),
            ("MSAL for Python and msal-extensions", self._msal), ("SQLite", self._sqlite),
            ("SQLCipher", self._sqlcipher),
        ]
        for name, step in steps:
            say(f"{self.accounts:,} accounts: {name}")
            step()
        return self.figures

    def _gate(self, command: str, folder: Path | None = None) -> Figures:
        return lines(self.scratch / "gate", command, folder or self.folder, self.accounts)

    def _ours(self) -> None:
        self._gate("document")
        ours = self._imports()
        self._gate("fill")
        # Nor does a lookup share its processors with what writes all that to the disk.
        os.sync()
        ours |= self._gate("memory")
        ours |= self._gate("times")
        ours |= self._check_for_changes()
        self._gate("document")
        self.figures["ours"] = ours

    def _imports(self) -> Figures:
        """Imports of the document, in turns with the least that anybody does who imports: parse the bytes of the file, write
        them, make them durable. The figures of the median import.
        """
        document = self.folder / "cache.json"
        content = document.read_bytes()
        parses, writes, imports = [], [], []
        for turn in range(3):
            parses.append(self._parse(content))
            # What was written or removed before is not theirs to wait for.
            os.sync()
            writes.append(self._raw_write(content))
            os.sync()
            folder = self.folder / f"import-{turn}"
            folder.mkdir(mode=0o700)
            os.link(document, folder / "cache.json")
            imports.append(self._gate("import", folder))
            shutil.rmtree(folder)
        middle = sorted(imports, key=lambda figures: figures["import"])[1]
        return middle | {"json-loads": statistics.median(parses), "raw-write": statistics.median(writes)}

    def _parse(self, content: bytes) -> float:
        start = time.perf_counter_ns()
        document = json.loads(content)
        end = time.perf_counter_ns()
        del document
        return end - start

    def _raw_write(self, content: bytes) -> float:
        path = self.folder / "raw"
        start = time.perf_counter_ns()
        with path.open("wb") as file:
            file.write(content)
            os.fsync(file.fileno())
        end = time.perf_counter_ns()
        path.unlink()
        return end - start

    def _check_for_changes(self) -> Figures:
        """What it costs a repeated lookup to see whether anybody changed something: the least of many turns."""
        folder = self.folder / "check"
        folder.mkdir(mode=0o700)
        run = subprocess.run([self.scratch / "group-worker", "measure", "--root", folder], check=True,
                             stdout=subprocess.PIPE, text=True)
        return {"check-for-changes": float(re.search(r"difference (-?[0-9.]+) ns", run.stdout)[1])}

    def _writers(self) -> None:
        """How many saves two processes get done, beside one alone: both from a journal that was just written anew.

        Else one of them might meet a compaction that the other does not.
        """
        self._compact()
        alone = self._gate("write")
        self._compact()
        command = [str(part) for part in (self.scratch / "gate", "write", self.folder, self.accounts)]
        pair = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        both = [{name: float(number) for name, number in (line.split() for line in process.communicate()[0].splitlines())}
                for process in pair]
        self.figures["ours"] |= {
            "two-writers": sum(one["saves-per-second"] for one in both) / alone["saves-per-second"],
            "two-writers-p99": max(one["wait-p99"] for one in both),
            "two-writers-most": max(one["wait-most"] for one in both),
        }

    def _compact(self) -> None:
        command = [self.scratch / "cachetool", "compact", "--group", "operations", "--root", self.folder]
        subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, check=True)

    def _msal(self) -> None:
        folder = self.folder / "msal"
        folder.mkdir()
        self.figures["msal"] = lines(sys.executable, HERE / "msal_times.py", self.folder / "cache.json", folder)

    def _sqlite(self) -> None:
        self.figures["sqlite"] = self._store("libsqlite3.so.0")

    def _sqlcipher(self) -> None:
        self.figures["sqlcipher"] = self._store("libsqlcipher.so.0", "2a" * 32)

    def _store(self, library: str, *key: str) -> Figures:
        folder = self.folder / library
        folder.mkdir()
        return lines(self.scratch / "stores", "sqlite", library, folder, self.accounts, *key)

    def _programs(self) -> None:
        tool, root = self.scratch / "cachetool", ["--group", "operations", "--root", self.folder]
        with (self.folder / "cache.json").open() as file:
            account = re.search(r'"home_account_id":"([^"]+)"', file.read(10_000))[1]
        client = "6c05e3c4-9d0f-4c62-9a5b-0d2a4f9c1b7e"
        commands = {
            "hello": [self.scratch / "hello"],
            "lookup": [tool, "lookup", *root, "--account", account, "--client", client, "--scopes", "User.Read"],
            "import-msal": [sys.executable, "-c", "import msal"],
        }
        if self.accounts <= 10:
            commands["list"] = [tool, "list", *root]
        times: dict[str, list[int]] = {name: [] for name in commands}
        for _ in range(21):
            for name, command in commands.items():
                start = time.perf_counter_ns()
                subprocess.run([str(part) for part in command], stdout=subprocess.DEVNULL, check=False)
                times[name].append(time.perf_counter_ns() - start)
        self.figures["programs"] = {name: statistics.median(each) for name, each in times.items()}
