# SPDX-License-Identifier: Apache-2.0
"""Caches of any number of ordinary accounts, written straight to a stream: for figures, not for shapes."""

from __future__ import annotations

import json
from typing import TextIO

from .identities import DESKTOP, Inventor

# Tokens are cut out of one random block, so that making 100,000 accounts takes seconds and not minutes.
_BLOCK = 1 << 20


def write(stream: TextIO, *, accounts: int, seed: int, now: int, token_size: int = 1600) -> None:
    """Four entries for each account, as one sign-in leaves them, in the order of MSAL's sections."""
    inventor = Inventor(seed)
    text = inventor.opaque("", _BLOCK)
    people = [(inventor.guid(), inventor.tenants[number % 24]) for number in range(accounts)]
    host = "login.microsoftonline.com"

    def cut(number: int, size: int) -> str:
        start = number * 7919 % (_BLOCK - size)
        return text[start:start + size]

    def credential(kind: str, number: int, secret: str, **more: str) -> dict[str, str]:
        uid, tenant = people[number]
        return {"credential_type": kind, "secret": secret, "home_account_id": f"{uid}.{tenant}", "environment": host,
                "client_id": DESKTOP, **more}

    def access_token(number: int) -> tuple[str, dict]:
        uid, tenant = people[number]
        entry = credential("AccessToken", number, f"eyJ0{number:07x}" + cut(number, token_size),
                           target="Mail.Read User.Read", realm=tenant, token_type="Bearer", cached_at=str(now),
                           expires_on=str(now + 86399), extended_expires_on=str(now + 86399))
        return f"{uid}.{tenant}-{host}-accesstoken-{DESKTOP}-{tenant}-mail.read user.read", entry

    def refresh_token(number: int) -> tuple[str, dict]:
        uid, tenant = people[number]
        entry = credential("RefreshToken", number, f"1.AXoA{number:07x}" + cut(number + 1, 900),
                           target="Mail.Read User.Read", last_modification_time=str(now))
        return f"{uid}.{tenant}-{host}-refreshtoken-{DESKTOP}--mail.read user.read", entry

    def id_token(number: int) -> tuple[str, dict]:
        uid, tenant = people[number]
        claims = {"oid": uid, "tid": tenant, "preferred_username": f"user{number}@contoso.example", "sub": uid}
        secret = inventor.jwt(claims, signature_size=32)
        return f"{uid}.{tenant}-{host}-idtoken-{DESKTOP}-{tenant}-", credential("IdToken", number, secret, realm=tenant)

    def account(number: int) -> tuple[str, dict]:
        uid, tenant = people[number]
        return f"{uid}.{tenant}-{host}-{tenant}", {
            "home_account_id": f"{uid}.{tenant}", "environment": host, "realm": tenant, "local_account_id": uid,
            "username": f"user{number}@contoso.example", "authority_type": "MSSTS", "account_source": "device_code"}

    stream.write("{")
    for section, make in [("AccessToken", access_token), ("Account", account), ("IdToken", id_token),
                          ("RefreshToken", refresh_token)]:
        stream.write(f'"{section}": {{')
        for number in range(accounts):
            key, entry = make(number)
            stream.write(f"{', ' if number else ''}{json.dumps(key)}: {json.dumps(entry)}")
        stream.write("}, ")
    metadata = {"client_id": DESKTOP, "environment": host}
    stream.write(f'"AppMetadata": {{"appmetadata-{host}-{DESKTOP}": {json.dumps(metadata)}}}}}')
