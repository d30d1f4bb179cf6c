"""``/metrics``, ``/healthz`` and ``/readyz`` over HTTP, from a thread of a program."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from socketserver import TCPServer, ThreadingMixIn
from threading import Thread
from typing import Any, Final, cast
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer

from prometheus_client import (
    CollectorRegistry,
    make_wsgi_app,  # pyright: ignore[reportUnknownVariableType]
)

from doorcard.errors import BadInput
from services.health import Health

STATUS: Final = {200: "200 OK", 404: "404 Not Found", 503: "503 Service Unavailable"}
STOP_LOOK_S: Final = 0.1
App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


@contextmanager
def serving(address: str, port: int, registry: CollectorRegistry, health: Health) -> Generator[int]:
    """Answer for as long as the context lasts; the port, which port 0 leaves to the system.

    Raises:
        BadInput: nobody can listen there.
    """
    family = _Server6 if ":" in address else _Server
    try:
        server = family((address, port), _Handler)
    except (OSError, OverflowError) as error:
        raise BadInput(f"metrics cannot be served on {address} port {port}: {error}") from None
    server.set_app(cast("Any", _app(registry, health)))
    thread = Thread(target=server.serve_forever, args=(STOP_LOOK_S,), name="metrics", daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _app(registry: CollectorRegistry, health: Health) -> App:
    metrics = cast("App", make_wsgi_app(registry))

    def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if path == "/metrics":
            return metrics(environ, start)
        code, facts = _answer(path, health)
        body = json.dumps(facts).encode() + b"\n"
        length = ("Content-Length", str(len(body)))
        start(STATUS[code], [("Content-Type", "application/json"), length])
        return [body]

    return app


def _answer(path: str, health: Health) -> tuple[int, dict[str, object]]:
    facts: dict[str, object] = {"role": health.role, "turn_age_s": round(health.turn_age_s, 3)}
    if path == "/healthz":
        return 200 if health.alive else 503, {"alive": health.alive, **facts}
    if path == "/readyz":
        reasons = health.reasons()
        return 503 if reasons else 200, {"ready": not reasons, **facts, "why": reasons}
    return 404, {"there are": ["/healthz", "/metrics", "/readyz"]}


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def server_bind(self) -> None:
        """Bind without asking a name server what this machine is called."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = "", self.socket.getsockname()[1]
        self.setup_environ()


class _Server6(_Server):
    address_family = socket.AF_INET6


class _Handler(WSGIRequestHandler):
    timeout = 5  # a client that says nothing holds a thread no longer

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as its base has it
        """Say nothing: the log is for what happens at tables."""
