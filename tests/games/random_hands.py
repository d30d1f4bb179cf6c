"""Random hands of any game, with everything that may happen at a table while one is played.

Stacks are short, time runs out, players come, leave, sit out and come back, sealed choices open to
nonsense, hands are voided. After every commit the chips and cards are counted.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Final

from doorcard.cards import CARDS, Card
from doorcard.commands import (
    Act,
    AddChips,
    Choose,
    Leave,
    OpenTable,
    SitDown,
    SitIn,
    SitOut,
    TableCommand,
    TimeOut,
    VoidHand,
)
from doorcard.engine import betting, dealer, floor, showdown
from doorcard.engine.choices import Choices, choices, time_out_due
from doorcard.engine.dealer_choices import decide_choice
from doorcard.engine.decided import Decided
from doorcard.engine.deck import Deck
from doorcard.engine.invariants import check
from doorcard.engine.legal import legal
from doorcard.engine.ruleset import ruleset
from doorcard.engine.table import Table
from doorcard.errors import BadInput, Refused
from doorcard.events import Event
from doorcard.games import GAMES
from doorcard.limits import Limits, Scalar, Structure
from doorcard.tables import GameSpec
from tests.engine.play import choose, require_whole_amounts
from tests.engine.random_play import actions_of, choice, granted

STRUCTURES: Final[tuple[Structure, ...]] = (
    "fixed_limit",
    "spread_limit",
    "pot_limit",
    "no_limit",
)
COMMITS_MAX: Final = 600
"""More commits than a hand can have, with ten players and every raise allowed."""
ANYWHERE: Final[dict[str, tuple[Scalar, ...]]] = {
    "dealer_mode": ("fixed",),
    "burn": (False,),
    "exhaustion": ("community_only",),
    "community_betting": (False,),
    "community_opener": ("same_as_previous",),
    "short_bring_in_price": ("actual",),
    "bring_in_all_in_ante": ("next_low_card",),
    "open_fold": (True,),
    "small_raise_after_big": (True,),
    "late_streets": ("either",),
    "max_raises": (1, 4, None),
    "heads_up_uncap": ("becomes_heads_up", "never"),
    "short_wager_rule": ("half", "full"),
    "opener_tie": ("suit", "position"),
    "rake_bps": (500,),
    "rake_cap": (3,),
    "no_fourth_street_no_drop": (False,),
    "auto_muck": (False,),
    "expose_all_in": (True,),
    "odd_chip": ("tda", "position"),
    "odd_half_chip": ("low",),
    "chip_unit": (5,),
    "missed_ante_policy": ("post_one", "dealt_in"),
}
"""House rules that any game may have, with values that are not the usual ones."""
SPECIAL: Final[dict[str, dict[str, tuple[Scalar, ...]]]] = {
    "wild": {
        "wild_on_board": (False,),
        "double_ace_flush": (True,),
        "natural_beats_wild": (True,),
        "pair_option": ("holder",),
    },
    "declare": {
        "declare": ("sequential", "simultaneous"),
        "declare_both": (True,),
        "declare_both_ties": ("share",),
        "declare_start": ("dealer_left",),
        "bet_after_declare": (True,),
        "low_ranking": ("a5", "a6", "27"),
        "pair_option": ("any",),
    },
    "five_card_high_low_buy": {
        "buy_order": ("opener",),
        "bet_before_buy": (True,),
        "bet_between_buys": (True,),
        "buy_price": ((1,), (3, 40)),
        "buy_rounds": (0, 1, 2),
    },
    "roll_your_own": {"roll_order": ("in_turn",), "opening": ("low_card_bring_in",)},
    "queens_and_after": {"queen_cancels_previous": (False,)},
    "baseball": {
        "four_extra": ("up",),
        "four_extra_price": (1, 7),
        "three_up_match_pot": (True,),
        "opening": ("low_card_bring_in",),
    },
    "low_chicago": {"low_chicago_ace": ("low",)},
    "soko": {"soko_board_four_card": (False,)},
    "seven_card_stud": {"wild_cards": ("Jh Js", "2c 2d 2h 2s Kd"), "pair_option": ("holder",)},
    "mississippi": {"wild_cards": ("Ah",)},
    "high_chicago": {"wild_cards": ("3s 9s",)},
}


class ShuffledDeck:
    """A deck and its reshuffles, all from one seed."""

    def __init__(self, rng: random.Random) -> None:
        cards = list(CARDS)
        rng.shuffle(cards)
        draw = list(CARDS)
        rng.shuffle(draw)
        self.cards: tuple[Card, ...] = tuple(cards)
        self.button_cards: tuple[Card, ...] = tuple(draw)
        self.salts: tuple[bytes, ...] = (b"",) * 52
        self._seed = rng.random()

    def reshuffled(self, pool: tuple[int, ...], count: int) -> tuple[int, ...]:
        order = list(pool)
        random.Random(f"{self._seed} {count} {pool}").shuffle(order)
        return tuple(order)


@dataclass
class Played:
    """One hand at a table, commit by commit, and what the floor did between it and the last."""

    spec: GameSpec
    deck: Deck
    before: Table
    """The table when the last hand had ended."""
    table: Table
    """The table when this one had, and whoever left was paid out."""
    commits: list[tuple[str, tuple[Event, ...], Table]] = field(
        default_factory=list[tuple[str, tuple[Event, ...], Table]]
    )
    """Role, events and the table afterwards."""

    @property
    def events(self) -> list[Event]:
        """All events."""
        return [event for _, events, _ in self.commits for event in events]

    @property
    def kinds(self) -> set[str]:
        """The names of the events that came up."""
        return {type(event).__name__ for event in self.events}


def switches(game: str) -> dict[str, tuple[Scalar, ...]]:
    """The switches that make sense in a game, each with values that are not the usual ones."""
    value = GAMES[game]
    found = {**ANYWHERE, **SPECIAL.get(game, {})}
    if value.wild:
        found |= SPECIAL["wild"]
    if "declare" in value.modifiers:
        found |= SPECIAL["declare"]
    if "last_card_down" in value.modifiers:
        found["last_card_down"] = (True,)
    if "low_board_opens" in value.openings:
        found["opening"] = ("low_board_opens",)
    return found


def random_spec(game: str, structure: Structure, rng: random.Random) -> GameSpec:
    """A game with a random variant and a few random house rules that do not contradict."""
    choosable = switches(game)
    own = sorted(choosable.keys() - ANYWHERE.keys())
    variant = rng.choice(["", *GAMES[game].variants])
    while True:
        names = rng.sample(own, rng.randint(0, min(len(own), 3)))
        names += rng.sample(sorted(ANYWHERE), rng.choice((0, 0, 1, 2, 4)))
        house = tuple(sorted((name, rng.choice(choosable[name])) for name in names))
        for forced in (False, True):
            spec = GameSpec(game, variant, _limits(structure, rng, forced=forced), house)
            try:
                ruleset(spec)
            except BadInput:
                continue
            return spec


def _limits(structure: Structure, rng: random.Random, *, forced: bool) -> Limits:
    bring_in = rng.choice((1, 2, 5)) if forced else 0
    ante = rng.choice((0, 1, 1, 2))
    if structure == "spread_limit":
        return Limits(structure, ante, bring_in, spread_min=2, spread_max=20)
    least = 0 if structure == "fixed_limit" else rng.choice((0, 8))
    return Limits(structure, ante, bring_in, 5, 10, least)


def play_table(
    spec: GameSpec, rng: random.Random, *, hands: int = 1, rough: bool = True
) -> list[Played]:
    """Seat random players with random stacks and play some hands.

    Args:
        hands: how many at most; fewer where all but one have lost everything or gone.
        rough: whether players come, leave, sit out and add chips, in and between the hands.
    """
    most = ruleset(spec).seats_max
    players = rng.choice([2, 3, rng.randint(2, most), most])
    command = OpenTable(spec.game, spec.limits, spec.variant, spec.house, players)
    table = granted(floor.open_table("p00.random", command)).table
    for seat in range(players):
        sit = SitDown(seat, f"p{seat}", _chips(rng), f"r{seat}")
        table = granted(floor.decide(table, sit)).table
    hands_played: list[Played] = []
    while len(hands_played) < hands and table.awaited == "dealer":
        played = Played(spec, ShuffledDeck(rng), table, table)
        _play_hand(played, rng, rough=rough)
        hands_played.append(played)
        table = played.table
    return hands_played


def _chips(rng: random.Random) -> int:
    """Mostly a short stack: many of them are all-in soon."""
    return rng.choice((1, 2, 3, 7, 20, 60, 200, rng.randint(1, 400), 2000))


def _play_hand(played: Played, rng: random.Random, *, rough: bool) -> None:
    """One hand, and what happens at the table after it."""
    _append(played, "dealer", granted(dealer.decide(played.table, played.deck)))
    while played.table.in_hand:
        assert len(played.commits) < COMMITS_MAX, "a hand ends"
        if rough and rng.random() < 0.04:
            _floor(played, _request(played.table, rng))
        else:
            role = played.table.awaited
            assert role is not None, "somebody is always awaited"
            _append(played, role, _step(played.table, played.deck, rng))
    if played.table.awaited == "floor":
        _append(played, "floor", granted(floor.settle_leavers(played.table)))
    if rough:
        for seat in range(_seats(played.table)):
            _floor(played, _between_hands(played.table, seat, rng))


def _floor(played: Played, command: TableCommand | None) -> None:
    """Ask the floor; what it refuses or has granted before changes nothing."""
    outcome = None if command is None else floor.decide(played.table, command)
    if isinstance(outcome, Decided) and outcome.events:
        _append(played, "floor", outcome)


def _request(table: Table, rng: random.Random) -> TableCommand:
    """Something that is asked of the floor in the middle of a hand."""
    seat = rng.randrange(_seats(table))
    if seat not in table.seats:
        return _newcomer(seat, rng)
    name = table.seats[seat].player
    return rng.choice((
        Leave(seat, name, "leave"),
        SitOut(seat, name),
        SitOut(seat, name),
        SitIn(seat, name),
        AddChips(seat, name, 10, f"more {rng.random()}"),
        VoidHand("by order") if rng.random() < 0.1 else SitIn(seat, name),
    ))  # fmt: skip


def _between_hands(table: Table, seat: int, rng: random.Random) -> TableCommand | None:
    """Empty seats are taken, the absent come back, the broke bring more; now and then one goes."""
    if rng.random() < 0.5:
        return None
    taken = table.seats.get(seat)
    if taken is None:
        return _newcomer(seat, rng)
    if taken.sitting_out:
        return SitIn(seat, taken.player)
    if not taken.stack:
        return AddChips(seat, taken.player, _chips(rng), f"more {rng.random()}")
    return Leave(seat, taken.player, "leave") if rng.random() < 0.1 else None


def _newcomer(seat: int, rng: random.Random) -> SitDown:
    return SitDown(seat, f"new {rng.random()}", _chips(rng), "new")


def _seats(table: Table) -> int:
    assert table.config is not None
    return table.config.seats


def _append(played: Played, role: str, decided: Decided) -> None:
    table = decided.table
    check(table, decided.events)
    check_places(table)
    for event in decided.events:
        require_whole_amounts(event)
    played.commits.append((role, decided.events, table))
    played.table = table


def _step(table: Table, deck: Deck, rng: random.Random) -> Decided:
    """One decision of whoever is awaited; players who are away have no time.

    No state asks nobody while nothing is due, and none asks somebody who can do nothing.
    """
    due = choices(table)
    options = legal(table)
    assert due is None or options is None
    asked = table.asked
    if due is None and options is None:
        assert not asked
        if table.awaited == "dealer":
            return granted(dealer.decide(table, deck))
        assert table.awaited == "showdown", "nobody is asked, so something is due"
        return granted(showdown.decide(table, deck))
    assert asked
    assert len(set(asked)) == len(asked)
    seat = rng.choice(asked)
    away = set(table.absent)
    over = rng.random() < 0.05
    if over or away:
        timeless = table.draft()
        timeless.deadline_ms = 0 if over else 1
        command = time_out_due(timeless, 0)
        assert isinstance(command, TimeOut)
        return granted(_decide(table, command, deck))
    if due is not None:
        return granted(_decide(table, _answer(table, due, rng), deck))
    assert options is not None
    assert options.seat == seat
    actions = actions_of(options)
    assert actions, "a seat that is asked can do something"
    # Folding as often as anything else would end most hands on the first street.
    name, to = rng.choice(actions)
    if name == "fold" and rng.random() < 0.6:
        name, to = rng.choice(actions)
    return granted(betting.decide(table, Act(seat, options.decision, name, to)))


def _answer(table: Table, due: Choices, rng: random.Random) -> Choose:
    """Any answer; now and then a sealed one that opens to nonsense."""
    if due.secret and rng.random() < 0.05:
        return choose(rng.choice(due.seats), due, "roll" if due.kind == "roll" else "declare", "77")
    return choice(table, due, rng)


def _decide(table: Table, command: Choose | TimeOut, deck: Deck) -> Decided | Refused:
    if table.awaited == "betting":
        return betting.decide(table, command)
    return decide_choice(table, command, deck)


def check_places(table: Table) -> None:
    """Every card of the deck lies in exactly one place (R1.2, R2.7), and upcards match theirs."""
    hand = table.hand
    if hand is None or hand.phase == "over":
        return
    held = [place for player in hand.players for place in (*player.down, *player.up_places)]
    places = [*hand.stub, *hand.burns, *hand.discards, *held]
    assert len(set(places)) == len(places) == 52 - len(hand.community)
    for player in hand.players:
        assert len(player.up) == len(player.up_places)
    assert hand.live == sum(not player.folded for player in hand.players)
    assert hand.able == sum(not p.folded and p.stack > 0 for p in hand.players)
    dead = sum(chips for _, chips, _ in hand.dead)
    assert hand.pot == sum(player.total for player in hand.players) + dead
