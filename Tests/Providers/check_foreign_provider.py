# SPDX-License-Identifier: Apache-2.0
"""cachetool beside a provider that others wrote: run by scripts/with-provider --provider NAME, and by no other test."""

from __future__ import annotations

import dataclasses
import http.server
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.parse

import msal
import pytest
from protected_api import CALLER, owner, serving
from running_provider import HERE, PROGRAMS

CLIENT, ISSUER, REDIRECT = (os.environ[f"PROVIDER_{name}"] for name in ("CLIENT_ID", "ISSUER", "REDIRECT_URI"))


@dataclasses.dataclass(frozen=True)
class Row:
    """What a provider does for a public client."""

    #: The outcome of a revocation, as `sign-out --json` names it, and why it is none.
    revocation: str
    reason: str
    #: The scopes that are granted of "openid email profile".
    granted: frozenset[str]
    #: Whether it registers clients by itself (RFC 7591), as the tests run it.
    registers: bool
    #: Where it says whose a token is.
    owner: str
    #: Whether its tokens are only for the API that a request names (RFC 8707).
    binds: bool
    #: The path of the endpoint for device codes, which its metadata does not name; None if it has none.
    device_endpoint: str | None = None


ROWS = {
    # Its revocation endpoint is only in the metadata of RFC 8414, section 3, not in those of OpenID Connect Discovery.
    "django": Row("done", "", frozenset({"openid", "email", "profile"}), False, "/owner/", True, "device-authorization/"),
    # It wants a secret also of clients that have none, which RFC 7009, section 2.1, does not ask for.
    "canaille": Row("failed", "invalid_client", frozenset({"openid", "email"}), True, "/oauth/userinfo", False),
}
ROW = ROWS[os.environ["PROVIDER_NAME"]]


class Shell:
    def __init__(self, folder) -> None:
        self._group = ["--group", "sign-in", "--root", str(folder / "groups")]
        self._environment = {**os.environ, "HOME": str(folder), "SSL_CERT_FILE": os.environ["PROVIDER_ROOTS"],
                             "BROWSER": f"{sys.executable} {HERE / 'form_browser.py'}"}

    def start(self, command: str, *options: str) -> subprocess.Popen:
        at = options.index("--") if "--" in options else len(options)
        return subprocess.Popen([PROGRAMS / "cachetool", command, *options[:at], *self._group, *options[at:]],
                                env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, command: str, *options: str) -> subprocess.CompletedProcess:
        with self.start(command, *options) as program:
            output, messages = program.communicate(timeout=120)
        return subprocess.CompletedProcess(program.args, program.returncode, output, messages)

    def sign_in(self, *options: str) -> dict:
        done = self.run("sign-in", "--authority", ISSUER, "--client", CLIENT, "--scopes", "openid email", "--redirect-uri",
                        REDIRECT, "--json", *options)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def token(self, *options: str) -> subprocess.CompletedProcess:
        return self.run("token", "--client", CLIENT, "--scopes", "openid email", *options)

    def secret(self, *options: str) -> str:
        done = self.token("--reveal", "--yes", *options)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


def renewed_three_times(shell) -> None:
    secrets = [shell.secret()]
    for _ in range(3):
        # Within one second, canaille makes the same token again, and fails.
        time.sleep(1.1)
        secrets.append(shell.secret("--force-refresh"))
    assert len(set(secrets)) == 4


def test_a_user_signs_in_and_the_token_is_renewed_again_and_again(shell):
    signed_in = shell.sign_in()
    assert set(signed_in["scopes"]) == ROW.granted, signed_in
    renewed_three_times(shell)


def test_after_a_sign_in_for_less_the_token_is_renewed_too(shell):
    assert set(shell.sign_in("--added-scopes", "openid")["scopes"]) == {"openid", "email"}
    renewed_three_times(shell)


def test_a_sign_out_says_what_the_provider_did(shell):
    name = shell.sign_in()["home_account_id"]
    done = shell.run("sign-out", name, "--client", CLIENT, "--revoke", "--browser", "--redirect-uri", REDIRECT, "--yes", "--json")
    assert done.returncode == (0 if ROW.revocation == "done" else 9) and ROW.reason in done.stderr, done.stderr
    report = json.loads(done.stdout)
    assert (report["revocation"], report["browser_session"]) == (ROW.revocation, "done")
    assert shell.token().returncode == 3


def test_a_device_code_without_a_known_endpoint_is_refused_with_the_reason(shell):
    done = shell.run("sign-in", "--device-code", "--authority", ISSUER, "--client", CLIENT, "--scopes", "openid")
    assert done.returncode == 1 and "no device_authorization_endpoint" in done.stderr, done.stderr


@pytest.mark.skipif(ROW.device_endpoint is None, reason="this provider has no endpoint for device codes")
def test_a_user_signs_in_with_a_device_code_at_endpoints_that_the_command_names(shell):
    client = f"{CLIENT}-device"
    command = shell.start("sign-in", "--device-code", "--authority", ISSUER, "--client", client, "--scopes", "read", "--account",
                          "alice", "--token-endpoint", f"{ISSUER}/token/", "--device-authorization-endpoint",
                          f"{ISSUER}/{ROW.device_endpoint}")
    with command:
        _, address, code = (command.stderr.readline().strip() for _ in range(3))
        page = f"{address}/?user_code={code.split()[0]}"
        subprocess.run([sys.executable, HERE / "form_browser.py", page], check=True, timeout=60)
        _, messages = command.communicate(timeout=60)
    assert command.returncode == 0, messages
    secrets = {shell.run("token", "--client", client, "--scopes", "read", "--account", "alice", "--reveal", "--yes", *options).stdout
               for options in ([], ["--force-refresh"])}
    assert len(secrets) == 2 and all(secrets)


def test_from_the_address_of_an_api_to_its_answer_with_two_commands(shell):
    roots = pathlib.Path(os.environ["PROVIDER_ROOTS"])
    who = owner(urllib.parse.urljoin(ISSUER, ROW.owner), str(roots))
    with serving(roots.with_name("provider.crt"), [ISSUER], ["email"], who) as api:
        client = [] if ROW.registers else ["--client", CLIENT, "--redirect-uri", REDIRECT]
        if not ROW.registers:
            refused = shell.run("sign-in", "--for", api.address)
            assert refused.returncode == 2 and "registers no clients" in refused.stderr, refused.stderr
        done = shell.run("sign-in", "--for", api.address, *client)
        assert done.returncode == 0, done.stderr
        for options in ([], ["--force-refresh"]):
            # Within one second, canaille makes the same token again, and fails.
            time.sleep(1.1)
            called = shell.run("token", "--for", api.address, *options, "--", *CALLER, api.address)
            assert called.returncode == 0, called.stderr
            answer = json.loads(called.stdout)["hello"]
            assert answer["sub"] and answer.get("resource", [api.address]) == [api.address] and ROW.binds == ("resource" in answer)


takes_issuers_with_a_path = pytest.mark.skipif(not urllib.parse.urlsplit(ISSUER).path.strip("/"),
                                               reason="MSAL Python takes no issuer without a path")


@pytest.fixture
def msal_python(monkeypatch):
    """Makes clients of MSAL Python with a cache."""
    # Requests prefers the roots of the environment to those of MSAL's session.
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    return lambda cache: msal.PublicClientApplication(
        CLIENT, oidc_authority=ISSUER, token_cache=cache, verify=os.environ["PROVIDER_ROOTS"],
        # A scope that these providers do not know.
        exclude_scopes=["offline_access"])


def msal_signs_in(app: msal.PublicClientApplication) -> dict:
    """Signs in with the browser."""
    class Redirected(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.server.query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
            self.send_response(204)
            self.end_headers()

    flow = app.initiate_auth_code_flow(["email"], redirect_uri=REDIRECT)
    with http.server.HTTPServer(("127.0.0.1", urllib.parse.urlsplit(REDIRECT).port), Redirected) as server:
        server.timeout = 60
        with subprocess.Popen([sys.executable, HERE / "form_browser.py", flow["auth_uri"]]):
            server.handle_request()
    return app.acquire_token_by_auth_code_flow(flow, server.query)


# This provider has no such mode.
@pytest.mark.filterwarnings("ignore:response_mode='form_post' is recommended")
@takes_issuers_with_a_path
def test_msal_python_signs_in_and_renews_and_then_cachetool_renews_from_its_cache(shell, tmp_path, msal_python):
    cache = msal.SerializableTokenCache()
    app = msal_python(cache)
    signed_in = msal_signs_in(app)
    assert "access_token" in signed_in, signed_in
    [account] = app.get_accounts()
    renewed = app.acquire_token_silent(["email"], account=account, force_refresh=True)
    assert renewed and renewed["access_token"] != signed_in["access_token"]

    # As the article says, the other way round.
    issuer = urllib.parse.urlsplit(ISSUER)
    document = json.loads(cache.serialize())
    for entry in (entry for section in document.values() for entry in section.values()):
        assert entry.get("environment") == issuer.hostname, entry.keys()
        entry["environment"] = issuer.netloc
    (tmp_path / "cache.json").write_text(json.dumps(document))
    done = shell.run("import", str(tmp_path / "cache.json"))
    assert done.returncode == 0, done.stderr
    assert shell.secret().strip() == renewed["access_token"]
    assert shell.secret("--force-refresh").strip() not in (signed_in["access_token"], renewed["access_token"])


@takes_issuers_with_a_path
def test_msal_python_gets_a_token_from_an_exported_cache_that_is_changed_as_the_article_says(shell, tmp_path, msal_python):
    shell.sign_in()
    assert shell.run("export", "--yes", str(tmp_path / "cache.json")).returncode == 0
    document = json.loads((tmp_path / "cache.json").read_text())

    def application() -> msal.PublicClientApplication:
        cache = msal.SerializableTokenCache()
        cache.deserialize(json.dumps(document))
        return msal_python(cache)

    # If it ever finds the account unchanged, the article on importing and exporting has a paragraph too many.
    issuer = urllib.parse.urlsplit(ISSUER)
    assert issuer.port and not application().get_accounts()
    for entry in (entry for section in document.values() for entry in section.values()):
        if entry.get("environment") == issuer.netloc:
            entry["environment"] = issuer.hostname
        if entry.get("authority_type") == "Other":
            entry["authority_type"] = "MSSTS"
    app = application()
    [account] = app.get_accounts()
    result = app.acquire_token_silent(["email"], account=account)
    assert result and result["access_token"] == shell.secret().strip(), result.keys()
