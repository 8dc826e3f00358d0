"""The outbox: what there is to tell, written beside its cause, and the bell after the commit."""
