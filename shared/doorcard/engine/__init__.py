"""The pure core: deciders, one reducer, and what a seat may do. No clock, randomness or I/O."""
