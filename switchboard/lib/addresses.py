"""Which network addresses the product may dial: one explicit table and the rules around it.

Owns the special-purpose ranges (IANA's IPv4 and IPv6 registries, RFC 6890), the operator's
allowlist rule and the question whether an address is our own. It opens no connection and knows no
URL. The table is spelt out because Python 3.11's `ipaddress.is_global` is True for NAT64, 6to4,
multicast and more.
"""

import socket
from collections.abc import Collection, Sequence
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def _networks(*cidrs: str) -> tuple[Network, ...]:
    return tuple(ip_network(cidr) for cidr in cidrs)


# Read in order: the first range that holds an address names it, so a part stands before its whole.
REFUSED: tuple[tuple[str, tuple[Network, ...]], ...] = (
    ("unspecified", _networks("0.0.0.0/8", "::/128")),  # RFC 1122, 4291
    ("loopback", _networks("127.0.0.0/8", "::1/128")),  # RFC 1122, 4291
    ("link-local", _networks("169.254.0.0/16", "fe80::/10")),  # RFC 3927, 4291; cloud metadata
    ("cloud metadata", _networks("168.63.129.16/32")),  # Azure's, in the middle of public space
    ("private", _networks("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")),  # RFC 1918
    ("unique local", _networks("fc00::/7")),  # RFC 4193
    ("shared (CGNAT)", _networks("100.64.0.0/10")),  # RFC 6598
    ("documentation", _networks("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24")),  # RFC 5737
    ("documentation", _networks("2001:db8::/32", "3fff::/20")),  # RFC 3849, 9637
    ("benchmarking", _networks("198.18.0.0/15", "2001:2::/48")),  # RFC 2544, 5180
    ("multicast", _networks("224.0.0.0/4", "ff00::/8")),  # RFC 5771, 4291
    ("6to4 relay", _networks("192.88.99.0/24")),  # RFC 7526
    ("IPv4-mapped", _networks("::ffff:0:0/96")),  # RFC 4291
    ("IPv4-translated", _networks("::ffff:0:0:0/96")),  # RFC 2765
    ("IPv4-compatible", _networks("::/96")),  # RFC 4291
    ("NAT64", _networks("64:ff9b::/96", "64:ff9b:1::/48")),  # RFC 6052, 8215
    ("6to4", _networks("2002::/16")),  # RFC 3056
    ("Teredo", _networks("2001::/32")),  # RFC 4380
    ("site-local", _networks("fec0::/10")),  # RFC 3879
    ("segment routing", _networks("5f00::/16")),  # RFC 9602
    ("reserved", _networks("192.0.0.0/24", "240.0.0.0/4", "2001::/23")),  # RFC 6890, 1112, 2928
)

# RFC 4291 and IANA: nothing outside this block is handed out as global unicast.
GLOBAL_IPV6 = IPv6Network("2000::/3")

# What a call to ourselves may reach beside public addresses; never link-local.
SELF_NETWORKS = _networks(
    "127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"
)

# Linux connects 0.0.0.0 and :: to loopback, so "unspecified" is guarded as loopback is.
_GUARDED_IPV4 = [IPv4Network(cidr) for cidr in ("0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16")]
_EMBEDDINGS = [
    IPv6Network(cidr)
    for cidr in ("::ffff:0:0/96", "::ffff:0:0:0/96", "::/96", "64:ff9b::/96", "2002::/16")
]


def _embed(form: IPv6Network, inner: IPv4Network) -> IPv6Network:
    """The part of `form` whose 32 bits after the prefix lie in `inner`."""
    shift = 128 - form.prefixlen - 32
    start = int(form.network_address) | int(inner.network_address) << shift
    return IPv6Network((start, form.prefixlen + inner.prefixlen))


# Teredo and the local NAT64 block hide their IPv4 at no one place: guarded whole.
GUARDED: tuple[Network, ...] = (
    *_GUARDED_IPV4,
    *_networks("::/128", "::1/128", "fe80::/10", "2001::/32", "64:ff9b:1::/48"),
    *(_embed(form, inner) for form in _EMBEDDINGS for inner in _GUARDED_IPV4),
)


def refusal(address: Address, allow_cidrs: Sequence[Network] = ()) -> str | None:
    """Say why `address` must not be dialled, as a short word such as `loopback`; None when it may.

    An entry of `allow_cidrs` opens what it holds, in its own family only. Inside a guarded range
    (loopback, link-local, unspecified, also embedded in IPv6) an entry counts only when it is
    inside or equal to that range: `0.0.0.0/0` opens 10.0.0.1, never 127.0.0.1. Raises nothing.
    """
    reason = _special(address)
    if reason is None:
        return None
    # Two networks that hold one address are nested, so comparing lengths tells which is inside.
    narrowest = max((guard.prefixlen for guard in GUARDED if address in guard), default=0)
    opened = any(address in entry and entry.prefixlen >= narrowest for entry in allow_cidrs)
    return None if opened else reason


def _special(address: Address) -> str | None:
    for reason, networks in REFUSED:
        if any(address in network for network in networks):
            return reason
    if isinstance(address, IPv6Address) and address not in GLOBAL_IPV6:
        return "reserved"
    return None


def is_own(address: Address, port: int, own: Collection[tuple[Address, int]]) -> bool:
    """Tell whether `address` and `port` are one of the pairs `own` this box listens on.

    A wildcard listener (`0.0.0.0`, `::`) has its port on every address of this host. Raises
    nothing.
    """
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    listening = [listener for listener, owned in own if owned == port]
    if address in listening:
        return True
    wildcard = any(listener.is_unspecified for listener in listening)
    # Dialling 0.0.0.0 or :: reaches any local listener, whatever address it named.
    return bool(listening) and (address.is_unspecified or (wildcard and _is_local(address)))


def _is_local(address: Address) -> bool:
    """Ask the kernel: a socket can be bound only to an address that this host holds."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True


def listeners(pairs: Collection[tuple[str, int]]) -> tuple[tuple[Address, int], ...]:
    """Read listen pairs (host as the server was told it, TCP port) for `is_own`.

    A host that is no IP address (empty, `localhost`) counts as the wildcard: refusing the port on
    every local address is the safe reading. Raises nothing.
    """
    return tuple((_listener(host), port) for host, port in pairs)


def _listener(host: str) -> Address:
    try:
        return ip_address(host)
    except ValueError:
        return IPv4Address(0)
