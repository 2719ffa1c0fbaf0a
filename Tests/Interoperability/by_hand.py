# SPDX-License-Identifier: Apache-2.0
"""What the comparisons with MSAL do when one of them is run by hand, with a size and a seed of its own."""

from __future__ import annotations

import argparse
import pathlib
import sys
import tempfile
from collections.abc import Callable


def run(documentation: str, things: str, default: int, compare: Callable) -> None:
    """Calls `compare(root, size, seed)`, prints its report, and exits with 1 if something in it is unexplained."""
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(f"--{things}", dest="size", type=int, default=default)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        report = compare(pathlib.Path(root), arguments.size, arguments.seed)
    print(report.describe())
    sys.exit(1 if report.unexplained else 0)
