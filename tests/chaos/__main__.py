"""``python -m tests.chaos``: break a real service by seed, and say how it came back."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from random import Random

from tests.chaos.scenarios import SCENARIOS
from tests.chaos.site import Site


def main(words: list[str]) -> int:
    """Break it; 0 if every evening ended well."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="what is broken, and in which order")
    parser.add_argument("--seconds", type=float, default=60, help="how long, about")
    parser.add_argument("--only", choices=SCENARIOS, help="break it in this way alone")
    options = parser.parse_args(words)
    end_s, seed, failed = time.monotonic() + options.seconds, options.seed, 0
    while time.monotonic() < end_s:
        failed += not _evening(seed, options.only, end_s)
        seed += 1
    _say(f"{seed - options.seed} seeds, {failed} failed")
    return 1 if failed else 0


def _evening(seed: int, only: str | None, end_s: float) -> bool:
    """All ways of breaking it on one site, in an order of the seed's; whether all went well."""
    chance = Random(seed)
    names = [only] if only else chance.sample(sorted(SCENARIOS), len(SCENARIOS))
    with Site.open(seed) as site:
        for number, name in enumerate(names):
            if number and time.monotonic() >= end_s:
                break
            began_s = time.monotonic()
            try:
                facts = SCENARIOS[name](site, chance.uniform(2, 8))
            except Exception:  # noqa: BLE001 - whatever it is, it is said with its seed
                _say(f"seed {seed}, {name} FAILED; {site.keep()}\n{traceback.format_exc()}")
                return False
            told = ", ".join(f"{what} {value}" for what, value in facts.items())
            _say(f"seed {seed}, {name}, {time.monotonic() - began_s:.1f} s: {told}")
    return True


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
