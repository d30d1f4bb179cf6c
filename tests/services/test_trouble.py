"""Messages that nobody can handle, keys that do not fit, logs that cannot be read, a full store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from doorcard.commands import Act, OpenTable
from doorcard.engine.decided import Decided
from doorcard.engine.table import Table
from doorcard.errors import BadKey, Refused
from doorcard.fairness.keys import DeckKeyRing
from doorcard.fairness.ring_text import RingKeys
from doorcard.streams.keys import dead_key, given_key, log_key, queue_key, reply_key
from doorcard.streams.messages import encode_request
from services.betting import BettingDecider
from services.deciders import DeckKeeper
from services.jobs import Message
from tests.services.harness import (
    LIMITS,
    SENDER,
    TABLE,
    House,
    assert_all_is_done,
    calm,
    decider_for,
    settings_for,
    sit_down,
)
from tests.services.shops import MemoryShop, RedisShop, Shop

OTHER = "p00.other-1"
GIVEN = given_key(queue_key("betting", "p00"))


class Poisoned(BettingDecider):
    """Cannot bear one table."""

    def __init__(self, table: str = TABLE, error: type[Exception] = ValueError) -> None:
        self.table = table
        self.error = error

    def decide(self, table: Table, message: Message, now_ms: int) -> Decided | Refused:
        if message.table == self.table:
            raise self.error("As Ks 2c are nobody's business")
        return super().decide(table, message, now_ms)


@pytest.fixture
def quick(shop: Shop) -> House:
    """A house where messages that were left behind are given to others at once."""
    return House(shop, settings_for(claim_idle_ms=5_000 if isinstance(shop, MemoryShop) else 0))


def open_other(house: House) -> None:
    """A second table."""
    house.send(OpenTable("razz", LIMITS, seats=2), "open-other", table=OTHER)
    for seat in range(2):
        house.send(sit_down(seat), f"sit-{seat}", table=OTHER)
    house.settle()


def exhaust(house: House) -> None:
    """Let a message be delivered until it is given up."""
    for _ in range(house.settings.deliveries_max + 1):
        house.settle()
        house.claim()


# --- S-44: poison --------------------------------------------------------------------------------


def test_s44_a_poisonous_message_is_buried_and_the_others_go_on(quick: House) -> None:
    house = quick
    house.open(2)
    open_other(house)
    house.hire("betting", Poisoned())
    poison = calm(house.table())
    house.send(poison, "poison")
    for number in range(100):
        house.send(Act(0, number + 10_000, "fold"), f"good-{number}", table=OTHER)
    house.settle()
    assert len([reply for reply in house.replies() if reply.id.startswith("good-")]) == 100
    assert house.shop.unfinished() == {"betting p00": 1}
    exhaust(house)
    assert house.shop.unfinished() == {}
    (letter,) = house.queues.dead("p00")
    assert (letter.table, letter.count) == (TABLE, house.settings.deliveries_max)
    assert letter.queue == queue_key("betting", "p00")
    assert letter.raw == encode_request("poison", SENDER, TABLE, poison)
    assert house.log.paused() == {TABLE: letter.reason}
    assert letter.reason.startswith("ValueError in ")
    assert "Poisoned.decide" in letter.reason
    assert len(house.notes.said("message failed")) == house.settings.deliveries_max
    assert "As" not in str(house.notes.lines), "an error's text may hold a card"


def test_a_message_that_kills_its_worker_is_buried_unhandled(quick: House) -> None:
    """A process that is killed never reaches its own counter, so the store's is used."""
    house = quick
    house.open(2)
    house.send(calm(house.table()), "deadly")
    for _ in range(house.settings.deliveries_max):
        house.shop.pass_ms(5)
        if isinstance(house.shop, RedisShop):
            house.shop.pass_long()
        queues = house.queues
        taken = queues.read("betting", ["p00"], 1) or queues.claim("betting", ["p00"], 0, 1)
        assert len(taken) == 1
    house.claim()
    (letter,) = house.queues.dead("p00")
    assert letter.reason == f"delivered {house.settings.deliveries_max} times without an end"
    assert house.log.paused() == {TABLE: letter.reason}
    assert "deadly" not in [commit.cause for commit in house.commits()]


def test_a_worker_without_memory_ends_and_blames_no_message(quick: House) -> None:
    """Others have memory: what it had read is theirs, and no table is paused for it."""
    house = quick
    house.open(2)
    starved = house.hire("betting", Poisoned(error=MemoryError))
    house.send(calm(house.table()), "act")
    with pytest.raises(MemoryError):
        starved.step(0)
    assert house.notes.said("message failed") == []
    house.hire("betting")
    assert house.claim() == 1
    house.settle()
    assert [(reply.id, reply.ok) for reply in house.replies()][-1] == ("act", True)
    assert_all_is_done(house)


def test_nobody_but_the_floor_works_at_a_paused_table(quick: House) -> None:
    house = quick
    house.open(3)
    house.log.pause(TABLE, "somebody looks")
    before = len(house.commits())
    reply = house.ask(calm(house.table()))
    assert (reply.code, reply.sentence) == ("table/paused", "The table is paused by the operator.")
    assert len(house.commits()) == before
    assert house.shop.unfinished() == {}
    assert house.ask(OpenTable("razz", LIMITS)).code == "floor/table_exists"
    house.log.resume(TABLE)
    assert house.act().ok


def test_a_letter_that_cannot_be_buried_is_kept(server_client: Any) -> None:
    """The dead letters' own key is broken: the message stays, the worker goes on."""
    house = House(RedisShop(server_client), settings_for(claim_idle_ms=0))
    house.open(2)
    server_client.set(dead_key("p00"), "not a stream")
    house.hire("betting", Poisoned())
    house.send(calm(house.table()), "poison")
    exhaust(house)
    assert house.shop.unfinished() == {"betting p00": 1}
    assert house.notes.said("message not buried")
    server_client.delete(dead_key("p00"))
    house.claim()
    assert [letter.table for letter in house.queues.dead("p00")] == [TABLE]


# --- keys ----------------------------------------------------------------------------------------


def test_a_hand_under_a_key_that_nobody_has_is_paused_with_the_keys_name(quick: House) -> None:
    house = quick
    house.open(2)
    open_other(house)
    other_ring = DeckKeyRing(RingKeys({"k2": b"\5" * 32}, "k2", {}, None))
    house.hire("dealer", decider_for("dealer", other_ring))
    while house.table().awaited == "betting":
        house.act()
    exhaust(house)
    assert house.log.paused() == {TABLE: "BadKey: the key ring has no deck key 'k1'"}
    house.hire("dealer")  # the key is brought back
    (letter,) = house.queues.dead("p00")
    house.queues.revive("p00", letter)
    house.log.resume(TABLE)
    house.settle()
    assert house.hand().street == 2


def test_another_holder_of_the_key_takes_over(quick: House) -> None:
    """One worker without the key harms nobody while another has it."""
    house = quick
    house.open(2)
    other_ring = DeckKeyRing(RingKeys({"k1": b"\5" * 32}, "k1", {}, None))
    ignorant = house.new_worker("dealer", decider_for("dealer", other_ring))
    while house.table().awaited == "betting":
        house.send(calm(house.table()))
        house.settle(("betting",))
    ignorant.step(0)
    (line,) = house.notes.said("message failed")
    assert "does not open: sealed to another key than 'k1' names" in str(line["error"])
    house.claim()
    house.settle()
    assert house.table().awaited == "betting"
    assert_all_is_done(house)


def test_a_deck_is_never_confused_with_one_that_was_not_committed(house: House) -> None:
    """S-28e: the seed of a hand whose commit was refused is used for no hand."""
    ring = DeckKeyRing(RingKeys({"k1": b"\1" * 32}, "k1", {}, None))
    keeper = DeckKeeper(ring, draw=lambda: b"another deck's seed".ljust(32))
    house.open(2)
    with pytest.raises(BadKey, match="has no hand"):
        keeper.of(Table())
    lost, _ = keeper.new(house.table())
    real = keeper.of(house.table())
    assert real.salts != lost.salts
    assert keeper.of(house.table()).salts == real.salts


# --- logs and keys of the wrong kind -------------------------------------------------------------


@pytest.mark.parametrize("known", [True, False])
def test_a_key_of_the_wrong_kind_is_one_tables_trouble(server_client: Any, *, known: bool) -> None:
    house = House(RedisShop(server_client), settings_for(claim_idle_ms=0))
    house.open(2)
    open_other(house)
    act, other = calm(house.table()), calm(house.table(OTHER))
    if known:  # the worker has both in its cache, and thinks it must read what it missed
        for table in (TABLE, OTHER):
            house.send(Act(0, 1, "check"), table=table)
        house.settle()
    server_client.delete(log_key(TABLE))
    server_client.set(log_key(TABLE), "a text")
    house.send(Act(act.seat, act.decision + 5, "fold"), "act")
    house.send(Act(other.seat, other.decision + 5, "fold"), "late", table=OTHER)
    house.send(other, "other", table=OTHER)
    exhaust(house)
    assert house.commits(OTHER)[-1].cause == "other"
    (letter,) = house.queues.dead("p00")
    assert letter.table == TABLE
    assert "another kind of value" in letter.reason
    assert house.log.paused() == {TABLE: letter.reason}


def cut(raw: bytes) -> bytes:
    return raw[:-1]


def flipped(raw: bytes) -> bytes:
    return raw[:-1] + bytes((raw[-1] ^ 1,))


@pytest.mark.parametrize(
    ("spoil", "why"),
    [(cut, "cannot be read"), (flipped, "is not the one that was appended")],
)
def test_a_log_that_does_not_fold_is_one_tables_trouble(
    house: House, spoil: Callable[[bytes], bytes], why: str
) -> None:
    assert isinstance(house.shop, MemoryShop)
    house.open(2)
    open_other(house)
    act, other = calm(house.table()), calm(house.table(OTHER))
    log = house.shop.store.logs[TABLE]
    log[-1] = log[-1]._replace(raw=spoil(log[-1].raw))
    house.send(act, "act")
    house.send(other, "other", table=OTHER)
    exhaust(house)
    assert house.commits(OTHER)[-1].cause == "other"
    assert list(house.log.paused()) == [TABLE]
    assert f"table {TABLE}: commit {log[-1].seq} {why}" in house.log.paused()[TABLE]


def test_a_log_that_is_gone_is_not_begun_again(server_client: Any) -> None:
    house = House(RedisShop(server_client), settings_for(claim_idle_ms=0))
    house.open(2)
    house.act()
    act = calm(house.table())
    server_client.delete(log_key(TABLE))
    house.send(act, "act")
    exhaust(house)
    assert not server_client.exists(log_key(TABLE))
    assert list(house.log.paused()) == [TABLE]


def test_an_answer_that_cannot_be_kept_harms_nobody(server_client: Any) -> None:
    house = House(RedisShop(server_client))
    house.open(2)
    server_client.delete(reply_key("p00", SENDER))
    server_client.set(reply_key("p00", SENDER), "a text")
    house.send(calm(house.table()), "act")
    house.send(Act(0, 9, "fold"), "late")
    house.settle()
    assert house.commits()[-1].cause == "act"
    assert house.shop.unfinished() == {}


def test_a_message_for_another_partitions_table_is_buried(quick: House) -> None:
    house = quick
    house.queues.send(
        "floor", TABLE, encode_request("x", SENDER, "p01.away", OpenTable("razz", LIMITS))
    )
    exhaust(house)
    (letter,) = house.queues.dead("p00")
    assert "no queue of the table's partition" in letter.reason


# --- S-43: a full store --------------------------------------------------------------------------


def test_s43_a_full_store_keeps_every_message_and_goes_on_later(server_client: Any) -> None:
    shop = RedisShop(server_client)
    house = House(shop, settings_for(claim_idle_ms=0, batch=4))
    house.open(2)
    worker = house.workers["betting"]
    act = calm(house.table())
    requests = {"act": act} | {f"late-{n}": Act(0, n + 900, "fold") for n in range(9)}
    for request_id, command in requests.items():
        house.send(command, request_id)
    before = house.log.read(TABLE)
    server_client.config_set("maxmemory", 1)
    try:
        for _ in range(20):  # more often than a message may be delivered
            worker.step(0)
            worker.claim()
            assert worker.stuck
        assert worker.waiting == 1, "what needs a commit waits, and nothing more is read"
        assert house.log.read(TABLE) == before
    finally:
        server_client.config_set("maxmemory", 0)
    house.settle()
    assert [commit.cause for commit in house.commits()][len(before)] == "act"
    assert house.queues.dead("p00") == []
    assert_all_is_done(house)
    (full,) = house.notes.said("the store takes no writes, waiting")
    assert "maxmemory" in str(full["why"])
    assert len(house.notes.said("the store takes writes again")) == 1


def test_s43_a_held_message_is_not_given_to_others(server_client: Any) -> None:
    """Whoever waits for memory has not died: others do not count the message towards its end."""
    shop = RedisShop(server_client)
    house = House(shop, settings_for(claim_idle_ms=40))
    house.open(2)
    stuck = house.workers["betting"]
    house.send(calm(house.table()), "act")
    server_client.config_set("maxmemory", 1)
    try:
        stuck.step(0)
        house.shop.pass_ms(60)
        server_client.config_set("maxmemory", 0)
        shop.pass_long()
        server_client.config_set("maxmemory", 1)
        stuck.claim()
        assert house.new_worker("betting").claim() == 0
    finally:
        server_client.config_set("maxmemory", 0)
    (note,) = [note for name, note in server_client.hgetall(GIVEN).items() if name != b"line"]
    assert note.split(b" ")[1] == b"1"
    house.settle()
    assert "act" in [commit.cause for commit in house.commits()]
    assert_all_is_done(house)


def test_s43_a_sender_is_told_that_the_store_is_full(server_client: Any) -> None:
    house = House(RedisShop(server_client))
    raw = encode_request("x", SENDER, TABLE, OpenTable("razz", LIMITS))
    server_client.config_set("maxmemory", 1)
    try:
        answer = house.queues.send("floor", TABLE, raw)
    finally:
        server_client.config_set("maxmemory", 0)
    assert isinstance(answer, Refused)
    assert answer.code == "queue/full"
