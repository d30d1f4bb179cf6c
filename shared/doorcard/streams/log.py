"""What a log is asked, whichever store it lives in."""

from __future__ import annotations

from typing import NamedTuple
class Stored(NamedTuple):
    seq:int
    raw:bytes
class Log: ...
