# SPDX-License-Identifier: Apache-2.0
"""MSAL Python signs in at the strict provider; its cache is imported, and both libraries answer alike.

Only one of them renews: two holders of a refresh token would end the sign-in.
"""

from __future__ import annotations

import msal
import pytest
import requests

CONTOSO = "contoso.onmicrosoft.com"
AUTHORITIES = [
    f"https://login.microsoftonline.com/{CONTOSO}", "https://login.microsoftonline.com/common",
    f"https://contoso.b2clogin.com/{CONTOSO}/b2c_1_susi", f"https://contoso.ciamlogin.com/{CONTOSO}",
    "https://idp.test/contoso",
]
#: Leads nowhere, so that a library that has to renew shows it.
NOWHERE = "http://127.0.0.1:9"
#: Scopes that are asked for after a sign-in with `files.read mail.read`.
QUERIES = ["files.read", "mail.read", "mail.read files.read", "files.write", "files.read files.write"]


@pytest.fixture
def peer(machine, provider):
    made = Msal(machine, provider)
    yield made
    made.close()


class Msal:
    """One cache of MSAL's, for clients with and without a network."""

    def __init__(self, machine, provider) -> None:
        self.cache = msal.SerializableTokenCache()
        self.machine, self.provider = machine, provider
        self.sessions: list[requests.Session] = []

    def close(self) -> None:
        for session in self.sessions:
            session.close()

    def client(self, proxy: str) -> msal.PublicClientApplication:
        session = requests.Session()
        session.trust_env, session.verify, session.proxies = False, self.provider.roots, {"https": self.provider.proxy}
        kind = "oidc_authority" if "idp.test" in self.machine.authority else "authority"
        # It asks for metadata when it is made.
        app = msal.PublicClientApplication(self.machine.client, **{kind: self.machine.authority}, token_cache=self.cache,
                                           http_client=session, instance_discovery=False)
        session.proxies = {"https": proxy}
        self.sessions.append(session)
        return app

    def sign_in(self, scopes: list[str]) -> dict:
        app = self.client(self.provider.proxy)
        flow = app.initiate_device_flow(scopes)
        self.provider.decide(flow["user_code"])
        return app.acquire_token_by_device_flow(flow)

    def silent(self, app: msal.PublicClientApplication, scopes: str) -> str:
        """The public part of a token, or that it would renew."""
        try:
            answer = app.acquire_token_silent_with_error(scopes.split(), account=app.get_accounts()[0])
        except requests.exceptions.ConnectionError:
            return "renewal"
        return answer["access_token"].split(".")[0]


def silent(machine, scopes: str) -> str:
    report = machine.run("silent", "--scopes", scopes, HTTPS_PROXY=NOWHERE)
    return report.get("token") or {"networkFailed": "renewal"}.get(report["code"], report["code"])


@pytest.mark.parametrize("authority", AUTHORITIES)
def test_both_answer_alike_and_one_renews(machine, provider, peer, tmp_path, authority):
    machine.authority = authority
    signed_in = peer.sign_in(["files.read", "mail.read"])
    assert "access_token" in signed_in, signed_in
    exported = tmp_path / "msal.json"
    exported.write_text(peer.cache.serialize())
    assert machine.run("import", "--file", str(exported))["event"] == "import"

    offline = peer.client(NOWHERE)
    answers = {scopes: (peer.silent(offline, scopes), silent(machine, scopes)) for scopes in QUERIES}
    token = signed_in["access_token"].split(".")[0]
    assert answers["files.read"] == (token, token) and answers["files.write"] == ("renewal", "renewal")
    assert all(theirs == ours for theirs, ours in answers.values()), answers
    # The one difference: MSAL Python minds the case of scopes; this library does not, as MSAL for Objective-C.
    assert (peer.silent(offline, "Files.Read"), silent(machine, "Files.Read")) == ("renewal", token)

    # This library renews with the refresh token that MSAL was granted, again and again; MSAL never does.
    for _ in range(2):
        report = machine.run("silent", "--force", "yes")
        assert report["source"] == "renewal", report
    assert peer.silent(offline, "files.read") == token
    renewals = provider.log("tokens", grant="refresh_token")
    assert len(renewals) == 2 and renewals[0]["spent"] == provider.log("tokens")[0]["refresh"]["id"]
    assert not provider.log("reused")


def test_two_holders_of_a_refresh_token_end_the_sign_in(machine, provider, peer, tmp_path):
    machine.authority = AUTHORITIES[0]
    peer.sign_in(["files.read"])
    exported = tmp_path / "msal.json"
    exported.write_text(peer.cache.serialize())
    machine.run("import", "--file", str(exported))
    assert machine.run("silent", "--force", "yes")["source"] == "renewal"
    app = peer.client(provider.proxy)
    refused = app.acquire_token_silent_with_error(["files.read"], app.get_accounts()[0], force_refresh=True)
    assert refused["error"] == "invalid_grant" and len(provider.log("reused")) == 1
    assert machine.run("silent", "--force", "yes")["code"] == "interactionRequired"
