"""Notify hooks: a doorbell is called when a todo is ready. Losing one loses nothing."""
