# SPDX-License-Identifier: Apache-2.0
"""A token cache for MSAL Python whose entries are in a group."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from ctypes import byref
from typing import Any, Literal, TypeVar

from msal.token_cache import TokenCache  # type: ignore[import-untyped]

from . import _library
from ._library import Handle, Library, encoded, sized

Entry = dict[str, Any]
Entries = dict[str, dict[str, Entry]]
Result = TypeVar("Result")

# The name of no account: the document of one that is not there has the metadata of the application and nothing else.
_NO_ACCOUNT = "-"
# How many documents of one account, and how many queries, are kept.
_DOCUMENT_COUNT, _QUERY_COUNT = 16, 4096
# After how many changes the file of the group may be worth a compaction.
_CHANGE_COUNT = 100


class SharedTokenCache(TokenCache):  # type: ignore[misc]
    """The cache of a group of programs, for the parameter ``token_cache`` of MSAL's applications.

    What a program saves is encrypted, there as a whole or not at all, and visible to others at once: to all processes
    of the same client, and refresh tokens of a family to its members. A silent request that has a valid token gets it
    straight from the group, which reads that token only. For everything else MSAL works on a copy of the entries of
    one account, or of all, which is read again when any process has changed the group; what MSAL changes in it is
    merged into the group as a transaction.

    Safe to use from several threads. In a child process that was forked, the group is opened again at the next use; if
    it is in the keyring, start children with ``spawn`` or ``forkserver``. Nothing is loaded or opened before the first
    use. Reading removes nothing, also no expired tokens. Tokens that MSAL gets are ordinary strings, as always.
    """

    def __init__(
        self,
        group: str,
        client_id: str,
        *,
        root: str | None = None,
        storage: Literal["automatic", "file", "keyring"] = "automatic",
        key_file: str | None = None,
        mounted_secret: str | None = None,
        credential: str | None = None,
        collection: str | None = None,
        passphrase: bytes | None = None,
        prompts: bool = False,
        timeout: float = 2,
    ) -> None:
        """Names a group, which the first use opens, and creates if there is none.

        :param group: the name of the group.
        :param client_id: the application. Others that share this object are known by what they ask for.
        :param root: the parent of group folders; by default ``$XDG_DATA_HOME/swift-token-cache``.
        :param storage: where the group keeps its records; by default where they are, and for a new group the keyring,
            or else the encrypted file.
        :param key_file: with ``storage="file"``: a file with a secret that unlocks the group, created with a new group.
            Without any of these, it is one that the library keeps.
        :param mounted_secret: a file with such a secret that is mounted for the process, and only read.
        :param credential: the name of a systemd credential with such a secret.
        :param collection: with ``storage="keyring"``: the collection; by default the keyring's default one.
        :param passphrase: a passphrase that unlocks the group.
        :param prompts: whether the keyring may prompt the user while the group is opened.
        :param timeout: how long a call may wait for others, in seconds.
        :raises ValueError: for another storage, a timeout that is none, or a text with a null character.

        Later, every call may raise :class:`TokenCacheError`.
        """
        super().__init__()
        if storage not in _library.STORAGE:
            raise ValueError("storage is automatic, file or keyring")
        if not 0.001 <= timeout <= 4_000_000:
            raise ValueError("timeout is a number of seconds, at least a millisecond")
        self._group_name, self._client_id = encoded(group), client_id
        encoded(client_id)
        self._is_in_file = storage == "file"
        self._options = sized(
            _library.Options,
            storage=_library.STORAGE[storage],
            flags=_library.KEYRING_PROMPTS if prompts else 0,
            timeout_ms=int(timeout * 1000),
            root=encoded(root),
            key_file=encoded(key_file),
            mounted_secret=encoded(mounted_secret),
            credential=encoded(credential),
            collection=encoded(collection),
            passphrase=passphrase,
            passphrase_count=len(passphrase or b""),
        )
        self._forget()
        _caches.add(self)

    def _forget(self) -> None:
        """As at the start, without closing anything."""
        self._lock = threading.RLock()
        self._group: Handle | None = None
        self._clients: dict[str, _Client] = {self._client_id: _Client(self._client_id)}
        # Numbers of caches and queries.
        self._queries: dict[tuple[Any, ...], tuple[int, int]] = {}
        self._entries: Entries | None = None
        self._is_reading = False
        self._change_count = 0
        # What a call of the library writes to, under the lock.
        self._count, self._revision = ctypes.c_size_t(), ctypes.c_uint64()
        self._info, self._error = sized(_library.Info), sized(_library.Error)
        self._make_room(16384)

    def _make_room(self, size: int) -> None:
        """Makes the buffer for tokens."""
        buffer = ctypes.create_string_buffer(size)
        self._bytes = memoryview(buffer).cast("B")
        info, start, count, error = map(ctypes.addressof, (self._info, buffer, self._count, self._error))
        self._places = info, start, size, count, error

    def close(self) -> None:
        """Closes the group. Another use opens it again."""
        with self._lock:
            clients, queries, group = self._clients.values(), self._queries.values(), self._group
            self._group, self._queries = None, {}
            self._clients = {name: _Client(name) for name in self._clients}
            open_handles = [("document_free", view.document) for client in clients for view in client.views.values()]
            open_handles += [("close", client.cache) for client in clients if client.cache is not None]
            open_handles += [("query_free", Handle(query)) for _, query in queries]
            open_handles += [("group_close", group)] if group is not None else []
            for name, handle in open_handles:
                Library.load().close(name, handle)

    def __del__(self) -> None:
        if hasattr(self, "_clients"):
            self.close()

    # What MSAL calls

    def search(
        self,
        credential_type: str,
        target: Iterable[str] | None = None,
        query: dict[str, Any] | None = None,
        *,
        now: float | None = None,
        **others: Any,
    ) -> Iterator[Entry]:
        """Yields the matching entries; first the valid access token with the longest life, if it asks for one."""
        found, target = None, list(target or ())
        if credential_type == "AccessToken" and target and query and now is None and not others:
            found = self._token(target, query)
            if found is not None:
                yield found
        account, client_id = (query or {}).get("home_account_id"), (query or {}).get("client_id")
        entries = self._read(
            account,
            client_id,
            lambda: list(
                super(SharedTokenCache, self).search(credential_type, target=target, query=query, now=now, **others)
            ),
        )
        for entry in entries:
            if found is None or entry.get("secret") != found["secret"]:
                yield entry

    def _get_app_metadata(self, environment: str, client_id: str, default: Any = None) -> Any:
        return self._read(
            _NO_ACCOUNT,
            client_id,
            lambda: super(SharedTokenCache, self)._get_app_metadata(environment, client_id, default),
        )

    def add(self, event: dict[str, Any], now: float | None = None) -> None:
        """Saves what a token endpoint answered, in one transaction."""
        with self._lock:
            made: Entries = {}
            self._on(made, lambda: super(SharedTokenCache, self).add(event, now=now))
            entries = [entry for section in made.values() for entry in section.values()]
            account = next(filter(None, (entry.get("home_account_id") for entry in entries)), None)
            client, is_renewal = self._client(event.get("client_id")), bool(event.get("skip_account_creation"))

            def put(view: Entries) -> bool:
                if is_renewal and not _can_renew(view, account):
                    # The user signed out meanwhile.
                    return False
                for section, new in made.items():
                    view.setdefault(section, {}).update(new)
                return True

            self._edit(client, account, put)
            if not is_renewal:
                client.signing_out.discard(account)

    def modify(self, credential_type: str, old_entry: Entry, new_key_value_pairs: Entry | None = None) -> None:
        """Changes or removes an entry. An account that is removed is signed out of the application."""
        with self._lock:
            if self._entries is not None:
                # Within a search, expired tokens stay; within add, this is what is collected.
                if not self._is_reading:
                    super().modify(credential_type, old_entry, new_key_value_pairs)
                return
            account = old_entry.get("home_account_id")

            def change(client: _Client, view: Entries) -> bool:
                key, section = self.key_makers[credential_type](**old_entry), view.get(credential_type, {})
                if not new_key_value_pairs and key not in section and "secret" in old_entry:
                    # It was found straight in the group, which does not say its key, or another library made the key.
                    _remove(section, secret=old_entry["secret"])
                self._on(
                    view,
                    lambda: super(SharedTokenCache, self).modify(credential_type, old_entry, new_key_value_pairs),
                )
                if credential_type == "Account" and not new_key_value_pairs and account in client.signing_out:
                    # One sign-out, with what a renewal brought since it began.
                    for kind in ("AccessToken", "IdToken", "RefreshToken"):
                        _remove(
                            view.get(kind, {}),
                            client_id=client.id,
                            home_account_id=account,
                            environment=old_entry.get("environment"),
                        )
                return True

            is_refresh_token = credential_type == "RefreshToken"
            for client in self._owners(old_entry):
                self._edit(client, account, functools.partial(change, client))
                if is_refresh_token and not new_key_value_pairs and old_entry.get("client_id") == client.id:
                    client.signing_out.add(account)

    def update_rt(self, rt_item: Entry, new_rt: str) -> None:
        """Replaces a refresh token by its successor, unless its account was signed out meanwhile."""
        with self._lock:
            account = rt_item.get("home_account_id")

            def replace(view: Entries) -> bool:
                if not _can_renew(view, account):
                    return False
                self._on(view, lambda: super(SharedTokenCache, self).update_rt(rt_item, new_rt))
                return True

            for client in self._owners(rt_item):
                self._edit(client, account, replace)

    # The entries that MSAL works on

    @property
    def _cache(self) -> Entries:
        with self._lock:
            if self._entries is not None:
                return self._entries
            return self._all(None, None)

    @_cache.setter
    def _cache(self, entries: Entries) -> None:
        # TokenCache starts with none.
        pass

    def _on(self, entries: Entries, work: Callable[[], Result], is_reading: bool = False) -> Result:
        """Lets MSAL work on entries."""
        before = self._entries, self._is_reading
        self._entries, self._is_reading = entries, is_reading
        try:
            return work()
        finally:
            self._entries, self._is_reading = before

    def _read(self, account: str | None, client_id: str | None, work: Callable[[], Result]) -> Result:
        """Lets MSAL read the entries of an account, or all."""
        with self._lock:
            return self._on(self._all(account, client_id), work, is_reading=True)

    def _edit(self, client: _Client, account: str | None, edit: Callable[[Entries], bool]) -> None:
        """Edits the entries of an account, or all, and merges them if they were changed."""
        account = account or None
        view = self._view(client, account)
        is_merged = False
        try:
            is_merged = not edit(view.entries) or self._merge(view)
        finally:
            if not is_merged:
                # Not all of what was edited is in the group.
                client.views.pop(account, None)
                Library.load().close("document_free", view.document)

    def _all(self, account: str | None, client_id: str | None) -> Entries:
        """The entries that a client may see; without one, those of all that share this object."""
        clients = [self._client(client_id)] if client_id else list(self._clients.values())
        views = [self._view(client, account or None).entries for client in clients]
        if len(views) == 1:
            return views[0]
        merged: Entries = {}
        for view in views:
            for section, entries in view.items():
                merged.setdefault(section, {}).update(entries)
        return merged

    def _client(self, client_id: str | None) -> _Client:
        """An application; the first one if none is named. It shares this object once the group accepted its name."""
        client_id = client_id or self._client_id
        return self._clients.get(client_id) or _Client(client_id)

    def _owners(self, entry: Entry) -> list[_Client]:
        """The applications that may change an entry. Of others, there are only refresh tokens of their family."""
        client_id = entry.get("client_id")
        if not client_id:
            return list(self._clients.values())
        return [self._client(None if entry.get("family_id") and client_id not in self._clients else client_id)]

    # The group

    def _view(self, client: _Client, account: str | None) -> _View:
        """The up-to-date entries of an account, or all, of a client."""
        library, group = self._open()
        # Loaded before the document, which is at least as new.
        if library.revision(group, byref(self._revision), byref(self._error)):
            raise self._failure(_library.failure(self._error))
        revision, known = self._revision.value, client.views.get(account)
        if known is not None and known.revision == revision:
            return known
        try:
            document, entries = library.document(group, client.id, account)
        except _library.TokenCacheError as error:
            raise self._failure(error)
        self._clients.setdefault(client.id, client)
        if known is not None and known.entries == entries:
            # Its document stays the base of the next merge. It remembers what was removed already, which makes it one
            # sign-out with what follows.
            library.close("document_free", document)
            known.revision = revision
            return known
        if known is not None:
            library.close("document_free", known.document)
        elif len(client.views) >= _DOCUMENT_COUNT:
            library.close("document_free", client.views.pop(next(iter(client.views))).document)
        client.views[account] = _View(document, revision, entries)
        return client.views[account]

    def _merge(self, view: _View) -> bool:
        """Merges what was edited. Whether the group has all of it now."""
        text, report = json.dumps(view.entries).encode(), sized(_library.Report)
        library, _ = self._open()
        try:
            library.call("document_merge", view.document, text, ctypes.c_size_t(len(text)), 0, byref(report))
        except _library.TokenCacheError as error:
            raise self._failure(error)
        self._change_count += 1
        if self._change_count % _CHANGE_COUNT == 0:
            # If this fails, the file is as good as before.
            with contextlib.suppress(_library.TokenCacheError):
                library.call("maintain", self._cache_handle(self._client(None)), 0)
        return not (report.refused or report.kept or report.ignored)

    def _failure(self, error: _library.TokenCacheError) -> _library.TokenCacheError:
        """The same error. If the group is somewhere else by now, the next use opens it there."""
        if error.code == _library.STORAGE_MOVED:
            self.close()
        return error

    def _open(self) -> tuple[Library, Handle]:
        """The library and the open group."""
        library = Library.load()
        if self._group is None:
            # This creates the group if there is none.
            self._cache_handle(self._client(None))
            self._group = library.opened("group_open", self._group_name, byref(self._options))
        return library, self._group

    def _cache_handle(self, client: _Client) -> Handle:
        if client.cache is None:
            client.cache = Library.load().opened("open", self._group_name, encoded(client.id), byref(self._options))
            self._clients.setdefault(client.id, client)
        return client.cache

    def _token(self, target: list[str], query: Mapping[str, Any]) -> Entry | None:
        """The valid access token for a query of a silent request; ``None`` if there is none, or for another query."""
        account, client_id = query.get("home_account_id"), query.get("client_id")
        environment, realm = query.get("environment"), query.get("realm")
        extended = query.get("ext_cache_key")
        if not (client_id and environment and realm) or len(query) != (5 if extended else 4):
            return None
        if not account and (account is not None or "home_account_id" not in query):
            return None
        key = (account, environment, client_id, realm, extended, *target)
        with self._lock:
            try:
                prepared = self._queries.get(key) or self._prepare(key)
            except TypeError:
                # No texts.
                return None
            if prepared is None:
                return None
            library = Library.load()
            status = (library.token_from_file if self._is_in_file else library.token)(*prepared, *self._places)
            info, count = self._info, self._count.value
            if status == _library.BUFFER_TOO_SMALL:
                self._make_room(2 * count)
                return self._token(target, query)
            if status in (_library.TOKEN_GONE, _library.INVALID_REQUEST):
                # It was removed just now, or no group has one for such a host.
                return None
            if not status and info.decision != _library.VALID:
                return None
            if status:
                raise self._failure(_library.failure(self._error))
            secret = str(self._bytes[:count], "utf-8")
            ctypes.memset(self._places[1], 0, count)
            entry = {
                "credential_type": "AccessToken",
                "secret": secret,
                "home_account_id": account,
                "environment": environment,
                "client_id": client_id,
                "realm": realm,
                "target": " ".join(target),
                "token_type": "Bearer",
                "expires_on": str(info.expires_on),
            }
            if info.refresh_on:
                entry["refresh_on"] = str(info.refresh_on)
            if extended:
                entry["ext_cache_key"] = extended
            return entry

    def _prepare(self, key: tuple[Any, ...]) -> tuple[int, int] | None:
        """The open cache and the query for it; ``None`` if the group cannot have such a token."""
        account, environment, client_id, realm, extended, *target = key
        try:
            terms = sized(
                _library.Terms,
                subject=_library.OF_APPLICATION if account is None else _library.BY_ACCOUNT_ID,
                account=encoded(account),
                scopes=encoded(" ".join(target)),
                tenant=encoded(realm),
                environment=encoded(environment),
                extended_cache_key=encoded(extended),
            )
            names = (environment, client_id, realm, *target) if account is None else key[:4] + key[5:]
            if any(len(text.split()) != 1 for text in names):
                return None
        except (ValueError, AttributeError):
            # No texts that the group could have.
            return None
        library, _ = self._open()
        cache, query = self._cache_handle(self._client(client_id)), library.opened("query_new", byref(terms))
        if len(self._queries) >= _QUERY_COUNT:
            library.close("query_free", Handle(self._queries.pop(next(iter(self._queries)))[1]))
        self._queries[key] = cache.value or 0, query.value or 0
        return self._queries[key]


class _View:
    """What MSAL works on: a document, the revision that the group had before, and the entries as MSAL edited them."""

    def __init__(self, document: Handle, revision: int, entries: Entries) -> None:
        self.document, self.revision, self.entries = document, revision, entries


class _Client:
    """An application: its open cache, and its documents by their accounts."""

    def __init__(self, client_id: str) -> None:
        self.id = client_id
        self.cache: Handle | None = None
        self.views: dict[str | None, _View] = {}
        # Accounts whose own refresh token was removed here: what removes the account too is a sign-out.
        self.signing_out: set[str | None] = set()


def _can_renew(entries: Entries, account: str | None) -> bool:
    """Whether the document of an account has a refresh token, which a sign-out removes first; always without account.

    Without one, a merge would take what a renewal brought for a new sign-in.
    """
    return account is None or bool(entries.get("RefreshToken"))


def _remove(section: dict[str, Entry], **members: Any) -> None:
    """Removes the entries with these members."""
    for key in [key for key, entry in section.items() if members.items() <= entry.items()]:
        del section[key]


_caches: weakref.WeakSet[SharedTokenCache] = weakref.WeakSet()


def _forget_all() -> None:
    for cache in list(_caches):
        cache._forget()


os.register_at_fork(after_in_child=_forget_all)
