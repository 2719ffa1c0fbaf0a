#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the callbacks of a library that loads and stores its cache as a whole do, such as MSAL for Go (cache.ExportReplace), Node
(ICachePlugin) and .NET (SetBeforeAccess, SetAfterAccess). Here the library is MSAL Python: document.py ROOT USERNAME SIGNED-IN.json

Programs that use MSAL Python have it simpler, with SharedTokenCache of Python/."""

import ctypes
import json
import pathlib
import sys

from silent import Options, STORAGE_FILE, call, library, opened, sized

GROUP, CLIENT = b"com.contoso.sso", "6c05f7a1-7c3c-4e1c-8e4e-6f6a1d6a8a55"


class View(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("client_id", ctypes.c_char_p), ("account", ctypes.c_char_p)]


class Report(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("struct_size", "written", "removed", "signed_out", "refused", "kept", "ignored")]


class SharedDocument:
    """The document of a client, for one cache of its library."""

    def __init__(self, root: str) -> None:
        options = sized(Options, storage=STORAGE_FILE, root=root.encode())
        # This creates the group if there is none.
        library.tokencache_close(opened("open", GROUP, CLIENT.encode(), ctypes.byref(options)))
        self.group = opened("group_open", GROUP, ctypes.byref(options))
        self.revision, self.document = None, ctypes.c_void_p()

    def before_access(self, cache) -> None:
        """Loads what any process changed since the last time; most times that is nothing."""
        revision = ctypes.c_uint64()
        call("group_revision", self.group, ctypes.byref(revision))
        if revision.value == self.revision:
            return
        view, document, count = sized(View, client_id=CLIENT.encode()), ctypes.c_void_p(), ctypes.c_size_t()
        call("document_read", self.group, ctypes.byref(view), ctypes.byref(document), None, None)
        # Says how much there is to copy.
        library.tokencache_document_copy_text(document, None, count, ctypes.byref(count), None)
        text = ctypes.create_string_buffer(count.value)
        call("document_copy_text", document, text, count, ctypes.byref(count))
        library.tokencache_document_free(self.document)
        self.document, self.revision = document, revision.value
        cache.deserialize(text.raw.decode())
        library.tokencache_wipe(text, count)

    def after_access(self, cache) -> Report:
        """Saves what the library changed, and nothing else."""
        report = sized(Report)
        if cache.has_state_changed:
            text = cache.serialize().encode()
            call("document_merge", self.document, text, ctypes.c_size_t(len(text)), 0, ctypes.byref(report))
        return report


def main(root: str, username: str, signed_in: str) -> None:
    import msal

    mine, document = msal.SerializableTokenCache(), SharedDocument(root)
    document.before_access(mine)
    response = json.loads(pathlib.Path(signed_in).read_bytes())
    mine.add({"client_id": CLIENT, "scope": ["User.Read"], "grant_type": "authorization_code", "response": response,
              "token_endpoint": "https://login.microsoftonline.com/utid/oauth2/v2.0/token"})
    print(f"wrote {document.after_access(mine).written} entries")

    # Another program of the same client signs out.
    others, its_document = msal.SerializableTokenCache(), SharedDocument(root)
    its_document.before_access(others)
    accounts = list(others.search(others.CredentialType.ACCOUNT))
    print(f"{len(accounts)} account, {accounts[0]['username'] == username}")
    for remove, kind in ((others.remove_rt, "RefreshToken"), (others.remove_at, "AccessToken"), (others.remove_idt, "IdToken"),
                         (others.remove_account, "Account")):
        for entry in list(others.search(kind)):
            remove(entry)
    print(f"signed out of {its_document.after_access(others).signed_out} account")

    document.before_access(mine)
    print(f"{len(list(mine.search(mine.CredentialType.ACCOUNT)))} accounts")


if __name__ == "__main__":
    main(*sys.argv[1:])
