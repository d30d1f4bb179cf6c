"""What the floor is asked from the command line: its answer, or why it was refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from doorcard.client import Client
from doorcard.commands import CloseTable, Command, PauseTable, ResumeTable, VoidHand
from doorcard.errors import BadInput, StoreError
from doorcard.streams.folding import rebuild
from doorcard.streams.messages import Reply
from services.reasons import require_reason
from services.settings import Settings

REFUSED_BETTER: Final = {
    "floor/hand_running": "A hand is in progress: stop-dealing lets no other begin; close it then.",
}
"""What this command line says instead of the floor's own sentence, by code."""

Answer = tuple[str, bool]
"""A sentence, and whether what was asked is done."""


def void(settings: Settings, table: str, reason: str) -> Answer:
    """Void the hand that is in progress at a table now, and none that begins meanwhile (R19).

    Raises:
        BadInput: the reason is empty or too long.
        BadLog: the table's log cannot be read.
        StoreError: the store is full, or no floor answers.
    """
    require_reason(reason)

    def hand_now(client: Client) -> VoidHand:
        folded = rebuild(client.log, table)
        if not folded.seq:
            raise BadInput(f"there is no table {table}")
        return VoidHand(reason, folded.hands)

    said = "the hand at {table} is void, and every contribution went back"
    return _ask(settings, table, hand_now, said)


def close(settings: Settings, table: str) -> Answer:
    """Pay out every seat and close a table, between hands; raises as ``void`` does."""
    return _ask(
        settings, table, lambda _: CloseTable(), "{table} is closed, all seats are paid out"
    )


def stop_dealing(settings: Settings, table: str, reason: str) -> Answer:
    """Let no new hand begin at a table; raises as ``void`` does."""
    require_reason(reason)
    return _ask(settings, table, lambda _: PauseTable(reason), "no new hand begins at {table}")


def start_dealing(settings: Settings, table: str) -> Answer:
    """Let hands begin again at a table; raises as ``void`` does."""
    return _ask(settings, table, lambda _: ResumeTable(), "hands begin again at {table}")


def _ask(
    settings: Settings, table: str, command_of: Callable[[Client], Command], said: str
) -> Answer:
    client = Client.connect(settings.redis_url, f"desk-{os.getpid()}", settings.partitions)
    command = command_of(client)
    try:
        reply: Reply = client.request(table, command)
    except StoreError as error:
        raise StoreError(f"{error}; if it was sent, it is done when a floor worker runs") from error
    if reply.ok:
        return said.format(table=table), True
    return REFUSED_BETTER.get(reply.code or "") or reply.sentence or "refused", False
