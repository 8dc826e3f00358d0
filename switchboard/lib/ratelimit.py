"""Token buckets shared by all processes. They live in Valkey and fail open when it is away.

A process takes a few tokens of a wide bucket at once and keeps what it has not spent, and remembers
until when it is empty, so that neither a busy lane nor one in a storm costs a round trip a call. Of a
narrow bucket it takes one at a time, exactly.
"""

from __future__ import annotations

import math
import threading
import time
from typing import Any

from redis import Redis

from switchboard.lib.valkey import Valkey

MOST_AT_ONCE = 32

# Returns the tokens taken (at least one), or minus the milliseconds until there is one.
# The server's own clock is used, so that machines need not agree on the time.
_TAKE = """
local rate, burst, want = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local have = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(have[1]) or burst
tokens = math.min(burst, tokens + (now - (tonumber(have[2]) or now)) * rate / 1000)
local answer
if tokens >= 1 then
  answer = math.min(want, math.floor(tokens))
  tokens = tokens - answer
else
  answer = -math.ceil((1 - tokens) * 1000 / rate)
end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(burst * 1000 / rate) + 1000)
return answer
"""

Rate = tuple[float, int]
# what a human may try out: three at once, then one every twenty seconds, so six in any minute
SIX_A_MINUTE: Rate = (0.05, 3)


class Buckets:
    """The buckets as one process sees them."""

    def __init__(self, valkey: Valkey) -> None:
        self._valkey = valkey
        self._lock = threading.Lock()
        self._in_hand: dict[str, int] = {}
        self._empty_until: dict[str, float] = {}
        self._script: Any = None

    def take(self, key: str, rate: Rate) -> int:
        """Take one token of bucket `key`; `rate` is (tokens a second, burst), 0 a second: no limit.

        Returns 0 when taken, else the whole seconds until one is there.
        """
        if rate[0] == 0 or self._from_hand(key):
            return 0
        if (wait := self._empty_until.get(key, 0.0) - time.monotonic()) > 0:
            return math.ceil(wait)
        answer = self._valkey.attempt(lambda client: self._ask(client, key, rate))
        if answer is None:
            return 0
        if answer < 0:
            if _at_once(rate) > 1:
                self._empty_until[key] = time.monotonic() - answer / 1000
            return math.ceil(-answer / 1000)
        if answer > 1:
            with self._lock:
                # several threads may have asked at once: what each brought is there for all
                self._in_hand[key] = self._in_hand.get(key, 0) + answer - 1
        return 0

    def _from_hand(self, key: str) -> bool:
        with self._lock:
            left = self._in_hand.pop(key, 0)
            if left > 1:
                self._in_hand[key] = left - 1
            return left > 0

    def _ask(self, client: Redis, key: str, rate: Rate) -> int:
        if self._script is None:
            self._script = client.register_script(_TAKE)
        arguments = [*rate, _at_once(rate)]
        return int(self._script(keys=[f"sb:rate:{key}"], args=arguments, client=client))


def _at_once(rate: Rate) -> int:
    """How many tokens are asked for: one of a narrow bucket, up to 32 of a wide one."""
    return max(1, min(MOST_AT_ONCE, rate[1] // MOST_AT_ONCE))
