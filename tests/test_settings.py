"""Settings that cannot work stop the start with a sentence that names them."""

from __future__ import annotations

import pytest

from switchboard.config import PREFIX, read_settings
from switchboard.errors import SettingsError


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "65536"),
        ("PORT", "0"),
        ("BODY_SECONDS", "0"),
        ("DIAL_SECONDS", "0"),
        ("DIAL_SECONDS", "41"),
        ("DIAL_SECONDS", "nan"),
    ],
)
def test_a_value_that_cannot_work_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"{PREFIX}{name}: '{value}' cannot be read"):
        read_settings({PREFIX + name: value})


def test_a_call_may_not_outlast_the_time_after_which_it_counts_as_lost() -> None:
    given = {"DIAL_SECONDS": "20", "UNKNOWN_AFTER_SECONDS": "19"}
    with pytest.raises(SettingsError, match="19 is less than SWITCHBOARD_DIAL_SECONDS"):
        read_settings({PREFIX + name: value for name, value in given.items()})


def test_what_an_agents_shell_exports_stops_nothing() -> None:
    assert read_settings({PREFIX + "CREDENTIAL": "sbk_x"})
