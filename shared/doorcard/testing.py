"""Helpers for tests and notebooks. Nothing here can be reached through the services."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from doorcard.cards import CARDS, BadCard, Card, parse_cards
from doorcard.engine.dealer import SNAPSHOT_FORMAT
from doorcard.engine.dealer_position import deal_order
from doorcard.engine.deck import Deck
from doorcard.engine.reducer import apply, fold
from doorcard.engine.ruleset import RULES_VERSION, Ruleset
from doorcard.engine.table import NO_CHAIN, Hand, Player, Table
from doorcard.errors import BadInput
from doorcard.events import AntesPosted, Dealt, Event, Folded, HandStarted, StreetClosed
from doorcard.limits import Limits, Scalar
from doorcard.local import NO_HOUSE_RULES, LocalTable, opened_table
from doorcard.tables import OpenCard, Seat, Snapshot, TableConfig


class StackedDeck:
    """A deck in a given order: the cards named come first, the rest in the fixed order."""

    __slots__ = ("button_cards", "cards", "pools", "salts")

    def __init__(
        self,
        first: str | Iterable[str] = "",
        *,
        button_cards: str | Iterable[str] = "",
        pools: Mapping[int, Sequence[str]] | None = None,
    ) -> None:
        """Stack a deck.

        Args:
            first: the top cards in dealing order, burns included.
            button_cards: the top cards of the deck for the dealer draw (R2.9).
            pools: for a street number, the order of the cards after its reshuffle (R3.4).

        Raises:
            BadCard: something is no card, or a card occurs twice.
        """
        self.cards: tuple[Card, ...] = _filled(parse_cards(first))
        self.button_cards: tuple[Card, ...] = _filled(parse_cards(button_cards))
        self.salts: tuple[bytes, ...] = (b"",) * len(self.cards)
        self.pools = {street: parse_cards(cards) for street, cards in (pools or {}).items()}

    def reshuffled(self, pool: tuple[int, ...], count: int) -> tuple[int, ...]:
        """The pool in the order given for this street, or turned round where none was given."""
        order = self.pools.get(count)
        if order is None:
            return tuple(reversed(pool))
        places = tuple(self.cards.index(card) for card in order)
        if sorted(places) != sorted(pool):
            raise BadCard(f"the pool of street {count} is not the cards left and burned")
        return places


def table_at(
    rules: Ruleset,
    stacks: Mapping[int, int],
    *,
    boards: Mapping[int, Sequence[Card]] | None = None,
    paid: Mapping[int, int] | None = None,
    dead: Mapping[int, int] | None = None,
    folded: Collection[int] = (),
    street: int = 1,
    community: Sequence[Card] = (),
    dealer: int | None = None,
) -> Table:
    """A table in the middle of a hand, as if play had led there. Downcards are left out.

    The rules need not be those of a listed game: a ``Ruleset`` changed by
    ``dataclasses.replace`` will do.

    Args:
        stacks: chips behind, by seat, of everybody dealt in; an all-in player has 0.
        boards: upcards by seat, in the order received. Without them nothing is dealt yet.
        paid: chips already in the middle, by seat. Who is all-in must have paid some.
        dead: chips in the middle that are no contribution, by seat (R12.5).
        folded: seats that are out since the first street.
        street: the street whose betting round starts.
        community: cards turned for everybody on that street.
        dealer: seat of the dealer position; the highest seat if left out.

    Raises:
        BadInput: a seat has neither chips behind nor chips in the middle.
    """
    money = _Money(stacks, paid or {}, dead or {})
    seats = sorted(stacks)
    start = _start(rules, money.brought, seats[-1] if dealer is None else dealer)
    made = apply(Table(), start)
    made.hand = Hand(start, rules, [Player(seat, money.brought[seat]) for seat in start.players])
    return fold(made, _so_far(start.players, money, boards, folded, street, community))


class _Money:
    """What each seat brought into the hand, and where it went."""

    __slots__ = ("brought", "dead", "paid")

    def __init__(
        self, stacks: Mapping[int, int], paid: Mapping[int, int], dead: Mapping[int, int]
    ) -> None:
        self.paid = {seat: paid.get(seat, 0) for seat in stacks}
        self.dead = {seat: dead.get(seat, 0) for seat in stacks}
        self.brought = {
            seat: stack + self.paid[seat] + self.dead[seat] for seat, stack in stacks.items()
        }
        for seat, chips in self.brought.items():
            if chips <= 0:
                raise BadInput(f"seat {seat} has no chips, neither behind nor in the middle")


def _start(rules: Ruleset, brought: Mapping[int, int], dealer: int) -> HandStarted:
    config = TableConfig(rules.spec, max(brought) + 1)
    seats = tuple(Seat(seat, f"p{seat}", chips) for seat, chips in sorted(brought.items()))
    snapshot = Snapshot(
        SNAPSHOT_FORMAT, config, seats, 0, 0, None, False, sum(brought.values()), 0, 0
    )  # fmt: skip
    return HandStarted(
        hand=1,
        table="p00.example",
        rules=RULES_VERSION,
        spec=rules.spec,
        dealer=dealer,
        players=deal_order(dealer, sorted(brought)),
        snapshot=snapshot,
        chain=NO_CHAIN,
        key_id="",
        sealed_seed=b"",
        leaves=(),
    )


def _so_far(
    players: Sequence[int],
    money: _Money,
    boards: Mapping[int, Sequence[Card]] | None,
    folded: Collection[int],
    street: int,
    community: Sequence[Card],
) -> Iterator[Event]:
    yield AntesPosted(
        tuple((seat, money.paid[seat]) for seat in players),
        tuple((seat, money.dead[seat]) for seat in players if money.dead[seat]),
    )
    if boards is None:
        return
    first = {seat: boards[seat][: 1 if street > 1 else None] for seat in players}
    yield _dealt(1, first, 0, ())
    for seat in players:
        if seat in folded:
            yield Folded(seat)
    if street > 1:
        yield StreetClosed(1)
        later = {seat: boards[seat][1:] for seat in players if seat not in folded}
        yield _dealt(street, later, len(players), community)


def _dealt(
    street: int, ups: Mapping[int, Sequence[Card]], place: int, community: Sequence[Card]
) -> Dealt:
    """One street's upcards, a pass at a time, from the deck's ``place``-th card on."""
    passes = max(map(len, ups.values()), default=0)
    cards = [
        (seat, own[turn]) for turn in range(passes) for seat, own in ups.items() if turn < len(own)
    ]
    up = tuple((seat, place + i, card, b"") for i, (seat, card) in enumerate(cards))
    shared: tuple[OpenCard, ...] = tuple(
        (place + len(up) + i, card, b"") for i, card in enumerate(community)
    )
    return Dealt(street, None, (), up, shared)


def stacked_table(
    game: str,
    *decks: str | Deck,
    limits: Limits | None = None,
    seats: int | None = None,
    variant: str = "",
    house: Mapping[str, Scalar] = NO_HOUSE_RULES,
) -> LocalTable:
    """A ``LocalTable`` whose hands are dealt from given decks: the first, the second and so on.

    Args:
        decks: text is the top of a ``StackedDeck``. After the last one it is dealt again; without
            any, all cards come in their fixed order.

    Raises:
        BadCard: a deck's text names no card, or a card twice.
        NotAllowed: as ``LocalTable.open``.
    """
    waiting = [StackedDeck(deck) if isinstance(deck, str) else deck for deck in decks or ("",)]
    waiting.reverse()

    def next_deck() -> Deck:
        return waiting.pop() if len(waiting) > 1 else waiting[0]

    return LocalTable(opened_table(game, limits, seats, variant, house), next_deck)


def _filled(first: tuple[Card, ...]) -> tuple[Card, ...]:
    used = set(first)
    return first + tuple(card for card in CARDS if card not in used)
