"""What every log does, on every store."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from doorcard.errors import BadLog
from doorcard.streams.delivery import BEGINNING, MessageQueues
from doorcard.streams.keys import queue_key
from doorcard.streams.log import TIME_BOUND_MS, TIMER_SLACK_MS, Head, Log, Source, Stored, Timer
from doorcard.streams.memory_log import MemoryLog
from doorcard.streams.memory_queues import MemoryQueues
from doorcard.streams.queues import Queues
from doorcard.streams.redis_log import RedisLog
from doorcard.streams.wakes import encode_wake


def test_a_first_commit_makes_the_log(shop: Any, writer: Any) -> None:
    assert shop.log.head("p00.a") is None
    assert shop.log.read("p00.a") == []
    first = writer(shop.log).add()
    assert shop.log.read("p00.a") == [Stored(1, first.raw, first.chain[:8])]
    assert shop.log.tables() == ["p00.a"]


def test_commits_are_read_by_number_from_both_ends(shop: Any, writer: Any) -> None:
    ada = writer(shop.log)
    numbers = list[Stored]()
    for _ in range(5):
        ada.add()
        numbers.append(ada.newest)
    assert shop.log.read("p00.a") == numbers
    assert shop.log.read("p00.a", after=3) == numbers[3:]
    assert shop.log.read("p00.a", after=1, count=2) == numbers[1:3]
    assert shop.log.read("p00.a", after=5) == []
    assert shop.log.read_back("p00.a", None, 2) == [numbers[4], numbers[3]]
    assert shop.log.read_back("p00.a", 3, 9) == [numbers[1], numbers[0]]
    assert shop.log.read_back("p00.a", 1, 9) == []
    assert shop.log.read_back("p00.none", None, 9) == []


def test_bytes_come_back_as_they_were(shop: Any, writer: Any) -> None:
    ada = writer(shop.log)
    raw = bytes(range(256)) + b"\r\n\x00"
    ada.add(raw=raw)
    assert [each.raw for each in shop.log.read("p00.a")] == [raw]


def test_two_writers_on_one_state_make_one_commit(shop: Any, writer: Any) -> None:
    """S-47: the second is refused on the server, and its commit is not there."""
    ada, ben = writer(shop.log), writer(shop.log)
    ada.add()
    ben.follow(ada)
    mine, other = ada.draw("mine"), ben.draw("other")
    assert shop.log.append([mine, other]) == [
        ("ok", ""),
        ("conflict", "the log is at commit 2"),
    ]
    assert [each.raw for each in shop.log.read("p00.a", after=1)] == [mine.raw]


def test_a_repeat_is_in_already(shop: Any, writer: Any) -> None:
    ada = writer(shop.log)
    ada.add()
    again = ada.add()
    assert shop.log.append([again, again]) == [("ok", ""), ("ok", "")]
    assert len(shop.log.read("p00.a")) == 2


def test_a_repeat_of_an_older_commit_is_a_conflict(shop: Any, writer: Any) -> None:
    ada = writer(shop.log)
    old = ada.add()
    ada.add()
    assert shop.log.append([old])[0].code == "conflict"


def test_a_number_left_out_is_a_conflict(shop: Any, writer: Any) -> None:
    ada = writer(shop.log)
    ada.add()
    assert shop.log.append([ada.draw(seq=3)])[0].code == "conflict"
    ahead = writer(shop.log, "p00.b").draw(seq=2)
    assert shop.log.append([ahead])[0].code == "conflict"


def test_the_same_number_on_another_history_is_a_conflict(shop: Any, writer: Any) -> None:
    """A worker whose cache holds what the store lost may not build upon it."""
    ada, stale = writer(shop.log), writer(shop.log)
    ada.add()
    stale.follow(ada)
    lost = stale.draw("lost")
    ada.add("kept")
    stale.wrote(lost)
    assert shop.log.append([stale.draw()]) == [("conflict", "the log is at commit 2")]


def test_only_the_floor_commits_to_a_paused_table(shop: Any, writer: Any) -> None:
    ada = writer(shop.log)
    ada.add()
    shop.log.pause("p00.a", "a message nobody could handle")
    assert shop.log.paused() == {"p00.a": "a message nobody could handle"}
    assert shop.log.append([ada.draw()]) == [("paused", "a message nobody could handle")]
    ada.add(role="floor")
    shop.log.resume("p00.a")
    ada.add()
    assert shop.log.paused() == {}


def test_a_repeat_counts_though_the_table_is_paused_now(shop: Any, writer: Any) -> None:
    ada = writer(shop.log)
    last = ada.add()
    shop.log.pause("p00.a", "later")
    assert shop.log.append([last]) == [("ok", "")]


@pytest.mark.parametrize("off_ms", [-TIME_BOUND_MS - 5_000, TIME_BOUND_MS + 5_000])
def test_a_time_far_from_the_stores_is_refused(shop: Any, writer: Any, off_ms: int) -> None:
    ada = writer(shop.log)
    late = ada.draw(time_ms=shop.log.now_ms() + off_ms)
    assert shop.log.append([late])[0].code == "time"
    assert shop.log.read("p00.a") == []
    ada.add(time_ms=shop.log.now_ms() + off_ms // 2)


def test_the_next_role_is_woken(shop: Any, writer: Any) -> None:
    writer(shop.log).add(wake="dealer")
    assert shop.waiting("dealer") == [encode_wake("p00.a", 1)]
    assert shop.waiting("showdown") == []


def test_a_timer_starts_moves_and_ends(shop: Any, writer: Any) -> None:
    ada = writer(shop.log)
    now = shop.log.now_ms()
    ada.add(timer=Timer(now + 10_000))
    assert shop.timers() == {"p00.a|act": now + 10_000}
    ada.add(timer=Timer(now + 10_000 + TIMER_SLACK_MS))
    assert shop.timers() == {"p00.a|act": now + 10_000}, "near enough"
    ada.add(timer=Timer(now + 10_001 + TIMER_SLACK_MS))
    assert shop.timers() == {"p00.a|act": now + 10_001 + TIMER_SLACK_MS}
    ada.add(timer=Timer(now + 200))
    assert shop.timers() == {"p00.a|act": now + 200}, "never later than the deadline"
    ada.add()
    assert shop.timers() == {"p00.a|act": now + 200}
    ada.add(ended="betting")
    assert shop.timers() == {}
    ada.add(timer=Timer(now + 400, "dealer"))
    assert shop.timers() == {"p00.a|card": now + 400}
    ada.add(timer=Timer(now + 500), ended="dealer")
    assert shop.timers() == {"p00.a|act": now + 500}
    ada.add(ended="betting")
    assert shop.timers() == {}


def test_the_feed_names_every_commit(shop: Any, writer: Any) -> None:
    ada, ben = writer(shop.log), writer(shop.log, "p01.b")
    ada.add()
    start = {"p00": shop.queues.feed_end("p00"), "p01": BEGINNING}
    ben.add()
    ada.add()
    entries = shop.queues.feed(start)
    assert [(entry.partition, entry.table, entry.seq) for entry in entries] == [
        ("p00", "p00.a", 2),
        ("p01", "p01.b", 1),
    ]


def test_the_source_is_deleted_with_its_commit(shop: Any, writer: Any) -> None:
    """S-35: what was committed is not handed out again; what was not stays."""
    ada = writer(shop.log)
    for message in (b"one", b"two"):
        shop.queues.send("betting", "p00.a", message)
    one, two = shop.queues.read("betting", ["p00"], 10)
    refused = ada.draw(seq=7, source=Source(two.queue, two.id))
    accepted = ada.draw(source=Source(one.queue, one.id))
    assert [outcome.code for outcome in shop.log.append([refused, accepted])] == [
        "conflict",
        "ok",
    ]
    assert shop.waiting("betting") == [b"two"]


def test_a_repeat_deletes_its_source(shop: Any, writer: Any) -> None:
    ada = writer(shop.log)
    last = ada.add()
    shop.queues.send("betting", "p00.a", b"the same again")
    (delivery,) = shop.queues.read("betting", ["p00"], 10)
    repeat = last._replace(source=Source(delivery.queue, delivery.id))
    assert shop.log.append([repeat]) == [("ok", "")]
    assert shop.queues.length("betting", "p00") == 0


def test_a_reply_goes_out_with_its_commit(shop: Any, writer: Any) -> None:
    log, queues = shop.log, shop.queues
    commit = writer(log).draw(reply=("anna", b"granted"))
    refused = commit._replace(before=b"x" * 32)
    assert [outcome.code for outcome in log.append([refused])] == ["conflict"]
    assert queues.replies("anna", {"p00": BEGINNING}) == []
    assert log.append([commit]) == [("ok", "")]
    (reply,) = queues.replies("anna", {"p00": BEGINNING})
    assert (reply.partition, reply.raw) == ("p00", b"granted")
    assert log.append([commit]) == [("ok", "")]
    assert len(queues.replies("anna", {"p00": BEGINNING})) == 2, "the first may have been missed"


def test_one_batch_serves_many_tables(shop: Any, writer: Any) -> None:
    writers = [writer(shop.log, f"p0{number % 2}.t{number}") for number in range(6)]
    shop.log.append([each.draw() for each in writers])
    first = [each.draw() for each in writers]
    outcomes = shop.log.append([*first, writers[0].draw(seq=9)])
    assert [outcome.code for outcome in outcomes] == ["ok"] * 6 + ["conflict"]
    assert shop.log.tables() == sorted(each.table for each in writers)


def test_two_commits_of_one_table_go_out_together(shop: Any, writer: Any) -> None:
    ada = writer(shop.log)
    first = ada.draw()
    ada.wrote(first)
    assert shop.log.append([first, ada.draw()]) == [("ok", ""), ("ok", "")]


@pytest.mark.parametrize(
    "changes",
    [
        {"table": "a"},
        {"table": "p0.a"},
        {"table": "p00.{a}"},
        {"seq": 0},
        {"seq": True},
        {"seq": 1.0},
        {"seq": 10**15},
        {"before": b"short"},
        {"chain": b""},
        {"raw": b""},
        {"role": "player"},
        {"wake": "player"},
        {"reply": ("no such name!", b"granted")},
        {"time_ms": -1},
        {"time_ms": "1"},
        {"timer": Timer(-5)},
        {"timer": Timer(5, "floor")},
        {"ended": "showdown"},
        {"source": Source(queue_key("betting", "p00"), "now")},
        {"source": Source(queue_key("betting", "p00"), "1-99999999999999999999")},
        {"source": Source(queue_key("betting", "p01"), "1-1")},
        {"source": Source("dc:{p00-0}:q:betting", "1-1")},
        {"source": Source("elsewhere", "1-1")},
    ],
    ids=str,
)
def test_what_no_store_can_take_is_bad(shop: Any, writer: Any, changes: dict[str, Any]) -> None:
    ada = writer(shop.log)
    sound = writer(shop.log, "p00.b").draw()
    outcomes = shop.log.append([ada.draw()._replace(**changes), sound])
    assert [outcome.code for outcome in outcomes] == ["bad", "ok"]
    assert shop.log.read("p00.a") == []


def test_the_head_is_found_from_the_log(shop: Any, game: Any) -> None:
    played = game().play(2)
    moved = [append._replace(time_ms=shop.log.now_ms()) for append in played.appends]
    assert {outcome.code for outcome in shop.log.append(moved)} == {"ok"}
    assert shop.log.head("p00.game") == Head(len(moved), played.chain, played.hand_seq)


def test_a_log_that_cannot_be_read_has_no_head(shop: Any, writer: Any) -> None:
    ada = writer(shop.log)
    ada.add("no msgpack")
    with pytest.raises(BadLog, match=r"table p00\.a: commit 1 cannot be read"):
        shop.log.head("p00.a")


@pytest.mark.parametrize(
    ("protocol", "adapter"),
    [(Log, MemoryLog), (Log, RedisLog), (MessageQueues, MemoryQueues), (MessageQueues, Queues)],
)
def test_an_adapter_has_everything_that_is_asked_of_it(protocol: Any, adapter: Any) -> None:
    asked = [name for name in dir(protocol) if name[0] != "_"]
    assert len(asked) >= 9
    for name in asked:
        expected = inspect.signature(getattr(protocol, name))
        assert inspect.signature(getattr(adapter, name)) == expected, name
