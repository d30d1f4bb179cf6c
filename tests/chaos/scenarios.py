"""The ways in which a service is broken, each an evening of play that must end well."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from typing import Final

from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.events import HandStarted, HandVoided
from doorcard.fairness.keys import DeckKeyRing
from doorcard.streams.codec import decode
from doorcard.streams.folding import rebuild
from doorcard.streams.keys import GROUP, queue_key
from doorcard.streams.log import Stored
from doorcard.streams.queues import Queues
from doorcard.streams.recover import restore_table
from services.upkeep import dead_letters, retry_dead
from tests.chaos.judge import Verdict, judge, standing
from tests.chaos.players import Players
from tests.chaos.proxy import Cutter
from tests.chaos.site import Site
from tests.services.shops import ROLES

Facts = dict[str, object]
"""What an evening showed, to be printed."""
Scenario = Callable[[Site, float], Facts]
RECOVERY_S: Final = 15.0
"""No table waits longer for its next action, however busy the machine."""
WINDOW_S: Final = 2.0
"""With ``everysec`` the file may be behind the answers by two seconds, while the disk is slow."""


def workers_killed(site: Site, seconds: float) -> Facts:
    """SIGKILL of any role every few hundred ms; then one of each with work in its hands."""
    room = site.room()
    end_s, killed_s = time.monotonic() + seconds, list[float]()
    while time.monotonic() < end_s:
        name = site.chance.choice(site.crew)
        killed_s.append(time.monotonic())
        site.kill(name)
        site.start(name)
        site.play(room, site.chance.uniform(0.3, 0.7))
    site.play_until(room, lambda: _all_act(room, end_s), lambda: "no play after the storm")
    storm = [round(max(room.witness.since(moment).values()) - moment, 2) for moment in killed_s]
    loaded = {role: _kill_loaded(site, room, role) for role in ("betting", "dealer", "showdown")}
    verdict = judge(site, room)
    assert verdict.lost == ()
    return {"recovery_s": sorted(storm), "loaded_recovery_s": loaded, **_told(verdict)}


def store_killed(site: Site, seconds: float) -> Facts:
    """SIGKILL of the server at any moment, with every answer on the disk: nothing is lost."""
    site.sync("always")
    room = site.room()
    end_s, kills, worst_s = time.monotonic() + seconds, 0, 0.0
    while time.monotonic() < end_s or not kills:
        site.play(room, site.chance.uniform(0.2, 0.8))
        killed_s = time.monotonic()
        site.kill_store()
        site.start_store()
        kills += 1
        worst_s = max(worst_s, _recovery(site, room, killed_s))
    verdict = judge(site, room)
    assert verdict.lost == ()
    return {"kills": kills, "recovery_s": worst_s, **_told(verdict)}


def power_failed(site: Site, seconds: float) -> Facts:
    """With ``everysec`` the file ends up to a second ago: a whole suffix is lost, everywhere."""
    site.sync("everysec")
    room = site.room()
    sizes: list[tuple[float, int]] = []
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        sizes.append((time.monotonic(), site.file.stat().st_size))
        site.play(room, 0.02)
    failed_s = time.monotonic()
    safe_s, size = site.chance.choice([entry for entry in sizes if entry[0] > failed_s - 1])
    commits = _cut_off(site, room, size + site.chance.randint(0, 300), kill=True)
    recovery_s = _recovery(site, room, time.monotonic())
    verdict = judge(site, room, forgot=True)
    for name, request_id in verdict.lost:
        heard_s = max(
            accepted.heard_s
            for accepted in room.witness.accepted
            if (accepted.table, accepted.request_id) == (name, request_id)
        )
        assert heard_s > safe_s - WINDOW_S, f"{name}: {request_id} had been accepted long before"
    lost = {"window_s": failed_s - safe_s, "lost_commits": commits, "noticed": room.forgotten}
    site.sync("always")
    return {**lost, "recovery_s": recovery_s, **_told(verdict)}


def file_cut_short(site: Site, seconds: float) -> Facts:
    """The last bytes of the file are gone: each log is a clean beginning of what it was."""
    site.sync("always")
    room = site.room()
    site.play(room, seconds)
    cut_bytes = site.chance.randint(1, 1_500)
    commits = _cut_off(site, room, site.file.stat().st_size - cut_bytes, kill=False)
    recovery_s = _recovery(site, room, time.monotonic())
    verdict = judge(site, room, forgot=True)
    told: Facts = {"cut_bytes": cut_bytes, "lost_commits": commits, "noticed": room.forgotten}
    return {**told, "recovery_s": recovery_s, **_told(verdict)}


def hands_voided(site: Site, seconds: float) -> Facts:
    """The same, where the house voids a hand that lost a part of itself."""
    site.sync("always")
    site.replace(site.crew, DOORCARD_AFTER_LOSS="void")
    room = site.room()
    site.play(room, seconds)
    _cut_off(site, room, site.file.stat().st_size - 20_000, kill=False)
    left = {name: rebuild(site.log, name) for name in room.tables}
    site.play_until(room, lambda: _voided(site, left), lambda: "no hand was voided")
    recovery_s = _recovery(site, room, time.monotonic())
    verdict = judge(site, room, forgot=True)
    assert site.said("the store forgot commits")
    voided = _voided(site, left)
    for name, hands in voided.items():
        assert hands == [left[name].hands], f"{name}: hands {hands} are void, not what was left"
    site.replace(site.crew)
    return {"after_loss": voided, "recovery_s": recovery_s, **_told(verdict)}


def connections_cut(site: Site, seconds: float) -> Facts:
    """Connections end before, within and after requests: each command is done once."""
    room = site.room()
    proxy = Cutter(site.url.removeprefix("unix://"), site.chance)
    names = [*site.of("betting"), site.of("dealer")[0], site.of("showdown")[0]]
    try:
        site.replace(names, DOORCARD_REDIS_URL=proxy.url)
        started_s = time.monotonic()
        site.play_until(room, lambda: _all_act(room, started_s), lambda: "no play by the proxy")
        proxy.share = 0.03
        site.play(room, seconds)
        proxy.share = 0.0
        verdict = judge(site, room)
    finally:
        site.replace(names)
        proxy.close()
    assert verdict.lost == ()
    return {"cuts": proxy.cuts, **_told(verdict)}


def worker_asleep(site: Site, seconds: float) -> Facts:
    """A worker sleeps longer than its messages are its own, and wakes in the middle of its work."""
    room = site.room()
    end_s, sleepers = time.monotonic() + seconds, list[str]()
    while time.monotonic() < end_s or not sleepers:
        site.play(room, site.chance.uniform(0.1, 0.4))
        name = site.chance.choice(site.of("betting", "dealer", "showdown"))
        sleepers.append(name)
        site.signal(signal.SIGSTOP, [name])
        slept_s = time.monotonic()
        awake_s = _recovery(site, room, slept_s)
        site.play(room, max(0.0, 2.2 - awake_s))
        site.signal(signal.SIGCONT, [name])
    site.play(room, 0.3)
    verdict = judge(site, room)
    assert verdict.lost == ()
    return {"asleep": sleepers, **_told(verdict)}


def memory_full(site: Site, seconds: float) -> Facts:
    """The store takes no writes for a while: nothing is lost, and play goes on by itself."""
    room = site.room()
    site.play(room, 0.3)
    site.client.config_set("maxmemory", 1)
    try:
        site.play(room, seconds)
        sent = Queues(site.client).send("floor", "p00.nobody", b"")
    finally:
        site.client.config_set("maxmemory", 0)
    recovery_s = _recovery(site, room, time.monotonic())
    verdict = judge(site, room)
    assert verdict.lost == ()
    assert isinstance(sent, Refused)
    assert sent.code == "queue/full"
    turned_away = dict(room.witness.turned_away)  # nobody, where no seat was asked just then
    assert turned_away.keys() <= {"queue/full"}
    return {"turned_away": turned_away, "recovery_s": recovery_s, **_told(verdict)}


def groups_destroyed(site: Site, seconds: float) -> Facts:
    """Somebody destroys consumer groups: they are made again, and nothing is done twice."""
    room = site.room()
    end_s, destroyed = time.monotonic() + seconds, 0
    while time.monotonic() < end_s or not destroyed:
        site.play(room, site.chance.uniform(0.1, 0.4))
        key = queue_key(site.chance.choice(ROLES), site.chance.choice(site.partitions))
        destroyed += int(site.client.xgroup_destroy(key, GROUP))
    verdict = judge(site, room)
    assert verdict.lost == ()
    return {"destroyed": destroyed, **_told(verdict)}


def poison(site: Site, seconds: float) -> Facts:
    """Hands sealed to a key that showdown lacks are buried, and come back with the key."""
    room = site.room()
    old = site.ring_file.with_name("old-keys.json")
    old.write_bytes(site.ring_file.read_bytes())
    old.chmod(0o600)
    key_id = f"key-{time.time_ns()}"
    DeckKeyRing.update(site.ring_file, lambda ring: ring.add(key_id).make_current(key_id))
    quick = {"DOORCARD_CLAIM_IDLE_MS": "100", "DOORCARD_DELIVERIES_MAX": "2"}
    site.replace(site.of("showdown"), DOORCARD_DECK_KEYS_FILE=str(old), **quick)
    site.replace(site.of("dealer"), DOORCARD_DECK_KEYS_FILE=str(site.ring_file))
    site.play_until(room, lambda: dead_letters(site.settings), lambda: "nothing was buried")
    site.play(room, seconds)
    paused = site.log.paused()
    assert paused
    assert all(key_id in reason for reason in paused.values())
    site.replace(site.of("showdown"))
    revived = 0
    while letters := dead_letters(site.settings):
        for _, letter in letters:
            retry_dead(site.settings, letter.id)
            revived += 1
        site.play(room, 0.5)
    verdict = judge(site, room, buried=True)
    assert verdict.lost == ()
    return {"revived": revived, "paused": len(paused), **_told(verdict)}


SCENARIOS: Final[dict[str, Scenario]] = {
    scenario.__name__: scenario
    for scenario in (
        workers_killed,
        store_killed,
        power_failed,
        file_cut_short,
        hands_voided,
        connections_cut,
        worker_asleep,
        memory_full,
        groups_destroyed,
        poison,
    )
}


def _kill_loaded(site: Site, room: Players, role: str) -> float:
    """Kill a worker that was handed messages which it has not begun with; how long it takes."""
    site.play(room, 0.3)
    name = site.chance.choice(site.of(role))
    killed_s = time.monotonic()
    site.signal(signal.SIGSTOP, [name])  # what waits for a message in the store gets one still
    site.play(room, 0.1)
    site.kill(name)
    site.start(name)
    return _recovery(site, room, killed_s)


def _all_act(room: Players, moment_s: float) -> bool:
    """Whether an action was accepted at every table since a moment."""
    return len(room.witness.since(moment_s)) == len(room.tables)


def _recovery(site: Site, room: Players, moment_s: float) -> float:
    """Seconds from a moment until an action was accepted at every table."""
    site.play_until(
        room,
        lambda: _all_act(room, moment_s),
        lambda: f"they do not go on: {standing(site, room, room.witness.since(moment_s))}",
        RECOVERY_S,
    )
    return round(max(room.witness.since(moment_s).values()) - moment_s, 2)


def _cut_off(site: Site, room: Players, size_bytes: int, *, kill: bool) -> int:
    """End the store, cut its file to a size, start it: how many commits are lost.

    Workers are held meanwhile, so that the store is seen as it comes back: every log is a
    beginning of what it was, and queues, timers and feeds fit the logs.
    """
    site.signal(signal.SIGSTOP)
    try:
        before = _logs(site)
        file = site.file
        if kill:
            site.kill_store()
        else:
            site.server.stop()
        with file.open("r+b") as opened:
            opened.truncate(min(size_bytes, file.stat().st_size))
        site.start_store()
        after = _logs(site)
        for name, stored in before.items():
            assert after[name] == stored[: len(after[name])], f"{name} is no beginning"
        for name in room.tables:  # the feeds name those of earlier evenings no longer
            restored = restore_table(site.client, name)
            assert restored.put_back == 0, f"{name}: not the same suffix everywhere: {restored}"
    finally:
        site.signal(signal.SIGCONT)
    return sum(len(stored) - len(after[name]) for name, stored in before.items())


def _voided(site: Site, left: Mapping[str, Table]) -> dict[str, list[int]]:
    """The hands of each table that were voided since, for what they had lost."""
    found: dict[str, list[int]] = {}
    for name, table in left.items():
        hand = table.hands
        for stored in site.log.read(name, table.seq):
            for event in decode(stored.raw).events:
                hand = event.hand if isinstance(event, HandStarted) else hand
                if isinstance(event, HandVoided) and event.reason.startswith("the store lost"):
                    found.setdefault(name, []).append(hand)
    return found


def _logs(site: Site) -> dict[str, list[Stored]]:
    return {name: site.log.read(name) for name in site.log.tables()}


def _told(verdict: Verdict) -> Facts:
    return {
        "hands": verdict.hands,
        "voided": verdict.voided,
        "commits": verdict.commits,
        "accepted": verdict.accepted,
        "lost": len(verdict.lost),
    }
