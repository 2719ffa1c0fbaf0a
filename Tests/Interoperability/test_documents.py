# SPDX-License-Identifier: Apache-2.0
"""MSAL for Python edits documents of a group: each application is a process, and so is what merges for it.

The scenarios are those in which importing an edited cache loses data: a renewal, an older cache that is written back, a
sign-out elsewhere, a removed account, a sign-in after a sign-out, and keys of another library."""

from __future__ import annotations

import base64
import collections.abc
import json
import pathlib
import subprocess
import sys

import msal
import pytest

from caches.service import IdentityService
from cachetool import programs

CLIENT = "11111111-2222-3333-4444-555555555555"
OTHER = "99999999-2222-3333-4444-555555555555"
UID, UTID = "aaaaaaaa-0000-0000-0000-000000000001", "bbbbbbbb-0000-0000-0000-000000000002"
SCOPES = ["https://graph.microsoft.com/User.Read"]


def encoded(claims: dict) -> str:
    return base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")


def response(number: int, family: str | None = None) -> dict:
    """What the server answers to a sign-in or a renewal."""
    claims = {"iss": f"https://login.microsoftonline.com/{UTID}/v2.0", "sub": "sub", "oid": UID, "tid": UTID, "aud": CLIENT,
              "exp": 4102444800, "iat": number, "preferred_username": "ann@contoso.com"}
    answer = {"token_type": "Bearer", "scope": " ".join(SCOPES), "expires_in": 3600, "access_token": f"at{number}",
              "refresh_token": f"rt{number}", "client_info": encoded({"uid": UID, "utid": UTID}),
              "id_token": f"{encoded({'alg': 'none'})}.{encoded(claims)}.x"}
    return answer | ({"foci": family} if family else {})


class Application:
    """An application in a process of its own: this file, run as a program, with what merges for it beside it."""

    def __init__(self, root: pathlib.Path, client: str) -> None:
        self.client = client
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(root), client], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            cwd=pathlib.Path(__file__).parent)

    def do(self, *words: object) -> str:
        self.process.stdin.write(" ".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        assert answer, f"{words} ended the application"
        return answer

    def close(self) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(timeout=60) == 0


@pytest.fixture
def start(tmp_path: pathlib.Path) -> collections.abc.Iterator[collections.abc.Callable[..., Application]]:
    root = tmp_path / "root"
    root.mkdir(mode=0o700)
    started: list[Application] = []

    def begin(client: str = CLIENT) -> Application:
        started.append(Application(root, client))
        return started[-1]

    yield begin
    for application in started:
        application.close()


def tokens(application: Application) -> str:
    return application.do("tokens")


def test_a_renewal_replaces_the_refresh_token(start) -> None:
    one, two = start(), start()
    one.do("load")
    one.do("sign-in", 1)
    assert one.do("store").startswith("written")
    one.do("load")
    assert one.do("renew", 2) == "at2"
    one.do("store")
    assert tokens(two) == "at2 rt2"


def test_an_older_cache_does_not_undo_a_renewal(start) -> None:
    one, two = start(), start()
    one.do("load")
    one.do("sign-in", 1)
    one.do("store")
    two.do("load")
    one.do("load")
    one.do("renew", 2)
    one.do("store")
    # It has the old refresh token, and writes an access token of another resource.
    two.do("add", "at7", "other.scope")
    two.do("store")
    assert tokens(one) == "at2 at7 rt2"


def test_a_sign_out_elsewhere_is_not_lifted(start) -> None:
    one, two = start(), start()
    one.do("load")
    one.do("sign-in", 1)
    one.do("store")
    two.do("load")
    one.do("load")
    one.do("sign-out")
    assert "signed-out 1" in one.do("store")
    two.do("renew", 2)
    assert "written 0 removed 0 signed-out 0" in two.do("store")
    assert tokens(one) == "none"


def test_a_removed_account_is_signed_out_also_step_by_step(start) -> None:
    one, two = start(), start()
    one.do("load")
    one.do("sign-in", 1)
    one.do("store")
    two.do("load")
    # What MSAL's extensions do: each step of the sign-out is stored.
    assert "signed-out 1" in two.do("sign-out-in-steps")
    assert tokens(one) == "none"


def test_a_sign_in_after_a_sign_out_brings_the_account_back(start) -> None:
    one, two = start(), start()
    one.do("load")
    one.do("sign-in", 1)
    one.do("store")
    one.do("sign-out")
    one.do("store")
    two.do("load")
    two.do("sign-in", 2)
    assert "refused 0" in two.do("store")
    assert tokens(one) == "at2 rt2"


def test_the_key_of_another_library_is_replaced(start) -> None:
    one, two = start(), start()
    one.do("load")
    one.do("sign-in", 1)
    one.do("rename-refresh-token")
    one.do("store")
    two.do("load")
    two.do("sign-in", 2)
    two.do("store")
    assert tokens(one) == "at2 rt2"


def test_a_member_of_the_family_renews_with_the_token_of_another(start) -> None:
    one, two = start(), start(OTHER)
    one.do("load")
    one.do("sign-in", 1, "1")
    one.do("store")
    two.do("load")
    assert two.do("renew", 2, "1") == "at2"
    two.do("store")
    assert tokens(one) == "at1 rt2"
    one.do("load")
    one.do("sign-out")
    one.do("store")
    assert tokens(one) == "none"
    assert tokens(two) == "at2 rt2"


def serve(root: str, client: str) -> None:
    """What an application does: one word a line."""
    worker = subprocess.Popen([programs() / "group-worker", "documents", "--root", root, "--storage", "file"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert worker.stdout.readline() == "ready\n"

    def ask(line: str) -> str:
        worker.stdin.write(line + "\n")
        worker.stdin.flush()
        return worker.stdout.readline().rstrip("\n")

    service = IdentityService()
    cache = msal.SerializableTokenCache()
    application = msal.PublicClientApplication(client, authority=f"https://login.microsoftonline.com/{UTID}",
                                               token_cache=cache, http_client=service)

    def store() -> str:
        return ask("merge " + json.dumps(json.loads(cache.serialize())))

    def sign_in(number: str, family: str | None = None) -> str:
        service.answer = response(int(number), family)
        result = application.acquire_token_by_authorization_code("code", SCOPES, redirect_uri="http://localhost")
        return result.get("access_token") or json.dumps(result)

    def renew(number: str, family: str | None = None) -> str:
        service.answer = response(int(number), family)
        account = application.get_accounts()[0]
        result = application.acquire_token_silent_with_error(SCOPES, account, force_refresh=True)
        return (result or {}).get("access_token") or json.dumps(result)

    def sign_out() -> str:
        for account in application.get_accounts():
            application.remove_account(account)
        return "done"

    def sign_out_in_steps() -> str:
        answers: list[str] = []
        modify = cache.modify

        def modify_and_store(*arguments: object, **keywords: object) -> None:
            modify(*arguments, **keywords)
            answers.append(store())

        cache.modify = modify_and_store
        sign_out()
        return "; ".join(answers)

    def add(token: str, scope: str) -> str:
        answer = response(0) | {"access_token": token, "scope": scope}
        del answer["refresh_token"]
        cache.add({"client_id": client, "scope": [scope], "token_endpoint": f"https://login.microsoftonline.com/{UTID}/token",
                   "response": answer})
        return "done"

    def rename() -> str:
        document = json.loads(cache.serialize())
        document["RefreshToken"] = {key.upper(): entry for key, entry in document["RefreshToken"].items()}
        cache.deserialize(json.dumps(document))
        return "done"

    def load() -> str:
        cache.deserialize(ask("read " + client))
        return "done"

    def seen() -> str:
        document = json.loads(ask("read " + client))
        found = [entry["secret"] for name in ("AccessToken", "RefreshToken") for entry in document[name].values()]
        return " ".join(sorted(found)) or "none"

    words = {"load": load, "store": store, "sign-in": sign_in, "renew": renew, "sign-out": sign_out, "add": add,
             "sign-out-in-steps": sign_out_in_steps, "rename-refresh-token": rename, "tokens": seen}
    for line in sys.stdin:
        word, *rest = line.split()
        print(words[word](*rest), flush=True)
    worker.stdin.close()
    sys.exit(worker.wait(timeout=60))


if __name__ == "__main__":
    serve(*sys.argv[1:])
