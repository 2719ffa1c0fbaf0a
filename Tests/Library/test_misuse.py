# SPDX-License-Identifier: Apache-2.0
"""Whatever a caller passes, a function answers with a number: no trap, and nothing written where the caller has no room."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import header
from conftest import PREFIX, environment

FOLDER = pathlib.Path(__file__).parent


def test_wrong_arguments(root: pathlib.Path, responses: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", FOLDER / "misuse.py", PREFIX / "lib/libtokencache.so.1", root, responses[0]],
        capture_output=True, text=True, timeout=600, check=False, env=environment(root))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (lines[-1:], done.stderr[-3000:])
    assert lines[-1] == {"finished": True, "decision": 2}
    made = [line for line in lines if "result" in line]
    assert [line for line in made if not line["fits"]] == []
    # Each parameter that can be wrong was wrong, in each function.
    tried = {(line["function"], line["parameter"]) for line in made}
    expected = {
        (function, parameter.name) for function, (_, parameters) in header.FUNCTIONS.items() for parameter in parameters
        if parameter.name != "context" and function != "tokencache_wipe"
    } - {("tokencache_renewal_begin", "timeout_ms")}
    assert expected - tried == set()
    assert len(made) > 500, len(made)
