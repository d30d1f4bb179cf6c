"""A game in words and as plain data, both made from its value alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Final, Literal, TypeAlias, get_args, get_origin, get_type_hints

from doorcard.cards import RANKS, Card
from doorcard.games.model import Game, Street
from doorcard.games.special_texts import special_sections
from doorcard.games.switch_texts import CONDITIONS, SWITCH_TEXTS
from doorcard.limits import BRING_IN_OPENINGS, HouseRules, Opening, Scalar

DECK_CARDS: Final = 52
Plain: TypeAlias = str | int | bool | list["Plain"] | dict[str, "Plain"] | None
"""What JSON can hold."""


def rules_text(game: Game) -> str:
    """The rules of a game in plain words: paragraphs and lists, lines not wrapped.

    The text follows from the game's fields, so a new game has its page at once.
    """
    parts = [f"{game.name}\n{'=' * len(game.name)}", game.summary]
    parts += [f"{title}\n{body}" for title, body in _sections(game)]
    return "\n\n".join(parts) + "\n"


def parameters(game: Game) -> dict[str, Plain]:
    """All parameters of a game as plain data for JSON."""
    return {
        "id": game.id,
        "name": game.name,
        "summary": game.summary,
        "family": game.family,
        "seats": {"default": game.seats_default, "max": game.seats_max},
        "other_seats_max": {
            f"{switch}={_value(value)}": seats
            for (switch, value), seats in game.other_seats_max.items()
        },
        "streets": _streets(game, game.streets),
        "other_streets": {
            f"{switch}={_value(value)}": _streets(game, streets)
            for (switch, value), streets in game.other_streets.items()
        },
        "opening": game.opening,
        "openings": [*game.openings],
        "first_to_act": "low board" if _low_board_first(game) else "high board",
        "board_order": game.board_order,
        "opener_tie": game.opener_tie,
        "pair_option": game.pair_option,
        "split": game.split,
        "high_ranking": game.high_ranking,
        "low_ranking": game.low_ranking,
        "low_rankings": [*game.low_rankings],
        "wild": [*wild_texts(game.wild)],
        "follow_rank": _rank(game.follow_rank),
        "extra_card_rank": _rank(game.extra_card_rank),
        "match_pot_rank": _rank(game.match_pot_rank),
        "declare": game.declare,
        "buy_rounds": game.buy_rounds,
        "variants": {
            name: {key: _plain(value) for key, value in settings.items()}
            for name, settings in game.variants.items()
        },
        "modifiers": [*game.modifiers],
        "switches": {name: _plain(value) for name, value in switches(game).items()},
    }


def street_name(game: Game, number: int, streets: tuple[Street, ...] = ()) -> str:
    """The traditional name of a street: ``third street`` is where everybody has three cards.

    Before the first street of a hand (number 0) there is no name: the text is empty.

    Args:
        streets: the streets in force, where a variant changes the game's own.
    """
    if not number:
        return ""
    cards = sum(len(street.deal) for street in (streets or game.streets)[:number])
    return f"{_ORDINALS[cards]} street"


def wild_texts(wild: frozenset[Card]) -> tuple[str, ...]:
    """Wild cards, highest first: ranks where all four cards are wild, otherwise single cards."""
    words: list[str] = []
    for rank in range(14, 1, -1):
        cards = sorted(card for card in wild if card.rank == rank)
        words += [RANKS[rank - 2]] if len(cards) == 4 else map(str, cards)
    return tuple(words)


def switches(game: Game) -> dict[str, Scalar]:
    """The house rules that can matter in a game, each with the game's default (R20)."""
    own: Mapping[str, Scalar] = {
        "opening": game.opening,
        "opener_tie": game.opener_tie,
        "pair_option": game.pair_option,
        "low_ranking": game.low_ranking,
        "short_wager_rule": "half",
        "declare": game.declare,
        "buy_rounds": game.buy_rounds,
    }
    defaults = HouseRules()
    found: dict[str, Scalar] = {}
    for field in fields(HouseRules):
        if _concerns(game, field.name):
            value: Scalar = getattr(defaults, field.name)
            found[field.name] = own.get(field.name, value)
    return found


def _plain(value: Scalar) -> Plain:
    return [*value] if isinstance(value, tuple) else value


def _rank(rank: int | None) -> str | None:
    return None if rank is None else RANKS[rank - 2]


def _streets(game: Game, streets: tuple[Street, ...]) -> list[Plain]:
    return [
        {
            "number": number,
            "name": street_name(game, number, streets),
            "deal": street.deal,
            "size": street.size,
            "roll": street.roll,
        }
        for number, street in enumerate(streets, 1)
    ]


def _concerns(game: Game, switch: str) -> bool:
    concerns = CONDITIONS.get(switch)
    if concerns == "modifier":
        return switch in game.modifiers
    return concerns is None or concerns in _traits(game)


def _traits(game: Game) -> set[str]:
    found: set[str] = set()
    if any(opening in BRING_IN_OPENINGS for opening in game.openings):
        found.add("bring-in")
    if len(game.openings) > 1:
        found.add("openings")
    if game.split == "high_low":
        found.add("halves")
    if game.low_rankings:
        found.add("low rankings")
    if game.seats_max * game.cards_each + len(game.streets) - 1 > DECK_CARDS:
        found.add("short deck")
    if game.high_ranking == "high" and game.low_ranking is None:
        found.add("wild cards may be added")
    return found


def _sections(game: Game) -> Iterator[tuple[str, str]]:
    yield (
        "Players",
        (
            f"2 to {game.seats_max} at a table{_fewer(game)}; a table has {game.seats_default} "
            "seats unless it was opened with another number. One deck of 52 cards is shuffled for "
            "every hand."
        ),
    )
    yield (
        "Ante",
        (
            "Everybody dealt in posts the ante before the deal, where the stakes have one. It is "
            "no part of the betting that follows."
        ),
    )
    yield "Streets and fixed-limit bets", "\n".join(_street_lines(game, game.streets))
    for (switch, value), streets in game.other_streets.items():
        yield f"Streets with {switch} = {_value(value)}", "\n".join(_street_lines(game, streets))
    yield "Opening", _opening_words(game, game.opening)
    yield "First to act on later streets", _first_to_act(game)
    yield "Betting", _betting(game)
    if "short deck" in _traits(game):
        yield (
            "When the cards run out",
            (
                "If the deck cannot serve everybody, the burn cards are shuffled in; if that is "
                "not enough, one card is turned in the middle and belongs to everybody."
            ),
        )
    yield from special_sections(game)
    yield "Who wins", _winning(game)
    if len(game.variants) > 1:
        yield "Variants", "\n".join(_variant_lines(game))
    yield "House rules", "\n".join(_switch_lines(game))


def _fewer(game: Game) -> str:
    return "".join(
        f" ({seats} with {switch} = {_value(value)})"
        for (switch, value), seats in game.other_seats_max.items()
    )


def _street_lines(game: Game, streets: tuple[Street, ...]) -> Iterator[str]:
    names = [street_name(game, number, streets) for number in range(1, len(streets) + 1)]
    dealt = [_cards_dealt(street) for street in streets]
    width, cards_width = max(map(len, names)), max(17, *map(len, dealt))
    for name, cards, street in zip(names, dealt, streets, strict=True):
        yield f"- {name:<{width}}  {cards:<{cards_width}}  {street.size} bet"


def _cards_dealt(street: Street) -> str:
    """``ddu`` as ``2 down, 1 up``."""
    runs: list[tuple[str, int]] = []
    for letter in street.deal:
        if runs and runs[-1][0] == letter:
            runs[-1] = (letter, runs[-1][1] + 1)
        else:
            runs.append((letter, 1))
    words = ", ".join(f"{count} {_FACES[letter]}" for letter, count in runs)
    return f"{words}; 1 is turned up" if street.roll else words


def _opening_words(game: Game, opening: Opening) -> str:
    if opening not in BRING_IN_OPENINGS:
        board = "lowest" if opening == "low_board_opens" else "highest"
        return (
            f"There is no forced bet: the player with the {board} board acts first and may check; "
            f"{_tie(game)}."
        )
    which = "lowest" if opening == "low_card_bring_in" else "highest"
    ace = ""
    if opening == "high_card_bring_in" and _ace_low(game):
        ace = ", the ace counting low,"
    return (
        f"The player with the {which} upcard{ace} must bring it in; suits decide between equal "
        "ranks, clubs lowest, then diamonds, hearts, spades. That player posts the bring-in or "
        "completes to a full small bet at once, and may neither check nor fold. Then the action "
        "goes clockwise: fold, call the bring-in, or complete it."
    )


def _first_to_act(game: Game) -> str:
    board = "lowest" if _low_board_first(game) else "highest"
    ace = " The ace is low on boards." if _ace_low(game) else ""
    if game.board_order == "low" and "27" in game.low_rankings:
        ace += " With low_ranking = 27 it is high, there and for the bring-in."
    four = ""
    if game.board_order == "soko":
        four = " Four upcards that are a four-card flush or straight count as such."
    wild = " Wild cards count as wild on boards." if game.wild else ""
    return (
        f"The player with the {board} board acts first.{ace} With fewer than five upcards only "
        f"pairs, three and four of a kind count beside the ranks; {_tie(game)}.{four}{wild}"
    )


def _tie(game: Game) -> str:
    if game.opener_tie == "position":
        return "of equal boards, the first one clockwise from the dealer acts"
    suit = "lower" if _low_board_first(game) else "higher"
    return f"of equal boards, the one whose highest card has the {suit} suit acts"


def _betting(game: Game) -> str:
    pair = {
        "any": (
            f"When somebody shows a pair on {street_name(game, 2)}, everybody may bet the small or "
            "the big amount there. "
        ),
        "none": "An open pair does not change the size of the bets. ",
    }[game.pair_option]
    return (
        "Fixed limit: every bet and raise has the size of its street; one bet and three raises a "
        f"round, without a cap when only two are left as it begins. {pair}"
        "An all-in wager of at least half a bet counts as a full one. Spread limit, "
        "pot limit and no limit are played too."
    )


def _winning(game: Game) -> str:
    cards = f"the best five of each player's {_NUMBERS[game.cards_each]} cards count. "
    if game.cards_each == 5:
        cards = "each player's five cards count. "
    if game.split == "high":
        return f"At the showdown {cards}{_ranking_words(game.high_ranking)} takes the pot."
    if game.split == "low":
        return f"At the showdown {cards}{_ranking_words(game.low_ranking)} takes the pot."
    if game.split != "high_low":
        return f"At the showdown {cards}{_ranking_words(game.high_ranking)} {_SPADES[game.split]}"
    low = _ranking_words(game.low_ranking)
    qualifies = (
        " If no hand qualifies for low, the high hand takes it all."
        if game.low_ranking == "8ob"
        else ""
    )
    return (
        f"At the showdown {cards}{_ranking_words(game.high_ranking)} takes half the pot, "
        f"{low[0].lower()}{low[1:]} the other half; the two may be made of different cards, and an "
        f"odd chip goes to the high half.{qualifies}"
    )


def _ranking_words(ranking: str | None) -> str:
    return _RANKINGS[ranking or "high"]


def _variant_lines(game: Game) -> Iterator[str]:
    width = max(map(len, game.variants))
    defaults = switches(game)
    for name, settings in game.variants.items():
        usual = all(defaults.get(switch) == value for switch, value in settings.items())
        words = ", ".join(f"{switch} = {_value(value)}" for switch, value in settings.items())
        yield f"- {name:<{width}}  {words}{' (the default)' if usual else ''}"


def _switch_lines(game: Game) -> Iterator[str]:
    hints = get_type_hints(HouseRules)
    for name, value in switches(game).items():
        choices = _choices(game, name, hints[name])
        others = [choice for choice in choices if choice != _value(value)]
        instead = f"; or {', '.join(others)}" if others else ""
        yield f"- {name}: {SWITCH_TEXTS[name]} Default {_value(value)}{instead}."


def _choices(game: Game, name: str, hint: object) -> list[str]:
    if name == "opening":
        return [*game.openings]
    if name == "low_ranking":
        return [*game.low_rankings]
    return [*dict.fromkeys(_texts(hint))]


def _texts(hint: object) -> Iterator[str]:
    """The values that a type allows, as words: ``Literal["a", "b"] | None`` gives a and b."""
    if hint is bool:
        yield from ("true", "false")
    elif hint is int:
        yield "another number"
    elif hint is str:
        yield "cards"
    elif get_origin(hint) is Literal:
        for value in get_args(hint):
            yield _value(value)
    else:
        for part in get_args(hint):
            yield from _texts(part)


def _value(value: Scalar) -> str:
    if value is None or value in ("", ()):
        return "none"
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _low_board_first(game: Game) -> bool:
    return game.board_order in ("a5", "a6", "27", "low")


def _ace_low(game: Game) -> bool:
    """With the game's own low ranking."""
    order = game.low_ranking if game.board_order == "low" else game.board_order
    return order in ("a5", "a6")


_ORDINALS: Final = (
    *("no", "first", "second", "third", "fourth", "fifth"),
    *("sixth", "seventh", "eighth", "ninth", "tenth"),
)
_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
_FACES: Final = {"d": "down", "u": "up"}
_SPADE_HALF: Final = (
    "takes half the pot, the {} spade in the hole the other half. Only downcards count for that; "
    "where nobody has a spade in the hole, the best hand takes it all. An odd chip goes to the "
    "best hand."
)
_SPADES: Final = {
    "high_chicago": _SPADE_HALF.format("highest"),
    "low_chicago": _SPADE_HALF.format("lowest"),
}
_RANKINGS: Final = {
    "high": "The best high hand",
    "soko": "The best high hand, with four-card straights and flushes between a pair and two pair,",
    "a5": "The lowest hand, ace to five (the ace is low, straights and flushes do not count)",
    "a6": "The lowest hand, ace to six (the ace is low, straights and flushes count against it)",
    "27": "The lowest hand, deuce to seven (the ace is high, straights and flushes count)",
    "8ob": "The lowest hand of five different ranks, eight or lower with the ace low,",
}
