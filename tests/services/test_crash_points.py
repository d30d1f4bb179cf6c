"""A worker that is killed at any call to the store leaves a log as if nothing had happened (S-35).

Each role is killed before and after every call that it makes in one hand, with somebody leaving
and somebody else running out of time; a new worker, which knows nothing, goes on.
"""

from __future__ import annotations

from typing import Any

import pytest

from doorcard.tables import Role
from tests.services.harness import Evening, House, assert_all_is_done, essence, settings_for
from tests.services.shops import ROLES, MemoryShop, RedisShop, Shop


class Crash(BaseException):
    """SIGKILL: nothing in the worker may catch it."""


class Fuse:
    """Counts one role's calls to the store, and kills the worker at one of them."""

    def __init__(self, role: Role, blow_at: int = 0, *, after: bool = False) -> None:
        self.role: Role = role
        self.calls = 0
        self.blow_at = blow_at
        self.after = after

    def wrap(self, role: Role, adapter: Any) -> Any:
        return _Fused(adapter, self) if role == self.role else adapter


class _Fused:
    def __init__(self, adapter: Any, fuse: Fuse) -> None:
        self._adapter = adapter
        self._fuse = fuse

    def __getattr__(self, name: str) -> Any:
        method, fuse = getattr(self._adapter, name), self._fuse

        def call(*words: Any, **options: Any) -> Any:
            fuse.calls += 1
            if fuse.calls == fuse.blow_at and not fuse.after:
                raise Crash
            answer = method(*words, **options)
            if fuse.calls == fuse.blow_at:
                raise Crash
            return answer

        return call


class FragileHouse(House):
    """A house that hires a new worker for one that was killed."""

    def __init__(self, shop: Shop, fuse: Fuse) -> None:
        super().__init__(shop, settings_for(claim_idle_ms=5_000 if _is_memory(shop) else 0))
        self.fuse = fuse
        self.crashes = 0
        self.wrap = fuse.wrap
        self.hire(fuse.role)

    def step(self, roles: Any = ROLES) -> int:
        try:
            return super().step(roles)
        except Crash:
            self.crashes += 1
            self.hire(self.fuse.role)
            return 1

    def claim(self) -> int:
        try:
            return super().claim()
        except Crash:
            self.crashes += 1
            self.hire(self.fuse.role)
            return 1


def _is_memory(shop: Shop) -> bool:
    return isinstance(shop, MemoryShop)


def undisturbed(shop: Shop, role: Role) -> tuple[list[tuple[object, ...]], int]:
    """The log of an evening without any crash, and how often a role called the store."""
    house = FragileHouse(shop, Fuse(role))
    commits = Evening(house).play()
    assert_all_is_done(house)
    assert house.crashes == 0
    return essence(commits), house.fuse.calls


def crash_everywhere(new_shop: Any, role: Role, every: int) -> None:
    expected, calls = undisturbed(new_shop(), role)
    assert calls >= 4
    for after in (False, True):
        for number in range(1 + after % every, calls + 1, every):
            house = FragileHouse(new_shop(), Fuse(role, number, after=after))
            commits = Evening(house).play()
            assert house.crashes == 1, f"no crash at call {number}"
            assert essence(commits) == expected, f"killed at call {number}, {after=}"
            assert_all_is_done(house)


@pytest.mark.parametrize("role", ROLES)
def test_killed_at_every_call(role: Role) -> None:
    crash_everywhere(MemoryShop, role, every=1)


@pytest.mark.parametrize("role", ROLES)
def test_killed_at_calls_to_a_real_server(role: Role, server_client: Any) -> None:
    crash_everywhere(lambda: RedisShop(server_client), role, every=5)
