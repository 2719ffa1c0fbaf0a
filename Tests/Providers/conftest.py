# SPDX-License-Identifier: Apache-2.0
"""What the tests beside the strict provider share."""

from __future__ import annotations

import pytest
from running_provider import Machine, RunningProvider


@pytest.fixture
def provider(tmp_path):
    folder = tmp_path / "provider"
    folder.mkdir()
    running = RunningProvider(folder)
    yield running
    running.close()


@pytest.fixture
def machine(tmp_path, provider):
    # The folder of the groups is made by the first application.
    started = Machine(tmp_path / "groups", provider)
    yield started
    for app in started.apps:
        if app.process.poll() is None:
            app.kill()
