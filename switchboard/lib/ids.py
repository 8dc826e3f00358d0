"""Prefixed ULIDs: time-sorted ids, so keyset pages and inserts at the end of an index come free."""

from __future__ import annotations

import re
from datetime import datetime

from ulid import ULID

PREFIXES = {
    "account": "ac_",
    "team": "tm_",
    "token": "tk_",
    "endpoint": "ep_",
    "source": "sr_",
    "source_secret": "ss_",
    "delivery": "dl_",
    "todo": "td_",
    "connection": "cn_",
    "reply": "rp_",
    "repo": "re_",
    "thread": "th_",
    "comment": "cm_",
    "verdict": "vd_",
    "fault": "ft_",
    "event": "ev_",
    "endpoint_token": "et_",
    "hook_call": "hc_",
    "session": "sn_",
    "session_message": "sm_",
    "sink": "sk_",
    "notice": "nt_",
    "message": "ms_",
    "mail": "ml_",
    "mail_bounce": "mb_",
}
_SHAPE = re.compile(r"[a-z]{2}_[0-9A-HJKMNP-TV-Z]{26}", re.ASCII)


def new(noun: str) -> str:
    """A fresh id for `noun`, such as `td_01J…`."""
    return PREFIXES[noun] + str(ULID())


def first_at(noun: str, moment: datetime) -> str:
    """The smallest id of `noun` that can have been made at `moment` (a time before 1970 is 1970)."""
    milliseconds = max(0, int(moment.timestamp() * 1000))
    return PREFIXES[noun] + str(ULID(milliseconds.to_bytes(6, "big") + bytes(10)))


def is_id(text: str, noun: str) -> bool:
    """Whether `text` has the shape of an id of `noun`; anything else need not reach the database."""
    return text.startswith(PREFIXES[noun]) and _SHAPE.fullmatch(text) is not None
