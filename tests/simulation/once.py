"""What many in a run would work out alike is worked out once, and compared instead.

Workers, players and the oracle read the same commits, messages and replies, and fold the same
tables: most of a run's time would go into doing so again. In most seeds decoding is therefore
remembered, whoever folds what the oracle has folded is given the oracle's own table, and secrets
are sealed by something cheap. In return every table that a worker has decided, or rebuilt, is
compared with the oracle's as a whole before it is exchanged for it.

In one seed of ``ALONE_EVERY`` everybody works everything out alone, seals and opens with HPKE, and
every log is audited: nothing that is shared there could hide that somebody has changed it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from hashlib import sha256, shake_256
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar
from unittest.mock import patch

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from doorcard import client
from doorcard.audit import archive
from doorcard.audit.verify import Report, verify_table
from doorcard.engine.table import NO_CHAIN, Hand, Player, Table
from doorcard.fairness import sealing
from doorcard.streams import codec, folding, heads, messages
from doorcard.streams.commit import Commit
from doorcard.streams.heads import hand_started
from doorcard.streams.log import Stored
from doorcard.streams.log_file import ReadableLog
from doorcard.streams.messages import Reply
from services import answers, cache, intake
from tests.simulation.trace import Violation

if TYPE_CHECKING:
    from tests.simulation.releases import Releases

ALONE_EVERY: Final = 25
REBUILD_EVERY: Final = 4
"""One rebuild, and one audit of hands before they are archived, in so many is made; and one run in
so many is folded anew at its end."""
_KEY_BYTES: Final = 32
_TAG_BYTES: Final = 16

T = TypeVar("T")


class Once:
    """What is known in one run; nothing, where everybody is alone."""

    def __init__(self, *, alone: bool, releases: Releases | None = None) -> None:
        self.alone = alone
        self._releases = releases
        self.decode: Callable[[bytes], Commit] = codec.decode
        self.parse: Callable[[bytes], Any] = messages.parse
        self.decode_reply: Callable[[bytes], Reply] = messages.decode_reply
        if not alone:
            self.decode = _remembering(self.decode)
            self.parse = _remembering(self.parse)
            self.decode_reply = _remembering(self.decode_reply)
        self._after: dict[tuple[bytes, bytes], Table] = {}
        """By chain hash and commit: the table that follows."""
        self._tables: dict[bytes, Table] = {}
        """By chain hash: the oracle's own table."""
        self._rebuilt = self._verified = 0

    @contextmanager
    def shared(self) -> Generator[None]:
        """While this lasts, the programs of the service and of players share what is known."""
        with ExitStack() as stack:
            for module, name, mine in self._patches(stack):
                stack.enter_context(patch.object(module, name, mine))
            yield

    def _patches(self, stack: ExitStack) -> list[tuple[Any, str, Any]]:
        """Functions of modules that are exchanged: where everybody is alone, only for what workers
        of another release do otherwise."""
        decode, parse = self.decode, self.parse
        fold: Callable[[Table, Iterable[Stored]], Table] = self._fold
        if self._releases is not None:
            stack.enter_context(self._releases.shared())
            decode, parse = self._releases.decode(decode), self._releases.parse(parse)
            fold = self._releases.fold(fold, _fold_commits)
        elif self.alone:
            return []
        reading: list[tuple[Any, str, Any]] = [
            (folding, "decode", decode),
            (heads, "decode", decode),
            (answers, "decode", decode),
            (intake, "parse", parse),
        ]
        if self.alone:
            return reading
        return [
            *reading,
            (client, "decode_reply", self.decode_reply),
            (folding, "fold_commits", fold),
            (cache, "fold_commits", fold),
            (client, "fold_commits", fold),
            (sealing, "_SUITE", _Cheap()),
            (archive, "verify_table", self._verify),
        ]

    def folded(self, before: Table, raw: bytes, after: Table) -> None:
        """The oracle has folded a commit."""
        if not self.alone:
            self._after[before.chain, raw] = self._tables[after.chain] = after

    def own(self, table: Table) -> Table:
        """The oracle's own table in place of one that must be equal to it.

        A table is returned as it is where everybody is alone, or the oracle knows no such commit.
        """
        mine = self._tables.get(table.chain)
        if mine is None or mine is table:
            return table
        if not alike(table, mine):
            raise Violation(f"somebody folds another table at commit {table.seq} of {table.id}")
        return mine

    def _fold(self, table: Table, stored: Iterable[Stored]) -> Table:
        """``fold_commits``; what follows on the oracle's own table is known."""
        left = list(stored)
        known = 0
        follows = self._known_start(table)
        while follows is not None and known < len(left):
            seq, raw, mark = left[known]
            follows = self._after.get((follows.chain, raw))
            if follows is None or follows.seq != seq or not follows.chain.startswith(mark):
                break
            table = follows
            known += 1
        return self.own(_fold_commits(table, left[known:])) if left[known:] else table

    def _verify(self, log: ReadableLog, table_id: str) -> Report:
        """``verify_table``; what the oracle knows is mostly taken for verified."""
        self._verified += 1
        stored = log.read(table_id)
        started = hand_started(self.decode(stored[0].raw))
        chain = NO_CHAIN if started is None else started.chain
        for _, raw, _ in stored:
            follows = self._after.get((chain, raw))
            if follows is None or not self._verified % REBUILD_EVERY:
                return verify_table(log, table_id)
            chain = follows.chain
        return Report(table_id, len(stored), 0, None, (), ())

    def _known_start(self, table: Table) -> Table | None:
        """The oracle's own table in place of what a fold begins with, if that may be exchanged.

        A rebuild begins with nothing but the chain; some are really made, and compared.
        """
        if table.config is not None or not table.seq:
            return self.own(table)
        self._rebuilt += 1
        return self._tables.get(table.chain) if self._rebuilt % REBUILD_EVERY else None


def alike(table: Table, other: Table) -> bool:
    """Whether two tables are equal. Mostly they share nearly all of their records."""
    if _OF_TABLE(table) != _OF_TABLE(other):
        return False
    hand, mine = table.hand, other.hand
    if hand is None or mine is None:
        return hand is mine
    if _OF_HAND(hand) != _OF_HAND(mine) or hand.rules.spec != mine.rules.spec:
        return False
    return _all_alike(hand.players, mine.players)


def _all_alike(players: Sequence[Player], others: Sequence[Player]) -> bool:
    return len(players) == len(others) and all(
        player is other or _OF_PLAYER(player) == _OF_PLAYER(other)
        for player, other in zip(players, others, strict=True)
    )


def _remembering(function: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """A function of bytes that remembers its results, but not its errors."""
    known: dict[bytes, T] = {}

    def remembered(raw: bytes) -> T:
        result = known.get(raw)
        if result is None:
            result = known[raw] = function(raw)
        return result

    return remembered


class _Cheap:
    """In place of HPKE's suite: as long, bound to key and context alike, but no cryptography."""

    def __init__(self) -> None:
        self._count = 0

    def encrypt(self, plaintext: bytes, key: X25519PublicKey, information: bytes) -> bytes:
        """Hide bytes; no two results are equal."""
        self._count += 1
        start = sha256(b"%d" % self._count).digest()
        mask = _mask(start, key.public_bytes_raw(), information, len(plaintext))
        return start + _mixed(plaintext, mask) + _tag(mask, plaintext)

    def decrypt(self, sealed: bytes, key: X25519PrivateKey, information: bytes) -> bytes:
        """Show them to the holder of the key, in their context."""
        start, hidden = sealed[:_KEY_BYTES], sealed[_KEY_BYTES:-_TAG_BYTES]
        mask = _mask(start, _public(key), information, len(hidden))
        plaintext = _mixed(hidden, mask)
        if _tag(mask, plaintext) != sealed[-_TAG_BYTES:] or len(sealed) < _KEY_BYTES + _TAG_BYTES:
            raise InvalidTag
        return plaintext


@lru_cache(maxsize=16)
def _public(key: X25519PrivateKey) -> bytes:
    return key.public_key().public_bytes_raw()


def _mask(start: bytes, public: bytes, information: bytes, length: int) -> bytes:
    return shake_256(b"%b%b%b" % (start, public, information)).digest(length + _TAG_BYTES)


def _mixed(data: bytes, mask: bytes) -> bytes:
    mixed = int.from_bytes(data, "big") ^ int.from_bytes(mask[: len(data)], "big")
    return mixed.to_bytes(len(data), "big")


def _tag(mask: bytes, plaintext: bytes) -> bytes:
    return sha256(mask + plaintext).digest()[:_TAG_BYTES]


_fold_commits: Final = folding.fold_commits
_APART: Final = {"hand", "owned", "options", "players", "rules", "seat_index"}
_OF_TABLE: Final = attrgetter(*(name for name in Table.__slots__ if name not in _APART))
_OF_PLAYER: Final = attrgetter(*Player.__slots__)
_OF_HAND: Final = attrgetter(*(name for name in Hand.__slots__ if name not in _APART))
