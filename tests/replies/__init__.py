"""Answers: refused before a row, posted once, honestly reported."""
