"""What a title, a body, a label may be. `code` is the refusal's: a sender's differs from a caller's."""

from __future__ import annotations

from collections.abc import Sequence

from switchboard.errors import Invalid
from switchboard.lib.text import clean, one_line

MAX_TITLE = 300  # characters
MAX_BODY_BYTES = 32 * 1024
MAX_LABELS, MAX_LABEL = 20, 50


def check_title(text: str, code: str = "invalid_argument") -> str:
    """`text` as one line of 1 to 300 characters. Raises Invalid with `code`."""
    title = one_line(text, len(text) + 1)
    if not 1 <= len(title) <= MAX_TITLE:
        raise Invalid(f"A title has 1 to {MAX_TITLE} characters.", code, field="title")
    return title


def check_body(text: str, code: str = "invalid_argument", *, required: bool = True) -> str:
    """`text` cleaned, up to 32 KiB of UTF-8 and, if `required`, not blank. Raises Invalid with `code`."""
    body = clean(text).replace("\r\n", "\n")
    if len(body.encode()) > MAX_BODY_BYTES:
        raise too_long(code)
    if required and not any(each.isprintable() and not each.isspace() for each in body):
        raise Invalid("The text is empty.", code, field="body")
    return body


def too_long(code: str = "invalid_argument") -> Invalid:
    """The refusal of a text over 32 KiB."""
    return Invalid(f"A text has at most {MAX_BODY_BYTES // 1024} KiB.", code, field="body")


def check_labels(labels: Sequence[str], code: str = "invalid_argument") -> list[str]:
    """The labels as single lines, each once. Raises Invalid with `code`."""
    tidy = list(dict.fromkeys(one_line(label, len(label) + 1) for label in labels))
    if len(tidy) > MAX_LABELS or not all(1 <= len(label) <= MAX_LABEL for label in tidy):
        raise Invalid(
            f"There may be {MAX_LABELS} labels of 1 to {MAX_LABEL} characters each.",
            code,
            field="labels",
        )
    return tidy
