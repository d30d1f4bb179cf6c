"""What the senders of requests are answered."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgpack
from pydantic import BaseModel, ConfigDict

from doorcard.errors import BadInput


class Reply(NamedTuple):
    """The answer to a request."""

    id: str
    table: str
    ok: bool
    seq: int | None = None
    """The commit that the request is in, where there is one."""
    code: str | None = None
    sentence: str | None = None
    seat: int | None = None


def encode_reply(reply: Reply) -> bytes:
    """The bytes of a reply: a map without what is None. A refusal has a code and a sentence."""
    message_id, table, ok, seq, code, sentence, seat = reply
    body: dict[str, Any] = {"id": message_id, "table": table, "ok": ok}
    if seq is not None:
        body["seq"] = seq
    if code is not None:
        body |= {"code": code, "sentence": sentence}
    if seat is not None:
        body["seat"] = seat
    packed: bytes = msgpack.packb(body)
    return packed


def decode_reply(raw: bytes) -> Reply:
    """The reply that some bytes hold.

    Raises:
        BadInput: they hold none.
    """
    try:
        return Reply(**_ReplyFields.model_validate(msgpack.unpackb(raw)).model_dump())
    except Exception as error:  # the package raises five kinds, and ValueError for some
        raise BadInput("the bytes are no reply") from error


class _ReplyFields(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    id: str
    table: str
    ok: bool
    seq: int | None = None
    code: str | None = None
    sentence: str | None = None
    seat: int | None = None
