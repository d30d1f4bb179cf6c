"""What a line of each kind must look like. Anything else is malformed and says so."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import ConfigDict, Field, with_config
from typing_extensions import TypedDict  # pydantic needs this one before Python 3.12

from doorcard.limits import Opening, Scalar, Structure

strict = with_config(ConfigDict(strict=True, extra="forbid"))
CardText = Annotated[str, Field(pattern=r"^[2-9TJQKA][cdhs]$")]
Cards = list[CardText]
Chips = Annotated[int, Field(ge=0)]
SeatNumber = Annotated[int, Field(ge=0)]
Seats = list[SeatNumber]
Switches = dict[str, Scalar]
Keys = dict[str, list[int] | None]
LowName = Literal["a5", "a6", "27", "8ob"]
BoardName = Literal["high", "soko", "a5", "a6", "27"]
SplitName = Literal["high", "low", "high_low", "high_chicago", "low_chicago"]
DealerMode = Literal["rotating", "fixed"]


@strict
class Vector(TypedDict):
    id: str
    kind: str
    rules: list[str]
    given: dict[str, object]
    expect: dict[str, object]
    note: NotRequired[str]


@strict
class CompareGiven(TypedDict):
    ranking: Literal["high", "a5", "a6", "27", "8ob", "soko"]
    hands: dict[str, Cards]
    community: NotRequired[Cards]
    wild: NotRequired[Cards]
    switches: NotRequired[Switches]


@strict
class BoardGiven(TypedDict):
    order: BoardName
    boards: dict[str, Cards]
    wild: NotRequired[Cards]
    switches: NotRequired[Switches]


@strict
class Ranked(TypedDict):
    keys: Keys
    order: list[list[str]]


@strict
class BringInGiven(TypedDict):
    opening: Literal["low_card_bring_in", "high_card_bring_in"]
    ace: Literal["high", "low"]
    doors: list[CardText | None]


@strict
class SeatOnly(TypedDict):
    seat: SeatNumber


@strict
class FirstToActGiven(TypedDict):
    order: BoardName
    opener_tie: Literal["suit", "position"]
    dealer: SeatNumber | None
    boards: list[Cards | None]
    stacks: list[Chips]
    community: NotRequired[Cards]
    wild: NotRequired[Cards]
    switches: NotRequired[Switches]


@strict
class FirstToAct(TypedDict):
    leader: SeatNumber
    first: SeatNumber | None


Action = list[int | str]
"""``[seat, action]`` or ``[seat, action, to]``; some actions name a card or a direction."""


@strict
class ActionsGiven(TypedDict):
    structure: Structure
    stacks: list[Chips]
    live: list[bool]
    street: Annotated[int, Field(ge=1)]
    history: list[Action]
    small_bet: NotRequired[Chips]
    big_bet: NotRequired[Chips]
    min_bet: NotRequired[Chips]
    spread_min: NotRequired[Chips]
    spread_max: NotRequired[Chips]
    game: NotRequired[str]
    pot: NotRequired[Chips]
    bring_in_seat: NotRequired[SeatNumber]
    bring_in: NotRequired[Chips]
    first: NotRequired[SeatNumber]
    pair_seats: NotRequired[Seats]
    switches: NotRequired[Switches]


@strict
class WagerRange(TypedDict):
    kind: Literal["bet", "complete", "raise"]
    to: NotRequired[list[Chips]]
    min: NotRequired[Chips]
    max: NotRequired[Chips]


@strict
class LegalOptions(TypedDict):
    fold: bool
    check: bool
    call: Chips | None
    bring_in: Chips | None
    wager: WagerRange | None


@strict
class Actions(TypedDict):
    to_act: SeatNumber | None
    legal: LegalOptions | None
    contributions: list[Chips]
    stacks: list[Chips]


@strict
class PotsGiven(TypedDict):
    contributions: list[Chips]
    folded: Seats


@strict
class PotOf(TypedDict):
    amount: Chips
    eligible: Seats


@strict
class Pots(TypedDict):
    pots: list[PotOf]


@strict
class UncalledGiven(TypedDict):
    street_contributions: list[Chips]


@strict
class Uncalled(TypedDict):
    seat: SeatNumber | None
    amount: Chips


@strict
class RakeGiven(TypedDict):
    pots: list[Chips]
    rake_bps: Chips
    rake_cap: Chips | None
    second_street_dealt: bool
    no_fourth_street_no_drop: bool


@strict
class Rake(TypedDict):
    rake: list[Chips]


@strict
class HandCards(TypedDict):
    down: Cards
    up: Cards


@strict
class AwardGiven(TypedDict):
    split: SplitName
    hands: list[HandCards | None]
    pots: list[PotOf]
    low_ranking: NotRequired[LowName]
    high_ranking: NotRequired[Literal["high", "soko"]]
    community: NotRequired[Cards]
    wild: NotRequired[Cards]
    declare: NotRequired[list[Literal["high", "low", "both"] | None]]
    dealer: NotRequired[SeatNumber | None]
    switches: NotRequired[Switches]


@strict
class AwardedPot(TypedDict):
    first_half: Seats
    second_half: Seats
    payouts: list[Chips]


@strict
class Award(TypedDict):
    payouts: list[Chips]
    per_pot: list[AwardedPot]


@strict
class ExhaustionGiven(TypedDict):
    initial_cards_per_player: Annotated[int, Field(ge=1)]
    cards_per_later_street: list[Annotated[int, Field(ge=1)]]
    live_per_street: list[Annotated[int, Field(ge=2)]]
    burn: bool
    exhaustion: Literal["reuse_burns_then_community", "community_only"]


@strict
class StreetDealt(TypedDict):
    live: int
    stub_before: int
    burns_before: int
    mode: Literal["individual", "reuse", "community"]
    burn_first: int
    dealt_from_stub: int
    pool: int
    burn_second: int
    dealt_after_reshuffle: int
    community: int
    stub_after: int
    burns_after: int


@strict
class Exhaustion(TypedDict):
    streets: list[StreetDealt]


@strict
class WildSetGiven(TypedDict):
    game: str
    upcards: Cards
    switches: NotRequired[Switches]


@strict
class WildSet(TypedDict):
    wild_ranks: list[str]


@strict
class EligibleOnly(TypedDict):
    eligible: Seats


@strict
class ShowdownOrderGiven(TypedDict):
    seats: Annotated[int, Field(ge=2)]
    live: Seats
    last_wager: SeatNumber | None
    board_leader: SeatNumber
    pots: list[EligibleOnly]


@strict
class DeclareOrderGiven(TypedDict):
    seats: Annotated[int, Field(ge=2)]
    live: Seats
    last_wager: SeatNumber | None
    board_leader: SeatNumber
    dealer: SeatNumber | None
    declare_start: Literal["last_aggressor", "dealer_left"]


@strict
class Order(TypedDict):
    order: Seats


@strict
class DealOrderGiven(TypedDict):
    occupied: Seats
    dealer: SeatNumber | None
    dealer_mode: DealerMode
    pattern: list[Literal["d", "u"]]


@strict
class DealOrder(TypedDict):
    sequence: list[list[int | str]]


@strict
class NextDealerGiven(TypedDict):
    seats: Annotated[int, Field(ge=2)]
    dealer: SeatNumber | None
    dealt_in: Seats
    dealer_mode: DealerMode
    voided: bool


@strict
class NextDealer(TypedDict):
    dealer: SeatNumber | None
    deal_order: Seats


@strict
class TimeoutGiven(TypedDict):
    legal: NotRequired[LegalOptions]
    due: NotRequired[Literal["declare", "buy", "roll"]]
    downcards_in_order: NotRequired[Cards]


@strict
class Timeout(TypedDict):
    action: list[int | str]


@strict
class VoidGiven(TypedDict):
    stacks: list[Chips]
    contributions: list[Chips]
    bought: NotRequired[list[Chips]]
    folded: Seats


@strict
class Void(TypedDict):
    stacks: list[Chips]
    rake: Chips


@strict
class HandGiven(TypedDict):
    game: str
    pattern: Literal["5", "5last", "7", "miss", "roll"]
    opening: Opening
    order: BoardName
    opener_tie: Literal["suit", "position"]
    split: SplitName
    stacks: list[Annotated[int, Field(ge=1)]]
    dealer: SeatNumber | None
    deck: Annotated[Cards, Field(min_length=52, max_length=52)]
    actions: list[Action]
    ace: NotRequired[Literal["high", "low"]]
    low_ranking: NotRequired[LowName]
    declare: NotRequired[str]
    buy_price: NotRequired[list[Chips]]
    structure: NotRequired[Structure]
    ante: NotRequired[Chips]
    bring_in: NotRequired[Chips]
    small_bet: NotRequired[Chips]
    big_bet: NotRequired[Chips]
    min_bet: NotRequired[Chips]
    spread_min: NotRequired[Chips]
    spread_max: NotRequired[Chips]
    reshuffle: NotRequired[Cards]
    switches: NotRequired[Switches]


@strict
class HandShowdown(TypedDict):
    hands: dict[str, HandCards]
    order: Seats
    per_pot: list[AwardedPot]


@strict
class HandResult(TypedDict):
    first_to_act: list[SeatNumber | None]
    modes: list[Literal["individual", "reuse", "community"]]
    pots: list[PotOf]
    community: NotRequired[Cards]
    showdown: HandShowdown | None
    payouts: list[Chips]
    final_stacks: list[Chips]
