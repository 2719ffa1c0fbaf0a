# SPDX-License-Identifier: Apache-2.0
"""How the kinds of authorization servers name their issuers and endpoints: by host and path of a request."""

from __future__ import annotations

import dataclasses
import uuid

TENANTS = {name: str(uuid.uuid5(uuid.NAMESPACE_DNS, name)) for name in ("contoso.onmicrosoft.com", "fabrikam.onmicrosoft.com")}
CONSUMERS = "9188040d-6c67-4c5b-b112-36a304b66dad"
ENTRA_HOSTS = ("login.microsoftonline.com", "login.windows.net", "sts.windows.net")
# A cloud that clients do not know by themselves, and whose token endpoint is on its other host.
NEW_CLOUD = ("login.newcloud.test", "sts.newcloud.test")
MICROSOFT = {"/v2.0/.well-known/openid-configuration": "metadata", "/oauth2/v2.0/token": "token",
             "/oauth2/v2.0/devicecode": "device", "/oauth2/v2.0/authorize": "authorize", "/oauth2/v2.0/logout": "end_session"}
GENERIC = {"/.well-known/openid-configuration": "metadata", "/token": "token", "/device": "device", "/revoke": "revoke",
           "/authorize": "authorize", "/end_session": "end_session", "/userinfo": "userinfo",
           "/register": "register"}
# Layouts of providers whose endpoints are on other hosts than their issuer, or that have no metadata: by the issuer's host and
# path, the host and path of each endpoint. Documentation/Providers.md has the sources.
COGNITO_DOMAIN = "contoso.auth.eu-west-1.amazoncognito.com"
LAYOUTS = {
    "google": (("accounts.google.com", ""), {
        "metadata": ("accounts.google.com", "/.well-known/openid-configuration"),
        "authorize": ("accounts.google.com", "/o/oauth2/v2/auth"), "token": ("oauth2.googleapis.com", "/token"),
        "device": ("oauth2.googleapis.com", "/device/code"), "revoke": ("oauth2.googleapis.com", "/revoke"),
        "userinfo": ("openidconnect.googleapis.com", "/v1/userinfo")}),
    "cognito": (("cognito-idp.eu-west-1.amazonaws.com", "/eu-west-1_Contoso"), {
        "metadata": ("cognito-idp.eu-west-1.amazonaws.com", "/eu-west-1_Contoso/.well-known/openid-configuration"),
        "authorize": (COGNITO_DOMAIN, "/oauth2/authorize"), "token": (COGNITO_DOMAIN, "/oauth2/token"),
        "revoke": (COGNITO_DOMAIN, "/oauth2/revoke"), "userinfo": (COGNITO_DOMAIN, "/oauth2/userInfo")}),
    "github": (("github.com", ""), {
        "authorize": ("github.com", "/login/oauth/authorize"), "token": ("github.com", "/login/oauth/access_token"),
        "device": ("github.com", "/login/device/code")}),
}
LAYOUT_HOSTS = {host for _, ends in LAYOUTS.values() for host, _ in ends.values()}
ADFS = {"/.well-known/openid-configuration": "metadata", "/oauth2/token": "token", "/oauth2/devicecode": "device",
        "/oauth2/authorize": "authorize", "/oauth2/logout": "end_session"}


@dataclasses.dataclass(frozen=True)
class Authority:
    """An authority that the provider plays: what stands before the endpoints in a URL."""

    kind: str
    host: str
    path: str

    @property
    def url(self) -> str:
        return f"https://{self.host}{self.path}"

    @property
    def is_microsoft(self) -> bool:
        return self.kind not in ("generic", "adfs", *LAYOUTS)

    @property
    def rotates(self) -> bool:
        """Whether a renewal brings the next refresh token."""
        return self.kind not in ("google", "cognito")

    @property
    def keeps_sessions(self) -> bool:
        """Whether a sign-in brings a refresh token without being asked for `offline_access`, a scope that it does not know."""
        return self.kind in LAYOUTS

    @property
    def endpoints(self) -> dict[str, str]:
        if self.kind in LAYOUTS:
            return {name: f"https://{host}{path}" for name, (host, path) in LAYOUTS[self.kind][1].items()}
        found = {name: self.url + suffix for suffix, name in table(self.kind).items()}
        if self.host == NEW_CLOUD[0]:
            found["token"] = found["token"].replace(NEW_CLOUD[0], NEW_CLOUD[1])
        return found

    def tenant_id(self, home: str) -> str:
        """The tenant that a token is from: the user's own for a word that means any tenant."""
        tenant = self.path.partition("/")[2].partition("/")[0]
        return home if tenant in ("common", "organizations", "consumers") else TENANTS.get(tenant, tenant)

    def issuer(self, tenant: str) -> str:
        match self.kind:
            case "entra":
                return f"https://{self.host}/{tenant}/v2.0"
            case "b2c":
                return f"https://{self.host}/{tenant}/v2.0/"
            case "ciam":
                return f"https://{tenant}.ciamlogin.com/{tenant}/v2.0"
            case _:
                return self.url

    def metadata(self) -> dict:
        ends = self.endpoints
        if self.kind in LAYOUTS:
            names = {"authorize": "authorization", "token": "token", "device": "device_authorization", "revoke": "revocation",
                     "userinfo": "userinfo"}
            return {"issuer": self.url, "scopes_supported": ["openid", "email", "profile"], "response_types_supported": ["code"],
                    **{f"{name}_endpoint": ends[end] for end, name in names.items() if end in ends}}
        document = {
            "issuer": self.issuer(self.tenant_id("{tenantid}")),
            "authorization_endpoint": ends["authorize"], "token_endpoint": ends["token"],
            "device_authorization_endpoint": ends["device"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"], "response_types_supported": ["code"],
        }
        if self.kind == "adfs":
            document["access_token_issuer"] = f"http://{self.host}/adfs/services/trust"
        if self.kind == "generic":
            for name in "userinfo", "end_session":
                document[f"{name}_endpoint"] = ends[name]
            document["revocation_endpoint"], document["registration_endpoint"] = ends["revoke"], ends["register"]
            document["scopes_supported"] = ["openid", "profile", "offline_access", "files.read", "files.write"]
            document["grant_types_supported"] = ["refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]
        return document


def table(kind: str) -> dict[str, str]:
    """The names of a kind's endpoints, by the end of their paths."""
    return {"generic": GENERIC, "adfs": ADFS}.get(kind, MICROSOFT)


def find(host: str, path: str) -> tuple[Authority, str] | None:
    """The authority and the name of the endpoint that a request is for; nil for what no kind of server has."""
    name = host.rsplit(":", 1)[0]
    for layout, (issuer, ends) in LAYOUTS.items():
        for endpoint, place in ends.items():
            if place == (name, path):
                return Authority(layout, *issuer), endpoint
    kind = ("adfs" if path.startswith("/adfs/") else "entra" if name in ENTRA_HOSTS + NEW_CLOUD else "b2c" if name.endswith(".b2clogin.com")
            else "ciam" if name.endswith(".ciamlogin.com") else "generic")
    host = NEW_CLOUD[0] if name in NEW_CLOUD else host
    for suffix, endpoint in table(kind).items():
        base = path.removesuffix(suffix)
        if base != path and base.count("/") == (2 if kind == "b2c" else 1):
            return Authority(kind, host, base), endpoint
    return None


def instance_discovery(host: str) -> dict:
    """What Microsoft's global service says of one of its hosts."""
    for cloud in ENTRA_HOSTS, NEW_CLOUD:
        if host in cloud:
            return {"tenant_discovery_endpoint": f"https://{host}/common/v2.0/.well-known/openid-configuration",
                    "metadata": [{"preferred_network": cloud[0], "preferred_cache": cloud[1], "aliases": list(cloud)}]}
    return {"error": "invalid_instance"}
