"""The box on Postgres: the same parts, keys from the environment."""

from __future__ import annotations

from tests.backends import Postgres
from tests.box.boxes import RunningBox
from tests.box.people import settle
from tests.conftest import ENCRYPTION_KEY
from tests.standins.github import GitHubStandIn


def test_a_delivery_is_answered_on_postgres(
    quick: dict[str, str], postgres: Postgres, github: GitHubStandIn
) -> None:
    with postgres.fresh() as url:
        keys = {
            "SWITCHBOARD_DATABASE_URL": url,
            "SWITCHBOARD_SECRET_KEY": "tests",
            "SWITCHBOARD_ENCRYPTION_KEY": ENCRYPTION_KEY,
        }
        with RunningBox({**quick, **keys}) as box:
            ana = settle(box)
            assert ana.deliver(1).status == 202
            assert ana.reply("On it.")["state"] == "sent"
            assert len(github.posts) == 1
            assert "key was written" not in box.output
            assert box.stop() == 0
