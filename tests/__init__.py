"""Tests: behaviour seen from outside, with real servers, queues and databases."""

import os
import sys

# What was compiled is kept, whatever the environment says: it starts some four hundred processes.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
