"""The text of a key ring, in JSON or on one line, and the keys that it holds."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, cast

from doorcard.errors import BadKey
from doorcard.fairness.secret import Secret

FORMAT: Final = 1
KEY_BYTES: Final = 32

_KEY_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HEAD_PREFIX: Final = "head/"


@dataclass(frozen=True, slots=True, repr=False)
class RingKeys(Secret):
    """The private keys of a ring, raw, by id.

    Raises:
        BadKey: there is no deck key, a current key is missing, an id or a key is malformed.
    """

    deck_keys: Mapping[str, bytes]
    current: str
    head_keys: Mapping[str, bytes]
    current_head: str | None

    def __post_init__(self) -> None:
        for key_id, key in (*self.deck_keys.items(), *self.head_keys.items()):
            if not _KEY_ID.fullmatch(key_id):
                raise BadKey(
                    f"{key_id!r} is no key id: 1 to 64 letters, digits, dots, underscores, hyphens"
                )
            if len(key) != KEY_BYTES:
                raise BadKey(f"key {key_id!r} has {len(key)} bytes, not {KEY_BYTES}")
        if self.current not in self.deck_keys:
            raise BadKey(f"the current deck key {self.current!r} is not in the ring")
        if (self.head_keys or self.current_head) and self.current_head not in self.head_keys:
            raise BadKey(f"the current head key {self.current_head!r} is not in the ring")

    def with_deck_key(self, key_id: str, key: bytes) -> RingKeys:
        """Add a deck key, not yet current."""
        return replace(self, deck_keys=_added(self.deck_keys, key_id, key))

    def with_head_key(self, key_id: str, key: bytes) -> RingKeys:
        """Add a head key and make it current."""
        return replace(self, head_keys=_added(self.head_keys, key_id, key), current_head=key_id)


def parsed(text: str, source: str) -> RingKeys:
    """Read a ring from JSON or from its one-line form.

    Raises:
        BadKey: it is neither; says where it came from and what is wrong, and repeats none of it.
    """
    try:
        return _from_json(text) if text.lstrip().startswith("{") else _from_line(text)
    except BadKey as problem:
        sentence = str(problem)
    del text  # a traceback that shows local variables must not show the keys
    raise BadKey(f"{source} is no key ring: {sentence}")


def written(keys: RingKeys) -> str:
    """Write a ring as JSON."""
    values = {
        "format": FORMAT,
        "current": keys.current,
        "deck_keys": {key_id: _encoded(key) for key_id, key in keys.deck_keys.items()},
        "current_head": keys.current_head,
        "head_keys": {key_id: _encoded(key) for key_id, key in keys.head_keys.items()},
    }
    return json.dumps(values, indent=1) + "\n"


def _from_json(text: str) -> RingKeys:
    try:
        values = _named_values(json.loads(text, object_pairs_hook=_without_repeats), "it")
    except (ValueError, RecursionError):
        raise BadKey("it is not JSON") from None
    if values.get("format") != FORMAT:
        raise BadKey(f"it is not of format {FORMAT}")
    current, current_head = values.get("current"), values.get("current_head")
    if not isinstance(current, str) or not isinstance(current_head, str | None):
        raise BadKey("'current' and 'current_head' name keys")
    return RingKeys(
        _decoded_keys(values.get("deck_keys"), "deck_keys"),
        current,
        _decoded_keys(values.get("head_keys", {}), "head_keys"),
        current_head,
    )


def _from_line(text: str) -> RingKeys:
    deck_keys: dict[str, bytes] = {}
    head_keys: dict[str, bytes] = {}
    for number, entry in enumerate(text.split(","), start=1):
        name, colon, key = entry.strip().partition(":")
        if not colon:
            raise BadKey(f"entry {number} is not of the form id:base64")
        key_id = name.removeprefix(_HEAD_PREFIX)
        keys = deck_keys if key_id == name else head_keys
        if key_id in keys:
            raise BadKey(f"key {key_id!r} is there twice")
        keys[key_id] = _decoded(key_id, key)
    if not deck_keys:
        raise BadKey("it has no deck key")
    return RingKeys(deck_keys, next(iter(deck_keys)), head_keys, next(iter(head_keys), None))


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise BadKey("a name is there twice")
    return values


def _decoded_keys(values: object, name: str) -> dict[str, bytes]:
    keys = _named_values(values, f"{name!r}")
    return {key_id: _decoded(key_id, key) for key_id, key in keys.items()}


def _named_values(value: object, name: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise BadKey(f"{name} is not a JSON object")
    return cast("dict[str, object]", value)


def _decoded(key_id: str, text: object) -> bytes:
    try:
        if isinstance(text, str):
            return base64.b64decode(text, validate=True)
    except ValueError:
        pass
    raise BadKey(f"key {key_id!r} is not written in base64")


def _encoded(key: bytes) -> str:
    return base64.b64encode(key).decode()


def _added(keys: Mapping[str, bytes], key_id: str, key: bytes) -> dict[str, bytes]:
    if key_id in keys:
        raise BadKey(f"the ring has a key {key_id!r} already")
    return {**keys, key_id: key}
