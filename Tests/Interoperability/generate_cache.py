# SPDX-License-Identifier: Apache-2.0
"""Writes an invented MSAL cache: odd shapes made by MSAL itself, or very many ordinary accounts.

    python generate_cache.py --seed 1 odd.json
    python generate_cache.py --bulk 100000 large.json
"""

from __future__ import annotations

import argparse
import sys
import time

from caches import bulk, document, numbers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", help="the file to write, or - for standard output")
    parser.add_argument("--seed", type=int, default=1, help="same seed and time, same cache")
    parser.add_argument("--now", type=int, default=int(time.time()), help="seconds since 1970 that the tokens count from")
    parser.add_argument("--accounts", type=int, default=330, help="about how many accounts of odd shapes")
    parser.add_argument("--bulk", type=int, metavar="N", help="instead: N ordinary accounts, four entries each")
    parser.add_argument("--plain", action="store_true", help="leave out what other libraries would have added")
    arguments = parser.parse_args()

    stream = sys.stdout if arguments.output == "-" else open(arguments.output, "w", encoding="utf-8")
    with stream:
        if arguments.bulk:
            bulk.write(stream, accounts=arguments.bulk, seed=arguments.seed, now=arguments.now)
        else:
            made = document.make(seed=arguments.seed, now=arguments.now, accounts=arguments.accounts,
                                 with_foreign=not arguments.plain)
            stream.write(numbers.write(made))


if __name__ == "__main__":
    main()
