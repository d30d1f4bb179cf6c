"""What is asked of many partitions at once, and is not answered for all of them."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Final

from doorcard.streams.cluster_node import is_away
from doorcard.streams.complaints import Complaint
from doorcard.streams.connection import Client, RoutingClient
from doorcard.streams.spread import AWAY

_LOGGER: Final = logging.getLogger(__name__)


class Present:
    """Leaves out, and says so, what those nodes of a cluster do not answer that are away."""

    def __init__(self, client: Client) -> None:
        self._is_cluster = isinstance(client, RoutingClient)
        self._away = Complaint(_LOGGER, AWAY)

    def __call__(self, answers: Sequence[Any]) -> list[Any]:
        """Answers, with None for what is left out; where that is all of them, it is raised."""
        if not self._is_cluster:  # a single server is there, or it is not
            return list(answers)
        away = [answer for answer in answers if is_away(answer)]
        if away and len(away) == len(answers):
            raise away[0]
        if away:
            self._away.say(away[0])
        return [None if is_away(answer) else answer for answer in answers]
