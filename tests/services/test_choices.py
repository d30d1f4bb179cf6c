"""Rolls, purchases and declarations through the whole service (R16, R17, R18.2, R18.7, R18.9)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from doorcard.commands import Choose
from doorcard.events import (
    CardBought,
    DeclarationsOpened,
    Declared,
    Rolled,
)
from doorcard.fairness.dealing import open_bought
from doorcard.streams.messages import encode_request
from doorcard.tables import Role
from tests.services.choosing import (
    BUY,
    DECLARE,
    NO_BRING_IN,
    ROLL,
    downcards,
    of_kind,
    opened,
    played_to,
    secret,
    settled_hand,
    upcards,
)
from tests.services.harness import (
    SENDER,
    TABLE,
    House,
    seat_key,
)
from tests.services.shops import MemoryShop, RedisShop, Shop

# --- whole hands ---------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [ROLL, DECLARE, BUY], ids=lambda game: game["game"])
def test_a_hand_with_choices_is_played_on_every_store(shop: Shop, game: dict[str, Any]) -> None:
    house = House(shop)
    phase = {"roll_your_own": "roll", "five_card_high_low_buy": "buy"}.get(game["game"], "declare")
    opened(house, game, phase)
    settled_hand(house)


def test_r17_1_a_card_bought_face_down_opens_with_its_owners_key_alone(house: House) -> None:
    table = opened(house, BUY, "buy")
    (seat,) = table.asked
    (down, *_) = downcards(table, seat)
    reply = house.ask(Choose(seat, table.decision, "buy", down, player=f"player-{seat}"))
    assert reply.ok
    (event,) = of_kind(house, CardBought)
    assert (event.seat, event.discard, event.shown) == (seat, down, ())
    where = (TABLE, 1, table.seq + 1, table.chain, seat)
    assert list(open_bought(event, *where, seat_key(seat))) == [event.place]
    with pytest.raises(Exception, match="does not open"):
        open_bought(event, *where, seat_key(seat + 1))
    settled_hand(house)


# --- nothing is seen before all have chosen ------------------------------------------------------


def everything(shop: Shop) -> Counter[bytes]:
    """All bytes that lie in the store: logs, queues, replies, dead letters."""
    if isinstance(shop, MemoryShop):
        store = shop.store
        parts: list[bytes] = [stored.raw for log in store.logs.values() for stored in log]
        parts += [raw for queue in store.queues.values() for raw in queue.entries.values()]
        parts += [reply.raw for replies in store.replies.values() for reply in replies]
        parts += [letter.raw for dead in store.dead.values() for letter in dead]
        return Counter(parts)
    assert isinstance(shop, RedisShop)
    parts = []
    for key in shop.client.scan_iter("*"):
        if shop.client.type(key) == b"stream":
            for _, fields in shop.client.xrange(key):
                parts += fields.values()
    return Counter(parts)


@pytest.mark.parametrize(
    ("game", "phase", "text", "event"),
    [(DECLARE, "declare", "low", DeclarationsOpened), (ROLL, "roll", None, Rolled)],
    ids=["declare", "roll"],
)
def test_no_secret_choice_is_anywhere_until_all_are_opened(
    shop: Shop, game: dict[str, Any], phase: str, text: str | None, event: type
) -> None:
    """R16.3, R17.6: queues, logs, dead letters and replies hold sealed bytes of one length."""
    house = House(shop)
    table = opened(house, game, phase)
    seats = table.asked
    before = everything(shop)
    sent: dict[int, Choose] = {}
    for seat in seats:
        sent[seat] = secret(table, seat, text or str(downcards(table, seat)[0]))
        house.send(sent[seat], f"choice-{seat}")
    house.queues.bury(_taken(house, phase), TABLE, "held back for a look")
    house.log.resume(TABLE)
    hay = b"\n".join(everything(shop) - before)
    for choice in sent.values():
        assert len(choice.sealed) == 80
        assert choice.sealed in hay
    assert len({choice.sealed for choice in sent.values()}) == len(seats)
    if text is not None:
        for word in (b"high", b"both", b"low\xa6"):
            assert word not in hay
        assert b"direction" not in hay
    assert b"place" not in hay
    assert not of_kind(house, event)
    (letter,) = house.queues.dead("p00")
    house.queues.revive("p00", letter)
    house.settle()
    (after,) = of_kind(house, event)
    if text is None:
        assert [(row[0], row[1]) for row in after.cards] == [
            (seat, downcards(table, seat)[0]) for seat in sorted(seats, key=seats.index)
        ]
    else:
        assert dict(after.declarations) == dict.fromkeys(seats, "low")
    notes = repr(house.notes.lines)
    assert "low" not in notes.replace("follow", "")
    settled_hand(house)


def _taken(house: House, phase: str) -> Any:
    role: Role = "betting" if phase == "declare" else "dealer"
    (first, *_) = house.queues.read(role, house.shop.partitions, 1, 0)
    return first


# --- refusals ------------------------------------------------------------------------------------


def refused(house: House, command: Choose) -> str:
    """The code of a choice's refusal, which must leave everything as it was."""
    before, logged = house.table(), len(house.commits())
    reply = house.ask(command)
    assert not reply.ok
    assert reply.sentence is not None
    assert reply.sentence.endswith(".")
    assert reply.seat == command.seat
    assert (house.table(), len(house.commits())) == (before, logged)
    assert reply.code is not None
    return reply.code


def test_a_secret_choice_is_made_once(house: House) -> None:
    table = opened(house, DECLARE, "declare")
    seat, *others = table.asked
    assert house.ask(secret(table, seat, "high"), "mine").ok
    assert refused(house, secret(table, seat, "high")) == "choice/made_already"
    assert refused(house, secret(table, seat, "low")) == "choice/made_already"
    assert refused(house, Choose(seat, table.decision, "declare", direction="low")) == (
        "choice/made_already"
    )
    other = others[0]
    assert refused(house, Choose(other, table.decision, "declare", direction="low")) == (
        "choice/not_sealed"
    )
    stolen = secret(table, other, "low")
    late = Choose(other, table.decision - 1, "declare", sealed=stolen.sealed)
    assert refused(house, late) == "choice/late"
    foreign = Choose(other, table.decision, "declare", sealed=stolen.sealed, player="player-99")
    assert refused(house, foreign) == "choice/not_your_seat"


def test_a_repeat_of_an_accepted_choice_gets_its_first_answer(house: House) -> None:
    table = opened(house, DECLARE, "declare")
    command = secret(table, table.asked[0], "high")
    first = house.ask(command, "mine")
    assert house.ask(command, "mine") == first
    for seat in table.asked[1:]:
        house.ask(secret(table, seat, "low"))
    assert house.ask(command, "mine") == first


def test_a_roll_names_a_downcard_of_ones_own(house: House) -> None:
    table = opened(house, ROLL, "roll", roll_order="in_turn")
    (seat,) = table.asked
    other = next(number for number in table.seats if number != seat)
    wrong = (downcards(table, other)[0], 51, None)
    for place in (*wrong, *upcards(table, seat)):
        assert refused(house, Choose(seat, table.decision, "roll", place)) == (
            "dealer/not_your_card"
        )
    place = downcards(table, other)[0]
    assert refused(house, Choose(other, table.decision, "roll", place)) == "choice/not_your_turn"
    assert refused(house, Choose(seat, table.decision, "buy", place)) == "choice/illegal"
    assert house.ask(Choose(seat, table.decision, "roll", downcards(table, seat)[0])).ok
    table = played_to(house, "roll")
    (seat, *_) = table.asked
    settled_hand(house)


def test_r17_6_a_sealed_roll_of_another_card_counts_as_the_time_outs(house: House) -> None:
    """R18.2: what opens to an upcard, another's card or nonsense rolls the card received last."""
    table = opened(house, ROLL, "roll")
    one, two, three = table.asked
    last = {seat: downcards(table, seat)[-1] for seat in table.asked}
    assert house.ask(secret(table, one, str(downcards(table, two)[0]))).ok
    assert house.ask(secret(table, two, "the ace")).ok
    taken = secret(table, one, str(downcards(table, three)[0]))  # sealed as another seat's
    assert house.ask(Choose(three, table.decision, "roll", sealed=taken.sealed)).ok
    (rolled,) = of_kind(house, Rolled)
    assert {seat: place for seat, place, _, _ in rolled.cards} == last
    settled_hand(house)


@pytest.mark.parametrize("sealed", [b"x", b"low", bytes(80), bytes(256)])
def test_r18_2_bytes_that_open_to_nothing_declare_high(house: House, sealed: bytes) -> None:
    table = opened(house, DECLARE, "declare")
    for seat in table.asked:
        assert house.ask(Choose(seat, table.decision, "declare", sealed=sealed)).ok
    (event,) = of_kind(house, DeclarationsOpened)
    assert dict(event.declarations) == dict.fromkeys(table.asked, "high")
    settled_hand(house)


def test_r16_2_both_needs_its_switch_and_directions_their_turn(house: House) -> None:
    table = opened(house, DECLARE, "declare", declare="sequential")
    (seat,) = table.asked
    other = next(number for number in table.seats if number != seat)
    both = Choose(seat, table.decision, "declare", direction="both")
    assert refused(house, both) == "choice/bad_direction"
    assert refused(house, Choose(seat, table.decision, "declare")) == "choice/bad_direction"
    turn = Choose(other, table.decision, "declare", direction="low")
    assert refused(house, turn) == "choice/not_your_turn"
    assert house.ask(Choose(seat, table.decision, "declare", direction="low")).ok
    again = Choose(seat, table.decision, "declare", direction="high")
    assert refused(house, again) == "choice/late"
    settled_hand(house)
    assert of_kind(house, Declared)[0] == Declared(seat, "low")


def test_r17_3_a_purchase_that_cannot_be_paid_is_not_offered(house: House) -> None:
    table = opened(house, BUY, "buy", buy_price=(90,))
    (seat, *_) = table.asked
    hand = table.hand
    assert hand is not None
    for player in hand.players:
        able = player.stack >= 90
        asked = player.seat in table.asked
        assert able or not asked
    poor = next(number for number in table.seats if number != seat)
    place = downcards(table, poor)[0]
    assert refused(house, Choose(poor, table.decision, "buy", place)) == "choice/not_your_turn"
    assert refused(house, Choose(seat, table.decision, "buy", place)) == "dealer/not_your_card"


def test_a_choice_in_the_wrong_queue_or_at_the_wrong_time_is_refused(house: House) -> None:
    house.open(limits=NO_BRING_IN, **DECLARE)
    decision = house.table().decision
    assert refused(house, Choose(0, decision, "roll", 0)) == "dealer/nobody_asked"
    assert refused(house, Choose(0, decision, "declare", direction="low")) == (
        "betting/illegal_action"
    )
    wrong: list[tuple[Role, Choose]] = [
        ("dealer", Choose(0, decision, "declare", direction="low")),
        ("betting", Choose(0, decision, "roll", 1)),
        ("floor", Choose(0, decision, "roll", 1)),
        ("showdown", Choose(0, decision, "roll", 1)),
    ]
    for role, command in wrong:
        house.queues.send(role, TABLE, encode_request(f"to-{role}", SENDER, TABLE, command))
    house.settle()
    assert {reply.code for reply in house.replies()} == {"message/wrong_queue"}
