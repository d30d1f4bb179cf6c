"""A store behind TLS. The embedded server has none, so a door that has stands before it."""

from __future__ import annotations

import datetime as dt
import socket
import ssl
import threading
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from doorcard.client import Client
from doorcard.commands import OpenTable
from services.embedded import EmbeddedServer
from tests.services.harness import LIMITS, TABLE
from tests.services.processes import PATIENCE_S, running, services


class Door(NamedTuple):
    """Where a store is reached by TLS, and whose word vouches for it."""

    address: str
    authority: Path

    @property
    def url(self) -> str:
        return f"rediss://{self.address}?ssl_ca_certs={self.authority}"


@pytest.fixture
def door(server: EmbeddedServer, server_client: Any, tmp_path: Path) -> Iterator[Door]:
    assert server_client.ping()
    certificate = _certify(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        arguments = (listener, context, server.url.removeprefix("unix://"))
        threading.Thread(target=_serve, args=arguments, daemon=True).start()
        yield Door(f"127.0.0.1:{listener.getsockname()[1]}", certificate)


def _certify(folder: Path) -> Path:
    """A certificate that vouches for itself, with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "store")])
    now = dt.datetime.now(dt.UTC)
    places = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(places, critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path = folder / "store.pem"
    path.write_bytes(secret + certificate.public_bytes(Encoding.PEM))
    return path


def _serve(listener: socket.socket, context: ssl.SSLContext, store_path: str) -> None:
    while True:
        try:
            plain, _ = listener.accept()
        except OSError:  # the test is over
            return
        threading.Thread(target=_carry, args=(plain, context, store_path), daemon=True).start()


def _carry(plain: socket.socket, context: ssl.SSLContext, store_path: str) -> None:
    try:
        outer = context.wrap_socket(plain, server_side=True)
    except OSError:  # somebody does not trust the certificate
        plain.close()
        return
    inner = socket.socket(socket.AF_UNIX)
    inner.connect(store_path)
    threading.Thread(target=_pass_on, args=(inner, outer), daemon=True).start()
    _pass_on(outer, inner)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
    except OSError:  # the other side has ended
        pass
    finally:
        target.close()


def test_a_worker_and_a_client_speak_tls(door: Door) -> None:
    settings = {"DOORCARD_REDIS_URL": door.url, "DOORCARD_PARTITIONS": "1"}
    with running("floor", **settings) as floor:
        client = Client.connect(door.url, "ann", 1)
        reply = client.request(TABLE, OpenTable("razz", LIMITS), timeout_s=PATIENCE_S)
        assert (reply.ok, reply.seq) == (True, 1)
    assert floor.returncode == 0


def test_a_store_that_nobody_vouches_for_is_refused(door: Door) -> None:
    done = services("health", DOORCARD_REDIS_URL=f"rediss://{door.address}")
    assert done.returncode == 2
    assert "CERTIFICATE_VERIFY_FAILED" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
