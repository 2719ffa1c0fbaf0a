# SPDX-License-Identifier: Apache-2.0
"""What other libraries, newer versions and strangers leave in a cache: fields, entries, sections and scalars.

None of it may be lost, and none of it may disturb a lookup. The shapes follow what MSAL for Java, JavaScript, Go, .NET
and Objective-C write.
"""

from __future__ import annotations

import json

from . import identities
from .identities import Inventor
from .numbers import Number


def add(document: dict, inventor: Inventor, now: int) -> None:
    _add_fields(document, inventor, now)
    _add_entries(document, inventor, now)
    _add_sections(document)


def _add_fields(document: dict, inventor: Inventor, now: int) -> None:
    chance = inventor.random.random
    for entry in document["AccessToken"].values():
        if chance() < 0.15:  # .NET
            entry["ext_expires_on"] = entry["extended_expires_on"]
            entry["persisted_cache_parameters"] = {"one": "1", "nested": {"list": [1, None, True, "x"]}}
        if chance() < 0.03:  # Go, Java and .NET
            entry["user_assertion_hash"] = identities.base64url(inventor.random.randbytes(32))
        if chance() < 0.1:
            entry["expires_on"] = Number(entry["expires_on"])
        if chance() < 0.1:  # JavaScript
            entry["lastUpdatedAt"] = str(now * 1000)
            entry["userAssertionHash"] = None
        if chance() < 0.05:  # Objective-C
            entry |= {"application_cache_identifier": "", "enrollment_id": None, "spe_info": "1", "expires_in": "3599"}
        if chance() < 0.1:
            entry["x_numbers"] = [Number(text) for text in
                                  ("0", "-0", "1.50", "1E+2", "1e400", "-0.1e-7", "123456789012345678901234567890")]
    for entry in document["RefreshToken"].values():
        if chance() < 0.1:
            entry["realm"] = ""
            entry["client_info"] = "eyJ1aWQiOiJ1In0"
        if chance() < 0.1:
            entry["x_texts"] = {"": "empty key", "é": "e\u0301", "quote\"": "\\/\b\f\n\r\t\u0000\u001f\u2028\U0001f512"}
    for entry in document["IdToken"].values():
        if chance() < 0.1:
            entry["authority"] = f"https://{entry['environment']}/{entry['realm']}/"
            entry["last_modification_time"] = "1562842351.202"
    for entry in document["Account"].values():
        if chance() < 0.15:  # .NET
            entry["wam_account_ids"] = {entry.get("realm") or "none": "wam:1234"}
            entry["client_info"] = "eyJ1aWQiOiJ1In0"
        if chance() < 0.15:  # JavaScript
            entry["tenantProfiles"] = [json.dumps({"tenantId": entry.get("realm"), "isHomeTenant": True, "ratio": 1.0})]
            entry["lastModificationTime"] = Number(str(now))
        if chance() < 0.1:  # Android and Objective-C
            entry |= {"first_name": "Zoë", "avatar_url": None, "alternative_account_id": "", "middle_name": "M."}
    for entry in document["AppMetadata"].values():
        if chance() < 0.5:
            entry.setdefault("family_id", "")
            entry["notes"] = {"seen": True, "count": Number("7.0")}


def _add_entries(document: dict, inventor: Inventor, now: int) -> None:
    """Entries under the key spellings of other libraries, and entries of kinds that nobody here knows."""
    person = inventor.person()
    home, environment, realm = person.home_account_id, "login.windows.net", person.home_tenant
    client = identities.DESKTOP
    common = {"home_account_id": home, "environment": environment, "client_id": client}

    def access_token(target: str, **more: object) -> dict:
        return {**common, "credential_type": "AccessToken", "realm": realm, "target": target,
                "secret": inventor.access_token(person, client, realm, target.split(), now), "cached_at": str(now),
                "expires_on": str(now + 3599), "extended_expires_on": str(now + 3599), **more}

    tokens, refresh_tokens = document["AccessToken"], document["RefreshToken"]
    # JavaScript: trailing dashes, an own credential type for tokens with a scheme.
    tokens[f"{home}-{environment}-accesstoken-{client}-{realm}-user.read profile--"] = access_token("User.Read profile")
    tokens[f"{home}-{environment}-accesstoken_with_authscheme-{client}-{realm}-files.read--pop"] = access_token(
        "Files.Read", credential_type="AccessToken_With_AuthScheme", token_type="pop", keyId="js-key")
    tokens[f"{home}-{environment}-accesstoken-{client}-{realm}-mail.read-{'h' * 43}-"] = access_token(
        "Mail.Read", requestedClaims='{"access_token":{"polids":{"essential":true}}}', requestedClaimsHash="h" * 43)
    # .NET: an extended key with its components, and a target in the order of the server.
    tokens[f"-{environment}-atext-{client}-{realm}-z.scope a.scope-{'n' * 43}"] = access_token(
        "z.scope a.scope", home_account_id=None, credential_type="ATExt", ext={"fmi_path": "SomeFmiPath/fmi"})
    # Go: mixed case of an old version, no token type, an empty one.
    tokens[f"{home}-{environment}-AccessToken-{client}-{realm}-Notes.Create"] = access_token("Notes.Create")
    tokens[f"{home}-{environment}-accesstoken-{client}-{realm}-people.read-"] = access_token(
        "People.Read", token_type="")
    # Objective-C: isolated by the claims that were requested.
    tokens[f"{home}-{environment}-accesstoken-{client}-{realm}-tasks.readwrite|5a6ffbe"] = access_token(
        "Tasks.ReadWrite", requested_claims='{"access_token":{"xms_cc":{"values":["cp1"]}}}')

    def refresh_token(**more: object) -> dict:
        return {**common, "credential_type": "RefreshToken", "secret": inventor.refresh_token(), **more}

    refresh_tokens[f"{home}-{environment}-refreshtoken-{client}"] = refresh_token()
    refresh_tokens[f"{home}-{environment}-refreshtoken-{client}----"] = refresh_token(lastUpdatedAt="1700000000000")
    refresh_tokens[f"{home}-{environment}-refreshtoken-1--"] = refresh_token(family_id="1")
    refresh_tokens[f"{home}-{environment}-primaryrefreshtoken-1--"] = refresh_token(
        credential_type="PrimaryRefreshToken", family_id="1", session_key="c2Vzc2lvbg", device_id=inventor.guid(),
        prt_protocol_version="3.0", external_key_type="0")
    refresh_tokens[f"{home}-{environment}-hologramtoken-{client}--"] = refresh_token(credential_type="HologramToken")
    document["IdToken"][f"{home}-{environment}-v1idtoken-{client}-{realm}-"] = {
        **common, "credential_type": "V1IdToken", "realm": realm, "secret": inventor.jwt({"sub": "v1"}),
    }
    document["Account"]["an-entry"] = {"foo": "bar", "bar": [Number("1.0"), {"deep": {"deeper": {}}}]}
    document["Account"][f"{home}-{environment}-{realm}".upper()] = {
        "home_account_id": home, "environment": environment, "realm": realm, "username": person.username,
        "local_account_id": person.uid, "authority_type": "MSSTS", "name": person.name,
    }
    document["AppMetadata"]["AppMetadata-login.windows.net-my_client_id"] = {
        "client_id": "my_client_id", "environment": "login.windows.net", "family_id": None,
    }


def _add_sections(document: dict) -> None:
    document["AccessToken_With_AuthScheme"] = {"key": {"secret": "s", "credential_type": "AccessToken_With_AuthScheme"}}
    document["AccountMetadataMap"] = {
        identities.DESKTOP: {"client_id": identities.DESKTOP, "account_metadata_map": {"uid.utid": {
            "athority_map": {"URLMap-": {"https://a": "https://b"}}, "sign_in_state": "signed_in"}}},
    }
    document["unknownEntity"] = {"field": {"a": {"b": [None, Number("2.50")]}}, "scalar": Number("5"), "list": [1, []]}
    document["EmptySection"] = {}
    document[""] = {"": {"": ""}}
    document["Ünïcode ✓"] = {"ключ": "значение"}
    document["schema_version"] = Number("3")
    document["ratio"] = Number("1.500")
    document["huge"] = Number("-123456789012345678901234567890.0E+5")
    document["nothing"] = None
    document["flag"] = True
    document["text"] = "\u0000 and \U0001f512 and e\u0301"
    document["list"] = [1, {"a": []}, [[], {}], "x", None]
