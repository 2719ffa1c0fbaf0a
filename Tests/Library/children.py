# SPDX-License-Identifier: Apache-2.0
"""Processes and threads that share a group: children.py fork|forkserver|spawn|renew|slots|threads ROOT. Prints what came of it."""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
import sys
import threading
import time

import silent
from conftest import response
from document import View
from silent import Info, Request, Terms, call, library, opened, sized

GROUP, CLIENT = b"com.contoso.sso", b"client"


def open_cache(root: str) -> ctypes.c_void_p:
    options = sized(silent.Options, storage=silent.STORAGE_FILE, root=root.encode(), timeout_ms=30000)
    return opened("open", GROUP, CLIENT, ctypes.byref(options))


def make_query(flags: int = 0) -> ctypes.c_void_p:
    terms = sized(Terms, subject=1, flags=flags, account=b"uid.utid", scopes=b"User.Read")
    return opened("query_new", ctypes.byref(terms))


def save(cache: ctypes.c_void_p, length: int) -> None:
    request = sized(Request, grant=1, environment=b"login.microsoftonline.com", tenant=b"common", scopes=b"User.Read")
    body = response("A" * length, "R" * length)
    call("save", cache, ctypes.byref(request), body, ctypes.c_size_t(len(body)), 0, None, None)


def token_length(cache: ctypes.c_void_p, query: ctypes.c_void_p) -> int:
    return len(silent.copied("token", cache, query, None))


def results_of_inherited(cache: ctypes.c_void_p, query: ctypes.c_void_p, group: ctypes.c_void_p, begun: ctypes.c_void_p,
                         document: ctypes.c_void_p) -> list[int]:
    """What calls with handles of the parent give."""
    info, count, revision = sized(Info), ctypes.c_size_t(), ctypes.c_uint64()
    sink = silent.Sink(lambda *_: 0)
    renewal, other = ctypes.c_void_p(), ctypes.c_void_p()
    view, buffer = sized(View, client_id=CLIENT), ctypes.create_string_buffer(4096)
    return [
        library.tokencache_lookup(cache, query, ctypes.byref(info), None),
        library.tokencache_token(cache, query, None, None, ctypes.c_size_t(0), ctypes.byref(count), None),
        library.tokencache_accounts(cache, 0, sink, None, None),
        library.tokencache_sign_out(cache, b"uid.utid", 0, None),
        library.tokencache_maintain(cache, 0, None),
        library.tokencache_renewal_begin(cache, query, 0, ctypes.byref(renewal), ctypes.byref(info), None),
        library.tokencache_group_revision(group, ctypes.byref(revision), None),
        library.tokencache_document_read(group, ctypes.byref(view), ctypes.byref(other), sink, None, None),
        library.tokencache_document_copy_text(document, None, ctypes.c_size_t(0), ctypes.byref(count), None),
        library.tokencache_document_merge(document, b"{}", ctypes.c_size_t(2), 0, None, None),
        *(function(begun, buffer, ctypes.c_size_t(4096), ctypes.byref(count), None) for function in (
            library.tokencache_renewal_host, library.tokencache_renewal_tenant, library.tokencache_renewal_copy_secret)),
        library.tokencache_renewal_cancel(begun),
        library.tokencache_document_free(document),
        library.tokencache_query_free(query),
        library.tokencache_close(cache),
        library.tokencache_group_close(group),
    ]


def child(root: str, inherited: tuple | None, results) -> None:
    found, cache = results_of_inherited(*inherited) if inherited else None, open_cache(root)
    if inherited:
        # With a cache of its own too.
        found.append(library.tokencache_lookup(cache, inherited[1], ctypes.byref(sized(Info)), None))
    results.put((found, token_length(cache, make_query())))


def in_child(way: str, root: str) -> dict:
    cache = open_cache(root)
    save(cache, 1000)
    query, options = make_query(), sized(silent.Options, storage=silent.STORAGE_FILE, root=root.encode())
    group = opened("group_open", GROUP, ctypes.byref(options))
    token_length(cache, query)
    begun, info = ctypes.c_void_p(), sized(Info)
    call("renewal_begin", cache, make_query(silent.FORCE_REFRESH), 0, ctypes.byref(begun), ctypes.byref(info))
    document, view = ctypes.c_void_p(), sized(View, client_id=CLIENT)
    call("document_read", group, ctypes.byref(view), ctypes.byref(document), silent.Sink(lambda *_: 0), None)
    # That text was passed to the function above.
    copied = library.tokencache_document_copy_text(document, None, ctypes.c_size_t(0), ctypes.byref(ctypes.c_size_t()), None)
    inherited = (cache, query, group, begun, document)
    context = multiprocessing.get_context(way)
    results = context.Queue()
    process = context.Process(target=child, args=(root, inherited if way == "fork" else None, results))
    process.start()
    found, length = results.get(timeout=120)
    process.join()
    # The child closed nothing of the parent.
    return {"inherited": found, "opened": length, "parent": token_length(cache, query),
            "renewed": library.tokencache_renewal_cancel(begun), "merged": library.tokencache_document_free(document), "copied": copied}


def renew_once(root: str, barrier, results) -> None:
    cache, info, renewal = open_cache(root), sized(Info), ctypes.c_void_p()
    query = make_query(silent.FORCE_REFRESH)
    barrier.wait()
    call("renewal_begin", cache, query, 60000, ctypes.byref(renewal), ctypes.byref(info))
    has_renewed = bool(renewal.value)
    if has_renewed:
        # The others wait meanwhile.
        time.sleep(1)
        body = response("A" * 2000, "S" * 2000)
        call("renewal_finish", renewal, 200, body, ctypes.c_size_t(len(body)), None, ctypes.byref(info))
    assert info.decision == 1, info.decision
    results.put((has_renewed, token_length(cache, make_query())))


def renew(root: str) -> dict:
    save(open_cache(root), 1000)
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(6), context.Queue()
    processes = [context.Process(target=renew_once, args=(root, barrier, results)) for _ in range(6)]
    for process in processes:
        process.start()
    found = [results.get(timeout=120) for _ in processes]
    return {"renewals": sum(each[0] for each in found), "tokens": [each[1] for each in found]}


def slots(root: str) -> list[int]:
    """How many places in the table of handles a child needs that has one query at a time: while its parent was forked, threads of the
    parent used handles."""
    cache, query, is_over = open_cache(root), make_query(), threading.Event()
    save(cache, 1000)

    def look() -> None:
        info = sized(Info)
        while not is_over.is_set():
            library.tokencache_lookup(cache, query, ctypes.byref(info), None)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    counts = set()
    for _ in range(100):
        reader, writer = os.pipe()
        process = os.fork()
        if process == 0:
            used = set()
            for _ in range(50):
                new = make_query()
                used.add(new.value & 0xFFFFF)
                library.tokencache_query_free(new)
            os.write(writer, str(len(used)).encode())
            os._exit(0)
        os.close(writer)
        counts.add(int(os.read(reader, 100)))
        os.close(reader)
        os.waitpid(process, 0)
    is_over.set()
    for thread in threads:
        thread.join()
    return sorted(counts)


def in_threads(root: str) -> list[int]:
    """Threads look up with handles that another one closes and opens again all the time."""
    handles, results, is_over = [open_cache(root), make_query()], set(), threading.Event()
    save(handles[0], 1000)

    def look() -> None:
        info, count = sized(Info), ctypes.c_size_t()
        buffer = ctypes.create_string_buffer(4096)
        while not is_over.is_set():
            cache, query = handles
            results.add(library.tokencache_lookup(cache, query, ctypes.byref(info), None))
            results.add(library.tokencache_token(cache, query, None, buffer, ctypes.c_size_t(4096), ctypes.byref(count), None))

    threads = [threading.Thread(target=look) for _ in range(6)]
    for thread in threads:
        thread.start()
    for number in range(200):
        old = tuple(handles)
        handles[:] = [open_cache(root), make_query()]
        library.tokencache_query_free(old[1])
        library.tokencache_close(old[0])
        results.add(library.tokencache_close(old[0]))
    is_over.set()
    for thread in threads:
        thread.join()
    return sorted(results)


if __name__ == "__main__":
    way, root = sys.argv[1:]
    work = {"renew": renew, "slots": slots, "threads": in_threads}.get(way)
    print(json.dumps(work(root) if work else in_child(way, root)))
