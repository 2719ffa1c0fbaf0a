# SPDX-License-Identifier: Apache-2.0
"""The search for secrets finds them."""

from __future__ import annotations

import base64

import pytest
import secret_search


@pytest.mark.parametrize("text", ["at-1.canary00", "Canary alice", "xcanary", "xxCanary-alice@contoso.example"])
def test_the_search_finds_what_it_looks_for(text):
    secret = text.encode()
    for form in secret, base64.b64encode(secret), base64.urlsafe_b64encode(b"{" + secret), secret.hex().encode(), secret.hex(" ").encode():
        assert secret_search.has_secret(b"before " + form + b" after")


def test_the_search_finds_the_verifier_of_a_challenge():
    # The example of RFC 7636, appendix B.
    verifier, challenge = b"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    assert secret_search.has_verifier(b"code_verifier=" + verifier + b"0&", {challenge})
    assert not secret_search.has_verifier(challenge.encode() + verifier[1:], {challenge})


def test_the_search_finds_nothing_else():
    assert not secret_search.has_secret(b"can any token, code or name be seen? rt-00112233")


@pytest.mark.parametrize("before", ["", "x", "xx"])
def test_the_search_for_one_secret_finds_it_as_forms_encode_it_and_no_other(before):
    secret = "canary 100 %+&"
    for text in secret, "canary+100+%25%2B%26", "canary%20100%20%25%2B%26":
        data = f"{before}{text}:".encode()
        for form in data, base64.b64encode(data), data.hex().encode(), text.encode("utf-16-le"):
            assert secret_search.has(b"before " + form + b" after", secret)
    assert not secret_search.has(b"at-1.canary00 " + base64.b64encode(b"canary 101 %+&"), secret)
