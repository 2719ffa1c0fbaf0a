# SPDX-License-Identifier: Apache-2.0
"""libtokencache through ctypes: what tokencache.h declares, as far as it is used here."""

from __future__ import annotations

import ctypes
import json
import pathlib
from typing import Any

OK, INVALID_REQUEST, STORAGE_MOVED, TOKEN_GONE, BUFFER_TOO_SMALL = 0, 1, 10, 100, 201
VALID, BY_ACCOUNT_ID, OF_APPLICATION, KEYRING_PROMPTS = 1, 1, 3, 1
STORAGE = {"automatic": 0, "file": 1, "keyring": 2}

Handle = ctypes.c_void_p


class Error(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("code", ctypes.c_int32),
        ("system_error", ctypes.c_int32),
        ("reserved", ctypes.c_uint32),
        ("byte_offset", ctypes.c_int64),
        ("message", ctypes.c_char * 480),
    ]


class Options(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("storage", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
        ("timeout_ms", ctypes.c_uint32),
        ("root", ctypes.c_char_p),
        ("key_file", ctypes.c_char_p),
        ("mounted_secret", ctypes.c_char_p),
        ("credential", ctypes.c_char_p),
        ("collection", ctypes.c_char_p),
        ("passphrase", ctypes.c_char_p),
        ("passphrase_count", ctypes.c_size_t),
    ]


class Terms(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("subject", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        *(
            (name, ctypes.c_char_p)
            for name in (
                "account",
                "scopes",
                "tenant",
                "environment",
                "token_type",
                "key_id",
                "claims_challenge",
                "isolated_claims",
                "extended_cache_key",
                "application_identifier",
                "user_assertion_hash",
            )
        ),
    ]


class Info(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("decision", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
        ("reason", ctypes.c_int32),
        ("expires_on", ctypes.c_int64),
        ("refresh_on", ctypes.c_int64),
        ("extended_expires_on", ctypes.c_int64),
    ]


class View(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("client_id", ctypes.c_char_p),
        ("account", ctypes.c_char_p),
    ]


class Report(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint32)
        for name in ("struct_size", "written", "removed", "signed_out", "refused", "kept", "ignored")
    ]


class TokenCacheError(Exception):
    """Why the cache could not do what it was asked for.

    Its text says what happened and what to do. It never contains a token or a user's name.
    """

    code: int
    """The number of the error in ``tokencache.h``, which never changes."""
    system_error: int
    """The ``errno`` behind it; 0 if there is none."""

    def __init__(self, message: str, code: int, system_error: int = 0) -> None:
        super().__init__(message, code, system_error)
        self.code, self.system_error = code, system_error

    def __str__(self) -> str:
        return str(self.args[0])


class Library:
    """The functions. Loaded when the first cache is opened, and for the rest of the process."""

    _loaded: Library | None = None

    @classmethod
    def load(cls) -> Library:
        if cls._loaded is None:
            cls._loaded = cls(pathlib.Path(__file__).with_name("libtokencache.so.1"))
        return cls._loaded

    def __init__(self, path: pathlib.Path) -> None:
        # Other threads run meanwhile, because these may wait.
        self._functions = ctypes.CDLL(str(path))
        # The revision never waits, nor does a token in a file, not even for a writer that was stopped. Letting other
        # threads run costs more than they do.
        quick = ctypes.PyDLL(str(path))
        address = ctypes.c_void_p
        self.token_from_file, self.token = quick.tokencache_token, self._functions.tokencache_token
        for function in (self.token_from_file, self.token):
            function.argtypes = [Handle, Handle, address, address, ctypes.c_size_t, address, address]
        self.revision = quick.tokencache_group_revision
        self.revision.argtypes = [Handle, address, address]

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function whose last parameter is the error."""
        error = sized(Error)
        if getattr(self._functions, "tokencache_" + name)(*arguments, ctypes.byref(error)) != OK:
            raise failure(error)

    def opened(self, name: str, *arguments: Any) -> Handle:
        """Calls a function that gives a handle."""
        handle = Handle()
        self.call(name, *arguments, ctypes.byref(handle))
        return handle

    def close(self, name: str, handle: Handle) -> None:
        """Closes a handle. One of the parent of this process stays open there."""
        getattr(self._functions, "tokencache_" + name)(handle)

    def document(self, group: Handle, client_id: str, account: str | None) -> tuple[Handle, Any]:
        """Reads a document. It is copied, because what a signal handler raises would be lost in a callback."""
        handle, count = Handle(), ctypes.c_size_t()
        view = sized(View, client_id=encoded(client_id), account=encoded(account))
        try:
            self.call("document_read", group, ctypes.byref(view), ctypes.byref(handle), None, None)
            self._functions.tokencache_document_copy_text(handle, None, count, ctypes.byref(count), None)
            text = ctypes.create_string_buffer(count.value)
            self.call("document_copy_text", handle, text, count, ctypes.byref(count))
            return handle, json.loads(text.raw)
        except BaseException:
            self.close("document_free", handle)
            raise


def sized(kind: Any, **values: Any) -> Any:
    """A structure that says how long it is."""
    return kind(struct_size=ctypes.sizeof(kind), **values)


def failure(error: Error) -> TokenCacheError:
    return TokenCacheError(error.message.decode(), error.code, error.system_error)


def encoded(text: str | None) -> bytes | None:
    """A text as the library reads it, to its first zero byte: there must be none in it."""
    if text is None:
        return None
    if "\0" in text:
        raise ValueError("a text contains a null character")
    return text.encode()
