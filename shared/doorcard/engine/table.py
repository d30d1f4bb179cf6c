"""The folded state: a table, the hand in progress, and the players in it.

Every reader treats these records as frozen. Only the reducer assigns to them, and only to a
private draft: ``Table.draft`` copies the table and its hand, ``Hand.own`` copies a player at
the first touch. (Copying whole frozen records for every event costs three times as much.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from doorcard.cards import CARDS, Card
from doorcard.engine.options import Legal
from doorcard.engine.ruleset import Ruleset
from doorcard.events import HandStarted, OpenCard, PotAwarded
from doorcard.tables import Role, Seat, TableConfig

T = TypeVar("T")
NO_CHAIN: Final = bytes(32)
"""The chain hash before a log's first commit."""
NOBODY: Final = -1
"""In place of a player's index where nobody is meant."""


def _copier(cls: type[T], slots: tuple[str, ...]) -> Callable[[T], T]:
    """Compile a function that copies every slot.

    It is as fast as lines written by hand, and cannot forget a field.
    """
    lines = "".join(f"    new.{name} = old.{name}\n" for name in slots)
    scope: dict[str, object] = {"cls": cls, "make": object.__new__}
    exec(f"def copy(old):\n    new = make(cls)\n{lines}    return new\n", scope)  # noqa: S102
    return scope["copy"]  # type: ignore[return-value]  # the function compiled above


class Player:
    """Somebody dealt into the hand."""

    __slots__ = (
        "acted", "bet", "declared", "down", "folded", "full_then", "level_then", "seat", "shown",
        "stack", "total", "up", "up_places",
    )  # fmt: skip

    seat: int
    stack: int
    """Chips behind. All-in: live with a stack of 0."""
    bet: int
    """Contribution to this betting round; antes are no part of it (R4.3)."""
    total: int
    """Contribution to the hand, antes included."""
    folded: bool
    acted: bool
    """Has acted in this round (R6.4)."""
    level_then: int
    """The level to match right after this player's last action of the round (R9.5)."""
    full_then: int
    """The level of the last full wager at that moment (R9.5)."""
    up: tuple[Card, ...]
    """Upcards in the order received (R2.8)."""
    up_places: tuple[int, ...]
    """Their deck indices."""
    declared: str
    """``high``, ``low`` or ``both``; empty before it is known (R16)."""
    down: tuple[int, ...]
    """Deck indices of the downcards in the order received."""
    shown: tuple[OpenCard, ...]
    """Downcards that everybody has seen."""

    def __init__(self, seat: int, stack: int) -> None:
        self.seat = seat
        self.stack = stack
        self.bet = self.total = self.level_then = self.full_then = 0
        self.folded = self.acted = False
        self.up = ()
        self.up_places = ()
        self.declared = ""
        self.down = ()
        self.shown = ()


class Hand:
    """The hand in progress, or the last one until the next begins."""

    __slots__ = (
        "able",
        "awards",
        "big_made",
        "bring_in_due",
        "burns",
        "capped",
        "causes",
        "chips",
        "choosing",
        "chosen",
        "community",
        "dead",
        "discards",
        "due",
        "full",
        "last_wager",
        "leader",
        "level",
        "live",
        "mucked",
        "new_boards",
        "opener",
        "options",
        "owned",
        "pair_holders",
        "phase",
        "players",
        "pot",
        "price",
        "raise_size",
        "raises",
        "rules",
        "seat_index",
        "shared",
        "sizes",
        "start",
        "step",
        "street",
        "stub",
        "to_act",
        "voided",
        "wild_next",
        "wild_rank",
    )  # fmt: skip

    start: HandStarted
    """The event that began it: number, seed, leaves, dealer position."""
    rules: Ruleset
    players: list[Player]
    """In deal order; a player's *index* is its place here."""
    seat_index: dict[int, int]
    """Index of each seat dealt in; the same for the whole hand."""
    owned: int
    """Bit set of the players that belong to this draft alone."""
    chips: int
    """All chips that the players brought into the hand; the invariant is checked against it."""
    phase: str
    """What the hand waits for: ``deal``, ``bet``, a choice (``roll``, ``buy``, ``extra``,
    ``match``, ``declare``), its opening (``open_roll``, ``open_declare``), ``show``, or nothing
    any more (``over``)."""
    street: int
    """Streets dealt so far; 1 is the initial deal."""
    step: int
    """Place among the steps that follow the deal of this street."""
    shared: bool
    """The street is a community card (R3.3)."""
    new_boards: bool
    """Boards have changed since they were last compared (R11.3)."""
    choosing: tuple[int, ...]
    """Indices of players who owe a choice, in order; all are asked at once where it is secret."""
    chosen: tuple[tuple[int, bytes], ...]
    """(index, sealed choice) of secret choices that are made."""
    price: int
    """What the choice that is due costs, in chips."""
    due: tuple[tuple[int, str], ...]
    """(index, ``d`` or ``u``): cards of this street that wait for a choice."""
    discards: tuple[int, ...]
    """Deck indices of cards thrown away for bought ones."""
    wild_rank: int
    """The rank that is wild because it followed (G10.2); 0 for none."""
    wild_next: bool
    """The next upcard's rank becomes wild (G10.2)."""
    stub: tuple[int, ...]
    """Deck indices not dealt yet, top first."""
    burns: tuple[int, ...]
    community: tuple[Card, ...]
    """Cards that belong to every live player (R3.3)."""
    pot: int
    """All chips in the middle, this round's contributions included."""
    dead: tuple[tuple[int, int, int], ...]
    """(index, chips, contribution level) of money that is no contribution (R12.7)."""
    live: int
    """Players who have not folded."""
    able: int
    """Live players with chips behind."""
    to_act: int
    """Index of the player who is asked, or ``NOBODY``."""
    bring_in_due: bool
    """The player to act owes the bring-in (R5.5)."""
    level: int
    """What everybody must match: L of R6."""
    full: int
    """Level of the last full bet or raise: F of R6; 0 until a full bet exists."""
    raises: int
    """Full raises in this round (R8)."""
    raise_size: int
    """Pot-limit and no-limit: size of the last full wager (R10.6)."""
    sizes: tuple[int, ...]
    """Fixed limit: bet sizes of this round for everybody, smallest first (R7.2)."""
    pair_holders: tuple[int, ...]
    """With ``pair_option=holder``: who may be the first to use the big bet (R7.4)."""
    big_made: bool
    """A wager of the big size was made in this round (R7.5)."""
    capped: bool
    """Whether the cap holds in this round (R8.3)."""
    last_wager: int
    """Index of who made the last wager of the round, or ``NOBODY`` (R14.2)."""
    leader: int
    """Index of the player whose board is first in opening order (R11.1)."""
    opener: int
    """Index of the player who was first to act in this round, or ``NOBODY`` if skipped."""
    mucked: tuple[int, ...]
    """Seats whose beaten hands were not shown."""
    awards: tuple[PotAwarded, ...]
    voided: bool
    causes: tuple[str, ...]
    """Ids of the commands accepted in this hand."""
    options: Legal | None
    """What ``legal`` answered for the player to act, kept because bots, views and betting all
    ask; None until asked. It follows from everything else and is no part of the state."""

    def __init__(self, start: HandStarted, rules: Ruleset, players: list[Player]) -> None:
        self.start = start
        self.rules = rules
        self.players = players
        self.seat_index = {seat: index for index, seat in enumerate(start.players)}
        self.owned = (1 << len(players)) - 1
        self.chips = sum([player.stack for player in players])
        self.phase = "deal"
        self.street = self.pot = self.level = self.full = self.raises = self.raise_size = 0
        self.stub = _WHOLE_DECK
        self.burns = ()
        self.community = ()
        self.dead = ()
        self.live = self.able = len(players)
        self.to_act = self.last_wager = self.leader = self.opener = NOBODY
        self.bring_in_due = self.big_made = self.capped = self.voided = False
        self.step = self.price = self.wild_rank = 0
        self.shared = self.new_boards = self.wild_next = False
        self.choosing = ()
        self.chosen = ()
        self.due = ()
        self.discards = ()
        self.sizes = ()
        self.pair_holders = ()
        self.mucked = ()
        self.awards = ()
        self.causes = ()
        self.options = None

    def own(self, index: int) -> Player:
        """The player at an index as this draft's own copy. For the reducer alone."""
        if self.owned >> index & 1:
            return self.players[index]
        self.owned |= 1 << index
        player = self.players[index] = _copy_player(self.players[index])
        return player

    def index_of(self, seat: int) -> int:
        """The index of a seat's player, or ``NOBODY`` if the seat was not dealt in."""
        return self.seat_index.get(seat, NOBODY)

    @property
    def wild(self) -> frozenset[Card]:
        """The cards that are wild now (G10, R17.8)."""
        rules = self.rules
        if not self.wild_rank:
            return rules.wild
        return rules.wild.union(CARDS[4 * (self.wild_rank - 2) : 4 * (self.wild_rank - 1)])

    @property
    def asked(self) -> tuple[int, ...]:
        """Indices of the players who are asked now: one, or all whose choices are secret."""
        if self.phase == "bet":
            return () if self.to_act == NOBODY else (self.to_act,)
        if self.phase not in CHOICE_PHASES:
            return ()
        return self.choosing if self.secret else self.choosing[:1]

    @property
    def secret(self) -> bool:
        """Whether the choice that is due is made in secret by all at once (R16.3, R17.6)."""
        house = self.rules.house
        return (self.phase == "roll" and house.roll_order == "simultaneous") or (
            self.phase == "declare" and house.declare == "simultaneous"
        )


class Table:
    """Everything that a log says about its table."""

    __slots__ = (
        "called",
        "chain",
        "chips_in",
        "chips_out",
        "closed",
        "config",
        "deadline_ms",
        "dealer",
        "decision",
        "hand",
        "hand_seq",
        "hands",
        "id",
        "orbits",
        "pause_reason",
        "paused",
        "rake",
        "seats",
        "seq",
        "time_ms",
        "voided",
    )  # fmt: skip

    id: str
    """Empty until the table is opened."""
    config: TableConfig | None
    seats: dict[int, Seat]
    """Taken seats only. Replaced, never changed in place."""
    hand: Hand | None
    hand_seq: int
    """Number of the commit in which the last hand started; 0 before the first. A rebuild
    begins there."""
    hands: int
    """Hands started so far."""
    dealer: int | None
    """Seat of the dealer position of the last hand (R2.10)."""
    orbits: int
    """How often the dealer position has gone round."""
    called: tuple[tuple[int, int], ...]
    """(seat, game) that the next dealer called; the game by its place in the mix."""
    voided: bool
    """The last hand was void (R19.2)."""
    decision: int
    """Grows each time a seat is asked."""
    paused: bool
    pause_reason: str
    closed: bool
    chips_in: int
    chips_out: int
    rake: int
    seq: int
    """Number of the last commit folded."""
    chain: bytes
    """Chain hash of that commit."""
    time_ms: int
    """Time of that commit, in milliseconds since 1970, UTC."""
    deadline_ms: int
    """When the decision asked for is due; 0 when no seat is asked."""

    def __init__(self) -> None:
        self.id = self.pause_reason = ""
        self.config = self.hand = self.dealer = None
        self.seats = {}
        self.hands = self.decision = self.chips_in = self.chips_out = self.rake = 0
        self.orbits = 0
        self.called = ()
        self.hand_seq = self.seq = self.time_ms = self.deadline_ms = 0
        self.paused = self.closed = self.voided = False
        self.chain = NO_CHAIN

    def draft(self) -> Table:
        """A copy that the reducer may change. For the reducer alone."""
        new = _copy_table(self)
        hand = self.hand
        if hand is not None:
            copy = new.hand = _copy_hand(hand)
            copy.players = hand.players[:]
            copy.owned = 0
            copy.options = None
        return new

    def stack(self, seat: int) -> int:
        """Chips that a taken seat has now: behind in the hand, or at rest between hands."""
        hand = self.hand
        if hand is not None and hand.phase != "over":
            index = hand.index_of(seat)
            if index != NOBODY:
                return hand.players[index].stack
        return self.seats[seat].stack

    @property
    def in_hand(self) -> bool:
        """Whether a hand is in progress."""
        return self.hand is not None and self.hand.phase != "over"

    @property
    def awaited(self) -> Role | None:
        """The role whose turn it is, or that decides what the seats are asked."""
        hand = self.hand
        if hand is not None and hand.phase != "over":
            return _PHASE_ROLES[hand.phase]
        for seat in self.seats.values():
            if seat.leaving:
                return "floor"
        return "dealer" if self.ready_to_deal else None

    @property
    def asked(self) -> tuple[int, ...]:
        """The seats that are asked for something now."""
        hand = self.hand
        return () if hand is None else tuple([hand.players[i].seat for i in hand.asked])

    @property
    def ready_to_deal(self) -> bool:
        """Whether the next hand may start (R2.1, R2.11)."""
        if self.closed or self.paused or self.config is None:
            return False
        return len(self.next_players) >= 2

    @property
    def next_players(self) -> list[int]:
        """Seats that would be dealt into a hand starting now, clockwise from seat 0 (R2.11)."""
        if self.config is None:
            return []
        absent_too = ("missed_ante_policy", "dealt_in") in self.config.spec.house
        return sorted(
            [
                seat.seat
                for seat in self.seats.values()
                if seat.stack > 0 and (absent_too or not seat.sitting_out) and not seat.leaving
            ]
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and facts(self) == facts(other)

    __hash__ = None  # type: ignore[assignment]  # compared by value, and drafts change


def facts(record: object) -> object:
    """A table, hand or player as plain nested tuples, for comparing and printing.

    ``owned`` and ``options`` are not part of the state and are left out.
    """
    if isinstance(record, (Table, Hand, Player)):
        names = (name for name in record.__slots__ if name not in _NOT_STATE)
        return tuple((name, facts(getattr(record, name))) for name in names)
    if isinstance(record, Ruleset):
        return record.spec
    if isinstance(record, dict):
        return tuple(sorted(record.items()))
    if isinstance(record, list):
        return tuple(facts(item) for item in record)
    return record


_WHOLE_DECK: Final = tuple(range(52))
_NOT_STATE: Final = ("owned", "options", "seat_index")
CHOICE_PHASES: Final = frozenset({"roll", "buy", "extra", "match", "declare"})
_PHASE_ROLES: Final[dict[str, Role]] = {
    "deal": "dealer",
    "bet": "betting",
    "roll": "dealer",
    "open_roll": "dealer",
    "buy": "dealer",
    "extra": "dealer",
    "match": "dealer",
    "declare": "betting",
    "open_declare": "showdown",
    "show": "showdown",
}
_copy_player = _copier(Player, Player.__slots__)
_copy_hand = _copier(Hand, Hand.__slots__)
_copy_table = _copier(Table, Table.__slots__)
