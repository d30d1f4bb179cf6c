from __future__ import annotations

import json
import os

import pytest

from doorcard.bench import ceiling, every_game, load, processes, rebuild, service, store
from doorcard.bench.figures import Wish
from doorcard.cli import main
from doorcard.errors import BadInput, StoreError
from doorcard.games import GAMES


@pytest.mark.parametrize(
    ("bench", "keys"),
    [
        (
            "engine",
            {"ratio", "ratio_uniform", "ratio_calling", "hands_per_s_calling", "sealing_us"},
        ),
        ("fold", {"ratio", "events_per_s", "hands_per_s", "pokerkit_operations_per_s"}),
    ],
)
def test_the_last_line_is_one_json_object(
    bench: str, keys: set[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", bench, "--quick", "--json"]) == 0
    out = capsys.readouterr().out
    measured = json.loads(out.splitlines()[-1])
    assert measured.keys() == {bench}
    assert keys <= measured[bench].keys()
    assert all(value > 0 for value in measured[bench].values())
    assert "asked" in out


def test_a_game_that_pokerkit_lacks_has_no_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "fold", "--quick", "--json", "--game", "five_card_stud"]) == 0
    measured = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert measured["fold"]["ratio"] is None
    assert measured["fold"]["hands_per_s"] > 0


@pytest.mark.parametrize("game", ["roll_your_own", "five_card_high_low_buy"])
def test_games_with_choices_are_measured_beside_stud(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "engine", "--quick", "--json", "--game", game]) == 0
    measured = json.loads(capsys.readouterr().out.splitlines()[-1])["engine"]
    assert measured["ratio"] is None
    assert measured["hands_per_s_uniform"] > measured["hands_per_s_calling"] > 0
    assert 0 < measured["share_of_stud_uniform"] < 2
    assert 0 < measured["share_of_stud_calling"] < 2
    assert 0 < measured["wild_rank_us"] < measured["wild_named_us"]


def test_all_games_are_measured_in_a_row_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(every_game, "HANDS", 4)
    assert main(["bench", "engine", "--quick", "--json", "--game", "all"]) == 0
    out = capsys.readouterr().out
    measured = json.loads(out.splitlines()[-1])["engine"]
    assert set(GAMES) == {key for key in measured if not key.startswith("wild_")}
    assert all(0 < share < 4 for key, share in measured.items() if key in GAMES)
    for game in GAMES:
        (row,) = [line for line in out.splitlines() if line.startswith(f" {game} (")]
        assert "≥ 0.333" in row
        assert row.rstrip().endswith(("ok", "falls short"))


def test_only_the_engine_measures_all_games(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["fold"], []):
        assert main(["bench", *words, "--game", "all"]) == 2
        assert "engine --game all" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["swimming"], ["--game", "whist"], ["fold", "--game", "baseball"]]
)
def test_what_cannot_be_measured_is_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *words]) == 2
    assert capsys.readouterr().err.startswith("doorcard: ")


def test_rebuilding_does_not_depend_on_the_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild, "QUICK_LONG_HANDS", 100)
    figures = {figure.key: figure.value for figure in rebuild.measure(Wish(quick=True))}
    assert figures.keys() >= {"ratio", "store_short_us", "store_long_us", "memory_ratio"}
    ratio = figures["ratio"]
    assert ratio is not None
    assert 0.2 < ratio < 5


def test_the_service_is_measured_with_its_own_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "TABLES", 6)
    monkeypatch.setattr(service, "WARM_UP_S", 0.3)
    monkeypatch.setattr(service, "QUICK_WINDOW_S", 0.8)
    figures = {figure.key: figure.value or 0 for figure in service.measure(Wish(quick=True))}
    assert figures["rate_wanted"] == pytest.approx(figures["top_rate"] / 2)
    assert 0 < figures["rate"] < 1.3 * figures["rate_wanted"]
    assert figures["cpu_us"] == pytest.approx(
        sum(value for key, value in figures.items() if key.endswith("_cpu_us") and key[:3] != "top")
    )
    assert 0 < figures["p50_ms"] <= figures["p99_ms"]


def test_the_store_is_measured_a_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "TABLES", 6)
    monkeypatch.setattr(store, "FIRST_HANDS", 6)
    monkeypatch.setattr(store, "HANDS", 30)
    figures = {figure.key: figure.value or 0 for figure in store.measure(Wish())}
    assert 1_000 < figures["uniform_log_bytes"] < 20_000
    assert figures["uniform_file_bytes"] > figures["uniform_log_bytes"]
    assert figures["calling_file_bytes"] > figures["uniform_file_bytes"]


def test_the_ceiling_is_higher_than_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ceiling, "ROUNDS", 2)
    figures = {figure.key: figure.value or 0 for figure in ceiling.measure(Wish(quick=True))}
    assert figures["batched_plain_per_s"] > figures["batched_commits_per_s"] > 0
    assert figures["batched_commits_per_s"] > figures["single_commits_per_s"]


def test_a_server_that_does_not_start_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOORCARD_BLOCK_MS", "many")
    with (
        processes.temporary_folder() as folder,
        processes.running_store(folder) as url,
        processes.running_workers(folder, url, 1) as workers,
    ):
        for _, process in workers:
            process.wait(30)
        with pytest.raises(StoreError, match="BLOCK_MS"):
            processes.check_alive(workers, folder)


def test_cpu_time_grows_as_it_is_spent() -> None:
    before = processes.cpu_s(os.getpid())
    while processes.cpu_s(os.getpid()) == before:
        sum(range(10_000))
    with pytest.raises(BadInput):
        processes.cpu_s(2**22 + 1)


def test_the_load_is_measured_in_turns_at_one_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "FEW_TABLES": 16, "MANY_TABLES": 48, "WARM_UP_S": 0.3, "WINDOW_S": 1.0,
        "ROUNDS": 2, "SYNCS": 5, "NODES_TABLES": 6, "NODES_RATE": 60.0,
    }.items():  # fmt: skip
        monkeypatch.setattr(load, name, value)
    monkeypatch.setattr(service, "WARM_UP_S", 0.3)
    figures = {figure.key: figure for figure in load.measure(Wish(quick=True))}
    assert figures["half_cpu_us"].label == "2 tables, half of the highest rate: CPU an action"
    assert figures["many_rate"].label == "6 tables: actions"
    values = {key: figure.value or 0 for key, figure in figures.items()}
    assert values["tables_ratio"] == values["many_cpu_us"] / values["half_cpu_us"]
    assert values["pair_rate"] > 0
    assert 10 < values["worker_mb"] < 1_000
    assert figures["half_p99_ms"].label == "2 tables, half of the highest rate: 99 of 100"
    assert values["half_cpu_us"] > 0
    assert values["half_p99_ms"] > 0
    assert values["half_rate"] > 0
    asked = [figures[name].asked for name in ("half_cpu_us", "half_p99_ms")]
    assert asked == [250, 25]
    assert values["fsync_per_s"] > 0
    assert values["sync_ms"] > 0
    assert 0 <= values["pair_conflicts"] <= 100
    one, three = values["one_server_cpu_us"], values["cluster_cpu_us"]
    assert values["cluster_ratio"] == pytest.approx(three / one)
    assert 0.3 < values["cluster_ratio"] < 10
    assert (figures["cluster_ratio"].asked, figures["cluster_ratio"].aim) == (1.5, 1.3)
    assert values["cluster_p99_ms"] > 0
