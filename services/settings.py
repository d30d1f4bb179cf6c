"""Settings of every program, from the environment, read once when it starts."""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import AfterValidator, Field, field_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from doorcard.errors import BadInput, BadKey
from doorcard.streams.upcast import WRITTEN, require_writable
from doorcard.tables import Role

if TYPE_CHECKING:
    from doorcard.fairness.keys import DeckKeyRing

Durability = Literal["everysec", "fsync", "replicated"]
AfterLoss = Literal["resume", "void"]

LINGER_MS: Final = 10
FULLER_LINGER_MS: Final = 14
"""Where a read would bring less, or costs more."""
DEALING: Final = frozenset[Role]({"dealer", "showdown"})
"""The roles that are mostly woken by other workers' commits, and that no player waits for."""


PREFIX: Final = "DOORCARD_"
OTHERS: Final = frozenset(
    ("ACCESS_LOG", "DECK_KEYS", "DIFFERENTIAL_HANDS", "GAME_HANDS", "RANDOM_HANDS")
)
"""What others than these fields are read from: of `doorcard`, the deck keys, the test suite."""
PASSWORDS: Final = "_PASSWORD"
"""How the variables end that compose reads."""


def _writable(number: int) -> int:
    try:
        require_writable(number)
    except BadInput as error:
        raise PydanticCustomError("format", "{why}", {"why": str(error)}) from None
    return number


class Settings(BaseSettings):
    """Each field is read from ``DOORCARD_<FIELD>``; the defaults suit one machine."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore", frozen=True)

    redis_url: str = "redis://127.0.0.1:6379/0"
    """The store, as redis-py writes it; a unix socket is ``unix:///path/to/socket``, a cluster is
    ``redis+cluster://user:password@host:port,host:port``, which names some of its nodes."""
    partitions: int = Field(default=4, ge=1, le=1024)
    """Parts that tables are spread over; may grow, never shrink."""
    deck_keys_file: Path | None = None
    """Key-ring file; only dealer, showdown and auditors need one."""
    heads_file: Path | None = None
    """Where the showdown worker appends a signed head at each hand's end."""
    batch: int = Field(default=64, ge=1, le=1000)
    """Most messages read at once of each partition; the commits of all go out together."""
    block_ms: int = Field(default=1000, ge=10, le=10_000)
    """Longest wait for work before looking after other things."""
    linger_ms: int | None = Field(default=None, ge=0, le=50)
    """The least time between two reads of a worker that answers players, betting or floor: fuller
    batches, at the price of up to as much latency. A message that finds its worker idle waits for
    nothing. Unset it is 10; or 14 on a cluster, where whatever is sent goes to every node, and
    while several workers of the role share the messages, so that there are fewer for each."""
    deal_linger_ms: int = Field(default=30, ge=0, le=200)
    """The same for dealer and showdown: so much later the next card may come."""
    claim_idle_ms: int = Field(default=500, ge=100)
    """A message that a worker has held for so long, up to twice that, is given to another. It is
    many times what a batch takes; one that takes longer is worked at twice, and committed once."""
    drain_ms: int = Field(default=4000, ge=100)
    """A program that is told to stop finishes what it read for so long; the rest is for others."""
    deliveries_max: int = Field(default=5, ge=1, le=100)
    """After so many deliveries a message is dead and its table is paused."""
    cache_tables: int = Field(default=10_000, ge=1)
    """Most tables that a worker keeps folded."""
    clock_ms: int = Field(default=50, ge=5, le=1000)
    """How often the clock looks for timers that are due."""
    durability: Durability = "everysec"
    """``everysec``; ``fsync`` needs ``appendfsync always``, checked at start; ``replicated``
    waits for one replica and reads its answer."""
    after_loss: AfterLoss = "resume"
    """When the store has lost commits that a worker had seen, after a failover, say: ``resume``
    from what survived; or ``void`` the hand that lost a part of itself, with refunds."""
    parent_pid: int | None = Field(default=None, ge=1)
    """A worker stops when its parent is not this process any more; set by ``up``."""
    metrics_port: int = Field(default=0, ge=0, le=65_535)
    """Where ``/metrics``, ``/healthz`` and ``/readyz`` are served over HTTP; 0 serves nothing."""
    metrics_address: str = "127.0.0.1"
    """The address of that port; ``0.0.0.0`` where others than this machine shall ask."""
    traces: bool = False
    """Send OpenTelemetry spans; needs the extra ``traces``. Where to, and of how many hands, the
    variables of OpenTelemetry say: ``OTEL_EXPORTER_OTLP_ENDPOINT``, ``OTEL_TRACES_SAMPLER`` …"""
    write_format: Annotated[int, AfterValidator(_writable)] = WRITTEN
    """The format of new commits. Raise it when every worker, and every program that reads logs,
    reads it; whatever needs a newer one is refused until then."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    def linger_of(self, role: Role, workers: int = 1) -> int:
        """The least time between two reads of one of a role's workers, in milliseconds."""
        if role in DEALING:
            return self.deal_linger_ms
        if self.linger_ms is not None:
            return self.linger_ms
        is_cluster = self.redis_url.partition("//")[0].endswith("+cluster:")
        return FULLER_LINGER_MS if is_cluster or workers > 1 else LINGER_MS

    @field_validator("deck_keys_file", "heads_file", mode="before")
    @classmethod
    def _none_if_empty(cls, value: object) -> object:
        """A file that is named by nothing is none: compose files set variables so."""
        return value or None

    def deck_keys(self) -> DeckKeyRing:
        """The deck keys, from the file or from ``DOORCARD_DECK_KEYS``.

        Raises:
            BadKey: neither is set, or what is there cannot be used.
        """
        from doorcard.fairness.keys import DeckKeyRing  # noqa: PLC0415 - others do without

        if self.deck_keys_file is not None:
            return DeckKeyRing.load(self.deck_keys_file)
        ring = DeckKeyRing.from_environment(os.environ)
        if ring is None:
            raise BadKey("no deck key: set DOORCARD_DECK_KEYS_FILE or DOORCARD_DECK_KEYS")
        return ring


def unknown_settings(names: Iterable[str]) -> list[str]:
    """A sentence about each variable that looks like a setting and is none, a misspelt one, say."""
    known = {field.upper() for field in Settings.model_fields} | OTHERS
    said: list[str] = []
    for name in sorted(names):
        prefix, what = name[: len(PREFIX)].upper(), name[len(PREFIX) :].upper()
        if prefix != PREFIX or what in known or what.endswith(PASSWORDS):
            continue
        meant = get_close_matches(what, known, 1)
        hint = f"; {PREFIX}{meant[0]} is one" if meant else ""
        said.append(f"{name} is no setting, and is ignored{hint}")
    return said
