"""Hands that lost a part of themselves with what the store forgot, and who may void them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from doorcard.commands import VoidHand
from doorcard.engine.table import Table
from doorcard.events import HandVoided
from doorcard.streams.commit import Commit
from doorcard.streams.messages import Request
from services.losses import SENDER, request_id
from tests.simulation.trace import Violation

if TYPE_CHECKING:
    from tests.simulation.world import World

_SENDER_BYTES = SENDER.encode()


class Wounds:
    """Knows of each loss which hand it cut short, and who asked for that hand to be voided."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._hands: defaultdict[str, dict[str, int]] = defaultdict(dict[str, int])
        """By table: the only ids that may ask for a hand to be voided, with the hand's number."""
        self._lost_ms: defaultdict[str, int] = defaultdict(int)
        """By table: the time of the newest commit that was ever lost."""
        self._asked: dict[tuple[str, str], int] = {}
        """Requests by table and id, with how often the store had forgotten something by then."""

    def forgot(self, left: Table, seen: Table) -> None:
        """The store has lost the end of a table's log."""
        self._lost_ms[left.id] = max(self._lost_ms[left.id], seen.time_ms)
        if left.in_hand:
            self._hands[left.id][request_id(left)] = left.hands

    def message(self, raw: bytes) -> None:
        """A message came into the floor's queue; perhaps a worker asks for a hand to be voided."""
        if _SENDER_BYTES not in raw:
            return
        request = self._world.once.parse(raw)
        if not isinstance(request, Request) or request.sender != SENDER:
            return
        command, known = request.command, self._hands[request.table]
        hurt = isinstance(command, VoidHand) and known.get(request.id) == command.hand
        if not hurt and not self._may_be_taken_for_hurt(request.table):
            raise Violation(f"{request.table}: {command} is asked for; hurt are hands {known}")
        self._world.trace.seen["voids asked for"] += 1
        self._asked[request.table, request.id] = self._world.oracle.forgotten
        self._world.oracle.sent(raw)

    def _may_be_taken_for_hurt(self, table: str) -> bool:
        """Whether the times that are in the log do not tell a hand dealt since from an old one.

        The dealer's clock is behind the one whose commit was lost, or clocks jumped.
        """
        left = self._world.oracle.states[table][-1]
        log = self._world.store.logs[table]
        started = log[left.hand_seq - log[0].seq] if left.hand_seq else None
        begun_ms = 0 if started is None else self._world.once.decode(started.raw).time_ms
        return bool(self._world.trace.faults["clock"]) or begun_ms < self._lost_ms[table]

    def noticed(self, left: Table, facts: dict[str, Any]) -> None:
        """A worker says that it has noticed a loss, and what it does about it.

        After the first loss it is plain what it has to do: whoever notices that one had seen a
        commit which is gone, so the hand that was cut short is not finished as if nothing were.
        Where clocks jumped, times do not tell which hand began when.
        """
        voids = self._world.settings.after_loss == "void"
        is_plain = self._world.oracle.forgotten == 1 and not self._world.trace.faults["clock"]
        if not voids or not is_plain or not left.in_hand:
            return
        name = request_id(left)
        if name not in self._hands[left.id]:
            return
        if facts["voids"] != left.hands or (left.id, name) not in self._asked:
            raise Violation(f"hand {left.hands} of {left.id} was cut short, and nobody voids it")

    def committed(self, before: Table, commit: Commit, after: Table, begun_on: Table) -> None:
        """A void hand is the one that was cut short, and gives everybody back what he put in.

        Args:
            begun_on: the table as it was when the hand in force began.
        """
        if not any(isinstance(event, HandVoided) for event in commit.events):
            return
        asked = self._asked.get((after.id, commit.cause))
        if asked is not None:
            self._world.trace.seen["voided after a loss"] += 1
            if asked == self._world.oracle.forgotten and request_id(before) != commit.cause:
                raise Violation(f"{after.id}: hand {before.hands} is voided for another one's loss")
        flows = (begun_on.chips_in, begun_on.chips_out, begun_on.rake)
        if flows != (after.chips_in, after.chips_out, after.rake):
            return
        for number, seat in begun_on.seats.items():
            now = after.seats.get(number)
            if (now.stack + now.waiting if now else 0) != seat.stack + seat.waiting:
                raise Violation(f"{after.id}: seat {number} has {now} after a void hand")
