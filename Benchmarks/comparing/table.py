# SPDX-License-Identifier: Apache-2.0
"""The table: what was measured, beside what it is compared with."""

from __future__ import annotations

from dataclasses import dataclass

from measuring import Figures

Measured = dict[int, dict[str, Figures]]


def time_text(nanoseconds: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{three_digits(nanoseconds / size)} {unit}"
    return f"{three_digits(nanoseconds)} ns"


def three_digits(number: float) -> str:
    digits = max(0, 2 - len(str(int(abs(number)))) + 1)
    return f"{number:,.{digits}f}"


@dataclass
class Contestant:
    """Whose figure it is, and where it is found."""

    name: str
    source: str
    figure: str


# What a person wants done, and who does it. The first of each is this cache.
COMPARISONS: list[tuple[str, list[Contestant]]] = [
    ("From strings to the token in hand, the scopes that were stored", [
        Contestant("swift-token-cache", "ours", "hand-out"),
        Contestant("MSAL Python, acquire_token_silent", "msal", "hand-out"),
        Contestant("MSAL Python + msal-extensions, file", "msal", "extensions-hand-out"),
        Contestant("SQLite, one row by its key", "sqlite", "hand-out"),
        Contestant("SQLCipher, one row by its key", "sqlcipher", "hand-out"),
        Contestant("libsecret, one item by its attribute", "libsecret", "first-lookup"),
        Contestant("Dictionary of strings, plain memory", "ours", "dictionary-hand-out"),
    ]),
    ("From strings to the token in hand, one of its scopes", [
        Contestant("swift-token-cache", "ours", "hand-out-subset"),
        Contestant("MSAL Python, acquire_token_silent", "msal", "hand-out-subset"),
    ]),
    ("A query that was asked before, token not opened", [
        Contestant("swift-token-cache, accounts in random order", "ours", "hit-random"),
        Contestant("swift-token-cache, the same account", "ours", "hit-same"),
        Contestant("Dictionary with ready-made keys of 128 bits", "ours", "dictionary-probe"),
    ]),
    ("The list of accounts", [
        Contestant("swift-token-cache", "ours", "accounts"),
        Contestant("MSAL Python, get_accounts", "msal", "accounts"),
        Contestant("libsecret, search of all items", "libsecret", "list"),
    ]),
    ("The first lookup after another process changed the account", [
        Contestant("swift-token-cache", "ours", "foreign-change"),
        Contestant("MSAL Python + msal-extensions, file", "msal", "extensions-foreign-change"),
    ]),
    ("Cold open to the first token in hand", [
        Contestant("swift-token-cache", "ours", "open-to-first-token"),
        Contestant("MSAL Python + msal-extensions, file", "msal", "extensions-open"),
        Contestant("SQLite", "sqlite", "open"),
        Contestant("SQLCipher, raw key", "sqlcipher", "open"),
    ]),
    ("Import of the whole cache as JSON", [
        Contestant("swift-token-cache", "ours", "import"),
        Contestant("Python's json.loads of the same bytes", "ours", "json-loads"),
        Contestant("raw write and fsync of the same bytes", "ours", "raw-write"),
    ]),
]

# The same where the group is in the keyring of the person. libsecret keeps one item for each account, with all of it.
IN_A_KEYRING: list[tuple[str, list[Contestant]]] = [
    ("Connecting, and the first token in hand", [
        Contestant("swift-token-cache", "keyring", "open"),
        Contestant("libsecret, a new connection and one item", "libsecret", "open"),
    ]),
    ("An account that is asked for the first time", [
        Contestant("swift-token-cache", "keyring", "first-lookup"),
        Contestant("libsecret, one item by its attribute", "libsecret", "first-lookup"),
    ]),
    ("The first lookup after another process changed the account", [
        Contestant("swift-token-cache", "keyring", "foreign-change"),
        Contestant("libsecret, one item by its attribute", "libsecret", "foreign-change"),
    ]),
    ("A save of a token response", [
        Contestant("swift-token-cache", "keyring", "save"),
        Contestant("libsecret, `secret_password_store` of as many bytes", "libsecret", "save"),
    ]),
    ("The first list of all accounts", [
        Contestant("swift-token-cache", "keyring", "list"),
        Contestant("libsecret, search of all items with their secrets", "libsecret", "list"),
    ]),
    ("A query that was asked before", [Contestant("swift-token-cache", "keyring", "hit")]),
]

SAVES = [
    Contestant("swift-token-cache", "ours", "save"),
    Contestant("SQLite, one transaction of 4 rows, WAL, synchronous=FULL", "sqlite", "save"),
    Contestant("SQLCipher, the same", "sqlcipher", "save"),
    Contestant("MSAL Python + msal-extensions, file (not made durable)", "msal", "extensions-save"),
    Contestant("libsecret, one item with all of it", "libsecret", "save"),
]


def comparison(title: str, contestants: list[Contestant], measured: Measured) -> list[str]:
    sizes = list(measured)
    out = [f"### {title}", "", "| | " + " | ".join(f"{size:,} accounts" for size in sizes) + " |",
           "| --- |" + " ---: |" * len(sizes)]
    for index, one in enumerate(contestants):
        cells = []
        for size in sizes:
            figure = measured[size].get(one.source, {}).get(one.figure)
            own = measured[size].get(contestants[0].source, {}).get(contestants[0].figure)
            ratio = f" ({three_digits(figure / own)} ×)" if figure and own and index else ""
            cells.append(time_text(figure) + ratio if figure else "–")
        if any(cell != "–" for cell in cells):
            out.append(f"| {one.name} | " + " | ".join(cells) + " |")
    return [*out, ""]


def saves(measured: Measured) -> list[str]:
    """Each beside a raw append and fdatasync of its own: a disk is not as fast at one time as at another."""
    sizes = list(measured)
    out = ["### A durable save of a token response", "",
           "In parentheses: beside a raw append of as many bytes and one fdatasync, measured in turns with it.", "",
           "| | " + " | ".join(f"{size:,} accounts" for size in sizes) + " |", "| --- |" + " ---: |" * len(sizes)]
    for one in SAVES:
        cells = []
        for size in sizes:
            figures = measured[size].get(one.source, {})
            figure, floor = figures.get(one.figure), figures.get("append")
            ratio = f" ({three_digits(figure / floor)} ×)" if figure and floor else ""
            cells.append(time_text(figure) + ratio if figure else "–")
        out.append(f"| {one.name} | " + " | ".join(cells) + " |")
    return [*out, ""]


def tables(measured: Measured) -> list[str]:
    out = []
    for title, contestants in COMPARISONS:
        out += comparison(title, contestants, measured)
    return out + saves(measured)
