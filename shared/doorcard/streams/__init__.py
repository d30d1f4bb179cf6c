"""The log of a table: its bytes, its fold, and the stores and queues it lives in."""
