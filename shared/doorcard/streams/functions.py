"""Calling the functions that live in the server, and putting them there where they are missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from redis.exceptions import ResponseError

from doorcard.errors import StoreError
from doorcard.streams.cluster_node import AWAY
from doorcard.streams.connection import Client, Word, exchange, primaries

LIBRARY: Final = "doorcard_v6"
COMMIT: Final = "doorcard_commit_v6"
FIRE: Final = "doorcard_fire_v6"
CLAIM: Final = "doorcard_claim_v6"
HOLD: Final = "doorcard_hold_v6"
BURY: Final = "doorcard_bury_v6"
REPLY: Final = "doorcard_reply_v6"
SETTLE: Final = "doorcard_settle_v6"
SHELVE: Final = "doorcard_shelve_v6"


class Call:
    """One call of a function: its name, keys and arguments, as they are sent."""

    __slots__ = ("words",)

    def __init__(self, function: str, keys: Sequence[str], arguments: Sequence[Word]) -> None:
        self.words: tuple[Word, ...] = ("FCALL", function, len(keys), *keys, *arguments)


def library_code() -> str:
    """The text of the function library."""
    return Path(__file__).with_name("commit.lua").read_text("utf-8")


def load_library(client: Client) -> None:
    """Put the library into each server that takes writes and lacks it. Again, it does no harm.

    Nodes of a cluster that are away are left out, unless all are: a call that does not find its
    function loads it.

    Raises:
        StoreError: a server holds another library of this name.
    """
    servers = primaries(client)
    away: list[Exception] = []
    for server in servers:
        try:
            _load(server)
        except AWAY as error:
            away.append(error)
    if len(away) == len(servers):
        raise away[0]


def call_each(
    client: Client,
    calls: Sequence[Call],
    *,
    then: Sequence[Sequence[Word]] = (),
    patient: bool = True,
) -> list[Any]:
    """Make calls in one pipeline; the answer to each, which may be a ``ResponseError``.

    Calls that the server did not know the function of are sent again, after loading it; the
    others are not. All must bear to be sent twice, because the client repeats what failed.

    Args:
        then: commands behind the calls; their answers are the last ones.
        patient: as ``connection.exchange`` has it.
    """
    answers = exchange(client, [*(call.words for call in calls), *then], patient=patient)
    unknown = [place for place in range(len(calls)) if _is_unknown_function(answers[place])]
    if unknown:
        load_library(client)
        again = exchange(client, [calls[place].words for place in unknown], patient=patient)
        for place, answer in zip(unknown, again, strict=True):
            answers[place] = answer
    return answers


def call(client: Client, function: str, keys: Sequence[str], arguments: Sequence[Word]) -> Any:
    """Make one call.

    Raises:
        ResponseError: the server refused it.
    """
    (answer,) = call_each(client, [Call(function, keys, arguments)])
    if isinstance(answer, Exception):
        raise answer
    return answer


def read_answer(answer: Any) -> tuple[str, str]:
    """(code, detail) of a function's answer."""
    code, detail = answer
    return code.decode(), detail.decode("utf-8", "replace")


def _is_unknown_function(answer: object) -> bool:
    return isinstance(answer, ResponseError) and "Function not found" in str(answer)


def _load(server: Client) -> None:
    try:
        server.execute_command("FUNCTION", "LOAD", library_code())
    except ResponseError as error:
        if "already exists" not in str(error):
            raise
        _require_same(server)


def _require_same(client: Client) -> None:
    listed = client.execute_command("FUNCTION", "LIST", "LIBRARYNAME", LIBRARY, "WITHCODE")
    if library_code().encode() not in _texts(listed):
        raise StoreError(
            f"the server holds a library {LIBRARY} that is not this program's; a changed library "
            "needs a new name"
        )


def _texts(answer: Any) -> list[bytes]:
    """All texts in an answer, however it is nested."""
    if isinstance(answer, bytes):
        return [answer]
    if not isinstance(answer, list):
        return []
    return [text for part in answer for text in _texts(part)]  # pyright: ignore[reportUnknownVariableType]
