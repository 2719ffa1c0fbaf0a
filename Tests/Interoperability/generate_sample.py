# SPDX-License-Identifier: Apache-2.0
"""Writes Samples/msal-cache.json: a small cache as MSAL leaves it, for quickstart and for trying things out.

    python generate_sample.py ../../Samples/msal-cache.json

The people, tenants and tokens are invented. Most tokens live until 2100, so that the sample works whenever it is tried.
"""

from __future__ import annotations

import json
import pathlib
import sys

from caches import identities
from caches.identities import Inventor, Person
from caches.scenarios import Scenarios

WRITTEN = 1_790_000_000  # September 2026
YEAR_2100 = 4_102_444_800

CONTOSO = "3f0c1a5e-8a0d-4b7e-9c52-6a4d1be2f7a1"
FABRIKAM = "b21d7c44-05f3-4f86-9a0b-2f9f0f6d3c10"


def main() -> None:
    inventor = Inventor(2026)
    scenarios = Scenarios(inventor, WRITTEN)

    def person(uid: str, tenant: str, username: str, name: str) -> Person:
        return Person(uid, tenant, username, name, {tenant: uid})

    adele = person("a1c6f8e0-1b7d-4a55-8e7f-52d1c06b9e01", CONTOSO, "adele.vance@contoso.example", "Adele Vance")
    alex = person("a2f2b6d9-64c8-4d3b-8f1d-9d3d0a7f4c02", CONTOSO, "alex.wilber@contoso.example", "Alex Wilber")
    zoe = person("a3b9e4c7-2f61-4c0e-a8d5-7b1c5e8f6a03", FABRIKAM, "zoë.müller@fabrikam.example", "Zoë Müller")
    someone = person("00000000-0000-0000-3c1b-ac188d01d104", identities.MSA_TENANT, "someone@outlook.example", "Someone")
    forever = {"expires_in": YEAR_2100 - WRITTEN}

    scenarios.sign_in(adele, identities.DESKTOP, CONTOSO, ["User.Read", "Mail.Read", "Calendars.Read"], **forever)
    inventor.guest_in(adele, FABRIKAM)
    scenarios.sign_in(adele, identities.DESKTOP, FABRIKAM, ["User.Read"], **forever)
    scenarios.sign_in(adele, identities.FAMILY_MAIL, CONTOSO, ["Mail.Read", "Mail.Send"], family="1", **forever)
    scenarios.sign_in(alex, identities.DESKTOP, CONTOSO, ["User.Read"], at=WRITTEN - 86_400)
    scenarios.sign_in(alex, identities.FAMILY_MAIL, CONTOSO, ["Mail.Read"], family="1", **forever)
    scenarios.sign_in(zoe, identities.DESKTOP, FABRIKAM, ["User.Read", "Files.ReadWrite.All"], **forever)
    scenarios.sign_in(someone, identities.DESKTOP, identities.MSA_TENANT, ["User.Read"],
                      access_token=inventor.opaque("EwB4A8l6BAAU", 300), **forever)
    scenarios.for_client(CONTOSO, ["https://graph.microsoft.com/.default"])

    document = json.loads(scenarios.cache.serialize())
    document["AccessToken"][next(iter(document["AccessToken"]))]["x_left_by_another_library"] = {"kept": True}
    pathlib.Path(sys.argv[1]).write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
