"""The box as its user has it: real processes, started by `python app.py`."""
