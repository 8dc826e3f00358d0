"""Todos: one unit of work each, queued, leased, finished or dead-lettered."""
