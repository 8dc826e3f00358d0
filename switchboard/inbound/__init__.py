"""What arrives: sources, the pipeline, the delivery record. Start reading at `receive.py`."""
