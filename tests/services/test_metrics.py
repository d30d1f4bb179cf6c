"""What workers tell Prometheus: right figures, closed lists of labels, and nobody's secrets."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, Final, cast

import pytest
from prometheus_client.parser import text_string_to_metric_families
from redis.exceptions import ConnectionError as RedisConnectionError

from doorcard.commands import CloseTable
from doorcard.engine.table import Table
from doorcard.streams.log import Append, Log, Outcome, Source
from services.jobs import Tally
from services.metrics import Meters, Timing, metered_log
from services.metrics_codes import OTHER, REFUSAL_CODES, label_of
from services.metrics_export import HELP
from services.metrics_watch import Watch
from services.run import run
from tests.services.harness import (
    TABLE,
    Evening,
    House,
    NoteBook,
    calm,
    essence,
    sit_down,
)
from tests.services.harness import settings_for as settings
from tests.services.metering import MeteredHouse, clock_collector, text_of
from tests.services.processes import ROOT, environment
from tests.services.shops import ROLES, MemoryShop

LABELS: Final = frozenset({"code", "le", "partition", "reason", "role"})
CODE: Final = re.compile(
    r"(betting|choice|dealer|floor|house|limits|message|queue|showdown|table)/[a-z_]+"
)
CARD: Final = re.compile(r"\b[2-9TJQKA][cdhs]\b")


@pytest.fixture
def metered() -> MeteredHouse:
    return MeteredHouse(House(MemoryShop()))


def figures(text: str) -> dict[tuple[str, str], float]:
    """Samples by name and by what stands in their labels beside the role."""
    return {
        (
            sample.name,
            " ".join(value for name, value in sorted(sample.labels.items()) if name != "role"),
        ): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def tables_of(tally: Tally) -> list[Table]:
    """The tables that a worker keeps."""
    tables = cast("Mapping[str, Table]", tally.tables)
    return list(tables.values())


def append_of(sent_ms: int, decided_ms: int) -> Append:
    return Append(
        table=TABLE, seq=1, before=b"", chain=b"", raw=b"", role="betting", time_ms=decided_ms,
        source=Source("q", f"{sent_ms}-0"),
    )  # fmt: skip


# --- the figures ---------------------------------------------------------------------------------


def test_a_timing_counts_up_to_and_with_each_bound() -> None:
    timing = Timing((0.1, 0.5))
    for seconds in (0.0, 0.1, 0.100_001, 0.5, 7.0):
        timing.observe(seconds)
    assert timing.counts == [2, 2, 1]
    assert timing.total_s == pytest.approx(7.700_001)


def test_an_evening_is_counted_as_it_was(metered: MeteredHouse) -> None:
    house = metered.house
    commits = Evening(house).play()
    for role in ROLES:
        found = figures(metered.text(role))
        own = [commit for commit in commits if commit.role == role]
        assert own
        assert found["doorcard_commits_total", ""] == len(own)
        assert found["doorcard_message_age_seconds_count", ""] == len(own)
        assert found["doorcard_decision_seconds_count", ""] >= len(own)
        conflicts = found["doorcard_conflicts_total", ""]
        assert conflicts == found["doorcard_retries_total", "conflict"]
        assert 0 < found["doorcard_commit_seconds_count", ""] <= len(own) + conflicts
        assert found["doorcard_cached_tables", ""] == 1
        assert found["doorcard_cache_misses_total", ""] >= 1
        assert (found["doorcard_missed_commits_total", ""] > 0) == (role != "showdown")
        assert found["doorcard_messages_waiting", ""] == 0


def test_an_evening_measured_is_the_evening_unmeasured(metered: MeteredHouse) -> None:
    assert essence(Evening(metered.house).play()) == essence(Evening(House(MemoryShop())).play())


def test_refusals_are_counted_by_their_code(metered: MeteredHouse) -> None:
    house = metered.house
    house.open(2)
    asked = calm(house.table())
    wrong = replace(asked, seat=1 - asked.seat)
    for number in range(3):
        assert house.ask(wrong, f"wrong-{number}").code == "betting/not_your_turn"
    house.queues.send("betting", TABLE, b"\xc1")
    house.settle()
    found = figures(metered.text("betting"))
    assert found["doorcard_refusals_total", "betting/not_your_turn"] == 3
    assert found["doorcard_refusals_total", "message/not_msgpack"] == 1
    assert found["doorcard_refusals_total", OTHER] == 0


def test_what_another_worker_of_the_role_committed_is_missed(metered: MeteredHouse) -> None:
    house = metered.house
    house.open()
    house.act()
    mine = house.workers["betting"]
    before = mine.tally.missed_commits
    (known,) = [table.seq for table in tables_of(mine.tally)]
    house.hire("betting")
    for _ in range(2):
        house.act()
    house.workers["betting"] = mine
    seq = house.table().seq
    house.act()
    assert mine.tally.missed_commits - before == seq - known
    assert mine.tally.conflicts == 0


def test_retries_and_a_full_store_are_told_by_their_reason() -> None:
    meters = Meters()
    appends = [append_of(1_000, 1_040)] * 5
    codes: list[Any] = ["ok", "conflict", "full", "time", "paused"]
    meters.appended(appends, [Outcome(code) for code in codes], 0.002)
    assert meters.retries == {"conflict": 1, "full": 1, "store": 0, "time": 1}
    assert meters.ages.total_s == pytest.approx(0.042)
    found = [meters.full]
    meters.appended(appends[:1], [Outcome("ok")], 0.002)
    assert [*found, meters.full] == [True, False]
    assert sum(meters.commits.counts) == 2


def test_a_clock_that_goes_backwards_makes_no_negative_age() -> None:
    meters = Meters()
    meters.appended([append_of(5_000, 1_000)], [Outcome("ok")], 0.0)
    assert (meters.ages.total_s, meters.ages.counts[0]) == (0.0, 1)


def test_commits_that_a_lost_store_took_or_not_are_retries() -> None:
    class Away:
        def append(self, _appends: object) -> list[Outcome]:
            raise RedisConnectionError("cut")

    meters = Meters()
    log = metered_log(cast("Log", Away()), meters)
    with pytest.raises(RedisConnectionError):
        log.append([append_of(1, 2)] * 3)
    assert meters.retries["store"] == 3


def test_claims_are_counted(metered: MeteredHouse) -> None:
    house = metered.house
    house.open()
    house.send(calm(house.table()), "left-behind")
    house.queues.read("betting", house.shop.partitions, 1)
    assert house.claim() == 1
    assert figures(metered.text("betting"))["doorcard_claims_total", ""] == 1


def test_a_store_that_forgot_commits_is_counted(metered: MeteredHouse) -> None:
    house = metered.house
    house.open()
    house.act()
    store = cast("MemoryShop", house.shop).store
    stored = list(store.logs[TABLE])
    house.act()
    store.logs[TABLE] = stored
    house.ask(calm(house.table()), "again")
    assert figures(metered.text("betting"))["doorcard_forgotten_total", ""] == 1


# --- names and labels ----------------------------------------------------------------------------


def texts(metered: MeteredHouse) -> Iterator[str]:
    yield from (metered.text(role) for role in ROLES)
    yield text_of(clock_collector())


def test_every_metric_keeps_the_conventions_and_says_what_it_is(metered: MeteredHouse) -> None:
    seen: set[str] = set()
    for text in texts(metered):
        for family in text_string_to_metric_families(text):
            seen.add(family.name)
            assert re.fullmatch(r"doorcard_[a-z]+(_[a-z]+)*", family.name)
            assert family.documentation.endswith(".")
            endings = {sample.name.removeprefix(family.name) for sample in family.samples}
            if family.type == "counter":
                assert endings == {"_total"}
            if family.type == "histogram":
                assert family.name.endswith("_seconds")
                assert endings == {"_bucket", "_count", "_sum"}
            assert not re.search(r"_(ms|millis|us|minutes)\b", family.name)
    assert seen == {f"doorcard_{name}" for name in HELP}


def test_no_label_and_no_value_names_a_card_a_table_or_a_player(metered: MeteredHouse) -> None:
    house = metered.house
    Evening(house).play()
    house.send(sit_down(0), "sit-again")
    house.send(CloseTable(), "close-again", table="p00.elsewhere")
    house.settle()
    allowed = {*ROLES, "clock", "p00", "conflict", "full", "store", "time", OTHER, *REFUSAL_CODES}
    for text in texts(metered):
        assert CARD.search(text) is None
        for secret in (TABLE, "elsewhere", "player-", "players", "sit-", "close-again"):
            assert secret not in text
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                assert set(sample.labels) <= LABELS
                values = {value for name, value in sample.labels.items() if name != "le"}
                assert values <= allowed
                assert re.fullmatch(r"[0-9.e-]+|\+Inf", sample.labels.get("le", "1"))


def test_a_code_that_is_not_ours_is_other(metered: MeteredHouse) -> None:
    tally = metered.house.workers["floor"].tally
    for code in ("their_game/no", "p00.stud-1", "As Ks"):
        tally.refuse(code)
    found = figures(metered.text("floor"))
    assert {name: value for name, value in found.items() if "refusals" in name[0]} == {
        ("doorcard_refusals_total", OTHER): 3
    }
    assert label_of("table/paused") == "table/paused"


def test_the_list_of_codes_is_what_the_code_can_say() -> None:
    said: set[str] = set()
    for top in ("shared/doorcard", "services"):
        for path in (ROOT / top).rglob("*.py"):
            if path.name != "metrics_codes.py":
                said |= set(_codes_in(path))
    assert said == REFUSAL_CODES


def _codes_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if CODE.fullmatch(node.value):
                yield node.value
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "Refused" and node.args:
            given = node.args[0]  # a code that is put together could be anything
            assert not isinstance(given, ast.JoinedStr | ast.BinOp), path


# --- off -----------------------------------------------------------------------------------------


def test_without_a_port_nothing_is_wrapped() -> None:
    logger: Any = NoteBook()
    parts: list[Any] = [object(), object(), object()]
    watch = Watch("betting", settings(metrics_port=0), Event(), logger)
    assert [watch.decider(parts[0]), watch.log(parts[1]), watch.queues(parts[2])] == parts
    worker = House(MemoryShop()).workers["betting"]
    with watch.worker(worker):
        assert logger.lines == []
    with watch.clock(parts[0], ["p00"], lambda: 0) as turned:
        turned(3)
    assert logger.lines == []


def test_without_a_port_prometheus_is_not_loaded() -> None:
    program = "import sys, services.roles; print('prometheus_client' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(), check=True, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout == "False\n"


# --- a program's loop ----------------------------------------------------------------------------


def test_the_loop_tells_of_its_turns_and_troubles() -> None:
    stop, logger = Event(), cast("Any", NoteBook())
    heard: list[Exception | None] = []
    troubles: list[Exception | None] = [RedisConnectionError("away"), OSError("away"), None]

    expected = list(troubles)

    def step() -> None:
        trouble = troubles.pop(0)
        if not troubles:
            stop.set()
        if trouble is not None:
            raise trouble

    run(step, stop, logger, None, heard.append)
    assert heard == expected
