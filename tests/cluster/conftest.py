from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.nodes import Cluster, cluster_running
from tests.cluster.staff import PARTITIONS, Staff


@pytest.fixture(scope="session")
def formed() -> Iterator[Cluster]:
    """A real cluster for the tests of this folder."""
    with cluster_running() as cluster:
        yield cluster


@pytest.fixture
def cluster(formed: Cluster) -> Iterator[Cluster]:
    """The cluster with all its first nodes running, and nothing in it."""
    formed.mend()
    formed.empty()
    yield formed
    formed.disconnect()


@pytest.fixture
def staff(cluster: Cluster) -> Iterator[Staff]:
    """One worker of each role and a clock, who do their work on the cluster."""
    with Staff(cluster, PARTITIONS) as staff:
        yield staff
