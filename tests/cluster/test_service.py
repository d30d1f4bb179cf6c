"""The whole service on a real cluster: tables on all nodes, workers that come and go."""

from __future__ import annotations

import sys
import time
from typing import cast

from doorcard.streams.keys import slot_of, tag_of_partition
from services.embedded_cluster import until
from tests.cluster.nodes import NODE_TIMEOUT_MS, Cluster, ClusterNode
from tests.cluster.staff import Evening, Staff

RECOVERY_S_MAX = NODE_TIMEOUT_MS / 1000 + 2


def test_tables_on_all_nodes_are_played_to_the_end(cluster: Cluster, staff: Staff) -> None:
    owners = {cluster.owner_of(name).port: cluster.owner_of(name) for name in staff.partitions}
    assert len(owners) == 3
    evening = Evening(staff, hands=2)
    evening.play_to_the_end()
    evening.check()
    assert all(node.client.dbsize() > 0 for node in owners.values())
    assert staff.notes.said("store trouble, waiting") == []


def test_a_worker_joins_and_leaves_and_nobody_is_told(staff: Staff) -> None:
    evening = Evening(staff, hands=4)
    evening.play(lambda: evening.room.actions > 10)
    hired, worker = staff.hire("betting")
    evening.play(lambda: worker.tally.commits > 10)
    evening.play(lambda: len(staff.notes.said("partitions shared out")) == 2)
    told = staff.notes.said("partitions shared out")
    reads = [name for line in told for name in cast("list[str]", line["reads"])]
    assert sorted(reads) == list(staff.partitions)
    hired.leave()
    done = worker.tally.commits
    evening.play_to_the_end()
    evening.check()
    assert worker.tally.commits == done
    assert (worker.waiting, worker.stuck) == (0, False)


def test_a_primary_dies_in_the_middle_of_a_hand_and_its_replica_goes_on(
    cluster: Cluster, staff: Staff
) -> None:
    evening = Evening(staff, hands=5)
    evening.play(lambda: evening.room.actions > 30)
    primary = cluster.owner_of("p00")
    replica = cluster.replica_of(primary)
    hit = [table for table in evening.tables if cluster.owner_of(table) is primary]
    assert 0 < len(hit) < len(evening.tables)
    primary.kill()
    recovery_s = _next_commits_s(evening, hit)
    sys.stdout.write(f"a primary killed to the next commits of its tables: {recovery_s:.2f} s\n")
    assert recovery_s < RECOVERY_S_MAX
    evening.play_to_the_end()
    evening.check()
    assert cluster.owner_of("p00") is replica
    primary.start_again()
    cluster.mend()
    until(lambda: not primary.is_primary)  # it comes back as a replica of the one that took over


def test_a_slot_moves_to_a_new_node_and_back_while_hands_are_played(
    cluster: Cluster, staff: Staff
) -> None:
    evening = Evening(staff, hands=6)
    evening.play(lambda: evening.room.actions > 30)
    slot, old, new = slot_of(tag_of_partition("p01")), cluster.owner_of("p01"), cluster.join()
    cluster.move(slot, new, evening.step)
    assert (_holds(new, "p01"), _holds(old, "p01")) == (True, False)
    _next_commits_s(evening, ["p01.stud"])
    cluster.move_at_once(slot, old)
    assert (_holds(old, "p01"), _holds(new, "p01")) == (True, False)
    _next_commits_s(evening, ["p01.stud"])
    evening.play_to_the_end()
    evening.check()
    assert staff.notes.said("the store forgot commits") == []


def _next_commits_s(evening: Evening, tables: list[str]) -> float:
    """How long it takes until there is news of each of some tables."""
    before = {table: evening.seq(table) for table in tables}
    started_s = time.monotonic()
    evening.play(lambda: all(evening.seq(table) > seq for table, seq in before.items()))
    return time.monotonic() - started_s


def _holds(node: ClusterNode, partition: str) -> bool:
    return bool(node.client.keys(f"dc:{{{tag_of_partition(partition)}}}:log:*"))
