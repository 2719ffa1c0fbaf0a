# SPDX-License-Identifier: Apache-2.0
"""What MSAL for Python and msal-extensions need for the same work, on the same document.

    python msal_times.py DOCUMENT FOLDER

Prints lines of a name and nanoseconds, the median of many rounds. The service that MSAL asks for its metadata answers from
memory. Rounds get fewer where one takes long.
"""

from __future__ import annotations

import base64
import json
import os
import pathlib
import random
import statistics
import sys
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Interoperability"))
import msal  # noqa: E402
import msal_extensions  # noqa: E402
from caches.service import IdentityService  # noqa: E402

SCOPES = ["Calendars.Read", "Files.ReadWrite", "Mail.Read", "User.Read"]
BUDGET = 3.0


def median(work, most: int = 2_000) -> float:
    """Nanoseconds of `work(round)`: the median of rounds that fit the budget, after one that does not count."""
    work(0)
    rounds, end = [], time.perf_counter() + BUDGET
    while len(rounds) < most and (time.perf_counter() < end or len(rounds) < 3):
        start = time.perf_counter_ns()
        work(len(rounds))
        rounds.append(time.perf_counter_ns() - start)
    return statistics.median(rounds)


def report(name: str, nanoseconds: float) -> None:
    print(name, round(nanoseconds), flush=True)


def resident() -> int:
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Accounts:
    def __init__(self, document: dict) -> None:
        self.entries = list(document["AccessToken"].values())
        self.order = random.Random(42).choices(range(len(self.entries)), k=4_096)

    def __getitem__(self, number: int) -> dict:
        return self.entries[self.order[number % len(self.order)]]


def application(cache: msal.TokenCache, entry: dict) -> msal.PublicClientApplication:
    return msal.PublicClientApplication(
        entry["client_id"], authority=f"https://login.microsoftonline.com/{entry['realm']}", token_cache=cache,
        http_client=IdentityService())


def ask(client: msal.PublicClientApplication, entry: dict, scopes: list[str]) -> None:
    account = {"home_account_id": entry["home_account_id"], "environment": entry["environment"]}
    answer = client.acquire_token_silent(scopes, account)
    assert answer and answer["access_token"]


def response(entry: dict, number: int) -> dict:
    """What a token endpoint sends for the account."""
    uid, tenant = entry["home_account_id"].split(".")
    info = base64.urlsafe_b64encode(json.dumps({"uid": uid, "utid": tenant}).encode()).decode().rstrip("=")
    return {"client_id": entry["client_id"], "scope": SCOPES, "token_endpoint":
            f"https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token", "response": {
                "token_type": "Bearer", "expires_in": 4_199, "access_token": f"{number:08}" + "a" * 2_000,
                "refresh_token": f"{number:08}" + "r" * 1_198, "client_info": info, "scope": " ".join(SCOPES)}}


def main() -> None:
    warnings.simplefilter("ignore")
    # As MSAL for Python files what it got itself: its quick way needs that.
    text = pathlib.Path(sys.argv[1]).read_text().replace("login.windows.net", "login.microsoftonline.com")
    folder = pathlib.Path(sys.argv[2])
    document = json.loads(text)
    accounts = Accounts(document)
    stored = accounts[0]["target"].split()
    before = resident()
    cache = msal.SerializableTokenCache()
    cache.deserialize(text)
    print("resident", (resident() - before) // len(accounts.entries), flush=True)
    client = application(cache, accounts[0])
    home = accounts[0]["realm"]
    # One tenant for each application: MSAL asks for tokens of its authority.
    mine = [entry for entry in (accounts[number] for number in range(4_096)) if entry["realm"] == home]
    exact = [scope for scope in stored if scope not in ("openid", "profile")]
    # MSAL takes no reserved scopes; its quick way needs exactly what is stored, so that is how its entries are filed here.
    for entry in document["AccessToken"].values():
        entry["target"] = " ".join(exact)
    filed = {key.replace(" ".join(stored).lower(), " ".join(exact).lower()): entry
             for key, entry in document["AccessToken"].items()}
    cache._cache["AccessToken"] = filed
    report("hand-out", median(lambda number: ask(client, mine[number % len(mine)], exact)))
    report("hand-out-subset", median(lambda number: ask(client, mine[number % len(mine)], ["User.Read"])))
    report("accounts", median(lambda _: client.get_accounts(), 200))
    report("save-in-memory", median(lambda number: cache.add(response(accounts[number], number)), 500))

    path = folder / "msal_cache.json"
    path.write_text(json.dumps({**document, "AccessToken": filed}))
    if path.stat().st_size > 100_000_000:
        return
    persisted = msal_extensions.PersistedTokenCache(msal_extensions.FilePersistence(str(path)))
    client = application(persisted, accounts[0])
    report("extensions-hand-out", median(lambda number: ask(client, mine[number % len(mine)], exact)))

    def seen(number: int) -> None:
        ask(client, mine[number % len(mine)], exact)

    changed = []
    for number in range(15):
        later = time.time() + number + 1
        os.utime(path, (later, later))
        start = time.perf_counter_ns()
        seen(number)
        changed.append(time.perf_counter_ns() - start)
    report("extensions-foreign-change", statistics.median(changed))

    def opened(number: int) -> None:
        fresh = msal_extensions.PersistedTokenCache(msal_extensions.FilePersistence(str(path)))
        ask(application(fresh, accounts[0]), mine[number % len(mine)], exact)

    report("extensions-open", median(opened, 15))
    saves, appends = [], []
    raw = os.open(folder / "raw", os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    end = time.perf_counter() + BUDGET
    while len(saves) < 3 or (len(saves) < 60 and time.perf_counter() < end):
        start = time.perf_counter_ns()
        persisted.add(response(accounts[len(saves)], len(saves)))
        saves.append(time.perf_counter_ns() - start)
        start = time.perf_counter_ns()
        os.write(raw, bytes(5_000))
        os.fdatasync(raw)
        appends.append(time.perf_counter_ns() - start)
    report("extensions-save", statistics.median(saves))
    report("append", statistics.median(appends))


if __name__ == "__main__":
    main()
