# SPDX-License-Identifier: Apache-2.0
"""Tokens with the same scopes for several resources and audiences: each caller gets the right one."""

from __future__ import annotations

import json
import random
import subprocess

import pytest
from running_provider import PROGRAMS
from test_command_line import CLIENT, Shell

PROCESSES, CALLS = 8, 125
A, B = "https://api.example/a", "https://api.example/b"


@pytest.fixture
def shell(tmp_path, provider):
    return Shell(tmp_path, provider)


def mixed_calls(machine, provider) -> int:
    """Makes a thousand calls in eight processes, and checks each token. Returns how many came from a renewal."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    before = len(provider.log("tokens"))
    apps = [machine.start("mix", "--count", str(CALLS), "--seed", str(seed + each)) for each in range(PROCESSES)]
    for app in apps:
        app.finish(timeout=240)
    reports = [report for app in apps for report in app.reports]
    assert [report for report in reports if report["event"] != "call"] == []
    assert len(reports) == PROCESSES * CALLS
    issued = {each["access"]: each["target"] for each in provider.log("tokens")}
    for report in reports:
        wanted = {name: report[name] for name in ("resource", "audience") if name in report}
        if report["owner"] == "user":
            assert issued[report["token"]] == wanted, report
        else:
            name = "&".join(f"{name}={wanted[name]}" for name in sorted(wanted))
            assert report["token"].split(";")[0] == name, report
    assert {report["owner"] for report in reports} == {"user", "application"}
    return len(provider.log("tokens")) - before


def test_a_thousand_random_calls_for_six_targets_get_the_right_tokens_also_after_export_and_import(machine, provider, tmp_path):
    machine.sign_in()
    renewals = mixed_calls(machine, provider)
    assert renewals >= 5, "each target needs a renewal"
    document = tmp_path / "exported.json"
    tool = [PROGRAMS / "cachetool"]
    group = ["--group", "sign-in", "--root", machine.root]
    subprocess.run([*tool, "export", document, *group, "--yes"], check=True, capture_output=True, timeout=60)
    machine.root = tmp_path / "imported"
    subprocess.run([*tool, "import", document, "--group", "sign-in", "--root", machine.root, "--storage", "file"], check=True,
                   capture_output=True, timeout=60)
    # Every token is there: until something is forced, nothing is renewed.
    known = {each["access"] for each in provider.log("tokens")}
    first = machine.run("silent")
    assert first["source"] == "cache" and first["token"] in known
    mixed_calls(machine, provider)
    assert not provider.log("reused")


def secret(done: subprocess.CompletedProcess) -> str:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["secret"].split(".")[0]


@pytest.mark.parametrize("order", [(A, None, B), (None, A, B), (B, A, None)])
def test_sign_ins_for_several_resources_last_where_the_server_binds_refresh_tokens_to_them(shell, provider, order):
    provider.policy(binds=True, lifetime=1)
    options = {each: ("--resource", each) if each else () for each in order}
    for each in order:
        assert shell.sign_in_with_browser(*options[each]).returncode == 0
    for each in order * 2:
        done = shell.token(*options[each], "--force-refresh", "--json")
        assert done.returncode == 0, done.stderr
        assert provider.log("tokens")[-1]["target"] == ({"resource": each} if each else {})
    chains = [each["chain"] for each in provider.log("tokens")]
    assert chains[3:6] == chains[6:] == chains[:3] and not provider.log("reused")
    done = shell.token("--resource", A + "/c")
    assert done.returncode == 3 and f"--authority {provider.authority} " in done.stderr, done.stderr
    assert f"--resource {A}/c" in done.stderr, done.stderr
    account = json.loads(shell.token("--json").stdout)["username"]
    [group] = json.loads(shell.run("status", "--json").stdout)["groups"]
    assert [each["state"] for account in group["accounts"] for each in account["clients"]] == ["signed_in"], group
    done = shell.run("sign-out", account, "--client", CLIENT, "--revoke", "--yes")
    assert done.returncode == 0, done.stderr
    assert sorted(each["chain"] for each in provider.log("revoked")) == sorted(chains[:3])


def test_the_command_signs_in_for_a_resource_and_gets_tokens_for_it_alone(shell, provider):
    assert shell.sign_in_with_browser().returncode == 0
    done = shell.sign_in_with_browser("--resource", A)
    assert done.returncode == 0, done.stderr
    [_, first] = provider.log("tokens")
    assert first["target"] == {"resource": A}
    show = ("--json", "--reveal", "--yes")
    assert secret(shell.token("--resource", A, *show)) == first["access"]
    other = secret(shell.token("--resource", B, *show))
    plain = secret(shell.token(*show))
    assert [each["target"] for each in provider.log("tokens")[2:]] == [{"resource": B}]
    assert len({first["access"], other, plain}) == 3
    account = json.loads(shell.token("--json").stdout)["username"]
    words = ("--account", account, "--client", CLIENT, "--scopes", "files.read", *show)
    for options, token in ((("--resource", A), first["access"]), (("--resource", B), other), ((), plain)):
        assert secret(shell.run("lookup", *options, *words)) == token
    found = shell.run("lookup", "--audience", A, *words)
    assert json.loads(found.stdout)["decision"] == "renew", found.stdout


def test_a_sign_in_without_a_refresh_token_says_so_although_another_resource_has_one(shell, provider):
    ending = "the sign-in ends with this token"
    lasting = shell.sign_in_with_browser("--resource", A)
    assert lasting.returncode == 0 and ending not in lasting.stderr, lasting.stderr
    shell.scopes = "openid files.read"
    for options in (["--resource", B], []):
        done = shell.sign_in_with_browser(*options, "--added-scopes", "openid")
        assert done.returncode == 0 and ending in done.stderr, done.stderr


def test_a_parameter_isolates_in_token_and_in_a_sign_in_if_asked(shell, provider):
    parameter = ("--parameter", "x-tenancy=b=c")
    done = shell.sign_in(*parameter)
    assert done.returncode == 0, done.stderr
    assert provider.log("device")[0]["target"] == {"x-tenancy": "b=c"}
    sources = [json.loads(shell.token(*options, "--json").stdout)["source"] for options in ((), parameter, parameter, ())]
    assert sources == ["cache", "renewal", "cache", "cache"]
    done = shell.sign_in("--isolate", *parameter, "--audience", "mail")
    assert done.returncode == 0, done.stderr
    assert json.loads(shell.token("--audience", "mail", *parameter, "--json").stdout)["source"] == "cache"
    assert json.loads(shell.token("--audience", "mail", "--json").stdout)["source"] == "renewal"


def test_the_advised_sign_in_is_for_the_same_target(shell, provider):
    shell.sign_in()
    provider.policy(refusal={"error": "invalid_grant"})
    done = shell.token("--resource", A, "--parameter", "x-tenancy=b c", "--force-refresh")
    assert done.returncode == 3
    assert f"--resource {A} --parameter 'x-tenancy=b c' --isolate" in done.stderr, done.stderr


@pytest.mark.parametrize("options, problem", [
    (["--parameter", "client_secret=canary"], "client_secret is a parameter of the protocol (RFC 6749)"),
    (["--parameter", "Scope=x"], "Scope is a parameter of the protocol (RFC 6749)"),
    (["--parameter", "nonce=x"], "nonce is a parameter of the protocol (OpenID Connect Core)"),
    (["--parameter", "pwd=canary"], "pwd is the name of a secret"), (["--resource", A, "--resource", B], "Use --resource once"),
    (["--audience", "a", "--audience", "b"], "Use --audience once"),
    (["--parameter", "app_secret=canary"], "app_secret is the name of a secret"),
    (["--parameter", "resource=https://a.example/"], "use --resource"),
    (["--parameter", "a=1", "--parameter", "a=1"], "The parameter a is given twice"),
    (["--parameter", "a"], "NAME=VALUE"), (["--parameter", "=a"], "a parameter's name"), (["--parameter", "a="], "a has no value"),
    (["--audience", "a\nb"], "control character"), (["--audience", "\x1b[31m"], "control character"), (["--audience", ""], "no value"),
    (["--resource", "a.example"], "not an absolute URI"), (["--resource", "https://a.example/#b"], "not an absolute URI"),
])
@pytest.mark.parametrize("command", ["sign-in", "token", "lookup"])
def test_what_cannot_be_sent_is_a_usage_error_and_nothing_is_sent(shell, provider, command, options, problem):
    required = {"sign-in": ["--authority", provider.authority], "lookup": ["--account", "alice"]}.get(command, [])
    done = shell.run(command, *required, "--client", CLIENT, "--scopes", "files.read", *options)
    assert done.returncode == 2 and problem in done.stderr, done.stderr
    assert "canary" not in done.stderr and not provider.log() and not shell.left()


def test_isolate_needs_a_parameter(shell):
    done = shell.finish(shell.start_with_browser("--isolate", "--resource", A))
    assert done.returncode == 2 and "--isolate is for --parameter" in done.stderr, done.stderr
