# SPDX-License-Identifier: Apache-2.0
"""Browsers pass a redirect URI with a scheme of the application's own to the desktop, which starts a process that hands it on."""

from __future__ import annotations

import pathlib
import subprocess

import secret_search
from running_provider import PROGRAMS

from chromium import wait_for
from test_public_provider import HINT, SIGN_IN, history

#: The one that the policy of scripts/test-browsers names.
SCHEME = "msauth.com.example.app"


class SignIn:
    """cachetool sign-in of a user whose desktop knows the scheme."""

    def __init__(self, folder: pathlib.Path, provider, browser, authority: str) -> None:
        (folder / "data/applications").mkdir(parents=True)
        (folder / "data/applications/app.desktop").write_text(f"""[Desktop Entry]
Type=Application
Name=Example
Exec={PROGRAMS}/cachetool-sign-in handle-redirect %u
MimeType=x-scheme-handler/{SCHEME};
NoDisplay=true
""")
        folders = {"XDG_DATA_HOME": "data", "XDG_CONFIG_HOME": "config", "XDG_RUNTIME_DIR": "run"}
        for name in folders.values():
            (folder / name).mkdir(mode=0o700, exist_ok=True)
        # There is no display, but xdg-open wants to hear of one.
        environment = provider.environment | {name: str(folder / path) for name, path in folders.items()} | {
            "BROWSER": str(browser.program), "DISPLAY": ":99"}
        subprocess.run(["xdg-mime", "default", "app.desktop", f"x-scheme-handler/{SCHEME}"], check=True, env=environment)
        command = [PROGRAMS / "cachetool", "sign-in", "--authority", authority, "--client", "notes", "--scopes", "openid files.read",
                   "--redirect-uri", f"{SCHEME}://auth", "--group", "sign-in", "--root", str(folder / "groups")]
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self) -> bytes:
        """What it said, but for whose sign-in it is, which is for the user's own eyes."""
        output, errors = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, errors
        assert f"{HINT} is signed in".encode() in errors
        return (output + errors).replace(HINT.encode(), b"")


def test_chromium_passes_the_response_to_the_desktop_and_has_no_code_in_its_history(tmp_path, provider, browser):
    command = SignIn(tmp_path, provider, browser, "https://idp.test/contoso")
    browser.attach(command)
    browser.click(SIGN_IN)
    assert not secret_search.has_secret(command.finish())
    browser.close()
    visited = " ".join(history(browser, "url", whole=True))
    assert "/contoso/authorize?" in visited and f"{SCHEME}://" not in visited and "code=code-" not in visited


def test_firefox_passes_the_response_to_the_desktop_and_has_no_code_in_its_history(tmp_path, provider, firefox):
    provider.policy(pages=False)
    provider.answer("alice")
    firefox.passes_to_desktop(SCHEME)
    # Nothing maps its ports.
    command = SignIn(tmp_path, provider, firefox, f"https://idp.test:{provider.port}/contoso")
    assert not secret_search.has_secret(command.finish())

    def history() -> bytes:
        return b"".join(each.read_bytes() for each in firefox.profile.glob("places.sqlite*"))
    wait_for("the visits in the history", lambda: b"/start/" in history())
    assert not secret_search.has_secret(history())
