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
THROWN_AWAY: Final = (
    "the store throws tables away when its memory is full: 'maxmemory-policy' is {policy} in it; "
    "set it to noeviction"
)


@understands
def check_durability(client: Client, settings: Settings) -> None:
    """Refuse to work on a store that keeps nothing, or not for ever, or with ``fsync`` too late.

    A store that does not say whether it keeps anything is taken as it is, but with ``fsync``.

    Raises:
        BadInput: it does not do what the settings need.
    """
    if why := why_unkept(client):
        raise BadInput(why)
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
def why_unkept(client: Client) -> str:
    """What the store says of itself that loses tables; empty where nothing does.

    What ends some day by itself, as replies do, may be thrown away earlier.
    """
    if keeps_nothing(client):
        return UNKEPT
    policies = [_setting(server, "maxmemory-policy") or b"" for server in primaries(client)]
    policy = next((policy for policy in policies if policy.startswith(b"allkeys")), None)
    return "" if policy is None else THROWN_AWAY.format(policy=policy.decode())


@understands
def keeps_nothing(client: Client) -> bool:
    """Whether one of the store's servers writes no append-only file, and says so."""
    return any(_setting(server, "appendonly") == b"no" for server in primaries(client))


def _setting(server: Any, name: str) -> bytes | None:
    try:
        answer: list[bytes] = server.execute_command("CONFIG", "GET", name)
    except ResponseError:  # no such command here, or not for this user
        return None
    return answer[1] if len(answer) > 1 else None
