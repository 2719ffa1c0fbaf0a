# SPDX-License-Identifier: Apache-2.0
"""A small model of a silent lookup, with a switch for every rule in which cachetool decides otherwise than MSAL.

With every switch off it must answer as MSAL for Python does, with every switch on as cachetool does. So each difference
between the two is explained by the switches that turn one answer into the other, and by nothing else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Set

from .service import ALIASES

RULES = {
    "scope-case": "scopes compare without regard to case",
    "reserved-scopes": "scopes of OpenID are no error, and only where nothing else is asked for a token has to show a sign-in",
    "empty-request": "a request without any scope is an error, not a wish for any token",
    "aliases": "the hosts of one cloud are equal, whether or not a refresh token lies under the alias",
    "identifier-case": "account, client, tenant and host compare without regard to case",
    "home-tenant": "common and (but for personal accounts) organizations mean the home tenant and each other; consumers the MSA tenant",
    "plain-only": "a plain request never gets a token that is bound to a key",
    "isolation": "tokens that were isolated by claims or extended components never answer a plain request",
    "on-behalf": "tokens that a service got on behalf of one caller never answer a plain request",
    "whose-token": "a token without an account id is a person's by its scopes, or by a person's entries beside it without one either",
    "longest-lived": "of several tokens that fit, the one that lives longest",
    "short-lived": "the expiry margin is a fifth of the lifetime where that is less than 300 seconds",
    "clock-back": "a token from the future counts as expired",
}

MSA_TENANT = "9188040d-6c67-4c5b-b112-36a304b66dad"
RESERVED = {"openid", "profile", "offline_access"}  # As MSAL has it.
OPENID = RESERVED | {"email", "address", "phone"}
SIGN_IN = {"openid", "profile", "email"}


@dataclasses.dataclass(frozen=True)
class Query:
    """What an application asks for. No account means a token of the application itself."""

    kind: str
    client: str
    environment: str
    tenant: str
    scopes: tuple[str, ...]
    account: str | None


@dataclasses.dataclass(frozen=True)
class Answer:
    """The access tokens that would do (one of them is handed out), or whether a refresh token can be tried."""

    tokens: frozenset[str]
    can_renew: bool = False

    @property
    def decision(self) -> str:
        if self.tokens:
            return "hit"
        return "renew" if self.can_renew else "interaction"


def _cloud(host: str) -> str:
    return next((group["preferred_network"] for group in ALIASES if host in group["aliases"]), host)


def _is_bearer(entry: dict) -> bool:
    return (entry.get("token_type") or "Bearer").lower() == "bearer" and entry["credential_type"].lower() in (
        "accesstoken", "atext")


def _is_isolated(entry: dict) -> bool:
    return any(entry.get(name) for name in ("requested_claims", "requestedClaims", "ext_cache_key", "ext"))


class Model:
    """Answers queries over one document."""

    def __init__(self, document: dict, now: int, rules: Set[str]) -> None:
        self.document = document
        self.now = now
        self.rules = rules

    def answer(self, query: Query) -> Answer:
        if not query.scopes and "empty-request" in self.rules:
            return Answer(frozenset())
        for environments in self._environments(query):
            found = [entry for entry in self.document["AccessToken"].values()
                     if self._same(entry.get("environment"), environments) and self._fits(entry, query)]
            if "longest-lived" in self.rules and found:
                longest = max(int(entry["expires_on"]) for entry in found)
                found = [entry for entry in found if int(entry["expires_on"]) == longest]
            if found:
                return Answer(frozenset(entry["secret"] for entry in found))
        return Answer(frozenset(), self._can_renew(query))

    def _environments(self, query: Query) -> Iterator[Set[str]]:
        """The hosts that are searched together, one group after the other."""
        host = query.environment.lower()  # MSAL does so too.
        aliases = next((set(group["aliases"]) for group in ALIASES if host in group["aliases"]), {host})
        if "aliases" in self.rules:
            yield aliases
            return
        yield {host}
        if "reserved-scopes" not in self.rules and RESERVED & set(query.scopes):
            return
        for alias in aliases - {host}:
            if any(entry.get("environment") == alias for entry in self.document["RefreshToken"].values()):
                yield {alias}

    def _equal(self, left: str | None, right: str | None) -> bool:
        if "identifier-case" in self.rules:
            return (left or "").strip().lower() == (right or "").strip().lower()
        return left == right

    def _same(self, environment: str | None, environments: Set[str]) -> bool:
        folded = (environment or "").lower() if "identifier-case" in self.rules else environment
        return folded in environments

    def _tenants(self, query: Query) -> list[str]:
        tenants = [query.tenant]
        if "home-tenant" in self.rules and query.account:
            home = query.account.partition(".")[2]
            is_personal = home.lower() == MSA_TENANT
            words = {"common", "consumers"} if is_personal else {"common", "organizations"}
            if query.tenant.lower() in words:
                tenants += [home, *words]
            if query.tenant.lower() == "consumers":
                tenants.append(MSA_TENANT)
        return tenants

    def _fits(self, entry: dict, query: Query) -> bool:
        return (
            self._equal(entry.get("home_account_id"), query.account)
            and self._equal(entry.get("client_id"), query.client)
            and any(self._equal(entry.get("realm"), tenant) for tenant in self._tenants(query))
            and self._covers(entry, query)
            and not ("plain-only" in self.rules and not _is_bearer(entry))
            and not ("on-behalf" in self.rules and entry.get("user_assertion_hash"))
            and not ("whose-token" in self.rules and query.account is None and self._is_of_person(entry))
            and not ("ext_cache_key" in entry or ("isolation" in self.rules and _is_isolated(entry)))
            and self._lives(entry)
        )

    def _covers(self, entry: dict, query: Query) -> bool:
        asked, granted = set(query.scopes), set(entry.get("target", "").split())
        if "scope-case" not in self.rules and self._stands_under_exact_key(entry, query):
            return True
        if "scope-case" in self.rules:
            asked, granted = {scope.lower() for scope in asked}, {scope.lower() for scope in granted}
        if "reserved-scopes" in self.rules and asked:
            asked = {scope for scope in asked if scope.lower() not in OPENID}
            if not asked:
                shown = {scope.lower() for scope in granted}
                return bool(shown & SIGN_IN) or (bool(shown) and shown <= OPENID)
        return asked <= granted

    def _is_of_person(self, entry: dict) -> bool:
        """Whose a token without an account id is: a person signs in with these scopes, and only people have these entries."""
        if {"openid", "offline_access"} & set(entry.get("target", "").lower().split()):
            return True
        return any(
            not (other.get("home_account_id") or "").strip()
            and self._equal(other.get("client_id") or entry["client_id"], entry["client_id"])
            and _cloud((other.get("environment") or "").lower()) == _cloud(entry["environment"].lower())
            for section in ("RefreshToken", "IdToken", "Account") for other in self.document[section].values())

    def _stands_under_exact_key(self, entry: dict, query: Query) -> bool:
        """MSAL first tries the key that the sorted scopes make, in lowercase, and then does not look at the target."""
        parts = [query.account or "", entry.get("environment") or "", "accesstoken", query.client, query.tenant,
                 " ".join(sorted(query.scopes))]
        return bool(query.scopes) and self.document["AccessToken"].get("-".join(parts).lower()) is entry

    def _lives(self, entry: dict) -> bool:
        expires_on, cached_at = int(entry["expires_on"]), int(entry["cached_at"])
        margin = 300
        if "short-lived" in self.rules:
            margin = min(margin, (expires_on - cached_at) // 5)
        if "clock-back" in self.rules and cached_at > self.now + margin:
            return False
        return expires_on - self.now > margin  # No invented token comes near its margin while a test runs.

    def _can_renew(self, query: Query) -> bool:
        if query.account is None or ("reserved-scopes" not in self.rules and RESERVED & set(query.scopes)):
            return False
        for environments in self._environments(query):
            tokens = [entry for entry in self.document["RefreshToken"].values()
                      if self._same(entry.get("environment"), environments)
                      and entry["credential_type"].lower() == "refreshtoken"
                      and self._equal(entry.get("home_account_id"), query.account)]
            families = self._families(query, environments)
            if any(self._equal(entry["client_id"], query.client) or entry.get("family_id") in families
                   for entry in tokens):
                return True
        return False

    def _families(self, query: Query, environments: Set[str]) -> set[str]:
        """The families whose refresh tokens the client may try: unknown means trying "1"."""
        known = [entry for entry in self.document["AppMetadata"].values()
                 if self._equal(entry.get("client_id"), query.client)
                 and self._same(entry.get("environment"), environments)]
        if not known:
            return {"1"}
        return {entry["family_id"] for entry in known if entry.get("family_id")}
