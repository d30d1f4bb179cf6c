"""Keys and partitions. Tags are for ever: a changed one would lose every table."""

from __future__ import annotations

from binascii import crc_hqx

import pytest

from doorcard.errors import BadInput
from doorcard.streams import keys

TAGS = {
    "p00": "p00-2e4",
    "p01": "p01-39",
    "p02": "p02-8be",
    "p03": "p03-8b0",
    "p07": "p07-129",
    "p15": "p15-2ed",
}


def test_tags_never_change() -> None:
    assert {name: keys.tag_of_partition(name) for name in TAGS} == TAGS
    assert keys.tag_of("p03.x4f1") == TAGS["p03"]


def test_slots_are_those_of_a_cluster() -> None:
    assert keys.slot_of("123456789") == 0x31C3
    assert crc_hqx(b"foo", 0) % 16_384 == keys.slot_of("foo") == 12_182


@pytest.mark.parametrize("nodes", [2, 3, 4, 6])
def test_partitions_spread_evenly_whatever_their_number(nodes: int) -> None:
    slots = [keys.slot_of(keys.tag_of_partition(name)) for name in keys.partition_names(200)]
    for number in range(1, len(slots) + 1):
        counts = [0] * nodes
        for slot in slots[:number]:
            counts[slot * nodes // keys.SLOTS] += 1
        assert max(counts) - min(counts) <= (3 if number <= 32 else 5), (number, counts)
    assert len({keys.tag_of_partition(name) for name in keys.partition_names(200)}) == 200


@pytest.mark.parametrize("number", [1, 2, 4, 8, 16, 32, 64, 128])
def test_a_power_of_two_cuts_the_slots_into_equal_parts(number: int) -> None:
    slots = sorted(
        keys.slot_of(keys.tag_of_partition(name)) for name in keys.partition_names(number)
    )
    part = keys.SLOTS // number
    assert all(0 <= slot - place * part < 8 for place, slot in enumerate(slots))


def test_more_partitions_only_add_names() -> None:
    assert keys.partition_names(3) == ("p00", "p01", "p02")
    assert keys.partition_names(120)[:3] == keys.partition_names(3)
    assert keys.partition_names(120)[-1] == "p119"


@pytest.mark.parametrize("number", [0, -1, 16_385])
def test_there_are_no_such_partitions(number: int) -> None:
    with pytest.raises(BadInput):
        keys.partition_names(number)


def test_the_names_of_all_keys() -> None:
    assert keys.log_key("p00.a") == "dc:{p00-2e4}:log:p00.a"
    assert keys.queue_key("betting", "p00") == "dc:{p00-2e4}:q:betting"
    assert keys.given_key(keys.queue_key("betting", "p00")) == "dc:{p00-2e4}:q:betting:given"
    assert keys.timers_key("p00") == "dc:{p00-2e4}:timers"
    assert keys.writes_key("p00") == "dc:{p00-2e4}:writes"
    assert keys.feed_key("p00") == "dc:{p00-2e4}:feed"
    assert keys.paused_key("p00") == "dc:{p00-2e4}:paused"
    assert keys.dead_key("p00") == "dc:{p00-2e4}:dead"
    assert keys.tables_key("p00") == "dc:{p00-2e4}:tables"
    assert keys.reply_key("p00", "anna-1") == "dc:{p00-2e4}:r:anna-1"


@pytest.mark.parametrize(
    "text",
    ["", "a", "p00", "p00.", "p0.a", "p000.a", "p00.a b", "p00.{a}", "p00.a|b", "p00.a\n", "p00.ä",
     "q00.a", "P00.a", "p16384.a", "p99999.a", "p00." + "a" * 65, "p00.a.b", "p\u0660\u0660.a"],
)  # fmt: skip
def test_no_table_is_called_that(text: str) -> None:
    assert not keys.is_table_id(text)
    with pytest.raises(BadInput, match="no table id"):
        keys.partition_of(text)


@pytest.mark.parametrize("text", ["p00.a", "p16383.X-_9", "p100.a", "p07." + "a" * 64])
def test_a_table_is_called_that(text: str) -> None:
    assert keys.is_table_id(text)
    assert keys.table_of_log(keys.log_key(text)) == text
    partition = keys.partition_of(text)
    assert keys.partition_of_tables(keys.tables_key(partition)) == partition
    assert keys.read_timer(keys.timer_member(text)) == (text, "betting")
    assert keys.read_timer(keys.timer_member(text, "dealer")) == (text, "dealer")


@pytest.mark.parametrize(
    "key", ["dc:tables", "dc:{p00}:tables", "dc:{p00-1}:tables", "dc:{p16384-0}:tables", "{p1-}"]
)
def test_no_list_of_tables_is_called_that(key: str) -> None:
    assert keys.partition_of_tables(key) is None


@pytest.mark.parametrize("name", ["", "00", "p1", "p007", "p16384", "p00-2e4"])
def test_no_partition_is_called_that(name: str) -> None:
    with pytest.raises(BadInput, match="no partition"):
        keys.tag_of_partition(name)


@pytest.mark.parametrize("name", ["", "a b", "a{b}", "a" * 65, "ä", "a\n"])
def test_no_sender_is_called_that(name: str) -> None:
    assert not keys.is_sender(name)
    with pytest.raises(BadInput, match="no sender"):
        keys.reply_key("p00", name)


def test_keys_are_read_back() -> None:
    assert keys.read_queue_key(keys.queue_key("floor", "p119")) == ("floor", "p119")
    assert keys.partition_of_queue(keys.queue_key("floor", "p119")) == "p119"
    for key in ("dc:{p00-0}:q:floor", "dc:{p00-2e4}:q:player", "dc:{p007-1}:q:floor", "q"):
        assert keys.read_queue_key(key) is None
    for key in ("dc:{p00-0}:log:p00.a", "dc:{p00-2e4}:head:p00.a", "p00.a", "log:p00.a"):
        assert keys.table_of_log(key) is None
    for member in ("p00.a", "p00.a|act|3", "p00.a|buy", "|act"):
        assert keys.read_timer(member) is None
