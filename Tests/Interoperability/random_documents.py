# SPDX-License-Identifier: Apache-2.0
"""Imports random documents, and asks MSAL the same about the export as cachetool about the group.

Where the answers may differ was decided beforehand: each rule below is a row of Documentation/Behaviour.md, and says by the
document and the question alone whether the row can matter. A difference without such a row is a fault.

    python random_documents.py [--documents 1000] [--seed 1]
"""

from __future__ import annotations

import collections
import dataclasses
import json
import pathlib
import random
import time
import warnings
from collections.abc import Callable

import msal

import by_hand
from cachetool import Cachetool
from caches.service import ALIASES, IdentityService

HOSTS = ["login.microsoftonline.com", "login.windows.net", "login.microsoftonline.us", "login.contoso.example"]
CLIENTS = ["client-a", "client-b", "client-c"]
ACCOUNTS = ["u1.t1", "u2.t2"]
TENANTS = ["t1", "t2"]
WORDS = {"common", "organizations", "consumers"}
SCOPES = ["User.Read", "Mail.Read", "Files.Read"]
OPENID = {"openid", "profile", "offline_access", "email", "address", "phone"}
SECTIONS = ("AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata")
ISOLATION = ("requested_claims", "ext_cache_key", "user_assertion_hash", "resource", "additionalCacheKeyComponents")


@dataclasses.dataclass(frozen=True)
class Question:
    """What an application asks for. No account means a token of the application itself."""

    client: str
    host: str
    tenant: str
    scopes: tuple[str, ...]
    account: str | None


class Documents:
    """Small documents out of small alphabets, so that most entries have something to do with another one."""

    def __init__(self, seed: int, now: int) -> None:
        self.random = random.Random(seed)
        self.now = now
        self.makers = msal.TokenCache().key_makers

    def next(self) -> dict:
        document: dict = {name: {} for name in SECTIONS}
        for number in range(self.random.randint(2, 12)):
            section = self.random.choices(SECTIONS, [6, 5, 2, 2, 2])[0]
            entry = {name: value for name, value in self._entry(section, number).items()
                     if value is not None or name == "home_account_id"}  # MSAL writes null for an application's own tokens.
            kind = {"Account": msal.TokenCache.CredentialType.ACCOUNT}.get(section, section)
            document[section][self.makers[kind](**entry)] = entry
        return document

    def question(self, document: dict) -> Question:
        pick = self.random.choice
        entries = [*document["AccessToken"].values(), *document["RefreshToken"].values()]
        if not entries:
            return Question(pick(CLIENTS), HOSTS[0], "t1", ("User.Read",), pick(ACCOUNTS))
        entry = pick(entries)
        scopes = (entry.get("target") or "User.Read").split()
        client, host, account = entry["client_id"], entry["environment"], entry.get("home_account_id")
        tenant = entry.get("realm") or (account or "u.t1").partition(".")[2]
        match self.random.randint(0, 29):
            case 0: client = pick(CLIENTS)
            case 1: host = pick(HOSTS)
            case 2: tenant = pick(TENANTS)
            case 3: account = pick(ACCOUNTS)
            case 4: tenant = pick(sorted(WORDS))
            case 5: scopes = [scope.upper() for scope in scopes]
            case 6: scopes = [*scopes, pick(sorted(OPENID))]
            case 7 | 8: scopes = [pick(SCOPES)]
            case 9 | 10: scopes = self.random.sample(SCOPES, self.random.randint(1, 2))
            case 11: client = client.upper()
            case 12: account = account and account.upper()
            case 13: scopes = [*scopes, "Never.Granted"]
        return Question(client, host, tenant, tuple(scopes), account)

    def _rarely(self, value: object, otherwise: object = None, share: float = 0.06) -> object:
        return value if self.random.random() < share else otherwise

    def _entry(self, section: str, number: int) -> dict:
        pick = self.random.choice
        account = pick([ACCOUNTS[0], *ACCOUNTS])
        host = pick([HOSTS[0]] * 8 + [*HOSTS])
        client = pick([CLIENTS[0], *CLIENTS])
        common = {"home_account_id": self._rarely(None, account), "environment": host, "client_id": client}
        secret = {"secret": self._rarely(pick(["", " "]), f"secret-{number}", 0.03)}
        family = pick([None, None, "1", "2"])
        realm = self._rarely(pick(["organizations", "common"]), account.partition(".")[2], 0.03)
        match section:
            case "AccessToken":
                cached_at = self.now - self._rarely(pick([3500, 7200, -4000]), 60, 0.15)
                lifetime = self._rarely(pick([200, 700, 90_000]), 3600)
                granted = self.random.sample(SCOPES, self.random.randint(1, 3)) + self._rarely(["openid", "profile"], [], 0.1)
                return {"credential_type": section, **common, **secret, "realm": realm, "target": " ".join(sorted(granted)),
                        "token_type": self._rarely(pick(["pop", "ssh-cert", None]), "Bearer"), "cached_at": str(cached_at),
                        "expires_on": self._rarely(None, str(cached_at + lifetime), 0.003),
                        "key_id": self._rarely("key-1", share=0.03), pick(ISOLATION): self._rarely("isolated", share=0.04)}
            case "RefreshToken":
                # MSAL for Python gives no other refresh token the key of a client and a family.
                return {"credential_type": section, **common, **secret, "family_id": family,
                        "last_modification_time": self._rarely(None, str(self.now - pick([1000, 2000, 1000 + number])), 0.1),
                        "expires_on": self._rarely(str(self.now - 60), share=0.03),
                        "ext": self._rarely("partition", share=0.02)}
            case "IdToken":
                return {"credential_type": section, **common, "secret": f"e30.e30.{number}", "realm": realm}
            case "Account":
                return {**common, "realm": realm, "local_account_id": account.partition(".")[0],
                        "username": f"{account}@contoso.example", "authority_type": "MSSTS"}
        return {"environment": host, "client_id": client, "family_id": pick([None, "1", "2"])}


# Where answers may differ.

def folded(text: str | None) -> str:
    return (text or "").strip().lower()


def cloud(host: str) -> str:
    return next((group["preferred_network"] for group in ALIASES if host in group["aliases"]), host)


class Scene:
    """A document and a question, and what of the one has to do with the other if nobody minds case and names of hosts."""

    def __init__(self, document: dict, question: Question, now: int) -> None:
        self.question, self.now, self.document = question, now, document
        self.access = [entry for entry in document["AccessToken"].values() if self._concerns(entry) and self._is_client(entry)]
        self.of_account = [entry for section in ("RefreshToken", "IdToken", "Account")
                           for entry in document[section].values() if self._concerns(entry)]
        self.refresh = [entry for entry in document["RefreshToken"].values() if self._concerns(entry)]
        self.metadata = [entry for entry in document["AppMetadata"].values()
                         if self._is_client(entry) and cloud(entry["environment"]) == cloud(question.host.lower())]

    def _concerns(self, entry: dict) -> bool:
        return (folded(entry.get("home_account_id")) == folded(self.question.account)
                and cloud(entry["environment"]) == cloud(self.question.host.lower()))

    def _is_client(self, entry: dict) -> bool:
        return folded(entry.get("client_id")) == folded(self.question.client)

    @property
    def covering(self) -> list[dict]:
        asked = {scope.lower() for scope in self.question.scopes} - OPENID
        return [entry for entry in self.access if asked <= set((entry.get("target") or "").lower().split())]

    @property
    def own(self) -> list[dict]:
        return [entry for entry in self.refresh if self._is_client(entry)]

    @property
    def families(self) -> set[str]:
        if not self.metadata:
            return {"1"}
        return {entry["family_id"] for entry in self.metadata if entry.get("family_id")}

    @property
    def of_family(self) -> list[dict]:
        return [entry for entry in self.refresh if entry.get("family_id") in self.families]

    @property
    def clients(self) -> list[str]:
        entries = [*self.access, *self.own, *self.of_account, *self.metadata]
        return [self.question.client, *(entry["client_id"] for entry in entries if self._is_client(entry))]

    @property
    def accounts(self) -> list[str]:
        return [self.question.account or "", *(entry["home_account_id"] or "" for entry in [*self.access, *self.of_account])]

    def lifetime(self, entry: dict) -> int:
        return int(entry.get("expires_on") or 0) - int(entry["cached_at"])


def _differ_in_case(names: list[str]) -> bool:
    """Of names that are equal if their case does not matter."""
    return len(set(names)) > 1


def _scopes_differ_in_case(scene: Scene) -> bool:
    asked = set(scene.question.scopes)
    granted = {scope for entry in scene.access for scope in (entry.get("target") or "").split()}
    return any(scope not in granted and scope.lower() in {other.lower() for other in granted} for scope in asked)


def _is_person_like(scene: Scene) -> bool:
    return scene.question.account is None and bool(scene.access) and (
        bool(scene.of_account)
        or any({"openid", "offline_access"} & set((entry.get("target") or "").lower().split()) for entry in scene.access))


def _ties(tokens: list[dict]) -> bool:
    times = [entry.get("last_modification_time") for entry in tokens]
    return len(tokens) > 1 and (None in times or len(set(times)) < len(times))


# The names are those of rows in Documentation/Behaviour.md.
ROWS: dict[str, Callable[[Scene], bool]] = {
    "requested scopes among those granted": lambda scene: _scopes_differ_in_case(scene) or any(
        scope.lower() in OPENID for scope in scene.question.scopes),
    "several tokens match": lambda scene: len(scene.covering) > 1,
    "case of client ids, tenants, hosts and usernames": lambda scene: _differ_in_case(scene.clients),
    "case of the home account id": lambda scene: _differ_in_case(scene.accounts),
    "hosts of one cloud": lambda scene: any(
        entry["environment"] != scene.question.host for entry in [*scene.access, *scene.refresh, *scene.metadata]),
    "tenants, `common`, guests": lambda scene: scene.question.tenant in WORDS or any(
        entry.get("realm") in WORDS for entry in scene.access),
    "a plain query if all tokens are isolated": lambda scene: any(entry.get("requested_claims") for entry in scene.covering),
    "on behalf of a user": lambda scene: any(entry.get("user_assertion_hash") for entry in scene.covering),
    "components of MSAL Node 5, hash of MSAL Java": lambda scene: any(
        entry.get("additionalCacheKeyComponents") for entry in scene.covering),
    "`resource` of MSAL Node 5": lambda scene: any(entry.get("resource") for entry in scene.covering),
    "bearer, PoP and SSH tokens": lambda scene: any(
        folded(entry.get("token_type")) not in ("", "bearer") for entry in scene.covering),
    "an access token without a home account id": _is_person_like,
    "margin before expiry": lambda scene: any(0 < scene.lifetime(entry) < 1500 for entry in scene.covering),
    "cached in the future": lambda scene: any(int(entry["cached_at"]) > scene.now for entry in scene.covering),
    "a missing expiry": lambda scene: any(not entry.get("expires_on") for entry in scene.document["AccessToken"].values()),
    "a token that is missing or blank": lambda scene: any(
        not entry["secret"].strip() for entry in [*scene.covering, *scene.refresh]),
    "a refresh token whose `expires_on` has passed": lambda scene: any(entry.get("expires_on") for entry in scene.refresh),
    "order of own and family tokens": lambda scene: bool(scene.own and scene.of_family),
    "a partitioned refresh token": lambda scene: any(entry.get("ext") for entry in scene.refresh),
    "entries between which nothing decides, such as two refresh tokens without times under two hosts of a cloud":
        lambda scene: _ties(scene.own) or _ties(scene.of_family),
}


def entries(document: dict) -> list[dict]:
    return [entry for section in document.values() for entry in section.values()]


# Who is asked.

Answer = tuple  # ("hit", secret), ("renew", host, client, family) or ("interaction",)


def ask_msal(document: dict, question: Question) -> Answer:
    cache, service = msal.SerializableTokenCache(), IdentityService()
    cache.deserialize(json.dumps(document))
    options = {"authority": f"https://{question.host}/{question.tenant}", "token_cache": cache, "http_client": service}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if question.account is None:
                application = msal.ConfidentialClientApplication(question.client, client_credential="invented", **options)
                result = application.acquire_token_for_client(list(question.scopes))
            else:
                account = {"home_account_id": question.account, "environment": question.host}
                result = msal.PublicClientApplication(question.client, **options).acquire_token_silent(
                    list(question.scopes), account)
        except (ValueError, KeyError) as error:  # A reserved scope after a miss; an entry without an expiry.
            assert "reserved" in str(error) or "expires_on" in str(error), error
            result = None
    if token := (result or {}).get("access_token"):
        return "hit", token
    if service.spent_refresh_tokens:
        return ("renew", *next((entry["environment"], entry["client_id"], entry.get("family_id"))
                               for entry in document["RefreshToken"].values()
                               if entry["secret"] == service.spent_refresh_tokens[0]))
    return ("interaction",)


def ask_cachetool(tool: Cachetool, question: Question) -> Answer:
    account = ["--account", question.account] if question.account is not None else []
    outcome = tool.attempt("lookup", *account, "--client", question.client, "--scopes", " ".join(question.scopes), "--tenant",
                           question.tenant, "--environment", question.host, "--json", "--reveal", "--yes")
    if outcome.exit_code not in (0, 3):
        raise AssertionError(f"lookup ended with {outcome.exit_code}: {outcome.messages}")
    answer = outcome.document
    match answer["decision"]:
        case "hit": return "hit", answer["secret"]
        case "renew":
            token = answer["refresh_token"]
            return "renew", token["environment"], token["client_id"], token["family_id"]
    return ("interaction",)


@dataclasses.dataclass
class Report:
    """How often the answers were the same, differed by a row, or differed without one."""

    questions: int = 0
    decisions: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    without_row: int = 0  # Questions in which no row can matter: the answers have to be equal.
    differences: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    unexplained: list[str] = dataclasses.field(default_factory=list)

    def describe(self) -> str:
        lines = [f"{self.questions} questions ({dict(self.decisions)}), in {self.without_row} no row can matter; "
                 f"{sum(self.differences.values())} answers differ:"]
        lines += [f"  {count:5} ({100 * count / self.questions:.2f} %) {row}" for row, count in self.differences.most_common()]
        return "\n".join(lines + [f"  UNEXPLAINED {line}" for line in self.unexplained[:10]])


def compare(root: pathlib.Path, *, documents: int, seed: int) -> Report:
    report = Report()
    for number in range(documents):
        now = int(time.time())
        source = Documents(seed + number, now)
        document = source.next()
        tool = Cachetool(root, f"g{number}", "--storage", "file")
        imported = tool.attempt("import", "--json", "-", stdin=json.dumps(document).encode())
        # 9: nothing but refresh tokens with a partition, which are kept without being understood.
        if imported.exit_code != (0 if any(not entry.get("ext") for entry in entries(document)) else 9):
            raise AssertionError(f"cachetool import ended with {imported.exit_code}: {imported.messages}")
        exported = {**{name: {} for name in SECTIONS}, **json.loads(tool.export())}
        for _ in range(3):
            question = source.question(document)
            theirs, ours = ask_msal(exported, question), ask_cachetool(tool, question)
            rows = [row for row, matters in ROWS.items() if matters(Scene(document, question, now))]
            report.questions += 1
            report.decisions[ours[0]] += 1
            report.without_row += not rows
            if theirs == ours:
                continue
            if rows:
                report.differences[rows[0]] += 1
            else:
                report.unexplained.append(f"document {seed + number}, {question}: MSAL {theirs}, cachetool {ours}")
        tool.run("groups", "remove", "--yes")
    return report


if __name__ == "__main__":
    by_hand.run(__doc__, "documents", 1000, lambda root, size, seed: compare(root, documents=size, seed=seed))
