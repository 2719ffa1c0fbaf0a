"""Times an import, beside the least that Python needs for the same file: json.loads, one write, one fsync.

    python import_figures.py CACHETOOL ROOT GROUP CACHE.json
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import time


def seconds_of_import(tool: str, root: str, group: str, cache: str) -> tuple[float, int]:
    """Wall time, and the most memory that was resident, in bytes."""
    start = time.monotonic()
    process = subprocess.Popen([tool, "import", "--quiet", "--root", root, "--group", group, cache],
                               stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"the import ended with {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - start, usage.ru_maxrss * 1024


def seconds_of_python(root: str, cache: str) -> float:
    start = time.monotonic()
    data = pathlib.Path(cache).read_bytes()
    json.loads(data)
    with open(pathlib.Path(root) / "baseline", "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    taken = time.monotonic() - start
    os.unlink(file.name)
    return taken


def main() -> None:
    tool, root, group, cache = sys.argv[1:]
    size = os.path.getsize(cache)
    seconds_of_python(root, cache)  # So that both find the file in memory.
    imported, peak = seconds_of_import(tool, root, group, cache)
    python = seconds_of_python(root, cache)
    print(f"size of the cache as JSON\t{size / 1e6:.2f}\tMB")
    print(f"import\t{imported:.3f}\ts")
    print(f"Python json.loads + write + fsync\t{python:.3f}\ts")
    print(f"ratio\t{imported / python:.2f}\t×")
    print(f"peak memory of the import\t{peak / 1e6:.0f}\tMB")


if __name__ == "__main__":
    main()
