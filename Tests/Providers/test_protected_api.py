# SPDX-License-Identifier: Apache-2.0
"""From the address of an API to its answer: cachetool sign-in --for, and token --for."""

from __future__ import annotations

import json
import re
import shlex

import pytest
import secret_search
from protected_api import CALLER, owner, serving
from test_command_line import CLIENT, Shell

SCOPES = ["files.read", "offline_access"]


@pytest.fixture
def shell(tmp_path, provider):
    return Shell(tmp_path, provider)


@pytest.fixture
def api(tmp_path, provider):
    userinfo = owner(f"{provider.authority}/userinfo", provider.roots)
    with serving(tmp_path / "provider/provider.crt", [provider.authority], SCOPES, userinfo) as served:
        yield served


def sign_in(shell, provider, api, *options: str):
    provider.answer()
    return shell.run("sign-in", "--for", api.address, *options)


def client_of(provider) -> str:
    [registered] = provider.log("registered")
    return registered["client"]


def test_from_the_address_to_the_answer_with_two_commands(shell, provider, api):
    done = sign_in(shell, provider, api)
    assert done.returncode == 0 and provider.authority in done.stderr, done.stderr
    # Each is a process of its own.
    for options in ([], ["--force-refresh"], ["--force-refresh"]):
        called = shell.run("token", "--for", api.address, *options, "--", *CALLER, api.address)
        assert called.returncode == 0, called.stderr
        assert json.loads(called.stdout)["hello"]["name"] == "Canary alice"
    tokens = provider.log("tokens")
    assert {each["client"] for each in tokens} == {client_of(provider)} and len(tokens) == 3
    assert all(each["target"] == {"resource": api.address} for each in tokens) and not provider.log("reused")
    assert not any(secret_search.has_secret(path.read_bytes()) for path in shell.left()), "no secret of a client that has none"
    # The registration is used again, also with a code.
    report = json.loads(sign_in(shell, provider, api, "--json").stdout)
    assert report["client_id"] == client_of(provider) and len(provider.log("authorize")) == 2
    assert b".canary" not in shell.said
    again = sign_in(shell, provider, api, "--register")
    assert again.returncode == 0 and len(provider.log("registered")) == 2, again.stderr


def test_processes_that_sign_in_at_once_use_one_client(shell, provider, api):
    started = [shell.start("sign-in", "--for", api.address) for _ in range(4)]
    for _ in started:
        provider.answer()
    done = [shell.finish(process) for process in started]
    assert [each.returncode for each in done] == [0] * 4, [each.stderr for each in done]
    assert len({each["client"] for each in provider.log("tokens")}) == 1
    assert shell.run("token", "--for", api.address).returncode == 0


@pytest.mark.parametrize(("metadata", "faults", "said"), [
    ({"authorization_servers": ["https://evil.test/contoso"]}, {}, "certificate is for another host"),
    ({"authorization_servers": ["http://idp.test/contoso"]}, {}, "names none that is acceptable"),
    ({"resource": "https://bank.example/api"}, {}, "metadata of another resource"),
    ({"resource": "https://localhost/api\u001b[2J"}, {}, "metadata of another resource: it names none that is a URL"),
    ({"scopes_supported": ["files.read", "a\u0007"]}, {}, "scopes that are none"),
    ({}, {"metadata": {"issuer": "https://idp.test/contoso"}}, "names another issuer"),
    ({}, {"metadata": {"registration_endpoint": "https://idp.test/register"}}, "registration_endpoint is on another host, idp.test"),
    ({}, {"register": {"redirect_uris": ["http://127.0.0.1:1/elsewhere"]}}, "another redirect URI"),
    ({}, {"register": {"token_endpoint_auth_method": "client_secret_basic"}}, "has to authenticate with a secret"),
    ({}, {"register": {"client_id": "c\u0001"}}, "names no client"),
])
def test_what_cannot_be_believed_is_refused_and_leaves_nothing(shell, provider, api, metadata, faults, said):
    api.metadata |= metadata
    for endpoint, patch in faults.items():
        provider.fault(endpoint, patch=patch)
    done = shell.run("sign-in", "--for", api.address)
    assert done.returncode == 1 and said in done.stderr and "\x1b" not in done.stderr, done.stderr
    assert not provider.log("authorize") and not shell.left()
    assert shell.run("token", "--for", api.address).returncode == 3


def test_a_challenge_that_leads_to_another_server_is_refused(shell, provider, api):
    api.challenge = f'Bearer resource_metadata="{provider.authority}/metadata"'
    done = shell.run("sign-in", "--for", api.address)
    assert done.returncode == 1 and "its metadata on another server" in done.stderr, done.stderr


def test_of_several_authorities_one_is_chosen(shell, provider, api):
    other = "https://idp.test/contoso"
    api.metadata["authorization_servers"] = [other, provider.authority]
    refused = shell.run("sign-in", "--for", api.address)
    assert refused.returncode == 2 and f"{other}, {provider.authority}" in refused.stderr, refused.stderr
    assert "Use --authority." in refused.stderr and not provider.log("registered")
    assert sign_in(shell, provider, api, "--authority", other).returncode == 0
    assert sign_in(shell, provider, api, "--authority", provider.authority).returncode == 0
    # Each authority has a client of its own.
    assert len({each["client"] for each in provider.log("registered")}) == 2
    third = shell.run("sign-in", "--for", api.address, "--authority", "https://idp.test/fabrikam")
    assert third.returncode == 1 and "does not name it" in third.stderr, third.stderr


def test_without_registration_a_client_is_named(shell, provider, api):
    provider.fault("metadata", patch={"registration_endpoint": None}, count=10)
    refused = shell.run("sign-in", "--for", api.address)
    assert refused.returncode == 2 and "registers no clients: name one" in refused.stderr, refused.stderr
    assert sign_in(shell, provider, api, "--client", "notes").returncode == 0
    assert {each["client"] for each in provider.log("tokens")} == {"notes"}
    assert shell.run("token", "--for", api.address, "--force-refresh").returncode == 0


def test_at_an_authority_without_id_tokens_the_address_is_enough_too(shell, provider, api):
    provider.fault("metadata", patch={"scopes_supported": None, "id_token_signing_alg_values_supported": None}, count=10)
    done = sign_in(shell, provider, api)
    assert done.returncode == 0, done.stderr
    called = shell.run("token", "--for", api.address, "--force-refresh", "--", *CALLER, api.address)
    assert called.returncode == 0 and "Canary alice" in called.stdout, called.stderr
    assert {each["target"]["resource"] for each in provider.log("tokens")} == {api.address}


def test_at_an_authority_without_id_tokens_the_account_is_named_in_place_of_endpoints(shell, provider):
    named = ("--account", "bob")
    refused = shell.finish(shell.start_with_browser(*named))
    assert refused.returncode == 2 and "so name no account" in refused.stderr and not shell.left(), refused.stderr
    provider.fault("metadata", patch={"scopes_supported": None, "id_token_signing_alg_values_supported": None}, count=30)
    shell.scopes = "files.read offline_access"
    provider.fault(patch={"id_token": None})
    unnamed = shell.sign_in_with_browser()
    assert unnamed.returncode == 1 and "name the account" in unnamed.stderr, unnamed.stderr
    assert shell.sign_in_with_browser(*named).returncode == 0
    done = shell.token("--account", "bob", "--force-refresh", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["issuer"] == provider.authority, done.stderr
    # The sign-in that is advised names the account again, and can be typed as it is.
    provider.policy(refusal={"error": "invalid_grant"})
    refused = shell.token("--force-refresh")
    [advised] = re.findall("cachetool (sign-in .*)", refused.stderr)
    assert refused.returncode == 3 and "--account bob" in advised, refused.stderr
    provider.policy(refusal=None)
    provider.answer()
    assert shell.run(*shlex.split(advised)).returncode == 0
    assert shell.token("--force-refresh").returncode == 0
    assert shell.run("sign-out", "bob", "--client", CLIENT, "--revoke", "--yes").returncode == 0
    assert len(provider.log("revoked")) == 1


@pytest.mark.parametrize("error", ["invalid_client", "unauthorized_client"])
def test_a_client_that_the_authority_has_forgotten_is_registered_anew(shell, provider, api, error):
    assert sign_in(shell, provider, api).returncode == 0
    provider.policy(refusal={"error": error})
    refused = shell.run("token", "--for", api.address, "--force-refresh")
    assert refused.returncode == 1, refused.stderr
    advised = re.search(r"cachetool (sign-in .*--for \S+ --authority \S+ --register) registers", refused.stderr)
    assert advised, refused.stderr
    provider.policy(refusal=None)
    provider.answer()
    assert shell.run(*advised[1].split()).returncode == 0
    assert len(provider.log("registered")) == 2 and shell.run("token", "--for", api.address).returncode == 0


def test_the_advised_sign_in_is_for_the_same_account_and_scopes(shell, provider, api):
    provider.fault("metadata", patch={"scopes_supported": None, "id_token_signing_alg_values_supported": None}, count=10)
    assert sign_in(shell, provider, api, "--account", "bob", "--scopes", "files.read").returncode == 0
    provider.policy(refusal={"error": "invalid_grant"})
    refused = shell.run("token", "--for", api.address, "--force-refresh")
    assert refused.returncode == 3 and "--scopes files.read --account bob" in refused.stderr, refused.stderr


def test_an_endpoint_host_is_named_without_the_authority_too(shell, provider, api):
    provider.fault("metadata", patch={"token_endpoint": "https://idp.test/contoso/token"}, count=10)
    refused = shell.run("sign-in", "--for", api.address)
    assert refused.returncode == 1 and refused.stderr.endswith("use --endpoint-host idp.test.\n"), refused.stderr
    sign_in(shell, provider, api, "--endpoint-host", "idp.test")
    assert provider.log("answer", endpoint="token"), "the token endpoint that was named is asked"


def test_a_client_of_two_authorities_uses_the_account_of_the_one_that_was_chosen(shell, provider, api):
    other = "https://idp.test/contoso"
    api.metadata["authorization_servers"] = [other, provider.authority]
    for authority in (other, provider.authority):
        done = sign_in(shell, provider, api, "--client", "notes", "--authority", authority, "--allow-issuer", authority)
        assert done.returncode == 0, done.stderr
    done = shell.run("token", "--for", api.address, "--force-refresh", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["environment"] in provider.authority, done.stderr


def test_a_sign_in_that_fails_leaves_the_one_before(shell, provider, api):
    assert sign_in(shell, provider, api).returncode == 0
    provider.answer(None)
    assert shell.run("sign-in", "--for", api.address, "--client", "notes").returncode == 1
    done = shell.run("token", "--for", api.address, "--force-refresh", "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["client_id"] == client_of(provider), done.stderr


@pytest.mark.parametrize(("options", "said"), [
    (["--redirect-uri", "https://app.test/cb"], "the redirect URI is not of the form http://localhost"),
    (["--client", "own\n"], "its client id is none"),
])
def test_what_cannot_work_is_refused_before_anything_is_registered(shell, provider, api, options, said):
    done = shell.run("sign-in", "--for", api.address, *options)
    assert done.returncode == 2 and said in done.stderr and "--authority" not in done.stderr, done.stderr
    assert not provider.log("registered") and not shell.left()


def test_a_token_that_needs_the_user_advises_the_same_address(shell, provider, api):
    assert sign_in(shell, provider, api).returncode == 0
    provider.policy(refusal={"error": "invalid_grant"})
    refused = shell.run("token", "--for", api.address, "--force-refresh")
    advised = f" --for {api.address} --authority {provider.authority} --scopes 'files.read offline_access'\n"
    assert refused.returncode == 3 and refused.stderr.endswith(advised), refused.stderr
    unknown = shell.run("token", "--for", api.address + "/")
    assert unknown.returncode == 3 and f" --for {api.address}/" in unknown.stderr, unknown.stderr


@pytest.mark.parametrize("unfit", [
    ["token", "--application"], ["token", "--for", "https://api.example", "--scopes", "a"], ["token", "--for", "https://api.example", "--application"],
    ["sign-in"], ["sign-in", "--authority", "https://idp.test/contoso"], ["sign-in", "--for", "http://api.example"],
    ["sign-in", "--for", "https://api.example/\n"], ["sign-in", "--for", "https://api.example", "--resource", "https://b.example"],
    ["sign-in", "--for", "https://api.example", "--client", "c", "--client-secret-file", "/dev/null"],
    ["sign-in", "--for", "https://api.example", "--authority", "https://login.microsoftonline.com/common", "--endpoint-host", "x.test"],
    ["token", "--for", "https://api.example", "--client-secret-file", "/dev/null"],
    ["token", "--client", "c", "--scopes", "a", "--client-secret-file", "/dev/null"],
    ["sign-out", "alice", "--client", "c", "--revoke", "--client-secret-file", "/dev/null"],
    ["sign-in", "--register", "--client", "c", "--authority", "https://idp.test/contoso", "--scopes", "a"],
])
def test_options_that_do_not_fit_are_refused(shell, unfit):
    done = shell.run(*unfit)
    assert done.returncode == 2 and not shell.left(), done.stderr
