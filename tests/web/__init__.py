"""The pages, as a human and as a browser see them."""
