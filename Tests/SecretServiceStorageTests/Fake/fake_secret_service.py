#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A Secret Service in memory with one quirk, for what no real keyring does on demand.

usage: fake_secret_service.py QUIRK LOG

It takes the name org.freedesktop.secrets on the session bus and notes every method that it is asked for in LOG. Items made
while it runs stay until it ends. A quirk that begins with "later-" begins once the file LOG.on is there. The quirk
"is-NAME" takes that name too.
"""

import os
import signal
import sys
import time

from jeepney import HeaderFields, MessageType, new_error, new_method_return, new_signal, DBusAddress
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

QUIRK, LOG = sys.argv[1], sys.argv[2]
ROOT = "/org/freedesktop/secrets"
COLLECTION = ROOT + "/collection/fake"
SESSION = ROOT + "/session/"
GARBAGE = bytes(range(128, 160))
SECRET = "org.freedesktop.Secret."

items = {}  # path: (attributes, secret)
prompts = {}  # path: what to do when it is completed
count = 0
sessions = 0
tired = 0
refused = 0
unlocked = False


def quirk(name):
    if QUIRK == name:
        return True
    return QUIRK == "later-" + name and os.path.exists(LOG + ".on")


def is_locked():
    if quirk("unlocks-when-asked"):
        return not unlocked
    return any(quirk(name) for name in ("locked", "locked-and-silent", "locked-and-empty", "dismisses", "no-prompter"))


def unlock():
    global unlocked
    unlocked = True
    return "ao", [COLLECTION]


def is_useless(session):
    """Whether the keys of a session differ at its ends: two of three do."""
    return quirk("useless-sessions") and int(session.removeprefix(SESSION)) % 3 != 0


def create(properties, secret):
    global count
    count += 1
    path = f"{COLLECTION}/{count}"
    items[path] = (dict(properties[SECRET + "Item.Attributes"][1]), secret)
    return path


def prompt(action):
    path = f"{ROOT}/prompt/p{len(prompts)}"
    prompts[path] = action
    return path


def answer(message):
    """The signature and the body of the answer; None for no answer at all."""
    global sessions, tired, refused
    fields, body = message.header.fields, message.body
    method, path = fields[HeaderFields.member], fields[HeaderFields.path]
    if quirk("silent-" + method):
        return None
    if quirk("stops-at-" + method) or quirk("stops-at-any"):
        os.kill(os.getpid(), signal.SIGSTOP)
    if quirk("ends-at-" + method):
        os._exit(1)
    if quirk("refuses-" + method):
        raise PermissionError
    if quirk("stranger"):
        raise LookupError
    if quirk("slow") or quirk("tires"):
        time.sleep(0.12)
    if quirk("tires") and method == "CreateItem":
        tired += 1
        if tired > 20:
            return None
    for error in ("TimedOut", "NoReply"):
        if quirk(error + "-" + method):
            raise TimeoutError(error)
    if method == "OpenSession":
        if body[0] != "plain":
            refused += 1
            if quirk("refuses-sessions") and refused % 3 != 0:
                raise PermissionError
            raise NotImplementedError
        sessions += 1
        return "vo", (("s", ""), f"{SESSION}{sessions}")
    if method == "ReadAlias":
        return "o", ("/" if quirk("no-alias") else COLLECTION,)
    if method == "Get":
        if quirk("nonsense"):
            return "v", (("s", "perhaps"),)
        if quirk("no-collection"):
            raise KeyError(path)
        if body[1] == "Attributes":
            return "v", (("a{ss}", items[path][0]),)
        return "v", (("b", is_locked()),)
    if method == "Unlock":
        if quirk("dismisses"):
            return "aoo", ([], prompt("dismissed"))
        return "aoo", ([], prompt(unlock if quirk("unlocks-when-asked") else lambda: ("ao", [])))
    if method == "SearchItems":
        found = [p for p, (a, _) in items.items() if all(a.get(k) == v for k, v in body[0].items())]
        if quirk("locked-and-silent") or quirk("no-collection"):
            found = []
        is_shown_locked = any(quirk(name) for name in ("locked", "dismisses", "no-prompter"))
        return "aoao", ([], found) if is_shown_locked else (found, [])
    if method == "GetSecrets":
        if quirk("tires-of-secrets"):
            tired += 1
            if tired > 2:
                return None
        empty = quirk("locked-and-empty") or quirk("empty")
        secrets = {p: (body[1], b"", b"" if empty else items[p][1], "text/plain") for p in body[0] if p in items}
        if len(secrets) > 1 and quirk("strays"):
            # Of what it was not asked for here, too: an older content.
            secrets.update({p: (body[1], b"", GARBAGE, "text/plain") for p in items if p not in body[0]})
        if len(secrets) > 1 and quirk("leaves-out"):
            secrets = {p: s for p, s in secrets.items() if int(p.rsplit("/", 1)[1]) % 3 != 0}
        if is_useless(body[1]):
            secrets = {p: (body[1], b"", GARBAGE, "text/plain") for p in secrets}
        return "a{o(oayays)}", (secrets,)
    if method == "CreateItem":
        properties, secret = body[0], body[1][2]
        if is_useless(body[1][0]):
            raise KeyError(method)
        if quirk("asks"):
            return "oo", ("/", prompt(lambda: ("o", create(properties, secret))))
        if quirk("asks-for-ever") or quirk("asks-and-stays"):
            return "oo", ("/", prompt(None))
        if quirk("asks-until-the-end"):
            return "oo", ("/", prompt(lambda: ("o", create(properties, secret))))
        if quirk("asks-in-vain"):
            return "oo", ("/", prompt("dismissed"))
        return "oo", (create(properties, secret), "/")
    if method == "SetSecret":
        items[path] = (items[path][0], GARBAGE if is_useless(body[0][0]) else body[0][2])
        if quirk("silent-after-SetSecret"):
            return None
        if quirk("ends-after-SetSecret"):
            os._exit(1)
        return "", ()
    if method == "Delete":
        items.pop(path, None)
        return "o", ("/",)
    if method == "Prompt" and quirk("no-prompter"):
        raise PermissionError
    if method in ("Prompt", "Dismiss"):
        return "", ()
    raise KeyError(method)


def complete(connection, path):
    action = prompts[path]
    if action is None or quirk("asks-until-the-end"):
        return
    time.sleep(0.01)
    end(connection, path, action)


def end(connection, path, action):
    emitter = DBusAddress(path, interface=SECRET + "Prompt")
    dismissed = action == "dismissed"
    result = ("s", "") if dismissed else action()
    connection.send(new_signal(emitter, "Completed", "bv", (dismissed, result)))


def receive(connection, kept):
    """The next call. Answers that are kept back go out when no call is left, the last one first."""
    while kept:
        try:
            return connection.receive(timeout=0.2)
        except TimeoutError:
            connection.send(kept.pop())
    return connection.receive()


def main():
    kept = []
    connection = open_dbus_connection()
    connection.send_and_get_reply(message_bus.RequestName("org.freedesktop.secrets"))
    if QUIRK.startswith("is-"):
        connection.send_and_get_reply(message_bus.RequestName(QUIRK.removeprefix("is-")))
    while True:
        message = receive(connection, kept)
        if message.header.message_type != MessageType.method_call:
            continue
        method = message.header.fields[HeaderFields.member]
        with open(LOG, "a", encoding="ascii") as log:
            log.write(method + "\n")
        try:
            reply = answer(message)
        except PermissionError:
            connection.send(new_error(message, "org.freedesktop.DBus.Error.AccessDenied"))
            continue
        except TimeoutError as error:
            connection.send(new_error(message, f"org.freedesktop.DBus.Error.{error}"))
            continue
        except NotImplementedError:
            connection.send(new_error(message, "org.freedesktop.DBus.Error.NotSupported"))
            continue
        except KeyError:
            connection.send(new_error(message, SECRET + "Error.NoSuchObject"))
            continue
        except LookupError:
            # No Secret Service at all.
            connection.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))
            continue
        if reply is None:
            continue
        if method == "Dismiss" and quirk("asks-until-the-end"):
            # The person agreed in the last moment.
            path = message.header.fields[HeaderFields.path]
            end(connection, path, prompts[path])
        if method == "GetSecrets" and quirk("swaps"):
            kept.append(new_method_return(message, *reply))
            continue
        connection.send(new_method_return(message, *reply))
        if method == "Dismiss" and quirk("asks-for-ever"):
            end(connection, message.header.fields[HeaderFields.path], "dismissed")
        if method == "Prompt":
            complete(connection, message.header.fields[HeaderFields.path])


main()
