"""The account's page: the line above which one replies, in a language of the reader's."""

from __future__ import annotations

import re

from switchboard.access import languages
from tests.web.conftest import Human, ana

__all__ = ["ana"]  # a fixture

PAGE = "/settings/account"


def test_a_reader_chooses_the_language_of_the_line(ana: Human) -> None:
    page = ana.read(PAGE)
    assert re.findall(r'<option(?: selected)? value="(\w+)"', page) == list(languages.LANGUAGES)
    assert ">Reply above this line</q>" in page
    chosen = ana.send(f"{PAGE}/language", seen_at=PAGE, language="he")
    assert chosen.status_code == 302
    page = ana.read(PAGE)
    assert '<option selected value="he">' in page and ">נא להשיב מעל שורה זו</q>" in page


def test_a_language_that_is_not_offered_is_refused(ana: Human) -> None:
    answer = ana.send(f"{PAGE}/language", seen_at=PAGE, language="tlh")
    assert (answer.status_code, "There is no language tlh" in answer.text) == (422, True)
    assert ">Reply above this line</q>" in ana.read(PAGE)
