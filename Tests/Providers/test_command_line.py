# SPDX-License-Identifier: Apache-2.0
"""cachetool sign-in, token and sign-out as programs, beside the strict provider."""

from __future__ import annotations

import json
import os
import pathlib
import pty
import re
import socket
import subprocess
import sys
import time

import documents
import pytest
import secret_search
from running_provider import HERE, PROGRAMS

CLIENT, SCOPES = "notes", "openid offline_access files.read"


class Shell:
    """Runs cachetool on one group, and keeps all that it said."""

    def __init__(self, folder: pathlib.Path, provider) -> None:
        self.root, self._provider = folder / "groups", provider
        self.environment = {**provider.environment, "HOME": str(folder), "BROWSER": f"{sys.executable} {HERE / 'browser.py'}"}
        self.scopes = SCOPES
        self.said = b""
        #: Arguments and environment of the programs, while they ran.
        self.seen = b""

    def words(self, command: str, *options: str) -> list[str]:
        at = options.index("--") if "--" in options else len(options)
        return [str(PROGRAMS / "cachetool"), command, *options[:at], "--group", "sign-in", "--root", str(self.root), *options[at:]]

    def start(self, command: str, *options: str, **environment: str) -> subprocess.Popen:
        return subprocess.Popen(self.words(command, *options), env=self.environment | environment, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def start_on_terminal(self, command: str, *options: str) -> tuple[subprocess.Popen, int]:
        """Runs on a terminal of its own, whose other end is the second one."""
        user, terminal = pty.openpty()
        process = subprocess.Popen(["setsid", "--ctty", *self.words(command, *options)], env=self.environment, stdin=terminal,
                                   stdout=terminal, stderr=terminal)
        os.close(terminal)
        return process, user

    def finish(self, process: subprocess.Popen, text: str = "") -> subprocess.CompletedProcess:
        output, errors = process.communicate(text.encode(), timeout=60)
        self.said += output + errors
        return self.ended(process, output, errors)

    def ended(self, process: subprocess.Popen, output: bytes, errors: bytes) -> subprocess.CompletedProcess:
        if "--json" in process.args:
            documents.check(process.args[1:], process.returncode, output.decode())
        return subprocess.CompletedProcess(process.args, process.returncode, output.decode(), errors.decode())

    def run(self, command: str, *options: str, **environment: str) -> subprocess.CompletedProcess:
        return self.finish(self.start(command, *options, **environment))

    def start_with_browser(self, *options: str, **environment: str) -> subprocess.Popen:
        return self.start("sign-in", "--authority", self._provider.authority, "--client", CLIENT, "--scopes", self.scopes, *options,
                          **environment)

    def sign_in_with_browser(self, *options: str, user: str | None = "alice", **environment: str) -> subprocess.CompletedProcess:
        """Signs in with the browser, in which the user approves, or declines if nil."""
        self._provider.answer(user)
        return self.finish(self.start_with_browser(*options, **environment))

    def sign_in(self, *options: str, user: str | None = "alice") -> subprocess.CompletedProcess:
        """Signs in with a code, which the user approves as soon as it is shown, or declines if nil."""
        process = self.start("sign-in", "--device-code", "--authority", self._provider.authority, "--client", CLIENT,
                             "--scopes", self.scopes, *options)
        shown = b""
        while not (code := re.search(rb"^  ([A-Z]{8}) ", shown, re.M)):
            piece = process.stderr.readline()
            assert piece, shown
            shown += piece
        self.look_at(process.pid)
        self._provider.decide(code[1].decode(), user)
        output, errors = process.communicate(timeout=60)
        self.said += output + shown + errors
        return self.ended(process, output, shown + errors)

    def look_at(self, pid: int) -> None:
        for name in ("cmdline", "environ"):
            self.seen += pathlib.Path(f"/proc/{pid}/{name}").read_bytes()

    def programs(self) -> dict[int, str]:
        """All that run for this user, whatever started them: their arguments."""
        found = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if f"HOME={self.environment['HOME']}\0".encode() in (folder / "environ").read_bytes():
                    found[int(folder.name)] = (folder / "cmdline").read_bytes().decode().replace("\0", " ")
            except OSError:
                continue  # it has ended, or is not ours
        return found

    def left(self) -> list[pathlib.Path]:
        """The files of groups, and of their keys."""
        return [path for path in self.root.rglob("*") if path.is_file()] if self.root.exists() else []

    def completed(self, *words: str) -> list[str]:
        """What bash offers for the last word."""
        script = r"""source <(cachetool --generate-completion-script bash)
                     COMP_WORDS=("$@"); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMP_CWORD=$(($# - 1)); COMPREPLY=()
                     _cachetool cachetool "${@: -1}" "${@: -2:1}"
                     printf '%s\n' "${COMPREPLY[@]}" """
        line = "cachetool", words[0], "--group", "sign-in", "--root", str(self.root), *words[1:]
        done = subprocess.run(["bash", "-c", script, "bash", *line], env=self.environment | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}"},
                              capture_output=True, text=True, check=True, timeout=60)
        return sorted(done.stdout.split())

    def token(self, *options: str) -> subprocess.CompletedProcess:
        return self.run("token", "--client", CLIENT, "--scopes", "files.read", *options)


@pytest.fixture
def shell(tmp_path, provider):
    return Shell(tmp_path, provider)


def test_an_endpoint_on_another_host_stops_only_what_needs_it_until_the_host_is_named(shell, provider):
    elsewhere = "https://idp.test/contoso/token"
    provider.fault("metadata", patch={"revocation_endpoint": elsewhere, "token_endpoint": elsewhere}, count=2)
    refused = shell.sign_in_with_browser()
    assert refused.returncode == 1 and "token_endpoint is on another host, idp.test" in refused.stderr, refused.stderr
    advised = re.search(r"use (--endpoint-host) (\S+)\.$", refused.stderr.strip())
    assert advised and not shell.left(), refused.stderr
    named = shell.start_with_browser(*advised.groups(), "--max-age", "60", "--domain-hint", "contoso.example")
    provider.answer()
    shell.finish(named)
    assert provider.log("answer", endpoint="token"), "the token endpoint that was named is asked"
    provider.fault("metadata", patch={"revocation_endpoint": elsewhere})
    assert shell.sign_in_with_browser().returncode == 0
    for unfit in (["--device-code", "--max-age", "1"], ["--device-code", "--domain-hint", "x"],
                  ["--device-code", "--allow-issuer", provider.authority],
                  ["--token-endpoint", elsewhere, "--added-scopes", "openid"]):
        done = shell.finish(shell.start_with_browser(*unfit))
        assert done.returncode == 2 and f"Omit {unfit[-2]}." in done.stderr, done.stderr
    microsoft = shell.run("sign-in", "--authority", "https://login.microsoftonline.com/common", "--client", CLIENT, "--scopes",
                          SCOPES, "--endpoint-host", "idp.test")
    assert microsoft.returncode == 2 and "Omit it" in microsoft.stderr


def test_a_user_signs_in_with_a_code_and_commands_get_tokens_without_the_user(shell):
    done = shell.sign_in("--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["schema_version"] == 1 and document["client_id"] == CLIENT and "files.read" in document["scopes"]
    token = json.loads(shell.token("--json").stdout)
    assert (token["source"], token["username"]) == ("cache", document["username"]) and "secret" not in token


def test_a_user_signs_in_with_the_browser_and_commands_get_tokens_without_the_user(shell):
    done = shell.sign_in_with_browser()
    assert done.returncode == 0 and done.stdout == "", done.stderr
    assert "canary-alice@contoso.example is signed in" in done.stderr
    token = json.loads(shell.token("--json").stdout)
    assert (token["source"], token["username"]) == ("cache", "canary-alice@contoso.example")


def test_the_authorization_request_has_what_its_options_say(shell, provider):
    pages = "select_account", "login", "consent", "create"
    assert shell.sign_in_with_browser().returncode == 0
    for page in pages:
        done = shell.sign_in_with_browser("--prompt", page, "--domain-hint", "contoso.example", "--max-age", "60")
        assert done.returncode == 0, done.stderr
    assert [each["asked"] for each in provider.log("authorize")] == [{}] + [
        {"prompt": page, "domain_hint": "contoso.example", "max_age": "60"} for page in pages]


def test_a_sign_in_without_a_refresh_token_says_that_it_ends_with_its_token(shell, provider):
    shell.scopes = "files.read"
    ends = "No refresh token was granted, so the sign-in ends with this token."
    last = ends + " If it should last, sign in again with --prompt consent."
    provider.policy(declined=["offline_access"])
    assert last in shell.sign_in_with_browser().stderr
    # A page cannot be chosen, or was.
    for done in (shell.sign_in(), shell.sign_in_with_browser("--prompt", "consent")):
        assert done.returncode == 0 and ends in done.stderr and "If it should last" not in done.stderr, done.stderr
    for options in (["--quiet"], ["--json"]):
        done = shell.sign_in_with_browser(*options)
        assert done.returncode == 0 and "refresh token" not in done.stderr + done.stdout, done.stderr
    # Another account's is not this one's; an earlier one of the same account is.
    provider.policy(declined=[])
    assert ends not in shell.sign_in_with_browser(user="bob").stderr
    provider.policy(declined=["offline_access"])
    assert last in shell.sign_in_with_browser().stderr
    assert ends not in shell.sign_in_with_browser(user="bob").stderr


def test_if_nothing_comes_from_the_browser_the_address_that_is_said_then_signs_in(shell, provider):
    process = shell.start_with_browser(BROWSER="true")
    said = b""
    while b"Nothing came back" not in said:
        assert (line := process.stderr.readline()), said
        said += line
    assert b"--redirect-uri" in said and b"--device-code" in said and not provider.log("authorize")
    address = re.search(rb"open (http://127\.0\.0\.1:[0-9]+/[^?&= ]+) on this machine", said)[1]
    provider.answer("alice")
    subprocess.run([sys.executable, HERE / "browser.py", address], env=shell.environment, check=True, timeout=60)
    done = shell.finish(process)
    assert done.returncode == 0 and "is signed in" in done.stderr, done.stderr


def test_the_browser_returns_to_the_registered_address(shell, provider):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = shell.sign_in_with_browser("--redirect-uri", f"http://127.0.0.1:{port}/done")
        assert refused.returncode == 1 and "--redirect-uri" in refused.stderr, refused.stderr
    done = shell.sign_in_with_browser("--redirect-uri", f"http://127.0.0.1:{port}/done")
    assert done.returncode == 0, done.stderr
    assert provider.log("authorize")[-1]["redirect_uri"] == f"http://127.0.0.1:{port}/done"


def test_a_name_from_standard_input_is_filled_in_and_another_user_is_not_signed_in(shell, provider):
    provider.answer("bob")
    process = shell.start_with_browser("--login-hint", "-")
    done = shell.finish(process, "canary-alice@contoso.example\n")
    assert done.returncode == 1 and "another account" in done.stderr, done.stderr
    assert not shell.left()


@pytest.mark.parametrize("way", ["code", "browser"])
def test_a_user_who_declines_is_not_signed_in_and_no_group_is_left(shell, way):
    done = (shell.sign_in if way == "code" else shell.sign_in_with_browser)(user=None)
    assert done.returncode == 1 and "declined" in done.stderr
    # The server's own words may name the user.
    assert not secret_search.has_secret(shell.said)
    assert not shell.left()
    assert shell.token().returncode == 3


def test_a_sign_in_that_fails_leaves_a_group_as_it_was(shell):
    shell.sign_in()
    assert shell.sign_in_with_browser(user=None).returncode == 1
    assert shell.token().returncode == 0


def test_without_a_browser_the_advised_option_signs_in(shell):
    done = shell.sign_in_with_browser(BROWSER="", DISPLAY="", WAYLAND_DISPLAY="")
    assert done.returncode == 1 and "--device-code" in done.stderr, done.stderr
    assert not shell.left()
    assert shell.sign_in().returncode == 0


def test_a_browser_that_fails_is_named_and_the_next_one_is_opened(shell):
    done = shell.sign_in_with_browser(BROWSER="false", DISPLAY="", WAYLAND_DISPLAY="")
    assert done.returncode == 1 and "false ended with status 1" in done.stderr and "--device-code" in done.stderr, done.stderr
    assert not shell.left()
    done = shell.finish(shell.start_with_browser(BROWSER=f"false:{shell.environment['BROWSER']}"))
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be who sudo makes one")
def test_under_sudo_no_browser_is_opened_and_the_user_is_told_to_start_without_it(shell, provider):
    done = shell.sign_in_with_browser(SUDO_UID="1000", SUDO_USER="adele")
    assert done.returncode == 1 and "run it without sudo" in done.stderr, done.stderr
    assert not shell.left() and not provider.log("authorize")


def test_while_the_browser_is_open_no_program_shows_whom_and_what_for(shell, provider):
    process = shell.start_with_browser("--login-hint", "-")
    process.stdin.write(b"canary-alice@contoso.example\n")
    process.stdin.flush()
    while not provider.log("authorize"):
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    programs = shell.programs()
    assert any("cachetool-sign-in sign-in" in each for each in programs.values()) and process.pid in programs, programs
    [browser] = [each for each in programs.values() if "browser.py" in each]
    assert re.search(r"browser\.py http://127\.0\.0\.1:[0-9]+/[^?&=]*$", browser.strip()), browser
    assert not secret_search.processes(list(programs)), programs
    provider.answer("alice")
    done = shell.finish(process)
    assert done.returncode == 0, done.stderr
    # The name of who signed in is for the user's own eyes.
    assert not secret_search.has_secret(shell.said.replace(b"canary-alice@contoso.example", b""))


def test_an_expired_token_is_renewed(shell, provider):
    provider.policy(lifetime=1)
    shell.sign_in()
    time.sleep(1.5)
    assert json.loads(shell.token("--json").stdout)["source"] == "renewal"
    assert len(provider.log("tokens")) == 2


@pytest.mark.parametrize("reader", ["sh", "bash", "python3"])
def test_a_command_reads_the_token_once_from_the_descriptor_that_the_variable_names(shell, provider, reader):
    shell.sign_in()
    read = {"python3": "import os; n = int(os.environ['CACHETOOL_TOKEN_FD']); print(os.read(n, 1 << 20).decode()); "
                       "print(os.read(n, 1) == b'')"}.get(reader, 'cat <&"$CACHETOOL_TOKEN_FD"; echo')
    done = shell.token("--", reader, "-c", read)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split()
    assert lines[0].split(".")[0] == provider.log("tokens")[0]["access"]
    assert reader != "python3" or lines[1] == "True"


def test_the_command_takes_the_place_of_cachetool_with_its_status_and_the_default_signals(shell):
    shell.sign_in()
    assert shell.token("--", "sh", "-c", "exit 42").returncode == 42
    assert int(shell.token("--", "grep", "SigIgn:", "/proc/self/status").stdout.split()[1], 16) & (1 << 12 | 1 << 24) == 0


def test_the_command_inherits_no_descriptor_of_ours_but_the_token(shell):
    shell.sign_in()
    listed = shell.token("--", "python3", "-c", "import os; print(*os.listdir('/proc/self/fd'))").stdout.split()
    # The last is that of the listed folder.
    assert {int(number) for number in listed} == {0, 1, 2, 3, 4}


def test_a_command_that_does_not_exist_is_an_error(shell):
    shell.sign_in()
    done = shell.token("--", "/no/such/command")
    assert done.returncode == 127 and "/no/such/command cannot be started" in done.stderr


def test_a_token_goes_to_a_pipe_only_if_that_is_confirmed(shell, provider):
    shell.sign_in()
    refused = shell.token("--reveal")
    assert (refused.returncode, refused.stdout) == (2, "") and "--reveal --yes" in refused.stderr
    shown = shell.token("--reveal", "--yes")
    assert shown.stdout.split(".")[0] == provider.log("tokens")[0]["access"]


def test_if_the_user_has_to_sign_in_the_command_that_is_named_signs_in(shell, provider):
    shell.sign_in()
    provider.policy(refusal={"error": "invalid_grant"})
    done = shell.token("--force-refresh")
    assert done.returncode == 3
    command = re.search(r"(cachetool sign-in .*)$", done.stderr, re.M)[1]
    assert f"--authority {provider.authority}" in command
    # Word for word, but for the code in place of a browser.
    process = subprocess.Popen(["sh", "-c", f"{PROGRAMS}/{command} --device-code"], env=shell.environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    shown = b""
    while not (code := re.search(rb"^  ([A-Z]{8}) ", shown, re.M)):
        shown += process.stderr.readline() or pytest.fail(f"ended: {shown}")
    provider.decide(code[1].decode())
    process.communicate(timeout=60)
    assert process.returncode == 0
    provider.policy(refusal=None)
    assert shell.token().returncode == 0


def test_of_accounts_at_two_issuers_one_has_to_be_named(shell, provider):
    one, other = provider.authority, provider.authority.replace("contoso", "fabrikam")
    assert shell.sign_in_with_browser().returncode == 0
    provider.answer()
    done = shell.finish(shell.start("sign-in", "--authority", other, "--client", CLIENT, "--scopes", SCOPES, "--allow-issuer", other))
    assert done.returncode == 0, done.stderr
    refused = shell.token()
    assert refused.returncode == 2 and f"{one} and {other}" in refused.stderr and "--account" in refused.stderr, refused.stderr
    name = json.loads(shell.token("--authority", one, "--json").stdout)["username"]
    refused = shell.token("--account", name)
    assert refused.returncode == 2 and f"@{one}" in refused.stderr and f"@{other}" in refused.stderr, refused.stderr
    groups = json.loads(shell.run("status", "--json").stdout)["groups"]
    assert {each["issuer"] for group in groups for each in group["accounts"]} == {one, other}, groups
    assert all(f"issuer  {each}" in shell.run("status").stdout for each in (one, other))
    assert shell.completed("token", "--account", "alice-notes") == [f"alice-notes@{each}" for each in (one, other)]
    assert shell.completed("token", "--account", "canary") == [name]
    for authority in (one, other):
        done = shell.token("--account", name, "--authority", authority, "--json")
        assert done.returncode == 0 and json.loads(done.stdout)["issuer"] == authority, done.stderr
    # The username then names the one that is left, as for a lookup.
    assert shell.run("sign-out", f"alice-notes@{one}", "--client", CLIENT, "--yes").returncode == 0
    for command in ("lookup", "token"):
        done = shell.run(command, "--account", name, "--client", CLIENT, "--scopes", "files.read", "--json")
        assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["issuer"] == other, done.stdout


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("n", 1)])
def test_on_a_terminal_the_user_is_asked_once_whether_to_sign_in_at_another_issuer(shell, provider, answer, status):
    assert shell.sign_in_with_browser().returncode == 0
    other = provider.authority.replace("contoso", "fabrikam")
    command = "sign-in", "--authority", other, "--client", CLIENT, "--scopes", SCOPES
    refused = shell.run(*command)
    assert refused.returncode == 2 and f"{provider.authority} before" in refused.stderr and "--allow-issuer" in refused.stderr
    for asks in (True, False) if status == 0 else (True,):
        process, terminal = shell.start_on_terminal(*command)
        said = b""
        while asks and b"[y/N]" not in said:
            said += os.read(terminal, 4096)
        assert not asks or f"Sign in at {other} all the same?".encode() in said, said
        if asks:
            os.write(terminal, answer.encode() + b"\n")
        if status == 0:
            provider.answer()
        assert process.wait(timeout=60) == status
        os.close(terminal)
    assert len(provider.log("authorize")) == (3 if status == 0 else 1)


SYSTEM_ROOTS = "/etc/ssl/certs/ca-certificates.crt"


@pytest.mark.parametrize(("file", "folder", "said"), [
    ("", "{folder}", None), (SYSTEM_ROOTS, "{folder}", None), ("{folder}/roots.pem", "/missing", None),
    (SYSTEM_ROOTS, "", f"add its root certificate to {SYSTEM_ROOTS} (SSL_CERT_FILE), which counts instead"),
    ("", "", "add its root certificate to the system's, or to a file that SSL_CERT_FILE names"),
    ("/missing.pem", "{folder}", "no root certificate in PEM form in /missing.pem (SSL_CERT_FILE), or"),
    ("", "/missing", "no root certificate in PEM form in /missing (SSL_CERT_DIR), or"),
])
def test_the_variables_name_the_roots_and_an_error_names_the_server_and_them(shell, provider, tmp_path, file, folder, said):
    roots = tmp_path / "roots"
    roots.mkdir()
    (roots / "roots.pem").write_bytes(pathlib.Path(provider.roots).read_bytes())
    provider.answer()
    done = shell.finish(shell.start_with_browser(SSL_CERT_FILE=file.format(folder=roots), SSL_CERT_DIR=folder.format(folder=roots)))
    assert done.returncode == (1 if said else 0), done.stderr
    assert said is None or said in done.stderr and provider.authority.split("/")[2] in done.stderr, done.stderr


TROUBLE = {"error": "temporarily_unavailable", "suberror": "maintenance"}


@pytest.mark.parametrize(("status", "body", "headers", "said"), [
    (500, {}, {}, ["status 500"]), (503, TROUBLE, {}, ["temporarily_unavailable, maintenance, status 503"]),
    (429, {"error": "slow_down"}, {"Retry-After": "60"}, ["slow_down, status 429", "not asked again before 20"]),
    (400, {"error": "server_error"}, {}, ["server_error, status 400"]), (404, "<html>", {}, ["status 404"]),
])
def test_a_renewal_while_the_provider_cannot_help_says_why_and_what_remains(shell, provider, status, body, headers, said):
    assert shell.sign_in_with_browser().returncode == 0
    host = provider.authority.split("/")[2]
    for options in (["--force-refresh"], ["--force-refresh", "--json"]):
        provider.fault(status=status, body=body, headers=headers)
        done = shell.token(*options)
        assert (done.returncode, done.stdout) == (6, ""), done.stderr
        for text in (*said, host, "The token that is valid until 20", "was not replaced"):
            assert text in done.stderr, done.stderr
    assert shell.token().returncode == 0, "the valid token is used"


def test_without_a_valid_token_a_provider_that_cannot_help_is_exit_6_too(shell, provider):
    provider.policy(lifetime=1)
    assert shell.sign_in_with_browser().returncode == 0
    time.sleep(2)
    provider.fault(status=503, body=TROUBLE, headers={"Retry-After": "60"})
    for _ in range(2):
        done = shell.token()
        assert done.returncode == 6 and "maintenance, status 503" in done.stderr and "before 20" in done.stderr, done.stderr
        assert "was not replaced" not in done.stderr
    assert len(provider.log("answer", endpoint="token", fault=True)) == 1


@pytest.mark.parametrize("signal", [2, 15])
@pytest.mark.parametrize("options", [["--device-code"], []])
def test_an_interrupted_sign_in_ends_at_once_by_the_signal_and_leaves_no_group(shell, provider, signal, options):
    process = shell.start_with_browser(*options)
    while not re.search(b"valid for|Ctrl-C", process.stderr.readline()):
        assert process.poll() is None
    process.send_signal(signal)
    assert process.wait(timeout=20) == -signal
    # The browser is the user's, and holds standard error: it goes on until the user is done there.
    provider.answer("alice")
    assert b"Interrupted" in process.communicate(timeout=20)[1]
    assert not shell.left()


def test_a_sign_out_revokes_the_refresh_token_if_asked(shell, provider):
    name = json.loads(shell.sign_in("--json").stdout)["username"]
    done = shell.run("sign-out", name, "--client", CLIENT, "--revoke", "--yes", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["revocation"] == "done" and len(provider.log("revoked")) == 1
    assert shell.token().returncode == 3


def test_a_sign_out_revokes_what_the_group_has_and_not_what_another_sign_in_replaced(shell, provider):
    for _ in range(2):
        name = json.loads(shell.sign_in("--json").stdout)["username"]
    done = shell.run("sign-out", name, "--client", CLIENT, "--revoke", "--yes")
    assert done.returncode == 0 and "Its refresh tokens in the group were revoked." in done.stderr, done.stderr
    assert [each["chain"] for each in provider.log("revoked")] == [provider.log("tokens")[-1]["chain"]]


@pytest.mark.parametrize("number", [2, 15])
def test_an_interrupted_revocation_says_what_was_done_and_ends_by_the_signal(shell, provider, number):
    name = json.loads(shell.sign_in("--json").stdout)["username"]
    provider.fault("revoke", delay=20)
    process = shell.start("sign-out", name, "--client", CLIENT, "--revoke", "--yes")
    while not provider.log("answer", endpoint="revoke"):
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(number)
    done = shell.finish(process)
    assert done.returncode == -number, done.stderr
    assert "is signed out" in done.stderr and "may not have been revoked" in done.stderr and "--revoke-pending" in done.stderr
    assert shell.token().returncode == 3


def test_a_sign_out_ends_the_session_in_the_browser_if_asked(shell, provider):
    name = json.loads(shell.sign_in("--json").stdout)["username"]
    done = shell.run("sign-out", name, "--client", CLIENT, "--browser", "--yes")
    assert done.returncode == 0 and "The session in the browser has ended." in done.stderr, done.stderr
    assert "The browser was opened" in done.stderr and "revoked" not in done.stderr
    [ended] = provider.log("ended-session")
    assert ended["client"] == CLIENT and ended["agrees"]
    assert shell.token().returncode == 3


@pytest.mark.parametrize("number", [2, 15])
def test_a_sign_out_says_how_long_it_waits_for_the_browser_and_ends_at_once_if_interrupted(shell, provider, number):
    name = json.loads(shell.sign_in("--json").stdout)["username"]
    process = shell.start("sign-out", name, "--client", CLIENT, "--browser", "--yes", BROWSER="true")
    said = b""
    while b"Ctrl-C" not in said:
        assert (line := process.stderr.readline()), said
        said += line
    assert b"waits up to 30 seconds" in said and process.poll() is None
    process.send_signal(number)
    done = shell.finish(process)
    assert done.returncode == -number and "The session in the browser may continue" in done.stderr, done.stderr
    assert not provider.log("ended-session")
    assert shell.token().returncode == 3


def test_a_sign_out_says_what_could_not_be_done_beyond_the_group(shell, provider):
    name = json.loads(shell.sign_in("--json").stdout)["username"]
    done = shell.run("sign-out", name, "--client", CLIENT, "--browser", "--revoke", "--yes", "--json", BROWSER="", DISPLAY="")
    assert done.returncode == 9 and "no browser could be opened" in done.stderr, done.stderr
    assert "was opened" not in done.stderr
    document = json.loads(done.stdout)
    assert (document["revocation"], document["browser_session"]) == ("done", "failed")
    assert shell.token().returncode == 3


def test_no_token_and_no_code_of_the_device_is_in_what_is_said_or_in_arguments_or_environment(shell, provider):
    shell.sign_in()
    shell.token()
    shell.token("--json")
    script = "env; tr '\\0' ' ' </proc/$$/cmdline; cat /proc/$$/environ"
    ran = shell.token("--force-refresh", "--", "sh", "-c", script)
    assert ran.returncode == 0 and "CACHETOOL_TOKEN_FD=" in ran.stdout
    provider.policy(refusal={"error": "invalid_grant", "error_description": "canary-description"})
    assert shell.token("--force-refresh").returncode == 3
    assert shell.seen and os.fsencode(CLIENT) in shell.seen
    for secret in (rb"\b(at|rt|dc)-[0-9a-f]+\.", rb"canary-description", rb"eyJ"):
        assert not re.search(secret, shell.said + shell.seen), secret
