# SPDX-License-Identifier: Apache-2.0
"""What a silent request costs, as one line of JSON: with MSAL's own cache, and with SharedTokenCache in a file. Processor time in
microseconds, minima of many short rounds. Run by test_wheel.py: measure.py ROOT"""

from __future__ import annotations

import ctypes
import json
import pathlib
import sys
import time
import timeit
from collections.abc import Callable

import msal

import swift_token_cache
from conftest import CLIENT, HOST, Answering, event, opened, query
from swift_token_cache._library import Handle, Info, sized

SCOPES = ("User.Read", "Mail.Read", "openid")


def minimum(statement: str, rounds: int, calls: int, **names: object) -> float:
    """The least time of a statement, in which `names` can be used."""
    timer = timeit.Timer(statement, timer=time.process_time, globals=names)
    return round(min(timer.repeat(rounds, calls)) / calls * 1e6, 3)


def silent(cache: object, scopes: list[str], uid: str) -> Callable[[], object]:
    app = msal.PublicClientApplication(
        CLIENT, authority=f"https://{HOST}/utid", token_cache=cache, instance_discovery=False, http_client=Answering())
    account = {"home_account_id": f"{uid}.utid", "environment": HOST}
    token = app.acquire_token_silent(scopes, account)["access_token"]
    assert token.startswith(uid) and len(token) > 2000

    return lambda: app.acquire_token_silent(scopes, account)


def main(root: str) -> None:
    found: dict[str, float] = {}
    for count in (10, 1000):
        own, shared = msal.TokenCache(), opened(pathlib.Path(root), group=f"group-{count}")
        for number in range(count):
            new = event(f"user-{number}", f"user-{number}" + "T" * 2000, scopes=SCOPES)
            own.add(new)
            if count == 10:
                shared.add(new)
        if count == 1000:
            # As another program would have left it, in one transaction.
            view = shared._view(shared._client(None), None)
            view.entries.update(own._cache)
            shared._merge(view)
        for name, scopes in (("exact", list(SCOPES)), ("subset", ["User.Read"])):
            work = {form: silent(cache, scopes, f"user-{count // 2}") for form, cache in (("own", own), ("shared", shared))}
            # In turns, so that what else the machine does meets both.
            times = [(form, minimum("work()", 1, 20 if form == "own" and count > 10 else 200, work=work[form]))
                     for _ in range(20) for form in work]
            for form in work:
                found[f"{name}, {count} accounts, {form}"] = min(time for each, time in times if each == form)
        other = opened(pathlib.Path(root), group=f"group-{count}")
        times = []
        for number in range(10):
            start = time.process_time()
            other.add(event("new", f"new-{number}"))
            middle = time.process_time()
            assert len(list(shared.search("Account"))) == count + 1
            times.append((middle - start, time.process_time() - middle))
        found[f"add, {count} accounts"], found[f"accounts after a change, {count} accounts"] = (
            int(min(each) * 1e6) for each in zip(*times))
        other.close()
        if count == 10:
            found["search for a token"] = minimum(
                'next(search("AccessToken", scopes, asked))', 20, 500, search=shared.search, scopes=["User.Read"], asked=query("user-5"))
            library = ctypes.PyDLL(str(pathlib.Path(swift_token_cache.__file__).with_name("libtokencache.so.1")))
            handle, question = next(iter(shared._queries.values()))
            lookup, token, empty = library.tokencache_lookup, library.tokencache_token, library.tokencache_abi_version
            lookup.argtypes = [Handle, Handle, ctypes.c_void_p, ctypes.c_void_p]
            info = sized(Info)
            place = ctypes.addressof(info)
            assert lookup(handle, question, place, None) == 0 and info.decision == 1
            found["call that does nothing"] = minimum("empty()", 60, 2000, empty=empty)
            found["lookup"] = minimum(
                "lookup(handle, question, place, None)", 200, 2000, lookup=lookup, handle=handle, question=question, place=place)
            buffer, size = ctypes.create_string_buffer(16384), ctypes.c_size_t()
            token.argtypes = [Handle, Handle, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
            start, length = ctypes.addressof(buffer), ctypes.addressof(size)

            names = {"token": token, "handle": handle, "question": question, "start": start, "length": length, "size": size}
            found["token as bytes"] = minimum(
                "token(handle, question, None, start, 16384, length, None); string_at(start, size.value)", 60, 500,
                string_at=ctypes.string_at, **names)
            assert ctypes.string_at(start, size.value).startswith(b"user-5")
        shared.close()
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
