"""Agents at work: who is reachable how, what they ask, how an answer gets to them."""
