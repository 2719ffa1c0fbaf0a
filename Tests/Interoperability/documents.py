# SPDX-License-Identifier: Apache-2.0
"""Compares what cachetool writes with --json with the published schema, Documentation/cachetool.schema.json.

    documents.py FOLDER [--all-commands]

checks what the Swift tests kept in that folder (TOKEN_CACHE_RUNS), and counts it by command; with the option, it fails if a
command is missing that writes documents and is not one of those that ask servers, which Tests/Providers checks.
"""

from __future__ import annotations

import collections
import collections.abc
import functools
import json
import pathlib
import sys

import jsonschema

SCHEMA = json.loads((pathlib.Path(__file__).resolve().parents[2] / "Documentation" / "cachetool.schema.json").read_text())
COMMANDS = {reference["$ref"].removeprefix("#/$defs/") for reference in SCHEMA["anyOf"]}

#: The exit statuses other than 0 and 9 with which a command writes its document.
BAD_NEWS = {
    "doctor": {1}, "import": {3}, "lookup": {3}, "repair": {7}, "status": {3, 4, 5, 6, 7, 8}, "unlock": {4}, "verify": {7},
}
INTERRUPTED = 130
ASK_SERVERS = {"sign-in", "token"}


class WrongDocument(AssertionError):
    """What was written is not what the schema says."""


def command_of(arguments: collections.abc.Sequence[str]) -> str | None:
    """The name of the command that a command line begins with, as the schema has it; none for words that are no command."""
    if not arguments:
        return None
    first, *rest = arguments
    if first in ("groups", "slots"):
        second = f"{first}-{rest[0]}" if rest else ""
        return second if second in COMMANDS else f"{first}-list"
    return first if first in COMMANDS else None


@functools.cache
def _validator(command: str) -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{command}", "$defs": SCHEMA["$defs"]})


def _unique(members: list[tuple[str, object]]) -> dict:
    document = dict(members)
    if len(document) < len(members):
        raise WrongDocument(f"a member is there twice: {[name for name, _ in members]}")
    return document


def _no_constant(name: str) -> object:
    raise WrongDocument(f"{name} is no JSON")


def validate(command: str, text: str) -> dict:
    """One document of a command."""
    try:
        document = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise WrongDocument(f"{command}: no JSON: {error}: {text[:300]}") from None
    if (error := jsonschema.exceptions.best_match(_validator(command).iter_errors(document))) is not None:
        raise WrongDocument(f"{command}: {error.json_path}: {error.message}")
    if next(iter(document)) != "schema_version":
        raise WrongDocument(f"{command}: the document does not begin with its version")
    return document


def check(arguments: collections.abc.Sequence[str], exit_code: int, output: str) -> str | None:
    """What a run of cachetool with --json wrote. Returns the command where that was a document."""
    command = command_of(arguments)
    if exit_code == INTERRUPTED:
        return None
    if command == "watch":
        lines = output.splitlines()
        for line in lines:
            validate(command, line)
        return command if lines else None
    writes = command is not None and exit_code in {0, 9} | BAD_NEWS.get(command, set())
    if not output:
        if command is not None and exit_code == 0:
            raise WrongDocument(f"{command}: no document, and status 0")
        return None
    if not writes:
        raise WrongDocument(f"{command}: a document, and status {exit_code}: {output[:300]}")
    validate(command, output)
    return command


def main(folder: str, needs_all: bool) -> int:
    counts, wrong = collections.Counter(), []
    for file in sorted(pathlib.Path(folder).iterdir()):
        run = json.loads(file.read_text())
        if "--json" not in run["arguments"]:
            continue
        try:
            if (command := check(run["arguments"], run["exitCode"], run["output"])) is not None:
                counts[command] += 1
        except WrongDocument as error:
            wrong.append(f"cachetool {' '.join(run['arguments'])} (status {run['exitCode']}): {error}")
    if needs_all:
        wrong += [f"{name}: no test wrote a document" for name in sorted(COMMANDS - ASK_SERVERS - counts.keys())]
    print(f"{counts.total()} documents: " + ", ".join(f"{name} {counts[name]}" for name in sorted(counts)))
    for problem in wrong:
        print(problem, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--all-commands" in sys.argv))
