"""A TCP proxy between workers and store that cuts connections at the worst moments."""

from __future__ import annotations

import select
import socket
import threading
from random import Random
from typing import Final

CHUNK_BYTES: Final = 1 << 20
WAYS: Final = ("before", "in the middle", "after")
"""A cut before a request reaches the store, when half of it has, or when its reply is due."""


class Cutter:
    """Carries bytes to a store's socket; one request in so many is cut off, somewhere."""

    def __init__(self, store_path: str, chance: Random) -> None:
        self.cuts: dict[str, int] = dict.fromkeys(WAYS, 0)
        self.share = 0.0
        """How many of the requests are cut off."""
        self._store_path = store_path
        self._chance = chance
        self._closing = threading.Event()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.2)
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}"
        self._server = threading.Thread(target=self._serve)
        self._server.start()

    def close(self) -> None:
        """Cut everything off for good."""
        self._closing.set()
        self._server.join()
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def _serve(self) -> None:
        while not self._closing.is_set():
            try:
                client, _ = self._listener.accept()
            except TimeoutError:
                continue
            thread = threading.Thread(target=self._carry, args=(client,))
            self._threads.append(thread)
            thread.start()

    def _carry(self, client: socket.socket) -> None:
        """Carry bytes both ways until either side ends, or until a cut."""
        with client, socket.socket(socket.AF_UNIX) as store:
            try:
                store.connect(self._store_path)
                while not self._closing.is_set():
                    for end in select.select([client, store], [], [], 0.2)[0]:
                        data = end.recv(CHUNK_BYTES)
                        if not data:
                            return
                        if end is store:
                            client.sendall(data)
                        elif not self._passes(data, store):
                            return
            except OSError:
                return  # the store, or the worker, has gone

    def _passes(self, data: bytes, store: socket.socket) -> bool:
        if self._chance.random() >= self.share:
            store.sendall(data)
            return True
        way = self._chance.choice(WAYS)
        self.cuts[way] += 1
        if way == "in the middle":
            store.sendall(data[: len(data) // 2])
        elif way == "after":
            store.sendall(data)
            select.select([store], [], [], 2.0)
        return False
