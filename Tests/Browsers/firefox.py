# SPDX-License-Identifier: Apache-2.0
"""Debian's Firefox, without a display. Debian has no driver for it: it goes only where it is sent."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess

PREFERENCES = {
    "network.proxy.type": 0,
    # It does nothing of its own.
    "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "app.normandy.enabled": False, "browser.aboutwelcome.enabled": False, "extensions.update.enabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "services.settings.server": "",
}


class Firefox:
    """A browser with a profile of its own, which trusts `roots`."""

    def __init__(self, folder: pathlib.Path, roots: str) -> None:
        self.profile, self._folder = folder / "profile", folder
        self.profile.mkdir(parents=True)
        for command in ["-N", "--empty-password"], ["-A", "-n", "test", "-t", "C,,", "-i", roots]:
            subprocess.run(["certutil", "-d", f"sql:{self.profile}", *command], check=True)
        self._prefer(PREFERENCES)
        #: For $BROWSER. What the browser writes is kept.
        self.program = folder / "browser"
        self.program.write_text(f"""#!/bin/sh
echo $$ >"{folder}/pid"
HOME="{folder}" exec firefox-esr --headless --no-remote --profile "{self.profile}" "$1" >"{folder}/output" 2>&1
""")
        self.program.chmod(0o755)

    def _prefer(self, preferences: dict[str, bool | int | str]) -> None:
        with (self.profile / "user.js").open("a") as file:
            file.writelines(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items())

    def passes_to_desktop(self, scheme: str) -> None:
        """Has it not ask the user whether a site may open the application of a scheme. Call it before it starts."""
        self._prefer({"security.external_protocol_requires_permission": False, f"network.protocol-handler.external.{scheme}": True})
        handlers = {"defaultHandlersVersion": {}, "mimeTypes": {}, "schemes": {scheme: {"action": 4}}}  # 4: the desktop's
        (self.profile / "handlers.json").write_text(json.dumps(handlers))

    def close(self) -> None:
        if (self._folder / "pid").exists():
            try:
                os.killpg(int((self._folder / "pid").read_text()), signal.SIGTERM)
            except ProcessLookupError:
                pass
