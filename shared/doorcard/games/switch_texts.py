"""What the house rules are about, in words, and where they matter."""

from __future__ import annotations

from typing import Final

CONDITIONS: Final = {
    "exhaustion": "short deck",
    "community_betting": "short deck",
    "community_opener": "short deck",
    "opening": "openings",
    "short_bring_in_price": "bring-in",
    "bring_in_all_in_ante": "bring-in",
    "first_raise_from": "bring-in",
    "odd_half_chip": "halves",
    "low_ranking": "low rankings",
    "wild_cards": "wild cards may be added",
}
"""What a game must have for a switch to matter in it. A modifier matters where a game names it, and
all other switches matter everywhere."""
SWITCH_TEXTS: Final = {
    "dealer_mode": "whether the deal moves round the table, or the house deals (R2.2).",
    "burn": "whether a card is burned before each later street (R2.5).",
    "exhaustion": "what happens first when the deck is short (R3.2, R3.9).",
    "community_betting": "whether there is a betting round after a community card (R3.7).",
    "community_opener": "who acts first after a community card (R3.8).",
    "opening": "who opens the first betting round (R5.1).",
    "short_bring_in_price": "what others pay over a bring-in posted all-in for less (R5.7).",
    "bring_in_all_in_ante": "who opens when the ante took that player's last chip (R5.8).",
    "open_fold": "whether folding is allowed when checking is free (R6.6).",
    "pair_option": "who may bet the big amount once two upcards are a pair (R7.3, R7.4).",
    "small_raise_after_big": "whether a small raise may follow a big bet (R7.5).",
    "late_streets": "whether late streets have the big size only, or either (R7.6).",
    "max_raises": "raises allowed after the bet in a round; none for no cap (R8.1).",
    "heads_up_uncap": "when the cap is lifted for two players (R8.3).",
    "short_wager_rule": "how much of a wager an all-in must be to count as full (R9.1, R9.7).",
    "first_raise_from": "what the first raise over a completion is measured from.",
    "opener_tie": "what decides between equal boards (R11.4, R11.5).",
    "rake_bps": "rake in hundredths of a percent (R13.1).",
    "rake_cap": "the most that is raked from one hand; none for no cap (R13.1).",
    "no_fourth_street_no_drop": "whether a hand that ends on the first street pays none (R13.3).",
    "auto_muck": "whether beaten hands are mucked unseen (R14.4).",
    "expose_all_in": "whether hands are shown once nobody can bet any more (R14.6).",
    "odd_chip": "who gets the odd chip among tied winners (R15.4).",
    "odd_half_chip": "which half gets the odd chip (R15.2).",
    "chip_unit": "the smallest chip that splits are paid in.",
    "low_ranking": "how low hands are valued.",
    "last_card_down": "whether the last card is dealt face down (G1.1).",
    "missed_ante_policy": "what a player owes who sat out (R18.5).",
    "declare": "whether players declare high or low after the last bets: all at once, in turn, or "
    "not at all (R16).",
    "declare_both": "whether a player may declare both ways (R16.2).",
    "declare_both_ties": "what a tie does to a player who declared both (R16.7, R16.8).",
    "declare_start": "who declares first, where players declare in turn (R16.4).",
    "bet_after_declare": "whether one more betting round follows the declaration (R16.9).",
    "buy_rounds": "how often each player may buy a card (G5).",
    "buy_price": "the price in each buy round, in chips; empty for one big bet, then two (G5).",
    "buy_order": "who may buy first (R17.2).",
    "bet_before_buy": "whether a betting round stands before the first buy round (G5.1).",
    "bet_between_buys": "whether a betting round stands between two buy rounds (G5.1).",
    "roll_order": "whether cards are chosen in secret, or one after another (R17.6).",
    "roll_deal": "seven cards, or four rounds of two with a card turned up in each (G9.2).",
    "wild_cards": "cards that are wild as well, as in Jh Js (G14).",
    "wild_on_board": "whether wild cards count as wild for first to act (R11.6).",
    "double_ace_flush": "whether a wild card in a flush may be a second ace (K2.6).",
    "natural_beats_wild": "whether the hand with fewer wild cards wins a tie (K2.7).",
    "queen_cancels_previous": "whether a new face-up card of that rank ends the wild rank before it "
    "at once (G10.3).",
    "four_extra": "how the extra card is dealt (G11.2).",
    "four_extra_price": "the price of the extra card, in chips; 0 gives it to everybody (G11.3).",
    "three_up_match_pot": "whether a face-up three costs the size of the pot (G11.3).",
    "low_chicago_ace": "whether the ace of spades is the highest or the lowest spade (G12.3).",
    "soko_board_four_card": "whether four-card straights and flushes count for first to act (G6.3).",
}
"""What each switch decides."""
