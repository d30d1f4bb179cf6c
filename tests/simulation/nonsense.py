"""What no player should send: late, illegal, foreign, repeated and meaningless messages."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final

import msgpack

from doorcard.commands import Act, ActionName, AddChips, Choose, Command, SitDown, VoidHand
from doorcard.engine.table import Table
from doorcard.streams.commit import ROLES
from doorcard.streams.keys import partition_of
from doorcard.streams.messages import encode_request, role_for
from doorcard.tables import Role

if TYPE_CHECKING:
    from tests.simulation.players import Players

ACTIONS: Final[tuple[ActionName, ...]] = ("bring_in", "complete", "bet", "raise", "call", "fold")


def send_nonsense(players: Players, table: Table, chance: Random) -> None:
    """Let somebody send one message that makes no sense, or comes too late, or too often."""
    kind = chance.randint(0, 6)
    if kind == 0:
        players.post(chance.choice(ROLES), chance.randbytes(chance.randint(0, 60)))
    elif kind == 1 and players.answered:
        role, raw = chance.choice(players.answered)
        players.post(role, raw)
    elif kind == 2 and players.answered:
        _reuse_id(players, chance)
    elif kind == 3:
        _wrong_field(players, chance)
    elif kind == 4:
        _wrong_queue(players, table, chance)
    else:
        _wrong_command(players, table, chance)


def _wrong_command(players: Players, table: Table, chance: Random) -> None:
    seat, decision = chance.randint(0, 9), max(table.decision + chance.randint(-2, 2), 0)
    amount = chance.choice((None, 0, 1, chance.randint(0, 500)))
    command: Command = chance.choice((
        Act(seat, decision, chance.choice(ACTIONS), amount, f"{players.table_id}-nobody"),
        Act(seat, max(table.decision - 1, 0), chance.choice(ACTIONS), amount),
        Choose(seat, decision, "declare", direction="low"),
        Choose(seat, decision, "roll", chance.randint(0, 51)),
        AddChips(seat, "nobody", 5, ""),
        SitDown(seat, f"{players.table_id}-seat-0-0", 5, ""),
        VoidHand("no") if not table.in_hand else Act(seat, decision + 5, "call"),
    ))  # fmt: skip
    _ask(players, role_for(command), players.table_id, command)


def _ask(players: Players, role: Role, table: str, command: Command) -> None:
    request_id = players.new_id()
    if isinstance(command, AddChips | SitDown):
        command = type(command)(command.seat, command.player, command.chips, request_id)
    raw = encode_request(request_id, players.name, table, command)
    players.post(role, raw, request_id, f"nonsense {request_id}")


def _wrong_queue(players: Players, table: Table, chance: Random) -> None:
    act = Act(0, table.decision, "call")
    if chance.random() < 0.5:
        _ask(players, chance.choice(ROLES), players.table_id, act)
    else:
        _ask(players, "betting", f"{partition_of(players.table_id)}.nowhere", act)


def _reuse_id(players: Players, chance: Random) -> None:
    """An id that was used for something else; its answer, if any, is nobody's business."""
    _, raw = chance.choice(players.answered)
    body: Any = msgpack.unpackb(raw)
    if type(body) is dict and body["do"] in {"act", "sit_out", "sit_in"}:
        body["seat"] = chance.randint(0, 9)
        role: Role = "betting" if body["do"] == "act" else "floor"
        players.post(role, msgpack.packb(body))


def _wrong_field(players: Players, chance: Random) -> None:
    request_id = players.new_id()
    body = {"id": request_id, "from": players.name, "table": players.table_id, "do": "act"}
    wrong = chance.choice(({"seat": -1}, {"seat": 1.5}, {"more": 1}, {"do": "win"}, {"table": "x"}))
    players.post("betting", msgpack.packb({**body, **wrong}), request_id, f"nonsense {request_id}")
