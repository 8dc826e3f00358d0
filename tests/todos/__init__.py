"""Work on a queue: claimed once, leased, retried, given up."""
