# SPDX-License-Identifier: Apache-2.0
"""canaille_provider.py PORT: canaille, which is built on Authlib, as an OpenID provider, as scripts/with-provider describes
them.

Needs the packages of Tests/Providers/requirements.txt. Reads the PROVIDER_ variables of that script; its database is in
memory, and its certificate in the folder PROVIDER_FOLDER.
"""

from __future__ import annotations

import os
import pathlib
import socketserver
import ssl
import sys
import wsgiref.simple_server

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from joserfc.jwk import RSAKey

PORT = int(sys.argv[1])
FOLDER = pathlib.Path(os.environ["PROVIDER_FOLDER"])


def application():
    made = create_app({
        "SECRET_KEY": "of one run of tests", "SERVER_NAME": f"localhost:{PORT}", "PREFERRED_URL_SCHEME": "https",
        "SESSION_COOKIE_SECURE": True, "LOGGING": None,
        "CANAILLE": {"DATABASE": "memory", "ENABLE_REGISTRATION": False, "SMTP": None},
        "CANAILLE_OIDC": {"DYNAMIC_CLIENT_REGISTRATION_OPEN": True, "ACTIVE_JWKS": [RSAKey.generate_key(2048, auto_kid=True).as_dict(private=True)]},
    })
    with made.app_context():
        Backend.instance.save(models.User(
            user_name=os.environ["PROVIDER_USER"], password=os.environ["PROVIDER_PASSWORD"], formatted_name="Alice Example",
            family_name="Example", emails=["alice@example.com"]))
        client = models.Client(
            client_id=os.environ["PROVIDER_CLIENT_ID"], client_name="tests", client_uri="https://localhost",
            redirect_uris=[os.environ["PROVIDER_REDIRECT_URI"]], contacts=["alice@example.com"],
            grant_types=["authorization_code", "refresh_token"], response_types=["code"],
            # Fewer scopes than a client asks for: the grant is less, and a renewal for more is refused.
            scope=["openid", "email"], token_endpoint_auth_method="none",
            post_logout_redirect_uris=[os.environ["PROVIDER_REDIRECT_URI"]])
        Backend.instance.save(client)
        # Otherwise its id tokens are for nobody, which OpenID Connect Core, section 3.1.3.7, does not allow.
        client.audience = [client]
        Backend.instance.save(client)
    return made


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


class Handler(wsgiref.simple_server.WSGIRequestHandler):
    def get_environ(self):
        return {**super().get_environ(), "wsgi.url_scheme": "https", "HTTPS": "on"}

    def log_message(self, *arguments) -> None:
        pass


def main() -> None:
    server = wsgiref.simple_server.make_server("127.0.0.1", PORT, application(), Server, Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(FOLDER / "provider.crt", FOLDER / "provider.key")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


if __name__ == "__main__":
    main()
