"""The vault: outbound connections, sealed at rest, opened only for the one call that needs them."""
