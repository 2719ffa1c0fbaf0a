#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What silent.c does, in Python with ctypes: silent.py ROOT USERNAME SIGNED-IN.json RENEWED.json"""

import ctypes
import pathlib
import sys

OK, RENEW = 0, 2
STORAGE_FILE, GRANT_INTERACTIVE, BY_USERNAME, FORCE_REFRESH = 1, 1, 2, 1


class Error(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("code", ctypes.c_int32), ("system_error", ctypes.c_int32),
                ("reserved", ctypes.c_uint32), ("byte_offset", ctypes.c_int64), ("message", ctypes.c_char * 480)]


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("storage", ctypes.c_int32), ("flags", ctypes.c_uint32),
                ("timeout_ms", ctypes.c_uint32)] + [
                    (name, ctypes.c_char_p) for name in ("root", "key_file", "mounted_secret", "credential", "collection")
                ] + [("passphrase", ctypes.c_char_p), ("passphrase_count", ctypes.c_size_t)]


class Terms(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("subject", ctypes.c_int32), ("flags", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32)] + [
                    (name, ctypes.c_char_p) for name in (
                        "account", "scopes", "tenant", "environment", "token_type", "key_id", "claims_challenge",
                        "isolated_claims", "extended_cache_key", "application_identifier", "user_assertion_hash")]


class Request(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("grant", ctypes.c_int32)] + [
        (name, ctypes.c_char_p) for name in (
            "environment", "tenant", "scopes", "account_id", "key_id", "isolated_claims", "extended_cache_key",
            "application_identifier", "user_assertion_hash")]


class Info(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("decision", ctypes.c_int32), ("flags", ctypes.c_uint32),
                ("reason", ctypes.c_int32), ("expires_on", ctypes.c_int64), ("refresh_on", ctypes.c_int64),
                ("extended_expires_on", ctypes.c_int64)]


def sized(kind, **values):
    """A structure that says how long it is."""
    return kind(struct_size=ctypes.sizeof(kind), **values)


class TokenCacheError(Exception):
    def __init__(self, error: Error) -> None:
        super().__init__(error.message.decode())
        self.code = error.code


library = ctypes.CDLL("libtokencache.so.1")
Sink = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.POINTER(ctypes.c_uint8), ctypes.c_size_t)


def call(name: str, *arguments) -> None:
    """Calls a function whose last parameter is the error."""
    error = sized(Error)
    if getattr(library, "tokencache_" + name)(*arguments, ctypes.byref(error)) != OK:
        raise TokenCacheError(error)


def opened(name: str, *arguments) -> ctypes.c_void_p:
    """Calls a function that gives a handle."""
    handle = ctypes.c_void_p()
    call(name, *arguments, ctypes.byref(handle))
    return handle


def copied(name: str, *arguments) -> bytes:
    """Calls a function that copies bytes."""
    buffer, count = ctypes.create_string_buffer(16384), ctypes.c_size_t()
    call(name, *arguments, buffer, ctypes.c_size_t(len(buffer)), ctypes.byref(count))
    value = buffer.raw[:count.value]
    library.tokencache_wipe(buffer, ctypes.c_size_t(len(buffer)))
    return value


def main(root: str, username: str, signed_in: str, renewed: str) -> None:
    options = sized(Options, storage=STORAGE_FILE, root=root.encode())
    cache = opened("open", b"com.contoso.sso", b"6c05f7a1-7c3c-4e1c-8e4e-6f6a1d6a8a55", ctypes.byref(options))

    request = sized(Request, grant=GRANT_INTERACTIVE, environment=b"login.microsoftonline.com", tenant=b"common", scopes=b"User.Read")
    body = pathlib.Path(signed_in).read_bytes()
    call("save", cache, ctypes.byref(request), body, ctypes.c_size_t(len(body)), 0, None, None)

    terms, info = sized(Terms, subject=BY_USERNAME, account=username.encode(), scopes=b"User.Read"), sized(Info)
    query = opened("query_new", ctypes.byref(terms))
    token = copied("token", cache, query, ctypes.byref(info))
    print(f"decision {info.decision}, {len(token)} bytes")

    terms.flags = FORCE_REFRESH
    fresh, renewal = opened("query_new", ctypes.byref(terms)), ctypes.c_void_p()
    call("renewal_begin", cache, fresh, 0, ctypes.byref(renewal), ctypes.byref(info))
    while info.decision == RENEW:
        refresh_token = copied("renewal_copy_secret", renewal)
        host, tenant = copied("renewal_host", renewal).decode(), copied("renewal_tenant", renewal).decode()
        print(f"renew with {len(refresh_token)} bytes at {host}, tenant {tenant}")
        body = pathlib.Path(renewed).read_bytes()
        call("renewal_finish", renewal, 200, body, ctypes.c_size_t(len(body)), None, ctypes.byref(info))
    token = copied("token", cache, query, ctypes.byref(info))
    print(f"decision {info.decision}, {len(token)} bytes")

    call("sign_out", cache, b"uid.utid", 0)
    call("lookup", cache, query, ctypes.byref(info))
    print(f"decision {info.decision}, reason {info.reason}")
    library.tokencache_close(cache)


if __name__ == "__main__":
    main(*sys.argv[1:])
