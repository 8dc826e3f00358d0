"""Tests: behaviour seen from outside, with real servers, queues and databases."""
