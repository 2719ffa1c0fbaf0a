# SPDX-License-Identifier: Apache-2.0
"""What a damaged journal still gives, as a user sees it: never fewer entries in silence, and no save that costs what a repair would keep."""

from __future__ import annotations

import collections
import dataclasses
import json
import pathlib
import random
import shutil

from caches import bulk
from cachetool import Cachetool

SECTOR = 4096
NOW = 2_000_000_000
CORRUPT, LOCKED, PARTIAL, EMPTY = 7, 4, 9, 3

Entries = dict[tuple[str, str], dict]


def entries(document: bytes) -> Entries:
    return {(section, key): entry for section, keyed in json.loads(document).items() for key, entry in keyed.items()}


@dataclasses.dataclass
class Sample:
    """A group with a snapshot, later changes and a sign-out, and every state that it was in."""

    tool: Cachetool
    states: list[Entries]
    tokens: list[tuple[str, dict]]

    @property
    def folder(self) -> pathlib.Path:
        return self.tool.root / self.tool.group

    def renewal(self, number: int) -> bytes:
        """A document with a newer access token for one of the accounts."""
        key, token = self.tokens[number * 7 % len(self.tokens)]
        later = {name: str(int(token[name]) + 100 + number) for name in ("cached_at", "expires_on")}
        return json.dumps({"AccessToken": {key: token | later | {"secret": f"renewed {number} " + "x" * 900}}}).encode()


def make(root: pathlib.Path, accounts: int, seed: int) -> Sample:
    root.mkdir(mode=0o700)
    tool = Cachetool(root, "damaged", "--timeout", "30")
    file = root.parent / f"{accounts}.json"
    with file.open("w") as stream:
        bulk.write(stream, accounts=accounts, seed=seed, now=NOW)
    file.chmod(0o600)
    document = json.loads(file.read_bytes())
    sample = Sample(tool, [], list(document["AccessToken"].items()))

    def note() -> None:
        sample.states.append(entries(tool.run("export", "-", "--all").output))

    tool.run("import", str(file))
    note()
    for number in range(6):
        tool.run("import", "-", stdin=sample.renewal(number))
        note()
        if number == 3:
            signed_out = list(document["Account"].values())[5]["home_account_id"]
            tool.run("clear", "--account", signed_out, "--yes")
            note()
    assert len(sample.states[-1]) < len(sample.states[0])
    return sample


class Journal:
    """The bytes of a sound journal, and ways to damage them."""

    def __init__(self, file: pathlib.Path, numbers: random.Random) -> None:
        self.bytes = file.read_bytes()
        self.used = len(self.bytes.rstrip(b"\0"))
        self.numbers = numbers

    def damaged(self, kind: str) -> tuple[bytes, str]:
        changed = bytearray(self.bytes)
        while True:
            offset = self.numbers.randrange(self.used)
            if kind == "cut":
                return self.bytes[:offset], f"cut at {offset}"
            if kind == "sector":
                offset -= offset % SECTOR
                length = len(changed[offset:offset + SECTOR])
                if any(changed[offset:offset + length]):
                    changed[offset:offset + length] = bytes(length)
                    return bytes(changed), f"sector at {offset} lost"
            # Room that nothing was written to means nothing.
            elif any(changed[max(0, offset - 16):offset + 17]):
                bit = self.numbers.randrange(8)
                changed[offset] ^= 1 << bit
                return bytes(changed), f"bit {bit} of byte {offset}"


class Series:
    """One damage after another, each in a copy of the sound group."""

    def __init__(self, sample: Sample, numbers: random.Random, folder: pathlib.Path) -> None:
        self.sample = sample
        self.sound = sample.states[-1]
        self.journal = Journal(sample.folder / "journal", numbers)
        self.tool = Cachetool(folder, sample.tool.group, "--timeout", "30")
        self.faults: list[str] = []
        self.tally: collections.Counter[str] = collections.Counter()
        self.worst = (0, "nothing was lost")

    def restore(self, journal: bytes, keeps_page: bool) -> None:
        shutil.rmtree(self.tool.root, ignore_errors=True)
        shutil.copytree(self.sample.tool.root, self.tool.root, copy_function=shutil.copy2)
        group = self.tool.root / self.tool.group
        (group / "journal").write_bytes(journal)
        if not keeps_page:
            (group / "revision").unlink()

    def exported(self) -> Entries | None:
        """What an export gives; nothing where it says that it is not everything."""
        outcome = self.tool.attempt("export", "-", "--all")
        self.tally[f"export {outcome.exit_code}"] += 1
        if outcome.exit_code not in (0, CORRUPT, LOCKED, PARTIAL):
            self.faults.append(f"export ended with {outcome.exit_code}: {outcome.messages.strip()}")
        return entries(outcome.output) if outcome.exit_code == 0 else None

    def repaired(self) -> Entries:
        """What a repair keeps."""
        outcome = self.tool.attempt("repair", "--yes")
        if outcome.exit_code == CORRUPT and "accept-rollback" in outcome.messages:
            outcome = self.tool.attempt("repair", "--yes", "--accept-rollback")
        if outcome.exit_code not in (0, PARTIAL, LOCKED):
            self.faults.append(f"repair ended with {outcome.exit_code}: {outcome.messages.strip()}")
        kept = self.tool.attempt("export", "-", "--all")
        if kept.exit_code not in (0, EMPTY, LOCKED):
            self.faults.append(f"export ended with {kept.exit_code} after a repair: {kept.messages.strip()}")
        return entries(kept.output) if kept.exit_code == 0 else {}

    def check(self, kind: str, keeps_page: bool) -> None:
        journal, what = self.journal.damaged(kind)
        what += ", revision kept" if keeps_page else ", revision removed"
        count = len(self.faults)
        self.restore(journal, keeps_page)
        found = self.exported()
        is_older = not keeps_page and found in self.sample.states[:-1]
        is_whole = found == self.sound
        self.tally["an older state, the revision lost too"] += is_older
        if found is not None and not is_whole and not is_older:
            self.faults.append(f"{len(found)} of {len(self.sound)} entries in silence")
        is_named = self.tool.attempt("doctor", "--full").exit_code != 0
        if not is_named and not is_whole and not is_older:
            self.faults.append("doctor --full named nothing")
        kept = self.repaired()
        lost = sum(key not in kept for key in self.sound)
        if kind != "cut":
            self.worst = max(self.worst, (lost, what))
        self.restore(journal, keeps_page)
        renewal = self.sample.renewal(50)
        self.tally[f"save {self.tool.attempt('import', '-', stdin=renewal).exit_code}"] += 1
        after = self.repaired()
        renewed = {key for key in after if key in entries(renewal)}
        for key, entry in kept.items():
            if key not in renewed and after.get(key) != entry:
                self.faults.append(f"a save cost {key}")
        self.faults[count:] = [f"{what}: {fault}" for fault in self.faults[count:]]


# Accounts, and how many damages of each kind: every day, before a release.
SIZES = [(12, 60, 2_000), (1_000, 2, 300), (20_000, 0, 60)]


def test_no_damage_loses_an_entry_in_silence_and_no_save_loses_what_a_repair_would_keep(
    seed: int, tmp_path: pathlib.Path, release: bool
) -> None:
    for accounts, everyday, at_release in SIZES:
        count = at_release if release else everyday
        if count == 0:
            continue
        folder = tmp_path / str(accounts)
        folder.mkdir()
        series = Series(make(folder / "sound", accounts, seed), random.Random(seed), folder / "damaged")
        for number in range(count):
            for kind in ("bit", "cut", "sector"):
                series.check(kind, keeps_page=number % 2 == 0)
        print(f"{accounts} accounts, {3 * count} damages: {dict(series.tally)}; worst repair: {series.worst}")
        assert not series.faults, "\n".join(series.faults)
        shutil.rmtree(folder)
