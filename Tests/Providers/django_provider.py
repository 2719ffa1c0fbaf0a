# SPDX-License-Identifier: Apache-2.0
"""django_provider.py PORT: django-oauth-toolkit as an OpenID provider, as scripts/with-provider describes them.

Needs the packages of Tests/Providers/requirements.txt. Reads the PROVIDER_ variables of that script, and keeps its database
and its key in the folder PROVIDER_FOLDER.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import socketserver
import ssl
import sys
import wsgiref.simple_server

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings

PORT = int(sys.argv[1])
FOLDER = pathlib.Path(os.environ["PROVIDER_FOLDER"])
HOST = f"https://localhost:{PORT}"

LOGIN_PAGE = """<form method="post">{% csrf_token %}{{ form }}<input type="hidden" name="next" value="{{ next }}">
<button type="submit">Sign in</button></form>"""


def signing_key() -> str:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                             serialization.NoEncryption()).decode()


settings.configure(
    SECRET_KEY="of one run of tests", ALLOWED_HOSTS=["localhost"], DEBUG=False, ROOT_URLCONF=__name__, USE_TZ=True,
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"],
    # Without a length, a body ends with the connection, and this server does not tell TLS that it ends.
    MIDDLEWARE=["django.middleware.common.CommonMiddleware", "django.contrib.sessions.middleware.SessionMiddleware",
                "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(FOLDER / "django.db")}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", LOGIN_URL="/sign-in/", CSRF_TRUSTED_ORIGINS=[HOST],
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {
        "context_processors": ["django.template.context_processors.request", "django.contrib.auth.context_processors.auth"],
        "loaders": [("django.template.loaders.locmem.Loader", {"registration/login.html": LOGIN_PAGE}),
                    "django.template.loaders.app_directories.Loader"]}}],
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": signing_key(), "OIDC_ISS_ENDPOINT": f"{HOST}/o",
        "PKCE_REQUIRED": True, "ROTATE_REFRESH_TOKEN": True, "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "OAUTH_DEVICE_VERIFICATION_URI": f"{HOST}/o/device",
        "ACCESS_TOKEN_EXPIRE_SECONDS": 3600, "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
        "SCOPES": {"openid": "who you are", "profile": "your name", "email": "your address", "read": "your data"},
    },
)
settings.TEMPLATES[0].pop("APP_DIRS")
django.setup()

from django.contrib.auth import get_user_model, views  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import JsonResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider import urls as provider_urls  # noqa: E402
from oauth2_provider.models import get_access_token_model  # noqa: E402


def owner(request):
    """Whose an access token is, and for which API: what its userinfo endpoint says only of tokens that are for that."""
    token = request.headers.get("Authorization", "").removeprefix("Bearer ").encode()
    found = get_access_token_model().objects.filter(token_checksum=hashlib.sha256(token).hexdigest()).first()
    if found is None or not found.is_valid():
        return JsonResponse({}, status=401)
    return JsonResponse({"sub": found.user.get_username(), "resource": found.resource})


# The metadata of RFC 8414 belong at the root.
urlpatterns = [path("sign-in/", views.LoginView.as_view()), path("o/", include(provider_urls)), path("owner/", owner),
               path("", include((provider_urls.metadata_urlpatterns, provider_urls.app_name), namespace="metadata"))]


def set_up() -> None:
    from oauth2_provider.models import get_application_model

    call_command("migrate", verbosity=0, interactive=False)
    user = get_user_model().objects.create_user(os.environ["PROVIDER_USER"], "alice@example.com", os.environ["PROVIDER_PASSWORD"])
    application = get_application_model()
    application.objects.create(
        client_id=os.environ["PROVIDER_CLIENT_ID"], user=user, name="tests", client_type=application.CLIENT_PUBLIC,
        authorization_grant_type=application.GRANT_AUTHORIZATION_CODE, algorithm=application.RS256_ALGORITHM,
        # Any port (RFC 8252, section 7.3).
        redirect_uris="http://127.0.0.1/callback", post_logout_redirect_uris=os.environ["PROVIDER_REDIRECT_URI"],
        skip_authorization=False)
    # A client has one grant.
    application.objects.create(
        client_id=os.environ["PROVIDER_CLIENT_ID"] + "-device", user=user, name="tests", client_type=application.CLIENT_PUBLIC,
        authorization_grant_type=application.GRANT_DEVICE_CODE)


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


class Handler(wsgiref.simple_server.WSGIRequestHandler):
    def get_environ(self):
        return {**super().get_environ(), "wsgi.url_scheme": "https", "HTTPS": "on"}

    def log_message(self, *arguments) -> None:
        pass


def main() -> None:
    set_up()
    server = wsgiref.simple_server.make_server("127.0.0.1", PORT, get_wsgi_application(), Server, Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(FOLDER / "provider.crt", FOLDER / "provider.key")
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


if __name__ == "__main__":
    main()
