# SPDX-License-Identifier: Apache-2.0
"""cachetool for an application with a secret, beside the strict provider."""

from __future__ import annotations

import json
import os
import pathlib
import re
import time

import pytest
import secret_search
from provider_log import digest
from test_command_line import CLIENT, Shell

SECRET = "canary secret: 100 %+&"
#: Those of these tests, and of those that share them.
SECRETS = (SECRET, "canary new", "canary wrong", "canary.first.jwt", "canary.second.jwt")


@pytest.fixture
def shell(tmp_path, provider):
    provider.policy(secrets={CLIENT: [digest(SECRET)]})
    return Shell(tmp_path, provider)


@pytest.fixture
def secret(tmp_path) -> pathlib.Path:
    return written(tmp_path / "secret", SECRET + "\n")


def written(path: pathlib.Path, text: str, mode: int = 0o600) -> pathlib.Path:
    path.write_text(text)
    path.chmod(mode)
    return path


def opened_records(shell) -> bytes:
    """What whoever can open the group sees of it, tokens included: the files are sealed, and show nothing in any case."""
    seen = b""
    for command in (["export", "--all", "--yes", "-"], ["list", "--json"]):
        process = shell.start(*command)
        output, errors = process.communicate(timeout=60)
        assert process.returncode == 0 and output, errors
        seen += output
    return seen


def assert_nothing_shows_a_secret(shell) -> None:
    if shell.left():
        records = opened_records(shell)
        assert not [each for each in SECRETS if secret_search.has(records, each)]
    assert not secret_search.has_secret(shell.said.replace(b"canary-alice@contoso.example", b"") + shell.seen), shell.said
    assert not secret_search.files(shell.root)
    assert not secret_search.has_secret((shell.root.parent / "provider/log.jsonl").read_bytes())


@pytest.mark.parametrize("methods", [["client_secret_basic"], ["client_secret_post"]])
@pytest.mark.parametrize("way", ["code", "browser"])
def test_an_application_with_a_secret_signs_in_renews_and_revokes(shell, provider, secret, methods, way):
    provider.policy(methods=methods, lifetime=2)
    by_file = ["--client-secret-file", str(secret)]
    by_name = ["--authority", provider.authority, *by_file]
    refused = (shell.run("sign-in", "--device-code", "--authority", provider.authority, "--client", CLIENT, "--scopes", "openid"))
    assert refused.returncode == 1 and "invalid_client" in refused.stderr, refused.stderr
    done = (shell.sign_in if way == "code" else shell.sign_in_with_browser)(*by_file, "--json")
    assert done.returncode == 0, done.stderr
    time.sleep(2.1)
    assert json.loads(shell.token(*by_name, "--json").stdout)["source"] == "renewal"
    # The secret is replaced while the sign-in lasts.
    written(secret, "canary new")
    provider.policy(secrets={CLIENT: [digest("canary new")]})
    assert json.loads(shell.token(*by_name, "--force-refresh", "--json").stdout)["source"] == "renewal"
    assert re.search(rb"\brt-[0-9a-f]+\.canary", opened_records(shell)), "a secret in a record would be seen"
    assert_nothing_shows_a_secret(shell)
    name = json.loads(done.stdout)["username"]
    out = shell.run("sign-out", name, "--client", CLIENT, "--revoke", "--yes", "--json", *by_name)
    assert json.loads(out.stdout)["revocation"] == "done", out.stderr
    assert len(provider.log("revoked")) == 1
    assert_nothing_shows_a_secret(shell)


def unfit(folder: pathlib.Path) -> dict[str, tuple[pathlib.Path, int, str]]:
    """Files with which nobody can authenticate, the exit status, and what is said of them."""
    os.mkfifo(folder / "fifo", 0o600)
    foreign = written(folder / "foreign", SECRET)
    if os.geteuid() == 0:
        os.chown(foreign, 65534, 65534)
    (folder / "link").symlink_to(written(folder / "target", SECRET))
    return {
        "readable by others": (written(folder / "open", SECRET, 0o644), 8, "owner or the permissions"),
        "of somebody else": (foreign, 8 if os.geteuid() == 0 else 0, "owner or the permissions"),
        "empty": (written(folder / "empty", ""), 2, "client secret is empty"),
        "a line break alone": (written(folder / "line", "\n"), 2, "client secret is empty"),
        "two lines": (written(folder / "lines", "canary\ncanary\n"), 2, "control character"),
        "NUL": (written(folder / "nul", "canary\0"), 2, "control character"),
        "a FIFO": (folder / "fifo", 8, "not a regular file"),
        "a link": (folder / "link", 8, "not a regular file"),
        "a folder": (folder, 8, "not a regular file"),
        "absent": (folder / "absent", 2, "No such file"),
    }


def test_a_secret_file_that_is_not_private_or_has_no_secret_is_refused_before_anything_is_sent(shell, provider, tmp_path):
    (tmp_path / "files").mkdir()
    for name, (path, status, text) in unfit(tmp_path / "files").items():
        if status == 0:
            continue
        done = shell.finish(shell.start_with_browser("--client-secret-file", str(path)))
        assert (done.returncode, text in done.stderr) == (status, True), (name, done.returncode, done.stderr)
    assert not provider.log("answer") and not provider.log("authorize")
    assert_nothing_shows_a_secret(shell)


def test_a_token_without_its_secret_file_does_not_ask_for_a_sign_in(shell, provider, secret, tmp_path):
    assert shell.sign_in("--client-secret-file", str(secret)).returncode == 0
    done = shell.token("--authority", provider.authority, "--client-secret-file", str(tmp_path / "absent"), "--force-refresh")
    assert done.returncode == 2 and "No such file" in done.stderr, done.stderr


def test_a_revocation_without_the_secret_stays_pending_until_a_sign_out_has_it(shell, provider, secret):
    name = json.loads(shell.sign_in("--client-secret-file", str(secret), "--json").stdout)["username"]
    failed = shell.run("sign-out", name, "--client", CLIENT, "--revoke", "--yes")
    assert failed.returncode == 9 and "invalid_client" in failed.stderr, failed.stderr
    advised = shell.run("doctor", "--revoke-pending")
    assert advised.returncode == 9 and "--client-secret-file" in advised.stderr, advised.stderr
    done = shell.run("sign-out", name, "--client", CLIENT, "--revoke", "--yes", "--authority", provider.authority,
                     "--client-secret-file", str(secret))
    assert done.returncode == 0 and len(provider.log("revoked")) == 1, done.stderr


def test_the_advised_sign_in_authenticates_in_the_same_way(shell, provider, secret):
    done = shell.token("--authority", provider.authority, "--client-secret-file", str(secret))
    assert done.returncode == 3 and f"--client-secret-file {secret}" in done.stderr, done.stderr
