"""Faults: conditions an operator must see, raised once and cleared once."""
