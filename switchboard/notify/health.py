"""A hook that keeps failing is a fault: an operator must see it, as its agent waits for bells.

Read from the rows at every sweep, so that whatever ends it (a call that is taken, another address, the
endpoint's end) clears it.
"""

from __future__ import annotations

from switchboard.faults import book as faults
from switchboard.lib import clock
from switchboard.lib.plumbing import Plumbing
from switchboard.models import Endpoint, EndpointHook
from switchboard.notify import store

FAILING = "hook_failing"  # the code of the fault
IN_A_ROW = 3  # calls: as many as one bell is tried


def judge(lib: Plumbing) -> None:
    """Raise the fault of each live endpoint whose hook keeps failing, and clear those of the others."""
    with lib.db.read() as session:
        failing = store.failing(session, IN_A_ROW, clock.now())
        standing = faults.standing_about(session, FAILING)
    # a count only grows until a call is taken, so a lower one means that one was, or another hook
    over = standing - {endpoint.id for endpoint, _ in failing}
    fresh = [_condition(*row) for row in failing if row[0].id not in standing]
    if not over and not fresh:
        return
    with lib.db.write() as session:
        for endpoint_id in sorted(over):
            faults.clear_in(session, FAILING, endpoint_id)
        for condition in fresh:
            faults.raise_in(session, condition)


def _condition(endpoint: Endpoint, hook: EndpointHook) -> faults.Condition:
    cause = f"{hook.last_failure_class} {hook.last_failure_code}"
    return faults.Condition(
        code=FAILING,
        about_id=endpoint.id,
        about=f"Hook of endpoint {endpoint.name}",
        detail=(
            f"{hook.failures} calls in a row failed, the newest with: {cause}. Mend the receiver and test "
            "the hook, or remove it; the first call taken clears this. The todos wait on their queue."
        ),
        owner_account_id=endpoint.owner_account_id,
        owner_team_id=endpoint.owner_team_id,
    )
