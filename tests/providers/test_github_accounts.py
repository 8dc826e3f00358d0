"""A connection's account key and a source's host: read once, compared by host and port."""

from __future__ import annotations

import pytest

from switchboard.errors import Invalid
from switchboard.providers.github import GitHub


@pytest.mark.parametrize(
    ("key", "host"),
    [
        ("github.com", "github.com"),
        ("GitHub.com", "github.com"),
        ("https://github.com", "github.com"),
        ("https://github.com/", "github.com"),
        ("https://github.com:443", "github.com"),
        ("ghe.example", "ghe.example"),
        ("ghe.example:8443", "ghe.example:8443"),
        ("https://ghe.example:8443/", "ghe.example:8443"),
        ("http://127.0.0.1:4100", "127.0.0.1:4100"),
        ("HTTPS://ghe.example/api/v3/", "ghe.example"),
    ],
)
def test_an_account_key_is_a_host_or_a_base_url(key: str, host: str) -> None:
    assert GitHub().host_of(key) == host


@pytest.mark.parametrize(
    "key",
    [
        "", " ", "https://", "ftp://ghe.example", "javascript:alert(1)", "https://user@ghe.example",
        "https://user:pass@ghe.example", "https://ghe.example?x=1", "https://ghe.example#x", "ghe example",
        "https://ghe.example/a b", "https://ghe.example/\x00", "ghe.example\x00", "ghe.example\n",
        "https://ghe.example/../x", "https://[::1", "https://[", "//ghe.example", "https://ghe.example:99999",
        "https://ghe.example:0", "ghé.example", "wor\u212a.example", "-ghe.example", "x" * 300,
        "https://ghe.example/" + "x" * 300, "\ud800",
    ],
    ids=repr,
)  # fmt: skip
def test_any_other_account_key_is_a_clean_refusal(key: str) -> None:
    with pytest.raises(Invalid) as refusal:
        GitHub().host_of(key)
    assert refusal.value.field == "account_key"
