# SPDX-License-Identifier: Apache-2.0
"""hostile_requests.py PORT COUNT [STATE]: requests that other programs of a machine may send to the port of a sign-in.

None of them may be accepted, not even one with the right state where another user sends it. Writes how often each was answered
with which status, as JSON; 0 where the connection was closed without an answer. Uses the standard library only, so that any user
can run it.
"""

from __future__ import annotations

import collections
import json
import resource
import socket
import struct
import sys
import threading

FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
MEGABYTE = 1 << 20
FILES = 4096


def get(target: str, host: str, method: str = "GET", more: str = "") -> bytes:
    return f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n".encode()


def post(host: str, body: str, kind: str = FORM, target: str = "/callback") -> bytes:
    return f"POST {target} HTTP/1.1\r\nHost: {host}\r\n{kind}Content-Length: {len(body)}\r\n\r\n{body}".encode()


def kinds(host: str, state: str) -> dict[str, tuple[int, bytes]]:
    """Whole requests, by what is wrong with them, and the statuses that say so."""
    right = f"state={state}&code=canary-forged"
    return {
        "other path": (404, get(f"/?{right}", host)),
        "other path below": (404, get(f"/callback/?{right}", host)),
        "whole URL": (404, get(f"http://{host}/callback?{right}", host)),
        "other host": (421, get(f"/callback?{right}", "evil.example")),
        "address for the name": (421, get(f"/callback?{right}", host.replace("localhost", "127.0.0.1"))),
        "no host": (421, f"GET /callback?{right} HTTP/1.1\r\n\r\n".encode()),
        "other method": (405, get(f"/callback?{right}", host, "PUT")),
        "other state": (400, get("/callback?state=wrong&code=canary-forged", host)),
        "no state": (400, get("/callback?code=canary-forged", host)),
        "empty": (400, get("/callback", host)),
        "other state in a form": (400, post(host, "state=wrong&code=canary-forged")),
        "two states": (400, get("/callback?state=wrong&state=wrong", host)),
        "JSON": (415, post(host, json.dumps({"state": state}), "Content-Type: application/json\r\n")),
        "start URL": (410, get("/start/AAAAAAAAAAAAAAAAAAAAAA", host)),
        "no HTTP": (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
        "endless header": (400, get("/callback", host, more=f"X: {'x' * 200_000}\r\n")),
    }


def megabyte(host: str) -> bytes:
    return post(host, "state=wrong&x=" + "x" * MEGABYTE)


def exchange(port: int, request: bytes) -> int:
    try:
        with socket.create_connection(("127.0.0.1", port), 20) as connection:
            try:
                connection.sendall(request)
            except ConnectionError:
                pass  # answered before all of it was sent
            answer = connection.recv(64)
            return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else 0
    except ConnectionError:
        return 0


class Attack:
    """`count` requests by several threads, in turn of all kinds."""

    def __init__(self, port: int, count: int, state: str = "guess", threads: int = 8) -> None:
        self.statuses: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)
        self._port, self._host, self._left = port, f"localhost:{port}", count
        self._requests = list(kinds(self._host, state).items())
        self._lock = threading.Lock()
        #: Open connections whose requests never end; the listener closes the oldest. They are more than a process may
        #: have open unless it asks.
        self._slow: list[socket.socket] = []
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(FILES, hard)), hard))
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()
        for connection in self._slow:
            connection.close()

    @property
    def left(self) -> int:
        return self._left

    def _run(self) -> None:
        while True:
            with self._lock:
                turn = self._left
                if not turn:
                    return
                self._left -= 1
            if turn % 50 == 0:
                name, status = "a megabyte", exchange(self._port, megabyte(self._host))
            elif turn % 10 == 0:
                name, status = "slow form", self._slowly(
                    f"POST /callback HTTP/1.1\r\nHost: {self._host}\r\n{FORM}Content-Length: 60000\r\n\r\n{'x' * 50_000}")
            elif turn % 10 == 5:
                name, status = "slow headers", self._slowly(f"GET /callback HTTP/1.1\r\nHost: {self._host}\r\nX: {'x' * 4_000}")
            elif turn % 10 == 1:
                name, status = "reset", self._reset()
            else:
                name, (_, request) = self._requests[turn % len(self._requests)]
                status = exchange(self._port, request)
            with self._lock:
                self.statuses[name][status] += 1

    def _slowly(self, beginning: str) -> int:
        """Begins a request that never ends."""
        try:
            connection = socket.create_connection(("127.0.0.1", self._port), 20)
            self._slow.append(connection)
            connection.sendall(beginning.encode())
        except ConnectionError:
            pass
        return 0

    def _reset(self) -> int:
        """Closes at once, with a reset: the listener meets a connection that nobody has any more."""
        try:
            with socket.create_connection(("127.0.0.1", self._port), 20) as connection:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.sendall(get("/callback?state=wrong", self._host))
        except ConnectionError:
            pass
        return 0


def main() -> None:
    port, count, state = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    host = f"localhost:{port}"
    # As the user's browser would send them.
    real = {"right query": get(f"/callback?state={state}&code=canary-forged", host),
            "right form": post(host, f"state={state}&code=canary-forged")}
    statuses = {name: collections.Counter(exchange(port, request) for _ in range(count)) for name, request in real.items()}
    print(json.dumps(statuses))


if __name__ == "__main__":
    main()
