"""Whether a store keeps what it is told, on a disk."""

from __future__ import annotations

from typing import Any, Final

from redis.exceptions import ResponseError

from doorcard.errors import BadInput
from doorcard.streams.connection import Client, primaries
from doorcard.streams.understood import understands
from services.settings import Settings

UNKEPT: Final = (
    "the store keeps nothing on a disk: 'appendonly' is no in it, so all tables are lost when it "
    "ends; set it to yes"
)


@understands
def check_durability(client: Client, settings: Settings) -> None:
    """Refuse to work on a store that keeps nothing, or with ``fsync`` on one that does so later.

    A store that does not say whether it keeps anything is taken as it is, but with ``fsync``.

    Raises:
        BadInput: it does not do what the settings need.
    """
    if keeps_nothing(client):
        raise BadInput(UNKEPT)
    if settings.durability != "fsync":
        return
    for server in primaries(client):
        _, value = server.execute_command("CONFIG", "GET", "appendfsync")
        if value != b"always":
            raise BadInput(
                "durability fsync needs 'appendfsync always' in the store, "
                f"where it is {value.decode()!r}"
            )


@understands
def keeps_nothing(client: Client) -> bool:
    """Whether one of the store's servers writes no append-only file, and says so."""
    return any(_setting(server) == b"no" for server in primaries(client))


def _setting(server: Any) -> bytes | None:
    try:
        answer: list[bytes] = server.execute_command("CONFIG", "GET", "appendonly")
    except ResponseError:  # no such command here, or not for this user
        return None
    return answer[1] if len(answer) > 1 else None
