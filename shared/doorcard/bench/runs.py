"""All benches by name, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from doorcard.bench import ceiling, engine, fold, load, rebuild, service, store
from doorcard.bench.figures import Figure, Wish

BENCHES: Final[Mapping[str, Callable[[Wish], list[Figure]]]] = MappingProxyType(
    {
        "engine": engine.measure,
        "fold": fold.measure,
        "rebuild": rebuild.measure,
        "service": service.measure,
        "store": store.measure,
        "ceiling": ceiling.measure,
        "load": load.measure,
    }
)
