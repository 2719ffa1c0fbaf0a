# SPDX-License-Identifier: Apache-2.0
"""Answers that no provider should give: each is an error that says so, and the sign-in outlives it."""

from __future__ import annotations

import time

import pytest

FORCED = ("--force", "yes")

HTML = {"status": 200, "body": "<html>Sign in to the hotel's network</html>", "type": "text/html"}

#: An answer to a renewal in place of tokens, and the code of the error. The refresh token was not spent.
IN_PLACE_OF_TOKENS = {
    "HTML": (HTML, "responseRejected"),
    "HTML that claims to be JSON": ({**HTML, "type": "application/json"}, "responseRejected"),
    "an error with status 200": ({"status": 200, "body": {"error": "invalid_request"}}, "responseRejected"),
    "nothing": ({"status": 200, "body": ""}, "responseRejected"),
    "a list": ({"status": 200, "body": "[]"}, "responseRejected"),
    "10 MB": ({"status": 200, "body": '{"a":"' + "x" * 10_000_000 + '"}'}, "networkFailed"),
    "a redirect": ({"status": 307, "headers": {"Location": "/fabrikam/token"}}, "responseRejected"),
    "an outage": ({"status": 503, "body": {"error": "temporarily_unavailable"}}, "serverUnavailable"),
    "an outage in HTML": ({**HTML, "status": 502}, "serverUnavailable"),
    "no answer in time": ({"status": 200, "body": {}, "delay": 4}, "timeout"),
    "a byte a second": ({"status": 200, "body": {"error": "server_error"}, "drip": True}, "timeout"),
    "half an answer": ({"status": 503, "body": {"error": "server_error"}, "tear": True}, "networkFailed"),
}


@pytest.mark.parametrize("name", IN_PLACE_OF_TOKENS)
def test_a_renewal_that_fails_loses_nothing(machine, provider, name):
    fault, code = IN_PLACE_OF_TOKENS[name]
    machine.sign_in()
    provider.fault(**fault)
    report = machine.run("silent", *FORCED, "--timeout", "2")
    assert report["event"] == "error" and report["code"] == code, report
    assert len(provider.log("answer", endpoint="token", fault=True)) == 1
    # What is noted of an outage keeps the next renewal waiting, but nobody has to sign in.
    assert machine.run("silent")["source"] == "cache"
    if code != "serverUnavailable":
        assert machine.run("silent", *FORCED)["source"] == "renewal"
    assert not provider.log("reused")


def test_a_server_that_asks_for_time_is_left_alone_by_all_processes(machine, provider):
    machine.sign_in()
    provider.fault(status=429, body={"error": "slow_down"}, headers={"Retry-After": "3"})
    assert machine.run("silent", *FORCED)["code"] == "throttled"
    before = len(provider.log("answer"))
    assert machine.run("silent", *FORCED, program="mail-app")["code"] == "throttled"
    assert len(provider.log("answer")) == before
    time.sleep(4)
    assert machine.run("silent", *FORCED, program="mail-app")["source"] == "renewal"


@pytest.mark.parametrize("claims, code", [
    ({"exp": -600}, "idTokenRejected"), ({"iat": 600}, "idTokenRejected"), ({"nbf": 600}, "idTokenRejected"),
    ({"aud": "another-client"}, "idTokenRejected"), ({"azp": "another-client"}, "idTokenRejected"),
    ({"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, "idTokenRejected"),
    ({"iss": "https://localhost/fabrikam"}, "issuerRejected"), ({"sub": ""}, "idTokenRejected"),
])
def test_an_id_token_that_is_not_for_this_sign_in_leaves_nothing(machine, provider, claims, code):
    # Times are relative to now: the test may begin long after its parameters were made.
    claims = {name: int(time.time()) + value if isinstance(value, int) else value for name, value in claims.items()}
    # The first answer says that the user has not signed in yet.
    provider.fault(status=400, body={"error": "authorization_pending"})
    provider.fault(claims=claims)
    assert machine.sign_in()["code"] == code
    assert machine.run("silent")["code"] == "interactionRequired"


@pytest.mark.parametrize("claim, offset", [("exp", -600), ("iat", 600)])
def test_a_clock_that_is_ten_minutes_off_does_not_lose_a_renewal(machine, provider, claim, offset):
    machine.sign_in()
    provider.fault(claims={claim: int(time.time()) + offset})
    assert machine.run("silent", *FORCED)["source"] == "renewal"
    assert machine.run("silent", *FORCED)["source"] == "renewal"


@pytest.mark.parametrize("lifetime", [-1, 0, -(10**30), "soon", 10**30, 1e300, None])
def test_a_lifetime_that_cannot_be_does_not_lose_a_renewal(machine, provider, lifetime):
    machine.sign_in()
    provider.fault(patch={"expires_in": lifetime})
    machine.run("silent", *FORCED)
    # The token may be good for nothing; its successor is there all the same.
    assert machine.run("silent", *FORCED)["source"] == "renewal"
    assert not provider.log("reused")


def test_an_answer_that_is_lost_costs_one_sign_in(machine, provider):
    machine.sign_in()
    provider.fault(tear=True)
    assert machine.run("silent", *FORCED)["code"] == "networkFailed"
    assert machine.run("silent", *FORCED)["code"] == "interactionRequired"
    assert machine.sign_in()["event"] == "token"
    assert machine.run("silent", *FORCED)["source"] == "renewal"
    assert len(provider.log("reused")) == 1


def test_an_answer_that_comes_after_the_caller_gave_up_is_saved(machine, provider):
    machine.sign_in()
    provider.policy(delay=3)
    assert machine.run("silent", *FORCED, "--timeout", "1")["code"] == "timeout"
    provider.policy(delay=0)
    assert machine.run("silent", *FORCED, program="mail-app")["source"] == "renewal"
    assert not provider.log("reused") and len(provider.log("device")) == 1


METADATA = {
    "HTML": (HTML, "responseRejected"),
    "another type": ({"type": "text/plain"}, "responseRejected"),
    "10 MB": ({"patch": {"a": "x" * 10_000_000}}, "networkFailed"),
    "another issuer": ({"patch": {"issuer": "https://localhost/fabrikam"}}, "issuerRejected"),
    "tokens on another host": ({"patch": {"token_endpoint": "https://idp.test/contoso/token"}}, "authorityRejected"),
    "tokens over plain HTTP": ({"patch": {"token_endpoint": "http://idp.test/contoso/token"}}, "authorityRejected"),
    "no token endpoint": ({"patch": {"token_endpoint": None}}, "responseRejected"),
    "a redirect": ({"status": 302, "headers": {"Location": "https://idp.test/"}}, "responseRejected"),
    "an outage": ({"status": 503, "body": {}}, "serverUnavailable"),
    "half of it": ({"tear": True}, "networkFailed"),
}


@pytest.mark.parametrize("name", METADATA)
def test_metadata_that_cannot_be_believed_gets_no_token(machine, provider, name):
    fault, code = METADATA[name]
    machine.sign_in()
    provider.fault("metadata", **fault)
    before = len(provider.log("answer"))
    assert machine.run("silent", *FORCED)["code"] == code
    assert len(provider.log("answer")) == before
    assert machine.run("silent", *FORCED)["source"] == "renewal"


def test_an_authority_over_plain_http_is_refused(machine):
    machine.authority = "http://idp.test/contoso"
    assert machine.sign_in()["code"] == "configurationRejected"
