# SPDX-License-Identifier: Apache-2.0
"""24 processes at once: saves, sign-outs, changes of keys, migrations, removals, repairs and doctors, killed at random."""

from __future__ import annotations

import collections
import json
import random
import subprocess
import threading
import time

from cachetool import Cachetool
from conftest import Keyring

SUCCESS, NOT_FOUND, NO_BACKEND, BUSY = 0, 3, 5, 6
KILLED = -9
CLIENT, HOST, TENANT = "11111111-2222-3333-4444-555555555555", "login.microsoftonline.com", "tenant"


def sign_in(person: int, number: int) -> bytes:
    """A document in which a person has the tokens of this number."""
    account = f"person{person}.{TENANT}"
    common = {"home_account_id": account, "environment": HOST}
    token = common | {"credential_type": "AccessToken", "client_id": CLIENT, "realm": TENANT, "target": "user.read",
                      "secret": f"at {number} " + "x" * 1_200, "cached_at": str(1_900_000_000 + number),
                      "expires_on": str(1_900_003_600 + number)}
    refresh = common | {"credential_type": "RefreshToken", "client_id": CLIENT, "secret": f"rt {number}",
                        "last_modification_time": str(1_900_000_000 + number)}
    entry = common | {"realm": TENANT, "local_account_id": f"person{person}", "authority_type": "MSSTS",
                      "username": f"person{person}@contoso.example"}
    return json.dumps({
        "AccessToken": {f"{account}-{HOST}-accesstoken-{CLIENT}-{TENANT}-user.read": token},
        "RefreshToken": {f"{account}-{HOST}-refreshtoken-{CLIENT}--": refresh},
        "Account": {f"{account}-{HOST}-{TENANT}": entry},
    }).encode()


class Crowd:
    """The processes, each driven by a thread, and what they said that they may not say."""

    def __init__(self, tool: Cachetool, seed: int, seconds: float) -> None:
        self.tool = tool
        self.seed = seed
        self.end = time.monotonic() + seconds
        self.faults: list[str] = []
        self.counts: collections.Counter[tuple[str, int]] = collections.Counter()

    def run(self, numbers: random.Random, command: list[str], stdin: bytes = b"", group: str | None = None,
            kills: float = 0.15) -> tuple[int, str]:
        with subprocess.Popen(
            [self.tool.program, *command, "--root", self.tool.root, "--group", group or self.tool.group, "--timeout", "30"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process:
            try:
                end = numbers.random() / 4 if numbers.random() < kills else 120
                output, messages = process.communicate(stdin, timeout=end)
            except subprocess.TimeoutExpired:
                process.kill()
                output, messages = process.communicate()
        status, said, shown = process.returncode, messages.decode(errors="replace"), output.decode(errors="replace")
        self.counts[command[0], status] += 1
        allowed = [SUCCESS, BUSY, KILLED]
        if group:
            allowed += [NOT_FOUND]
        elif "migrat" in said or "moved" in said:
            # A group that moved while the command ran says so, and has to be opened again.
            allowed += [NO_BACKEND]
        if status not in allowed and command[0] != "doctor":
            self.faults.append(f"{' '.join(command)} ended with {status}: {said.strip()} {shown[:800]}")
        return status, shown

    def repeat(self, stream: int, *commands: list[str]) -> None:
        numbers = random.Random(self.seed * 100 + stream)
        while time.monotonic() < self.end:
            for command in commands:
                self.run(numbers, command)
                time.sleep(numbers.random() * 0.3)

    def examine(self, stream: int) -> None:
        """Damage and rollback are false alarms here. That a killed migration left something behind is none."""
        numbers = random.Random(self.seed * 100 + stream)
        while time.monotonic() < self.end:
            status, output = self.run(numbers, ["doctor", "--full", "--json"])
            if status == KILLED:
                continue
            for finding in json.loads(output)["findings"]:
                is_leftover = finding["topic"] == "store" and "may still contain records" in finding["description"]
                if finding["level"] == "problem" and not is_leftover:
                    self.faults.append(f"false alarm: {finding}")

    def come_and_go(self, stream: int) -> None:
        """A group that is created and removed again and again."""
        numbers = random.Random(self.seed * 100 + stream)
        while time.monotonic() < self.end:
            self.run(numbers, ["import", "-", "--storage", "file"], sign_in(0, 1), group=f"brief{stream}")
            self.run(numbers, ["groups", "remove", "--yes"], group=f"brief{stream}")


class Person:
    """Signs in and out of an account of its own, and knows what may be stored of it: the last that was acknowledged, or what was
    begun after it."""

    def __init__(self, crowd: Crowd, number: int) -> None:
        self.crowd = crowd
        self.number = number
        self.possible: set[int | None] = {None}

    def live(self) -> None:
        numbers = random.Random(self.crowd.seed * 100 + self.number)
        count = 0
        while time.monotonic() < self.crowd.end:
            count += 1
            is_leaving = numbers.random() < 0.2
            if is_leaving:
                command, document = ["clear", "--account", f"person{self.number}.{TENANT}", "--yes"], b""
            else:
                command, document = ["import", "--replace", "-"], sign_in(self.number, count)
            status, _ = self.crowd.run(numbers, command, document, kills=0.2)
            stored = None if is_leaving else count
            self.possible = {stored} if status == SUCCESS else self.possible | {stored}


def test_a_crowd_that_is_killed_at_random_loses_nothing_alarms_nobody_and_leaves_nothing(
    tool: Cachetool, keyring: Keyring, seed: int, release: bool
) -> None:
    crowd = Crowd(tool, seed, seconds=60 if release else 8)
    tool.run("import", "-", "--storage", "file", stdin=sign_in(99, 1))
    people = [Person(crowd, number) for number in range(10)]
    work = [person.live for person in people]
    upkeep = [["rekey", "--yes"]], [["rekey", "--yes"]], [["compact"]], [["repair", "--yes"]], [["repair", "--yes"]], [["verify"]]
    # Every day in files only: gnome-keyring itself ends, now and then, when many items go at once.
    migration = [["migrate", "--to", "keyring"], ["migrate", "--to", "file"]] if release else [["export", "-"]]
    work += [lambda stream=stream, commands=commands: crowd.repeat(20 + stream, *commands)
             for stream, commands in enumerate([*upkeep, migration, migration])]
    work += [lambda stream=stream: crowd.come_and_go(stream) for stream in range(40, 43)]
    work += [lambda stream=stream: crowd.examine(stream) for stream in range(50, 53)]
    assert len(work) == 24
    threads = [threading.Thread(target=work) for work in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"seed {seed}: {sum(crowd.counts.values())} processes, "
          f"{sum(count for (_, status), count in crowd.counts.items() if status == KILLED)} killed")

    # Finishes a migration that was killed.
    tool.run("migrate", "--to", "file")
    tokens = json.loads(tool.run("export", "-").output)["AccessToken"].values()
    stored = {token["home_account_id"]: int(token["secret"].split()[1]) for token in tokens}
    for person in people:
        found = stored.get(f"person{person.number}.{TENANT}")
        if found not in person.possible:
            crowd.faults.append(f"person {person.number} has {found}, not one of {person.possible}")
    assert not crowd.faults, "\n".join(crowd.faults)

    examined = tool.attempt("doctor", "--full")
    assert examined.exit_code == SUCCESS, examined.output
    for group in ["brief40", "brief41", "brief42", tool.group]:
        removed = Cachetool(tool.root, group, "--timeout", "30").attempt("groups", "remove", "--yes")
        assert removed.exit_code in (SUCCESS, NOT_FOUND), removed.messages
    assert [path for path in tool.root.rglob("*") if path.is_file()] == []
    assert keyring.item_count() == 0
