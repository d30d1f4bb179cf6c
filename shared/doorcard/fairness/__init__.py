"""Fair dealing: from a secret seed to a deck, to commitments, to sealed cards.

``deck`` and ``seed`` need the standard library alone. ``sealing``, ``keys`` and ``heads`` need the
``cryptography`` package and are imported only by the programs that seal, open or sign.
"""
