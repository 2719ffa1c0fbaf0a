# SPDX-License-Identifier: Apache-2.0
"""Puts an item into the keyring of the session with libsecret's own call, as the libraries do that have no package here.

    item_writer.py {plain,base64} LABEL SCHEMA KEY=VALUE...    the secret comes from standard input
"""

from __future__ import annotations

import base64
import sys

import gi

gi.require_version("Secret", "1")
from gi.repository import Secret  # noqa: E402 - the version is asked for first


def main() -> None:
    encoding, label, schema_name, *pairs = sys.argv[1:]
    attributes = dict(pair.split("=", 1) for pair in pairs)
    schema = Secret.Schema.new(schema_name, Secret.SchemaFlags.NONE,
                               {name: Secret.SchemaAttributeType.STRING for name in attributes})
    text = sys.stdin.read()
    secret = base64.b64encode(text.encode()).decode() if encoding == "base64" else text
    assert Secret.password_store_sync(schema, attributes, Secret.COLLECTION_DEFAULT, label, secret, None)


if __name__ == "__main__":
    main()
