"""The paragraphs on what only some games have: wild and extra cards, rolls, buys, declarations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from doorcard.cards import Card
from doorcard.games.model import Game


def special_sections(game: Game) -> Iterator[tuple[str, str]]:
    """(title, paragraph) for everything special that a game's fields ask for."""
    if game.wild:
        yield "Wild cards", _wild(game)
    if game.extra_card_rank is not None:
        yield "Extra cards", _extra_card(game.extra_card_rank)
    if game.match_pot_rank is not None:
        yield "Matching the pot", _match_pot(game.match_pot_rank)
    if any(street.roll for street in game.streets):
        yield "Turning cards up", _ROLLING
    if game.buy_rounds:
        yield "Buying a card", _BUYING
    if game.declare != "none" or "declare" in game.modifiers:
        yield "Declaring", _declaring(game)


def _wild(game: Game) -> str:
    always = (
        f"Wild, up or down, for everybody: {_wild_words(game.wild)}. A wild card stands for the "
        "card that makes the best hand, and five of a kind is the highest hand."
    )
    if game.follow_rank is None:
        return always
    rank = _NAMES[game.follow_rank]
    return (
        f"{always} When a {rank} is dealt face up, the rank of the next upcard, whoever gets it, "
        f"becomes wild as well, on cards dealt before too. A new face-up {rank} ends that; if the "
        f"last upcard of the hand is a {rank}, only the {rank}s are wild."
    )


def _wild_words(wild: frozenset[Card]) -> str:
    """``aces and twos``, ``jack of hearts and jack of spades``."""
    words: list[str] = []
    for rank in range(14, 1, -1):
        cards = sorted(card for card in wild if card.rank == rank)
        if len(cards) == len(_SUITS):
            words.append(_PLURALS.get(rank, f"{_NAMES[rank]}s"))
        else:
            words += [f"{_NAMES[rank]} of {_SUITS[card.suit]}" for card in cards]
    return " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _extra_card(rank: int) -> str:
    return (
        f"A {_NAMES[rank]} dealt face up brings its holder one more card at once, face down and "
        "free unless the house says otherwise. One dealt face down, or turned for everybody, "
        "brings none. The best five of all cards held count."
    )


def _match_pot(rank: int) -> str:
    return (
        f"Where the house plays it so (three_up_match_pot), whoever is dealt a {_NAMES[rank]} face "
        "up must at once pay as much as is in the pot, all-in if need be, or fold."
    )


def _declaring(game: Game) -> str:
    usual = {
        "simultaneous": "After the last bets everybody chooses high or low in secret, and all is "
        "opened together. ",
        "sequential": "After the last bets everybody says high or low in turn, beginning with who "
        "made the last bet. ",
        "none": "Cards speak, unless the house lets players declare high or low after the last "
        "bets. ",
    }[game.declare]
    return (
        f"{usual}A hand wins only where its owner declared, however good it is; if all declare the "
        "same way, the best hand that way takes the whole pot. Where declaring both is allowed, it "
        "must win both. Whoever runs out of time declares high."
    )


_ROLLING: Final = (
    "Everybody who is still in chooses one downcard to turn up, old or new, all in secret and "
    "opened together; then come the bets. Whoever runs out of time turns up the card received last."
)
_BUYING: Final = (
    "After the last card, before its bets, each player in turn may throw one card away and pay for "
    "another one, which lies as the old one lay, up or down. The price is dead money in the pot, "
    "and who cannot pay all of it cannot buy."
)
_SUITS: Final = ("clubs", "diamonds", "hearts", "spades")
_NAMES: Final = {
    2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight", 9: "nine",
    10: "ten", 11: "jack", 12: "queen", 13: "king", 14: "ace",
}  # fmt: skip
_PLURALS: Final = {6: "sixes"}
