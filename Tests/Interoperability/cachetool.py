# SPDX-License-Identifier: Apache-2.0
"""Runs the built cachetool on a scratch root, as other programs would."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import subprocess

import documents

PROJECT = pathlib.Path(__file__).resolve().parents[2]


def programs() -> pathlib.Path:
    """Where the built programs are: named by the environment, else a release build, that of scripts/test first, else the debug build."""
    if named := os.environ.get("TOKEN_CACHE_PROGRAMS"):
        return pathlib.Path(named)
    for configuration in ("programs/release", "release", "debug"):
        folder = PROJECT / ".build" / configuration
        if (folder / "cachetool").exists():
            return folder
    raise FileNotFoundError("cachetool is not built: run scripts/test, or swift build -c release")


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What a run of cachetool left."""

    exit_code: int
    output: bytes
    messages: str

    @property
    def document(self) -> dict:
        return json.loads(self.output)


class Cachetool:
    """cachetool with one root, one group and one key."""

    def __init__(self, root: pathlib.Path, group: str = "interop", *options: str) -> None:
        self.root = root
        self.group = group
        self.program = programs() / "cachetool"
        self.options = ("--root", str(root), "--group", group, *options)

    def attempt(self, command: str, *arguments: str, stdin: bytes | None = None) -> Outcome:
        done = subprocess.run([self.program, command, *arguments, *self.options], input=stdin or b"",
                              capture_output=True, check=False, timeout=600)
        if "--json" in arguments:
            documents.check([command, *arguments], done.returncode, done.stdout.decode())
        return Outcome(done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def run(self, command: str, *arguments: str, stdin: bytes | None = None) -> Outcome:
        """Like `attempt`, for runs that must succeed."""
        outcome = self.attempt(command, *arguments, stdin=stdin)
        if outcome.exit_code != 0:
            raise AssertionError(f"cachetool {command} ended with {outcome.exit_code}: {outcome.messages}")
        return outcome

    def import_file(self, path: pathlib.Path, *arguments: str) -> dict:
        return self.run("import", "--json", *arguments, str(path)).document

    def export(self) -> bytes:
        """Everything that the group holds, as the unified JSON."""
        return self.run("export", "--all", "--yes", "-").output
