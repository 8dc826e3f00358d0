"""The keys of one body lie in a range of their own, whatever the event."""

from __future__ import annotations

from switchboard.lib import bodykeys

FIRST, LAST = "0" * 64, "f" * 64


def test_the_keys_of_a_body_lie_in_its_range_and_no_other_bodys_does() -> None:
    for sha in (FIRST, "a" * 64, "9" * 64, LAST):
        after, before = bodykeys.range_of(sha)
        for event in ("a", "issues.opened", "z" * 63 + "." + "z" * 63, None):
            assert after < bodykeys.key_of(sha, event) < before
        others = (f"{int(sha, 16) ^ 1:064x}", f"{int(sha, 16) ^ 16**63:064x}")
        assert not any(after < bodykeys.key_of(other, "issues") < before for other in others)


def test_a_key_fits_its_column() -> None:
    assert len(bodykeys.key_of(LAST, "z" * 63 + "." + "z" * 63)) <= 300
