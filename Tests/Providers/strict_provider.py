# SPDX-License-Identifier: Apache-2.0
"""strict_provider.py FOLDER [PORT [ADDRESS]]: an OpenID provider that keeps to the rules, for what no real one does on demand.

It serves https on 127.0.0.1, or ADDRESS, until it is ended, and writes `ready PORT` when it does. In FOLDER are its log (log.jsonl, see
provider_log.py), from which a provider that is started again goes on, and the certificate that clients have to trust
(roots.pem). It plays every authority whose host a request names: those of Microsoft's, and the layouts of Google, Amazon Cognito and GitHub, if
clients reach it by a proxy.

Refresh tokens are used once: a second use ends all that came from the same sign-in (RFC 9700, section 4.14.2). Device codes are
approved by `POST /control/decide`, and whoever waits at the authorization endpoint is answered by `POST /control/answer`. Sessions in
a browser end without a question. What else it does follows from its policy (`POST /control/policy`, kept in the log):

    lifetime, refresh_in, ext_expires_in   seconds; the last two are left out by default
    pages                                  whether the authorization endpoint shows a page with a button (false)
    rotates, interval                      whether refresh tokens rotate (true); seconds between polls (1)
    families                               {client id: family}
    declined                               scopes that are never granted
    challenge                              claims without which a renewal is refused
    refusal                                {"error": …} for every renewal
    secrets                                {client id: the SHA-256 digests of its secrets, in hexadecimal}; other clients are public
    methods                                how clients authenticate, as in the metadata (both forms of a secret)
    delay                                  seconds between the line in the log and the response

and from faults (`POST /control/fault`, for `count` requests to `endpoint`): `delay`, `status` with `body` and `headers` in
place of an answer, `patch` and `claims` for the JSON and the id token of one, `type` for its Content-Type, `tear` to break it
off in the middle, `drip` to send it a byte a second. What the browser brings back can only be patched.
"""

from __future__ import annotations

import base64
import html
import http.server
import json
import pathlib
import ssl
import sys
import time
import urllib.parse

import provider_shapes
from provider_rules import Provider, Refusal
from test_authority import TestAuthority

HOSTS = ["localhost", "127.0.0.1", "idp.test", "adfs.test", "login.unknown.test", *provider_shapes.ENTRA_HOSTS,
         *provider_shapes.NEW_CLOUD, *provider_shapes.LAYOUT_HOSTS, "*.b2clogin.com", "*.ciamlogin.com"]


class Handler(http.server.BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = 120
    # Headers and body are two writes: the second must not wait until the client acknowledges the first.
    disable_nagle_algorithm = True
    provider: Provider

    def log_message(self, format, *arguments):
        """Nothing: what happened is in the log."""

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        host = self.headers.get("Host", "")
        if path == "/common/discovery/instance":
            asked = urllib.parse.urlsplit(dict(urllib.parse.parse_qsl(query)).get("authorization_endpoint", "")).hostname
            document = provider_shapes.instance_discovery(asked or "")
            self.provider.log.write("instance", host=asked)
            return self.answer({}, 400 if "error" in document else 200, document)
        match provider_shapes.find(host, path):
            case (authority, "metadata"):
                self.provider.log.write("metadata", host=host.rsplit(":", 1)[0])
                fault = self.provider.fault("metadata")
                metadata = authority.metadata() | {"token_endpoint_auth_methods_supported": self.provider.policy("methods")}
                return self.answer(fault, fault.get("status", 200), fault.get("body", metadata))
            case (authority, "authorize"):
                return self.authorize(authority, dict(urllib.parse.parse_qsl(query)))
            case (_, "userinfo"):
                try:
                    return self.answer({}, 200, self.provider.userinfo(self.headers.get("Authorization", "")))
                except Refusal as refusal:
                    return self.answer({"headers": {"WWW-Authenticate": 'Bearer error="invalid_token"'}}, refusal.status, refusal.body)
            case (_, "end_session"):
                location = self.provider.end_session(dict(urllib.parse.parse_qsl(query)))
                return self.answer({"headers": {"Location": location}}, 303, {})
        self.answer({}, 404, {"error": "not_found"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.path.startswith("/control/"):
            return self.answer({"delay": 1e-9}, 200, self.provider.control(self.path.removeprefix("/control/"), json.loads(body)))
        found = provider_shapes.find(self.headers.get("Host", ""), self.path)
        if not found or found[1] not in ("token", "device", "revoke", "authorize", "register"):
            return self.answer({}, 404, {"error": "not_found"})
        authority, endpoint = found
        if endpoint == "authorize":
            return self.authorize(authority, self.form(body))
        if endpoint == "register":
            return self.answer(self.provider.fault(endpoint), 201, self.provider.register(json.loads(body)))
        fault = self.provider.fault(endpoint)
        if "status" in fault:
            status, document = fault["status"], fault.get("body", {})
        else:
            try:
                status, document = 200, getattr(self.provider, endpoint)(authority, self.form(body), fault)
            except Refusal as refusal:
                # GitHub's errors have the status of a success.
                status, document = 200 if authority.kind == "github" else refusal.status, refusal.body
        error = document.get("error") if isinstance(document, dict) else None
        self.provider.log.write("answer", endpoint=endpoint, status=status, error=error, fault=bool(fault))
        self.answer(fault, status, document)

    def authorize(self, authority: provider_shapes.Authority, request: dict) -> None:
        """Sends the browser back, by a redirect or by a page that posts itself (OAuth 2.0 Form Post Response Mode)."""
        if not self.provider.knows(request["client_id"], request["redirect_uri"]):
            return self.answer({}, 400, {"error": "invalid_request"})
        if "user" in request:
            user = request.pop("user")
        else:
            self.provider.log.write("authorize", client=request["client_id"], redirect_uri=request["redirect_uri"],
                                    method=self.command, names_user="login_hint" in request,
                                    challenge=request["code_challenge"],
                                    asked={name: request[name] for name in ("prompt", "domain_hint", "max_age") if name in request})
            if self.provider.policy("pages"):
                return self.page(self.path.partition("?")[0], request, '<button name="user" value="alice">Sign in</button>')
            user = self.provider.answered()
        found = self.provider.authorize(authority, request, user) | self.provider.fault("authorize").get("patch", {})
        if request.get("response_mode") == "form_post":
            return self.page(request["redirect_uri"], found, "<script>document.forms[0].submit()</script>")
        location = f"{request['redirect_uri']}?{urllib.parse.urlencode(found)}"
        self.answer({"headers": {"Location": location}}, 303, {})

    def page(self, action: str, fields: dict[str, str], end: str) -> None:
        """A page with a form."""
        inputs = "".join(f'<input type="hidden" name="{name}" value="{html.escape(value)}">' for name, value in fields.items())
        self.answer({"type": "text/html"}, 200, f"""<!doctype html><title>Provider</title>
<form method="post" action="{html.escape(action)}">{inputs}{end}</form>""")

    def form(self, body: bytes) -> dict:
        """The fields of a request: each once (RFC 6749, section 3.2), and none empty."""
        if self.headers.get("Content-Type") != "application/x-www-form-urlencoded":
            raise Refusal("invalid_request")
        pairs = urllib.parse.parse_qsl(body.decode(), strict_parsing=True, keep_blank_values=True)
        form = dict(pairs)
        scheme, _, credentials = self.headers.get("Authorization", "").partition(" ")
        if len(form) != len(pairs) or not all(form.values()):
            raise Refusal("invalid_request")
        if scheme == "Basic":
            # A public client may name itself so, with an empty secret (RFC 6749, section 2.3.1).
            name, _, secret = map(urllib.parse.unquote_plus, base64.b64decode(credentials).decode().partition(":"))
            if form.setdefault("client_id", name) != name or {"client_secret", "client_assertion"} & form.keys():
                raise Refusal("invalid_request")
            if secret:
                form |= {"client_secret": secret, "method": "client_secret_basic"}
        return form

    def answer(self, fault: dict, status: int, document: dict | str) -> None:
        if isinstance(document, dict):
            document = json.dumps({**document, **fault.get("patch", {})})
        body = document.encode()
        time.sleep(fault.get("delay") or self.provider.policy("delay"))
        self.send_response(status)
        headers = {"Content-Type": fault.get("type", "application/json"), "Content-Length": str(len(body)),
                   "Cache-Control": "no-store", **fault.get("headers", {})}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if fault.get("tear"):
            self.close_connection = True
            body = body[:len(body) // 2]
        if fault.get("drip"):
            for byte in body:
                self.wfile.write(bytes([byte]))
                time.sleep(1)
        else:
            self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    """TLS for each connection on its own thread: a client that does not speak keeps nobody waiting."""

    request_queue_size = 128

    def __init__(self, address: str, port: int, context: ssl.SSLContext) -> None:
        super().__init__((address, port), Handler)
        self._context = context

    def finish_request(self, request, client_address) -> None:
        with self._context.wrap_socket(request, server_side=True) as secured:
            super().finish_request(secured, client_address)

    def handle_error(self, request, client_address) -> None:
        if not isinstance(sys.exception(), (OSError, ssl.SSLError)):
            super().handle_error(request, client_address)


def main() -> None:
    folder, port = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    if not (folder / "provider.key").exists():
        TestAuthority(folder, "roots").certificate("provider", HOSTS)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "provider.crt", folder / "provider.key")
    Handler.provider = Provider(folder)
    server = Server(sys.argv[3] if len(sys.argv) > 3 else "127.0.0.1", port, context)
    print("ready", server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
