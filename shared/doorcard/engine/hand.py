"""The hand in progress."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from doorcard.cards import CARDS, Card
from doorcard.engine.options import Legal
from doorcard.engine.player import Player, copier, copy_player
from doorcard.engine.ruleset import Ruleset
from doorcard.events import HandStarted, PotAwarded
from doorcard.rankings.hands import NO_WILD

NOBODY: Final = -1
"""In place of a player's index where nobody is meant."""
CHOICE_PHASES: Final = frozenset({"roll", "buy", "extra", "match", "declare"})
"""Phases in which players owe choices that are no bets."""
STUBS: Final = tuple([tuple(range(52 - left, 52)) for left in range(53)])
"""What is left of a deck from its top, by the number of cards: shared by all hands."""


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
    """The event that began it: number, seed, dealer position. It is kept without its leaves, which
    are for whoever checks opened cards: they take more room than everything else here."""
    rules: Ruleset
    players: list[Player]
    """In deal order; a player's *index* is its place here."""
    seat_index: dict[int, int]
    """Index of each seat dealt in; the same for the whole hand, and shared by all hands that
    deal to these seats in this order."""
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
    """Deck indices not dealt yet, top first; one of ``STUBS`` until something was shuffled."""
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
    causes: str
    """What the commits of this hand answer, as ids with a space before and after each: one text
    takes a fifth of the room of many. ``accepted`` reads it."""
    options: Legal | None
    """What ``legal`` answered for the player to act, kept because bots, views and betting all
    ask; None until asked. It follows from everything else and is no part of the state."""

    def __init__(self, start: HandStarted, rules: Ruleset, players: list[Player]) -> None:
        self.start = start
        self.rules = rules
        self.players = players
        self.seat_index = _seat_index(start.players)
        self.owned = (1 << len(players)) - 1
        self.chips = sum([player.stack for player in players])
        self.phase = "deal"
        self.street = self.pot = self.level = self.full = self.raises = self.raise_size = 0
        self.stub = STUBS[52]
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
        self.causes = " "
        self.options = None

    def own(self, index: int) -> Player:
        """The player at an index as this draft's own copy. For the reducer alone."""
        if self.owned >> index & 1:
            return self.players[index]
        self.owned |= 1 << index
        player = self.players[index] = copy_player(self.players[index])
        return player

    def index_of(self, seat: int) -> int:
        """The index of a seat's player, or ``NOBODY`` if the seat was not dealt in."""
        return self.seat_index.get(seat, NOBODY)

    def accepted(self, cause: str) -> bool:
        """Whether a commit of this hand answers the command with this id."""
        return f" {cause} " in self.causes

    @property
    def wild(self) -> frozenset[Card]:
        """The cards that are wild now (G10, R17.8)."""
        rules = self.rules
        if not self.wild_rank:
            return rules.wild
        return rules.wild.union(CARDS[4 * (self.wild_rank - 2) : 4 * (self.wild_rank - 1)])

    @property
    def wild_on_board(self) -> frozenset[Card]:
        """The cards that count as wild on boards; none where printed ranks count (R11.6)."""
        rules = self.rules
        return self.wild if rules.any_wild and rules.house.wild_on_board else NO_WILD

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


def rest_of(stub: tuple[int, ...], taken: int) -> tuple[int, ...]:
    """A stub without its top cards."""
    left = len(stub) - taken
    return STUBS[left] if left >= 0 and stub is STUBS[left + taken] else stub[taken:]


@lru_cache(maxsize=4096)
def _seat_index(players: tuple[int, ...]) -> dict[int, int]:
    return {seat: index for index, seat in enumerate(players)}


copy_hand = copier(Hand, Hand.__slots__, players="old.players[:]", owned="0", options="None")
"""For a new draft, to which no player belongs yet."""
