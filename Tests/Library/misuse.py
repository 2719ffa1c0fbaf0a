# SPDX-License-Identifier: Apache-2.0
"""Calls every function with something wrong in one of its parameters. Prints one line of JSON for each call, before it is made and
after it: a trap would leave the first one. Started by test_misuse.py: misuse.py LIBRARY ROOT RESPONSE"""

from __future__ import annotations

import ctypes
import json
import pathlib
import sys

import header

library = ctypes.CDLL(sys.argv[1])
ROOT, RESPONSE = sys.argv[2].encode(), pathlib.Path(sys.argv[3]).read_bytes()
OK, INVALID_REQUEST, TOO_LARGE, BUFFER_TOO_SMALL, INVALID_HANDLE = 0, 1, 4, 201, 200
ALL_BITS = {"uint32_t": 2**32 - 1, "int32_t": -1, "size_t": 2**64 - 1, "int64_t": -1}
NUMBER_TYPES = {"uint32_t": ctypes.c_uint32, "int32_t": ctypes.c_int32, "size_t": ctypes.c_size_t, "int64_t": ctypes.c_int64}
SINK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
accepting, refusing = SINK(lambda *_: 0), SINK(lambda *_: 7)


def structure(name: str) -> type[ctypes.Structure]:
    def kind(member: header.Parameter):
        if member.name == "message":
            return ctypes.c_char * 480
        return NUMBER_TYPES.get(member.type, ctypes.c_void_p)

    return type(name, (ctypes.Structure,), {"_fields_": [(each.name, kind(each)) for each in header.STRUCTURES[name]]})


TYPES = {name: structure(name) for name in header.STRUCTURES}
keep: list = []


def memory(value: bytes) -> int:
    """The address of these bytes and a zero byte, for as long as this process runs."""
    keep.append(ctypes.create_string_buffer(value, len(value) + 1))
    return ctypes.addressof(keep[-1])


def filled(name: str, **values) -> ctypes.Structure:
    members = {key: memory(value) if isinstance(value, bytes) else value for key, value in values.items()}
    return TYPES[name](**{"struct_size": ctypes.sizeof(TYPES[name]), **members})


# What every call of a function gets, but for the parameter that is wrong.
VALID = {
    "tokencache_options": filled("tokencache_options", storage=3),
    "tokencache_terms": filled("tokencache_terms", subject=1, flags=1, account=b"uid.utid", scopes=b"User.Read"),
    "tokencache_request": filled("tokencache_request", grant=1, environment=b"login.microsoftonline.com", tenant=b"common",
                                 scopes=b"User.Read"),
    "tokencache_view": filled("tokencache_view", client_id=b"client"),
}
# Where NULL says that something is absent.
OPTIONAL = {
    ("tokencache_open", "options"), ("tokencache_group_open", "options"), ("tokencache_token", "info"), ("tokencache_with_token", "info"), ("tokencache_save", "account"),
    ("tokencache_renewal_finish", "retry_after"), ("tokencache_document_read", "sink"), ("tokencache_document_merge", "report"),
}


def call(function: str, *arguments) -> int:
    entry = getattr(library, function)
    entry.restype = NUMBER_TYPES.get(header.FUNCTIONS[function][0])
    return entry(*arguments)


def handle(function: str, *arguments) -> int:
    result = ctypes.c_void_p()
    status = call(function, *arguments, ctypes.byref(result), None)
    assert status == OK, (function, status)
    return result.value


def save() -> None:
    assert call("tokencache_save", ctypes.c_void_p(objects["tokencache"]), ctypes.byref(VALID["tokencache_request"]), RESPONSE,
                ctypes.c_size_t(len(RESPONSE)), 0, None, None, None) == OK


def make_renewal() -> int:
    # Forgets what earlier ones were answered.
    save()
    renewal, info = ctypes.c_void_p(), filled("tokencache_info")
    assert call("tokencache_renewal_begin", ctypes.c_void_p(objects["tokencache"]), ctypes.c_void_p(objects["tokencache_query"]), 1,
                ctypes.byref(renewal), ctypes.byref(info), None) == OK
    assert renewal.value, info.decision
    return renewal.value


objects: dict[str, int] = {}
objects["tokencache"] = handle("tokencache_open", b"misused", b"client", ctypes.byref(VALID["tokencache_options"]))
save()
objects["tokencache_query"] = handle("tokencache_query_new", ctypes.byref(VALID["tokencache_terms"]))
objects["tokencache_renewal"] = make_renewal()
in_file = filled("tokencache_options", storage=1, root=ROOT)
assert call("tokencache_close", ctypes.c_void_p(handle("tokencache_open", b"group", b"client", ctypes.byref(in_file)))) == OK
objects["tokencache_group"] = handle("tokencache_group_open", b"group", ctypes.byref(in_file))
VALID["group"] = in_file


def read_document() -> int:
    document = ctypes.c_void_p()
    assert call("tokencache_document_read", ctypes.c_void_p(objects["tokencache_group"]), ctypes.byref(VALID["tokencache_view"]),
                ctypes.byref(document), None, None, None) == OK
    return document.value


objects["tokencache_document"] = read_document()
DOCUMENT = b'{"Account": {}, "RefreshToken": {}, "AccessToken": {}, "IdToken": {}, "AppMetadata": {}}'
# Handles of each type that are closed.
closed = {
    "tokencache": handle("tokencache_open", b"other", b"client", ctypes.byref(VALID["tokencache_options"])),
    "tokencache_query": handle("tokencache_query_new", ctypes.byref(VALID["tokencache_terms"])),
    "tokencache_group": handle("tokencache_group_open", b"group", ctypes.byref(in_file)),
    "tokencache_document": read_document(),
}
for kind, end in (("tokencache", "close"), ("tokencache_query", "query_free"), ("tokencache_group", "group_close"),
                  ("tokencache_document", "document_free")):
    assert call(f"tokencache_{end}", ctypes.c_void_p(closed[kind])) == OK
other = handle("tokencache_query_new", ctypes.byref(VALID["tokencache_terms"]))


def valid(function: str, parameter: header.Parameter):
    """A value that the function accepts."""
    kind = parameter.type.removeprefix("const ").rstrip(" *")
    if parameter.type == f"{kind} *" and kind in objects:
        return ctypes.c_void_p(objects[kind])
    if function == "tokencache_group_open" and parameter.name == "options":
        return ctypes.byref(VALID["group"])
    if kind in VALID:
        return ctypes.byref(VALID[kind])
    match parameter.name:
        case "info":
            return ctypes.byref(filled("tokencache_info"))
        case "report":
            return ctypes.byref(filled("tokencache_report"))
        case "edited":
            return DOCUMENT
        case "count" if function == "tokencache_document_merge":
            return ctypes.c_size_t(len(DOCUMENT))
        case "error":
            return ctypes.byref(filled("tokencache_error"))
        case "group":
            return b"group"
        case "buffer":
            return ctypes.c_void_p(memory(bytes(70000)))
        case "capacity":
            return ctypes.c_size_t(70000)
        case "response" | "body":
            return RESPONSE
        case "count" if parameter.type == "size_t":
            return ctypes.c_size_t(len(RESPONSE))
        case "timeout_ms":
            return ctypes.c_uint32(1)
        case "http_status":
            return ctypes.c_int32(0)
        case "sink" | "use" | "account":
            return accepting
        case "context" | "retry_after":
            return None
        case "account_id":
            return b"nobody.utid"
        case "client_id":
            return b"client"
    # Where a result goes.
    return ctypes.c_void_p(memory(bytes(8)))


def wrong(function: str, parameter: header.Parameter):
    """What to pass instead, with the results that are right; None for any number in the header."""
    kind = parameter.type.removeprefix("const ").rstrip(" *")
    absent = None if (function, parameter.name) in OPTIONAL else {INVALID_REQUEST}
    if parameter.type == f"{kind} *" and kind in objects:
        may_be_null = function.rsplit("_", 1)[1] in ("close", "free", "cancel")
        yield "NULL", None, {OK} if may_be_null else {INVALID_HANDLE}
        foreign = [value for name, value in objects.items() if name != kind]
        numbers = [1, 0xFFF, 2**63, 2**64 - 1, objects[kind] + 1, objects[kind] ^ (1 << 20), objects[kind] ^ (1 << 60), id(objects)]
        for value in [*foreign, *numbers, closed.get(kind, 2)]:
            yield f"{value:#x}", ctypes.c_void_p(value), {INVALID_HANDLE}
    elif kind in TYPES and kind not in ("tokencache_error",):
        yield "NULL", None, absent
        for size in (0, 3, ctypes.sizeof(TYPES[kind]) - 1):
            value = filled(kind, struct_size=size)
            yield f"struct_size {size}", ctypes.byref(value), {INVALID_REQUEST}
        if kind not in VALID:
            return
        start = VALID["group"] if function == "tokencache_group_open" else VALID[kind]
        # Members of a later version.
        for rest, expected in ((bytes(8), {OK}), (bytes(7) + b"\1", {INVALID_REQUEST}), (bytes(4096), {INVALID_REQUEST})):
            longer = ctypes.create_string_buffer(bytes(start) + rest, ctypes.sizeof(start) + len(rest))
            ctypes.c_uint32.from_buffer(longer).value = len(longer)
            yield f"{len(rest)} more bytes, the last one {rest[-1]}", longer, expected
        for member in header.STRUCTURES[kind][1:]:
            for text, value in ((r"\xff", memory(b"\xff\xfe")), ("NULL", None), ("2 MB", memory(b"a" * 2_000_000)), ("empty", memory(b""))):
                copy = TYPES[kind].from_buffer_copy(start)
                if member.type == "const char *":
                    setattr(copy, member.name, value)
                    expected = {INVALID_REQUEST} if text == r"\xff" else {TOO_LARGE} if text == "2 MB" else None
                    yield f"{member.name} {text}", ctypes.byref(copy), expected
                elif member.type in ALL_BITS and text == "NULL" and member.name not in ("reserved", "timeout_ms"):
                    setattr(copy, member.name, ALL_BITS[member.type])
                    yield f"{member.name} all bits", ctypes.byref(copy), {INVALID_REQUEST}
    elif kind == "tokencache_error":
        for size in (0, 8, 24, 25, 100, ctypes.sizeof(TYPES[kind])):
            value = filled(kind, struct_size=size)
            ctypes.memset(ctypes.addressof(value) + 4, 0xAA, ctypes.sizeof(value) - 4)
            yield f"struct_size {size}", value, None
    elif parameter.type == "const char *":
        yield "NULL", None, absent
        yield r"\xff", b"\xff\xfe\xff", {INVALID_REQUEST}
        yield "2 MB", b"a" * 2_000_000, {TOO_LARGE}
        yield "empty", b"", None
    elif parameter.name in ("response", "body", "edited"):
        yield "NULL", None, {INVALID_REQUEST}
        yield "not JSON", bytes(len(RESPONSE)), None
    elif parameter.name == "buffer":
        yield "NULL", None, {INVALID_REQUEST}
    elif parameter.name == "capacity":
        for value in (0, 1, 2**63, 2**64 - 1):
            yield str(value), ctypes.c_size_t(value), {BUFFER_TOO_SMALL, OK} if value < 2 else {INVALID_REQUEST}
    elif parameter.name == "count" and parameter.type == "size_t":
        for value in (0, 1, 2**63, 2**64 - 1):
            yield str(value), ctypes.c_size_t(value), None if value < 2 else {INVALID_REQUEST}
    elif parameter.name == "context":
        return
    elif parameter.type == "tokencache_sink":
        yield "NULL", None, absent
        yield "refusing", refusing, None
    elif parameter.type in ALL_BITS and (function, parameter.name) != ("tokencache_renewal_begin", "timeout_ms"):
        # That one would wait as long for the renewal that is held here.
        yield "all bits", NUMBER_TYPES[parameter.type](ALL_BITS[parameter.type]), None
    elif parameter.type.endswith("*"):
        yield "NULL", None, absent


def say(**facts) -> None:
    print(json.dumps(facts), flush=True)


def results(function: str, wrong_parameter: header.Parameter, value) -> int:
    """Makes one call. A renewal that it ended is begun again."""
    arguments = []
    for index, parameter in enumerate(header.FUNCTIONS[function][1]):
        is_wrong = parameter == wrong_parameter
        if index == 0 and wrong_parameter.name == "error":
            # So that there is an error to write.
            arguments.append(None)
            continue
        if isinstance(value, ctypes.Structure) and is_wrong:
            arguments.append(ctypes.byref(value))
        else:
            arguments.append(value if is_wrong else valid(function, parameter))
    status = call(function, *arguments)
    if function == "tokencache_renewal_finish":
        call("tokencache_renewal_cancel", ctypes.c_void_p(objects["tokencache_renewal"]))
        objects["tokencache_renewal"] = make_renewal()
    return status


for function, (_, parameters) in header.FUNCTIONS.items():
    for parameter in parameters if function != "tokencache_wipe" else ():
        for text, value, expected in wrong(function, parameter):
            say(function=function, parameter=parameter.name, value=text)
            status = results(function, parameter, value)
            fits = expected is None or status in expected
            if isinstance(value, TYPES["tokencache_error"]):
                # Nothing was written behind the size that the caller gave, and a text ends within it.
                size = value.struct_size
                rest = ctypes.string_at(ctypes.addressof(value), ctypes.sizeof(value))[max(size, 4):]
                fits = fits and rest == b"\xaa" * len(rest)
            say(function=function, parameter=parameter.name, value=text, result=status, 
                fits=fits and status in set(header.NUMBERS.values()))

# They all still work.
info = filled("tokencache_info")
assert call("tokencache_lookup", ctypes.c_void_p(objects["tokencache"]), ctypes.c_void_p(other), ctypes.byref(info), None) == OK
say(finished=True, decision=info.decision)
