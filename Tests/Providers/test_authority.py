# SPDX-License-Identifier: Apache-2.0
"""Certificates for one run of tests: a throw-away authority, and what it signs."""

from __future__ import annotations

import datetime
import ipaddress
import pathlib
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAY = datetime.timedelta(days=1)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class TestAuthority:
    """A certificate authority whose key is gone with the process."""

    __test__ = False  # no test class of pytest

    def __init__(self, folder: pathlib.Path, name: str) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.datetime.now(datetime.timezone.utc)
        self._certificate = (
            x509.CertificateBuilder()
            .subject_name(_name(name)).issuer_name(_name(name)).public_key(self._key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(now - DAY).not_valid_after(now + 30 * DAY)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(x509.KeyUsage(False, False, False, False, False, True, True, False, False), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        #: The file with the certificate of the authority.
        self.roots = folder / f"{name}.pem"
        self.roots.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    def certificate(self, name: str, hosts: list[str], *, valid_for: datetime.timedelta = 10 * DAY) -> tuple[str, str]:
        """Makes a key and a certificate for `hosts`; returns the two files that hold them, certificate first."""
        key = ec.generate_private_key(ec.SECP256R1())
        begin = datetime.datetime.now(datetime.timezone.utc) - 5 * DAY
        certificate = (
            x509.CertificateBuilder()
            .subject_name(_name(hosts[0])).issuer_name(self._certificate.subject).public_key(key.public_key())
            .serial_number(x509.random_serial_number()).not_valid_before(begin).not_valid_after(begin + 5 * DAY + valid_for)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName([_host(host) for host in hosts]), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        chain, secret = self._folder / f"{name}.crt", self._folder / f"{name}.key"
        chain.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        secret.write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        return str(chain), str(secret)


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


if __name__ == "__main__":
    # test_authority.py FOLDER NAME HOST...: a certificate for the hosts, and roots.pem with the authority that signed it.
    TestAuthority(pathlib.Path(sys.argv[1]), "roots").certificate(sys.argv[2], sys.argv[3:])
