# SPDX-License-Identifier: Apache-2.0
"""What SharedTokenCache promises beyond what MSAL's own tests ask of a cache."""

from __future__ import annotations

import functools
import gc
import importlib.metadata
import json
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable

import msal
import pytest
from packaging.requirements import Requirement

from conftest import CLIENT, HOST, OTHER, Answering, accounts, event, opened, query, secrets, tokens
from swift_token_cache import SharedTokenCache, TokenCacheError
from swift_token_cache._library import Library

PROJECT = pathlib.Path(__file__).resolve().parents[2]


def refuse(*_: object) -> None:
    raise AssertionError("there was no need to read a document")


def child(root: pathlib.Path, cache: SharedTokenCache | None, results) -> None:
    cache = cache or opened(root)
    cache.add(event("child", "C"))
    results.put((tokens(cache), accounts(cache)))


def sign_out(cache: SharedTokenCache, kinds: tuple[str, ...] = ("RefreshToken", "AccessToken", "IdToken", "Account")) -> None:
    """As MSAL does it, or a part of it."""
    for kind in kinds:
        for entry in list(cache.search(kind, query={"home_account_id": "uid.utid"})):
            cache.modify(kind, entry)


def renew(cache: SharedTokenCache, entry: dict, token: str = "N", client: str = CLIENT) -> None:
    """Saves what redeeming a refresh token gave, as MSAL does it."""
    renewed = event(token=token, client=client, skip_account_creation=True)
    successor = renewed["response"].pop("refresh_token")
    cache.add(renewed)
    cache.update_rt(entry, successor)


def refresh_token(cache: SharedTokenCache, client: str = CLIENT) -> dict:
    [entry] = cache.search("RefreshToken", query={"home_account_id": "uid.utid", "client_id": client})
    return entry


def run(code: str, interpreter: list[str] = [sys.executable], **options) -> str:
    done = subprocess.run([*interpreter, "-c", code], capture_output=True, text=True, timeout=300, check=False, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_installed_typed_and_with_its_licences() -> None:
    distribution = importlib.metadata.distribution("swift-token-cache")
    files = {str(file).rsplit("/", 1)[-1] for file in distribution.files or ()}
    assert {"py.typed", "LICENSE", "LICENSE.libsodium", "libtokencache.so.1"} <= files
    assert re.match(r"Wheel-Version: 1.0\n.*\nTag: py3-none-manylinux_2_\d+_\w+\n", distribution.read_text("WHEEL") or "", re.DOTALL)
    version = re.search(r'packageVersion = "(.+)"', (PROJECT / "Sources/TokenCaching/TokenCache.swift").read_text())
    assert distribution.version == version[1]


def test_it_needs_msal_and_what_msal_needs_and_nothing_else(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    folder, needed = tmp_path / "needed", {}
    folder.mkdir()

    def add(name: str, extras: set[str]) -> None:
        if name in needed:
            return
        needed[name] = importlib.metadata.distribution(name)
        for text in needed[name].requires or ():
            requirement = Requirement(text)
            if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in extras | {""}):
                add(requirement.name, requirement.extras)

    add("swift-token-cache", set())
    assert "msal" in needed and "pytest" not in needed
    for distribution in needed.values():
        for top in {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}:
            if not (folder / top).exists():
                (folder / top).symlink_to(distribution.locate_file(top))
    code = (
        f"import sys; sys.path.append({str(folder)!r})\n"
        "from swift_token_cache import SharedTokenCache\n"
        f"print(list(SharedTokenCache('group', 'client', root={str(root)!r}, storage='file').search('Account')))\n"
        "try: import pytest\n"
        "except ImportError: print('alone')")
    assert run(code, interpreter=[sys.executable, "-I", "-S"]) == "[]\nalone\n"


def test_the_library_is_loaded_when_a_cache_is_used_and_starts_no_thread(root: pathlib.Path) -> None:
    output = run(
        "import os, swift_token_cache\n"
        f"cache = swift_token_cache.SharedTokenCache('group', 'client', root={str(root)!r}, storage='file')\n"
        "is_loaded = lambda: 'libtokencache' in open('/proc/self/maps').read()\n"
        "before = is_loaded(); list(cache.search('Account')); print(before, is_loaded(), len(os.listdir('/proc/self/task')))")
    assert output.split() == ["False", "True", "1"]


def test_the_lines_of_the_readme_run(root: pathlib.Path) -> None:
    code = re.search(r"```python\n(.*?)```", (PROJECT / "Python/README.md").read_text(), re.DOTALL)[1]
    done = code.replace("import msal\n", "import msal\nCLIENT_ID = 'client'\n") + "print(app.get_accounts())"
    environment = {"XDG_DATA_HOME": str(root), "HOME": str(root)}
    # In place of the network.
    stub = (
        "import msal, conftest\n"
        "original = msal.PublicClientApplication\n"
        "msal.PublicClientApplication = lambda *names, **others: original(\n"
        "    *names, **others, http_client=conftest.Answering(), instance_discovery=False)\n")
    assert run(stub + done, env=environment, cwd=pathlib.Path(__file__).parent) == "[]\n"
    assert (root / "swift-token-cache/com.contoso.sso").is_dir()


def test_a_valid_token_comes_from_the_group_itself(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, other = opened(root), opened(root)
    other.add(event(scopes=("User.Read", "Mail.Read"), response={"refresh_in": 1800}))
    monkeypatch.setattr(Library, "document", refuse)
    for scopes in (["User.Read"], ["mail.read"], ["Mail.Read", "User.Read"]):
        entry = next(cache.search("AccessToken", scopes, query()))
        assert (entry["secret"], entry["token_type"], entry["home_account_id"]) == ("A", "Bearer", "uid.utid")
        assert int(entry["refresh_on"]) < int(entry["expires_on"])
    with pytest.raises(AssertionError, match="no need"):
        next(cache.search("AccessToken", ["Files.Read"], query()), None)


@pytest.mark.parametrize("length", [1, 16384, 16385, 300_000])
def test_tokens_of_any_length(root: pathlib.Path, length: int) -> None:
    cache = opened(root)
    cache.add(event(token="T" * length))
    assert tokens(cache) == ["T" * length]


def test_what_one_saves_others_see_and_what_they_do_not_own_they_do_not(root: pathlib.Path) -> None:
    mine, same, other = opened(root), opened(root), opened(root, OTHER)
    assert accounts(same) == []
    mine.add(event())
    assert (tokens(same), accounts(same)) == (["A"], ["uid@contoso.com"])
    assert (accounts(other), secrets(other, "RefreshToken")) == ([], [])
    other.add(event(token="B", client=OTHER))
    assert (tokens(mine), secrets(mine, "RefreshToken")) == (["A"], ["refresh-A"])
    assert (tokens(other, client=OTHER), secrets(other, "RefreshToken")) == (["B"], ["refresh-B"])


def test_a_sign_out_by_msal_is_one_of_this_application_only(root: pathlib.Path) -> None:
    mine, same, other = opened(root), opened(root), opened(root, OTHER)
    mine.add(event())
    other.add(event(token="B", client=OTHER))
    app = msal.PublicClientApplication(
        CLIENT, authority=f"https://{HOST}/utid", token_cache=mine, instance_discovery=False, http_client=Answering())
    [account] = app.get_accounts()
    assert app.acquire_token_silent(["User.Read"], account)["access_token"] == "A"
    app.remove_account(account)
    assert (app.get_accounts(), accounts(same), tokens(same), secrets(same, "RefreshToken")) == ([], [], [], [])
    assert (tokens(other, client=OTHER), secrets(other, "RefreshToken")) == (["B"], ["refresh-B"])
    # Who signs in again is back.
    same.add(event(token="D"))
    assert (tokens(mine), accounts(mine)) == (["D"], ["uid@contoso.com"])


def test_a_renewal_that_was_under_way_does_not_undo_a_sign_out(root: pathlib.Path) -> None:
    mine, same = opened(root), opened(root)
    mine.add(event())
    entry = refresh_token(mine)
    sign_out(same)
    renew(mine, entry)
    for cache in (mine, same, opened(root)):
        assert (tokens(cache), accounts(cache), secrets(cache, "RefreshToken")) == ([], [], [])


@pytest.mark.parametrize("step", ["add", "update_rt"])
def test_nor_does_one_that_ends_at_the_same_moment(step: str, root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, same = opened(root), opened(root)
    mine.add(event())
    entry, view = refresh_token(mine), mine._view

    def view_before_the_sign_out(*names: object) -> object:
        found = view(*names)
        sign_out(same)
        return found

    monkeypatch.setattr(mine, "_view", view_before_the_sign_out)
    if step == "add":
        mine.add(event(token="N", skip_account_creation=True))
    else:
        mine.update_rt(entry, "successor")
    for cache in (same, opened(root)):
        assert (tokens(cache), accounts(cache), secrets(cache, "RefreshToken")) == ([], [], [])


def test_nor_does_one_beside_another_application_in_the_same_object(root: pathlib.Path) -> None:
    both, mine = opened(root), opened(root)
    both.add(event())
    both.add(event(token="B", client=OTHER))
    entry = refresh_token(both)
    sign_out(mine)
    renew(both, entry)
    assert (accounts(mine), tokens(mine), secrets(mine, "RefreshToken")) == ([], [], [])
    # The other one is signed in.
    renew(both, refresh_token(both, OTHER), "C", OTHER)
    assert (tokens(both, client=OTHER), secrets(both, "RefreshToken")) == (["C"], ["refresh-C"])


def test_a_sign_out_takes_what_a_renewal_brought_meanwhile(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, same, other = opened(root), opened(root), opened(root, OTHER)
    mine.add(event())
    other.add(event(token="B", client=OTHER))
    entry, view = refresh_token(mine), mine._view

    def view_before_the_sign_out_begins(*names: object) -> object:
        found = view(*names)
        sign_out(same, ("RefreshToken",))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(mine, "_view", view_before_the_sign_out_begins)
        mine.update_rt(entry, "successor")
    assert secrets(mine, "RefreshToken") == ["successor"]
    sign_out(same, ("AccessToken", "IdToken", "Account"))
    for cache in (mine, same, opened(root)):
        assert (tokens(cache), accounts(cache), secrets(cache, "RefreshToken")) == ([], [], [])
    # It is a sign-out also for what was read before it.
    renew(mine, entry, "M")
    assert secrets(opened(root), "RefreshToken") == []
    assert secrets(other, "RefreshToken") == ["refresh-B"]


def test_a_renewal_that_was_read_during_a_sign_out_does_not_undo_it(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, same = opened(root), opened(root)
    mine.add(event())
    view = mine._view
    sign_out(same, ("RefreshToken",))

    def view_before_the_sign_out_ends(*names: object) -> object:
        found = view(*names)
        sign_out(same)
        return found

    monkeypatch.setattr(mine, "_view", view_before_the_sign_out_ends)
    mine.add(event(token="N", skip_account_creation=True))
    assert (accounts(same), tokens(same), secrets(same, "RefreshToken")) == ([], [], [])


def test_a_sign_out_lasts_whatever_renewals_run_beside_it(root: pathlib.Path) -> None:
    order, caches, failures = random.Random(5), [opened(root) for _ in range(4)], []

    def attempt(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    for round in range(20):
        caches[0].add(event(token=f"token-{round}"))
        entry = refresh_token(caches[1])

        def renew_often(number: int, entry: dict = entry, round: int = round) -> None:
            for time in range(4):
                renew(caches[number], dict(entry), f"{round}-{number}-{time}")

        work = [functools.partial(renew_often, number) for number in range(3)] + [functools.partial(sign_out, caches[2 + round % 2])]
        order.shuffle(work)
        threads = [threading.Thread(target=attempt, args=(each,)) for each in work]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        after = opened(root)
        assert (accounts(after), secrets(after, "AccessToken"), secrets(after, "RefreshToken"), failures) == ([], [], [], []), round


def test_a_sign_out_of_a_family_is_none_of_another_application_in_the_same_object(root: pathlib.Path) -> None:
    both, member = opened(root), opened(root, "member")
    both.add(event())
    both.add(event(token="B", client=OTHER, response={"foci": "1"}))
    member.add(event(token="M", client="member", response={"foci": "1"}))
    app = msal.PublicClientApplication(
        OTHER, authority=f"https://{HOST}/utid", token_cache=both, instance_discovery=False, http_client=Answering())
    [account] = app.get_accounts()
    app.remove_account(account)
    # MSAL removes all access tokens of the account.
    assert (secrets(opened(root), "RefreshToken"), secrets(member, "RefreshToken")) == (["refresh-A"], ["refresh-M"])
    assert secrets(opened(root, OTHER), "RefreshToken") == []


def test_an_account_that_signed_in_again_keeps_its_tokens_without_its_entry(root: pathlib.Path) -> None:
    cache = opened(root)
    cache.add(event())
    sign_out(cache)
    cache.add(event(token="D"))
    sign_out(cache, ("Account",))
    assert (accounts(cache), secrets(opened(root), "RefreshToken")) == ([], ["refresh-D"])


def test_a_renewal_replaces_the_refresh_token_for_all(root: pathlib.Path) -> None:
    mine, same = opened(root), opened(root)
    mine.add(event())
    renew(same, refresh_token(same))
    for cache in (mine, same, opened(root)):
        assert (tokens(cache), secrets(cache, "RefreshToken")) == (["N"], ["refresh-N"])


def test_a_token_that_came_from_the_group_itself_can_be_removed(root: pathlib.Path) -> None:
    cache = opened(root)
    cache.add(event(scopes=("User.Read", "Mail.Read")))
    cache.add(event(token="B", scopes=("Files.Read",)))
    # The group does not say which other scopes it has.
    cache.remove_at(next(cache.search("AccessToken", ["User.Read"], query())))
    assert secrets(opened(root), "AccessToken") == ["B"]


def test_what_another_library_saved_under_its_own_key_can_be_removed(root: pathlib.Path) -> None:
    cache, own = opened(root), msal.TokenCache()
    own.add(event(response={"foci": "1"}))
    # As MSAL for other languages names the refresh token of a family.
    key = f"uid.utid-{HOST}-refreshtoken-1--"
    view = cache._view(cache._client(None), None)
    view.entries.update(own._cache, RefreshToken={key: entry for entry in own._cache["RefreshToken"].values()})
    assert cache._merge(view)
    assert list(opened(root)._cache["RefreshToken"]) == [key]
    cache.remove_rt(refresh_token(cache))
    assert secrets(opened(root), "RefreshToken") == []


def test_a_token_of_the_application_comes_from_the_group_itself(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, other = opened(root), opened(root)
    app = msal.ConfidentialClientApplication(CLIENT, "a secret", authority=f"https://{HOST}/utid", token_cache=cache,
                                             instance_discovery=False, http_client=Answering())
    other.add(event())
    other.add({**event(), "response": {"access_token": "of the application", "expires_in": 3600}})
    monkeypatch.setattr(Library, "document", refuse)
    assert app.acquire_token_for_client(["User.Read"])["access_token"] == "of the application"
    # Nor is it taken for the user's.
    assert next(cache.search("AccessToken", ["User.Read"], query()))["secret"] == "A"


def test_what_cannot_be_saved_is_not_shown(root: pathlib.Path) -> None:
    cache = opened(root)
    cache.add(event())
    with pytest.raises(TokenCacheError) as caught:
        # A document has room for 64 MiB.
        cache.add(event(token="T" * (64 << 20)))
    assert caught.value.code == 4 and "TTTT" not in str(caught.value)
    assert (tokens(cache), secrets(cache, "RefreshToken")) == (["A"], ["refresh-A"])
    cache.add(event(token="B"))
    assert tokens(cache) == ["B"]
    # An entry of no application, and of another one.
    ownerless = event("nobody")
    del ownerless["client_id"]
    cache.add(ownerless)
    assert list(cache.search("Account", query={"home_account_id": "nobody.utid"})) == []
    cache.modify("RefreshToken", {**refresh_token(cache), "client_id": OTHER, "family_id": "1"}, {"secret": "of no family"})
    assert [entry["secret"] for entry in cache.search("RefreshToken", query={"home_account_id": "uid.utid"})] == ["refresh-B"]


def test_reading_removes_nothing(root: pathlib.Path) -> None:
    cache = opened(root)
    cache.add(event("old", response={"expires_in": -5}))
    journal = next(root.rglob("journal"))
    before = journal.read_bytes()
    # MSAL passes over this one.
    assert secrets(cache, "AccessToken") == []
    assert journal.read_bytes() == before
    # Nor does a change of something else.
    cache.add({**event(), "response": {"access_token": "of the application", "expires_in": 3600}})
    assert sorted(entry["secret"] for entry in opened(root)._cache["AccessToken"].values()) == ["A", "of the application"]


@pytest.mark.parametrize("wrong", [
    {"group": "../group"}, {"group": "a\0b"}, {"client_id": " "}, {"storage": "disk"}, {"timeout": 0}, {"timeout": float("nan")},
    {"timeout": 1e12}, {"root": "a\0b"}, {"passphrase": b""}, {"key_file": "/nowhere/key"},
], ids=str)
def test_wrong_arguments_are_refused(root: pathlib.Path, wrong: dict) -> None:
    with pytest.raises((ValueError, TokenCacheError)):
        SharedTokenCache(**{"group": "group", "client_id": CLIENT, "root": str(root), "storage": "file", **wrong})._cache
    assert list(root.rglob("journal")) == []


@pytest.mark.parametrize("odd", ["a\0b", "\ud800", " ", "x" * 100_000, "-", ["list"], 7], ids=lambda odd: ascii(odd)[:20])
def test_queries_for_what_cannot_be_find_nothing_or_say_so(root: pathlib.Path, odd: object) -> None:
    cache = opened(root)
    cache.add(event())
    own = msal.TokenCache()
    own.add(event())
    for name in query():
        asked = {**query(), name: odd}
        found = answer(cache, asked)
        # As MSAL's own cache; or it is no name that a document can be asked for by.
        is_refused = name in ("client_id", "home_account_id") and found in (ValueError, UnicodeEncodeError, TokenCacheError)
        assert is_refused or found == answer(own, asked)
    if isinstance(odd, str):
        assert list(cache.search("AccessToken", [odd], query())) == []
    assert tokens(cache) == ["A"]
    # A name that was refused is forgotten.
    assert accounts(cache) == ["uid@contoso.com"]


def answer(cache: msal.TokenCache, asked: dict) -> list | type[Exception]:
    try:
        return list(cache.search("AccessToken", ["User.Read"], asked))
    except Exception as error:
        return type(error)


def saving(root: pathlib.Path, number: int) -> None:
    cache = opened(root)
    for round in range(20):
        cache.add(event(f"user-{number}-{round}", f"token-{number}-{round}"))


def test_processes_lose_nothing_also_if_one_is_killed(root: pathlib.Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=saving, args=(root, number)) for number in range(4)]
    for process in processes:
        process.start()
    cache = opened(root)
    while not accounts(cache):
        assert any(process.is_alive() for process in processes)
    processes[3].kill()
    for process in processes:
        process.join(300)
    assert [process.exitcode for process in processes[:3]] == [0, 0, 0]
    found = {entry["username"].split("@")[0] for entry in cache.search("Account")}
    assert found >= {f"user-{number}-{round}" for number in range(3) for round in range(20)}
    # All of what was saved at once, or nothing.
    assert secrets(cache, "AccessToken") == sorted(name.replace("user", "token") for name in found)
    assert secrets(cache, "RefreshToken") == sorted(name.replace("user", "refresh-token") for name in found)


@pytest.mark.parametrize("way", ["fork", "forkserver", "spawn"])
def test_a_child_process_uses_the_cache(way: str, root: pathlib.Path) -> None:
    cache = opened(root)
    cache.add(event())
    context = multiprocessing.get_context(way)
    results = context.Queue()
    # A forked child has the cache of its parent.
    process = context.Process(target=child, args=(root, cache if way == "fork" else None, results))
    process.start()
    assert results.get(timeout=300) == (["A"], ["child@contoso.com", "uid@contoso.com"])
    process.join()
    assert process.exitcode == 0
    assert (tokens(cache), accounts(cache)) == (["A"], ["child@contoso.com", "uid@contoso.com"])


def test_threads_share_a_cache(root: pathlib.Path) -> None:
    caches, failures = [opened(root), opened(root)], []

    def work(number: int) -> None:
        try:
            cache = caches[number % 2]
            for round in range(8):
                uid = f"user-{number}-{round}"
                cache.add(event(uid, uid))
                assert tokens(cache, uid) == [uid]
                assert f"{uid}@contoso.com" in accounts(cache)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(accounts(opened(root))) == 48


def test_a_closed_cache_opens_again_and_closing_leaves_no_handle(root: pathlib.Path) -> None:
    cache = opened(root)
    cache.add(event())
    for _ in range(30):
        for uid in range(3):
            tokens(cache, f"nobody-{uid}")
        assert tokens(cache) == ["A"]
        cache.close()
    cache.close()
    assert len([line for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if str(root) in line]) == 0
    assert cache._group is None and tokens(cache) == ["A"]


def test_what_was_opened_is_closed_if_the_rest_could_not_be(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(root).add(event())
    open_one = Library.opened

    def failing(self: Library, name: str, *arguments: object) -> object:
        if name == "group_open":
            raise TokenCacheError("busy", 20)
        return open_one(self, name, *arguments)

    monkeypatch.setattr(Library, "opened", failing)
    for is_closed in (True, False):
        cache = opened(root)
        with pytest.raises(TokenCacheError):
            accounts(cache)
        if is_closed:
            cache.close()
        del cache
        gc.collect()
        assert [link for link in map(os.path.realpath, pathlib.Path("/proc/self/fd").iterdir()) if link.startswith(str(root))] == []


def test_what_a_signal_handler_raises_arrives(root: pathlib.Path) -> None:
    output = run(f"""
import json, pathlib, signal, sys
import msal
from conftest import event, opened

class Alarm(Exception):
    pass

def handle(*_):
    raise Alarm

ignored, found = [], []
sys.unraisablehook = lambda failure: ignored.append(repr(failure.exc_value))
cache, own = opened(pathlib.Path({str(root)!r})), msal.TokenCache()
for number in range(500):
    own.add(event(f"user-{{number}}", "T" * 3000))
view = cache._view(cache._client(None), None)
view.entries.update(own._cache)
cache._merge(view)
entries = {{kind: len(section) for kind, section in view.entries.items()}}
signal.signal(signal.SIGALRM, handle)
for number in range(40):
    cache._client(None).views[None].revision = None
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.001 * (number + 1))
            found.append({{kind: len(section) for kind, section in cache._cache.items()}} == entries)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Alarm:
        found.append("Alarm")
print(json.dumps([ignored, "Alarm" in found, [each for each in found if each not in (True, "Alarm")]]))
""", cwd=pathlib.Path(__file__).parent)
    assert json.loads(output) == [[], True, []]


def test_other_threads_run_while_a_keyring_may_be_asked(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Which storage it is, only the library knows.
    opened(root).add(event())
    cache = SharedTokenCache("com.contoso.sso", CLIENT, root=str(root), timeout=60)
    monkeypatch.setattr(Library.load(), "token_from_file", refuse)
    assert tokens(cache) == ["A"]


def test_a_group_that_was_replaced_is_opened_again(root: pathlib.Path) -> None:
    cache = opened(root)
    cache.add(event())
    shutil.rmtree(root / "com.contoso.sso")
    with pytest.raises(TokenCacheError) as caught:
        cache.add(event("new", "N"))
    assert caught.value.code == 10
    cache.add(event("new", "N"))
    assert (accounts(cache), tokens(cache, "new"), tokens(cache)) == (["new@contoso.com"], ["N"], [])


def test_a_silent_request_costs_what_it_costs_with_msal_however_many_accounts_there_are(root: pathlib.Path) -> None:
    done = subprocess.run(
        [sys.executable, "measure.py", root], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    print(json.dumps(found, indent=1))
    # Ratios of minima that were measured in turns, because the machine is busy: they were 1.36 to 1.44, and 1/34.
    assert found["exact, 10 accounts, shared"] < 1.6 * found["exact, 10 accounts, own"]
    assert found["subset, 1000 accounts, shared"] < found["subset, 1000 accounts, own"] / 10
