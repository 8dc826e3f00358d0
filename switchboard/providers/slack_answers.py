"""Slack's refusals in our closed vocabulary: it says `ok: false` and a code, mostly under a 200.

https://docs.slack.dev/reference/methods/chat.postMessage#errors
"""

from __future__ import annotations

from switchboard.lib.http import Answer
from switchboard.providers import answers
from switchboard.providers.answers import UNSAID_SECONDS, retry_after, safe_code
from switchboard.providers.base import Posted
from switchboard.providers.reading import mapping

CLASSES = {
    "auth": (
        "account_inactive",
        "invalid_auth",
        "not_allowed_token_type",
        "not_authed",
        "token_expired",
        "token_revoked",
        "two_factor_setup_required",
    ),
    "forbidden": (
        "access_denied",
        "accesslimited",
        "cannot_reply_to_message",
        "ekm_access_denied",
        "enterprise_is_restricted",
        "is_archived",
        "messages_tab_disabled",
        "missing_scope",
        "no_permission",
        "not_in_channel",
        "org_login_required",
        "restricted_action",
        "restricted_action_non_threadable_channel",
        "restricted_action_read_only_channel",
        "restricted_action_thread_locked",
        "restricted_action_thread_only_channel",
        "team_access_not_granted",
        "team_added_to_org",
        "user_not_in_channel",
    ),
    "not_found": ("channel_not_found", "message_not_found", "team_not_found", "thread_not_found"),
    "rate_limited": ("message_limit_exceeded", "rate_limited", "ratelimited"),
    # "It's possible some aspect of the operation succeeded before the error was raised."
    "server": ("fatal_error", "internal_error", "request_timeout", "service_unavailable"),
}
_CLASS_OF = {code: name for name, codes in CLASSES.items() for code in codes}


def is_ok(answer: Answer) -> bool:
    """Whether Slack did what it was asked to: a 200 that says so."""
    return answer.status == 200 and mapping(answer.json()).get("ok") is True


def refused(answer: Answer) -> Posted:
    """An answer that is not ok. One that cannot be read leaves open whether the post was made."""
    given = mapping(answer.json()).get("error")
    code = safe_code(given) if isinstance(given, str) and given else None
    if answer.status != 200:
        return answers.refused(answer, code)
    if code is None:
        return Posted("unknown", error_class="server", error_code="unreadable_answer")
    error_class = _CLASS_OF.get(code, "invalid")
    return Posted(
        "unknown" if error_class == "server" else "failed",
        error_class=error_class,
        error_code=code,
        retry_after=(retry_after(answer) or UNSAID_SECONDS)
        if error_class == "rate_limited"
        else None,
    )
