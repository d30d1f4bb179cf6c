"""What a worker does about commits that it had seen and that the store has lost."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Final

from doorcard.commands import VoidHand
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.streams.codec import decode
from doorcard.streams.delivery import MessageQueues
from doorcard.streams.log import Log
from doorcard.streams.messages import Request, encode_request
from services.settings import AfterLoss

Facts = dict[str, object]
"""What is said about a loss besides the table."""
Policy = Callable[[Table, Table], Facts]
"""Called with a table as it was seen and as it is left, before what was seen is let go."""
SENDER: Final = "after-loss"


def policy_for(name: AfterLoss, log: Log, queues: MessageQueues) -> Policy:
    """The policy of a name."""
    return Voids(log, queues) if name == "void" else resume


def resume(seen: Table, left: Table) -> Facts:
    """Go on from what survived."""
    return {"lost": lost_commits(seen, left), "policy": "resume"}


class Voids:
    """Ask the floor to void the hand in force if it has lost a part of itself."""

    def __init__(self, log: Log, queues: MessageQueues) -> None:
        self._log = log
        self._queues = queues

    def __call__(self, seen: Table, left: Table) -> Facts:
        """Ask, in a request whose id is the same whoever notices.

        A hand that was begun since, from what survived, has lost nothing, and where no hand is in
        progress nothing can be voided (R19.3).

        Raises:
            OSError: the floor's queue takes nothing now, or the store goes back once more; whoever
                looks again notices again.
        """
        facts: Facts = {"lost": lost_commits(seen, left), "policy": "void", "voids": None}
        if not left.in_hand or self._is_begun_since(seen, left):
            return facts
        reason = f"the store lost commits {facts['lost']}"
        raw = encode_request(request_id(left), SENDER, left.id, VoidHand(reason, left.hands))
        sent = self._queues.send("floor", left.id, raw)
        if isinstance(sent, Refused):
            raise OSError(f"the floor cannot be asked: {sent.sentence}")
        return facts | {"voids": left.hands}

    def _is_begun_since(self, seen: Table, left: Table) -> bool:
        """Whether the hand in force began after the loss.

        Of hands that began where the last one seen did, or later, only that very one was seen.
        One that stands before it had ended by then, if it was seen at all; whether it is another
        is told by the time alone.
        """
        if left.hand_seq < seen.hand_seq:
            started = next(iter(self._log.read(left.id, left.hand_seq - 1, 1)), None)
            if started is None or started.seq != left.hand_seq:
                raise OSError(f"table {left.id}: the store has gone back once more")
            return decode(started.raw).time_ms >= seen.time_ms
        return left.hand is None or seen.hand is None or left.hand.start != seen.hand.start


def lost_commits(seen: Table, left: Table) -> str:
    """The numbers of the commits that are lost, as far as their reader knows.

    Where others stand in their places by now, it knows the last of them alone.
    """
    first = f"{left.seq + 1} to" if left.seq < seen.seq else "up to"
    return f"{first} {seen.seq}"


def request_id(table: Table) -> str:
    """The id of the request to void the hand in force: one for each hand of each history.

    The floor looks at it too (``names_another``): a request may come late, when the store has
    gone back once more, and another hand has the number that it says.
    """
    hand = table.hand
    assert hand is not None, "a hand is in force"
    name = f"{table.id} {hand.start.hand} {hand.start.chain.hex()} {hand.start.sealed_seed.hex()}"
    return f"lost-{sha256(name.encode()).hexdigest()[:16]}"


def names_another(table: Table, request: Request) -> bool:
    """Whether it is an ``after_loss`` request, and means another hand than the one in force."""
    if request.sender != SENDER or not isinstance(request.command, VoidHand):
        return False
    return not table.in_hand or request.id != request_id(table)
