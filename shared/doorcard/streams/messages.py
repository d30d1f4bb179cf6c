"""What players, operators and gateways send, and what they are answered.

A request is a msgpack map: ``id``, ``from`` (whose reply stream is meant), ``table``, ``do`` (the
command's name), the command's own fields by name, and the ``format`` that it needs if not all
programs know it. Foreign bytes: what does not fit is refused with a code and one sentence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgpack
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from doorcard.commands import (
    Act,
    ActionName,
    AddChips,
    CallGame,
    Choice,
    Choose,
    CloseTable,
    Command,
    Leave,
    OpenTable,
    PauseTable,
    ResumeTable,
    SitDown,
    SitIn,
    SitOut,
    VoidHand,
)
from doorcard.errors import BadInput, Refused
from doorcard.limits import CHIPS_MAX, Limits, Structure
from doorcard.streams.keys import is_sender, is_table_id
from doorcard.streams.replies import Reply, decode_reply, encode_reply
from doorcard.streams.upcast import FORMAT
from doorcard.streams.wakes import Fired, Wake, encode_fired, encode_wake, newer_kind, read_notice
from doorcard.tables import GameSpec, Role

__all__ = [
    "Fired",
    "Reply",
    "Request",
    "Wake",
    "decode_reply",
    "encode_fired",
    "encode_reply",
    "encode_request",
    "encode_wake",
    "parse",
    "return_address",
    "role_for",
]

MESSAGE_BYTES_MAX: Final = 16_384
NEWER_FORMAT: Final = "message/newer_format"
"""The code of a message that is not to be refused at all, but left to newer programs."""
DIGEST_BYTES: Final = 8

Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[!-~]+$")]
Name = Annotated[str, Field(min_length=1, max_length=64)]
Chips = Annotated[int, Field(ge=0, le=CHIPS_MAX)]
SeatNumber = Annotated[int, Field(ge=0, le=99)]
Reason = Annotated[str, Field(max_length=200)]
Key = Annotated[bytes, Field(max_length=32)]
Place = Annotated[int, Field(ge=0, le=51)]
Sealed = Annotated[bytes, Field(max_length=256)]
Price = Annotated[int, Field(strict=True, ge=0, le=CHIPS_MAX)]
Prices = Annotated[tuple[Price, ...], Field(strict=False, max_length=10)]
"""A msgpack array, which is read as a list."""
Switch = str | int | bool | Prices | None


class Request(NamedTuple):
    """A request whose fields all have their types; whether it makes sense is for a decider."""

    id: str
    sender: str
    table: str
    command: Command
    digest: bytes
    """Hash of everything but the id, so that an id used again for something else is noticed."""


def parse(raw: bytes) -> Wake | Fired | Request | Refused:
    """What a message says, or why it says nothing that could be understood."""
    if len(raw) > MESSAGE_BYTES_MAX:
        return Refused("message/too_long", f"A message has up to {MESSAGE_BYTES_MAX} bytes.")
    try:
        body = msgpack.unpackb(raw, object_pairs_hook=_unique)
    except _DoubleField as error:
        return Refused("message/double_field", f"The field {error} stands there twice.")
    except Exception:  # noqa: BLE001  # the package raises five kinds, and ValueError for some
        return Refused("message/not_msgpack", "The message is not msgpack.")
    if isinstance(body, dict):
        return _request(body)  # pyright: ignore[reportUnknownArgumentType]
    notice = read_notice(body)
    if notice is None and (kind := newer_kind(body)):
        return _newer("kind", kind)
    return notice or Refused("message/bad_shape", "The message is no map of fields.")


def return_address(raw: bytes) -> tuple[str, str] | None:
    """(sender, id) of a message, for answering one that was refused; None if it has none."""
    try:
        body = msgpack.unpackb(raw)
        sender, message_id = body["from"], body["id"]
    except Exception:  # noqa: BLE001  # there is nobody to answer, whatever the reason
        return None
    if type(sender) is not str or type(message_id) is not str or not is_sender(sender):
        return None
    return sender, message_id


def encode_request(message_id: str, sender: str, table: str, command: Command) -> bytes:
    """The bytes of a request. Fields at their defaults are left out.

    Raises:
        BadInput: the command is one that only the service itself gives, as a time-out.
    """
    name = _NAMES.get(type(command))
    if name is None:
        raise BadInput(f"{type(command).__name__} cannot be asked for")
    body: dict[str, Any] = {"id": message_id, "from": sender, "table": table, "do": name}
    for field in fields(command):
        value = getattr(command, field.name)
        if value != field.default and not (field.name == "request" and value == message_id):
            body[field.name] = _plain(field.name, value)
    packed: bytes = msgpack.packb(body)
    return packed


def role_for(command: Command) -> Role:
    """The role that decides a command, and whose queue it belongs into."""
    if isinstance(command, Choose) and command.choice != "declare":
        return "dealer"
    return "betting" if isinstance(command, Act | Choose) else "floor"


# --- the fields of every message --------------------------------------------------------------


class _Fields(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class _Act(_Fields):
    seat: SeatNumber
    decision: Chips
    action: ActionName
    to: Chips | None = None
    player: Name | None = None


class _Choose(_Fields):
    seat: SeatNumber
    decision: Chips
    choice: Choice
    place: Place | None = None
    direction: Literal["", "high", "low", "both"] = ""
    sealed: Sealed = b""
    player: Name | None = None


class _Limits(_Fields):
    structure: Structure = "fixed_limit"
    ante: Chips = 0
    bring_in: Chips = 0
    small_bet: Chips = 0
    big_bet: Chips = 0
    min_bet: Chips = 0
    spread_min: Chips = 0
    spread_max: Chips = 0


class _Spec(_Fields):
    game: Name
    limits: _Limits
    variant: Annotated[str, Field(max_length=64)] = ""
    house: Annotated[dict[Name, Switch], Field(max_length=100)] = {}


class _OpenTable(_Spec):
    seats: SeatNumber | None = None
    buy_in_min: Chips = 1
    buy_in_max: Chips = CHIPS_MAX
    action_ms: Chips = 30_000
    others: Annotated[list[_Spec], Field(max_length=20)] = []
    change: Literal["hands", "orbit", "call"] = "hands"
    change_hands: Chips = 1


class _Nothing(_Fields):
    pass


class _PauseTable(_Fields):
    reason: Reason = ""


class _VoidHand(_Fields):
    reason: Reason
    hand: Chips | None = None


class _Seated(_Fields):
    seat: SeatNumber
    player: Name


class _Leave(_Seated):
    request: Id


class _AddChips(_Leave):
    chips: Chips


class _SitDown(_AddChips):
    key: Key = b""


class _CallGame(_Seated):
    game: Annotated[int, Field(ge=0, le=99)]


class _Envelope(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    id: Id
    sender: str = Field(alias="from")
    table: str
    do: str


class _Named(_Envelope):
    format: Annotated[int, Field(ge=1)]


_COMMANDS: Final[dict[str, tuple[type[Command], type[_Fields]]]] = {
    "act": (Act, _Act),
    "choose": (Choose, _Choose),
    "open_table": (OpenTable, _OpenTable),
    "close_table": (CloseTable, _Nothing),
    "pause_table": (PauseTable, _PauseTable),
    "resume_table": (ResumeTable, _Nothing),
    "sit_down": (SitDown, _SitDown),
    "leave": (Leave, _Leave),
    "sit_out": (SitOut, _Seated),
    "sit_in": (SitIn, _Seated),
    "add_chips": (AddChips, _AddChips),
    "void_hand": (VoidHand, _VoidHand),
    "call_game": (CallGame, _CallGame),
}
_NAMES: Final[dict[type[Command], str]] = {cls: name for name, (cls, _) in _COMMANDS.items()}
_WITH_REQUEST: Final = frozenset({_Leave, _AddChips, _SitDown})
_ENVELOPE: Final = frozenset({"id", "from", "table", "do", "format"})


def _request(body: dict[str, Any]) -> Request | Refused:
    try:
        envelope = _Envelope.model_validate(body)
        if not is_table_id(envelope.table):
            return Refused("message/bad_table", "Field table: no table can be called that.")
        if not is_sender(envelope.sender):
            return Refused("message/bad_sender", "Field from: no sender can be called that.")
        if "format" in body and (named := _Named.model_validate(body).format) > FORMAT:
            return _newer("format", named)
        if envelope.do not in _COMMANDS:
            return Refused("message/unknown_command", "Field do: there is no such command.")
        cls, model = _COMMANDS[envelope.do]
        own = {name: value for name, value in body.items() if name not in _ENVELOPE}
        if model in _WITH_REQUEST:
            own.setdefault("request", envelope.id)
        checked = model.model_validate(own)
    except ValidationError as error:
        return _refusal(error, body)
    digest = _digest(envelope, checked)
    return Request(envelope.id, envelope.sender, envelope.table, _command(cls, checked), digest)


def _newer(what: str, number: int) -> Refused:
    return Refused(NEWER_FORMAT, f"Only a newer version understands the {what} {number}.")


def _command(cls: type[Command], checked: _Fields) -> Command:
    values = vars(checked)
    if cls is OpenTable:
        values = values | {name: convert(values[name]) for name, convert in _CONVERTERS.items()}
    return cls(**values)


def _spec(checked: _Spec) -> GameSpec:
    limits = Limits(**checked.limits.model_dump())
    return GameSpec(checked.game, checked.variant, limits, tuple(sorted(checked.house.items())))


def _refusal(error: ValidationError, body: dict[str, Any]) -> Refused:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))[:80]
    seat = body.get("seat")
    known_seat = seat if type(seat) is int and 0 <= seat <= 99 else None
    code = _CODES.get(first["type"], "message/bad_field")
    return Refused(code, f"Field {place}: {first['msg'].lower()}.", known_seat)


def _digest(envelope: _Envelope, checked: _Fields) -> bytes:
    """A hash of what was meant: neither order nor defaults that were sent make a difference."""
    flat = type(checked) is not _OpenTable
    values = vars(checked).values() if flat else _ordered(checked.model_dump())
    meant = (envelope.sender, envelope.table, envelope.do, *values)
    return sha256(msgpack.packb(meant)).digest()[:DIGEST_BYTES]


def _ordered(value: Any) -> Any:
    """Maps in the order of their names, so that the order of sending makes no difference."""
    if isinstance(value, dict):
        return [[name, _ordered(value[name])] for name in sorted(value)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return list(map(_ordered, value)) if isinstance(value, list) else value  # pyright: ignore[reportUnknownArgumentType]


def _plain(name: str, value: Any) -> Any:
    if name == "limits":
        defaults = Limits._field_defaults
        return {key: part for key, part in value._asdict().items() if part != defaults[key]}
    if name == "others":
        return [
            {field: _plain(field, part) for field, part in spec._asdict().items()} for spec in value
        ]
    return dict(value) if name == "house" else value


class _DoubleField(Exception):
    """A map names a field twice; which one is meant is not guessed."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise _DoubleField(str(name)[:40])
        found[name] = value
    return found


_CONVERTERS: Final[dict[str, Callable[[Any], Any]]] = {
    "limits": lambda limits: Limits(**limits.model_dump()),
    "house": lambda house: tuple(sorted(house.items())),
    "others": lambda specs: tuple(_spec(spec) for spec in specs),
}
_CODES: Final = {"extra_forbidden": "message/unknown_field", "missing": "message/missing_field"}
