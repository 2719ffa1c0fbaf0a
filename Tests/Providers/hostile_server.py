# SPDX-License-Identifier: Apache-2.0
"""hostile_server.py COMMAND [ARGUMENT...]: runs a command beside servers that do what no server should.

The command finds them by HOSTILE_<NAME>, the port of each on 127.0.0.1, and the certificates that it has to trust in the
file HOSTILE_ROOTS. The first part of a path says what happens: see `Answers`. `/count/<path>` tells how often another path was
asked for, so that tests can count.
"""

from __future__ import annotations

import base64
import collections
import datetime
import json
import os
import pathlib
import select
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable

from test_authority import TestAuthority

counts: collections.Counter[str] = collections.Counter()
counting = threading.Lock()


def count(what: str) -> None:
    with counting:
        counts[what] += 1


class Request:
    """A request of HTTP/1.1, read to the end of its body."""

    def __init__(self, stream) -> None:
        self.method, self.path, _ = stream.readline().decode("latin-1").split(" ", 2)
        self.headers = []
        while line := stream.readline().decode("latin-1").strip():
            name, value = line.split(":", 1)
            self.headers.append((name.strip().lower(), value.strip()))
        length = int(dict(self.headers).get("content-length", "0"))
        self.body = stream.read(length)


def head(*fields: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *fields, "", ""]).encode()


def whole(body: bytes, *fields: str, status: str = "200 OK") -> bytes:
    return head(f"Content-Length: {len(body)}", *fields, status=status) + body


def is_gone(connection: socket.socket) -> bool:
    """Whether the client has ended the connection."""
    readable, _, _ = select.select([connection], [], [], 0)
    try:
        return bool(readable) and not connection.recv(1)
    except OSError:
        return True


class Answers:
    """What happens after a request, by the first part of its path."""

    def echo(self, send, request, connection):
        """Everything that was received, as JSON."""
        told = {"method": request.method, "path": request.path, "headers": request.headers,
                "body": request.body.decode("latin-1")}
        send(whole(json.dumps(told).encode(), "Content-Type: application/json"))

    def count(self, send, request, connection):
        with counting:
            number = counts[request.path.removeprefix("/count")]
        send(whole(str(number).encode()))

    def never(self, send, request, connection):
        while not is_gone(connection):
            time.sleep(0.02)
        count("/ended" + request.path)

    def drip(self, send, request, connection):
        send(head("Content-Length: 1000"))
        while not is_gone(connection):
            send(b" ")
            time.sleep(1)

    def dripping_head(self, send, request, connection):
        send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not is_gone(connection):
            send(b"x")
            time.sleep(1)

    def silence(self, send, request, connection):
        """Ends without a word."""

    def torn(self, send, request, connection):
        send(head("Content-Length: 100") + b'{"access')

    def torn_chunk(self, send, request, connection):
        send(head("Transfer-Encoding: chunked") + b"64\r\n" + b'{"access')

    def torn_head(self, send, request, connection):
        send(b"HTTP/1.1 200 OK\r\nContent-Le")

    def reset(self, send, request, connection):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def large(self, send, request, connection):
        send(whole(b'{"a":"' + b"x" * 10_000_000 + b'"}', "Content-Type: application/json"))

    def endless(self, send, request, connection):
        send(head("Transfer-Encoding: chunked"))
        while True:
            send(b"1000\r\n" + b"x" * 4096 + b"\r\n")

    def endless_head(self, send, request, connection):
        send(b"HTTP/1.1 200 OK\r\n")
        while True:
            send(b"X-More: " + b"x" * 4096 + b"\r\n")

    def redirect(self, send, request, connection):
        tag = request.path.removeprefix("/redirect")
        send(whole(b"", f"Location: /echo{tag}", status="307 Temporary Redirect"))

    def cookie(self, send, request, connection):
        send(whole(b"", "Set-Cookie: canary=1; Path=/"))

    def packed(self, send, request, connection):
        send(whole(b"\x1f\x8b\x08\x00", "Content-Encoding: gzip"))

    def foreign(self, send, request, connection):
        send(b"220 mail.example ESMTP ready\r\n")

    def garbled_chunk(self, send, request, connection):
        send(head("Transfer-Encoding: chunked") + b"zz\r\nabc\r\n0\r\n\r\n")

    def two_lengths(self, send, request, connection):
        send(head("Content-Length: 2", "Content-Length: 3") + b"abc")

    def proceed(self, send, request, connection):
        send(head(status="100 Continue") + head("Link: </x>", status="103 Early Hints") + whole(b"done"))

    def until_end(self, send, request, connection):
        send(head("Content-Type: text/plain") + b"all of it")

    def cut_off(self, send, request, connection):
        """A body that ends with the connection, without a message of TLS that says so."""
        self.until_end(send, request, connection)
        os.close(connection.detach())

    def early(self, send, request, connection):
        send(whole(b"kept", "Connection: keep-alive"))

    def unavailable(self, send, request, connection):
        send(whole(b"later", "Retry-After: 7", status="503 Service Unavailable"))


def serve_http(connection: socket.socket) -> None:
    request = Request(connection.makefile("rb"))
    count(request.path)
    name = request.path.split("/")[1].replace("-", "_")
    getattr(Answers(), name)(connection.sendall, request, connection)


def over_tls(context: ssl.SSLContext) -> Callable[[socket.socket], None]:
    def serve(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as secured:
            serve_http(secured)
            # A response that ends with the connection ends with a message that says so.
            try:
                secured.settimeout(1)
                secured.unwrap()
            except OSError:
                pass
    return serve


def relay(one: socket.socket, other: socket.socket) -> None:
    while True:
        readable, _, _ = select.select([one, other], [], [])
        for source in readable:
            data = source.recv(65536)
            if not data:
                return
            (other if source is one else one).sendall(data)


def proxy_to(port: int, credentials: str | None) -> Callable[[socket.socket], None]:
    """A proxy that leads every name to `port`."""
    def serve(connection: socket.socket) -> None:
        request = Request(connection.makefile("rb", buffering=0))
        count(f"/{request.method}/{request.path}")
        expected = None if credentials is None else "Basic " + base64.b64encode(credentials.encode()).decode()
        if dict(request.headers).get("proxy-authorization") != expected:
            connection.sendall(whole(b"", 'Proxy-Authenticate: Basic realm="canary"', status="407 Proxy Authentication Required"))
            return
        with socket.create_connection(("127.0.0.1", port)) as server:
            connection.sendall(head())
            relay(connection, server)
    return serve


def socks_to(port: int) -> Callable[[socket.socket], None]:
    def serve(connection: socket.socket) -> None:
        stream = connection.makefile("rb", buffering=0)
        _, methods = stream.read(2)
        stream.read(methods)
        connection.sendall(b"\x05\x00")
        _, _, _, kind = stream.read(4)
        name = stream.read(stream.read(1)[0]).decode() if kind == 3 else f"type-{kind}"
        count(f"/SOCKS/{name}:{int.from_bytes(stream.read(2), 'big')}")
        connection.sendall(b"\x05\x00\x00\x01" + bytes(6))
        with socket.create_connection(("127.0.0.1", port)) as server:
            relay(connection, server)
    return serve


def answering(data: bytes) -> Callable[[socket.socket], None]:
    def serve(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(data)
    return serve


def mute(connection: socket.socket) -> None:
    """Accepts, and says nothing."""
    while connection.recv(65536):
        pass


def listen(serve: Callable[[socket.socket], None]) -> int:
    """Serves each connection on a thread of its own; returns the port."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)

    def handle(connection: socket.socket) -> None:
        with connection:
            try:
                serve(connection)
            except (OSError, ValueError, AttributeError):
                pass  # clients end connections, and send what is no HTTP: both is tried here

    def accept() -> None:
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=handle, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


def tls_context(files: tuple[str, str]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    return context


def refused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        authority, stranger = TestAuthority(folder, "roots"), TestAuthority(folder, "foreign")
        good = ["localhost", "127.0.0.1", "idp.test"]
        secure = listen(over_tls(tls_context(authority.certificate("good", good))))
        # That is what it is for; Python warns of it.
        warnings.simplefilter("ignore", DeprecationWarning)
        outdated = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        outdated.load_cert_chain(*authority.certificate("outdated", good))
        outdated.set_ciphers("ALL:@SECLEVEL=0")
        outdated.minimum_version = outdated.maximum_version = ssl.TLSVersion.TLSv1_1
        ports = {
            "PLAIN": listen(serve_http),
            "TLS": secure,
            "OTHER_NAME": listen(over_tls(tls_context(authority.certificate("other", ["other.test"])))),
            "EXPIRED": listen(over_tls(tls_context(
                authority.certificate("expired", good, valid_for=-datetime.timedelta(days=1))))),
            "FOREIGN": listen(over_tls(tls_context(stranger.certificate("stranger", good)))),
            "OUTDATED": listen(over_tls(outdated)),
            "MUTE": listen(mute),
            "REFUSED": refused_port(),
            "PROXY": listen(proxy_to(secure, None)),
            "GUARDED_PROXY": listen(proxy_to(secure, "canary@x:canary:y")),
            "SOCKS": listen(socks_to(secure)),
            "BAD_GATEWAY": listen(answering(whole(b"", status="502 Bad Gateway"))),
            "GARBLED_PROXY": listen(answering(b"what?\r\n\r\n")),
        }
        environment = {f"HOSTILE_{key}": str(port) for key, port in ports.items()}
        # An empty file, too: the certificates that it should hold are missing.
        (folder / "empty.pem").touch()
        environment |= {"HOSTILE_ROOTS": str(authority.roots), "HOSTILE_NO_ROOTS": str(folder / "empty.pem")}
        return subprocess.run(sys.argv[1:], env=os.environ | environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
