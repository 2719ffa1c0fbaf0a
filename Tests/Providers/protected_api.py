# SPDX-License-Identifier: Apache-2.0
"""A protected API (RFC 9728) on this machine, and a program that calls it with the token that cachetool hands over."""

from __future__ import annotations

import contextlib
import http.server
import json
import pathlib
import ssl
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

WELL_KNOWN = "/.well-known/oauth-protected-resource/api"


class ProtectedAPI:
    """An API that answers whoever has a token of its authority, and otherwise says where to get one."""

    def __init__(self, port: int, authorities: list[str], scopes: list[str]) -> None:
        self.address = f"https://localhost:{port}/api"
        self.metadata = {"resource": self.address, "authorization_servers": authorities, "scopes_supported": scopes}
        self.challenge = f'Bearer resource_metadata="https://localhost:{port}{WELL_KNOWN}"'


@contextlib.contextmanager
def serving(certificate: pathlib.Path, authorities: list[str], scopes: list[str],
            user: Callable[[str], dict | None]) -> Iterator[ProtectedAPI]:
    """Serves an API with the certificate of a file beside its key. `user` says whose the token in a header is, if anybody's."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *arguments) -> None:
            pass

        def do_GET(self) -> None:
            if self.path == WELL_KNOWN:
                return self.answer(200, api.metadata)
            found = user(self.headers.get("Authorization", "")) if self.path == "/api" else None
            self.answer(200, {"hello": found}) if found else self.answer(401, {})

        def answer(self, status: int, document: dict) -> None:
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if status == 401:
                self.send_header("WWW-Authenticate", api.challenge)
            self.end_headers()
            self.wfile.write(body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".key"))
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    api = ProtectedAPI(server.server_address[1], authorities, scopes)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield api
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def owner(endpoint: str, roots: str) -> Callable[[str], dict | None]:
    """Whose a token is, as the userinfo endpoint of its issuer says."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}),
                                         urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=roots)))

    def ask(authorization: str) -> dict | None:
        try:
            with opener.open(urllib.request.Request(endpoint, headers={"Authorization": authorization}), timeout=20) as answer:
                return json.load(answer)
        except urllib.error.HTTPError:
            return None

    return ask


#: What `cachetool token … --` starts: it prints the API's answer.
CALLER = (sys.executable, "-c", """
import os, ssl, sys, urllib.request
with os.fdopen(int(os.environ["CACHETOOL_TOKEN_FD"])) as token:
    request = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + token.read()})
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}),
                                     urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=os.environ["SSL_CERT_FILE"])))
print(opener.open(request, timeout=20).read().decode())
""")
