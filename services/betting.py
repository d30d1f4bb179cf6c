"""What betting does with a message. It is given no key, and loads nothing that could use one."""

from __future__ import annotations

from doorcard.commands import Act, Choose, TimeOut
from doorcard.engine import betting
from doorcard.engine.decided import Decided
from doorcard.engine.table import Table
from doorcard.errors import Refused
from doorcard.streams.messages import Request, role_for
from doorcard.tables import Role
from services.decider import due_at
from services.jobs import Message


class BettingDecider:
    """Players' actions, declarations and time-outs. Knows no hidden card and no secret choice."""

    role: Role = "betting"

    def decide(self, table: Table, message: Message, now_ms: int) -> Decided | Refused:
        """Decide an action, or a time-out that is really due."""
        if isinstance(message, Request):
            command = message.command
            if not isinstance(command, Act | Choose) or role_for(command) != self.role:
                return Refused("message/wrong_queue", "Players' actions only are decided here.")
            if table.config is None:
                return Refused("betting/unknown_table", "There is no such table.")
            return betting.decide(table, command)
        due = due_at(table, message, now_ms)
        if isinstance(due, TimeOut):
            return betting.decide(table, due)
        return due or Refused("betting/not_due", "The decision's time is not up.")
