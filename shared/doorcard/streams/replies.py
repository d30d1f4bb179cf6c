"""What the senders of requests are answered: a msgpack array.

A granted request is answered ``[id, table, seq]``, with nil for the number where the request is in
no commit; a refused one ``[id, table, code, sentence, seat]``, with nil where no seat is meant.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgpack
from pydantic import ConfigDict, TypeAdapter

from doorcard.errors import BadInput


class Reply(NamedTuple):
    """The answer to a request."""

    id: str
    table: str
    ok: bool
    """Whether it was granted."""
    seq: int | None = None
    """The commit that the request is in, where there is one."""
    code: str | None = None
    sentence: str | None = None
    seat: int | None = None


def encode_reply(reply: Reply) -> bytes:
    """The bytes of a reply. A refusal has a code and a sentence."""
    message_id, table, ok, seq, code, sentence, seat = reply
    row = (message_id, table, seq) if ok else (message_id, table, code, sentence, seat)
    packed: bytes = msgpack.packb(row)
    return packed


def decode_reply(raw: bytes) -> Reply:
    """The reply that some bytes hold.

    Raises:
        BadInput: they hold none.
    """
    try:
        row = _ROW.validate_python(msgpack.unpackb(raw, use_list=False))
    except Exception as error:  # the package raises five kinds, and ValueError for some
        raise BadInput("the bytes are no reply") from error
    if len(row) == 3:
        message_id, table, seq = row
        return Reply(message_id, table, True, seq)
    message_id, table, code, sentence, seat = row
    return Reply(message_id, table, False, None, code, sentence, seat)


_Granted = tuple[str, str, int | None]
_Refused = tuple[str, str, str, str, int | None]
_ROW: Final[TypeAdapter[_Granted | _Refused]] = TypeAdapter(
    _Granted | _Refused, config=ConfigDict(strict=True)
)
