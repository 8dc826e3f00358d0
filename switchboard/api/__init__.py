"""The JSON door: parse, call one vertical, render. Errors are `application/problem+json` (RFC 9457)."""

from __future__ import annotations

from flask import Flask

from switchboard.api import (
    agents,
    attention,
    connections,
    context,
    cors,
    deliveries,
    endpoint_hooks,
    events,
    exposure,
    faults,
    health,
    hooks,
    hosts,
    mail,
    operators,
    problems,
    record,
    sessions,
    sinks,
    sources,
    threads,
    webhooks,
)


def register(app: Flask) -> None:
    """Attach every JSON route and the error handlers."""
    app.register_blueprint(hooks.bp)
    app.register_blueprint(mail.bp)
    app.register_blueprint(agents.bp)
    app.register_blueprint(operators.bp)
    app.register_blueprint(endpoint_hooks.bp)
    app.register_blueprint(connections.bp)
    app.register_blueprint(deliveries.bp)
    app.register_blueprint(sources.bp)
    app.register_blueprint(webhooks.bp)
    app.register_blueprint(threads.bp)
    app.register_blueprint(sessions.bp)
    app.register_blueprint(faults.bp)
    app.register_blueprint(sinks.bp)
    app.register_blueprint(events.bp)
    app.register_blueprint(attention.bp)
    app.register_blueprint(health.bp)
    record.register(app)
    app.before_request(context.refuse_nul)
    app.before_request(hosts.refuse_foreign)
    app.before_request(exposure.guard)
    app.after_request(cors.allow)
    problems.register(app)
