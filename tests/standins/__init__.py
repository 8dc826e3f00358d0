"""Stand-ins for the providers: real processes that answer, count and misbehave on request."""
