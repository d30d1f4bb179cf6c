"""Dead letters as an operator sees them. None is a secret: what is secret in one is sealed."""

from __future__ import annotations

import json

import msgpack

from doorcard.streams.delivery import DeadLetter


def line_of(partition: str, letter: DeadLetter) -> str:
    """A letter in one line."""
    return (
        f"{letter.id}  {partition}  table {letter.table or '?'}  "
        f"deliveries {letter.count}  {letter.reason}"
    )


def text_of(partition: str, letter: DeadLetter) -> str:
    """All that a letter says, as JSON, with the message that nobody could handle."""
    facts = {
        "letter": letter.id,
        "partition": partition,
        "queue": letter.queue,
        "table": letter.table,
        "deliveries": letter.count,
        "reason": letter.reason,
        "message": letter.message_id,
    }
    return json.dumps(facts | {"says": _plain(letter.raw)}, indent=2)


def _plain(raw: bytes) -> object:
    """What a message says, bytes in it as hex; all of it as hex where it is nothing known."""
    try:
        return json.loads(json.dumps(msgpack.unpackb(raw), default=_hex))
    except Exception:  # noqa: BLE001 - whatever it is, it is shown
        return raw.hex()


def _hex(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
