# SPDX-License-Identifier: Apache-2.0
"""Asks MSAL and cachetool the same about accounts, refresh tokens and sign-out, and explains every difference by a rule.

As for lookups, a small model has a switch for each rule: with every switch off it must answer as MSAL for Python does,
with every switch on as cachetool does. A difference between the two has a reason where some switches turn one answer into
the other; where none do, it is unexplained.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
import json
import pathlib
import random
import time
import warnings
from collections.abc import Callable, Set

import msal

import by_hand
from cachetool import Cachetool
from caches.service import ALIASES, IdentityService

RULES = {
    "every-cloud": "an account is one in all clouds: it is listed and signed out whatever host the app names",
    "aliases": "the hosts of one cloud are equal, and are searched together",
    "identifier-case": "account and client ids compare without regard to case",
    "signed-in": "only accounts are listed that the app is signed in to",
    "own-first": "an app's own refresh token is spent before the family's",
    "own-only": "signing out leaves other apps' access and id tokens",
    "accounts-stay": "signing out leaves the account's entry to other apps",
    "family-shared": "a family's refresh token stays while another member is signed in",
    "kept-by-reads": "expired access tokens are not removed on the way",
    "assumed-family": "an app of which nothing is known counts as of the family \"1\", also when it signs out",
}

CLIENTS = ["client-a", "client-b", "client-c"]
HOSTS = ["login.microsoftonline.com", "login.windows.net", "login.microsoftonline.us"]
SCOPES = ["Never.Granted"]


def cloud(host: str) -> str:
    return next((group["preferred_network"] for group in ALIASES if host in group["aliases"]), host)


class Caches:
    """Small caches out of small alphabets, under MSAL's own keys: most entries have something to do with another one."""

    def __init__(self, seed: int, now: int) -> None:
        self.random = random.Random(seed)
        self.now = now
        self.makers = msal.TokenCache().key_makers

    def next(self) -> dict:
        document: dict = {name: {} for name in ("AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata")}
        for number in range(self.random.randint(3, 14)):
            section, entry = self._entry(number)
            if section == "AppMetadata" and any(
                    other["client_id"] == entry["client_id"] and cloud(other["environment"]) == cloud(entry["environment"])
                    for other in document[section].values()):
                continue  # Two of one document that contradict each other: nothing tells which one is newer.
            kind = {"Account": msal.TokenCache.CredentialType.ACCOUNT, "AppMetadata": "AppMetadata"}.get(section, section)
            document[section][self.makers[kind](**entry)] = entry
        return document

    def _entry(self, number: int) -> tuple[str, dict]:
        pick = self.random.choice
        account = pick(["u1.t1", "u1.t1", "u1.t1", "u2.t2", "U2.t2"])
        common = {"home_account_id": account, "environment": pick([HOSTS[0], *HOSTS])}
        client = {"client_id": pick([*CLIENTS, "client-a", "CLIENT-B"])}
        secret = {"secret": f"secret-{number}"}
        section = pick(["AccessToken", "RefreshToken", "RefreshToken", "RefreshToken", "RefreshToken", "IdToken", "Account",
                        "Account", "AppMetadata", "AppMetadata"])
        match section:
            case "AccessToken":
                cached_at = self.now - pick([60, 7200])
                return section, {"credential_type": section, **common, **client, **secret, "realm": pick(["t1", "t2"]),
                                 "target": pick(["User.Read", "Mail.Read"]), "token_type": "Bearer",
                                 "cached_at": str(cached_at), "expires_on": str(cached_at + 3600)}
            case "RefreshToken":
                family = pick([{}, {"family_id": "1"}, {"family_id": "1"}, {"family_id": "2"}])
                return section, {"credential_type": section, **common, **client, **secret, **family,
                                 "target": pick(["User.Read", "Mail.Read"]),
                                 "last_modification_time": str(self.now - 1000 + number)}
            case "IdToken":
                return section, {"credential_type": section, **common, **client, "secret": f"e30.e30.{number}",
                                 "realm": pick(["t1", "t2"])}
            case "Account":
                return section, {**common, "realm": pick(["t1", "t2"]), "local_account_id": account.split(".")[0],
                                 "username": f"{account.lower()}@contoso.example", "authority_type": "MSSTS"}
        family = pick([{}, {"family_id": "1"}, {"family_id": "1"}, {"family_id": "2"}])
        return section, {"environment": common["environment"], "client_id": pick(CLIENTS), **family}


@dataclasses.dataclass
class Model:
    """Answers questions over one document."""

    document: dict
    now: int
    rules: Set[str]

    def entries(self, section: str) -> list[dict]:
        return list(self.document[section].values())

    def accounts(self, client: str, host: str) -> frozenset[str]:
        for hosts in self._hosts(host, whole="every-cloud" in self.rules):
            found = [entry for entry in self.entries("Account") if entry["environment"] in hosts
                     and not ("signed-in" in self.rules and not self._is_signed_in(client, entry["home_account_id"]))]
            if found:
                return frozenset(self._folded(entry["home_account_id"]) for entry in found)
        return frozenset()

    def first_refresh_token(self, client: str, host: str, account: str) -> tuple | None:
        """Host and family of the token that is spent first."""
        for hosts in self._hosts(host):
            tokens = [entry for entry in self.entries("RefreshToken")
                      if entry["environment"] in hosts and self._same(entry["home_account_id"], account)]
            families = self._families(client, hosts)
            own = [entry for entry in tokens if self._same(entry["client_id"], client)]
            shared = [entry for entry in tokens if entry.get("family_id") in families]
            for group in (own, shared) if "own-first" in self.rules else (shared, own):
                if group:
                    newest = max(group, key=lambda entry: int(entry["last_modification_time"]))
                    return newest["environment"], newest.get("family_id")
        return None

    def after_sign_out(self, client: str, host: str, account: str) -> frozenset[tuple[str, str]]:
        """Section and key of what is left. `host` is that of the account."""
        return frozenset((section, key) for section, part in self.document.items() for key, entry in part.items()
                         if not self._goes(section, entry, client, host, account))

    def _goes(self, section: str, entry: dict, client: str, host: str, account: str) -> bool:
        # MSAL searches all access tokens when it signs out, and drops what has expired.
        if section == "AccessToken" and "kept-by-reads" not in self.rules and int(entry["expires_on"]) < self.now:
            return True
        if section == "AppMetadata" or not self._same(entry["home_account_id"], account):
            return False
        if "every-cloud" not in self.rules:
            hosts = next(self._hosts(host)) if "aliases" in self.rules else {host}
            if entry["environment"] not in hosts:
                return False
        if section == "Account":
            return "accounts-stay" not in self.rules
        is_own = self._same(entry["client_id"], client)
        if section != "RefreshToken":
            return is_own or "own-only" not in self.rules
        family = entry.get("family_id")
        if not family:
            return is_own
        assumed = "assumed-family" in self.rules
        goes = is_own or family in self._families(client, self._alike(entry["environment"]), assumed=assumed)
        return goes and not ("family-shared" in self.rules and self._is_shared(entry, client, account))

    # What the rules speak of.

    def _folded(self, text: str) -> str:
        return text.lower() if "identifier-case" in self.rules else text

    def _same(self, left: str, right: str) -> bool:
        return self._folded(left) == self._folded(right)

    def _alike(self, host: str) -> Set[str]:
        return {other for other in HOSTS if cloud(other) == cloud(host)} if "aliases" in self.rules else {host}

    def _hosts(self, host: str, whole: bool = False):  # noqa: ANN202 (an iterator of sets)
        """The hosts that are searched together, one group after the other."""
        if whole:
            yield set(HOSTS)
        elif "aliases" in self.rules:
            yield self._alike(host)
        else:
            yield {host}
            yield from ({other} for other in HOSTS if other != host and cloud(other) == cloud(host))

    def _families(self, client: str, hosts: Set[str], assumed: bool = True) -> set[str]:
        known = [entry for entry in self.entries("AppMetadata")
                 if self._same(entry["client_id"], client) and entry["environment"] in hosts]
        if not known:
            return {"1"} if assumed else set()
        return {entry["family_id"] for entry in known if entry.get("family_id")}

    def _is_signed_in(self, client: str, account: str) -> bool:
        if any(self._same(entry["home_account_id"], account) and self._same(entry["client_id"], client)
               and int(entry["expires_on"]) > self.now for entry in self.entries("AccessToken")):
            return True
        return any(self._same(entry["home_account_id"], account)
                   and (self._same(entry["client_id"], client)
                        or entry.get("family_id") in self._families(client, self._alike(entry["environment"])))
                   for entry in self.entries("RefreshToken"))

    def _is_shared(self, token: dict, client: str, account: str) -> bool:
        hosts = self._alike(token["environment"])
        for other in {self._folded(name) for name in [*CLIENTS, token["client_id"]]} - {self._folded(client)}:
            known = any(self._same(entry["client_id"], other) and entry["environment"] in hosts
                        for entry in self.entries("AppMetadata"))
            is_member = (token["family_id"] in self._families(other, hosts) if known
                         else self._same(other, token["client_id"]))
            if is_member and any(
                    self._same(entry["home_account_id"], account) and self._same(entry["client_id"], other)
                    for section in ("AccessToken", "RefreshToken", "IdToken") for entry in self.entries(section)):
                return True
        return False


class Msal:
    """MSAL itself over a document, with a service that refuses every renewal and remembers what was spent."""

    def __init__(self, document: dict) -> None:
        self.document = document

    def _application(self, client: str, host: str) -> tuple[msal.PublicClientApplication, IdentityService]:
        cache, service = msal.SerializableTokenCache(), IdentityService()
        cache.deserialize(json.dumps(self.document))
        return msal.PublicClientApplication(client, authority=f"https://{host}/common", token_cache=cache,
                                            http_client=service), service

    def accounts(self, client: str, host: str) -> frozenset[str]:
        return frozenset(account["home_account_id"] for account in self._application(client, host)[0].get_accounts())

    def first_refresh_token(self, client: str, host: str, account: str) -> tuple | None:
        application, service = self._application(client, host)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            application.acquire_token_silent(SCOPES, {"home_account_id": account, "environment": host})
        if not service.spent_refresh_tokens:
            return None
        spent = next(entry for entry in self.document["RefreshToken"].values()
                     if entry["secret"] == service.spent_refresh_tokens[0])
        return spent["environment"], spent.get("family_id")

    def after_sign_out(self, client: str, host: str, account: str) -> frozenset[tuple[str, str]]:
        application, _ = self._application(client, host)
        application.remove_account({"home_account_id": account, "environment": host})
        left = json.loads(application.token_cache.serialize())
        return frozenset((section, key) for section, part in left.items() for key in part)


class Sealed:
    """cachetool over the same document."""

    def __init__(self, document: dict, root: pathlib.Path) -> None:
        self.tool = Cachetool(root)
        self.tool.run("import", "--json", "-", stdin=json.dumps(document).encode())

    def accounts(self, client: str, host: str) -> frozenset[str]:
        del host  # An account is one in all clouds.
        listed = self.tool.run("accounts", "--client", client, "--json").document["accounts"]
        return frozenset(account["home_account_id"].lower() for account in listed)

    def first_refresh_token(self, client: str, host: str, account: str) -> tuple | None:
        outcome = self.tool.attempt("lookup", "--account", account, "--client", client, "--scopes", SCOPES[0],
                                    "--environment", host, "--json")
        answer = outcome.document
        return (answer["environment"], answer.get("family_id")) if answer["decision"] == "renew" else None

    def after_sign_out(self, client: str, host: str, account: str) -> frozenset[tuple[str, str]]:
        del host
        self.tool.run("sign-out", account, "--client", client, "--yes")
        left = json.loads(self.tool.export())
        return frozenset((section, key) for section, part in left.items() for key in part)


class Report:
    """Counts questions, differences by rule, and what has no reason."""

    def __init__(self) -> None:
        self.questions: collections.Counter[str] = collections.Counter()
        self.differences: collections.Counter[str] = collections.Counter()
        self.unexplained: list[str] = []

    def describe(self) -> str:
        lines = [f"{sum(self.questions.values())} questions: " + ", ".join(
            f"{count} {name}" for name, count in sorted(self.questions.items()))]
        lines += [f"  {self.differences[rule]:4} differ because {sentence}" for rule, sentence in RULES.items()
                  if self.differences[rule]]
        lines += [f"  UNEXPLAINED {line}" for line in self.unexplained[:10]]
        return "\n".join(lines)

    def take(self, name: str, place: str, model: Callable[[Set[str]], object], theirs: object, ours: object) -> None:
        self.questions[name] += 1
        if theirs != model(set()):
            self.unexplained.append(f"{place} {name}: MSAL says {theirs}, its model {model(set())}")
        elif ours != model(set(RULES)):
            self.unexplained.append(f"{place} {name}: cachetool says {ours}, its model {model(set(RULES))}")
        elif theirs != ours:
            self.differences.update(next(
                rules for size in range(1, len(RULES) + 1) for rules in itertools.combinations(RULES, size)
                if model(set(rules)) == ours))


def compare(root: pathlib.Path, *, caches: int, seed: int) -> Report:
    report, now = Report(), int(time.time())
    made = Caches(seed, now)
    for number in range(caches):
        document = made.next()
        folder = root / str(number)
        folder.mkdir(mode=0o700)
        theirs, ours = Msal(document), Sealed(document, folder)
        client, host = made.random.choice(CLIENTS), made.random.choice(HOSTS)
        place = f"cache {number} of seed {seed}, {client} at {host},"
        for method, arguments in [("accounts", (client, host)), *(
                ("first_refresh_token", (client, host, account)) for account in ("u1.t1", "u2.t2"))]:
            report.take(method, f"{place} {arguments[2:]}", lambda rules: getattr(
                Model(document, now, rules), method)(*arguments), getattr(theirs, method)(*arguments),
                getattr(ours, method)(*arguments))
        people = sorted({(entry["home_account_id"], entry["environment"]) for entry in document["Account"].values()})
        if people:
            account, home = made.random.choice(people)
            report.take("after_sign_out", f"{place} {account} of {home}", lambda rules: Model(
                document, now, rules).after_sign_out(client, home, account),
                theirs.after_sign_out(client, home, account), ours.after_sign_out(client, home, account))
    return report


if __name__ == "__main__":
    by_hand.run(__doc__, "caches", 100, lambda root, size, seed: compare(root, caches=size, seed=seed))
