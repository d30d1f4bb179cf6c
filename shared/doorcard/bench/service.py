"""CPU and latency of the whole service under load (``doorcard bench service``).

Real worker processes, one a role, on an embedded server; the players are this program, and are
not counted. First everybody acts at once, which shows the highest rate; then half as many
actions a second are sent, evenly spaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final, NamedTuple

from doorcard.bench.figures import Figure, Wish, percentile
from doorcard.bench.players import Played
from doorcard.bench.processes import cpu_s, temporary_folder
from doorcard.bench.room import Room, playing
from doorcard.streams import connection

TABLES: Final = 200
PARTITIONS: Final = 4
WARM_UP_S: Final = 2.0
WINDOW_S: Final = 4.0
WINDOWS: Final = 3
QUICK_WINDOW_S: Final = 1.5
CPU_ASKED_US: Final = 300
CPU_AIM_US: Final = 150
P99_ASKED_MS: Final = 25
US_PER_S: Final = 1e6


class Window(NamedTuple):
    """Some seconds of play, and the CPU seconds that they took."""

    played: Played
    cpu_s: dict[str, float]
    """By role, the server as ``store``."""

    @property
    def cpu_us(self) -> float:
        """CPU of all, a player action."""
        return sum(self.cpu_s.values()) / self.played.actions * US_PER_S


def measure(wish: Wish) -> list[Figure]:
    """Measure the service at its highest rate and at half of it."""
    seconds = QUICK_WINDOW_S if wish.quick else WINDOW_S
    windows = 1 if wish.quick else WINDOWS
    with (
        temporary_folder() as folder,
        playing(folder, wish.game, TABLES, PARTITIONS) as room,
    ):
        top = at_top_speed(room, seconds, windows)
        rate = half_rate(top)
        room.players.play(WARM_UP_S, rate)
        half = [window_of(room, seconds, rate) for _ in range(windows)]
    return [*_half_figures(half, rate), *_top_figures(top), *_shares(half)]


def at_top_speed(room: Room, seconds: float, windows: int) -> list[Window]:
    """Play as fast as it goes."""
    room.players.play(WARM_UP_S)
    return [window_of(room, seconds, None) for _ in range(windows)]


def half_rate(top: Sequence[Window]) -> float:
    """Half of the highest rate."""
    return median([window.played.rate for window in top]) / 2


def window_of(room: Room, seconds: float, rate: float | None) -> Window:
    """Play for some seconds, at a pace or as fast as it goes, and see what CPU that took."""
    before = _cpu(room)
    played = room.players.play(seconds, rate)
    after = _cpu(room)
    return Window(played, {name: after[name] - before[name] for name in after})


def _cpu(room: Room) -> dict[str, float]:
    taken: dict[str, float] = {}
    for role, process in room.workers:
        taken[role] = taken.get(role, 0) + cpu_s(process.pid)
    servers = connection.primaries(room.store)
    facts = [server.execute_command("INFO", "cpu") for server in servers]
    taken["store"] = sum(
        float(each["used_cpu_user"]) + float(each["used_cpu_sys"]) for each in facts
    )
    return taken


def _half_figures(windows: Sequence[Window], wanted: float) -> list[Figure]:
    latencies_ms = [value for window in windows for value in window.played.latencies_ms]
    cpu_us = median([window.cpu_us for window in windows])
    return [
        Figure(
            "cpu_us", "CPU an action", cpu_us, "µs", CPU_ASKED_US, CPU_AIM_US, less_is_better=True
        ),
        Figure("p50_ms", "sent to committed, half of all", percentile(latencies_ms, 0.5), "ms"),
        Figure(
            "p99_ms",
            "sent to committed, 99 of 100",
            percentile(latencies_ms, 0.99),
            "ms",
            P99_ASKED_MS,
            less_is_better=True,
        ),
        Figure("rate", "actions", median([window.played.rate for window in windows]), "/s"),
        Figure("rate_wanted", "half of the highest rate", wanted, "/s"),
    ]


def _top_figures(windows: Sequence[Window]) -> list[Figure]:
    latencies_ms = [value for window in windows for value in window.played.latencies_ms]
    cpu_us = median([window.cpu_us for window in windows])
    rate = median([window.played.rate for window in windows])
    return [
        Figure("top_rate", "at the highest rate: actions", rate, "/s"),
        Figure("top_cpu_us", "at the highest rate: CPU an action", cpu_us, "µs"),
        Figure(
            "top_p50_ms", "at the highest rate: half of all", percentile(latencies_ms, 0.5), "ms"
        ),
        Figure(
            "top_p99_ms", "at the highest rate: 99 of 100", percentile(latencies_ms, 0.99), "ms"
        ),
    ]


def _shares(windows: Sequence[Window]) -> list[Figure]:
    """Which process the CPU of an action goes to."""
    return [
        Figure(
            f"{name}_cpu_us",
            f"of the CPU: {name}",
            median([window.cpu_s[name] / window.played.actions * US_PER_S for window in windows]),
            "µs",
        )
        for name in windows[0].cpu_s
    ]
