# SPDX-License-Identifier: Apache-2.0
"""Signing in, getting tokens and signing out, at each kind of authority that the strict provider plays."""

from __future__ import annotations

import time

import pytest

CONTOSO = "contoso.onmicrosoft.com"


@pytest.mark.parametrize("authority", [
    None, "https://login.microsoftonline.com/common", "https://login.microsoftonline.com/organizations",
    f"https://login.microsoftonline.com/{CONTOSO}", f"https://contoso.b2clogin.com/{CONTOSO}/b2c_1_susi",
    f"https://contoso.ciamlogin.com/{CONTOSO}", "https://idp.test/contoso",
    "https://adfs.test/adfs",
])
def test_a_sign_in_is_renewed_without_the_user(machine, provider, authority):
    machine.authority = authority or machine.authority
    signed_in = machine.sign_in()
    assert (signed_in["event"], signed_in["source"]) == ("token", "deviceCode"), signed_in
    assert machine.run("silent") == {"event": "token", "source": "cache", "token": signed_in["token"]}
    first = machine.run("silent", "--force", "yes", program="mail-app")
    second = machine.run("silent", "--force", "yes")
    assert first["source"] == second["source"] == "renewal"
    issued = provider.log("tokens")
    assert [each["access"] for each in issued] == [signed_in["token"], first["token"], second["token"]]
    # Each refresh token is spent once, by the next renewal.
    assert [each["spent"] for each in issued[1:]] == [each["refresh"]["id"] for each in issued[:2]]
    assert not provider.log("reused")


def test_signing_out_revokes_the_refresh_token(machine, provider):
    machine.sign_in()
    assert machine.run("sign-out") == {"event": "sign-out", "revocation": "done"}
    assert [each["chain"] for each in provider.log("revoked")] == [provider.log("tokens")[0]["chain"]]
    assert machine.run("silent")["code"] == "interactionRequired"


def test_a_user_who_declines_is_reported(machine):
    assert machine.sign_in(user=None)["code"] == "declinedByUser"


def test_members_of_a_family_share_a_sign_in(machine, provider):
    other = "6c051b1e-0000-4000-8000-00000000000b"
    machine.authority = "https://login.microsoftonline.com/common"
    provider.policy(families={machine.client: "1", other: "1"})
    machine.sign_in()
    assert machine.run("silent", program="mail-app", client=other)["source"] == "renewal"
    assert machine.run("silent", "--force", "yes")["source"] == "renewal"
    assert not provider.log("reused")
    # Without a family the refresh token is bound to its client (RFC 6749, section 10.4).
    assert machine.run("silent", client="6c051b1e-0000-4000-8000-00000000000c")["code"] == "interactionRequired"


def test_declined_scopes_are_reported_with_the_token_for_the_others(machine, provider):
    provider.policy(declined=["files.write"])
    scopes = ("--scopes", "files.read files.write")
    report = machine.sign_in(*scopes)
    assert (report["code"], report["declined"]) == ("scopesDeclined", "files.write"), report
    assert "files.read" in report["granted"]
    # A renewal never asks for what was not granted.
    report = machine.run("silent", "--force", "yes", *scopes)
    assert (report["code"], report["declined"]) == ("interactionRequired", "files.write"), report


def test_a_challenge_leads_to_the_user_with_its_claims(machine, provider):
    machine.sign_in()
    claims = '{"access_token":{"acrs":{"essential":true,"value":"c1"}}}'
    provider.policy(challenge=claims)
    refused = machine.run("silent", "--force", "yes")
    assert (refused["code"], refused["claims"]) == ("interactionRequired", claims)
    assert machine.run("silent", "--claims", claims)["source"] == "renewal"


def test_a_token_that_should_be_renewed_early_is_renewed_in_the_background(machine, provider):
    provider.policy(refresh_in=1)
    machine.sign_in()
    app = machine.start("silent", "--interval", "50")
    first, second = app.next_report(), app.next_report()
    assert (first["source"], second["source"]) == ("cache", "cache") and first["token"] != second["token"]
    app.finish()
    assert not provider.log("reused")


def test_an_expired_token_is_used_while_the_server_is_down_if_the_application_agreed(machine, provider):
    provider.policy(lifetime=2, ext_expires_in=3600)
    machine.options = ["--margin", "0"]
    signed_in = machine.sign_in()
    time.sleep(2.5)
    provider.fault(status=503, count=10)
    extended = machine.run("silent", "--extended", "yes")
    assert extended == {"event": "token", "source": "cacheWhileServerUnavailable", "token": signed_in["token"]}
    assert machine.run("silent")["code"] in ("serverUnavailable", "throttled")


def test_a_cloud_that_microsofts_service_confirms_is_used_and_added_roots_tell_no_other_process_its_hosts(machine, provider):
    host = ("--entra-host", "login.newcloud.test")
    assert machine.sign_in(*host)["event"] == "token"
    assert machine.run("silent", "--force", "yes", *host)["source"] == "renewal"
    # Only added roots vouch for this cloud, so the group does not keep which hosts it has.
    assert machine.run("silent", "--entra-host", "sts.newcloud.test")["code"] == "interactionRequired"
    assert {each["host"] for each in provider.log("instance")} == {host[1]}


def test_a_host_that_microsofts_service_does_not_confirm_gets_no_request(machine, provider):
    assert machine.sign_in("--entra-host", "login.unknown.test")["code"] == "authorityRejected"
    assert [each["host"] for each in provider.log("instance")] == ["login.unknown.test"]
    assert not provider.log("metadata") and not provider.log("answer")
