"""Decides what is dealt: starts hands, posts antes, deals streets (R2, R3, R4)."""

from __future__ import annotations

from typing import Final, NamedTuple

from doorcard.engine.dealer_choices import OpenChoice, open_rolls
from doorcard.engine.dealer_position import deal_order, next_dealer
from doorcard.engine.decided import Decided
from doorcard.engine.deck import Deck
from doorcard.engine.mix import next_game
from doorcard.engine.reducer import apply_to
from doorcard.engine.ruleset import RULES_VERSION, Ruleset, ruleset
from doorcard.engine.streets import deal_street, exposures
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import AntesPosted, DealerDrawn, Event, HandStarted
from doorcard.tables import GameSpec, Snapshot, TableConfig

SNAPSHOT_FORMAT: Final = 1
"""Form of the snapshot in ``HandStarted``."""


class HandSecrets(NamedTuple):
    """What the deck's keeper publishes about a new hand's deck. Empty where a deck is given."""

    key_id: str = ""
    sealed_seed: bytes = b""
    leaves: tuple[bytes, ...] = ()
    public: bytes = b""
    """The deck key's public half; told in games with secret choices only."""


NO_SECRETS: Final = HandSecrets()


def plain_choice(seat: int, sealed: bytes) -> str:
    """Open a choice that was not sealed at all, as in one process with its own deck."""
    return sealed.decode()


def decide(
    table: Table,
    deck: Deck,
    secrets: HandSecrets = NO_SECRETS,
    open_choice: OpenChoice = plain_choice,
) -> Decided | Refused:
    """Start the next hand or deal what is due; refuse when nothing is.

    Args:
        deck: the deck of the hand in progress, or of the hand to be started.
        secrets: for a hand to be started only.
        open_choice: opens sealed choices, for cards rolled in secret.
    """
    if table.awaited != "dealer" or table.asked:
        return Refused("dealer/nothing_due", "Nothing is to be dealt at this table now.")
    draft = table.draft()
    events: list[Event] = []
    if not table.in_hand:
        events += _start_hand(table, deck, secrets)
        for event in events:
            apply_to(draft, event)
    hand = draft.hand
    assert hand is not None, "started above or in progress"
    if hand.phase == "open_roll":
        due: list[Event] = [open_rolls(hand, deck, open_choice)]
    else:
        due = [*exposures(hand, deck), deal_street(hand, deck)]
    for event in due:
        events.append(event)
        apply_to(draft, event)
    for event in exposures(hand, deck):
        events.append(event)
        apply_to(draft, event)
    return Decided(tuple(events), draft)


def _start_hand(table: Table, deck: Deck, secrets: HandSecrets) -> list[Event]:
    config = table.config
    assert config is not None, "only an open table awaits the dealer"
    dealt_in = table.next_players
    dealer: int | None = None
    drawn: list[Event] = []
    if rules_of(table, config.spec).house.dealer_mode == "rotating":
        dealer = next_dealer(table.dealer, dealt_in, voided=table.voided)
        if dealer is None:
            cards = tuple(zip(dealt_in, deck.button_cards, strict=False))
            dealer = max(cards, key=lambda drawn: drawn[1])[0]
            drawn.append(DealerDrawn(cards))
    players = deal_order(dealer, dealt_in)
    spec = next_game(table, config, dealer)
    rules = rules_of(table, spec)
    started = _hand_started(table, config, rules, dealer, players, secrets)
    return [started, *drawn, _antes(table, rules, players)]


def rules_of(table: Table, spec: GameSpec) -> Ruleset:
    """A game's rules, quickly where the last hand was of the same game."""
    before = table.hand
    if before is not None and before.rules.spec == spec:
        return before.rules
    return ruleset(spec)


def _hand_started(
    table: Table,
    config: TableConfig,
    rules: Ruleset,
    dealer: int | None,
    players: tuple[int, ...],
    secrets: HandSecrets,
) -> HandStarted:
    snapshot = Snapshot(
        SNAPSHOT_FORMAT,
        config,
        tuple([table.seats[seat] for seat in sorted(table.seats)]),
        table.hands,
        table.decision,
        table.dealer,
        table.voided,
        table.chips_in,
        table.chips_out,
        table.rake,
        table.orbits,
    )
    return HandStarted(
        table.hands + 1,
        table.id,
        RULES_VERSION,
        rules.spec,
        dealer,
        players,
        snapshot,
        table.chain,
        secrets.key_id,
        secrets.sealed_seed,
        secrets.leaves,
        secrets.public if rules.secret_choices else b"",
    )


def _antes(table: Table, rules: Ruleset, players: tuple[int, ...]) -> AntesPosted:
    """R4.1: what each stack can pay of the ante; then what is left pays a dead ante (R18.8)."""
    ante = rules.limits.ante
    antes: list[tuple[int, int]] = []
    dead: list[tuple[int, int]] = []
    for number in players:
        seat = table.seats[number]
        paid = min(seat.stack, ante)
        antes.append((number, paid))
        if seat.owes_ante and not seat.sitting_out:
            dead.append((number, min(seat.stack - paid, ante)))
    return AntesPosted(tuple(antes), tuple(dead))
