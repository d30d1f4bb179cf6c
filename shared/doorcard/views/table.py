"""The view of a table: everything that one viewer may see of it, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from doorcard.cards import Card
from doorcard.engine.legal import legal
from doorcard.engine.pots import pots_of
from doorcard.engine.table import NOBODY, Hand, Player, Table
from doorcard.errors import BadInput
from doorcard.events import (
    BetMade,
    BringInPosted,
    Called,
    CardBought,
    CardDeclined,
    Checked,
    Completed,
    DeclarationMade,
    Declared,
    Event,
    ExtraCardPaid,
    Folded,
    MatchDeclined,
    PotAwarded,
    PotMatched,
    Raised,
    RollChosen,
    Rolled,
)
from doorcard.games import GAMES
from doorcard.games.describe import street_name, wild_texts
from doorcard.tables import Seat
from doorcard.views.choices import choice_view, downcards, hand_names, has_chosen
from doorcard.views.model import (
    ActionView,
    AwardView,
    HandView,
    PotView,
    SeatView,
    ShareView,
    TableView,
    Viewer,
)

NOTHING: Final[Mapping[int, Card]] = MappingProxyType({})
"""No face-down card is known."""


def view(
    table: Table,
    viewer: Viewer,
    opened: Mapping[int, Card] = NOTHING,
    happened: Iterable[Event] = (),
) -> TableView:
    """What a viewer sees of a table.

    Args:
        viewer: a seat's number; a seat that nobody holds sees what a spectator sees.
        opened: face-down cards of this hand that are known, by index in the deck. A seat gets to
            see only its own ones, a spectator none, whatever else is in it.
        happened: the events of the last commit, for ``last_action``.

    Raises:
        BadInput: the table was never opened.
    """
    config = table.config
    if config is None:
        raise BadInput("a table that was never opened cannot be seen")
    hand = table.hand
    spec = config.spec if hand is None else hand.start.spec
    game = GAMES[spec.game]
    options = legal(table)
    asked = table.asked
    return TableView(
        table=table.id,
        viewer=viewer,
        seq=table.seq,
        time_ms=table.time_ms,
        game=game.id,
        name=game.name,
        variant=spec.variant,
        limits=spec.limits,
        house=spec.house,
        paused=table.paused,
        pause_reason=table.pause_reason,
        closed=table.closed,
        hand=0 if hand is None else hand.start.hand,
        in_hand=table.in_hand,
        voided=table.voided,
        street=0 if hand is None else hand.street,
        street_name="" if hand is None else street_name(game, hand.street, hand.rules.streets),
        dealer=table.dealer,
        seats=tuple(
            _seat_view(table, seat, viewer, opened) for _, seat in sorted(table.seats.items())
        ),
        community=() if hand is None else hand.community,
        wild=() if hand is None else wild_texts(hand.wild),
        pot=0 if hand is None else hand.pot,
        pots=() if hand is None else _pots(hand),
        turn=asked[0] if len(asked) == 1 else None,
        asked=asked,
        decision=table.decision,
        deadline_ms=table.deadline_ms,
        legal=options if options is not None and options.seat == viewer else None,
        choice=choice_view(table, viewer, opened),
        last_action=_last_action(happened),
        shown=() if hand is None else _shown(hand),
        awards=() if hand is None else tuple(map(_award, hand.awards)),
    )


def _seat_view(table: Table, seat: Seat, viewer: Viewer, opened: Mapping[int, Card]) -> SeatView:
    hand = table.hand
    player = None if hand is None else _player_at(hand, seat)
    running = table.in_hand
    stack = table.stack(seat.seat)
    return SeatView(
        seat=seat.seat,
        player=seat.player,
        stack=stack,
        waiting=seat.waiting,
        sitting_out=seat.sitting_out,
        leaving=seat.leaving,
        dealt_in=player is not None,
        dealer=table.dealer == seat.seat,
        bet=player.bet if player is not None and running else 0,
        total=player.total if player is not None else 0,
        folded=player is not None and player.folded,
        all_in=running and player is not None and not player.folded and not stack,
        mucked=hand is not None and player is not None and seat.seat in hand.mucked,
        up=player.up if player is not None else (),
        down=downcards(player, viewer, opened) if player is not None else (),
        declared=player.declared if player is not None else "",
        chosen=hand is not None and player is not None and has_chosen(hand, seat.seat),
    )


def _player_at(hand: Hand, seat: Seat) -> Player | None:
    """Who of the hand sits here: nobody, once the seat has gone to somebody else."""
    index = hand.index_of(seat.seat)
    if index == NOBODY:
        return None
    dealt_in = next(held for held in hand.start.snapshot.seats if held.seat == seat.seat)
    return hand.players[index] if dealt_in.player == seat.player else None


def _pots(hand: Hand) -> tuple[PotView, ...]:
    """The pots of the rounds that are closed; nothing of the last hand's once it is paid."""
    if not hand.pot:
        return ()
    running = hand.phase == "bet"
    found = pots_of(
        [player.total - (player.bet if running else 0) for player in hand.players],
        [player.folded for player in hand.players],
        [(chips, level) for _, chips, level in hand.dead],
    )
    return tuple(
        PotView(pot.amount, tuple(hand.players[index].seat for index in pot.eligible))
        for pot in found
        if pot.amount
    )


def _last_action(happened: Iterable[Event]) -> ActionView | None:
    found = None
    for event in happened:
        match event:
            case BringInPosted(seat, amount):
                found = ActionView(seat, "bring_in", amount, None)
            case Completed(seat, amount, to):
                found = ActionView(seat, "complete", amount, to)
            case BetMade(seat, amount, to):
                found = ActionView(seat, "bet", amount, to)
            case Raised(seat, amount, to):
                found = ActionView(seat, "raise", amount, to)
            case Called(seat, amount):
                found = ActionView(seat, "call", amount, None)
            case Checked(seat):
                found = ActionView(seat, "check", 0, None)
            case Folded(seat) | MatchDeclined(seat):
                found = ActionView(seat, "fold", 0, None)
            case _:
                found = _last_choice(event) or found
    return found


def _last_choice(event: Event) -> ActionView | None:
    match event:
        case RollChosen(seat):
            return ActionView(seat, "roll", 0, None)
        case Rolled(((seat, _, _, _),)):
            return ActionView(seat, "roll", 0, None)
        case CardBought(seat, price):
            return ActionView(seat, "buy", price, None)
        case ExtraCardPaid(seat, price):
            return ActionView(seat, "take", price, None)
        case PotMatched(seat, amount):
            return ActionView(seat, "match", amount, None)
        case CardDeclined(seat):
            return ActionView(seat, "decline", 0, None)
        case DeclarationMade(seat) | Declared(seat):
            return ActionView(seat, "declare", 0, None)
        case _:
            return None


def _shown(hand: Hand) -> tuple[HandView, ...]:
    names = {seat.seat: seat.player for seat in hand.start.snapshot.seats}
    hands = [_hand_view(hand, player, names[player.seat]) for player in hand.players]
    return tuple([shown for shown in hands if shown is not None])


def _hand_view(hand: Hand, player: Player, name: str) -> HandView | None:
    """The hand, if everybody has seen all of its downcards."""
    known = {index: card for index, card, _ in player.shown}
    down = tuple([known[index] for index in player.down if index in known])
    if not down or len(down) < len(player.down):
        return None
    return HandView(player.seat, name, down + player.up, *hand_names(hand, down, player.up))


def _award(event: PotAwarded) -> AwardView:
    shares = tuple(ShareView(seat, part, chips) for seat, part, chips in event.shares)
    return AwardView(event.pot, event.amount, event.rake, shares)
