"""A stranger's title as one line that nothing takes for markup."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.lib.text import inert, one_line

SIGNS = set("\\`*_~[]<>|#@&!$")


@pytest.mark.parametrize(
    "title",
    [
        "**bold** and _italic_",
        "[click](javascript:alert(1))",
        "![](https://evil.example/pixel.png)",
        "<script>alert(1)</script> &lt;b&gt;",
        "<!channel> @everyone #general",
        "- item", "+ item", "1. item", "12) item", "=== rule", "> quote", "    code",
        "go to https://evil.example or www.evil.example",
        "$x$ | `a` | ~~b~~ \\*",
    ],
)  # fmt: skip
def test_markup_reads_the_same_and_means_nothing(title: str) -> None:
    line = inert(title, 200)
    assert not set(line) & SIGNS
    assert not line.startswith(("-", "+", "=")) and "://" not in line and "www." not in line
    assert unicodedata.normalize("NFKC", line) == one_line(title, 200)


def test_ordinary_titles_stay_as_they_are() -> None:
    for title in (
        "Login fails when the name has a space",
        "Пароль не сохраняется (v2.1)",
        "f(x) = 1",
    ):
        assert inert(title, 200) == title


@given(st.text(max_size=400))
def test_whatever_it_is_it_is_one_short_line(title: str) -> None:
    line = inert(title, 200)
    assert len(line) <= 200 and (line.isprintable() or not line)
    assert not set(line) & SIGNS
