"""``python -m tests.simulation``: many seeds, what they met, and how to replay a failed one."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor

from tests.simulation.profiles import FAULTS, PROFILES
from tests.simulation.runs import Result, run

TELL_EVERY = 500


def main(words: list[str]) -> int:
    """Simulate; 0 if every seed went well."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many seeds")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument(
        "--profile",
        default="swarm",
        help="swarm, everything, storm, calm, or death+full, say",
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args(words)
    if options.profile not in PROFILES and set(options.profile.split("+")) - {*FAULTS}:
        parser.error(f"there is no profile {options.profile!r}; they are {', '.join(PROFILES)}")
    seeds = range(options.first, options.first + options.seeds)
    began_s, began_cpu_s = time.monotonic(), _cpu_s()
    failed = 0
    faults, seen = Counter[str](), Counter[str]()
    for count, result in enumerate(_results(seeds, options.profile, options.jobs), start=1):
        faults += result.faults
        seen += result.seen
        if result.problem:
            failed += 1
            _say(result.story())
        elif options.seeds == 1:
            _say("\n".join(result.last))
        if count % TELL_EVERY == 0:
            _say(f"{count} seeds, {failed} failed")
    _say(summary(len(seeds), failed, faults, seen, time.monotonic() - began_s))
    _say(f"speed    {seen['hands'] / max(_cpu_s() - began_cpu_s, 0.01):.0f} hands a second of CPU")
    return 1 if failed else 0


def summary(
    seeds: int, failed: int, faults: Counter[str], seen: Counter[str], seconds: float
) -> str:
    """What the runs met, in a few lines."""
    lines = [
        f"seeds    {seeds}, {failed} failed, {seconds:.0f} s",
        f"hands    {seen['hands']} in {seen['commits']} commits",
        f"besides  {seen['forgotten commits']} commits forgotten, {seen['repeats']} repeats",
        "faults   " + ", ".join(f"{name} {faults[name]}" for name in FAULTS),
    ]
    return "\n".join(lines)


def _cpu_s() -> float:
    """CPU time of this process, and of those that have worked for it."""
    return sum(os.times()[:4])


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _results(seeds: Iterable[int], profile: str, jobs: int) -> Iterator[Result]:
    if jobs == 1:
        for seed in seeds:
            yield run(seed, profile)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(run, seeds, [profile] * len(list(seeds)), chunksize=20)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
