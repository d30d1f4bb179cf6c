"""The players of a table and its floor: what they make of what they see and hear."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Final

from doorcard.bots import BOTS, choice_of
from doorcard.client import seal_choice_for
from doorcard.commands import (
    AddChips,
    CallGame,
    Choose,
    CloseTable,
    Command,
    Leave,
    OpenTable,
    PauseTable,
    ResumeTable,
    SitDown,
    SitIn,
    SitOut,
    VoidHand,
)
from doorcard.engine.choices import Choices, choices
from doorcard.engine.legal import legal
from doorcard.engine.table import Table
from doorcard.streams.messages import Reply, encode_request, role_for
from doorcard.tables import Role
from tests.simulation.actors import NEVER
from tests.simulation.nonsense import send_nonsense

if TYPE_CHECKING:
    from tests.simulation.senders import Sender

REPEAT_AFTER_MS: Final = 1_000
REPEAT_AFTER_MS_MAX: Final = 8_000
"""Each repeat waits twice as long as the one before, up to this: else repeats alone can fill a
queue faster than a service in trouble empties it."""
UNANSWERED_MAX: Final = 12
"""Nobody sends nonsense while so much waits for an answer."""
LOOK_AFTER_MS: Final = 2_000
"""Without news for so long, the log's end is compared: the store may have forgotten something."""
DISTURB: Final = 0.02
TICK_MS: Final = 250
"""Players act when a clock that all can see ticks: so messages meet each other on their way."""


@dataclass
class Sent:
    """A message that waits for its answer."""

    role: Role
    raw: bytes
    purpose: str
    again_ms: int
    """When it is sent again."""
    wait_ms: int = REPEAT_AFTER_MS


class Players:
    """Everybody at one table, and its floor."""

    def __init__(
        self, sender: Sender, table: str, opening: OpenTable, chance: Random, nonsense: float
    ) -> None:
        self.world = sender.world
        self.name = sender.name
        self.chance = chance
        self.table_id = table
        self.due_ms = sender.due_ms
        """When they next have something to say, without any news."""
        self.done = False
        """The table is closed, and everything was answered."""
        self.unanswered: dict[str, Sent] = {}
        self.accepted: dict[str, int] = {}
        """Requests that were granted, each with the commit that it was said to be in."""
        self.answered: list[tuple[Role, bytes]] = []
        """The last messages that were answered, which may come again."""
        self._outbox = sender.outbox
        self._opening = opening
        self._nonsense = nonsense
        self._plans: dict[tuple[int, int], int | None] = {}
        """When a seat answers a decision; None: never, or it has."""
        self._number = 0
        self._asleep: set[int] = set()
        self._styles = {seat: chance.choice(sorted(BOTS)) for seat in range(20)}

    # --- hearing -----------------------------------------------------------------------------

    def hear(self, reply: Reply) -> None:
        """Hear the answer to a request."""
        sent = self.unanswered.pop(reply.id, None)
        if sent is not None:
            self.answered = [*self.answered[-30:], (sent.role, sent.raw)]
        if reply.ok and reply.seq is not None:
            self.accepted[reply.id] = reply.seq
        if not reply.ok:
            self._think_again(sent)
        self.due_ms = self.world.now_ms

    def see(self, before: Table, table: Table) -> None:
        """See the table after something has happened there."""
        if table.seq < before.seq or (before.seq == table.seq and before.chain != table.chain):
            self._plans.clear()
        self.due_ms = self.world.now_ms

    def _think_again(self, sent: Sent | None) -> None:
        """Whoever is refused, and is asked still, thinks again after a while."""
        purpose = sent.purpose if sent else ""
        if purpose.startswith("answer-"):
            seat, decision = map(int, purpose.split("-")[1:])
            self._plans[seat, decision] = tick(self.world.now_ms + self.chance.randint(50, 500))

    # --- speaking ----------------------------------------------------------------------------

    def speak(self, table: Table) -> None:
        """Act, ask, and repeat what nobody answered."""
        self._say(table)
        self._repeat()
        self.done = table.closed and not self.unanswered
        self.due_ms = self._next_ms()

    def _say(self, table: Table) -> None:
        if table.closed:
            return
        if table.config is None:
            self._ask("open", self._opening)
            return
        for seat in table.asked:
            self._answer(table, seat)
        if self.world.ending:
            self._end(table)
        elif not table.in_hand:
            self._between_hands(table)
        if not self.world.ending:
            self._disturb(table)
            few = len(self.unanswered) < UNANSWERED_MAX
            if few and self.chance.random() < self._nonsense:
                send_nonsense(self, table, self.chance)

    def _answer(self, table: Table, seat: int) -> None:
        plan = (seat, table.decision)
        if plan not in self._plans:
            self._plans[plan] = self._think(table, seat)
        at_ms = self._plans[plan]
        if at_ms is None or at_ms > self.world.now_ms:
            return
        self._plans[plan] = None
        command = self._play(table, seat)
        if command is not None:
            self._ask(f"answer-{seat}-{table.decision}", command)

    def _think(self, table: Table, seat: int) -> int | None:
        chance = self.chance
        if seat in self._asleep or chance.random() < 0.02:
            return None
        action_ms = table.config.action_ms if table.config else 0
        delays_ms = (*[0] * 10, chance.randint(0, 1_000), chance.randint(0, action_ms * 5 // 4))
        return tick(self.world.now_ms + chance.choice(delays_ms))

    def _play(self, table: Table, seat: int) -> Command | None:
        player = table.seats[seat].player
        options, due = legal(table), choices(table)
        if options is not None and options.seat == seat:
            return replace(BOTS[self._styles[seat]](options, self.chance), player=player)
        return self._choose(table, due, seat) if due is not None else None

    def _choose(self, table: Table, due: Choices, seat: int) -> Choose:
        hand = table.hand
        assert hand is not None
        player = hand.players[hand.index_of(seat)]
        choice, place, direction = choice_of(due, seat, player.down, player.up_places, self.chance)
        sealed = b""
        if due.secret:
            text = direction if due.kind == "declare" else str(place)
            if self.chance.random() < 0.05:
                text = "nonsense"
            sealed, place, direction = seal_choice_for(table, seat, text), None, ""
        return Choose(
            seat, due.decision, choice, place, direction, sealed, player=table.seats[seat].player
        )

    def _between_hands(self, table: Table) -> None:
        config = table.config
        assert config is not None
        if table.paused:
            self._ask("resume", ResumeTable())
        for number in range(config.seats):
            seat = table.seats.get(number)
            if seat is None:
                if len(table.seats) < 2 or self.chance.random() < 0.3:
                    self._sit(number)
            elif seat.stack == 0 and not seat.leaving and not seat.waiting:
                if len(table.seats) <= 2 or self.chance.random() < 0.5:
                    self._move(f"chips-{number}", AddChips(number, seat.player, self._chips(), ""))
                else:
                    self._move(f"leave-{number}", Leave(number, seat.player, ""))
            elif seat.sitting_out and self.chance.random() < 0.3:
                self._ask(f"back-{number}", SitIn(number, seat.player))

    def _sit(self, number: int) -> None:
        chance = self.chance
        self._asleep.discard(number)
        if chance.random() < 0.05:
            self._asleep.add(number)
        name = f"{self.table_id}-seat-{number}-{chance.randint(0, 2)}"
        key = self.world.seat_key if chance.random() < self.world.sealed_share else b""
        self._move(f"sit-{number}", SitDown(number, name, self._chips(), "", key))

    def _chips(self) -> int:
        return self.chance.choice((3, 7, 20, 60, 200, self.chance.randint(1, 400)))

    def _disturb(self, table: Table) -> None:
        chance = self.chance
        if not table.seats or chance.random() >= DISTURB:
            return
        number = chance.choice(sorted(table.seats))
        player = table.seats[number].player
        match chance.randint(0, 9):
            case 0 | 1:
                self._move(f"leave-{number}", Leave(number, player, ""))
            case 2 | 3:
                self._ask(f"out-{number}", SitOut(number, player))
            case 4 | 5:
                self._move(f"more-{number}", AddChips(number, player, self._chips(), ""))
            case 6:
                self._ask("pause", PauseTable("a while"))
            case 7:
                self._ask(f"call-{number}", CallGame(number, player, chance.randint(0, 1)))
            case 8 if chance.random() < 0.3:
                self._ask("void", VoidHand("by order"))
            case _:
                self._ask(f"in-{number}", SitIn(number, player))

    def _end(self, table: Table) -> None:
        """Once a last hand has had the time to end, the table is closed."""
        if not table.paused:
            self._ask("pause", PauseTable("the end"))
        elif table.awaited is None:
            self._ask("close", CloseTable())

    # --- sending -----------------------------------------------------------------------------

    def _move(self, purpose: str, command: SitDown | AddChips | Leave) -> None:
        """Ask for what moves chips; its request has the message's own id."""
        if not self._waits(purpose):
            request_id = self.new_id()
            self._submit(purpose, request_id, replace(command, request=request_id))

    def _ask(self, purpose: str, command: Command) -> None:
        """Send a command, unless one for the same purpose waits for its answer."""
        if not self._waits(purpose):
            self._submit(purpose, self.new_id(), command)

    def _waits(self, purpose: str) -> bool:
        return any(sent.purpose == purpose for sent in self.unanswered.values())

    def _submit(self, purpose: str, request_id: str, command: Command) -> None:
        raw = encode_request(request_id, self.name, self.table_id, command)
        if self.world.releases is not None:
            raw = self.world.releases.request(raw)
        self.post(role_for(command), raw, request_id, purpose)

    def new_id(self) -> str:
        """An id that nobody has used."""
        self._number += 1
        return f"{self.table_id}#{self._number}"

    def post(self, role: Role, raw: bytes, request_id: str = "", purpose: str = "") -> None:
        """Put a message into the outbox; with an id, its answer is waited for."""
        self.world.oracle.sent(raw)
        self._outbox.append((role, self.table_id, raw))
        if request_id:
            self.unanswered[request_id] = Sent(
                role, raw, purpose, self.world.now_ms + REPEAT_AFTER_MS
            )

    def _repeat(self) -> None:
        now_ms = self.world.now_ms
        for sent in self.unanswered.values():
            if now_ms >= sent.again_ms:
                sent.wait_ms = min(2 * sent.wait_ms, REPEAT_AFTER_MS_MAX)
                sent.again_ms = now_ms + sent.wait_ms
                self.world.trace.seen["repeats"] += 1
                self._outbox.append((sent.role, self.table_id, sent.raw))

    def _next_ms(self) -> int:
        """The next plan, the next repeat, or the next look."""
        if self.done:
            return NEVER
        now_ms = self.world.now_ms
        times = [sent.again_ms for sent in self.unanswered.values()]
        times += [at_ms for at_ms in self._plans.values() if at_ms is not None and at_ms > now_ms]
        return min([*times, now_ms + LOOK_AFTER_MS])


def tick(at_ms: int) -> int:
    """The first tick of the clock at some time, or later."""
    return at_ms + -at_ms % TICK_MS
