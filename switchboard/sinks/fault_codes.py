"""The faults of sinks; docs/notifications.md tells of them."""

FAILING = "sink_failing"
