"""What a table plays for (``Limits``) and under which house rules (``HouseRules``).

Both are plain values. ``HouseRules`` has one field for every switch of R20 that a game here can
need; a field left at ``None`` takes the game's own default when a ``Ruleset`` is made.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final, Literal, NamedTuple, get_args, get_type_hints

from doorcard.cards import BadCard, parse_cards
from doorcard.errors import Refused

Structure = Literal["fixed_limit", "spread_limit", "pot_limit", "no_limit"]
Opening = Literal["low_card_bring_in", "high_card_bring_in", "high_board_opens", "low_board_opens"]
LowRanking = Literal["a5", "a6", "27", "8ob"]
"""Rankings in which the lowest hand wins: K5, K6, K7, K9."""
HighRanking = Literal["high", "soko"]
"""Rankings in which the highest hand wins: K2, K8."""
BRING_IN_OPENINGS: Final = ("low_card_bring_in", "high_card_bring_in")
CHIPS_MAX: Final = 2**53 - 1
"""The largest amount accepted from outside: every JSON reader keeps it exact."""
CHIPS_EVER_MAX: Final = 2**63 - 1
"""The most that is ever brought to one table, all told: every program's integers hold it, and so
does the log."""


class Limits(NamedTuple):
    """The stakes. All amounts are whole chips; 0 means that the table has no such amount."""

    structure: Structure = "fixed_limit"
    ante: int = 0
    """Posted by everybody dealt in (R4)."""
    bring_in: int = 0
    """The forced opening bet, in games opened by a bring-in (R5)."""
    small_bet: int = 0
    """Fixed limit: the size on the early streets (R7.1). Otherwise the default of ``min_bet``."""
    big_bet: int = 0
    """Fixed limit: the size on the late streets (R7.1)."""
    min_bet: int = 0
    """Pot-limit and no-limit: the smallest bet; 0 takes ``small_bet`` (R10.2)."""
    spread_min: int = 0
    """Spread limit: the smallest wager (R10.1)."""
    spread_max: int = 0
    """Spread limit: the largest wager (R10.1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRules:
    """Every switch of R20; ``None`` means "as the game says"."""

    dealer_mode: Literal["rotating", "fixed"] = "rotating"
    """R2.2: a player deals and the position moves, or a house dealer who never moves."""
    burn: bool = True
    """R2.5: burn one card before each street after the first."""
    exhaustion: Literal["reuse_burns_then_community", "community_only"] = (
        "reuse_burns_then_community"
    )
    """R3.2, R3.9: whether burn cards are shuffled in before a community card is turned."""
    community_betting: bool = True
    """R3.7: whether a street with a community card has a betting round."""
    community_opener: Literal["recompute", "same_as_previous"] = "recompute"
    """R3.8: who is first to act on a street with a community card."""
    opening: Opening | None = None
    """R5.1: bring-in by low or high card, or the high or low board opens without one."""
    short_bring_in_price: Literal["full", "actual"] = "full"
    """R5.7: what the others pay over a bring-in posted all-in for less."""
    bring_in_all_in_ante: Literal["next_clockwise", "next_low_card"] = "next_clockwise"
    """R5.8: who opens when the bring-in player is all-in from the ante."""
    open_fold: bool = False
    """R6.6: whether folding is allowed when checking is free."""
    pair_option: Literal["any", "holder", "none"] | None = None
    """R7.3, R7.4: who may use the big bet on the second street when a pair shows."""
    small_raise_after_big: bool = False
    """R7.5: whether a big bet may be raised by a small one."""
    late_streets: Literal["big_only", "either"] = "big_only"
    """R7.6: sizes on the late streets; ``either`` is the home style."""
    max_raises: int | None = 3
    """R8.1: raises a round after the bet; ``None`` for no cap."""
    heads_up_uncap: Literal["start_of_round", "becomes_heads_up", "never"] = "start_of_round"
    """R8.3: when two players may raise without a cap."""
    short_wager_rule: Literal["half", "full"] | None = None
    """R9.1, R9.7: how much of a wager an all-in must be to count as a full one."""
    first_raise_from: Literal["completion", "bring_in"] = "completion"
    """Over an all-in completion of less than half a bet the next wager finishes the completion
    (R9.2). Some houses count the bring-in as the bet that stands and make it a raise by a small
    bet over that: with a bring-in of 125 and a small bet of 500, to 625 instead of 500."""
    opener_tie: Literal["suit", "position"] | None = None
    """R11.4, R11.5: how tied boards are decided for first to act."""
    rake_bps: int = 0
    """R13.1: rake in hundredths of a percent."""
    rake_cap: int | None = None
    """R13.1: the most that is taken from one hand, in chips; ``None`` for no cap."""
    no_fourth_street_no_drop: bool = True
    """R13.3: no rake when the hand ends before the second street is dealt."""
    auto_muck: bool = True
    """R14.4, R14.9: whether the server mucks beaten hands."""
    expose_all_in: bool = False
    """R14.6: whether downcards are shown once betting has ended early."""
    odd_chip: Literal["robert", "tda", "position"] = "robert"
    """R15.4: who gets the odd chip among tied winners."""
    odd_half_chip: Literal["high", "low"] = "high"
    """R15.2 gives the odd chip between the halves to the high half; some houses to the low."""
    chip_unit: int = 1
    """The smallest chip that splits are paid in; what is left of a split in smaller chips goes
    with the odd chip (R15.2, R15.3)."""
    low_ranking: LowRanking | None = None
    """G2, G3, G17: which low hands are valued by."""
    last_card_down: bool = False
    """G1.1: five-card games whose last card is dealt face down."""
    declare: Literal["none", "simultaneous", "sequential"] | None = None
    """R16.1: whether hands speak, or players declare high or low after the last bets."""
    declare_both: bool = False
    """R16.2: whether a player may declare both ways."""
    declare_both_ties: Literal["lose", "share"] = "lose"
    """R16.7, R16.8: what a tie does to a player who declared both."""
    declare_start: Literal["last_aggressor", "dealer_left"] = "last_aggressor"
    """R16.4: who declares first where declarations are public."""
    bet_after_declare: bool = False
    """R16.9: whether one more betting round follows the declaration."""
    buy_rounds: int | None = None
    """G5: how often each player may buy a card after the last one is dealt."""
    buy_price: tuple[int, ...] = ()
    """G5: the price in each buy round, in chips; empty for one big bet, then two."""
    buy_order: Literal["deal_order", "opener"] = "deal_order"
    """R17.2: who buys first."""
    bet_before_buy: bool = False
    """G5.1: whether a betting round stands before the first buy round."""
    bet_between_buys: bool = False
    """G5.1: whether a betting round stands between two buy rounds."""
    roll_order: Literal["simultaneous", "in_turn"] = "simultaneous"
    """R17.6: whether rolled cards are chosen in secret, or one after another."""
    roll_deal: Literal["seven", "four_by_two"] = "seven"
    """G9.2: seven cards, or four rounds of two."""
    wild_cards: str = ""
    """Cards that are wild besides the game's own, as in ``Jh Js`` (G14)."""
    wild_on_board: bool = True
    """R11.6: whether wild cards count as wild for first to act."""
    double_ace_flush: bool = False
    """K2.6: whether a wild card in a flush may be a second ace."""
    natural_beats_wild: bool = False
    """K2.7: whether the hand with fewer wild cards wins a tie."""
    queen_cancels_previous: bool = True
    """G10.3: whether a new face-up queen ends the wild rank before it at once."""
    four_extra: Literal["down", "up"] = "down"
    """G11.2: how the extra card for a face-up four is dealt."""
    four_extra_price: int = 0
    """G11.3: the price of that card, in chips; 0 gives it to everybody."""
    three_up_match_pot: bool = False
    """G11.3: whether a face-up three must be paid for with the size of the pot."""
    low_chicago_ace: Literal["high", "low"] = "high"
    """G12.3: whether the ace of spades is the highest or the lowest spade."""
    soko_board_four_card: bool = True
    """G6.3: whether four-card straights and flushes count for first to act."""
    missed_ante_policy: Literal["none", "post_one", "dealt_in"] = "none"
    """R18.5: what a player who sat out owes, or whether the absent are dealt in."""


Scalar = str | int | bool | tuple[int, ...] | None
"""What a switch can be set to."""
SWITCHES: Final[tuple[str, ...]] = tuple(field.name for field in fields(HouseRules))
"""The names of all switches, in the order of R20."""


def check_switches(settings: dict[str, Scalar]) -> Refused | None:
    """Say what is wrong with a set of switches by name, or None."""
    for name, value in settings.items():
        if name not in SWITCHES:
            return Refused("house/unknown_switch", f"There is no house rule called {name!r}.")
        if not _fits(name, value):
            return Refused("house/bad_value", f"House rule {name} cannot be {value!r}.")
    return None


def check_limits(limits: Limits, *, bring_in: bool) -> Refused | None:
    """Say what is wrong with the stakes for a game opened with or without a bring-in, or None."""
    for name, value in zip(Limits._fields[1:], limits[1:], strict=True):
        if type(value) is not int or not 0 <= value <= CHIPS_MAX:
            return Refused("limits/bad_amount", f"{name} must be a whole number of chips.")
    if limits.structure not in get_args(Structure):
        return Refused("limits/unknown_structure", f"No structure is called {limits.structure!r}.")
    problem = _SIZE_CHECKS[limits.structure](limits)
    if problem:
        return Refused("limits/bad_sizes", problem)
    if bring_in and not 0 < limits.bring_in <= smallest_bet(limits):
        return Refused(
            "limits/bad_bring_in", "The bring-in must be above 0 and at most the small bet (R5.6)."
        )
    if not bring_in and limits.bring_in:
        return Refused("limits/bad_bring_in", "This opening has no bring-in; set it to 0.")
    return None


def smallest_bet(limits: Limits) -> int:
    """The smallest full opening bet of the structure, in chips (R7.1, R10.1, R10.2)."""
    if limits.structure == "fixed_limit":
        return limits.small_bet
    if limits.structure == "spread_limit":
        return limits.spread_max
    return limits.min_bet or limits.small_bet


def _fixed_problem(limits: Limits) -> str:
    if not 0 < limits.small_bet < limits.big_bet:
        return "Fixed limit needs 0 < small bet < big bet (R4.5)."
    return ""


def _spread_problem(limits: Limits) -> str:
    if not 0 < limits.spread_min <= limits.spread_max:
        return "Spread limit needs 0 < spread_min <= spread_max (R10.1)."
    return ""


def _big_bet_problem(limits: Limits) -> str:
    if (limits.min_bet or limits.small_bet) <= 0:
        return "Pot-limit and no-limit need a smallest bet (R10.2)."
    return ""


_SIZE_CHECKS: Final = {
    "fixed_limit": _fixed_problem,
    "spread_limit": _spread_problem,
    "pot_limit": _big_bet_problem,
    "no_limit": _big_bet_problem,
}
_NUMBERS: Final = {
    "max_raises": (0, 1000),
    "rake_bps": (0, 10_000),
    "rake_cap": (0, CHIPS_MAX),
    "chip_unit": (1, CHIPS_MAX),
    "buy_rounds": (0, 2),
    "four_extra_price": (0, CHIPS_MAX),
}
_NONE_ALLOWED: Final = ("max_raises", "rake_cap", "buy_rounds")


def _fits(name: str, value: Scalar) -> bool:
    if name in _NUMBERS:
        low, high = _NUMBERS[name]
        return (value is None and name in _NONE_ALLOWED) or (
            type(value) is int and low <= value <= high
        )
    if name == "buy_price":
        return isinstance(value, tuple) and all(
            type(price) is int and 0 < price <= CHIPS_MAX for price in value
        )
    if name == "wild_cards":
        return isinstance(value, str) and _are_cards(value)
    allowed = _allowed()[name]
    return type(value) is bool if allowed is bool else value in allowed


def _are_cards(text: str) -> bool:
    try:
        parse_cards(text)
    except BadCard:
        return False
    return True


def _allowed() -> dict[str, tuple[str, ...] | type[bool]]:
    if not _ALLOWED:
        for name, hint in get_type_hints(HouseRules).items():
            _ALLOWED[name] = bool if hint is bool else _texts(hint)
    return _ALLOWED


def _texts(hint: object) -> tuple[str, ...]:
    values: list[str] = []
    for arg in get_args(hint):
        values.extend([arg] if isinstance(arg, str) else _texts(arg))
    return tuple(values)


_ALLOWED: Final[dict[str, tuple[str, ...] | type[bool]]] = {}
