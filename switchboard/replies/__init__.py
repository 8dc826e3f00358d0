"""Replies: accepted as a row, dialled once by a worker, honest about what is not known."""
