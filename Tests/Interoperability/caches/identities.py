# SPDX-License-Identifier: Apache-2.0
"""Invented people, tenants, apps and tokens. Everything follows from a seed; nothing here ever was valid."""

from __future__ import annotations

import base64
import dataclasses
import json
import random

MSA_TENANT = "9188040d-6c67-4c5b-b112-36a304b66dad"
PUBLIC_CLOUD = "login.microsoftonline.com"

# Application (client) ids. The family ones share refresh tokens ("foci").
FAMILY_MAIL = "27922004-5251-4030-b22d-91ecd9a37ea4"
FAMILY_FILES = "ab9b8c07-8f02-4f72-87fa-80105867a763"
FAMILY_CHAT = "1fec8e78-bce4-4aaf-ab1b-5451cc387264"
DESKTOP = "6c052f15-3b7d-4f0a-9b3e-0d1c5a7e2b44"
COMMAND_LINE = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
SERVICE = "d3590ed6-52b3-4102-aeff-aad2292ab01c"
STORE_FRONT = "0a7f52dd-260e-432f-94de-b47828c3f372"
INTRANET = "b6c69a37-df96-4db0-9088-2ab96e1d8215"

NAMES = [
    "Adele Vance", "Alex Wilber", "Zoë Müller", "Søren Ångström", "José Ñuñez", "Łukasz Żółć", "İpek Işık",
    "Владимир Щукин", "Ελένη Παπαδοπούλου", "山田 太郎", "김민준", "محمد العربي", "אברהם לוי", "สมชาย ใจดี",
    "Nguyễn Thị Hằng", "Zoe\u0308 Decomposed", "O'Brien \"Quote\" \\Back", "Tab\tName", "Ｆｕｌｌｗｉｄｔｈ", "👩‍💻 Dev 🇩🇪",
]

SCOPES = [
    "User.Read", "User.ReadBasic.All", "Mail.Read", "Mail.Send", "Calendars.Read", "Calendars.ReadWrite", "Files.Read",
    "Files.ReadWrite.All", "Sites.Read.All", "Tasks.ReadWrite", "Contacts.Read", "Notes.Create", "People.Read",
    "Group.Read.All", "Directory.AccessAsUser.All", "https://graph.microsoft.com/.default",
    "https://management.core.windows.net//user_impersonation", "https://vault.azure.net/user_impersonation",
    "api://6c052f15-3b7d-4f0a-9b3e-0d1c5a7e2b44/access_as_user",
]


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


@dataclasses.dataclass
class Person:
    """Somebody with an account: an object in a home tenant, perhaps a guest in others."""

    uid: str
    home_tenant: str
    username: str
    name: str
    object_ids: dict[str, str]

    @property
    def home_account_id(self) -> str:
        return f"{self.uid}.{self.home_tenant}"

    @property
    def client_info(self) -> str:
        return base64url(json.dumps({"uid": self.uid, "utid": self.home_tenant}).encode())


class Inventor:
    """Makes people and tokens out of one seeded stream of random numbers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tenants = [self.guid() for _ in range(24)]
        self.person_count = 0

    def guid(self) -> str:
        digits = f"{self.random.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def opaque(self, prefix: str, byte_count: int) -> str:
        return prefix + base64url(self.random.randbytes(byte_count))

    def person(self, tenant: str | None = None, name: str | None = None, username: str | None = None) -> Person:
        self.person_count += 1
        number = self.person_count
        tenant = tenant or self.random.choice(self.tenants)
        uid = self.guid()
        return Person(
            uid=uid,
            home_tenant=tenant,
            username=username or f"user{number:06d}@tenant{number % 24}.contoso.example",
            name=name or self.random.choice(NAMES),
            object_ids={tenant: uid},
        )

    def personal_account(self) -> Person:
        self.person_count += 1
        uid = f"00000000-0000-0000-{self.random.getrandbits(16):04x}-{self.random.getrandbits(48):012x}"
        username = f"someone{self.person_count}@outlook.example"
        return Person(uid, MSA_TENANT, username, self.random.choice(NAMES), {MSA_TENANT: uid})

    def guest_in(self, person: Person, tenant: str) -> None:
        person.object_ids.setdefault(tenant, self.guid())

    def jwt(self, claims: dict, signature_size: int = 256) -> str:
        header = {"typ": "JWT", "alg": "RS256", "kid": "1LTMzakihiRla_8z2BEJVXeWMqo"}
        parts = [base64url(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims)]
        return ".".join([*parts, base64url(self.random.randbytes(signature_size))])

    def id_token(self, person: Person, client: str, tenant: str, now: int, **more: object) -> str:
        return self.jwt({
            "aud": client,
            "iss": f"https://{PUBLIC_CLOUD}/{tenant}/v2.0",
            "iat": now, "nbf": now, "exp": now + 3900,
            "name": person.name,
            "oid": person.object_ids.get(tenant, person.uid),
            "preferred_username": person.username,
            "rh": self.opaque("0.AX0A", 36),
            "sub": self.opaque("", 32),
            "tid": tenant,
            "uti": self.opaque("", 16),
            "ver": "2.0",
            **more,
        })

    def access_token(self, person: Person | None, client: str, tenant: str, scopes: list[str], now: int) -> str:
        """As Entra ID issues them for its own APIs: a JWT of about two kilobytes."""
        claims = {
            "aud": "https://graph.microsoft.com", "iss": f"https://sts.windows.net/{tenant}/",
            "iat": now, "nbf": now, "exp": now + 4200, "acct": 0, "acr": "1",
            "aio": self.opaque("AVQAq/", 120), "app_displayname": "Contoso", "appid": client, "appidacr": "0",
            "idtyp": "user" if person else "app", "ipaddr": "203.0.113.7", "rh": self.opaque("0.AX0A", 36),
            "scp": " ".join(scopes[:8]), "sub": self.opaque("", 32), "tid": tenant, "uti": self.opaque("", 16),
            "ver": "1.0", "wids": [self.guid() for _ in range(4)], "xms_tcdt": 1604937337,
        }
        if person:
            claims |= {"name": person.name, "oid": person.object_ids.get(tenant, person.uid), "upn": person.username}
        return self.jwt(claims)

    def refresh_token(self) -> str:
        return self.opaque("1.AXoA", 720)
