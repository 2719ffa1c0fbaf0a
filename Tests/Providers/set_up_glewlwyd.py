# SPDX-License-Identifier: Apache-2.0
"""set_up_glewlwyd.py: makes a provider, a user and a client in a fresh Glewlwyd, as scripts/with-provider describes them.

Reads the PROVIDER_ variables of that script.
"""

from __future__ import annotations

import os

import requests
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

API, ISSUER, CLIENT, REDIRECT = (os.environ[f"PROVIDER_{name}"] for name in ("API", "ISSUER", "CLIENT_ID", "REDIRECT_URI"))
USER, PASSWORD = os.environ["PROVIDER_USER"], os.environ["PROVIDER_PASSWORD"]
SCOPES = ["openid", "profile", "email", "offline_access"]


def session(user: str, password: str) -> requests.Session:
    """A browser's session in which a user has signed in."""
    made = requests.Session()
    made.trust_env, made.verify = False, os.environ["PROVIDER_ROOTS"]
    made.post(f"{API}/auth/", json={"username": user, "password": password}, timeout=20).raise_for_status()
    return made


def signing_key() -> dict[str, str]:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return {
        "key": key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL,
                                 serialization.NoEncryption()).decode(),
        "cert": key.public_key().public_bytes(serialization.Encoding.PEM,
                                              serialization.PublicFormat.SubjectPublicKeyInfo).decode(),
    }


PLUGIN = {
    "iss": ISSUER, "jwt-type": "rsa", "jwt-key-size": "256", "jwks-show": True, **signing_key(),
    "access-token-duration": 3600, "refresh-token-duration": 1209600, "code-duration": 600,
    "refresh-token-rolling": False, "refresh-token-one-use": "always",
    "allow-non-oidc": True, "allowed-scope": SCOPES,
    "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True, "auth-type-refresh-enabled": True,
    "auth-type-device-enabled": True, "auth-type-token-enabled": False, "auth-type-none-enabled": False,
    "auth-type-password-enabled": False, "auth-type-client-enabled": False,
    "pkce-allowed": True, "pkce-method-plain-allowed": False, "pkce-required": True,
    "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
    "introspection-revocation-auth-scope": ["openid"],
    "session-management-allowed": True, "session-cookie-name": "GLEWLWYD2_OIDC_SID", "session-cookie-expiration": 3600,
    # Without it the page that ends a session has a button that leads nowhere.
    "front-channel-logout-allowed": True, "back-channel-logout-allowed": True,
    "device-authorization-expiration": 600, "device-authorization-interval": 1,
    "oauth-as-iss-id": True, "name-claim": "mandatory", "email-claim": "mandatory", "scope-claim": "no",
    "claims": [], "scope": [],
}


def main() -> None:
    # The administrator of the tables that the package comes with.
    with session("admin", "password") as admin:
        def add(kind: str, **what) -> None:
            admin.post(f"{API}/{kind}/", json=what, timeout=20).raise_for_status()

        # The tables of the package lack where a client's users may be sent once their session has ended.
        [clients] = admin.get(f"{API}/mod/client/", timeout=20).json()
        clients["parameters"]["data-format"]["post_logout_redirect_uris"] = {"multiple": True, "read": True, "write": True}
        admin.put(f"{API}/mod/client/{clients['name']}", json=clients, timeout=20).raise_for_status()
        admin.put(f"{API}/mod/client/{clients['name']}/reset", timeout=20).raise_for_status()
        for name in SCOPES[1:]:
            add("scope", name=name, display_name=name, description=name, password_required=False, scheme={})
        add("mod/plugin", module="oidc", name="oidc", display_name="OIDC", enabled=True, parameters=PLUGIN)
        add("user", username=USER, password=PASSWORD, name="Alice Example", email="alice@example.com", enabled=True,
            scope=["g_profile", *SCOPES])
        add("client", client_id=CLIENT, name="Test", confidential=False, enabled=True, redirect_uri=[REDIRECT], post_logout_redirect_uris=[REDIRECT],
            authorization_type=["code", "refresh_token", "device_authorization"], token_endpoint_auth_method=["none"], scope=[])
    with session(USER, PASSWORD) as user:
        user.put(f"{API}/auth/grant/{CLIENT}", json={"scope": " ".join(SCOPES)}, timeout=20).raise_for_status()


if __name__ == "__main__":
    main()
