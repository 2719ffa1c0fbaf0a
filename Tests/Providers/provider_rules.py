# SPDX-License-Identifier: Apache-2.0
"""What the strict provider answers: OAuth 2.0, RFC 8628, RFC 7009, OpenID Connect, apart from HTTP."""

from __future__ import annotations

import base64
import hashlib
import json
import pathlib
import secrets
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from provider_log import Device, ProviderLog, Refresh, digest, new_secret
from provider_shapes import TENANTS, Authority

ASSERTION_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
USERS = {
    "alice": {"oid": "a11ce000-0000-4000-8000-000000000001", "tid": TENANTS["contoso.onmicrosoft.com"]},
    "bob": {"oid": "b0b00000-0000-4000-8000-000000000002", "tid": TENANTS["fabrikam.onmicrosoft.com"]},
}
DEFAULTS = {"pages": False, "lifetime": 3600, "rotates": True, "interval": 1, "families": {}, "declined": [], "delay": 0,
            "secrets": {}, "binds": False, "methods": ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"]}


class Refusal(Exception):
    """An error response of OAuth."""

    def __init__(self, error: str, status: int = 400, **more) -> None:
        super().__init__(error)
        self.status, self.body = status, {"error": error, **more}


def target(form: dict) -> dict[str, str]:
    """What a request wants a token for besides its scopes: RFC 8707, and parameters that other providers have."""
    return {name: form[name] for name in ("resource", "audience", "x-tenancy") if name in form}


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Provider:
    """The rules, apart from HTTP."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.log = ProviderLog(folder / "log.jsonl")
        self.faults: list[dict] = []
        #: What users decided in their browsers, and the codes that they got there.
        self._answers: list[str | None] = []
        self._codes: dict[str, dict] = {}
        #: The redirect URIs of clients that registered. Others are not compared.
        self._registered: dict[str, list[str]] = {}
        #: Whose access tokens are, and when they expire.
        self._access: dict[str, tuple[str, float]] = {}
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def policy(self, name: str):
        return self.log.policy.get(name, DEFAULTS.get(name))

    def fault(self, endpoint: str) -> dict:
        """What is to go wrong with a request. Each fault counts down."""
        with self.log.lock:
            for fault in self.faults:
                if fault["endpoint"] == endpoint and fault["count"] > 0:
                    fault["count"] -= 1
                    return fault
        return {}

    # Endpoints: each takes the authority, the form and the fault, and returns the JSON of a response, or raises Refusal.

    def device(self, authority: Authority, form: dict, fault: dict) -> dict:
        client, scope = self._client(form), form.get("scope") or ""
        if not scope or self._is_unknown(scope, authority):
            raise Refusal("invalid_scope")
        public, secret = new_secret("dc")
        user_code = "".join(secrets.choice("BCDFGHJKLMNPQRSTVWXZ") for _ in range(8))
        device = Device(public, digest(user_code), client, scope, authority.url, time.time() + 300, self.policy("interval"))
        self.log.write("device", hash=digest(secret), device=vars(device), target=target(form))
        # Google's name for the address is older than RFC 8628.
        address = "verification_url" if authority.kind == "google" else "verification_uri"
        return {"device_code": secret, "user_code": user_code, address: f"https://{authority.host}/device",
                "expires_in": 300, "interval": device.interval}

    def _is_unknown(self, scope: str, authority: Authority) -> bool:
        """Whether these scopes contain the one that providers with refresh tokens for everybody do not know."""
        return authority.keeps_sessions and "offline_access" in scope.split()

    def answered(self) -> str | None:
        """Waits until the user has signed in, or declined, as `answer` of the controls says."""
        while True:
            time.sleep(0.02)
            with self.log.lock:
                if self._answers:
                    return self._answers.pop(0)

    def authorize(self, authority: Authority, query: dict, user: str | None) -> dict[str, str]:
        """What the browser brings back once the user has signed in, or declined if nil."""
        found = {"state": query["state"]}
        if user is None:
            found |= {"error": "access_denied", "error_description": "Canary declined"}
        elif self._is_unknown(query["scope"], authority):
            found["error"] = "invalid_scope"
        else:
            _, found["code"] = new_secret("code")
            self._codes[digest(found["code"])] = {**query, "user": user, "address": authority.url}
        return found

    def register(self, client: dict) -> dict:
        """RFC 7591, for public clients. Like some real servers, it sends a secret even to them."""
        known = {"client_name", "application_type", "token_endpoint_auth_method", "redirect_uris", "response_types", "grant_types",
                 "scope"}
        assert client.keys() == known and client["token_endpoint_auth_method"] == "none", client
        (uri,) = client["redirect_uris"]
        assert urllib.parse.urlsplit(uri).hostname in ("127.0.0.1", "localhost"), uri
        name = f"registered-{secrets.token_hex(6)}"
        self._registered[name] = [uri]
        self.log.write("registered", client=name, redirect_uri=uri, scope=client["scope"])
        return {**client, "client_id": name, "client_secret": new_secret("cs")[1], "client_secret_expires_at": 0}

    def knows(self, client: str, redirect_uri: str) -> bool:
        """Whether a client may have this redirect URI: exactly one that it registered."""
        return redirect_uri in self._registered.get(client.lower(), [redirect_uri])

    def end_session(self, query: dict) -> str:
        """Where the browser goes once its session is ended, for a client that says whose it is."""
        claims = jwt.decode(query["id_token_hint"], self._key.public_key(), algorithms=["RS256"], audience=query["client_id"])
        self.log.write("ended-session", client=query["client_id"], agrees=claims["preferred_username"] == query["logout_hint"])
        return f"{query['post_logout_redirect_uri']}?{urllib.parse.urlencode({'state': query['state']})}"

    def token(self, authority: Authority, form: dict, fault: dict) -> dict:
        client = self._client(form)
        match form.get("grant_type"):
            case "refresh_token":
                return self._renewal(authority, client, form, fault)
            case grant if grant == DEVICE_GRANT:
                return self._poll(authority, client, form, fault)
            case "authorization_code":
                return self._redeem(authority, client, form, fault)
            case "client_credentials":
                return self._issue_to_application(client, form)
            case None:
                raise Refusal("invalid_request")
            case _:
                raise Refusal("unsupported_grant_type")

    def revoke(self, authority: Authority, form: dict, fault: dict) -> dict:
        """RFC 7009: an unknown token is revoked already."""
        client = self._client(form)
        if not form.get("token"):
            raise Refusal("invalid_request")
        with self.log.lock:
            token = self.log.refresh.get(digest(form["token"]))
            if token and token.client != client:
                raise Refusal("unauthorized_client")
            if token:
                self.log.write("revoked", chain=token.chain, client=client)
        return {}

    def userinfo(self, authorization: str) -> dict:
        """An API that tokens are good for (OpenID Connect Core, section 5.3). It does not know those of an earlier start."""
        scheme, _, token = authorization.partition(" ")
        user, expires = self._access.get(digest(token), (None, 0))
        if scheme != "Bearer" or time.time() >= expires:
            raise Refusal("invalid_token", 401)
        return {"sub": user, "name": f"Canary {user}"}

    def _client(self, form: dict) -> str:
        if not form.get("client_id"):
            raise Refusal("invalid_client", 401)
        client = form["client_id"].lower()
        self._authenticate(client, form)
        return client

    def _authenticate(self, client: str, form: dict) -> None:
        """A client that has a secret proves it (RFC 6749, section 2.3); others have none. An assertion is not read."""
        secrets = self.policy("secrets").get(client)
        method = form.get("method") or ("client_secret_post" if "client_secret" in form else
                                        "private_key_jwt" if "client_assertion" in form else "none")
        given = form.get("client_secret") or form.get("client_assertion")
        if "client_assertion" in form and form.get("client_assertion_type") != ASSERTION_TYPE:
            raise Refusal("invalid_request")
        if (given is not None) != (secrets is not None) or method not in self.policy("methods"):
            raise Refusal("invalid_client", 401)
        if secrets is not None and digest(given) not in secrets:
            raise Refusal("invalid_client", 401, error_description=f"{given} is wrong")

    def _issue_to_application(self, client: str, form: dict) -> dict:
        """RFC 6749, section 4.4."""
        if client not in self.policy("secrets"):
            raise Refusal("unauthorized_client")
        access_id, access = new_secret("at")
        self._access[digest(access)] = client, time.time() + self.policy("lifetime")
        self.log.write("tokens", client=client, access=access_id, rotates=False, grant="client_credentials")
        return {"token_type": "Bearer", "access_token": access, "expires_in": self.policy("lifetime"), "scope": form["scope"]}

    def _redeem(self, authority: Authority, client: str, form: dict, fault: dict) -> dict:
        """A code is good once, for the client that asked, with the verifier of its challenge (RFC 7636)."""
        with self.log.lock:
            code = self._codes.pop(digest(form.get("code") or ""), None)
            challenge = base64url(hashlib.sha256((form.get("code_verifier") or "").encode()).digest())
            if authority.kind == "github" and "client_secret" not in form:
                raise Refusal("incorrect_client_credentials")
            if not code or (code["client_id"].lower(), code["address"], code["redirect_uri"], code["code_challenge"],
                            code["code_challenge_method"]) != (client, authority.url, form.get("redirect_uri"), challenge, "S256"):
                raise Refusal("invalid_grant")
            if target(code) != target(form):
                raise Refusal("invalid_target")
            # A client that names a maximum age gets the time to compare (OpenID Connect Core, section 2).
            signed_in = {"auth_time": int(time.time())} if "max_age" in code else {}
            fault = {**fault, "claims": {"nonce": code["nonce"], **signed_in, **fault.get("claims", {})}}
            return self._issue(authority, client, code["user"], code["scope"], f"chain-{secrets.token_hex(6)}", form, fault,
                               grant="authorization_code")

    def _poll(self, authority: Authority, client: str, form: dict, fault: dict) -> dict:
        now = time.time()
        with self.log.lock:
            device = self.log.devices.get(digest(form.get("device_code") or ""))
            if not device or device.spent or (device.client, device.address) != (client, authority.url):
                raise Refusal("invalid_grant")
            # A little less than the interval is the network's jitter.
            too_early, device.polled = now - device.polled < device.interval * 0.8, now
            if device.expires < now:
                raise Refusal("expired_token")
            if device.declined:
                raise Refusal("authorization_declined" if authority.is_microsoft else "access_denied",
                              error_description="Canary declined")
            if too_early:
                raise Refusal("slow_down")
            if device.user is None:
                raise Refusal("authorization_pending")
            chain = f"chain-{secrets.token_hex(6)}"
            return self._issue(authority, client, device.user, device.scope, chain, form, fault,
                               grant="device_code", device_hash=digest(form["device_code"]))

    def _renewal(self, authority: Authority, client: str, form: dict, fault: dict) -> dict:
        presented = digest(form.get("refresh_token") or "")
        with self.log.lock:
            token = self.log.refresh.get(presented)
            family = self.policy("families").get(client)
            if not token or (token.client != client and (token.family is None or token.family != family)):
                raise Refusal("invalid_grant")
            if refusal := self.policy("refusal"):
                raise Refusal(**refusal)
            if token.chain in self.log.ended:
                raise Refusal("bad_refresh_token" if authority.kind == "github" else "invalid_grant")
            if token.spent:
                self.log.write("reused", chain=token.chain, spent=token.id, client=client)
                raise Refusal("bad_refresh_token" if authority.kind == "github" else "invalid_grant")
            if (challenge := self.policy("challenge")) and challenge not in (form.get("claims") or ""):
                raise Refusal("interaction_required", suberror="basic_action", claims=challenge)
            # A server may bind refresh tokens to the resource of the sign-in (RFC 8707, section 2.2).
            if self.policy("binds") and token.target != target(form):
                raise Refusal("invalid_target")
            return self._issue(authority, client, token.user, form.get("scope") or token.scope, token.chain, form, fault,
                               bound=token.target, grant="refresh_token", spent=token.id, spent_hash=presented)

    def _issue(self, authority: Authority, client: str, user: str, scope: str, chain: str, form: dict, fault: dict,
               bound: dict | None = None, **facts) -> dict:
        bound = target(form) if bound is None else bound
        granted = [each for each in scope.split() if each not in self.policy("declined")]
        family = self.policy("families").get(client)
        access_id, access = new_secret("at")
        self._access[digest(access)] = user, time.time() + self.policy("lifetime")
        answer = {"token_type": "Bearer", "access_token": access, "expires_in": self.policy("lifetime"),
                  "scope": " ".join(granted)}
        for name in ("refresh_in", "ext_expires_in"):
            if self.policy(name) is not None:
                answer[name] = self.policy(name)
        rotating = self.policy("rotates") and authority.rotates
        if (rotating or "spent" not in facts) and ("offline_access" in granted or authority.keeps_sessions):
            refresh_id, answer["refresh_token"] = new_secret("rt")
            facts |= {"hash": digest(answer["refresh_token"]),
                      "refresh": vars(Refresh(refresh_id, chain, client, family, scope, authority.url, user, bound))}
        if family:
            answer["foci"] = family
        if authority.kind == "github":
            answer["scope"] = ""  # its apps have permissions in place of scopes
        elif "openid" in granted:
            answer["id_token"] = self._id_token(authority, client, user, access, fault.get("claims", {}))
        if form.get("client_info") == "1" and authority.is_microsoft:
            person = USERS[user]
            policy = authority.path.split("/")[2] if authority.kind == "b2c" else ""
            uid = person["oid"] + (f"-{policy}" if policy else "")
            answer["client_info"] = base64url(json.dumps({"uid": uid, "utid": authority.tenant_id(person["tid"])}).encode())
        self.log.write("tokens", chain=chain, client=client, access=access_id, rotates=rotating, target=target(form), **facts)
        return answer

    def _id_token(self, authority: Authority, client: str, user: str, access: str, change: dict) -> str:
        person, now = USERS[user], int(time.time())
        tenant = authority.tenant_id(person["tid"])
        claims = {"iss": authority.issuer(tenant), "aud": client, "sub": f"{user}-{client}", "iat": now, "nbf": now,
                  "exp": now + 3600, "preferred_username": f"canary-{user}@contoso.example", "name": f"Canary {user}",
                  "at_hash": base64url(hashlib.sha256(access.encode()).digest()[:16])}
        if authority.is_microsoft:
            claims |= {"oid": person["oid"], "tid": tenant, "ver": "2.0"}
        if authority.kind == "cognito":
            claims["cognito:username"] = claims["email"] = claims.pop("preferred_username")
        if authority.kind == "b2c":
            claims["tfp"] = authority.path.split("/")[2]
        return jwt.encode({**claims, **change}, self._key, algorithm="RS256", headers={"kid": "1"})

    # What tests ask of it.

    def control(self, name: str, request: dict) -> dict:
        match name:
            case "policy":
                self.log.write("policy", change=request)
            case "fault":
                self.faults.append({"count": 1, **request})
            case "answer":
                with self.log.lock:
                    self._answers.append(request["user"])
            case "decide":
                with self.log.lock:
                    found = [each for each in self.log.devices.values() if each.user_code == digest(request["user_code"])]
                    self.log.write("decided", device=found[0].id, user=request["user"])
        return {}
