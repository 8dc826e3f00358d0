"""Tests of the threads."""
