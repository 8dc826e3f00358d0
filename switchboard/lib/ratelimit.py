"""Token buckets shared by all processes. They live in Valkey and fail open when it is away."""

from __future__ import annotations

import math

from redis import Redis

from switchboard.lib.valkey import Valkey

# Returns 0 when a token was taken, else the milliseconds until there is one.
# The server's own clock is used, so that machines need not agree on the time.
_TAKE = """
local rate, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local have = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(have[1]) or burst
tokens = math.min(burst, tokens + (now - (tonumber(have[2]) or now)) * rate / 1000)
local wait = 0
if tokens >= 1 then tokens = tokens - 1 else wait = math.ceil((1 - tokens) * 1000 / rate) end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'at', now)
redis.call('PEXPIRE', KEYS[1], math.ceil(burst * 1000 / rate) + 1000)
return wait
"""


def take(valkey: Valkey, key: str, rate: tuple[float, int]) -> int:
    """Take one token of bucket `key`, `rate` = (tokens a second, burst).

    Returns 0 when taken, else whole seconds until one is there. A rate of 0 never limits.
    """
    per_second, burst = rate
    if per_second == 0:
        return 0
    wait_ms = valkey.attempt(lambda client: _take(client, f"sb:rate:{key}", per_second, burst))
    return math.ceil((wait_ms or 0) / 1000)


def _take(client: Redis, key: str, per_second: float, burst: int) -> int:
    return int(client.register_script(_TAKE)(keys=[key], args=[per_second, burst]))
