"""A view as a few aligned lines of text, for terminals, notebooks and golden files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from doorcard.cards import Card, format_cards
from doorcard.engine.options import Legal
from doorcard.games import GAMES
from doorcard.limits import Limits
from doorcard.views.model import ChoiceView, SeatView, TableView


def render(view: TableView) -> str:
    """A view as text, without the last line's end.

    A row a seat: ``D`` the dealer position, ``>`` a seat that is asked, then player, chips
    behind, this round's bet, and cards: hole cards | upcards | later downcards, ``??`` unknown.
    """
    return "\n".join(_lines(view))


def stakes_text(limits: Limits) -> str:
    """The stakes in a few words: ``fixed limit 5/10, ante 1, bring-in 2``."""
    words = [_STRUCTURES[limits.structure]]
    if limits.structure == "fixed_limit":
        words[0] += f" {limits.small_bet}/{limits.big_bet}"
    elif limits.structure == "spread_limit":
        words[0] += f" {limits.spread_min}-{limits.spread_max}"
    else:
        words[0] += f" {limits.min_bet or limits.small_bet}"
    if limits.ante:
        words.append(f"ante {limits.ante}")
    if limits.bring_in:
        words.append(f"bring-in {limits.bring_in}")
    return ", ".join(words)


def counted(number: int, noun: str) -> str:
    """``1 hand``, ``2 hands``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def paused_text(reason: str) -> str:
    """What a pause by the floor means: bets go on until the hand is over."""
    why = f" ({printable(reason)})" if reason else ""
    return f"no new hand until the table is resumed{why}"


def printable(name: str) -> str:
    """A name that cannot break a line or steer a terminal, whatever its owner put into it."""
    return "".join(letter if letter.isprintable() else "?" for letter in name)


def options_words(options: Legal) -> list[str]:
    """What a seat may do, an entry a choice: ``call 5``, ``raise to 15 or 20``."""
    words: list[str] = []
    if options.fold:
        words.append("fold")
    if options.check:
        words.append("check")
    if options.bring_in is not None:
        words.append(f"bring in {options.bring_in}")
    if options.call is not None:
        words.append(f"call {options.call}")
    wager = options.wager
    if wager is not None:
        amounts = " or ".join(map(str, wager.totals))
        if not amounts:
            amounts = str(wager.low) if wager.low == wager.high else f"{wager.low}-{wager.high}"
        words.append(f"{wager.kind} to {amounts}")
    return words


def answers_words(choice: ChoiceView) -> list[str]:
    """What a seat may answer, an entry an answer: ``roll As or 7c``, ``decline``."""
    cards = _or([str(own.card) if own.card is not None else "??" for own in choice.own])
    words = {
        "roll": f"roll {cards}",
        "buy": f"pay {choice.price} to change {cards}",
        "take": f"take a card for {choice.price}",
        "match": f"match the pot of {choice.price}",
        "declare": f"declare {_or(choice.directions)}",
    }
    return [words.get(answer, answer) for answer in choice.answers]


def _lines(view: TableView) -> Iterator[str]:
    yield _heading(view)
    if view.hand:
        yield _middle(view)
    yield from _rows(view)
    if view.legal is not None:
        yield f"seat {view.legal.seat} may {', '.join(options_words(view.legal))}"
    elif view.choice is not None and view.choice.answers:
        yield f"seat {view.viewer} may {_or(answers_words(view.choice))}"
    for hand in view.shown:
        names = " / ".join(name for name in (hand.high, hand.low) if name)
        if names:
            yield f"{printable(hand.player)} shows {format_cards(hand.cards)}: {names}"
    for award in view.awards:
        pot = "the pot" if not award.pot else f"side pot {award.pot}"
        rake = f", rake {award.rake}" if award.rake else ""
        shares = ", ".join(
            f"{_name(view, share.seat)} wins {share.chips}"
            + ("" if share.part == "all" else f" ({share.part})")
            for share in award.shares
        )
        yield f"{pot} of {award.amount}{rake}: {shares}"


def _heading(view: TableView) -> str:
    words = [f"{view.name}, {stakes_text(view.limits)}"]
    if view.closed:
        words.append("closed")
    elif view.paused:
        words.append(paused_text(view.pause_reason))
    return "; ".join(words)


def _middle(view: TableView) -> str:
    if view.in_hand:
        words = [f"hand {view.hand}, {view.street_name or 'antes'}"]
        pots = f"pot {view.pot}"
        if len(view.pots) > 1:
            pots += f" (main pot {', side pot '.join(str(pot.amount) for pot in view.pots)})"
        words.append(pots)
    else:
        words = [f"hand {view.hand} is {'void' if view.voided else 'over'}"]
    if view.choice is not None:
        words.append(_DUE[view.choice.kind].format(view.choice.price))
    if view.community:
        words.append(f"for everybody {format_cards(view.community)}")
    if view.wild:
        words.append(f"wild {' '.join(view.wild)}")
    return ", ".join(words)


def _rows(view: TableView) -> Iterator[str]:
    if not view.seats:
        yield "nobody is seated"
        return
    names = [printable(seat.player) for seat in view.seats]
    name_width = max(map(len, names))
    stack_width = max(len(str(seat.stack)) for seat in view.seats)
    bet_width = max(len(str(seat.bet or "")) for seat in view.seats)
    streets = GAMES[view.game].streets
    hole = _NO_ORDER if streets[0].roll else streets[0].deal.count("d")
    for seat, name in zip(view.seats, names, strict=True):
        mark = "D" if seat.dealer else " "
        turn = ">" if seat.seat in view.asked else " "
        row = (
            f"{mark}{turn}{seat.seat:>2} {name:<{name_width}} {seat.stack:>{stack_width}} "
            f"{seat.bet or '':>{bet_width}}  {_cards(seat, hole)}"
        )
        yield " ".join([row, *_remarks(seat)]).rstrip()


def _cards(seat: SeatView, hole: int) -> str:
    if not (seat.up or seat.down):
        return ""
    groups: list[tuple[Card | None, ...]] = [seat.down[:hole], seat.up]
    if len(seat.down) > hole:
        groups.append(seat.down[hole:])
    return " | ".join(map(format_cards, groups))


def _remarks(seat: SeatView) -> Iterator[str]:
    if seat.folded:
        yield "(folded)"
    if seat.all_in:
        yield "(all-in)"
    if seat.declared:
        yield f"({seat.declared})"
    if seat.chosen:
        yield "(has chosen)"
    if seat.mucked:
        yield "(mucked)"
    if seat.leaving:
        yield "(leaving)"
    elif seat.sitting_out:
        yield "(sitting out)"
    if seat.waiting:
        yield f"(adds {seat.waiting})"


def _name(view: TableView, number: int) -> str:
    return next(
        (printable(seat.player) for seat in view.seats if seat.seat == number and seat.dealt_in),
        f"seat {number}",
    )


def _or(words: Sequence[str]) -> str:
    """``a``, ``a or b``, ``a, b or c``."""
    return " or ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


_NO_ORDER: Final = 99
"""Where players turn cards up, it does not matter when a downcard came."""
_DUE: Final = {
    "roll": "a card to turn up",
    "buy": "a new card for {}",
    "extra": "an extra card for {}",
    "match": "a pot of {} to match",
    "declare": "high or low to declare",
}
"""The choice that is due, in words."""
_STRUCTURES: Final = {
    "fixed_limit": "fixed limit",
    "spread_limit": "spread limit",
    "pot_limit": "pot limit",
    "no_limit": "no limit",
}
