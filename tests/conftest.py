"""How hypothesis works in every test: it may take its time, and CI is repeatable."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Two test processes share a machine, so an example's time says nothing about the code.
# HYPOTHESIS_PROFILE=thorough looks ten times as hard.
settings.register_profile(
    "doorcard",
    deadline=None,
    derandomize="CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", settings.get_profile("doorcard"), max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "doorcard"))
