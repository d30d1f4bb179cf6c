"""How the start, the deal and the end of a hand change its table."""

from __future__ import annotations

from typing import Final

from doorcard.engine.hand import rest_of
from doorcard.engine.handlers import on
from doorcard.engine.mix import games_of, orbits_with
from doorcard.engine.reducer_betting import clear_round, hand_of, pay
from doorcard.engine.reducer_choices import note_upcard
from doorcard.engine.reducer_seats import shared_config
from doorcard.engine.reducer_steps import ask_choice, next_step
from doorcard.engine.ruleset import ruleset
from doorcard.engine.table import NOBODY, Hand, Player, Table
from doorcard.events import (
    AntesPosted,
    CardsExposed,
    DealerDrawn,
    Dealt,
    HandEnded,
    HandMucked,
    HandShown,
    HandStarted,
    HandVoided,
    PotAwarded,
)
from doorcard.tables import GameSpec, Snapshot, TableConfig

_new: Final = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
"""Skips the keyword handling of a record's own constructor."""


@on(HandStarted)
def _hand_started(table: Table, event: HandStarted) -> None:
    """The snapshot replaces everything, so that a fold may begin here."""
    snapshot = event.snapshot
    table.id = event.table
    config = table.config
    if config is None or config != snapshot.config:
        config = table.config = shared_config(snapshot.config)
    table.seats = {seat.seat: seat for seat in snapshot.seats}
    table.hands = event.hand
    table.hand_seq = table.seq + 1
    table.decision = snapshot.decision
    table.chips_in = snapshot.chips_in
    table.chips_out = snapshot.chips_out
    table.rake = snapshot.rake
    table.orbits = orbits_with(
        snapshot.orbits, snapshot.dealer, event.dealer, voided=snapshot.voided
    )
    table.called = ()
    table.dealer = event.dealer
    table.voided = False
    before = table.hand
    same = before is not None and before.rules.spec == event.spec
    rules = before.rules if before is not None and same else ruleset(event.spec)
    seats = table.seats
    players = [Player(seat, seats[seat].stack) for seat in event.players]
    table.hand = Hand(_kept(event, config, rules.spec), rules, players)
    if rules.house.missed_ante_policy == "post_one":
        table.seats = {
            number: seat._replace(owes_ante=True) if seat.sitting_out else seat
            for number, seat in table.seats.items()
        }


def table_before(event: HandStarted) -> Table:
    """The table that a hand was begun at, from the hand's own words.

    A game that was called for this hand is taken from it: the call itself is in no snapshot.
    """
    table, snapshot = Table(), event.snapshot
    config = table.config = snapshot.config
    table.id = event.table
    table.seats = {seat.seat: seat for seat in snapshot.seats}
    table.hands = snapshot.hands
    table.decision = snapshot.decision
    table.dealer, table.voided = snapshot.dealer, snapshot.voided
    table.chips_in, table.chips_out = snapshot.chips_in, snapshot.chips_out
    table.rake, table.orbits = snapshot.rake, snapshot.orbits
    games = games_of(config)
    if config.change == "call" and event.dealer is not None and event.spec in games:
        table.called = ((event.dealer, games.index(event.spec)),)
    return table


def _kept(event: HandStarted, config: TableConfig, spec: GameSpec) -> HandStarted:
    """What a table keeps of a hand's beginning: no leaves, and what all such tables share."""
    hand, table, rules, _, dealer, players, snapshot, chain, key_id, seed, _, public = event
    if snapshot.config is not config:
        snapshot = _new(Snapshot, (snapshot.format, config, *snapshot[2:]))
    fields = (hand, table, rules, spec, dealer, players, snapshot, chain, key_id, seed, (), public)
    return _new(HandStarted, fields)


@on(DealerDrawn)
def _dealer_drawn(table: Table, event: DealerDrawn) -> None:
    """For the record: ``HandStarted.dealer`` already names the winner of the draw."""


@on(AntesPosted)
def _antes_posted(table: Table, event: AntesPosted) -> None:
    hand = hand_of(table)
    for seat, amount in event.antes:
        player = hand.own(hand.seat_index[seat])
        pay(hand, player, amount)
        player.total += amount
    for seat, amount in event.dead:
        index = hand.index_of(seat)
        pay(hand, hand.own(index), amount)
        hand.dead += ((index, amount, 0),)
        table.seats = {**table.seats, seat: table.seats[seat]._replace(owes_ante=False)}


@on(Dealt)
def _dealt(table: Table, event: Dealt) -> None:
    street, burn, down, up, community, reshuffled, _, _, due, asked = event
    hand = hand_of(table)
    if hand.street != street:
        hand.street = street
        hand.step = -1
        hand.shared = bool(community)
    clear_round(hand)
    index_of = hand.seat_index
    players = hand.players
    for seat, place in down:
        players[index_of[seat]].down += (place,)
    for seat, place, card, _ in up:
        player = players[index_of[seat]]
        player.up += (card,)
        player.up_places += (place,)
    if up or community:
        hand.new_boards = True
        _note_upcards(hand, event)
    if reshuffled:
        _take_from_pool(hand, event)
    else:
        taken = len(down) + len(up) + len(community)
        if burn is not None:
            hand.burns += (burn,)
            taken += 1
        hand.stub = rest_of(hand.stub, taken)
    hand.due = tuple([(index_of[seat], letter) for seat, letter in due]) if due else ()
    for seat, phase in asked:
        house = hand.rules.house
        hand.price = house.four_extra_price if phase == "extra" else hand.pot
        ask_choice(table, hand, phase, (index_of[seat],))
    if not asked:
        next_step(table, hand)


def _note_upcards(hand: Hand, event: Dealt) -> None:
    if event.community:
        hand.community += tuple([card for _, card, _ in event.community])
    if hand.rules.game.follow_rank is None:
        return
    for _, _, card, _ in event.up:
        note_upcard(hand, card)
    for _, card, _ in event.community:
        note_upcard(hand, card)


def _take_from_pool(hand: Hand, event: Dealt) -> None:
    """R3.2: the burns went back into the pool; what was not dealt from it is the new stub."""
    burned_again = () if event.burn_again is None else (event.burn_again,)
    used = {place for _, place in event.down}
    used.update(place for _, place, _, _ in event.up)
    used.update(place for place, _, _ in event.community)
    used.update(burned_again)
    hand.stub = tuple(place for place in event.reshuffled if place not in used)
    hand.burns = burned_again


@on(CardsExposed)
def _cards_exposed(table: Table, event: CardsExposed) -> None:
    hand = hand_of(table)
    hand.own(hand.index_of(event.seat)).shown = event.cards


# --- the end ---------------------------------------------------------------------------------


@on(HandShown)
def _hand_shown(table: Table, event: HandShown) -> None:
    hand = hand_of(table)
    hand.own(hand.index_of(event.seat)).shown = event.cards


@on(HandMucked)
def _hand_mucked(table: Table, event: HandMucked) -> None:
    hand = hand_of(table)
    hand.mucked += (event.seat,)


@on(PotAwarded)
def _pot_awarded(table: Table, event: PotAwarded) -> None:
    hand = hand_of(table)
    for seat, _, amount in event.shares:
        hand.own(hand.index_of(seat)).stack += amount
    hand.pot -= event.amount
    table.rake += event.rake
    hand.awards += (event,)


@on(HandEnded)
def _hand_ended(table: Table, event: HandEnded) -> None:
    _back_to_seats(table, hand_of(table))


@on(HandVoided)
def _hand_voided(table: Table, event: HandVoided) -> None:
    hand = hand_of(table)
    for seat, amount in event.refunds:
        player = hand.own(hand.index_of(seat))
        player.stack += amount
        player.total = player.bet = 0
        hand.pot -= amount
    hand.dead = ()
    hand.voided = table.voided = True
    _back_to_seats(table, hand)


def _back_to_seats(table: Table, hand: Hand) -> None:
    hand.phase = "over"
    hand.to_act = NOBODY
    seats = dict(table.seats)
    for player in hand.players:
        seats[player.seat] = seats[player.seat].after_hand(player.stack)
    table.seats = seats
