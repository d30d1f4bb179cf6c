"""The ``doorcard`` command."""

from __future__ import annotations

from doorcard.cli.app import main

__all__ = ["main"]
