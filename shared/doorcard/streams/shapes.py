"""Readers and writers of records, made once from the type hints of their fields.

On the wire a record is an array of its fields. A reader is compiled, as a person would write it
by hand: one type test a field, and a new tuple only where a card or a record lies inside. It is
as fast as trusting the bytes would be, and refuses every wrong type by the field's name.
"""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType, UnionType
from typing import Any, Final, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from doorcard.cards import CARDS, Card
from doorcard.errors import BadCommit
from doorcard.streams.upcast import lift_snapshot
from doorcard.tables import Snapshot

Row = tuple[Any, ...]
"""A record as it lies on the wire."""
RecordType = type[Any]
"""A NamedTuple class."""
Reader = Callable[[Row], Any]
Writer = Callable[[Any], Row]

SCALARS: Final = (int, str, bytes, bool, NoneType)
_LIFTS: Final[dict[type, Callable[[Row], Row]]] = {Snapshot: lift_snapshot}
"""Records that carry a format of their own."""


def make_reader(record: RecordType, *, tagged: bool = False) -> Reader:
    """Compile the reader of a NamedTuple class; with ``tagged`` a tag stands before its fields.

    The reader raises ``BadCommit`` for a wrong number of fields, and for a wrong type in any.
    """
    source = _Source(record.__name__)
    hints = get_type_hints(record)
    names = [f"f{number}" for number in range(len(hints))]
    source.add("def read(row):")
    if record in _LIFTS:
        source.add(f"    row = {source.name(_LIFTS[record])}(row)")
    places = ["tag", *names] if tagged else names
    source.add(f"    if type(row) is not tuple or len(row) != {len(places)}:")
    source.add(f"        row = {source.name(_completer(record, int(tagged)))}(row)")
    if places:
        source.add(f"    {', '.join(places)}, = row")
    if tagged:
        source.test("tag", "type(tag) is not int", "its tag is no integer", "    ")
    for name, (field, hint) in zip(names, hints.items(), strict=True):
        source.convert(hint, name, field, "    ")
    fields = "".join(f"{name}, " for name in names)
    source.add(f"    return new({source.name(record)}, ({fields}))")
    return source.compiled("read")


def make_writer(record: RecordType) -> Writer | None:
    """The function from a record to its row, without the trailing fields at their defaults.

    None where the record is its own row: no field has a default, none holds a record.
    """
    hints = get_type_hints(record)
    inner = [
        (place, writer)
        for place, hint in enumerate(hints.values())
        if (writer := _inner_writer(hint)) is not None
    ]
    defaults = _defaults(record)
    if not inner and not defaults:
        return None
    required = len(hints) - len(defaults)

    def write(value: tuple[Any, ...]) -> Row:
        count = len(value)
        while count > required and value[count - 1] == defaults[count - 1 - required]:
            count -= 1
        if not inner:
            return value[:count]
        fields = list(value[:count])
        for place, writer in inner:
            if place < count:
                fields[place] = writer(fields[place])
        return tuple(fields)

    return write


def is_record(hint: Any) -> bool:
    """Whether a hint is a NamedTuple class: the only classes here that list their fields."""
    return isinstance(hint, type) and hasattr(hint, "_fields")


class _Source:
    """The text of one reader, and the values that its names stand for."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._lines: list[str] = []
        self._scope: dict[str, Any] = {"cards": CARDS, "wrong": _wrong}
        self._scope["new"] = tuple.__new__  # pyright: ignore[reportUnknownMemberType]
        self._count = 0

    def add(self, line: str) -> None:
        self._lines.append(line)

    def name(self, value: Any) -> str:
        """A name for a value that the text uses."""
        name = self.fresh("v")
        self._scope[name] = value
        return name

    def fresh(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}_{self._count}"

    def test(self, variable: str, condition: str, problem: str, indent: str) -> None:
        self.add(f"{indent}if {condition}:")
        self.add(f"{indent}    wrong({self._owner!r}, {problem!r}, {variable})")

    def convert(self, hint: Any, variable: str, field: str, indent: str) -> bool:
        """Test a variable, and put its value in place; says whether it was changed."""
        if hint is Card:
            refused = f"type({variable}) is not int or not 0 <= {variable} < {len(CARDS)}"
            self.test(variable, refused, f"{field} names no card", indent)
            self.add(f"{indent}{variable} = cards[{variable}]")
            return True
        if is_record(hint):
            self.add(f"{indent}{variable} = {self.name(make_reader(hint))}({variable})")
            return True
        if get_origin(hint) is tuple:
            items = get_args(hint)
            if items[-1] is Ellipsis:
                return self._convert_many(items[0], variable, field, indent)
            return self._convert_fixed(items, variable, field, indent)
        self.test(variable, self._scalar(hint, variable), f"{field} is of a wrong type", indent)
        return False

    def compiled(self, name: str) -> Reader:
        exec("\n".join(self._lines), self._scope)  # noqa: S102  # the text made above, no other
        reader: Reader = self._scope[name]
        return reader

    def _convert_many(self, hint: Any, variable: str, field: str, indent: str) -> bool:
        self.test(variable, f"type({variable}) is not tuple", f"{field} is no list", indent)
        item, items = self.fresh("item"), self.fresh("items")
        start = len(self._lines)
        self.add(f"{indent}for {item} in {variable}:")
        changed = self.convert(hint, item, field, f"{indent}    ")
        if changed:
            self._lines.insert(start, f"{indent}{items} = []")
            self.add(f"{indent}    {items}.append({item})")
            self.add(f"{indent}{variable} = tuple({items})")
        return changed

    def _convert_fixed(
        self, hints: tuple[Any, ...], variable: str, field: str, indent: str
    ) -> bool:
        refused = f"type({variable}) is not tuple or len({variable}) != {len(hints)}"
        self.test(variable, refused, f"{field} is no list of {len(hints)}", indent)
        parts = [self.fresh("part") for _ in hints]
        self.add(f"{indent}{', '.join(parts)}, = {variable}")
        changes = [
            self.convert(hint, part, field, indent) for hint, part in zip(hints, parts, strict=True)
        ]
        if any(changes):
            self.add(f"{indent}{variable} = ({', '.join(parts)},)")
        return any(changes)

    def _scalar(self, hint: Any, variable: str) -> str:
        """The condition under which a value is *not* what the hint allows."""
        if get_origin(hint) is Literal:
            return f"type({variable}) is not str or {variable} not in {set(get_args(hint))!r}"
        if get_origin(hint) in {Union, UnionType}:
            return " and ".join(f"({self._scalar(arm, variable)})" for arm in get_args(hint))
        if hint == tuple[int, ...]:
            return (
                f"type({variable}) is not tuple or any(type(one) is not int for one in {variable})"
            )
        if hint not in SCALARS:
            raise TypeError(f"{self._owner} has a field of {hint!r}, which has no form on the wire")
        return f"type({variable}) is not {self.name(hint)}"


def _wrong(owner: str, problem: str, value: object) -> NoReturn:
    """Name the field and the type found; never the value, which may be somebody's secret."""
    raise BadCommit(f"{owner}: {problem} (found {type(value).__name__})")


def _completer(record: RecordType, extra: int) -> Reader:
    """What to do with a row of another length: append the defaults left out, or refuse it."""
    fields: tuple[str, ...] = record._fields
    # A default is a finished value, and readers take rows: so it goes back to its row first.
    defaults = tuple(
        value if write is None else write(value)
        for value in _defaults(record)
        for write in (_inner_writer(type(value)),)
    )
    most = len(fields) + extra
    least = most - len(defaults)

    def complete(row: Row) -> Row:
        if type(row) is not tuple:
            raise BadCommit(f"{record.__name__}: is no list (found {type(row).__name__})")
        if least <= len(row) < most:
            return row + defaults[len(row) - least :]
        raise BadCommit(
            f"{record.__name__}: has {len(row) - extra} fields, and {least - extra} to "
            f"{most - extra} are known to this program"
        )

    return complete


def _defaults(record: RecordType) -> Row:
    defaults: dict[str, Any] = record._field_defaults
    return tuple(defaults.values())


def _inner_writer(hint: Any) -> Callable[[Any], Any] | None:
    if is_record(hint):
        return make_writer(hint)
    if get_origin(hint) is tuple and is_record(get_args(hint)[0]):
        one = make_writer(get_args(hint)[0])
        return None if one is None else lambda values: [one(value) for value in values]
    return None
