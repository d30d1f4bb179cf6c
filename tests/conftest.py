"""What every test may rely on: Ctrl-C reaches the programs it starts, and hypothesis has time."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# A shell that starts the tests in the background has them ignore Ctrl-C, and a program that is
# started inherits that. One that is handled here is an ordinary one there.
signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # the same under nohup
    signal.signal(signal.SIGHUP, lambda _number, _frame: None)

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
