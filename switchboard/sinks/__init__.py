"""Sinks: where notifications go, how they are written and sent, and what lets a mail be answered."""
