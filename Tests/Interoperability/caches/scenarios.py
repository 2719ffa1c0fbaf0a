# SPDX-License-Identifier: Apache-2.0
"""Sign-ins of every odd shape, carried out by MSAL itself against an invented identity service."""

from __future__ import annotations

import contextlib
import unittest.mock
import warnings
from collections.abc import Iterator

import msal

from . import identities
from .identities import DESKTOP, FAMILY_CHAT, FAMILY_FILES, FAMILY_MAIL, MSA_TENANT, SCOPES, Inventor, Person
from .service import IdentityService

HOUR = 3600
DAY = 24 * HOUR


class Scenarios:
    """Fills one MSAL cache. Each method is a kind of sign-in; `cache` holds the result."""

    def __init__(self, inventor: Inventor, now: int) -> None:
        self.inventor = inventor
        self.now = now
        self.cache = msal.SerializableTokenCache()
        self.service = IdentityService()
        self._applications: dict[tuple, msal.ClientApplication] = {}

    def run(self, accounts: int) -> None:
        """About `accounts` accounts in all, every shape among them."""
        unit = max(1, accounts // 30)
        for method, count in [
            (self.in_home_tenant, 7 * unit), (self.as_guest, 3 * unit), (self.through_common_authority, 2 * unit),
            (self.with_personal_account, 3 * unit), (self.with_b2c_policies, 2 * unit), (self.at_adfs, 2 * unit),
            (self.in_a_family, 3 * unit), (self.with_ssh_certificate, unit), (self.with_proof_of_possession, unit),
            (self.with_unusual_name, 2 * unit), (self.with_very_many_scopes, unit), (self.under_several_targets, unit),
            (self.long_ago, unit), (self.with_early_renewal, unit), (self.in_another_cloud, unit),
            (self.with_odd_lifetimes, unit), (self.on_behalf_of_somebody, unit), (self.without_home_account, unit),
            (self.for_the_app_itself, unit), (self.for_the_app_with_extended_key, unit),
        ]:
            for index in range(count):
                method(index)

    # One method per shape.

    def in_home_tenant(self, index: int) -> None:
        person = self.inventor.person()
        for client in [DESKTOP, identities.COMMAND_LINE][: 1 + index % 2]:
            self.sign_in(person, client, person.home_tenant, self.some_scopes(), at=self.now - index % 40 * 60)

    def as_guest(self, index: int) -> None:
        person = self.inventor.person()
        self.sign_in(person, DESKTOP, person.home_tenant, ["User.Read"])
        for tenant in self.inventor.random.sample(self.inventor.tenants, 1 + index % 3):
            self.inventor.guest_in(person, tenant)
            self.sign_in(person, DESKTOP, tenant, self.some_scopes())

    def through_common_authority(self, index: int) -> None:
        person = self.inventor.person()
        self.sign_in(person, DESKTOP, ["common", "organizations"][index % 2], ["User.Read", "Mail.Read"])

    def with_personal_account(self, index: int) -> None:
        person = self.inventor.personal_account()
        self.sign_in(person, DESKTOP, ["consumers", MSA_TENANT, "common"][index % 3], self.some_scopes(),
                     access_token=self.inventor.opaque("EwB4A8l6BAAU", 900),
                     refresh_token=self.inventor.opaque("M.C5_BAY.0.U.-C", 300))

    def with_b2c_policies(self, index: int) -> None:
        person = self.inventor.person(tenant=self.inventor.tenants[0])
        for policy in ["b2c_1_signin", "b2c_1_edit", "B2C_1A_Custom"][: 1 + index % 3]:
            there = Person(f"{person.uid}-{policy}".lower(), person.home_tenant, "", person.name,
                           {"contosob2c.onmicrosoft.com": person.uid})
            self.sign_in(there, identities.STORE_FRONT, f"contosob2c.onmicrosoft.com/{policy}",
                         ["https://contosob2c.onmicrosoft.com/webapi/user.read"], host="contosob2c.b2clogin.com",
                         id_token_claims={"preferred_username": None, "emails": [person.username], "tfp": policy})

    def at_adfs(self, index: int) -> None:
        person = self.inventor.person()
        self.sign_in(person, identities.INTRANET, "adfs", ["openid", "allatclaims"], host="adfs.contoso.example",
                     client_info=False, id_token_claims={"preferred_username": None, "upn": person.username})

    def in_a_family(self, index: int) -> None:
        person = self.inventor.person()
        self.sign_in(person, FAMILY_MAIL, person.home_tenant, ["Mail.Read", "User.Read"], family="1")
        if index % 2:
            # Another member of the family: MSAL finds the family refresh token and spends it.
            scopes = self.some_scopes()
            self.service.answer = self.token_response(person, FAMILY_FILES, person.home_tenant, scopes, family="1")
            application = self.application(FAMILY_FILES, f"https://login.microsoftonline.com/{person.home_tenant}")
            account = {"home_account_id": person.home_account_id, "environment": "login.microsoftonline.com"}
            with self.clock(self.now):
                assert application.acquire_token_silent(scopes, account)
        if index % 3 == 0:
            self.sign_in(person, FAMILY_CHAT, person.home_tenant, ["Chat.Read"], at=self.now - 30 * 60, family="1")

    def with_ssh_certificate(self, index: int) -> None:
        person = self.inventor.person()
        self.sign_in(person, identities.COMMAND_LINE, person.home_tenant, ["User.Read"])
        self.renew(person, identities.COMMAND_LINE, ["https://pas.windows.net/CheckMyAccess/Linux/.default"],
                   data={"token_type": "ssh-cert", "req_cnf": '{"kty":"RSA"}', "key_id": f"ssh-key-{index}"},
                   token_type="ssh-cert")

    def with_proof_of_possession(self, index: int) -> None:
        person = self.inventor.person()
        self.sign_in(person, DESKTOP, person.home_tenant, ["User.Read"])
        self.renew(person, DESKTOP, ["https://graph.microsoft.com/Files.Read"],
                   data={"token_type": "pop", "req_cnf": "e30", "key_id": self.inventor.opaque("pop-", 12)},
                   token_type=["pop", "PoP"][index % 2])

    def with_unusual_name(self, index: int) -> None:
        name = identities.NAMES[index % len(identities.NAMES)]
        username = f"{name.split()[0]}.{index}@contoso.example"
        person = self.inventor.person(name=name, username=username)
        self.sign_in(person, DESKTOP, person.home_tenant, ["User.Read"])

    def with_very_many_scopes(self, index: int) -> None:
        person = self.inventor.person()
        scopes = [f"https://api{number}.contoso.example/Resource{number}.ReadWrite.All" for number in range(120)]
        self.sign_in(person, DESKTOP, person.home_tenant, scopes)

    def under_several_targets(self, index: int) -> None:
        person = self.inventor.person()
        for number, scopes in enumerate([["User.Read"], ["Mail.Read"], ["User.Read", "Mail.Read"], ["Files.Read"]]):
            self.sign_in(person, DESKTOP, person.home_tenant, scopes, at=self.now - 600 + number)

    def long_ago(self, index: int) -> None:
        person = self.inventor.person()
        self.sign_in(person, DESKTOP, person.home_tenant, self.some_scopes(), at=self.now - 3 * DAY)

    def with_early_renewal(self, index: int) -> None:
        person = self.inventor.person()
        self.sign_in(person, DESKTOP, person.home_tenant, ["User.Read"], at=self.now - 13 * HOUR * (index % 2),
                     expires_in=24 * HOUR, refresh_in=12 * HOUR)

    def in_another_cloud(self, index: int) -> None:
        hosts = ["login.microsoftonline.us", "login.partner.microsoftonline.cn", "login.windows.net", "sts.windows.net"]
        person = self.inventor.person()
        self.sign_in(person, DESKTOP, person.home_tenant, ["User.Read"], host=hosts[index % len(hosts)])

    def with_odd_lifetimes(self, index: int) -> None:
        person = self.inventor.person()
        lifetimes: list[object] = [280, 700, 1200, "3599", 90 * DAY, 0, -5]
        self.sign_in(person, DESKTOP, person.home_tenant, ["User.Read"], expires_in=lifetimes[index % len(lifetimes)])

    def on_behalf_of_somebody(self, index: int) -> None:
        person = self.inventor.person()
        scopes = ["User.Read"]
        self.service.answer = self.token_response(person, identities.SERVICE, person.home_tenant, scopes)
        application = self.application(identities.SERVICE, self.authority("login.microsoftonline.com", person))
        with self.clock(self.now):
            application.acquire_token_on_behalf_of(self.inventor.jwt({"sub": "caller"}), scopes)

    def without_home_account(self, index: int) -> None:
        """Neither client_info nor an id token: MSAL stores null as home account id, as in an application's tokens."""
        self.cache.add({
            "client_id": identities.INTRANET, "scope": [f"urn:legacy:{index}", *["openid"][: index % 2]],
            "token_endpoint": "https://adfs.contoso.example/adfs/oauth2/token",
            "response": {"access_token": self.inventor.opaque("legacy-", 600), "expires_in": HOUR,
                         "refresh_token": self.inventor.refresh_token(), "token_type": "bearer"},
        }, now=self.now)

    def for_the_app_itself(self, index: int) -> None:
        tenant = self.inventor.tenants[index % len(self.inventor.tenants)]
        self.for_client(tenant, [f"api://resource-{index}/.default"])

    def for_the_app_with_extended_key(self, index: int) -> None:
        tenant = self.inventor.tenants[index % len(self.inventor.tenants)]
        self.for_client(tenant, ["api://federated/.default"], fmi_path=f"SomeFmiPath/Credential{index}")
        self.for_client(tenant, ["api://federated/.default"],
                        forwarded_client_claims='{"access_token":{"xms_cc":{"values":["cp%d"]}}}' % index)

    # What they are made of.

    def some_scopes(self) -> list[str]:
        return self.inventor.random.sample(SCOPES, self.inventor.random.randint(1, 5))

    def sign_in(self, person: Person, client: str, tenant: str, scopes: list[str], *, at: int | None = None,
                host: str = identities.PUBLIC_CLOUD, **shape: object) -> None:
        """An interactive sign-in by device code."""
        at = self.now if at is None else at
        self.service.answer = self.token_response(person, client, tenant, scopes, at=at, **shape)
        application = self.application(client, f"https://{host}/{tenant}")
        with self.clock(at):
            asked = [scope for scope in scopes if scope not in ("openid", "profile", "offline_access")]
            flow = application.initiate_device_flow(scopes=asked)
            result = application.acquire_token_by_device_flow(flow)
        assert "access_token" in result, result

    def renew(self, person: Person, client: str, scopes: list[str], *, data: dict, token_type: str) -> None:
        """A silent renewal, for tokens that are bound to a key."""
        self.service.answer = self.token_response(person, client, person.home_tenant, scopes, token_type=token_type)
        application = self.application(client, self.authority("login.microsoftonline.com", person))
        account = {"home_account_id": person.home_account_id, "environment": "login.microsoftonline.com"}
        with self.clock(self.now):
            assert application.acquire_token_silent(scopes, account, data=data)

    def for_client(self, tenant: str, scopes: list[str], **options: object) -> None:
        token = self.inventor.access_token(None, identities.SERVICE, tenant, scopes, self.now)
        self.service.answer = {"access_token": token, "token_type": "Bearer", "expires_in": 3599}
        application = self.application(identities.SERVICE, f"https://login.microsoftonline.com/{tenant}")
        with self.clock(self.now):
            assert application.acquire_token_for_client(scopes, **options)["access_token"] == token

    def token_response(self, person: Person, client: str, tenant: str, scopes: list[str], *, at: int | None = None,
                       expires_in: object = 3599, refresh_in: int | None = None, family: str | None = None,
                       token_type: str = "Bearer", client_info: bool = True, access_token: str | None = None,
                       refresh_token: str | None = None, id_token_claims: dict | None = None) -> dict:
        at = self.now if at is None else at
        issuer = person.home_tenant if tenant in ("common", "organizations", "consumers") else tenant.split("/")[0]
        claims = {"foci": family} if family else {}
        response = {
            "token_type": token_type, "scope": " ".join(scopes), "expires_in": expires_in,
            "ext_expires_in": expires_in,
            "access_token": access_token or self.inventor.access_token(person, client, issuer, scopes, at),
            "refresh_token": refresh_token or self.inventor.refresh_token(),
            "id_token": self.inventor.id_token(person, client, issuer, at, **(id_token_claims or {})),
            **claims,
        }
        if client_info:
            response["client_info"] = person.client_info
        if refresh_in is not None:
            response["refresh_in"] = refresh_in
        return response

    def application(self, client: str, authority: str) -> msal.ClientApplication:
        key = (client, authority)
        if key not in self._applications:
            options = {"authority": authority, "token_cache": self.cache, "http_client": self.service,
                       "validate_authority": False}
            if client == identities.SERVICE:
                made = msal.ConfidentialClientApplication(client, client_credential="an invented secret", **options)
            else:
                made = msal.PublicClientApplication(client, **options)
            self._applications[key] = made
        return self._applications[key]

    @staticmethod
    def authority(host: str, person: Person) -> str:
        return f"https://{host}/{person.home_tenant}"

    @staticmethod
    @contextlib.contextmanager
    def clock(at: int) -> Iterator[None]:
        with unittest.mock.patch("time.time", lambda: float(at)), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
