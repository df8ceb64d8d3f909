"""Frozen values of the domain. No I/O, no clock, no other package below it but errors, limits and ids."""
