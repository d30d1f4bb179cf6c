"""Seven-card stud with wild cards, and with a spade that takes half the pot (G10 to G14)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from doorcard.cards import CARDS, Card
from doorcard.games.seven_card import SEVEN_CARD_STUD

_WILD_SWITCHES: Final = ("wild_on_board", "double_ace_flush", "natural_beats_wild")
_HOME: Final = replace(SEVEN_CARD_STUD, opening="high_board_opens", modifiers=_WILD_SWITCHES)


def _ranks(*ranks: int) -> frozenset[Card]:
    return frozenset(card for card in CARDS if card.rank in ranks)


QUEENS_AND_AFTER: Final = replace(
    _HOME,
    id="queens_and_after",
    name="Queens and after (follow the queen)",
    summary="Queens are wild, and so is the rank of the upcard that follows a face-up queen.",
    wild=_ranks(12),
    follow_rank=12,
    modifiers=(*_WILD_SWITCHES, "queen_cancels_previous"),
)

BASEBALL: Final = replace(
    _HOME,
    id="baseball",
    name="Baseball",
    summary="Threes and nines are wild; a face-up four brings an extra card.",
    seats_default=7,
    seats_max=7,
    wild=_ranks(3, 9),
    extra_card_rank=4,
    match_pot_rank=3,
    modifiers=(*_WILD_SWITCHES, "four_extra", "four_extra_price", "three_up_match_pot"),
)

HIGH_CHICAGO: Final = replace(
    SEVEN_CARD_STUD,
    id="high_chicago",
    name="High Chicago",
    summary="Half the pot goes to the highest spade in the hole.",
    split="high_chicago",
    pair_option="any",
)

LOW_CHICAGO: Final = replace(
    HIGH_CHICAGO,
    id="low_chicago",
    name="Low Chicago",
    summary="Half the pot goes to the lowest spade in the hole.",
    split="low_chicago",
    modifiers=("low_chicago_ace",),
)

ACEY_DUCEY: Final = replace(
    _HOME,
    id="acey_ducey",
    name="Acey ducey",
    summary="Aces and twos are wild.",
    wild=_ranks(14, 2),
)

ONE_EYED_JACKS: Final = replace(
    _HOME,
    id="one_eyed_jacks",
    name="One-eyed jacks",
    summary="The jacks of hearts and spades are wild.",
    wild=frozenset({Card("Jh"), Card("Js")}),
)

SUICIDE_KING: Final = replace(
    _HOME,
    id="suicide_king",
    name="Suicide king",
    summary="The king of hearts is wild.",
    wild=frozenset({Card("Kh")}),
)

ONE_EYED_JACKS_SUICIDE_KING: Final = replace(
    _HOME,
    id="one_eyed_jacks_suicide_king",
    name="One-eyed jacks and the suicide king",
    summary="The jacks of hearts and spades and the king of hearts are wild.",
    wild=ONE_EYED_JACKS.wild | SUICIDE_KING.wild,
)
