# SPDX-License-Identifier: Apache-2.0
"""Asks MSAL and cachetool the same random questions over the same cache. Each difference must have a listed reason.

    python lookup_oracle.py [--queries 1000] [--seed 1]
"""

from __future__ import annotations

import collections
import hashlib
import itertools
import json
import pathlib
import random
import time
import warnings

import msal

import by_hand
from caches import document, identities, numbers
from caches.model import RULES, Answer, Model, Query
from caches.service import ALIASES, IdentityService
from cachetool import Cachetool


class Questions:
    """Makes questions from what is in a cache: exact ones, and ones that are wrong in one place or another."""

    KINDS = {
        "exact": 14, "shuffled": 4, "subset": 10, "superset": 8, "scope case": 8, "with reserved": 6,
        "only reserved": 3, "only offline": 2, "no scopes": 2, "wrong client": 8, "other client": 6, "wrong tenant": 6, "other tenant": 5,
        "common": 5, "organizations": 4, "consumers": 2, "alias": 10, "upper host": 3, "other cloud": 4,
        "account case": 4, "client case": 3, "tenant case": 3, "wrong account": 4, "other account": 4, "default scope": 2,
    }

    def __init__(self, cache: dict, seed: int) -> None:
        self.random = random.Random(seed)
        self.entries = [entry for entry in cache["AccessToken"].values() if entry.get("environment")]

    def next(self) -> Query:
        pick = self.random.choice
        kind = self.random.choices(list(self.KINDS), list(self.KINDS.values()))[0]
        entry = pick(self.entries)
        scopes = entry["target"].split()
        part = {"client": entry["client_id"], "environment": entry["environment"], "tenant": entry["realm"],
                "account": entry.get("home_account_id"), "scopes": scopes}
        other = pick(self.entries)
        match kind:
            case "shuffled": part["scopes"] = self.random.sample(scopes, len(scopes))
            case "subset": part["scopes"] = self.random.sample(scopes, self.random.randint(1, len(scopes)))
            case "superset": part["scopes"] = [*scopes, pick(["Chat.Read", "Mail.Read", "Everything.Read"])]
            case "scope case": part["scopes"] = [pick([scope.upper(), scope.lower(), scope.swapcase()]) for scope in scopes]
            case "with reserved": part["scopes"] = [*scopes, *self.random.sample(
                ["openid", "profile", "offline_access", "email", "address", "phone"], 2)]
            case "only reserved": part["scopes"] = self.random.sample(["openid", "profile", "offline_access", "phone"], 2)
            case "only offline": part["scopes"] = ["offline_access"]
            case "no scopes": part["scopes"] = []
            case "default scope": part["scopes"] = ["https://graph.microsoft.com/.default"]
            case "wrong client": part["client"] = "00000000-0000-4000-8000-000000000000"
            case "other client": part["client"] = other["client_id"]
            case "wrong tenant": part["tenant"] = "00000000-0000-4000-8000-000000000001"
            case "other tenant": part["tenant"] = other["realm"]
            case "common" | "organizations" | "consumers": part["tenant"] = kind
            case "alias": part["environment"] = pick(next(
                (group["aliases"] for group in ALIASES if entry["environment"] in group["aliases"]), [entry["environment"]]))
            case "upper host": part["environment"] = entry["environment"].upper()
            case "other cloud": part["environment"] = pick(["login.microsoftonline.us", "login.chinacloudapi.cn"])
            case "account case": part["account"] = (part["account"] or "").upper() or None
            case "client case": part["client"] = part["client"].upper()
            case "tenant case": part["tenant"] = part["tenant"].upper()
            case "wrong account": part["account"] = "nobody." + entry["realm"]
            case "other account": part["account"] = other.get("home_account_id")
        return Query(kind, part["client"], part["environment"], part["tenant"], tuple(part["scopes"]), part["account"])


class Msal:
    """MSAL's own silent lookup over a document, with a service that refuses every renewal."""

    def __init__(self, cache: dict) -> None:
        self.pristine = json.loads(numbers.write(cache))
        self.cache = msal.SerializableTokenCache()
        self.service = IdentityService()
        self.applications: dict[tuple, msal.ClientApplication] = {}

    def answer(self, query: Query) -> Answer:
        # MSAL drops expired tokens while it searches: every question starts from the whole cache again.
        self.cache._cache = {name: dict(part) if isinstance(part, dict) else part
                             for name, part in self.pristine.items()}
        self.service.spent_refresh_tokens.clear()
        application = self._application(query)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if query.account is None:
                result = application.acquire_token_for_client(list(query.scopes))
            else:
                account = {"home_account_id": query.account, "environment": query.environment}
                try:
                    result = application.acquire_token_silent(list(query.scopes), account)
                except ValueError as error:  # After a miss MSAL refuses to renew with a reserved scope.
                    assert "reserved" in str(error), error
                    result = None
        token = (result or {}).get("access_token")
        return Answer(frozenset([token] if token else []), bool(self.service.spent_refresh_tokens))

    def _application(self, query: Query) -> msal.ClientApplication:
        key = (query.client, query.environment, query.tenant, query.account is None)
        if key not in self.applications:
            options = {"authority": f"https://{query.environment}/{query.tenant}", "token_cache": self.cache,
                       "http_client": self.service}
            made = (msal.ConfidentialClientApplication(query.client, client_credential="invented", **options)
                    if query.account is None else msal.PublicClientApplication(query.client, **options))
            self.applications[key] = made
        return self.applications[key]


class Sealed:
    """cachetool's answer, one process for each question."""

    def __init__(self, cache: dict, root: pathlib.Path) -> None:
        self.tool = Cachetool(root)
        self.tool.run("import", "--json", "-", stdin=numbers.write(cache).encode())

    def answer(self, query: Query) -> tuple[str, str | None]:
        """The decision, and the SHA-256 of the token where there is one."""
        account = ["--account", query.account] if query.account is not None else []
        outcome = self.tool.attempt(
            "lookup", *account, "--client", query.client, "--scopes", " ".join(query.scopes), "--tenant", query.tenant,
            "--environment", query.environment, "--json", "--reveal", "--yes")
        if outcome.exit_code == 2:
            return "refused", None
        if outcome.exit_code not in (0, 3):
            raise AssertionError(f"lookup ended with {outcome.exit_code}: {outcome.messages}")
        answer = outcome.document
        secret = answer.get("secret") if answer["decision"] == "hit" else None
        return answer["decision"], digest(secret) if secret else None


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def reasons(cache: dict, now: int, query: Query) -> tuple[str, ...]:
    """The smallest set of rules that turns MSAL's answer into ours."""
    wanted = Model(cache, now, set(RULES)).answer(query)
    for size in range(len(RULES) + 1):
        for rules in itertools.combinations(RULES, size):
            if Model(cache, now, set(rules)).answer(query) == wanted:
                return rules
    raise AssertionError("no set of rules explains it")


class Report:
    """Counts agreements, differences by reason, and what has no reason."""

    def __init__(self) -> None:
        self.questions = collections.Counter()
        self.decisions = collections.Counter()
        self.differences: collections.Counter[str] = collections.Counter()
        self.unexplained: list[str] = []

    def describe(self) -> str:
        lines = [f"{sum(self.questions.values())} questions: " + ", ".join(
            f"{count} {name}" for name, count in self.decisions.most_common())]
        lines += [f"  {self.differences[rule]:4} differ because {sentence}" for rule, sentence in RULES.items()
                  if self.differences[rule]]
        lines += [f"  UNEXPLAINED {line}" for line in self.unexplained[:20]]
        return "\n".join(lines)


def compare(cache: dict, root: pathlib.Path, *, queries: int, seed: int) -> Report:
    report = Report()
    questions, theirs, ours = Questions(cache, seed), Msal(cache), Sealed(cache, root)
    for number in range(queries):
        query = questions.next()
        now = int(time.time())
        expected_theirs = Model(cache, now, set()).answer(query)
        expected_ours = Model(cache, now, set(RULES)).answer(query)
        their_answer = theirs.answer(query)
        our_decision, our_token = ours.answer(query)
        report.questions[query.kind] += 1
        report.decisions[our_decision] += 1

        name = f"question {number} ({query.kind}, seed {seed})"
        if their_answer.decision != expected_theirs.decision or not their_answer.tokens <= expected_theirs.tokens:
            report.unexplained.append(f"{name}: MSAL says {their_answer.decision}, its model {expected_theirs.decision}")
        if our_decision == "refused" and not query.scopes:
            our_decision = "interaction"
        if our_decision != expected_ours.decision or (
                our_token is not None and our_token not in {digest(token) for token in expected_ours.tokens}):
            report.unexplained.append(f"{name}: cachetool says {our_decision}, its model {expected_ours.decision}")
        agree = their_answer.decision == our_decision and (
            our_token is None or our_token in {digest(token) for token in their_answer.tokens})
        if not agree:
            report.differences.update(reasons(cache, now, query))
    return report


if __name__ == "__main__":
    by_hand.run(__doc__, "queries", 1000, lambda root, size, seed: compare(
        document.make(seed=seed, now=int(time.time())), root, queries=size, seed=seed))
