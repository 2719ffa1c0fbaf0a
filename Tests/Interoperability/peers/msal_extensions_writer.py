# SPDX-License-Identifier: Apache-2.0
"""Signs a person in with the real MSAL and keeps the cache as msal-extensions does: in the keyring of the session.

Run by the Python that has PyGObject; the cache's entries go to standard output as well, to be compared with.
"""

from __future__ import annotations

import sys

import msal_extensions


def main() -> None:
    kind, path = sys.argv[1:3]
    text = sys.stdin.read()
    if kind == "plain":
        persistence = msal_extensions.FilePersistence(path)
    elif kind == "defaults":
        persistence = msal_extensions.LibsecretPersistence(path)
    else:
        schema, *pairs = sys.argv[3:]
        attributes = dict(pair.split("=", 1) for pair in pairs)
        persistence = msal_extensions.LibsecretPersistence(path, schema_name=schema, attributes=attributes)
    cache = msal_extensions.PersistedTokenCache(persistence)
    # As an application does: under its lock, through MSAL's own serialisation.
    cache.deserialize(text)
    cache.has_state_changed = True
    persistence.save(cache.serialize())
    sys.stdout.write(persistence.load())


if __name__ == "__main__":
    main()
