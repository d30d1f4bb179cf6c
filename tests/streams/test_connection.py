"""How connections are set up: pinned, patient with waiting readers, spread in their repeats."""

from __future__ import annotations

import random
import socket
import time
from typing import Any

import fakeredis
import pytest
from redis.exceptions import ConnectionError as Gone

from doorcard.errors import BadInput, StoreError
from doorcard.streams import connection
from doorcard.streams.connection import connect
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog


@pytest.mark.parametrize("url", ["redis://localhost:7777/3", "unix:///tmp/a%20b.sock"])
def test_a_connection_outlives_a_waiting_reader(url: str) -> None:
    """S-41: the socket is far more patient than the longest wait, and not without end."""
    client: Any = connect(url)
    made = client.connection_pool.make_connection()
    assert made.protocol == 2
    assert 2 * connection.BLOCK_MS_MAX / 1000 < made.socket_timeout < 120
    assert made.retry.get_retries() == connection.RETRIES
    client.close()


def test_a_machine_that_confirms_nothing_is_soon_given_up() -> None:
    """The system itself ends such a connection, long before a server that is slow is given up."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        client: Any = connect(f"redis://127.0.0.1:{server.getsockname()[1]}")
        made: Any = client.connection_pool.make_connection()
        with made._connect() as opened:
            found = {
                name: opened.getsockopt(socket.IPPROTO_TCP, getattr(socket, name))
                for name in ("TCP_USER_TIMEOUT", "TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT")
            }
        client.close()
    assert found["TCP_USER_TIMEOUT"] == connection.UNHEARD_S * 1000
    asked_s = found["TCP_KEEPIDLE"] + found["TCP_KEEPINTVL"] * found["TCP_KEEPCNT"]
    assert asked_s == connection.UNHEARD_S < connection.SOCKET_TIMEOUT_S / 2


def test_repeats_are_spread(monkeypatch: pytest.MonkeyPatch) -> None:
    """S-46: two clients that lose the server together do not come back in step."""
    client: Any = connect("unix:///nowhere/server.sock")
    pauses: list[float] = []
    monkeypatch.setattr("redis.retry.sleep", pauses.append)
    for seed in (1, 2):
        random.seed(seed)
        with pytest.raises(Gone):
            client.ping()
    first, second = pauses[: connection.RETRIES], pauses[connection.RETRIES :]
    assert len(first) == len(second) == connection.RETRIES
    assert all(one != other for one, other in zip(first, second, strict=True))
    assert max(pauses) <= connection.BACKOFF_CAP_S
    assert 0.5 < sum(first) < 8


@pytest.mark.parametrize("url", ["", "nonsense", "http://localhost", "redis://user:secret"])
def test_what_names_no_server_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="no Redis URL") as caught:
        connect(url)
    assert "secret" not in str(caught.value)


def test_another_protocol_is_refused() -> None:
    client: Any = fakeredis.FakeRedis(version=(7, 2), protocol=3)
    for adapter in (RedisLog, Queues):
        with pytest.raises(StoreError, match="protocol=2"):
            adapter(client)
    client.close()


def test_an_idle_reader_meets_no_error(server_url: str, server_client: Any) -> None:
    client = connect(server_url)
    queues = Queues(client)
    started = time.monotonic()
    assert queues.read("betting", ["p00"], 1, block_ms=700) == []
    assert time.monotonic() - started >= 0.65
    queues.send("betting", "p00.a", b"x")
    assert len(queues.read("betting", ["p00"], 1, block_ms=700)) == 1
    assert len(server_client.client_list()) <= 3
