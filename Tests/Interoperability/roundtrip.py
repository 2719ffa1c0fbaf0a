# SPDX-License-Identifier: Apache-2.0
"""Import into cachetool, export, load in MSAL: is every section, key, entry, field and number still there?

    python roundtrip.py [CACHE.json ...]      without a file: invented caches of several seeds
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import tempfile
import time
from collections.abc import Iterator

import msal

from caches import document, numbers
from cachetool import Cachetool


# How an import ends when no lookup uses anything in the document. Its content is kept all the same.
NO_ENTRIES = 9


def differences(before: object, after: object, path: str = "") -> Iterator[str]:
    """Where two documents differ, by place and never by content: this may run on real caches."""
    if type(before) is not type(after):
        yield f"{path}: {type(before).__name__} became {type(after).__name__}"
    elif isinstance(before, dict):
        assert isinstance(after, dict)
        for key in before.keys() | after.keys():
            if key not in after:
                yield f"{path}/{key}: lost"
            elif key not in before:
                yield f"{path}/{key}: came from nowhere"
            else:
                yield from differences(before[key], after[key], f"{path}/{key}")
        if path.count("/") >= 2 and list(before) != list(after) and before.keys() == after.keys():
            yield f"{path}: the members of an entry changed their order"
    elif isinstance(before, list):
        assert isinstance(after, list)
        if len(before) != len(after):
            yield f"{path}: {len(before)} members became {len(after)}"
        for index, (left, right) in enumerate(zip(before, after)):
            yield from differences(left, right, f"{path}/{index}")
    elif before != after:
        yield f"{path}: another value"


def load_in_msal(text: str) -> msal.SerializableTokenCache:
    """Loads a cache as an application would, and touches every entry of every kind that MSAL knows."""
    cache = msal.SerializableTokenCache()
    cache.deserialize(text)
    for kind in ("RefreshToken", "IdToken", "Account", "AppMetadata"):
        list(cache.search(kind))
    if all("expires_on" in entry for entry in json.loads(text).get("AccessToken", {}).values()):
        list(cache.search("AccessToken", now=0))  # MSAL gives up at the first token that does not say when it ends.
    assert not cache.has_state_changed
    return cache


def round_trip(text: str, tool: Cachetool) -> list[str]:
    """The differences that a round trip of `text` makes; empty when it makes none."""
    outcome = tool.attempt("import", "--json", "-", stdin=text.encode("utf-8"))
    assert outcome.exit_code in (0, NO_ENTRIES), outcome.messages
    exported = tool.export().decode("utf-8")
    load_in_msal(exported)
    return list(differences(numbers.read(text), numbers.read(exported)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("caches", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    texts = {str(path): path.read_text(encoding="utf-8") for path in arguments.caches} or {
        f"seed {seed}": numbers.write(document.make(seed=seed, now=int(time.time()))) for seed in range(1, 4)
    }
    failures = 0
    for name, text in texts.items():
        with tempfile.TemporaryDirectory() as root:
            found = round_trip(text, Cachetool(pathlib.Path(root)))
        failures += bool(found)
        print(f"{name}: {'nothing lost' if not found else f'{len(found)} differences'}")
        for line in found[:20]:
            print(f"  {line}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
