# SPDX-License-Identifier: Apache-2.0
"""What the tests with a browser share. They run in a network namespace of their own, which has a public address."""

from __future__ import annotations

import os

import pytest
from running_provider import Machine, RunningProvider

from chromium import Chromium
from firefox import Firefox

#: An address of the internet. Browsers have other rules for pages from there than for those of the machine or its network.
PUBLIC = os.environ["PUBLIC_ADDRESS"]


@pytest.fixture
def provider(tmp_path):
    folder = tmp_path / "provider"
    folder.mkdir()
    # At all addresses of the namespace: applications reach it by the loopback address, the browser by the public one.
    running = RunningProvider(folder, "0.0.0.0")
    running.fault("metadata", count=1000, patch={"response_modes_supported": ["query", "form_post"]})
    running.policy(pages=True)
    yield running
    running.close()


@pytest.fixture
def machine(tmp_path, provider):
    started = Machine(tmp_path / "groups", provider)
    started.authority = "https://idp.test/contoso"
    yield started
    for app in started.apps:
        if app.process.poll() is None:
            app.kill()


@pytest.fixture
def browser(tmp_path, provider):
    made = Chromium(tmp_path / "chromium", provider.roots, {"idp.test:443": f"{PUBLIC}:{provider.port}"})
    yield made
    made.close()


@pytest.fixture
def firefox(tmp_path, provider):
    made = Firefox(tmp_path / "firefox", provider.roots)
    yield made
    made.close()
