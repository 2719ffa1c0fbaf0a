# SPDX-License-Identifier: Apache-2.0
"""Machines with both kinds of addresses, and with one of them: each is a network namespace."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.parse

import pytest
from running_provider import PROGRAMS, App

NO_IPV4, NO_IPV6 = "ip address delete 127.0.0.1/8 dev lo", "ip address delete ::1/128 dev lo"
#: An address of the network beside the loopback addresses: resolvers look at those, too.
IPV4_NETWORK, IPV6_NETWORK = "ip address add 192.0.2.1/32 dev lo", "ip address add 2001:db8::1/128 dev lo"
#: How a machine differs, and the addresses at which a redirect to localhost arrives there.
MACHINES = {
    "no network": ([], ["127.0.0.1", "::1"]),
    "a network of IPv4": ([IPV4_NETWORK], ["127.0.0.1", "::1"]),
    "a network of IPv6": ([IPV6_NETWORK], ["127.0.0.1", "::1"]),
    "only IPv4": ([IPV4_NETWORK, NO_IPV6], ["127.0.0.1"]),
    "only IPv6": ([IPV6_NETWORK, NO_IPV4], ["::1"]),
}
#: The browser, which takes an address of its own choice for the name.
BROWSER = """
import http.client, sys
address, port = sys.argv[1], int(sys.argv[2])
connection = http.client.HTTPConnection(address, port, timeout=10)
connection.request("GET", "/callback?code=c&state=s", headers={"Host": f"localhost:{port}"})
print(connection.getresponse().status)
"""
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="makes network namespaces")


def listen(changes: list[str], redirect_uri: str = "http://localhost/callback") -> App:
    script = " && ".join(["ip link set lo up", *changes, 'exec "$@"'])
    return App(["unshare", "--net", "--", "sh", "-c", script, "sh", str(PROGRAMS / "calendar-app"), "listen",
                "--redirect-uri", redirect_uri], dict(os.environ))


@pytest.mark.parametrize(("name", "address"), [(name, each) for name, (_, found) in MACHINES.items() for each in found])
def test_a_redirect_to_localhost_arrives_whichever_addresses_a_machine_has(name, address):
    app = listen(MACHINES[name][0])
    report = app.next_report()
    assert report["event"] == "listening", report
    port = urllib.parse.urlsplit(report["redirect_uri"]).port
    answer = subprocess.run(["nsenter", f"--net=/proc/{app.process.pid}/ns/net", sys.executable, "-c", BROWSER, address, str(port)],
                            capture_output=True, text=True)
    assert answer.stdout == "200\n", answer.stderr
    assert app.finish()[-1] == {"event": "response", "mode": "query"}


@pytest.mark.parametrize(("uri", "changes"), [("http://127.0.0.1/callback", [NO_IPV4]), ("http://[::1]/callback", [NO_IPV6]),
                                              ("http://localhost/callback", [NO_IPV4, NO_IPV6])])
def test_a_machine_without_the_address_of_the_redirect_uri_is_reported(uri, changes):
    [report] = listen(changes, uri).finish()
    assert report["code"] == "redirectUnavailable" and "this machine has no loopback address" in report["description"]
