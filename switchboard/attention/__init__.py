"""What needs a human: one list, derived whenever somebody looks and never stored."""
