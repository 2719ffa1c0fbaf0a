# SPDX-License-Identifier: Apache-2.0
"""What the library promises, and what was measured of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from measuring import Figures
from table import three_digits, time_text

Sources = dict[str, Figures]


@dataclass
class Promise:
    what: str
    # By the number of accounts; where it is one number, it holds for every size.
    goal: float | dict[int, float]
    value: Callable[[Sources], float | None]
    text: Callable[[float], str] = time_text
    is_least: bool = False

    def goal_at(self, size: int) -> float | None:
        return self.goal.get(size) if isinstance(self.goal, dict) else self.goal


def ratio(number: float) -> str:
    return f"{three_digits(number)} ×"


def byte_count(number: float) -> str:
    return f"{number:,.0f} B"


def megabytes(number: float) -> str:
    return f"{number / 1e6:,.0f} MB"


def of(source: str, figure: str, beside: str | None = None) -> Callable[[Sources], float | None]:
    def value(sources: Sources) -> float | None:
        figures = sources.get(source, {})
        if figure not in figures or (beside and beside not in figures):
            return None
        return figures[figure] / figures[beside] if beside else figures[figure]

    return value


def beyond(figure: str, floor: str) -> Callable[[Sources], float | None]:
    def value(sources: Sources) -> float | None:
        own, other = (sources["ours"].get(name) for name in (figure, floor))
        return own - other if own and other else None

    return value


def import_ratio(sources: Sources) -> float:
    return sources["ours"]["import"] / (sources["ours"]["json-loads"] + sources["ours"]["raw-write"])


def slowest_kind(sources: Sources) -> float:
    kinds = ("subset-of-scopes", "aliased-cloud", "guest-tenant", "username", "family-refresh-token", "unknown-id")
    return max(sources["ours"]["new-" + kind] for kind in kinds) / sources["ours"]["new-exact"]


def beside_libsecret(figure: str) -> Callable[[Sources], float | None]:
    def value(sources: Sources) -> float | None:
        own, other = (sources[source].get(figure) for source in ("keyring", "libsecret"))
        return own / other if own and other else None

    return value


def beside_msal(figure: str) -> Callable[[Sources], float | None]:
    def value(sources: Sources) -> float | None:
        own, other = (sources.get(source, {}).get(figure) for source in ("ours", "msal"))
        return own / other if own and other else None

    return value


PROMISES = [
    Promise("repeated query, the same account", {10: 60}, of("ours", "hit-same")),
    Promise("repeated query ÷ dictionary probe, random accounts", 3, of("ours", "hit-random", "dictionary-probe"), ratio),
    Promise("from strings to the token in hand", {10: 3_000, 100_000: 4_500}, of("ours", "hand-out")),
    Promise("slowest kind of new query ÷ the exact one", 2, slowest_kind, ratio),
    Promise("silent request, prepared − `token(for:)`, prepared", 1_000, beyond("silent-prepared", "token-prepared")),
    Promise(
        "silent request from strings − `token(for:)` from strings",
        {10: 2_500},
        beyond("silent-from-strings", "token-from-strings"),
    ),
    Promise("two threads ÷ one, one query each, the same account", 1.8, of("ours", "two-threads-same"), ratio, True),
    Promise("two threads ÷ one, one query each, random accounts", 1.8, of("ours", "two-threads-random"), ratio, True),
    Promise("two threads ÷ one, queries of all accounts in random order", 1.8, of("ours", "two-threads-all"), ratio, True),
    Promise("the same of two threads that only visit such objects", {}, of("ours", "two-threads-visits"), ratio, True),
    Promise("first lookup after a foreign change", 50_000, of("ours", "foreign-change")),
    Promise("the check for changes in a repeated lookup", 5, of("ours", "check-for-changes")),
    Promise("id token, from sealed to its claims", 10_000, of("ours", "id-token-claims")),
    Promise("durable save ÷ raw append and fdatasync", 1.5, of("ours", "save", "append"), ratio),
    Promise("two writers ÷ one", 0.7, of("ours", "two-writers"), ratio, True),
    Promise("two writers: 99 of 100 saves take at most", 10e6, of("ours", "two-writers-p99")),
    Promise("list of all accounts ÷ MSAL Python's", 1, beside_msal("accounts"), ratio),
    Promise("cold open to the first token", {10: 100_000, 1_000: 1e6, 100_000: 20e6}, of("ours", "open-to-first-token")),
    Promise("resident bytes for each account, opened", {100_000: 300}, of("ours", "resident-opened"), byte_count),
    Promise("resident bytes for each account, used", {100_000: 1_500}, of("ours", "resident-used"), byte_count),
    Promise("import ÷ (json.loads + raw write + fsync)", {100_000: 1.5}, import_ratio, ratio),
    Promise("import: most memory beyond what there was", {100_000: 64e6}, of("ours", "import-peak"), megabytes),
    Promise("cachetool list ÷ a static Swift hello", {10: 3.2}, of("programs", "list", "hello"), ratio),
    Promise("cachetool lookup ÷ a static Swift hello", {10: 3.2, 100_000: 10}, of("programs", "lookup", "hello"), ratio),
]

IN_A_KEYRING = [
    Promise("save ÷ one `secret_password_store` of as many bytes", 1.5, beside_libsecret("save"), ratio),
    Promise("list of all accounts ÷ libsecret's own search", {100: 0.2}, beside_libsecret("list"), ratio),
    Promise("first lookup after a foreign change", 5e6, of("keyring", "foreign-change")),
]


def table(measured: dict[int, Sources], promises: list[Promise] = PROMISES) -> list[str]:
    sizes = list(measured)
    out = ["| | goal | " + " | ".join(f"{size:,} accounts" for size in sizes) + " |",
           "| --- | ---: |" + " ---: |" * len(sizes)]
    for promise in promises:
        goals = promise.goal if isinstance(promise.goal, dict) else {0: promise.goal}
        relation = "≥" if promise.is_least else "≤"
        goal = ", ".join(f"{relation} {promise.text(limit)}" + (f" at {size:,}" if size else "")
                         for size, limit in goals.items())
        cells = []
        for size in sizes:
            value = promise.value(measured[size])
            if value is None:
                cells.append("–")
                continue
            limit = promise.goal_at(size)
            holds = limit is None or (value >= limit if promise.is_least else value <= limit)
            cells.append(promise.text(value) if holds else f"**{promise.text(value)}**")
        out.append(f"| {promise.what} | {goal} | " + " | ".join(cells) + " |")
    return [*out, ""]
