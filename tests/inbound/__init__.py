"""What senders can do to us, and what becomes of it."""
