"""What queues, timers, replies and feeds do, on every store."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from doorcard.errors import BadInput, Refused
from doorcard.streams.delivery import BEGINNING, Delivery, Outgoing
from doorcard.streams.keys import given_key, queue_key
from doorcard.streams.memory_queues import MemoryQueues
from doorcard.streams.queues import Queues
from doorcard.tables import Role

Fill = Callable[..., list[str]]
KEY = queue_key("betting", "p00")
ALL = {"p00": BEGINNING}


def read(shop: Any, count: int = 100) -> list[Delivery]:
    found: list[Delivery] = shop.queues.read("betting", ["p00", "p01"], count)
    return found


def claim(shop: Any, count: int = 10, idle_ms: int = 0) -> list[Delivery]:
    found: list[Delivery] = shop.queues.claim("betting", ["p00", "p01"], idle_ms, count)
    return found


def answer(shop: Any, sender: str, raw: bytes, *, partition: str = "p00") -> None:
    shop.queues.finish([Outgoing(partition, sender, raw)], [])


def test_messages_are_handed_out_once_in_order(shop: Any, filled: Fill) -> None:
    ids = filled("betting", 5)
    first, rest = read(shop, 2), read(shop)
    assert [delivery.id for delivery in first + rest] == ids
    assert [delivery.raw for delivery in first + rest] == [b"0", b"1", b"2", b"3", b"4"]
    assert {(delivery.queue, delivery.count) for delivery in first + rest} == {(KEY, 1)}
    assert read(shop) == []
    assert shop.queues.length("betting", "p00") == 5
    assert shop.queues.length("floor", "p00") == 0


def test_partitions_are_read_together(shop: Any) -> None:
    shop.queues.send("betting", "p01.b", b"b")
    shop.queues.send("betting", "p00.a", b"a")
    assert sorted(delivery.raw for delivery in read(shop)) == [b"a", b"b"]
    assert shop.queues.length("betting", "p01") == 1


def test_two_workers_share_the_messages(shop: Any, filled: Fill) -> None:
    filled("betting", 4)
    assert len(read(shop, 2)) == len(read(shop, 2)) == 2


def test_what_came_before_the_group_is_handed_out(shop: Any, filled: Fill) -> None:
    """S-40: the group is made at the beginning; a second one who makes it carries on."""
    filled("betting", 3)
    if isinstance(shop.queues, Queues):
        shop.queues.ensure_groups("betting", ["p00"])
        shop.queues.ensure_groups("betting", ["p00"])
    assert len(read(shop)) == 3


def test_handled_messages_are_gone(shop: Any, filled: Fill) -> None:
    filled("betting", 2)
    one, _ = read(shop)
    shop.queues.ack(one)
    shop.queues.ack(one)
    assert shop.waiting("betting") == [b"1"]
    shop.look()
    assert [delivery.raw for delivery in claim(shop)] == [b"1"]


def test_a_reader_waits_for_the_first_message(shop: Any) -> None:
    assert read(shop) == []
    started = time.monotonic()
    assert shop.queues.read("betting", ["p00"], 5, block_ms=40) == []
    assert time.monotonic() - started >= 0.03
    sender = threading.Timer(0.05, shop.queues.send, ("betting", "p00.a", b"late"))
    sender.start()
    assert [each.raw for each in shop.queues.read("betting", ["p00"], 5, 5_000)] == [b"late"]
    sender.join()


def test_a_dead_workers_messages_are_handed_out_again(shop: Any, filled: Fill) -> None:
    """S-37: 25 entries by tens, in order, and none twice."""
    ids = filled("betting", 25)
    assert len(read(shop, 25)) == 25
    shop.look()
    time.sleep(0.2)
    claimed = [claim(shop, 10, idle_ms=150) for _ in range(4)]
    assert [len(page) for page in claimed] == [10, 10, 5, 0]
    assert [delivery.id for page in claimed for delivery in page] == ids
    assert {delivery.count for page in claimed for delivery in page} == {2}


def test_what_is_not_handed_out_or_not_long_ago_is_left_alone(shop: Any, filled: Fill) -> None:
    """A queue may be long: a message that waits unread, however long, is nobody's to give up."""
    filled("betting", 4)
    read(shop, 2)
    shop.look()
    time.sleep(0.2)
    assert [delivery.raw for delivery in claim(shop, idle_ms=60_000)] == []
    assert [delivery.raw for delivery in claim(shop, idle_ms=150)] == [b"0", b"1"]
    assert [delivery.raw for delivery in read(shop)] == [b"2", b"3"]
    assert [delivery.raw for delivery in claim(shop, idle_ms=150)] == []


def test_handled_messages_are_not_handed_out_again(shop: Any, filled: Fill) -> None:
    """S-38: nor does a note of them stay."""
    filled("betting", 3)
    read(shop)
    shop.look()
    one, two, three = claim(shop)
    shop.queues.ack(two)
    assert [delivery.raw for delivery in claim(shop)] == [b"0", b"2"]
    shop.queues.finish([], [one, three])
    assert claim(shop) == []
    if shop.client is not None:
        assert set(shop.client.hkeys(given_key(KEY))) <= {b"line"}


def test_the_store_counts_deliveries(shop: Any, filled: Fill) -> None:
    """S-44: also those to workers that died over it."""
    filled("betting", 2)
    counts = [[delivery.count for delivery in read(shop)]]
    shop.look()
    counts += [[delivery.count for delivery in claim(shop)] for _ in range(4)]
    assert counts == [[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]]


def test_a_poison_message_is_buried_and_its_table_paused(shop: Any, filled: Fill) -> None:
    """S-44: the others go on; an operator puts it back."""
    filled("betting", 2)
    read(shop)
    shop.look()
    poison, other = claim(shop)
    shop.queues.bury(poison, "p00.a", "it always throws")
    assert shop.log.paused() == {"p00.a": "it always throws"}
    assert shop.waiting("betting") == [b"1"]
    (letter,) = shop.queues.dead("p00")
    assert letter[1:] == (KEY, poison.id, b"0", "p00.a", "it always throws", 2)
    shop.queues.ack(other)
    shop.queues.revive("p00", letter)
    assert shop.queues.dead("p00") == []
    assert [(each.raw, each.count) for each in read(shop)] == [(b"0", 1)]
    assert shop.log.paused() == {"p00.a": "it always throws"}


def test_what_was_handled_meanwhile_is_not_buried(shop: Any, filled: Fill) -> None:
    """Nor twice: a call whose answer was lost is sent again, and one table has one letter."""
    filled("betting", 2)
    handled, poison = read(shop)
    shop.queues.ack(handled)
    shop.queues.bury(handled, "p00.b", "too slow")
    for _ in range(2):
        shop.queues.bury(poison, "p00.a", "it always throws")
    assert [letter.message_id for letter in shop.queues.dead("p00")] == [poison.id]
    assert shop.log.paused() == {"p00.a": "it always throws"}


def test_an_operators_reason_stays(shop: Any, filled: Fill) -> None:
    filled("betting", 1)
    (delivery,) = read(shop)
    shop.log.pause("p00.a", "a dispute")
    shop.queues.bury(delivery, "p00.a", "it always throws")
    assert shop.log.paused() == {"p00.a": "a dispute"}


def test_a_message_is_put_away_while_its_table_is_paused(shop: Any, filled: Fill) -> None:
    filled("betting", 2)
    first, second = read(shop)
    assert not shop.queues.shelve(first, "p00.a")
    shop.log.pause("p00.a", "somebody looks")
    assert shop.queues.shelve(first, "p00.a")
    shop.log.resume("p00.a")
    assert not shop.queues.shelve(second, "p00.a")
    assert shop.waiting("betting") == [second.raw]


def test_a_dead_letter_can_be_dropped(shop: Any, filled: Fill) -> None:
    filled("betting", 2)
    for delivery in read(shop):
        shop.queues.bury(delivery, None, "why")
    one, two = shop.queues.dead("p00")
    shop.queues.drop_dead("p00", one)
    shop.queues.drop_dead("p00", one)
    assert shop.queues.dead("p00") == [two]
    assert shop.queues.length("betting", "p00") == 0


def test_a_message_about_no_table_pauses_none(shop: Any, filled: Fill) -> None:
    filled("betting", 1)
    (delivery,) = read(shop)
    shop.queues.bury(delivery, None, "no msgpack")
    assert shop.log.paused() == {}
    assert [letter.table for letter in shop.queues.dead("p00")] == [""]
    with pytest.raises(BadInput):
        shop.queues.bury(delivery._replace(queue="elsewhere"), None, "no such queue")


def test_a_queue_is_bounded(shop: Any) -> None:
    small = (
        MemoryQueues(shop.log.store, queue_max=2)
        if shop.client is None
        else Queues(shop.client, queue_max=2)
    )
    sent = [small.send("floor", "p00.a", b"x") for _ in range(3)]
    assert [type(answer) for answer in sent] == [str, str, Refused]
    assert sent[2][0] == "queue/busy"
    assert small.length("floor", "p00") == 2
    (delivery, _) = small.read("floor", ["p00"], 9)
    small.ack(delivery)
    assert isinstance(small.send("floor", "p00.a", b"x"), str)


def test_many_are_sent_at_once_and_bounded_one_by_one(shop: Any) -> None:
    small = (
        MemoryQueues(shop.log.store, queue_max=2)
        if shop.client is None
        else Queues(shop.client, queue_max=2)
    )
    messages: list[tuple[Role, str, bytes]] = [
        *(("betting", "p00.a", b"%d" % number) for number in range(3)),
        ("floor", "p00.a", b"f"),
        ("betting", "p01.b", b"b"),
    ]
    answers = small.send_many(messages)
    assert [type(answer) for answer in answers] == [str, str, Refused, str, str]
    assert shop.waiting("betting") == [b"0", b"1"]
    assert small.send_many([]) == []


def test_what_is_still_worked_at_is_not_claimed(shop: Any, filled: Fill) -> None:
    ids = filled("betting", 3)
    slow = read(shop, 3)
    shop.look()
    time.sleep(0.7)
    shop.queues.hold(slow[:2])
    assert [each.id for each in claim(shop, idle_ms=600)] == ids[2:]
    time.sleep(0.7)
    assert [(each.id, each.count) for each in claim(shop, idle_ms=600)] == [
        (entry_id, 2 if entry_id in ids[:2] else 3) for entry_id in ids
    ]
    shop.queues.hold([])
    shop.queues.ack(slow[0])
    shop.queues.hold(slow[:1])
    assert [each.id for each in claim(shop)] == ids[1:]


def test_replies_and_acknowledgements_go_out_together(shop: Any, filled: Fill) -> None:
    filled("betting", 3)
    one, two, _ = read(shop)
    replies = [
        Outgoing("p00", "anna", b"a"),
        Outgoing("p00", "no such name!", b"?"),
        Outgoing("p00", "ben", b"b"),
    ]
    shop.queues.finish(replies, [one, two])
    assert [reply.raw for reply in shop.queues.replies("anna", ALL)] == [b"a"]
    assert [reply.raw for reply in shop.queues.replies("ben", ALL)] == [b"b"]
    assert shop.waiting("betting") == [b"2"]
    shop.queues.finish([], [])


def test_only_a_table_id_has_a_queue(shop: Any) -> None:
    with pytest.raises(BadInput, match="no table id"):
        shop.queues.send("betting", "somewhere", b"x")


# --- replies and feeds --------------------------------------------------------------------------


def test_replies_go_to_their_sender(shop: Any) -> None:
    for number in range(3):
        answer(shop, "anna", b"%d" % number)
    answer(shop, "ben", b"b")
    answer(shop, "anna", b"elsewhere", partition="p01")
    first, second, third = shop.queues.replies("anna", ALL)
    assert (first.raw, second.raw, third.raw) == (b"0", b"1", b"2")
    assert shop.queues.replies("anna", {"p00": second.id}) == [third]
    assert shop.queues.replies("anna", ALL, count=1) == [first]
    (other,) = shop.queues.replies("anna", {"p00": third.id, "p01": BEGINNING})
    assert (other.partition, other.raw) == ("p01", b"elsewhere")
    assert shop.queues.replies("nobody", ALL, block_ms=20) == []


def test_the_feed_is_followed_from_a_position(shop: Any, writer: Any) -> None:
    assert shop.queues.feed_end("p00") == BEGINNING
    ada = writer(shop.log)
    ada.add()
    position = shop.queues.feed_end("p00")
    assert shop.queues.feed({"p00": position}, block_ms=20) == []
    appending = threading.Timer(0.05, ada.add)
    appending.start()
    (entry,) = shop.queues.feed({"p00": position, "p01": BEGINNING}, block_ms=5_000)
    appending.join()
    assert (entry.partition, entry.table, entry.seq) == ("p00", "p00.a", 2)
    assert shop.queues.feed({"p00": BEGINNING}, count=1)[0].seq == 1
