# SPDX-License-Identifier: Apache-2.0
"""Profiles, and tokens for commands that know nothing of cachetool, beside the strict provider."""

from __future__ import annotations

import http.server
import json
import re
import threading

import pytest
from running_provider import PROGRAMS
from test_command_line import CLIENT, Shell


class ProfileShell(Shell):
    """The same, where a command line has nothing but what a person types."""

    def words(self, command: str, *options: str) -> list[str]:
        return [str(PROGRAMS / "cachetool"), command, *options]

    @property
    def place(self) -> list[str]:
        return ["--group", "sign-in", "--root", str(self.root)]

    @property
    def file(self):
        return self.root.parent / ".config/swift-token-cache/profiles"


@pytest.fixture
def shell(tmp_path, provider):
    return ProfileShell(tmp_path, provider)


def test_a_saved_sign_in_is_used_by_its_name_alone(shell, provider):
    signed_in = shell.sign_in("--save-as", "work", *shell.place)
    assert signed_in.returncode == 0 and "cachetool token work" in signed_in.stderr, signed_in.stderr
    assert shell.file.stat().st_mode & 0o777 == 0o600
    assert not re.search(r"\b(at|rt|dc)-[0-9a-f]", shell.file.read_text()), "no secret"
    assert shell.run("token", "work", "--json").returncode == 0
    assert shell.run("token", "--force-refresh", "work").returncode == 0
    assert shell.run("lookup", "work").stdout.startswith("hit")
    assert "profile work" in shell.run("status", "--root", str(shell.root)).stdout
    assert shell.run("token", CACHETOOL_PROFILE="work").returncode == 0
    assert shell.run("token", "work", "--client", "calendar").returncode == 3
    asked = shell.run("sign-out", "work", "--no-prompt")
    assert asked.returncode == 2 and re.search(rf"Sign \S+ out of app {CLIENT} in group sign-in\?", asked.stderr), asked.stderr
    assert shell.run("sign-out", "work", "--revoke", "--yes").returncode == 0
    assert provider.log("revoked")


def test_the_advice_to_sign_in_again_by_the_name_works_word_for_word(shell, provider):
    shell.sign_in("--save-as", "work", *shell.place, user="alice")
    assert shell.run("sign-out", "work", "--yes").returncode == 0
    refused = shell.run("token", "work")
    assert refused.returncode == 3, refused.stderr
    advised = re.search(r"cachetool (sign-in .+?)\.?$", refused.stderr.strip())[1].split()
    assert advised[-1] == "work" and "--client" not in advised
    for typed in (["--scopes", "other"], ["--client", "calendar"], ["--account", "bob"]):
        assert "--client" in shell.run("token", "work", *typed).stderr, "what was typed is in the advice"
    text = shell.file.read_text()
    shell.file.write_text(text.replace("scopes", "# for files\nscopes"))
    provider.answer("alice")
    signed_in = shell.finish(shell.start(*advised))
    assert signed_in.returncode == 0, signed_in.stderr
    assert shell.run("token", "work").returncode == 0
    assert sorted(shell.file.read_text().splitlines()) == sorted([*text.splitlines(), "# for files"])


def test_a_relative_root_is_kept_as_an_absolute_one(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shell.sign_in("--save-as", "work", "--root", "groups")
    monkeypatch.chdir("/")
    assert shell.run("token", "work").returncode == 0


def test_with_one_app_and_one_account_a_token_needs_no_argument(shell, provider):
    assert shell.run("token").returncode == 3
    shell.sign_in()
    assert json.loads(shell.run("token", "--json").stdout)["client_id"] == CLIENT
    second = shell.start("sign-in", "--authority", provider.authority, "--client", "calendar", "--scopes", shell.scopes)
    provider.answer()
    assert shell.finish(second).returncode == 0
    several = shell.run("token")
    assert several.returncode == 2 and "2 apps are signed in: calendar, notes." in several.stderr, several.stderr


def test_a_failed_sign_in_leaves_the_profile_as_it_was(shell):
    shell.sign_in("--save-as", "work", *shell.place)
    before = shell.file.read_text()
    assert shell.sign_in("--save-as", "work", "--scopes", "other", *shell.place, user=None).returncode != 0
    assert shell.file.read_text() == before
    shell.file.write_text("client\n" + before)
    broken = shell.run("token", "work")
    assert broken.returncode == 2 and f"Line 1 of {shell.file}: the name of a profile" in broken.stderr, broken.stderr


@pytest.fixture
def api():
    """An API that answers with the header that it got."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(f"{self.headers['Authorization']}".encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/me"
    server.shutdown()
    server.server_close()


def test_curl_sends_the_token_of_a_profile_as_it_is_typed_in_the_help(shell, provider, api):
    shell.sign_in("--save-as", "work", *shell.place)
    done = shell.run("token", "work", "--header", "--", "curl", "-sS", "-H", "@/dev/fd/3", api)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(rf"Bearer {provider.log('tokens')[0]['access']}\S+", done.stdout), "one header with the whole token"
    assert shell.run("token", "--header", "work", "--", "sh", "-c", "wc -l <&3").stdout.strip() == "1"


def test_the_statuses_of_a_command_and_of_cachetool_are_told_apart(shell, tmp_path):
    shell.sign_in("--save-as", "work", *shell.place)
    plain = tmp_path / "plain"
    plain.write_text("no program")
    for status, command in [(0, ["true"]), (7, ["sh", "-c", "exit 7"]), (2, ["sh", "-c", "exit 2"]), (127, ["/no/such/command"]),
                            (127, ["no-such-command"]), (126, [str(plain)]), (126, [str(tmp_path)])]:
        done = shell.run("token", "work", "--", *command)
        assert done.returncode == status, (command, done.stderr)
    process = shell.start("token", "work", "--json", "--", "/no/such/command")
    assert json.loads(process.communicate(timeout=60)[1].splitlines()[-1])["exit_status"] == 127
    for options in (["wrk"], ["work", "--no-such-option"], ["work", "--timeout", "x"], ["work", "--storage", "memory"]):
        assert shell.run("token", *options, "--", "true").returncode == 125, options
    assert shell.run("sign-out", "work", "--yes").returncode == 0
    process = shell.start("token", "work", "--json", "--", "true")
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 3 and output == b""
    assert json.loads(errors.splitlines()[-1])["exit_status"] == 3


def test_without_a_command_a_header_is_a_usage_error(shell):
    done = shell.run("token", "--client", CLIENT, "--header")
    assert done.returncode == 2 and "--header is for a command" in done.stderr
