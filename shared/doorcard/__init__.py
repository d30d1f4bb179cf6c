"""Doorcard: stud poker as a fold over an immutable log."""
