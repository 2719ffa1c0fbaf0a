# SPDX-License-Identifier: Apache-2.0
"""Signing in, renewing and signing out where endpoints are on other hosts than the issuer, or where there is no metadata."""

from __future__ import annotations

import json

import pytest
import secret_search
from provider_log import digest
from provider_shapes import COGNITO_DOMAIN
from test_client_secrets import SECRET, opened_records, written
from test_command_line import CLIENT, Shell

GOOGLE = "https://accounts.google.com"
COGNITO = "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_Contoso"
GITHUB = ("--token-endpoint", "https://github.com/login/oauth/access_token", "--device-authorization-endpoint",
          "https://github.com/login/device/code")


@pytest.fixture
def shell(tmp_path, provider):
    shell = Shell(tmp_path, provider)
    # These providers refuse offline_access.
    shell.scopes = "files.read"
    return shell


def check_renewals(shell, provider, *options: str) -> None:
    """Two renewals, of which each redeems the latest refresh token."""
    assert json.loads(shell.token("--json").stdout)["source"] == "cache"
    for _ in range(2):
        done = shell.token("--force-refresh", "--json", *options)
        assert done.returncode == 0 and json.loads(done.stdout)["source"] == "renewal", done.stderr
    issued = provider.log("tokens")
    latest, spent = None, []
    for each in issued:
        if "spent" in each:
            assert each["spent"] == latest
            spent.append(latest)
        latest = each.get("refresh", {}).get("id", latest)
    assert len(spent) == 2 and not provider.log("reused")


@pytest.mark.parametrize("iss", ["https://accounts.google.com", "accounts.google.com"])
@pytest.mark.parametrize("way", ["browser", "code"])
@pytest.mark.parametrize("has_secret", [True, False])
def test_googles_layout(shell, provider, tmp_path, has_secret, way, iss):
    """Google gives secrets to apps of the desktop, which cannot keep them, and demands them."""
    provider.authority = GOOGLE
    provider.fault(claims={"iss": iss}, count=10)
    credential, place = [], []
    if has_secret:
        provider.policy(secrets={CLIENT: [digest(SECRET)]}, methods=["client_secret_post", "client_secret_basic"])
        credential, place = ["--client-secret-file", str(written(tmp_path / "secret", SECRET))], ["--authority", GOOGLE]
    done = (shell.sign_in if way == "code" else shell.sign_in_with_browser)(*credential)
    assert done.returncode == 0, done.stderr
    [accounts] = [json.loads(shell.run("accounts", "--json").stdout)["accounts"]]
    assert [each["issuer"] for each in accounts] == [GOOGLE]
    check_renewals(shell, provider, *place, *credential)
    assert not secret_search.has(opened_records(shell) + shell.said + shell.seen, SECRET)
    done = shell.run("sign-out", "canary-alice@contoso.example", "--client", CLIENT, "--revoke", "--yes", "--json", *place,
                     *credential)
    assert done.returncode == 0 and json.loads(done.stdout)["revocation"] == "done", done.stderr
    assert len(provider.log("revoked")) == 1 and shell.token().returncode == 3


def test_no_other_issuer_may_omit_the_scheme_nor_another_host_pass_for_googles(shell, provider):
    for authority, iss in ((GOOGLE, "accounts.google.com."), (GOOGLE, "http://accounts.google.com"),
                           (COGNITO, COGNITO.removeprefix("https://"))):
        provider.authority = authority
        provider.fault(claims={"iss": iss})
        done = shell.sign_in_with_browser()
        assert done.returncode == 1 and "issuer" in done.stderr, done.stderr
    assert not shell.left()


def test_cognitos_layout(shell, provider):
    provider.authority = COGNITO
    done = shell.sign_in_with_browser("--redirect-uri", "http://localhost")
    assert done.returncode == 0, done.stderr
    check_renewals(shell, provider)
    assert {each["host"] for each in provider.log("metadata")} == {"cognito-idp.eu-west-1.amazonaws.com"}
    name = json.loads(shell.token("--json").stdout)["username"]
    done = shell.run("sign-out", name, "--client", CLIENT, "--revoke", "--yes", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["revocation"] == "done", done.stderr
    done = shell.finish(shell.start_with_browser("--device-code"))
    assert done.returncode == 1 and "device" in done.stderr and COGNITO_DOMAIN not in done.stderr, done.stderr


def test_githubs_layout_by_endpoints_that_are_named(shell, provider):
    provider.authority = "https://github.com"
    provider.policy(lifetime=28800)
    done = shell.sign_in(*GITHUB, "--account", "octocat")
    assert done.returncode == 0 and "octocat" in done.stderr, done.stderr
    assert not provider.log("metadata")
    [account] = json.loads(shell.run("accounts", "--json").stdout)["accounts"]
    assert (account["home_account_id"], account["issuer"]) == ("octocat", "https://github.com")
    done = shell.token("--authority", "https://github.com", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["source"] == "cache", done.stderr
    for _ in range(2):
        done = shell.token("--force-refresh", "--json", *GITHUB[:2])
        assert done.returncode == 0 and json.loads(done.stdout)["source"] == "renewal", done.stderr
    # Somebody else spent the token: an error with the status of a success is one all the same, and the advice names all.
    provider.policy(refusal={"error": "bad_refresh_token"})
    done = shell.token("--force-refresh", *GITHUB)
    assert done.returncode == 3, done.stderr
    assert f"--scopes files.read {' '.join(GITHUB)} --device-code --account octocat" in done.stderr, done.stderr
    done = shell.run("sign-out", "octocat", "--client", CLIENT, "--revoke", "--yes", "--json", *GITHUB[:2])
    assert done.returncode == 9 and json.loads(done.stdout)["revocation"] == "not_supported", done.stderr
    assert json.loads(shell.run("accounts", "--json").stdout)["accounts"] == []


def test_a_browser_works_with_named_endpoints_and_the_caller_says_who_it_is(shell, provider):
    base = provider.authority
    named = ("--token-endpoint", f"{base}/token", "--authorization-endpoint", f"{base}/authorize", "--revocation-endpoint",
             f"{base}/revoke")
    shell.scopes = "offline_access files.read"
    for name, user in (("ada", "alice"), ("bea", "bob")):
        done = shell.sign_in_with_browser(*named, "--account", name, user=user)
        assert done.returncode == 0, done.stderr
    first, second = ([each["access"] for each in provider.log("tokens")])
    for name, access in (("ada", first), ("bea", second)):
        shown = shell.token("--account", name, "--authority", base, "--json", "--reveal", "--yes")
        assert json.loads(shown.stdout)["secret"].split(".")[0] == access
    done = shell.run("sign-out", "ada", "--client", CLIENT, "--revoke", "--yes", "--json", *named)
    assert done.returncode == 0 and json.loads(done.stdout)["revocation"] == "done", done.stderr
    assert not provider.log("metadata")


@pytest.mark.parametrize("options, problem", [
    (GITHUB, "Name the user with --account"), ((*GITHUB, "--account", "octocat@https://example.org"), "another authority's"),
    ((*GITHUB, "--account", " "), "name the account"),
    (GITHUB[2:], "needs --token-endpoint"), ((*GITHUB, "--endpoint-host", "api.github.com"), "either"),
    (("--token-endpoint", "http://github.com/token", "--account", "octocat"), "only https"),
    (("--token-endpoint", "github.com/token", "--account", "octocat"), "not an absolute URL"),
])
def test_endpoints_that_cannot_be_used_are_usage_errors(shell, provider, options, problem):
    done = shell.run("sign-in", "--device-code", "--authority", "https://github.com", "--client", CLIENT, "--scopes", "repo", *options)
    assert done.returncode == 2 and problem in done.stderr, done.stderr
    assert not provider.log() and not shell.left()
