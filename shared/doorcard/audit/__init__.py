"""Checks from outside the services: logs of our own, and hands played elsewhere."""
