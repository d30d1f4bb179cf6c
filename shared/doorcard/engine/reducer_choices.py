"""How choices that are no bets change a hand: rolling, buying, paying, declaring."""

from __future__ import annotations

from doorcard.cards import Card
from doorcard.engine.hand import rest_of
from doorcard.engine.handlers import on
from doorcard.engine.reducer_betting import fold_player, hand_of, pay
from doorcard.engine.reducer_steps import ask_choice, buyers, next_step
from doorcard.engine.table import Hand, Player, Table
from doorcard.events import (
    CardBought,
    CardDeclined,
    DeclarationMade,
    DeclarationsOpened,
    Declared,
    ExtraCardPaid,
    MatchDeclined,
    PotMatched,
    RollChosen,
    Rolled,
)


@on(RollChosen)
def _roll_chosen(table: Table, event: RollChosen) -> None:
    _keep_secret(hand_of(table), event.seat, event.sealed, "open_roll")


@on(DeclarationMade)
def _declaration_made(table: Table, event: DeclarationMade) -> None:
    _keep_secret(hand_of(table), event.seat, event.sealed, "open_declare")


def _keep_secret(hand: Hand, seat: int, sealed: bytes, then: str) -> None:
    index = hand.index_of(seat)
    hand.chosen += ((index, sealed),)
    hand.choosing = tuple([other for other in hand.choosing if other != index])
    if not hand.choosing:
        hand.phase = then


@on(Rolled)
def _rolled(table: Table, event: Rolled) -> None:
    hand = hand_of(table)
    turned: list[int] = []
    for seat, place, card, _ in event.cards:
        index = hand.index_of(seat)
        player = hand.own(index)
        player.down = tuple([other for other in player.down if other != place])
        player.up += (card,)
        player.up_places += (place,)
        turned.append(index)
        note_upcard(hand, card)
    hand.new_boards = True
    hand.chosen = ()
    _after_choice(table, hand, tuple([i for i in hand.choosing if i not in turned]))


@on(CardBought)
def _card_bought(table: Table, event: CardBought) -> None:
    hand = hand_of(table)
    index = hand.index_of(event.seat)
    player = hand.own(index)
    _pay_dead(hand, index, event.price)
    _swap_card(hand, player, event)
    hand.discards += (event.discard,)
    if event.reshuffled:
        hand.stub = event.reshuffled[1:]
        hand.burns = ()
    else:
        hand.stub = rest_of(hand.stub, 1)
    _after_choice(table, hand, buyers(hand, hand.choosing[1:]))


def _swap_card(hand: Hand, player: Player, event: CardBought) -> None:
    """R17.1: the new card takes the place of the old one, up or down as that lay."""
    if not event.shown:
        player.down = tuple([event.place if i == event.discard else i for i in player.down])
        return
    at = player.up_places.index(event.discard)
    card = event.shown[0][1]
    player.up = (*player.up[:at], card, *player.up[at + 1 :])
    player.up_places = (*player.up_places[:at], event.place, *player.up_places[at + 1 :])
    hand.new_boards = True
    note_upcard(hand, card)


@on(CardDeclined)
def _card_declined(table: Table, event: CardDeclined) -> None:
    hand = hand_of(table)
    if hand.phase == "extra":
        _deal_on(table, hand)
    else:
        _after_choice(table, hand, buyers(hand, hand.choosing[1:]))


@on(ExtraCardPaid)
def _extra_card_paid(table: Table, event: ExtraCardPaid) -> None:
    hand = hand_of(table)
    index = hand.index_of(event.seat)
    _pay_dead(hand, index, event.price)
    letter = "d" if hand.rules.house.four_extra == "down" else "u"
    hand.due = ((index, letter), *hand.due)
    _deal_on(table, hand)


@on(PotMatched)
def _pot_matched(table: Table, event: PotMatched) -> None:
    hand = hand_of(table)
    _pay_dead(hand, hand.index_of(event.seat), event.amount)
    _deal_on(table, hand)


@on(MatchDeclined)
def _match_declined(table: Table, event: MatchDeclined) -> None:
    hand = hand_of(table)
    index = hand.index_of(event.seat)
    fold_player(hand, hand.own(index))
    hand.due = tuple([(other, letter) for other, letter in hand.due if other != index])
    _deal_on(table, hand)


@on(Declared)
def _declared(table: Table, event: Declared) -> None:
    hand = hand_of(table)
    hand.own(hand.index_of(event.seat)).declared = event.direction
    _after_choice(table, hand, hand.choosing[1:])


@on(DeclarationsOpened)
def _declarations_opened(table: Table, event: DeclarationsOpened) -> None:
    hand = hand_of(table)
    for seat, direction in event.declarations:
        hand.own(hand.index_of(seat)).declared = direction
    hand.chosen = ()
    next_step(table, hand)


def note_upcard(hand: Hand, card: Card) -> None:
    """G10.2 to G10.4: an upcard may begin or end a rank's being wild."""
    follow = hand.rules.game.follow_rank
    if follow is None:
        return
    if card.rank == follow:
        hand.wild_next = True
        if hand.rules.house.queen_cancels_previous:
            hand.wild_rank = 0
    elif hand.wild_next:
        hand.wild_rank = card.rank
        hand.wild_next = False


def _pay_dead(hand: Hand, index: int, amount: int) -> None:
    """R12.7: the money belongs to the pot of the largest live contribution at this moment."""
    pay(hand, hand.own(index), amount)
    most = max([player.total for player in hand.players if not player.folded])
    hand.dead += ((index, amount, most),)


def _after_choice(table: Table, hand: Hand, choosing: tuple[int, ...]) -> None:
    """Ask the next player, or go on with the street."""
    hand.choosing = ()
    if not choosing or not ask_choice(table, hand, hand.phase, choosing):
        next_step(table, hand)


def _deal_on(table: Table, hand: Hand) -> None:
    """After a choice in the middle of a deal: the cards that are due, or the street's steps."""
    hand.choosing = ()
    if hand.live < 2:
        hand.due = ()
    if hand.due:
        hand.phase = "deal"
    else:
        next_step(table, hand)
