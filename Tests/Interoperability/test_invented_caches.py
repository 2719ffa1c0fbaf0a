# SPDX-License-Identifier: Apache-2.0
"""The invented caches have the shapes that the other tests rely on."""

from __future__ import annotations

import collections

from caches import document, identities, numbers
from roundtrip import differences, load_in_msal


def test_there_are_at_least_300_accounts(cache: dict) -> None:
    assert len({entry.get("home_account_id") for entry in cache["Account"].values()}) >= 300


def test_every_odd_shape_is_there(cache: dict) -> None:
    tokens = list(cache["AccessToken"].values())
    refresh_tokens = list(cache["RefreshToken"].values())
    realms = collections.defaultdict(set)
    for entry in cache["Account"].values():
        realms[entry.get("home_account_id")].add(entry.get("realm"))
    targets = collections.Counter((entry["home_account_id"], entry["client_id"]) for entry in refresh_tokens)

    assert any(len(of_one) > 2 for of_one in realms.values()), "guests"
    assert any(entry["home_account_id"].endswith(identities.MSA_TENANT) for entry in tokens if entry["home_account_id"])
    assert any("b2clogin" in entry["environment"] for entry in tokens)
    assert any(entry["realm"] == "adfs" and entry["home_account_id"] is None for entry in refresh_tokens + tokens
               if "realm" in entry)
    assert any(entry.get("family_id") == "1" for entry in refresh_tokens)
    assert {"pop", "ssh-cert"} <= {entry.get("token_type", "").lower() for entry in tokens}
    assert any(entry.get("key_id") for entry in tokens) and any(entry.get("ext_cache_key") for entry in tokens)
    assert any(not username.isascii() for username in (entry.get("username", "") for entry in cache["Account"].values()))
    assert any(len(entry["target"]) > 4000 for entry in tokens)
    assert any(entry["home_account_id"] is None and entry["client_id"] == identities.SERVICE for entry in tokens)
    assert any(count >= 4 for account, count in targets.items() if account[0])
    assert any("refresh_on" in entry for entry in tokens)


def test_the_same_seed_and_time_make_the_same_cache() -> None:
    first, second = (document.make(seed=7, now=1_800_000_000, accounts=60) for _ in range(2))
    assert numbers.write(first) == numbers.write(second)


def test_msal_itself_loads_what_strangers_added(text: str) -> None:
    load_in_msal(text)


def test_numbers_keep_their_text() -> None:
    text = '{"a": [1.50, 1E+2, -0, 1e400, 123456789012345678901234567890], "b": "1.50"}'
    assert numbers.write(numbers.read(text), indent=None) == text


def test_the_comparison_sees_every_kind_of_loss() -> None:
    before = numbers.read('{"S": {"k": {"a": 1.0, "b": "x", "c": [null]}}, "n": 1}')
    for after in ('{"S": {"k": {"a": 1, "b": "x", "c": [null]}}, "n": 1}', '{"S": {"k": {"a": 1.0, "b": "x", "c": []}}, "n": 1}',
                  '{"S": {"k": {"a": 1.0, "c": [null]}}, "n": 1}', '{"S": {}, "n": 1}', '{"S": {"k": {"a": 1.0, "b": "x", "c": [null]}}}',
                  '{"S": {"k": {"a": "1.0", "b": "x", "c": [null]}}, "n": 1}', '{"S": {"k": {"b": "x", "a": 1.0, "c": [null]}}, "n": 1}'):
        assert list(differences(before, numbers.read(after))), after
    assert not list(differences(before, before))
