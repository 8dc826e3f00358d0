"""Token buckets: exact where narrow, cheap where wide, shared by all, open when Valkey is away."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from switchboard.lib.ratelimit import Buckets
from switchboard.lib.valkey import Valkey
from tests import backends


@pytest.fixture
def valkey(valkey_url: str) -> Valkey:
    backends.flush(valkey_url)
    return Valkey(valkey_url)


def test_a_narrow_bucket_gives_its_burst_and_not_one_more(valkey: Valkey) -> None:
    buckets = Buckets(valkey)
    answers = [buckets.take("a", (0.01, 10)) for _ in range(11)]
    assert answers[:10] == [0] * 10
    assert 90 <= answers[10] <= 100


def test_two_processes_share_one_bucket(valkey: Valkey) -> None:
    left, right = Buckets(valkey), Buckets(valkey)
    taken = sum(each.take("a", (0.01, 10)) == 0 for _ in range(8) for each in (left, right))
    assert taken == 10


def test_a_wide_bucket_gives_no_more_than_its_burst(valkey: Valkey) -> None:
    left, right = Buckets(valkey), Buckets(valkey)
    taken = sum(each.take("a", (0.01, 1000)) == 0 for _ in range(600) for each in (left, right))
    assert taken == 1000


def test_tokens_come_back_at_the_rate(valkey: Valkey) -> None:
    buckets = Buckets(valkey)
    assert [buckets.take("a", (5, 1)) for _ in range(2)] == [0, 1]
    time.sleep(0.25)
    assert buckets.take("a", (5, 1)) == 0


def test_buckets_do_not_know_each_other(valkey: Valkey) -> None:
    buckets = Buckets(valkey)
    assert buckets.take("a", (0.01, 1)) == 0
    assert buckets.take("b", (0.01, 1)) == 0


def test_a_rate_of_zero_never_limits(valkey: Valkey) -> None:
    assert not any(Buckets(valkey).take("a", (0, 1)) for _ in range(100))


def test_what_is_in_hand_is_not_lost_to_an_honest_slow_sender(valkey: Valkey) -> None:
    processes = [Buckets(valkey) for _ in range(4)]
    for _ in range(40):
        assert [each.take("a", (0.01, 1000)) for each in processes] == [0] * 4
    left = valkey.attempt(lambda client: float(client.hget("sb:rate:a", "tokens") or 0))
    assert left is not None
    assert 1000 - 160 - 4 * 31 <= left <= 1000 - 160


def test_without_valkey_nobody_is_limited(tmp_path: object) -> None:
    buckets = Buckets(Valkey(f"unix://{tmp_path}/nobody"))
    assert [buckets.take("a", (0.01, 1)) for _ in range(3)] == [0, 0, 0]


def test_a_wide_bucket_known_to_be_empty_is_not_asked_again_until_a_token_is_due(
    valkey: Valkey, valkey_url: str
) -> None:
    buckets = Buckets(valkey)
    while buckets.take("a", (0.5, 64)) == 0:
        pass
    backends.flush(valkey_url)
    assert 1 <= buckets.take("a", (0.5, 64)) <= 2
    assert Buckets(valkey).take("a", (0.5, 64)) == 0


def test_threads_that_ask_at_once_waste_no_tokens(valkey: Valkey) -> None:
    """An honest burst from eight connections must have all of its lane's burst."""
    buckets, rate = Buckets(valkey), (0.001, 1024)
    with ThreadPoolExecutor(8) as pool:
        waits = list(pool.map(lambda _: buckets.take("burst", rate), range(1024)))
    # what a thread is just bringing may be missed at the very end, and nothing before
    assert waits.count(0) >= 1024 - 8 * 32
    # (an early caller may be put to sleep and come to the bucket last: one a thread)
    assert waits[:700].count(0) >= 700 - 8
